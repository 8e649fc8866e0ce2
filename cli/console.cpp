#include "console.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <exception>
#include <new>

#include "condens/core/errors.hpp"
#include "core/text.hpp"

namespace condens::cli {

namespace {

volatile std::sig_atomic_t interrupted = 0;  // the signal
bool progress_shown = false;

void on_signal(int signal) { interrupted = signal; }

void catch_signals() {
  struct sigaction action {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESETHAND | SA_RESTART;  // a second signal ends the program
  ::sigaction(SIGINT, &action, nullptr);
  ::sigaction(SIGTERM, &action, nullptr);
  struct sigaction before {};
  ::sigaction(SIGHUP, nullptr, &before);
  if (before.sa_handler != SIG_IGN) ::sigaction(SIGHUP, &action, nullptr);  // nohup ignores it
}

void draw_progress(std::string_view task, double fraction) {
  constexpr int width = 30;
  std::string bar(width, ' ');
  std::fill_n(bar.begin(), static_cast<int>(std::clamp(fraction, 0.0, 1.0) * width), '#');
  std::fprintf(stderr, "\r\033[K[%s] %3.0f%% %.*s", bar.c_str(), 100 * fraction, static_cast<int>(task.size()),
               task.data());
  progress_shown = true;
}

/// Columns on the screen of UTF-8 text: bytes that do not continue a character.
std::size_t text_width(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

}  // namespace

int guarded(const std::string& verb, const std::function<void()>& body) {
  try {
    body();
    clear_progress();
    return done;
  } catch (const Cancelled&) {
    say(verb, "interrupted; nothing written");
    return failed;
  } catch (const std::invalid_argument& error) {
    say(verb, error.what());
    return wrong_call;
  } catch (const FormatError& error) {
    say(verb, error.what());
    return wrong_call;
  } catch (const std::bad_alloc&) {
    say(verb, "not enough memory");
    return failed;
  } catch (const std::exception& error) {
    say(verb, error.what());
    return failed;
  }
}

void say(const std::string& verb, const std::string& text) {
  clear_progress();
  const std::string line = "condens" + (verb.empty() ? "" : " " + verb) + ": " + printable_lines(text) + "\n";
  std::fputs(line.c_str(), stderr);
}

Run start_run(int threads, bool quiet) {
  catch_signals();
  const bool draw = !quiet && ::isatty(STDERR_FILENO) == 1;
  return {.threads = threads, .observer = [draw](std::string_view task, double fraction) {
            if (draw) draw_progress(task, fraction);
            return interrupted == 0;
          }};
}

void check_interrupted() {
  if (interrupted != 0) throw Cancelled();
}

void end_if_interrupted() {
  if (interrupted == 0) return;
  std::signal(interrupted, SIG_DFL);
  std::raise(interrupted);
}

bool is_terminal(const std::string& output) {
  const bool standard = output.empty() || output == "-" || output == "/dev/stdout";
  return (standard && ::isatty(STDOUT_FILENO) == 1) || output == "/dev/tty";
}

void clear_progress() {
  if (progress_shown) std::fputs("\r\033[K", stderr);
  progress_shown = false;
}

std::string align(const std::vector<std::vector<std::string>>& rows, std::size_t left, const std::string& indent) {
  constexpr std::size_t most_of_cell = 300;
  std::vector<std::size_t> width;
  for (const auto& row : rows) {
    width.resize(std::max(width.size(), row.size()), 0);
    for (std::size_t j = 0; j < row.size(); ++j) width[j] = std::max(width[j], text_width(shown(row[j], most_of_cell)));
  }
  std::string out;
  for (const auto& row : rows) {
    std::string line = indent;
    for (std::size_t j = 0; j < row.size(); ++j) {
      const std::string cell = shown(row[j], most_of_cell);
      const std::string space(width[j] - text_width(cell), ' ');
      line += (j == 0 ? "" : "  ") + (j < left ? cell + space : space + cell);
    }
    out += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return out;
}

std::string rest_text(std::size_t all, std::size_t shown, const std::string& what) {
  if (all <= shown) return "";
  return "  and " + std::to_string(all - shown) + " more " + what + "; --json lists all\n";
}

std::string brief(double value, int digits) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.*g", digits, value);
  return text.data();
}

std::string percent(double share) { return brief(std::round(1000.0 * share) / 10.0) + " %"; }

}  // namespace condens::cli
