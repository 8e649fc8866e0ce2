// condens, the command: conditional densities from CSV files.

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
#include "verbs.hpp"

namespace condens::cli {

namespace {

/// Help pages: purpose, usage, options in groups, examples.
class HelpFormatter : public CLI::Formatter {
 public:
  HelpFormatter() { column_width(30); }

  std::string make_usage(const CLI::App* app, std::string name) const override {
    if (app->get_parent() == nullptr) return "\nUsage: condens VERB ...\n\n";
    std::string usage = "\nUsage: " + name;
    for (const CLI::Option* option : app->get_options([](const CLI::Option* o) { return o->get_positional(); })) {
      const std::string argument = option->get_type_name() + (option->get_expected_max() > 1 ? "..." : "");
      usage += option->get_required() ? " " + argument : " [" + argument + "]";
    }
    return usage + " [options]\n\n";
  }
  std::string make_positionals(const CLI::App* app) const override {
    std::string out;
    for (const CLI::Option* option : app->get_options([](const CLI::Option* o) { return o->get_positional(); })) {
      std::string name = "  " + option->get_type_name();
      name.resize(std::max<std::size_t>(column_width_, name.size() + 1), ' ');
      out += name + option->get_description() + "\n";
    }
    return out.empty() ? out : out + "\n";
  }
  std::string make_group(std::string group, bool is_positional,
                         std::vector<const CLI::Option*> options) const override {
    const std::string text = Formatter::make_group(std::move(group), is_positional, std::move(options));
    return text.substr(text.find_first_not_of('\n'));
  }
  std::string make_option_opts(const CLI::Option* option) const override {
    return option->get_type_name().empty() ? "" : " " + option->get_type_name();
  }
};

std::vector<std::string> verb_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(verb->get_name());
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
      text = words_for(text, *sub);
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
  CLI::App app("condens: given x, how is y distributed? Not the mean only, the whole distribution.", "condens");
  app.formatter(std::make_shared<HelpFormatter>());
  app.set_help_flag("-h,--help", "Print this help and exit");
  app.set_version_flag("--version", "condens " CONDENS_VERSION, "Print the version and exit");
  app.require_subcommand(1);
  app.footer(
      "Examples:\n"
      "  condens fit train.csv --target y -o model.json\n"
      "  condens predict model.json new.csv --mean --quantiles .05,.5,.95\n"
      "  condens VERB --help");
  for (const auto add :
       {add_fit, add_predict, add_score, add_describe, add_compare, add_plot, add_explain, add_models, add_serve})
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
