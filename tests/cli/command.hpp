#pragma once
// Runs the built condens command in a directory of its own.

#include <gtest/gtest.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace condens::tests {

struct Outcome {
  int code;
  std::string out;
  std::string err;
};

inline std::string read_text(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

class CommandTest : public ::testing::Test {
 protected:
  CommandTest() {
    std::string name = (std::filesystem::temp_directory_path() / "condens-cli-XXXXXX").string();
    folder = ::mkdtemp(name.data());
  }
  ~CommandTest() override { std::filesystem::remove_all(folder); }

  /// `arguments` as a shell would read them, run inside `folder`.
  Outcome run(const std::string& arguments) const {
    return shell("'" + std::string(CONDENS_BINARY) + "' " + arguments);
  }

  /// A call that must succeed.
  Outcome good(const std::string& arguments) const {
    Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.code, 0) << arguments << "\n" << outcome.err;
    return outcome;
  }

  void expect_in(const std::string& text, const std::vector<std::string>& words) const {
    for (const std::string& word : words) EXPECT_NE(text.find(word), std::string::npos) << word << " not in\n" << text;
  }

  /// Any command line; $CONDENS is the command.
  Outcome shell(const std::string& line) const {
    const std::string err = (folder / ".stderr").string();
    const std::string whole =
        "cd '" + folder.string() + "' && { CONDENS='" + CONDENS_BINARY + "'; " + line + "; } 2>'" + err + "'";
    FILE* pipe = ::popen(whole.c_str(), "r");
    std::string out;
    for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) out += static_cast<char>(c);
    const int status = ::pclose(pipe);
    Outcome outcome{WIFEXITED(status) ? WEXITSTATUS(status) : -1, out, read_text(err)};
    std::filesystem::remove(err);
    return outcome;
  }

  /// The command on a terminal of its own: all that is seen there, as one text with plain line ends.
  Outcome on_terminal(const std::string& arguments) const {
    const std::string line = "cd '" + folder.string() + "' && '" + CONDENS_BINARY + "' " + arguments;
    int terminal = -1;
    const pid_t child = ::forkpty(&terminal, nullptr, nullptr, nullptr);
    if (child == 0) {
      ::execl("/bin/sh", "sh", "-c", line.c_str(), nullptr);
      ::_exit(127);
    }
    std::string seen;
    char buffer[4096];
    for (ssize_t size = 0; (size = ::read(terminal, buffer, sizeof buffer)) > 0;) seen.append(buffer, size);
    ::close(terminal);
    int status = 0;
    ::waitpid(child, &status, 0);
    std::erase(seen, '\r');
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, seen, seen};
  }

  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder / name, std::ios::binary) << text;
  }
  std::string read(const std::string& name) const { return read_text(folder / name); }
  bool exists(const std::string& name) const { return std::filesystem::exists(folder / name); }

  std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) names.push_back(entry.path().filename());
    return names;
  }

  /// n rows x,y of a line with a wiggle.
  static std::string small_table(int n) {
    std::string text = "x,y\n";
    for (int i = 0; i < n; ++i) text += std::to_string(i % 7) + "," + std::to_string((i * i) % 11 + i % 7) + "\n";
    return text;
  }

  std::filesystem::path folder;
};

/// Options that leave nothing to choose: a fit in a moment.
inline const std::string quick = " --set bandwidth=0.5 --set bandwidth_y=0.3 --set regularization=0.1 ";

}  // namespace condens::tests
