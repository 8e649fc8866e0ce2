#pragma once
// What every verb shares with the person at the terminal: messages and progress on
// standard error, exit codes, tables of text.

#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "condens/core/run.hpp"

namespace condens::cli {

enum ExitCode { done = 0, failed = 1, wrong_call = 2 };

/// After Ctrl-C, what is to be said instead of "interrupted; nothing written".
struct Interrupted : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Runs a verb and says on standard error what went wrong. Wrong calls and data
/// (std::invalid_argument, FormatError) are exit code 2, all else 1.
int guarded(const std::string& verb, const std::function<void()>& body);

/// "condens fit: text" on standard error, printable; takes the progress bar away.
void say(const std::string& verb, const std::string& text);

/// Threads and an observer that draws a progress bar where standard error is a
/// terminal, and cancels after Ctrl-C, SIGTERM or SIGHUP. A second one ends the program at once.
Run start_run(int threads, bool quiet = false);

/// Throws Cancelled after Ctrl-C, for work that no observer watches.
void check_interrupted();

/// Ends the program by the signal that has interrupted it, if one has: the shell sees that, and stops its loops.
void end_if_interrupted();

/// Whether a result that goes to `output` is seen on a terminal.
bool is_terminal(const std::string& output);

/// Takes the progress bar away.
void clear_progress();

using TextRows = std::vector<std::vector<std::string>>;

inline constexpr std::size_t most_inputs = 20;  // that a table of inputs shows

/// Rows of cells in columns, two spaces apart; the first `left` columns are aligned to the left.
std::string align(const TextRows& rows, std::size_t left = 1, const std::string& indent = "  ");

/// "  and 3 more inputs; --json lists all": a line below a list that was cut; empty where all are shown.
std::string rest_text(std::size_t all, std::size_t shown, const std::string& what);

/// A few significant digits: for people; files get every digit.
std::string brief(double value, int digits = 4);

/// A share as "43.3 %".
std::string percent(double share);

}  // namespace condens::cli
