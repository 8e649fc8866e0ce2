// condens, the command: conditional densities from tables in files.

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <iostream>
#include <string>
#include <vector>

#include "arguments.hpp"
#include "condens/core/errors.hpp"
#include "console.hpp"
#include "core/freed_memory.hpp"
#include "core/names.hpp"
#include "core/text.hpp"
#include "help.hpp"
#include "verbs.hpp"

namespace condens::cli {

namespace {

std::vector<std::string> verb_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* verb : verbs_of(app)) names.push_back(verb->get_name());
  return names;
}

/// Says so when the first word is no verb.
bool is_unknown_verb(const CLI::App& app, const std::string& word) {
  const std::vector<std::string> names = verb_names(app);
  if (word.starts_with('-') || std::find(names.begin(), names.end(), word) != names.end()) return false;
  say("", message("unknown verb '", word, "'; the verbs are ", list_names(names), did_you_mean(word, names)));
  return true;
}

int parse(CLI::App& app, const std::vector<std::string>& words, const std::string& verb) {
  try {
    app.parse(std::vector<std::string>(words.rbegin(), words.rend() - 1));  // takes words from the back
    return done;
  } catch (const CLI::Success& help) {
    return app.exit(help);
  } catch (const CLI::ParseError& error) {
    std::string text = error.what();
    for (const CLI::App* sub : app.get_subcommands([&](const CLI::App* own) { return own->get_name() == verb; })) {
      text = words_for(error, *sub);
    }
    say(verb, shown(text, 300) + "\nSee condens " + (verb.empty() ? "" : verb + " ") + "--help");
    return wrong_call;
  }
}

/// Where a standard stream is closed, a file opened later would get its number, and messages would be written into it.
/// What stands there instead refuses to be read or written.
void occupy_standard_streams() {
  for (int stream = 0; stream <= 2; ++stream) {
    if (::fcntl(stream, F_GETFD) < 0) ::open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
  }
}

/// "condens help fit" is "condens fit --help".
std::vector<std::string> words_of(int argc, char** argv) {
  std::vector<std::string> words(argv, argv + argc);
  if (words.size() < 2 || words[1] != "help") return words;
  words.erase(words.begin() + 1);
  words.emplace_back("--help");
  return words;
}

int run(const std::vector<std::string>& words) {
  std::signal(SIGPIPE, SIG_DFL);  // a reader that has seen enough, such as head, ends us quietly
  std::signal(SIGXFSZ, SIG_IGN);  // a file beyond the limit of its size is an error of writing, with its message
  CLI::App app("condens: given x, how is y distributed? Not the mean only, the whole distribution.", "condens");
  app.formatter(help_formatter());
  app.set_help_flag("-h,--help", "Print this help and exit");
  app.set_version_flag("--version", "condens " CONDENS_VERSION, "Print the version and exit");
  app.require_subcommand(1);
  app.footer(
      "Examples:\n"
      "  condens fit train.csv --target y -o model.json\n"
      "  condens predict model.json new.csv --mean --quantiles .05,.5,.95\n"
      "  condens VERB --help");
  for (const auto add : {add_fit, add_predict, add_score, add_describe, add_compare, add_plot, add_page, add_explain,
                         add_models, add_serve, add_completion, add_manual})
    add(app);

  if (words.size() < 2) {
    std::cerr << app.help();
    return wrong_call;
  }
  const std::string& word = words[1];
  if (is_unknown_verb(app, word)) return wrong_call;
  const std::string verb = word.starts_with('-') ? "" : word;
  int code = done;
  const int trouble = guarded(verb, [&] { code = parse(app, words, verb); });
  return trouble != done ? trouble : code;
}

}  // namespace

}  // namespace condens::cli

int main(int argc, char** argv) {
  condens::keep_freed_memory();
  try {
    condens::cli::occupy_standard_streams();
    const int code = condens::cli::run(condens::cli::words_of(argc, argv));
    condens::cli::end_if_interrupted();
    return code;
  } catch (...) {  // what guarded() does not know: out of memory while building the help, say
    std::fputs("condens: failed before the call could be read\n", stderr);
    return condens::cli::failed;
  }
}
