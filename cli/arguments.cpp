#include "arguments.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <set>

#include "completion.hpp"
#include "condens/core/errors.hpp"
#include "condens/core/parallel.hpp"
#include "condens/io/csv.hpp"
#include "condens/io/document_format.hpp"
#include "console.hpp"
#include "core/names.hpp"
#include "io/columnar_text.hpp"
#include "io/files.hpp"

namespace condens::cli {

namespace {

namespace fs = std::filesystem;

std::string trim(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(' ');
  return begin == std::string::npos ? "" : text.substr(begin, text.find_last_not_of(' ') - begin + 1);
}

char one_character(const std::string& flag, const std::string& text) {
  if (text == "tab" || text == "\\t") return '\t';
  require(text.size() <= 1 && text != "\"" && text != "\n" && text != "\r", flag, " = '", text,
          "', expected one character, not a quote or a line break");
  return text.empty() ? '\0' : text.front();
}

/// Whether a file holds a model; what is no regular file is not opened.
bool is_model(const std::string& path) {
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return false;
  try {
    load_model_file(path);
    return true;
  } catch (const std::exception&) {
    return false;
  }
}

/// While another program reads the table, Ctrl-C ends that program, too; without one it ends ours by itself.
class Interruptible {
 public:
  explicit Interruptible(const std::string& path) {
    if (!is_columnar(path)) return;
    task_.emplace(start_run(1, true), "reading", 1.0);
  }

 private:
  std::optional<Task> task_;
};

[[noreturn]] void refuse_table(const std::string& path, const std::exception& error) {
  const bool model = is_model(path);
  throw std::invalid_argument(
      message(error.what(), model ? message("; ", path, " is a model file, expected a table") : ""));
}

Document without_nan(const Document& document) {
  if (const auto* number = std::get_if<double>(&document.value()))
    return std::isfinite(*number) ? document : Document();
  if (const auto* list = std::get_if<Document::Array>(&document.value())) {
    Document::Array out;
    std::transform(list->begin(), list->end(), std::back_inserter(out), without_nan);
    return out;
  }
  if (const auto* members = std::get_if<Document::Object>(&document.value())) {
    Document::Object out;
    for (const auto& [name, value] : *members) out.emplace_back(name, without_nan(value));
    return out;
  }
  return document;
}

}  // namespace

std::vector<std::string> split_names(const std::string& text) {
  std::vector<std::string> out;
  if (trim(text).empty()) return out;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    out.push_back(trim(text.substr(begin, end - begin)));
    begin = end + 1;
  }
  return out;
}

std::vector<double> split_probabilities(const std::string& flag, const std::string& text) {
  std::vector<double> out;
  for (const std::string& part : split_names(text)) {
    const std::optional<double> number = parse_number(part);
    require(number && *number > 0 && *number < 1, flag, ": '", part, "', expected a number between 0 and 1",
            share_of_percentage(number.value_or(0)));
    require(std::find(out.begin(), out.end(), *number) == out.end(), flag, " has '", part, "' twice");
    out.push_back(*number);
  }
  return out;
}

std::pair<std::string, std::string> split_assignment(const std::string& flag, const std::string& text) {
  const std::size_t equals = text.find('=');
  require(equals != std::string::npos, flag, ": '", text, "', expected name=value");
  return {trim(text.substr(0, equals)), trim(text.substr(equals + 1))};
}

std::size_t bytes_of(const std::string& flag, const std::string& text) {
  static const std::vector<std::pair<std::string, double>> units{
      {"", 1},           {"B", 1},      {"K", 1024},      {"M", 1048576},
      {"G", 1073741824}, {"KIB", 1024}, {"MIB", 1048576}, {"GIB", 1073741824},
      {"KB", 1e3},       {"MB", 1e6},   {"GB", 1e9}};
  const std::size_t end = std::min(text.find_first_not_of("0123456789."), text.size());
  std::string unit = trim(text.substr(end));
  std::transform(unit.begin(), unit.end(), unit.begin(), [](unsigned char c) { return std::toupper(c); });
  const auto found = std::find_if(units.begin(), units.end(), [&](const auto& own) { return own.first == unit; });
  const std::optional<double> number = parse_number(text.substr(0, end));
  constexpr double most = 1e18;
  require(number && found != units.end() && *number * found->second < most, flag, " = '", text,
          "', expected a number of bytes, such as 500M or 2 GiB");
  return static_cast<std::size_t>(*number * found->second);
}

void CsvFlags::add_to(CLI::App& verb) {
  add_option(verb, "--delimiter", delimiter, "CHAR", "Between fields: one character, or tab (default: found out)",
             "CSV files");
  add_option(verb, "--comment", comment, "CHAR", "Skip lines that begin with it", "CSV files");
  offer(verb, "--delimiter", {"tab"});
}

CsvOptions CsvFlags::options() const {
  const char* python = std::getenv("CONDENS_PYTHON");
  CsvOptions out{.separator = one_character("--delimiter", delimiter), .comment = one_character("--comment", comment)};
  if (python != nullptr && *python != '\0') out.python = python;
  return out;
}

Table CsvFlags::read(const std::string& path) const {
  const CsvOptions how = options();
  try {
    const Interruptible reading(path);
    return read_csv(path, how);
  } catch (const Cancelled&) {
    throw;
  } catch (const std::exception& error) {
    refuse_table(path, error);
  }
}

CsvBlocks CsvFlags::blocks(const std::string& path, std::size_t bytes) const {
  const CsvOptions how = options();
  try {
    const Interruptible reading(path);
    return {path, how, bytes};
  } catch (const Cancelled&) {
    throw;
  } catch (const std::exception& error) {
    refuse_table(path, error);
  }
}

SampledTable CsvFlags::sample(const std::string& path, const std::string& column, Index rows, Index seed,
                              const Run& run, const std::string& memory) const {
  constexpr std::size_t bytes = 1 << 26;
  const Task task(run, "drawing rows", 1);
  CsvBlocks file = blocks(path, memory.empty() ? bytes : bytes_of_block(memory));
  return sample_csv(file, column, rows, static_cast<std::uint64_t>(seed));
}

void ColumnFlags::add_to(CLI::App& verb) {
  add_option(verb, "--target", target, "y[,y2]", "What is to be predicted: one column or several", "Columns");
  add_option(verb, "--inputs", inputs, "a,b", "Given columns (default: every other); \"\" for none, a plain density",
             "Columns")
      ->each([this](const std::string&) { inputs_given = true; });
  add_option(verb, "--exclude", excluded, "a,b", "Columns that are no inputs, such as identifiers", "Columns");
  add_option(verb, "--categorical", categorical, "a,b", "Inputs whose numbers are names of categories", "Columns");
  add_option(verb, "--weight", weight, "w", "Column of weights >= 0; weight 2 is the row twice", "Columns");
  add_option(verb, "--missing", missing, "HOW",
             "Of missing inputs: error (default); model: the distribution is the mean over what they may be; "
             "or indicator: the median stands in, and a mark is an input",
             "Columns");
  verb.add_flag("--drop-missing", drop_missing, "Leave out rows with missing values")->group("Columns");
  add_option(verb, "--many-levels", many_levels, "HOW",
             "Of categories of more than 20 levels: statistics of the target by level (default), or indicators",
             "Columns");
  add_option(verb, "--rare-levels", rare_levels, "N",
             "Levels of fewer rows become one, (other) (default: 5, in inputs of more than 10 levels)", "Columns");
  add_option(
      verb, "--unseen", unseen, "HOW",
      "Of levels that come up in prediction only: automatic (default): as (other), or as all rows where levels are "
      "statistics, else refused; error; or other: the most frequent level stands in where that refuses",
      "Columns");
  offer(verb, "--target", columns_before);
  offer(verb, "--inputs", columns_before);
  offer(verb, "--exclude", columns_before);
  offer(verb, "--categorical", columns_before);
  offer(verb, "--weight", columns_before);
  offer(verb, "--missing", {"error", "model", "indicator"});
  offer(verb, "--many-levels", {"statistics", "indicators"});
  offer(verb, "--unseen", {"automatic", "error", "other"});
}

EncoderOptions ColumnFlags::options() const {
  EncoderOptions out{.targets = split_names(target),
                     .inputs = {},
                     .excluded = split_names(excluded),
                     .weight = weight,
                     .categorical = split_names(categorical),
                     .drop_missing = drop_missing,
                     .missing = missing_inputs_of("--missing", missing)};
  if (inputs_given) out.inputs = split_names(inputs);
  out.many_levels = many_levels_of("--many-levels", many_levels);
  out.unseen = unseen_of("--unseen", unseen);
  require(!rare_levels || *rare_levels >= 0, "--rare-levels ", rare_levels.value_or(0),
          ", expected a number of rows >= 0");
  out.rare_levels = rare_levels;
  return out;
}

void check_bands(const std::string& path, const Model& model, double level, BandMethod method,
                 const std::string& dashes) {
  require(model.replicates.has_value(), dashes, "bands: ", path,
          " has no bootstrap replicates to tell error bars from; fit it again with --bootstrap 100");
  check_bands(model.replicates->size(), level, method);
}

Model read_model(const std::string& path, const std::string& table) {
  require(path != "-" || table != "-", "the model and the table are both -, expected one of them on standard input");
  try {
    return load_model_file(path);
  } catch (const std::runtime_error& error) {
    const bool swapped = is_model(table);
    throw std::invalid_argument(
        message(error.what(), swapped ? message("; ", table, " is a model file: the model comes first") : ""));
  }
}

void RowFlags::add_to(CLI::App& verb, const std::string& group) {
  verb.add_flag("--drop-missing", drop,
                "Leave out rows with missing values, or levels that the training data did not have")
      ->group(group);
}

namespace {

Table only_row(const Table& table, Index row) {
  Table out(table.source());
  const auto i = static_cast<std::size_t>(row);
  for (const Column& column : table.columns()) {
    if (column.is_numeric())
      out.add({column.name, std::vector<double>{column.numbers()[i]}});
    else
      out.add({column.name, std::vector<std::string>{column.texts()[i]}});
  }
  out.take_places(table, row);
  return out;
}

}  // namespace

std::vector<Index> RowSurvey::add(const Table& block) {
  const std::vector<StandIns> found = encoder_.stand_ins(block);
  stand_ins_.resize(found.size());
  for (std::size_t j = 0; j < found.size(); ++j) stand_ins_[j].add(found[j]);
  EncodableRows usable = encoder_.encodable_rows(block, with_targets_);
  rows_ += block.rows();
  usable_ += std::ssize(usable.rows);
  if (std::ssize(usable.rows) < block.rows() && blocks_with_others_++ == 0) {
    trouble_ = std::move(usable.trouble);
    Index first = 0;
    while (first < std::ssize(usable.rows) && usable.rows[static_cast<std::size_t>(first)] == first) ++first;
    first_trouble_ = encoder_.encodable_rows(only_row(block, first), with_targets_).trouble;
  }
  return std::move(usable.rows);
}

std::string RowSurvey::trouble() const {
  if (blocks_with_others_ < 2) return trouble_;
  return message(first_trouble_, "; ", unusable() - 1, " more such rows");
}

void RowSurvey::tell_of_levels(const Tell& tell) const {
  for (const std::string& text : encoder_.filled_without_mark(stand_ins_)) tell("warning: " + text);
  for (const std::string& text : encoder_.unseen_levels(stand_ins_)) tell("warning: " + text);
}

std::size_t bytes_of_block(const std::string& memory) {
  constexpr std::size_t copies = 16;  // what a block takes as fields, numbers and their kernels, in its text
  constexpr std::size_t least = 1 << 20;
  const std::size_t bytes = bytes_of("--memory", memory);
  require(bytes >= least, "--memory = '", memory, "', expected 1 MiB or more");
  return bytes / copies;
}

std::vector<Index> RowFlags::read(const std::string& verb, const Encoder& encoder, const Table& table,
                                  bool with_targets, const std::string& advice) const {
  return read(encoder, table, with_targets, advice, [&](const std::string& text) { say(verb, text); });
}

std::vector<Index> RowFlags::read(const Encoder& encoder, const Table& table, bool with_targets,
                                  const std::string& advice, const Tell& tell) const {
  RowSurvey survey(encoder, with_targets);
  std::vector<Index> out = survey.add(table);
  survey.tell_of_levels(tell);
  check(survey, advice, tell);
  return out;
}

void RowFlags::check(const RowSurvey& survey, const std::string& advice, const Tell& tell) const {
  if (survey.unusable() == 0) return;
  require(drop, survey.trouble(), "; ", advice);
  require(survey.usable() > 0, survey.trouble(), "; no row is left");
  tell(message("left out ", survey.unusable(), " of ", survey.rows(), " rows: ", survey.trouble()));
}

namespace {

/// Whose table "options.cv" is read by: that of the option's own struct, that of the member of a pool
/// (`member`), or that of the model which the settings so far, or else the default, name.
std::pair<std::string, std::vector<OptionInfo>> options_inside(const ModelInfo& model, const OptionInfo& option,
                                                               const std::string& member, const Document& settings) {
  require(option.type == "options", "--set: option '", option.name, "' of ", model.name, " holds no options");
  if (!option.options.empty()) return {model.name + ": " + option.name, option.options};
  if (!member.empty()) return {member, find_member(member).options};
  const Document defaults = model.defaults("");
  const Document* name = settings.find("model");
  const ModelInfo& inner = find_model((name != nullptr ? *name : defaults.at("model")).as_string());
  return {inner.name, inner.options};
}

/// Options by the names of models, not of one model.
bool takes_members(const ModelInfo& model) {
  return std::any_of(model.options.begin(), model.options.end(),
                     [](const OptionInfo& option) { return option.name == "models"; });
}

/// An object inside, empty where there is none yet.
Document member_of(const Document& object, const std::string& name) {
  const Document* found = object.find(name);
  return found == nullptr ? Document(Document::Object{}) : *found;
}

}  // namespace

PlaceOfRow places_of(const Table& table, const std::vector<Index>& rows) {
  return [&table, rows](Index row) { return table.place(rows.empty() ? row : rows[static_cast<std::size_t>(row)]); };
}

Document parse_settings(const ModelInfo& model, const std::vector<std::string>& settings) {
  Document out(Document::Object{});
  std::vector<std::pair<std::string, std::string>> nested;
  std::set<std::string> seen;
  for (const std::string& setting : settings) {
    const auto [name, text] = split_assignment("--set", setting);
    require(seen.insert(name).second, "--set: '", name, "' is set twice");
    if (name.find('.') != std::string::npos) {
      nested.emplace_back(name, text);
      continue;
    }
    const OptionInfo& option = find_option(model.name, model.options, name);
    require(option.type != "options", "--set: '", name, "' holds options, expected --set ", name, ".option=value");
    out.set(name, parse_option(model.name, option, text));
  }
  for (const auto& [name, text] : nested) {
    const std::size_t dot = name.find('.');
    const OptionInfo& outer = find_option(model.name, model.options, name.substr(0, dot));
    const std::string path = name.substr(dot + 1);
    const bool pool = takes_members(model) && outer.type == "options";
    const std::size_t second = pool ? path.find('.') : std::string::npos;
    require(!pool || second != std::string::npos, "--set: '", name, "' names no member, expected --set ", outer.name,
            ".model.option=value");
    const std::string member = pool ? path.substr(0, second) : "";
    const auto [owner, options] = options_inside(model, outer, member, out);
    const OptionInfo& option = find_option(owner, options, pool ? path.substr(second + 1) : path);
    const Document value = parse_option(owner, option, text);
    Document values = member_of(out, outer.name);
    if (pool) {
      Document own = member_of(values, member);
      values.set(member, own.set(option.name, value));
    } else {
      values.set(option.name, value);
    }
    out.set(outer.name, std::move(values));
  }
  return out;
}

void check_output(const std::string& output, const std::vector<std::string>& inputs, const std::string& flag) {
  if (output.empty() || output == "-") return;
  std::error_code error;
  for (const std::string& input : inputs) {
    require(!fs::equivalent(output, input, error), flag, " ", output, " is the input file ", input,
            "; choose another name");
  }
  require(!fs::is_directory(output, error), flag, " ", output, " is a directory, expected the name of a file");
  const fs::path parent = fs::path(output).parent_path();
  require(parent.empty() || fs::is_directory(parent, error), flag, " ", output, ": there is no directory ",
          parent.string());
  // A pipe or device is not tried: opening and closing it would be seen on its other side.
  if (!fs::exists(output, error) || fs::is_regular_file(output, error)) AtomicFile trial(output);
}

bool is_page(const std::string& output, const std::string& flag) {
  const bool page = output.ends_with(".html") || output.ends_with(".htm");
  require(page || output.ends_with(".svg"), flag, " '", output, "', expected a name that ends in .svg or .html");
  return page;
}

namespace {

/// Arguments that are left over: the first that looks like an option, or else the first.
std::string words_for_unknown(const CLI::App& verb) {
  const std::vector<std::string> others = verb.remaining();
  const auto option =
      std::find_if(others.begin(), others.end(), [](const auto& word) { return word.starts_with('-'); });
  std::vector<std::string> known;
  std::string places;
  for (const CLI::Option* own : verb.get_options()) {
    for (const std::string& long_name : own->get_lnames()) known.push_back("--" + long_name);
    if (own->get_positional()) places += (places.empty() ? "" : " ") + own->get_type_name();
  }
  if (option == others.end()) {
    return message("'", others.empty() ? "" : others.front(), "' is one argument too many, expected ",
                   places.empty() ? "options only" : places);
  }
  const std::string name = option->substr(0, option->find('='));
  return message("unknown option '", name, "'", did_you_mean(name, known));
}

}  // namespace

std::string words_for(const CLI::ParseError& error, const CLI::App& verb) {
  if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError)) return words_for_unknown(verb);
  std::string text = error.what();
  for (const CLI::Option* option : verb.get_options([](const CLI::Option*) { return true; })) {
    const std::string name = option->get_name();
    const std::string kind = option->get_type_name();
    const std::string whole = option->get_positional() ? kind : name + " " + kind;
    const std::string value = "Could not convert: " + name + " = ";
    if (text == name + " is required") return whole + " is missing";
    if (text.starts_with(name + ": 1 required ")) return name + " has no value, expected " + whole;
    if (text.starts_with(name + ": At Most 1 ")) return name + " is given more than once, expected one " + whole;
    if (text.starts_with(value)) {
      if (kind.empty()) return name + " takes no value, but '" + text.substr(value.size()) + "' is given";
      return message(name, " = '", text.substr(value.size()), "', expected ",
                     kind == "f" ? "a number" : "a whole number");
    }
  }
  return text;
}

void write_result(const std::string& output, const std::string& text) {
  write_file_atomically(output.empty() ? "-" : output, text);
}

std::string to_json_text(const Document& document) {
  std::string text = document_to_json(without_nan(document));
  if (!text.ends_with('\n')) text += '\n';
  return text;
}

}  // namespace condens::cli
