// condens manual: the pages of man, from the same tables as the help pages.

#include <algorithm>
#include <filesystem>
#include <memory>
#include <sstream>

#include "arguments.hpp"
#include "condens/core/errors.hpp"
#include "condens/registry.hpp"
#include "help.hpp"
#include "verbs.hpp"

namespace condens::cli {

namespace {

/// Text as roff takes it: no character of it is a command.
std::string roff_text(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\')
      out += "\\(rs";
    else if (c == '-')
      out += "\\-";
    else if ((c == '.' || c == '\'') && (out.empty() || out.back() == '\n'))
      out += std::string("\\&") + c;
    else
      out += c;
  }
  return out;
}

std::string bold(const std::string& text) { return "\\fB" + roff_text(text) + "\\fR"; }
std::string slanted(const std::string& text) { return "\\fI" + roff_text(text) + "\\fR"; }

/// A paragraph in lines of at most 80 characters, where its words allow.
std::string roff_paragraph(const std::string& text) {
  constexpr std::size_t width = 80;
  std::istringstream words(text);
  std::string out;
  std::string line;
  std::string word;
  while (words >> word) {
    if (!line.empty() && roff_text(line + " " + word).size() > width) {
      out += roff_text(line) + "\n";
      line.clear();
    }
    line += (line.empty() ? "" : " ") + word;
  }
  return out + roff_text(line) + "\n";
}

std::string lower_first(std::string text) {
  const bool word = text.size() > 1 && (text[1] == ' ' || (text[1] >= 'a' && text[1] <= 'z'));
  if (word && text[0] >= 'A' && text[0] <= 'Z') text[0] = static_cast<char>(text[0] - 'A' + 'a');
  return text;
}

std::string page_head(const std::string& page, const std::string& purpose) {
  std::string title = page;
  std::transform(title.begin(), title.end(), title.begin(),
                 [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; });
  return ".\\\" Written by condens manual, from what condens --help reads.\n.TH " + roff_text(title) +
         " 1 \"\" \"condens " CONDENS_VERSION "\" \"User Commands\"\n.SH NAME\n" + roff_text(page) + " \\- " +
         roff_text(lower_first(purpose)) + "\n";
}

/// The option with its value, and what it does.
std::string option_entry(const CLI::Option& option) {
  std::string names;
  for (const std::string& name : option.get_snames()) names += (names.empty() ? "" : ", ") + bold("-" + name);
  for (const std::string& name : option.get_lnames()) names += (names.empty() ? "" : ", ") + bold("--" + name);
  const std::string value = takes_value(option) ? " " + slanted(option.get_type_name()) : "";
  return ".TP\n" + names + value + "\n" + roff_paragraph(option.get_description());
}

std::string options_section(const CLI::App& verb) {
  std::string out = ".SH OPTIONS\n";
  for (const std::string& group : verb.get_groups()) {
    const std::vector<const CLI::Option*> options = options_in(verb, group);
    if (group.empty() || options.empty()) continue;
    if (group != "Options") out += ".SS " + roff_text(group) + "\n";
    for (const CLI::Option* option : options) out += option_entry(*option);
  }
  return out;
}

/// The lines below the options of a help page: notes, and examples, which are indented there.
std::string footer_sections(const std::string& footer) {
  std::string notes;
  std::string examples;
  std::string line;
  std::istringstream lines(footer);
  bool in_examples = false;
  while (std::getline(lines, line)) {
    if (line == "Examples:" || line == "Example:")
      in_examples = true;
    else if (in_examples && !line.empty())
      examples += roff_text(line.substr(line.find_first_not_of(' '))) + "\n";
    else if (!line.empty())
      notes += roff_paragraph(line);
  }
  if (!notes.empty()) notes = ".SH NOTES\n" + notes;
  return examples.empty() ? notes : notes + ".SH EXAMPLES\n.nf\n" + examples + ".fi\n";
}

const std::string exit_status = R"(.SH EXIT STATUS
.TP
.B 0
Done.
.TP
.B 1
It failed: a file that cannot be written, a fit without a result.
Nothing is half written.
.TP
.B 2
A wrong call, or data that the verb cannot take. The message names it.
.PP
After Ctrl\-C the command ends by the signal.
)";

std::string see_also(const CLI::App& app, const std::string& own) {
  std::string out = ".SH SEE ALSO\n";
  std::vector<std::string> pages = {"condens"};
  for (const CLI::App* verb : verbs_of(app)) pages.push_back("condens-" + verb->get_name());
  std::erase(pages, own);
  for (const std::string& page : pages)
    out += ".BR " + roff_text(page) + " (1)" + (page == pages.back() ? "\n" : ",\n");
  return out;
}

std::string page_of_verb(const CLI::App& app, const CLI::App& verb) {
  const std::string page = "condens-" + verb.get_name();
  std::string out =
      page_head(page, verb.get_description()) + ".SH SYNOPSIS\n.B condens " + roff_text(verb.get_name()) + "\n";
  for (const CLI::Option* argument : arguments_of(verb)) out += slanted(usage_of(*argument)) + "\n";
  out += "[options]\n.SH DESCRIPTION\n" + roff_paragraph(verb.get_description() + ".");
  for (const CLI::Option* argument : arguments_of(verb))
    out += ".TP\n" + slanted(argument->get_type_name()) + "\n" + roff_paragraph(argument->get_description());
  return out + options_section(verb) + footer_sections(verb.get_footer()) + exit_status + see_also(app, page);
}

std::string main_page(const CLI::App& app) {
  std::string out = page_head("condens", "conditional densities from tables in files") +
                    ".SH SYNOPSIS\n.B condens\n.I VERB\n[arguments]\n[options]\n.SH DESCRIPTION\n" +
                    roff_paragraph(app.get_description()) + ".SH VERBS\n";
  for (const CLI::App* verb : verbs_of(app))
    out += ".TP\n" + bold(verb->get_name()) + "\n" + roff_paragraph(verb->get_description() + ".");
  out += options_section(app) + footer_sections(app.get_footer()) + ".SH MODELS\n";
  for (const ModelInfo& model : models()) out += ".TP\n" + bold(model.name) + "\n" + roff_paragraph(model.title);
  return out + exit_status + see_also(app, "condens");
}

void write_manual(const CLI::App& app, const std::string& folder) {
  namespace fs = std::filesystem;
  std::error_code error;
  require(fs::is_directory(folder, error), "FOLDER is '", folder, "', expected a folder that exists");
  const auto write = [&](const std::string& page, const std::string& text) {
    write_result((fs::path(folder) / (page + ".1")).string(), text);
  };
  write("condens", main_page(app));
  for (const CLI::App* verb : verbs_of(app)) write("condens-" + verb->get_name(), page_of_verb(app, *verb));
}

}  // namespace

void add_manual(CLI::App& app) {
  const auto folder = std::make_shared<std::string>();
  CLI::App& verb = *app.add_subcommand("manual", "Write the pages of man, one for each verb");
  add_option(verb, "folder", *folder, "FOLDER", "Where to: condens.1, condens-fit.1, ...")->required();
  verb.footer("Example:\n  condens manual ~/.local/share/man/man1");
  verb.callback([folder, &app] { write_manual(app, *folder); });
}

}  // namespace condens::cli
