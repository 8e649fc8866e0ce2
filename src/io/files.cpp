#include "files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>
#include <streambuf>
#include <system_error>
#include <utility>

#include "condens/core/errors.hpp"

namespace condens {

namespace {

[[noreturn]] void fail(const std::string& path, std::string_view what, int error) {
  throw std::runtime_error(message(path, ": cannot be ", what, ": ", std::generic_category().message(error)));
}

/// Writes all of `bytes` as they come; 0, or what went wrong.
int write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno != EINTR) {
      return errno;
    }
  }
  return 0;
}

/// Buffered writing to a file descriptor that remembers the first error.
class DescriptorBuffer : public std::streambuf {
 public:
  explicit DescriptorBuffer(int descriptor) : descriptor_(descriptor) {
    setp(buffer_.data(), buffer_.data() + buffer_.size());
  }
  int error() const { return error_; }

 protected:
  int_type overflow(int_type c) override {
    if (sync() != 0) return traits_type::eof();
    if (!traits_type::eq_int_type(c, traits_type::eof())) sputc(traits_type::to_char_type(c));
    return traits_type::not_eof(c);
  }
  int sync() override {
    if (error_ == 0) error_ = write_all(descriptor_, {pbase(), static_cast<std::size_t>(pptr() - pbase())});
    setp(buffer_.data(), buffer_.data() + buffer_.size());
    return error_ == 0 ? 0 : -1;
  }

 private:
  int descriptor_;
  int error_ = 0;
  std::array<char, 1 << 16> buffer_;
};

bool is_standard_output(const std::string& path) { return path == "-" || path == "/dev/stdout"; }

/// Devices, pipes, and open files by number: to be written in place.
bool is_special(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return false;
  return !S_ISREG(status.st_mode) || path == "/dev/stderr" || path.starts_with("/dev/fd/") ||
         path.starts_with("/proc/self/fd/");
}

/// The folder that holds `path`.
std::string folder_of(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

/// The name by which an open file without a name of its own gets one.
std::string name_of(int descriptor) { return message("/proc/self/fd/", descriptor); }

/// A new file in `folder` that has no name, so that nothing is left of it however this process ends; -1 where file
/// systems know no such files.
int open_nameless(const std::string& folder) {
#ifdef O_TMPFILE
  const int descriptor = ::open(folder.c_str(), O_WRONLY | O_TMPFILE | O_CLOEXEC, 0666);
  if (descriptor < 0 || ::access(name_of(descriptor).c_str(), F_OK) == 0) return descriptor;
  ::close(descriptor);
#endif
  return -1;
}

/// Calls take(name) with names in the folder of `target` until one was free: what a process before this one, of the
/// same number, has left behind does not stand in the way. Empty, with errno set, when it failed. The names do not hold
/// that of `target`, which may be as long as names can be.
template <class Take>
std::string take_free_name(const std::string& target, const Take& take) {
  static std::atomic<unsigned> counter{0};
  std::string name;
  do {
    name = message(folder_of(target), "/.condens.", ::getpid(), ".", counter++, ".tmp");
    if (take(name)) return name;
  } while (errno == EEXIST);
  name.clear();
  return name;
}

/// So that a new name outlives a failure of power. Not every file system can, and then nothing is lost but that.
void sync_folder(const std::string& folder) {
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  ::fsync(descriptor);
  ::close(descriptor);
}

/// The file itself behind symbolic links, there or not, so that a rename does not replace a link.
std::string resolve(const std::string& path) {
  constexpr int most_links = 40;  // of Linux
  std::filesystem::path target = path;
  std::error_code error;
  for (int i = 0; std::filesystem::is_symlink(target, error); ++i) {
    const std::filesystem::path next = std::filesystem::read_symlink(target, error);
    if (error || i == most_links) fail(path, "written", error ? error.value() : ELOOP);
    target = next.is_absolute() ? next : target.parent_path() / next;
  }
  return target.string();
}

}  // namespace

class AtomicFile::Impl {
 public:
  explicit Impl(const std::string& path) : path_(path), stream_(nullptr) {
    if (is_standard_output(path)) {
      descriptor_ = STDOUT_FILENO;
    } else if (is_special(path)) {
      descriptor_ = ::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
      if (descriptor_ < 0) fail(path_, "written", errno);
    } else {
      open_temporary(resolve(path));
    }
    buffer_ = std::make_unique<DescriptorBuffer>(descriptor_);
    stream_.rdbuf(buffer_.get());
  }

  ~Impl() {
    stream_.rdbuf(nullptr);
    close();
    if (!temporary_.empty()) ::unlink(temporary_.c_str());
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  std::ostream& stream() { return stream_; }
  bool is_written_in_place() const { return target_.empty(); }

  void commit() {
    buffer_->pubsync();
    if (buffer_->error() != 0) fail(path_, "written", buffer_->error());
    if (stream_.fail()) fail(path_, "written", EIO);
    if (!is_written_in_place()) {
      if (::fsync(descriptor_) != 0) fail(path_, "written", errno);
      if (temporary_.empty()) give_name();
    }
    if (close() != 0) fail(path_, "written", errno);
    if (is_written_in_place()) return;
    if (::rename(temporary_.c_str(), target_.c_str()) != 0) fail(path_, "written", errno);
    temporary_.clear();
    sync_folder(folder_of(target_));
  }

 private:
  void open_temporary(std::string target) {
    target_ = std::move(target);
    if (target_.empty()) fail(path_, "written", ENOENT);
    struct stat status {};
    const bool replaces = ::stat(target_.c_str(), &status) == 0;
    if (replaces && ::faccessat(AT_FDCWD, target_.c_str(), W_OK, AT_EACCESS) != 0) fail(path_, "written", errno);
    descriptor_ = open_nameless(folder_of(target_));
    if (descriptor_ < 0) {
      temporary_ = take_free_name(target_, [this](const std::string& name) {
        descriptor_ = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        return descriptor_ >= 0;
      });
    }
    if (descriptor_ < 0) fail(path_, "written", errno);
    if (!replaces) return;
    const bool owned = ::fchown(descriptor_, status.st_uid, status.st_gid) == 0;  // which takes special bits away
    ::fchmod(descriptor_, status.st_mode & (owned ? 07777 : 0777));
  }

  void give_name() {
    temporary_ = take_free_name(target_, [this](const std::string& name) {
      return ::linkat(AT_FDCWD, name_of(descriptor_).c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0;
    });
    if (temporary_.empty()) fail(path_, "written", errno);
  }

  int close() {
    const int descriptor = std::exchange(descriptor_, -1);
    return descriptor < 0 || descriptor == STDOUT_FILENO ? 0 : ::close(descriptor);
  }

  std::string path_;       // as given, for messages
  std::string target_;     // where the file will be; empty when written in place
  std::string temporary_;  // where it is now; empty while it has no name, and after commit
  int descriptor_ = -1;
  std::unique_ptr<DescriptorBuffer> buffer_;
  std::ostream stream_;
};

AtomicFile::AtomicFile(const std::string& path) : impl_(std::make_unique<Impl>(path)) {}
AtomicFile::~AtomicFile() = default;
std::ostream& AtomicFile::stream() { return impl_->stream(); }
void AtomicFile::commit() { impl_->commit(); }
bool AtomicFile::is_written_in_place() const { return impl_->is_written_in_place(); }

void write_file_atomically(const std::string& path, std::string_view bytes) {
  AtomicFile file(path);
  file.stream().write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  file.commit();
}

void append_to_file(const std::string& path, std::string_view bytes) {
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (descriptor < 0) fail(path, "written", errno);
  const off_t before = ::lseek(descriptor, 0, SEEK_END);
  int error = write_all(descriptor, bytes);
  if (error != 0 && before >= 0) static_cast<void>(::ftruncate(descriptor, before) == 0);
  if (::close(descriptor) != 0 && error == 0) error = errno;
  if (error != 0) fail(path, "written", error);
}

namespace {

/// Bytes read into this place, 0 at the end of the file.
std::size_t read_some(const std::string& path, int descriptor, char* place, std::size_t size) {
  while (true) {
    const ssize_t count = ::read(descriptor, place, size);
    if (count >= 0) return static_cast<std::size_t>(count);
    if (errno != EINTR) fail(path, "read", errno);
  }
}

/// Closes what is no standard input.
class OpenForReading {
 public:
  explicit OpenForReading(const std::string& path)
      : descriptor_(path == "-" ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (descriptor_ < 0) fail(path, "read", errno);
  }
  ~OpenForReading() {
    if (descriptor_ != STDIN_FILENO) ::close(descriptor_);
  }
  OpenForReading(const OpenForReading&) = delete;
  OpenForReading& operator=(const OpenForReading&) = delete;

  int number() const { return descriptor_; }
  std::optional<std::size_t> size_if_regular() const {
    struct stat status {};
    if (::fstat(descriptor_, &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
    return static_cast<std::size_t>(status.st_size);
  }

 private:
  int descriptor_;
};

}  // namespace

std::string read_file(const std::string& path) {
  const OpenForReading file(path);
  std::string out;
  out.reserve(file.size_if_regular().value_or(0) + 1);
  std::size_t size = 0;
  while (true) {
    out.resize(std::max(out.capacity(), size + (1 << 16)));
    const std::size_t count = read_some(path, file.number(), out.data() + size, out.size() - size);
    if (count == 0) break;
    size += count;
  }
  out.resize(size);
  return out;
}

class InputFile::Impl : public OpenForReading {
 public:
  using OpenForReading::OpenForReading;
};

InputFile::InputFile(const std::string& path) : path_(path), impl_(std::make_unique<Impl>(path)) {
  if (!impl_->size_if_regular())
    throw std::runtime_error(path + ": is a pipe or a device, expected a file, which can be read again");
}

InputFile::~InputFile() = default;

bool InputFile::read(std::string& out, std::size_t size) {
  const std::size_t before = out.size();
  out.resize(before + size);
  const std::size_t count = read_some(path_, impl_->number(), out.data() + before, size);
  out.resize(before + count);
  return count > 0;
}

void InputFile::rewind() {
  if (::lseek(impl_->number(), 0, SEEK_SET) != 0) fail(path_, "read", errno);
}

}  // namespace condens
