#include "condens/data/encoder.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "condens/core/errors.hpp"
#include "core/text.hpp"
#include "missing_inputs.hpp"

namespace condens {

namespace {

using Names = std::vector<std::string>;

bool contains(const Names& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string join(const Names& names, std::size_t most = 20) {
  std::string out;
  for (std::size_t i = 0; i < std::min(most, names.size()); ++i) out += (i == 0 ? "" : ", ") + shown(names[i]);
  return names.size() > most ? message(out, ", ... (", names.size(), " in all)") : out;
}

void require_distinct(const Names& names, std::string_view role) {
  std::set<std::string_view> seen;
  for (const std::string& name : names) {
    require(seen.insert(name).second, "column '", name, "' is listed twice as ", role);
  }
}

/// Who is what: checks that the roles name existing columns and do not overlap.
Names input_names(const Table& table, const EncoderOptions& options) {
  Names all;
  for (const Column& column : table.columns()) all.push_back(column.name);
  require(!options.targets.empty(), "no target column given; name at least one of ", join(all));
  for (const std::string& name : options.targets) table.at(name, "target");
  require_distinct(options.targets, "target");
  if (!options.weight.empty()) {
    table.at(options.weight, "weight");
    require(!contains(options.targets, options.weight), "column '", options.weight, "' is both target and weight");
  }

  Names inputs;
  if (options.inputs) {
    inputs = *options.inputs;
    for (const std::string& name : inputs) table.at(name, "input");
    require_distinct(inputs, "input");
  } else {
    std::copy_if(all.begin(), all.end(), std::back_inserter(inputs),
                 [&](const std::string& name) { return !contains(options.targets, name) && name != options.weight; });
  }
  for (const std::string& name : inputs) {
    require(!contains(options.targets, name), "column '", name, "' is both target and input");
    require(name != options.weight, "column '", name, "' is both weight and input");
  }
  for (const std::string& name : options.categorical) {
    table.at(name, "categorical");
    require(contains(inputs, name), "categorical column '", name, "' is not among the inputs");
  }
  return inputs;
}

std::string begin_of(const Table& table) { return table.source().empty() ? "" : table.source() + ": "; }

/// Built for the bad cell only: naming the place of every cell would cost more than reading it.
template <class... Parts>
[[noreturn]] void fail_at(const Table& table, Index row, const Parts&... parts) {
  throw std::invalid_argument(message(table.place(row), ": ", parts...));
}

/// "1,5"
bool has_decimal_comma(std::string text) {
  const std::size_t comma = text.find(',');
  if (comma == std::string::npos) return false;
  text[comma] = '.';
  return parse_number(text).has_value();
}

/// Refuses a column of texts where numbers are needed, at its first text.
void require_numeric(const Table& table, const Column& column, std::string_view hint = "") {
  if (column.is_numeric()) return;
  for (Index row = 0; row < column.size(); ++row) {
    const std::string& text = column.texts()[static_cast<std::size_t>(row)];
    if (text.empty() || parse_number(text)) continue;
    fail_at(table, row, "column '", column.name, "' is '", text, "', expected a number",
            has_decimal_comma(text) ? " with a decimal point" : "", hint);
  }
}

/// Values of a numeric column; NaN and infinity do not pass.
Vector read_numbers(const Table& table, const Column& column, const std::vector<Index>& rows) {
  require_numeric(table, column);
  Vector out(static_cast<Index>(rows.size()));
  for (Index i = 0; i < out.size(); ++i) {
    const Index row = rows[static_cast<std::size_t>(i)];
    const auto k = static_cast<std::size_t>(row);
    out[i] = column.is_numeric() ? column.numbers()[k] : *parse_number(column.texts()[k]);
    if (std::isfinite(out[i])) continue;
    fail_at(table, row, "column '", column.name, "' is ", out[i], ", expected a finite number");
  }
  return out;
}

/// Those of the rows that have a value.
std::vector<Index> rows_with(const Column& column, const std::vector<Index>& rows) {
  std::vector<Index> out;
  std::copy_if(rows.begin(), rows.end(), std::back_inserter(out), [&](Index row) { return !column.is_missing(row); });
  return out;
}

Vector read_weights(const Table& table, const std::string& name, const std::vector<Index>& rows) {
  Vector weights = read_numbers(table, table.at(name, "weight"), rows);
  for (Index i = 0; i < weights.size(); ++i) {
    if (weights[i] >= 0) continue;
    fail_at(table, rows[static_cast<std::size_t>(i)], "weight '", name, "' is ", weights[i],
            ", expected a number >= 0");
  }
  require((weights.array() > 0).any(), begin_of(table), "the weights in column '", name,
          "' are all zero, expected a positive one");
  return weights;
}

/// Position of the row's level among the known ones; -1 when it is not among them.
Index find_level(const Column& column, Index row, const Names& levels) {
  const std::string level = column.level(row);
  const auto found = std::lower_bound(levels.begin(), levels.end(), level);
  return found != levels.end() && *found == level ? found - levels.begin() : -1;
}

std::string unknown_level(const Table& table, const Column& column, Index row, const Names& levels) {
  return message(table.place(row), ": column '", column.name, "' is '", column.level(row),
                 "', a level that the training data did not have; known levels: ", join(levels));
}

EncodedColumn summarize(std::string name, Vector values) {
  std::sort(values.begin(), values.end());
  const Index n = values.size();
  const double median = std::midpoint(values[(n - 1) / 2], values[n / 2]);
  return {.name = std::move(name), .low = values[0], .typical = median, .high = values[n - 1]};
}

EncodedColumn collect_levels(const Column& column, const std::vector<Index>& rows) {
  std::map<std::string, Index> counts;
  for (const Index row : rows) ++counts[column.level(row)];
  EncodedColumn out{.name = column.name};
  Index most = 0;
  for (const auto& [level, count] : counts) {
    out.levels.push_back(level);
    if (count > most) out.typical_level = level;
    most = std::max(most, count);
  }
  return out;
}

/// "t.csv: 2 rows have missing values: line 3, 7 (the first in column 'x')"
std::string missing_values(const Table& table, const std::vector<const Column*>& columns,
                           const std::vector<Index>& missing) {
  constexpr std::size_t most = 5;
  const auto first =
      std::find_if(columns.begin(), columns.end(), [&](const Column* c) { return c->is_missing(missing[0]); });
  Names lines;
  for (std::size_t i = 0; i < std::min(most, missing.size()); ++i) lines.push_back(message(table.line(missing[i])));
  return message(begin_of(table), missing.size(), missing.size() == 1 ? " row has" : " rows have",
                 " missing values: ", table.source().empty() ? "row " : "line ", join(lines),
                 missing.size() > most ? ", ..." : "", " (the first in column '", (*first)->name, "')");
}

/// The rows where all of the columns have a value.
EncodableRows complete_rows(const Table& table, const std::vector<const Column*>& columns) {
  require(table.rows() > 0, begin_of(table), "no rows, expected at least one");
  EncodableRows out;
  std::vector<Index> missing;
  for (Index row = 0; row < table.rows(); ++row) {
    const bool bad = std::any_of(columns.begin(), columns.end(), [&](const Column* c) { return c->is_missing(row); });
    (bad ? missing : out.rows).push_back(row);
  }
  out.missing = std::ssize(missing);
  if (!missing.empty()) out.trouble = missing_values(table, columns, missing);
  return out;
}

/// Takes the rows away where an input has a level that the training data did not have.
void keep_known_levels(const Table& table, const std::vector<EncodedColumn>& inputs, EncodableRows& rows) {
  std::map<Index, const EncodedColumn*> unknown;  // by the rows, the first such input
  for (const EncodedColumn& input : inputs) {
    if (!input.is_categorical()) continue;
    const Column& column = table.at(input.name, "input");
    for (const Index row : rows_with(column, rows.rows)) {
      if (find_level(column, row, input.levels) < 0) unknown.emplace(row, &input);
    }
  }
  if (unknown.empty()) return;
  std::erase_if(rows.rows, [&](Index row) { return unknown.contains(row); });
  rows.unknown_levels = std::ssize(unknown);
  const auto& [row, input] = *unknown.begin();
  rows.trouble += rows.trouble.empty() ? "" : "; ";
  rows.trouble += unknown_level(table, table.at(input->name, "input"), row, input->levels);
  if (rows.unknown_levels > 1) rows.trouble += message("; ", rows.unknown_levels - 1, " more such rows");
}

/// Those rows; unless they are all or may be dropped, throws what is wrong with the others.
std::vector<Index> usable(const Table& table, EncodableRows found, bool drop_missing) {
  require(drop_missing || found.trouble.empty(), found.trouble, found.missing > 0 ? "; fill them in" : "; correct it",
          ", or drop such rows", table.source().empty() ? "" : " (--drop-missing)");
  require(!found.rows.empty(), begin_of(table), "every row has missing values",
          found.unknown_levels > 0 ? " or levels that the training data did not have" : "", ", so none is left");
  return std::move(found.rows);
}

/// Refuses a column in which numbers and texts are mixed, most often a slip among numbers, and a column of numbers with
/// decimal commas: as levels every number would be one of its own.
void refuse_mixed(const Table& table, const Column& column) {
  const auto& texts = column.texts();
  const bool mixed =
      std::any_of(texts.begin(), texts.end(), [](const auto& text) { return parse_number(text).has_value(); });
  if (mixed) require_numeric(table, column, " as in other rows; correct it, or name the column as categorical");
  const auto is_comma_or_missing = [](const auto& text) { return text.empty() || has_decimal_comma(text); };
  if (std::all_of(texts.begin(), texts.end(), is_comma_or_missing)) {
    require_numeric(table, column, "; correct the column, or name it as categorical");
  }
}

constexpr std::array missing_names = {std::pair{MissingInputs::indicator, std::string_view("indicator")},
                                      std::pair{MissingInputs::model, std::string_view("model")},
                                      std::pair{MissingInputs::ends, std::string_view("ends")}};

std::string_view name_of(MissingInputs missing) {
  return std::find_if(missing_names.begin(), missing_names.end(), [&](const auto& own) { return own.first == missing; })
      ->second;
}

Document to_document(const EncodedColumn& column) {
  Document out;
  out.set("name", column.name);
  if (!column.missing_of.empty()) out.set("missing_of", column.missing_of);
  if (column.at_ends) out.set("at_ends", true);
  if (column.is_categorical()) {
    return out.set("levels", Document(column.levels)).set("typical", column.typical_level);
  }
  return out.set("low", column.low).set("typical", column.typical).set("high", column.high);
}

EncodedColumn column_from_document(const Document& document) {
  EncodedColumn out{.name = document.at("name").as_string()};
  if (const Document* of = document.find("missing_of")) out.missing_of = of->as_string();
  out.at_ends = document.find("at_ends") != nullptr;
  if (document.find("levels") == nullptr) {
    out.low = document.at("low").as_number();
    out.typical = document.at("typical").as_number();
    out.high = document.at("high").as_number();
    const bool ordered = out.low <= out.typical && out.typical <= out.high;
    if (!ordered) throw FormatError(message("encoder: column '", out.name, "' needs low <= typical <= high"));
    return out;
  }
  out.levels = document.at("levels").as_strings();
  out.typical_level = document.at("typical").as_string();
  const bool increasing =
      std::adjacent_find(out.levels.begin(), out.levels.end(), std::greater_equal<>()) == out.levels.end();
  if (out.levels.empty() || !increasing || !contains(out.levels, out.typical_level)) {
    throw FormatError(message("encoder: column '", out.name, "' needs sorted levels, and a typical one among them"));
  }
  return out;
}

std::vector<EncodedColumn> columns_from_document(const Document& document) {
  std::vector<EncodedColumn> out;
  for (const Document& item : document.as_array()) out.push_back(column_from_document(item));
  return out;
}

}  // namespace

Encoder Encoder::fit(const Table& table, const EncoderOptions& options) {
  if (options.missing == MissingInputs::indicator || options.missing == MissingInputs::ends) {
    const bool ends = options.missing == MissingInputs::ends;
    MarkedTable marked = mark_missing(table, input_names(table, options), options.categorical, ends);
    EncoderOptions own = options;
    own.missing = ends ? MissingInputs::model : MissingInputs::error;
    own.inputs = marked.inputs;
    Encoder out = fit(marked.table, own);
    for (EncodedColumn& input : out.inputs_) {
      const auto mark = marked.marks.find(input.name);
      if (mark != marked.marks.end()) input.missing_of = mark->second;
      input.at_ends = ends && !input.is_categorical() && has_missing(table.at(input.name, "input"));
    }
    out.missing_ = options.missing;
    return out;
  }
  Encoder out;
  out.missing_ = options.missing;
  for (std::string& name : input_names(table, options)) out.inputs_.push_back({.name = std::move(name)});
  for (const std::string& name : options.targets) out.targets_.push_back({.name = name});
  out.weight_ = options.weight;

  const std::vector<Index> rows =
      usable(table, complete_rows(table, out.columns_needed(table, true)), options.drop_missing);
  for (EncodedColumn& input : out.inputs_) {
    const Column& column = table.at(input.name, "input");
    const bool named = contains(options.categorical, input.name);
    if (!named && !column.is_numeric()) refuse_mixed(table, column);
    const std::vector<Index> there = rows_with(column, rows);
    require(!there.empty(), begin_of(table), "input '", input.name,
            "' is missing in every row, expected a value in some; leave it out");
    input = named || !column.is_numeric() ? collect_levels(column, there)
                                          : summarize(input.name, read_numbers(table, column, there));
  }
  for (EncodedColumn& target : out.targets_) {
    target = summarize(target.name, read_numbers(table, table.at(target.name, "target"), rows));
  }
  if (!out.weight_.empty()) read_weights(table, out.weight_, rows);
  return out;
}

std::vector<std::string> names_of(const std::vector<EncodedColumn>& columns) {
  std::vector<std::string> out;
  for (const EncodedColumn& column : columns) out.push_back(column.name);
  return out;
}

namespace {

constexpr std::size_t many_levels = 50;
constexpr std::size_t few_levels = 10;
constexpr double rows_for_a_level = 5;
constexpr double most_dates = 0.9;
constexpr double most_own_rows = 0.9;

/// "2024-01-31", "31.1.24", "1/31/2024", and the same with a time behind it.
bool is_date(std::string_view text) {
  const std::size_t mark = text.find_first_not_of("0123456789");
  if (mark == std::string_view::npos || std::string_view("-/.").find(text[mark]) == std::string_view::npos)
    return false;
  std::vector<std::string_view> parts;
  std::string_view rest = text.substr(0, text.find_first_of(" T"));
  for (std::size_t end = 0; end != std::string_view::npos;) {
    end = rest.find(text[mark]);
    parts.push_back(rest.substr(0, end));
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  }
  const auto has_digits = [](std::string_view part, std::size_t least, std::size_t most) {
    return part.size() >= least && part.size() <= most &&
           part.find_first_not_of("0123456789") == std::string_view::npos;
  };
  if (parts.size() != 3 || !has_digits(parts[1], 1, 2)) return false;
  return (has_digits(parts[0], 4, 4) && has_digits(parts[2], 1, 2)) ||
         (has_digits(parts[0], 1, 2) && (has_digits(parts[2], 2, 2) || has_digits(parts[2], 4, 4)));
}

/// What to know of a categorical input of many levels; empty for others.
std::string warning_of(const EncodedColumn& input, Index rows) {
  const auto levels = static_cast<double>(input.levels.size());
  const double each = static_cast<double>(rows) / std::max(levels, 1.0);
  const bool rare = rows > 0 && input.levels.size() > few_levels && each < rows_for_a_level;
  if (input.levels.size() <= many_levels && !rare) return "";
  const std::string head = message("input '", input.name, "' has ", levels, " levels",
                                   rows > 0 ? message(" in ", rows, " rows") : "", ", each a column of its own: ");
  const auto dates = static_cast<double>(std::count_if(input.levels.begin(), input.levels.end(), is_date));
  if (dates >= most_dates * levels) {
    return head +
           "they are dates; split them into year, month and day of the week, or give days since some date as a "
           "number";
  }
  if (rows > 0 && levels >= most_own_rows * static_cast<double>(rows)) {
    return head +
           "nearly every row has its own, as names and identifiers do, which tell nothing of new rows; leave "
           "the column out";
  }
  return head + "this takes time, and rare levels tell little; group the rare ones, or leave the column out";
}

void rename(std::vector<EncodedColumn>& columns, const std::vector<std::string>& names, std::string_view role) {
  if (names.empty()) return;
  require(names.size() == columns.size(), "Encoder::generic: ", names.size(), " ", role, " names for ", columns.size(),
          " columns, expected as many");
  for (std::size_t i = 0; i < names.size(); ++i) {
    require(!names[i].empty(), "Encoder::generic: the name of ", role, " ", i + 1, " is empty");
    columns[i].name = names[i];
  }
}

}  // namespace

Encoder Encoder::generic(Index d_x, Index d_y) {
  Encoder out;
  for (Index i = 1; i <= d_x; ++i) out.inputs_.push_back({.name = message("x", i)});
  for (Index i = 1; i <= d_y; ++i) out.targets_.push_back({.name = d_y == 1 ? "y" : message("y", i)});
  return out;
}

Encoder Encoder::generic(const Dataset& data, const std::vector<std::string>& inputs,
                         const std::vector<std::string>& targets) {
  data.check("Encoder::generic");
  Encoder out = generic(data.x.rows(), data.y.rows());
  rename(out.inputs_, inputs, "input");
  rename(out.targets_, targets, "target");
  std::set<std::string> names;
  for (const auto* columns : {&out.inputs_, &out.targets_}) {
    for (const EncodedColumn& column : *columns) {
      require(names.insert(column.name).second, "Encoder::generic: two columns are named '", column.name,
              "', expected names that differ");
    }
  }
  for (Index i = 0; i < data.x.rows(); ++i) {
    auto& input = out.inputs_[static_cast<std::size_t>(i)];
    input = summarize(input.name, data.x.row(i));
  }
  for (Index i = 0; i < data.y.rows(); ++i) {
    auto& target = out.targets_[static_cast<std::size_t>(i)];
    target = summarize(target.name, data.y.row(i));
  }
  return out;
}

std::vector<const Column*> Encoder::columns_needed(const Table& table, bool with_targets) const {
  std::vector<const Column*> columns;
  const bool may_be_missing = missing_ == MissingInputs::model || missing_ == MissingInputs::ends;
  for (const EncodedColumn& input : inputs_) {
    const Column& column = table.at(input.name, "input");
    if (!may_be_missing) columns.push_back(&column);
  }
  if (with_targets) {
    for (const EncodedColumn& target : targets_) columns.push_back(&table.at(target.name, "target"));
    if (!weight_.empty() && table.find(weight_) != nullptr) columns.push_back(table.find(weight_));
  }
  return columns;
}

Table Encoder::completed(const Table& table) const {
  Table out(table.source());
  for (const EncodedColumn& input : inputs_) {
    if (!input.missing_of.empty() && table.find(input.name) == nullptr) {
      out.add(mark_of(table.at(input.missing_of, "input"), input.name));
      continue;
    }
    const Column& column = table.at(input.name, "input");
    if (!has_missing(column) || missing_ == MissingInputs::model || input.at_ends)
      out.add(column);
    else if (!input.is_categorical())
      out.add(filled(column, input.typical));
    else
      out.add(with_level(column, contains(input.levels, missing_level) ? missing_level : input.typical_level));
  }
  for (const EncodedColumn& target : targets_) {
    if (const Column* column = table.find(target.name)) out.add(*column);
  }
  if (!weight_.empty() && table.find(weight_) != nullptr) out.add(*table.find(weight_));
  copy_lines(table, out);
  return out;
}

std::vector<std::string> Encoder::filled_without_mark(const Table& table) const {
  std::vector<std::string> out;
  if (missing_ != MissingInputs::indicator && missing_ != MissingInputs::ends) return out;
  for (const EncodedColumn& input : inputs_) {
    const Column* column = table.find(input.name);
    if (column == nullptr || !has_missing(*column)) continue;
    const bool marked = input.at_ends || contains(input.levels, missing_level) ||
                        std::any_of(inputs_.begin(), inputs_.end(),
                                    [&](const EncodedColumn& other) { return other.missing_of == input.name; });
    if (marked) continue;
    Index row = 0;
    while (!column->is_missing(row)) ++row;
    out.push_back(message(table.place(row), ": '", input.name, "' is missing, which it never was in training; ",
                          input.is_categorical() ? "its most frequent level" : "its median",
                          " stands in, as in every such row"));
  }
  return out;
}

EncodableRows Encoder::encodable_rows(const Table& table, bool with_targets) const {
  Table own;
  if (missing_ != MissingInputs::error) own = completed(table);
  const Table& marked = missing_ != MissingInputs::error ? own : table;
  EncodableRows out = complete_rows(marked, columns_needed(marked, with_targets));
  keep_known_levels(marked, inputs_, out);
  return out;
}

void Encoder::encode_numbers(const Table& table, const EncodedColumn& input, const std::vector<Index>& rows,
                             Eigen::Ref<Matrix> out) const {
  const Column& column = table.at(input.name, "input");
  const Vector there = read_numbers(table, column, rows_with(column, rows));
  const double beyond = input.low < input.high ? input.high - input.low : 1.0;
  Index next = 0;
  for (Index j = 0; j < out.cols(); ++j) {
    if (!column.is_missing(rows[static_cast<std::size_t>(j)])) {
      out.col(j).setConstant(there[next++]);
    } else if (input.at_ends) {
      out.col(j) << input.low - beyond, input.high + beyond;
    } else {
      out(0, j) = std::numeric_limits<double>::quiet_NaN();
    }
  }
}

Matrix Encoder::encode_inputs(const Table& table, const std::vector<Index>& rows) const {
  Table own;
  if (missing_ != MissingInputs::error) own = completed(table);
  const Table& marked = missing_ != MissingInputs::error ? own : table;
  Index width = 0;
  for (const EncodedColumn& input : inputs_) width += input.width();
  Matrix out = Matrix::Zero(width, static_cast<Index>(rows.size()));
  Index at = 0;
  for (const EncodedColumn& input : inputs_) {
    const Column& column = marked.at(input.name, "input");
    if (!input.is_categorical()) encode_numbers(marked, input, rows, out.middleRows(at, input.width()));
    for (Index j = 0; input.is_categorical() && j < out.cols(); ++j) {
      const Index row = rows[static_cast<std::size_t>(j)];
      if (column.is_missing(row)) {  // for models that take it
        out.col(j).segment(at, input.width()).setConstant(std::numeric_limits<double>::quiet_NaN());
        continue;
      }
      const Index level = find_level(column, row, input.levels);
      if (level < 0) throw std::invalid_argument(unknown_level(marked, column, row, input.levels));
      if (input.width() > 1) {
        out(at + level, j) = 1;
      } else {
        out(at, j) = static_cast<double>(level);
      }
    }
    at += input.width();
  }
  return out;
}

Matrix Encoder::encode_inputs(const Table& table) const {
  return encode_inputs(table, usable(table, encodable_rows(table, false), false));
}

Dataset Encoder::encode(const Table& table, bool drop_missing) const {
  return encode(table, usable(table, encodable_rows(table, true), drop_missing));
}

Dataset Encoder::encode(const Table& table, const std::vector<Index>& rows) const {
  Matrix y(static_cast<Index>(targets_.size()), static_cast<Index>(rows.size()));
  for (Index i = 0; i < y.rows(); ++i) {
    const std::string& name = targets_[static_cast<std::size_t>(i)].name;
    y.row(i) = read_numbers(table, table.at(name, "target"), rows);
  }
  Dataset out{.x = encode_inputs(table, rows), .y = std::move(y)};
  if (!weight_.empty() && table.find(weight_) != nullptr) out.weights = read_weights(table, weight_, rows);
  out.groups = group_of_rows();
  return out;
}

std::vector<std::string> Encoder::encoded_names() const {
  Names out;
  for (const EncodedColumn& input : inputs_) {
    if (!input.is_categorical()) {
      out.push_back(input.name);
      if (input.at_ends) out.push_back(input.name + " (missing last)");
    } else if (input.width() == 1) {
      out.push_back(input.name + "=" + input.levels.back());
    } else {
      for (const std::string& level : input.levels) out.push_back(input.name + "=" + level);
    }
  }
  return out;
}

std::vector<std::vector<Index>> Encoder::groups() const {
  std::vector<std::vector<Index>> out;
  Index at = 0;
  for (const EncodedColumn& input : inputs_) {
    out.emplace_back(static_cast<std::size_t>(input.width()));
    std::iota(out.back().begin(), out.back().end(), at);
    at += input.width();
  }
  return out;
}

std::vector<Index> Encoder::group_of_rows() const {
  std::vector<Index> out;
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    out.insert(out.end(), static_cast<std::size_t>(inputs_[i].width()), static_cast<Index>(i));
  }
  return out;
}

std::vector<Index> Encoder::column_of_rows() const {
  std::vector<Index> out;
  Index next = 0;
  std::map<std::string, Index> place;
  for (const EncodedColumn& input : inputs_) {
    if (input.missing_of.empty()) place[input.name] = next++;
  }
  for (const EncodedColumn& input : inputs_) {
    const std::string& of = input.missing_of.empty() ? input.name : input.missing_of;
    out.insert(out.end(), static_cast<std::size_t>(input.width()), place[of]);
  }
  return out;
}

std::vector<std::string> Encoder::constant_inputs() const {
  Names out;
  for (const EncodedColumn& input : inputs_) {
    if (input.is_categorical() ? input.levels.size() == 1 : input.low == input.high) out.push_back(input.name);
  }
  return out;
}

std::vector<std::string> Encoder::warnings(Index rows) const {
  Names out;
  for (const EncodedColumn& input : inputs_) {
    if (const std::string text = warning_of(input, rows); !text.empty()) out.push_back(text);
  }
  return out;
}

Document Encoder::to_document() const {
  Document::Array inputs;
  Document::Array targets;
  for (const EncodedColumn& input : inputs_) inputs.push_back(condens::to_document(input));
  for (const EncodedColumn& target : targets_) targets.push_back(condens::to_document(target));
  Document out;
  out.set("inputs", std::move(inputs)).set("targets", std::move(targets)).set("weight", weight_);
  if (missing_ != MissingInputs::error) out.set("missing", name_of(missing_));
  return out;
}

Encoder Encoder::from_document(const Document& document) {
  Encoder out;
  out.inputs_ = columns_from_document(document.at("inputs"));
  out.targets_ = columns_from_document(document.at("targets"));
  out.weight_ = document.at("weight").as_string();
  if (const Document* missing = document.find("missing")) {
    const auto found = std::find_if(missing_names.begin(), missing_names.end(),
                                    [&](const auto& own) { return own.second == missing->as_string(); });
    if (found == missing_names.end()) throw FormatError("encoder: missing is none of indicator, model, ends");
    out.missing_ = found->first;
  }
  for (const EncodedColumn& input : out.inputs_) {
    if (!input.missing_of.empty() && !contains(names_of(out.inputs_), input.missing_of)) {
      throw FormatError(message("encoder: '", input.name, "' marks '", input.missing_of, "', which is no input"));
    }
  }
  if (out.targets_.empty()) throw FormatError("encoder: no target");
  return out;
}

}  // namespace condens
