#pragma once
// Files that are either whole or not there.

#include <memory>
#include <ostream>
#include <string>
#include <string_view>

namespace condens {

/// The whole file as bytes; "-" is standard input. Throws std::runtime_error that names
/// the path and the reason.
std::string read_file(const std::string& path);

/// Bytes that come in parts.
class ByteSource {
 public:
  ByteSource() = default;
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;
  virtual ~ByteSource() = default;

  /// Appends the next bytes, `size` at most; false at the end.
  virtual bool read(std::string& out, std::size_t size) = 0;
};

/// A file that is read in parts, and may be read again. Throws std::runtime_error as above, and for what is no regular
/// file, such as a pipe.
class InputFile final : public ByteSource {
 public:
  explicit InputFile(const std::string& path);
  ~InputFile() override;

  bool read(std::string& out, std::size_t size) override;
  void rewind();

 private:
  class Impl;
  std::string path_;
  std::unique_ptr<Impl> impl_;
};

/// A file that appears under its name, complete and on the disk, at commit(). Until then,
/// and after any failure, what was there before stays. Links are followed, also to a file that
/// does not exist yet; the permissions of an existing file are kept, and its owner where the system
/// allows; a file that may not be written is refused. What is no regular file (a pipe, a device) and
/// "-", the standard output, are written as the bytes come.
class AtomicFile {
 public:
  /// Throws std::runtime_error, as commit() does, that names the path and the reason.
  explicit AtomicFile(const std::string& path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  std::ostream& stream();
  void commit();

  /// Whether the bytes go out as they come: what has been written cannot be taken back.
  bool is_written_in_place() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

void write_file_atomically(const std::string& path, std::string_view bytes);

/// All of `bytes` at the end of the file, which is made where there is none; after a failure, which throws as above,
/// the file is as before.
void append_to_file(const std::string& path, std::string_view bytes);

}  // namespace condens
