#include "child_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <system_error>
#include <utility>

#include "condens/core/cancellation.hpp"

namespace condens {

namespace {

constexpr int milliseconds_of_look = 50;       // after which whoever waits is asked whether to go on
constexpr std::size_t most_words = 1 << 14;    // kept of what it says
constexpr std::size_t most_at_once = 1 << 16;  // bytes of its output, as many as a pipe holds

void check(int error, const char* what) {
  if (error != 0) throw std::system_error(error, std::generic_category(), what);
}

/// Neither end goes on to programs that are started.
void open_pipe(Descriptor& from, Descriptor& to) {
  std::array<int, 2> ends{};
  check(::pipe2(ends.data(), O_CLOEXEC) == 0 ? 0 : errno, "pipe");
  from.set(ends[0]);
  to.set(ends[1]);
}

/// How the program begins: its streams, a group of its own, and signals as they are without us.
class Beginning {
 public:
  Beginning(const Descriptor& output, const Descriptor& errors) {
    check(::posix_spawn_file_actions_init(&files_), "streams");
    check(::posix_spawnattr_init(&attributes_), "attributes");
    check(::posix_spawn_file_actions_addopen(&files_, STDIN_FILENO, "/dev/null", O_RDONLY, 0), "streams");
    check(::posix_spawn_file_actions_adddup2(&files_, output.number(), STDOUT_FILENO), "streams");
    check(::posix_spawn_file_actions_adddup2(&files_, errors.number(), STDERR_FILENO), "streams");
    sigset_t signals;
    sigemptyset(&signals);
    check(::posix_spawnattr_setsigmask(&attributes_, &signals), "signals");
    sigaddset(&signals, SIGPIPE);
    check(::posix_spawnattr_setsigdefault(&attributes_, &signals), "signals");
    check(::posix_spawnattr_setflags(&attributes_,
                                     POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF),
          "attributes");
  }
  ~Beginning() {
    ::posix_spawnattr_destroy(&attributes_);
    ::posix_spawn_file_actions_destroy(&files_);
  }
  Beginning(const Beginning&) = delete;
  Beginning& operator=(const Beginning&) = delete;

  pid_t start(std::vector<std::string>& words) const {
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    pid_t process = -1;
    check(::posix_spawnp(&process, arguments[0], &files_, &attributes_, arguments.data(), environ), words[0].c_str());
    return process;
  }

 private:
  posix_spawn_file_actions_t files_{};
  posix_spawnattr_t attributes_{};
};

}  // namespace

void Descriptor::set(int number) {
  close();
  number_ = number;
}

void Descriptor::close() {
  if (is_open()) ::close(std::exchange(number_, -1));
}

ChildProcess::ChildProcess(std::vector<std::string> words) {
  Descriptor output;
  Descriptor errors;
  open_pipe(output_, output);
  open_pipe(errors_, errors);
  ::fcntl(errors_.number(), F_SETFL, O_NONBLOCK);
  process_ = Beginning(output, errors).start(words);
}

ChildProcess::~ChildProcess() {
  if (process_ < 0) return;
  ::kill(-process_, SIGKILL);
  end();
}

/// Takes the end of the process, which has come or is to come soon.
void ChildProcess::end() {
  int status = 0;
  pid_t ended = -1;
  do {
    ended = ::waitpid(process_, &status, 0);
  } while (ended < 0 && errno == EINTR);
  process_ = -1;
  if (ended < 0) return;  // a program that ignores SIGCHLD is not told
  status_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

void ChildProcess::hear_errors() {
  std::array<char, 4096> words{};
  while (errors_.is_open()) {
    const ssize_t count = ::read(errors_.number(), words.data(), words.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) return;
    if (count <= 0) return errors_.close();
    said_.append(words.data(), static_cast<std::size_t>(count));
    if (said_.size() > most_words) said_.erase(0, said_.size() - most_words);
  }
}

/// Whether the descriptor has something, or its end. Hears what is said meanwhile.
bool ChildProcess::await(int descriptor, int milliseconds) {
  std::array<pollfd, 2> both{pollfd{descriptor, POLLIN, 0}, pollfd{errors_.number(), POLLIN, 0}};  // -1 is passed over
  const bool found = ::poll(both.data(), both.size(), milliseconds) > 0;
  if (found && both[1].revents != 0) hear_errors();
  check_cancelled();
  return found && both[0].revents != 0;
}

bool ChildProcess::read(std::string& out, std::size_t size) {
  const std::size_t before = out.size();
  const std::size_t wanted = before + size;
  while (output_.is_open() && out.size() < wanted) {
    if (!await(output_.number(), milliseconds_of_look)) continue;
    const std::size_t had = out.size();
    out.resize(had + std::min(wanted - had, most_at_once));
    const ssize_t count = ::read(output_.number(), out.data() + had, out.size() - had);
    out.resize(had + static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
    if (count < 0 && errno == EINTR) continue;
    check(count < 0 ? errno : 0, "read");
    if (count == 0) output_.close();
  }
  return out.size() > before;
}

int ChildProcess::wait() {
  for (int pause = 1; process_ >= 0; pause = std::min(2 * pause, milliseconds_of_look)) {
    siginfo_t found{};
    const bool known = ::waitid(P_PID, static_cast<id_t>(process_), &found, WEXITED | WNOHANG | WNOWAIT) == 0;
    if (known && found.si_pid == 0)
      await(-1, pause);
    else
      end();
  }
  hear_errors();
  return status_;
}

std::string ChildProcess::last_words() const {
  const std::size_t end = said_.find_last_not_of(" \r\n") + 1;
  const std::size_t begin = end == 0 ? 0 : said_.find_last_of("\r\n", end - 1) + 1;
  return said_.substr(begin, end - begin);
}

}  // namespace condens
