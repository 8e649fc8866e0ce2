#include "help.hpp"

#include <algorithm>
#include <utility>

namespace condens::cli {

namespace {

class HelpFormatter : public CLI::Formatter {
 public:
  HelpFormatter() { column_width(30); }

  std::string make_usage(const CLI::App* app, std::string name) const override {
    if (app->get_parent() == nullptr) return "\nUsage: condens VERB ...\n\n";
    std::string usage = "\nUsage: " + name;
    for (const CLI::Option* option : arguments_of(*app)) usage += " " + usage_of(*option);
    return usage + " [options]\n\n";
  }
  std::string make_positionals(const CLI::App* app) const override {
    std::string out;
    for (const CLI::Option* option : arguments_of(*app)) {
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

}  // namespace

std::shared_ptr<CLI::FormatterBase> help_formatter() { return std::make_shared<HelpFormatter>(); }

std::vector<const CLI::App*> verbs_of(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

std::vector<const CLI::Option*> arguments_of(const CLI::App& verb) {
  return verb.get_options([](const CLI::Option* o) { return o->get_positional() && !o->get_group().empty(); });
}

std::string usage_of(const CLI::Option& argument) {
  const std::string text = argument.get_type_name() + (argument.get_expected_max() > 1 ? "..." : "");
  return argument.get_required() ? text : "[" + text + "]";
}

std::vector<const CLI::Option*> options_in(const CLI::App& verb, const std::string& group) {
  return verb.get_options([&](const CLI::Option* o) { return !o->get_positional() && o->get_group() == group; });
}

bool takes_value(const CLI::Option& option) { return option.get_items_expected_max() > 0; }

}  // namespace condens::cli
