#include "completion.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <utility>

#include "arguments.hpp"
#include "condens/core/errors.hpp"
#include "condens/io/csv.hpp"
#include "condens/model/target_kind.hpp"
#include "condens/registry.hpp"
#include "core/names.hpp"
#include "help.hpp"
#include "verbs.hpp"

namespace condens::cli {

namespace {

namespace fs = std::filesystem;

using Words = std::vector<std::string>;

std::map<const CLI::Option*, Values>& offers() {
  static std::map<const CLI::Option*, Values> all;
  return all;
}

const CLI::Option* option_named(const CLI::App& verb, const std::string& word) {
  const std::string name = word.substr(0, word.find('='));
  for (const CLI::Option* option : verb.get_options()) {
    if (!option->get_positional() && option->check_name(name)) return option;
  }
  return nullptr;
}

/// The names of a table's columns: its head is read, whatever its size.
Words column_names(const std::string& path) {
  constexpr int rows = 50;
  std::ifstream file(path);
  std::string head;
  std::string line;
  for (int row = 0; row < rows && std::getline(file, line); ++row) head += line + "\n";
  const Table table = parse_csv(head, path);
  Words names;
  for (const Column& column : table.columns()) names.push_back(column.name);
  return names;
}

/// The value of an option among the words; `otherwise` where it is not there.
std::string value_before(const Words& before, const std::string& option, std::string_view otherwise) {
  for (std::size_t i = before.size(); i-- > 0;) {
    if (before[i].starts_with(option + "=")) return before[i].substr(option.size() + 1);
    if (before[i] == option && i + 1 < before.size()) return before[i + 1];
  }
  return std::string(otherwise);
}

void add_settings(Words& out, const std::vector<OptionInfo>& options, const std::string& prefix) {
  for (const OptionInfo& option : options) {
    const std::string name = prefix + option.name;
    if (!option.options.empty()) {
      add_settings(out, option.options, name + ".");
    } else if (option.choices.empty() && option.type != "boolean") {
      out.push_back(name + "=");
    } else {
      for (const std::string& choice : option.choices.empty() ? Words{"true", "false"} : option.choices)
        out.push_back(name + "=" + choice);
    }
  }
}

/// What an option takes; nothing where that cannot be told, of a file that is no table, say: no place to complain.
Words values_or_nothing(const Values& values, const Words& before) {
  try {
    return values(before);
  } catch (const std::exception&) {
    return {};
  }
}

/// Those that begin with `start`. Of a list, a,b, the last part is completed.
std::vector<Candidate> values_of(const CLI::Option& option, const Words& before, const std::string& start,
                                 const std::string& prefix) {
  const auto values = offers().find(&option);
  if (values == offers().end()) return {};
  const bool list = option.get_type_name().find(',') != std::string::npos;
  const std::size_t begin = list ? start.rfind(',') + 1 : 0;
  std::vector<Candidate> out;
  for (const std::string& value : values_or_nothing(values->second, before)) {
    if (value.starts_with(start.substr(begin))) out.push_back({prefix + start.substr(0, begin) + value, ""});
  }
  return out;
}

std::vector<Candidate> options_of(const CLI::App& verb, const std::string& start) {
  std::vector<Candidate> out;
  for (const CLI::Option* option : verb.get_options()) {
    if (option->get_positional()) continue;
    const std::string name =
        option->get_lnames().empty() ? "-" + option->get_snames().front() : "--" + option->get_lnames().front();
    if (name.starts_with(start)) out.push_back({name, option->get_description()});
  }
  return out;
}

std::vector<Candidate> verbs_from(const CLI::App& app, const std::string& start) {
  std::vector<Candidate> out = start.empty() ? std::vector<Candidate>{} : options_of(app, start);
  for (const CLI::App* verb : verbs_of(app)) {
    if (verb->get_name().starts_with(start)) out.push_back({verb->get_name(), verb->get_description()});
  }
  return out;
}

/// bash takes words apart at = and :, and keeps their quotes. Returns how much of the last word it has by itself.
std::size_t join_words_of_bash(Words& words) {
  Words whole;
  bool open = false;
  std::size_t kept = 0;
  for (const std::string& word : words) {
    std::string plain;
    std::remove_copy_if(word.begin(), word.end(), std::back_inserter(plain),
                        [](char c) { return c == '\\' || c == '"' || c == '\''; });
    const bool joint = !word.empty() && word.find_first_not_of("=:") == std::string::npos;
    if (whole.empty() || (!joint && !open)) {
      whole.push_back(plain);
      kept = 0;
    } else {
      kept = joint ? whole.back().size() + plain.size() : whole.back().size();
      whole.back() += plain;
    }
    open = joint;
  }
  words = std::move(whole);
  return kept;
}

std::string quoted_for_bash(const std::string& word) {
  const std::string_view special = " \t\n\\'\"`$&|;<>()[]{}*?!#~";
  std::string out;
  for (const char c : word) out += special.find(c) == std::string_view::npos ? std::string(1, c) : std::string{'\\', c};
  return out;
}

const std::string bash_script = R"(# Completion of condens for bash: source it, or put it where bash-completion looks.
_condens() {
  mapfile -t COMPREPLY < <("${COMP_WORDS[0]}" completion bash -- "${COMP_WORDS[@]:0:COMP_CWORD+1}" 2>/dev/null)
  if ((${#COMPREPLY[@]} == 1)) && [[ ${COMPREPLY[0]} == *[=:.] ]]; then compopt -o nospace; fi
}
complete -o default -F _condens condens
)";

const std::string zsh_script = R"(#compdef condens
# Completion of condens for zsh: source it after compinit, or put it as _condens into a folder of $fpath.
_condens() {
  local line word text
  local -a closed open
  for line in "${(@f)$("$words[1]" completion zsh -- "${(@Q)words[1,CURRENT]}" 2>/dev/null)}"; do
    [[ -n $line ]] || continue
    word=${line%%$'\t'*}
    text=${line#*$'\t'}
    line=${word//:/\\:}${text:+:$text}
    if [[ $word == *[=:.] ]]; then open+=("$line"); else closed+=("$line"); fi
  done
  if (($#closed + $#open)); then
    _describe condens closed -- open -S ''
  else
    _files
  fi
}
if [[ $funcstack[1] == _condens ]]; then _condens "$@"; else compdef _condens condens; fi
)";

const std::string fish_script =
    R"(# Completion of condens for fish: source it, or put it as condens.fish into the folder completions of its settings.
function __condens_complete
    set -l before (commandline -opc)
    set -l found ($before[1] completion fish -- $before (commandline -ct | string collect --allow-empty) 2>/dev/null)
    if test (count $found) -gt 0
        printf '%s\n' $found
    else
        __fish_complete_path (commandline -ct)
    end
end
complete -c condens -f -a '(__condens_complete)'
)";

const Words shells = {"bash", "zsh", "fish"};

struct CompletionCall {
  std::string shell;
  std::string output;
  Words words;
};

void complete_call(const CLI::App& app, CompletionCall call) {
  const auto shell = std::find(shells.begin(), shells.end(), call.shell);
  require(shell != shells.end(), "SHELL is '", call.shell, "', expected one of ", list_names(shells),
          did_you_mean(call.shell, shells));
  std::string out;
  if (call.words.empty()) {
    out = call.shell == "bash" ? bash_script : call.shell == "zsh" ? zsh_script : fish_script;
  } else if (call.shell == "bash") {
    const std::size_t kept = join_words_of_bash(call.words);
    for (const Candidate& candidate : candidates(app, call.words)) {
      if (candidate.word.size() > kept) out += quoted_for_bash(candidate.word.substr(kept)) + "\n";
    }
  } else {
    for (const Candidate& candidate : candidates(app, call.words)) out += candidate.word + "\t" + candidate.text + "\n";
  }
  write_result(call.output, out);
}

}  // namespace

void offer(const CLI::App& verb, const std::string& option, Values values) {
  offers()[verb.get_option(option)] = std::move(values);
}

void offer(const CLI::App& verb, const std::string& option, const Words& words) {
  offer(verb, option, Values([words](const Words&) { return words; }));
}

Words target_kinds() {
  Words names;
  for (const TargetName kind : {TargetName::real, TargetName::positive, TargetName::bounded, TargetName::count,
                                TargetName::ordinal, TargetName::with_atoms, TargetName::automatic}) {
    const std::string text = TargetKind{kind}.text();
    const std::size_t colon = text.find(':');
    names.push_back(colon == std::string::npos ? text : text.substr(0, colon + 1));
  }
  return names;
}

Words columns_before(const Words& before) {
  std::error_code error;
  for (const std::string& word : before) {
    const std::string kind = fs::path(word).extension().string();
    if ((kind == ".csv" || kind == ".tsv" || kind == ".txt") && fs::is_regular_file(word, error))
      return column_names(word);
  }
  return {};
}

Words model_names(const Words&) {
  Words names;
  for (const ModelInfo& model : models()) names.push_back(model.name);
  return names;
}

Words presets_of_model(const Words& before) {
  return find_model(value_before(before, "--model", default_model)).presets;
}

Words settings_of_model(const Words& before) {
  Words out;
  add_settings(out, find_model(value_before(before, "--model", default_model)).options, "");
  return out;
}

Words settings_of_models(const Words& before) {
  Words out;
  for (const std::string& entry : split_names(value_before(before, "--models", default_model))) {
    const std::string name = entry.substr(entry.find('=') + 1);
    add_settings(out, find_model(name.substr(0, name.find(':'))).options, entry.substr(0, entry.find('=')) + ".");
  }
  return out;
}

std::vector<Candidate> candidates(const CLI::App& app, Words words) {
  if (words.size() > 2 && words[1] == "help") words.erase(words.begin() + 1);
  if (words.size() < 2) return {};
  const std::string last = words.back();
  if (words.size() == 2) return verbs_from(app, last);
  const std::vector<const CLI::App*> all_verbs = verbs_of(app);
  const auto named = std::find_if(all_verbs.begin(), all_verbs.end(),
                                  [&](const CLI::App* verb) { return verb->get_name() == words[1]; });
  if (named == all_verbs.end()) return {};
  const CLI::App& verb = **named;

  const Words before(words.begin() + 2, words.end() - 1);
  const CLI::Option* pending = nullptr;  // whose value comes next
  std::size_t arguments = 0;
  for (const std::string& word : before) {
    const bool is_value = pending != nullptr && (pending->get_items_expected_min() > 0 || !word.starts_with('-'));
    if (is_value) {
      pending = nullptr;
    } else if (word.starts_with('-') && word != "-") {
      pending = option_named(verb, word);
      if (pending != nullptr && (!takes_value(*pending) || word.find('=') != std::string::npos)) pending = nullptr;
    } else {
      pending = nullptr;
      ++arguments;
    }
  }
  if (pending != nullptr && (pending->get_items_expected_min() > 0 || !last.starts_with('-')))
    return values_of(*pending, before, last, "");
  if (last.starts_with('-')) {
    const std::size_t equals = last.find('=');
    if (equals == std::string::npos) return options_of(verb, last);
    const CLI::Option* option = option_named(verb, last);
    if (option == nullptr) return {};
    return values_of(*option, before, last.substr(equals + 1), last.substr(0, equals + 1));
  }
  const std::vector<const CLI::Option*> all = arguments_of(verb);
  return arguments < all.size() ? values_of(*all[arguments], before, last, "") : std::vector<Candidate>{};
}

void add_completion(CLI::App& app) {
  const auto call = std::make_shared<CompletionCall>();
  CLI::App& verb = *app.add_subcommand("completion", "Print a script that lets a shell complete calls of condens");
  add_option(verb, "shell", call->shell, "SHELL", "bash, zsh or fish")->required();
  offer(verb, "shell", shells);
  // The script asks with the words so far: what may stand in the place of the last one?
  add_option(verb, "words", call->words, "WORD", "Words of a call", "");
  add_option(verb, "-o,--output", call->output, "FILE", "Where to (default: standard output)", "Output");
  verb.footer(
      "Examples:\n"
      "  source <(condens completion bash)\n"
      "  condens completion zsh -o ~/.zsh/completions/_condens\n"
      "  condens completion fish -o ~/.config/fish/completions/condens.fish");
  verb.callback([call, &app] { complete_call(app, *call); });
}

}  // namespace condens::cli
