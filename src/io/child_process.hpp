#pragma once
// A program that runs beside this one and writes to it.

#include <sys/types.h>

#include <string>
#include <vector>

namespace condens {

/// A descriptor that is closed with it.
class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  ~Descriptor() { close(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  int number() const { return number_; }
  bool is_open() const { return number_ >= 0; }
  void set(int number);
  void close();

 private:
  int number_;
};

/// Starts a program and reads what it writes to its standard output. It has no input, and a group of processes of its
/// own, so that Ctrl-C ends this program, which then ends it, and what it has started along with it.
class ChildProcess {
 public:
  /// The program, by its path or a name that is looked for in PATH, and its arguments, which no shell sees. Throws
  /// std::system_error where it cannot be started.
  explicit ChildProcess(std::vector<std::string> words);
  /// Kills it where it has not ended.
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  /// Appends the next bytes: `size` of them, or all that are left; false at the end of what it writes. Can be
  /// cancelled, as wait() can.
  bool read(std::string& out, std::size_t size);

  /// Waits for its end after the end of what it writes. Returns its exit status, 128 more than the signal that has
  /// ended it, or -1 where the system does not tell.
  int wait();

  /// The last line that it has written to its standard error.
  std::string last_words() const;

 private:
  bool await(int descriptor, int milliseconds);
  void hear_errors();
  void end();

  pid_t process_ = -1;  // -1: has ended
  int status_ = -1;
  Descriptor output_;
  Descriptor errors_;
  std::string said_;
};

}  // namespace condens
