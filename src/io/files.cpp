#include "files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <streambuf>
#include <system_error>
#include <utility>

#include "condens/core/errors.hpp"

namespace condens {

namespace {

[[noreturn]] void fail(const std::string& path, std::string_view what, int error) {
  throw std::runtime_error(message(path, ": cannot be ", what, ": ", std::generic_category().message(error)));
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
    const char* from = pbase();
    while (error_ == 0 && from < pptr()) {
      const ssize_t written = ::write(descriptor_, from, static_cast<std::size_t>(pptr() - from));
      if (written > 0) {
        from += written;
      } else if (errno != EINTR) {
        error_ = errno;
      }
    }
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
  bool is_written_in_place() const { return temporary_.empty(); }

  void commit() {
    buffer_->pubsync();
    if (buffer_->error() != 0) fail(path_, "written", buffer_->error());
    if (stream_.fail()) fail(path_, "written", EIO);
    if (!temporary_.empty() && ::fsync(descriptor_) != 0) fail(path_, "written", errno);
    if (close() != 0) fail(path_, "written", errno);
    if (temporary_.empty()) return;
    if (::rename(temporary_.c_str(), target_.c_str()) != 0) fail(path_, "written", errno);
    temporary_.clear();
  }

 private:
  void open_temporary(std::string target) {
    static std::atomic<unsigned> counter{0};
    target_ = std::move(target);
    struct stat status {};
    const bool replaces = ::stat(target_.c_str(), &status) == 0;
    if (replaces && ::faccessat(AT_FDCWD, target_.c_str(), W_OK, AT_EACCESS) != 0) fail(path_, "written", errno);
    const std::string name = message(target_, ".", ::getpid(), ".", counter++, ".tmp");
    descriptor_ = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor_ < 0) fail(path_, "written", errno);
    temporary_ = name;
    if (!replaces) return;
    const bool owned = ::fchown(descriptor_, status.st_uid, status.st_gid) == 0;  // which takes special bits away
    ::fchmod(descriptor_, status.st_mode & (owned ? 07777 : 0777));
  }

  int close() {
    const int descriptor = std::exchange(descriptor_, -1);
    return descriptor < 0 || descriptor == STDOUT_FILENO ? 0 : ::close(descriptor);
  }

  std::string path_;       // as given, for messages
  std::string target_;     // where the file will be
  std::string temporary_;  // where it is now; empty when written in place, and after commit
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

std::string read_file(const std::string& path) {
  const int descriptor = path == "-" ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) fail(path, "read", errno);
  std::string out;
  struct stat status {};
  if (::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode)) {
    out.reserve(static_cast<std::size_t>(status.st_size) + 1);
  }
  int error = 0;
  std::size_t size = 0;
  while (true) {
    out.resize(std::max(out.capacity(), size + (1 << 16)));
    const ssize_t count = ::read(descriptor, out.data() + size, out.size() - size);
    if (count == 0) break;
    if (count > 0) {
      size += static_cast<std::size_t>(count);
    } else if (errno != EINTR) {
      error = errno;
      break;
    }
  }
  if (descriptor != STDIN_FILENO) ::close(descriptor);
  if (error != 0) fail(path, "read", error);
  out.resize(size);
  return out;
}

}  // namespace condens
