#include "condens/data/encoder.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "categories.hpp"
#include "column_roles.hpp"
#include "column_values.hpp"
#include "condens/core/errors.hpp"
#include "dates.hpp"
#include "level_statistics.hpp"
#include "missing_inputs.hpp"

namespace condens {

namespace {

constexpr double missing_number = std::numeric_limits<double>::quiet_NaN();

/// The columns of `there` at the rows that have a value, NaN at others.
Matrix spread_out(const MatrixView& there, const Column& column, const std::vector<Index>& rows) {
  Matrix out = Matrix::Constant(there.rows(), std::ssize(rows), missing_number);
  Index next = 0;
  for (Index j = 0; j < out.cols(); ++j) {
    if (!column.is_missing(rows[static_cast<std::size_t>(j)])) out.col(j) = there.col(next++);
  }
  return out;
}

EncodedColumn read_calendar(const Table& table, const Column& column, const std::vector<Index>& rows) {
  std::vector<double> dates = read_dates(table, column, rows);
  EncodedColumn out{.name = column.name};
  out.calendar = varying_parts(dates);
  std::sort(dates.begin(), dates.end());
  out.low = dates.front();
  out.typical = dates[(dates.size() - 1) / 2];
  out.high = dates.back();
  out.typical_level = format_date(out.typical);
  return out;
}

}  // namespace

Index EncodedColumn::width() const {
  if (is_date()) return std::ssize(calendar_names(name, calendar));
  if (has_statistics()) return std::ssize(statistics);
  return levels.size() > 2 ? std::ssize(levels) : 1;
}

std::vector<bool> EncodedColumn::equal_statistics() const {
  std::vector<bool> out;
  for (const auto& code : codes.leftCols(std::ssize(levels)).rowwise()) out.push_back((code.array() == code[0]).all());
  return out;
}

Matrix EncodedColumn::values() const {
  if (is_date()) return calendar_of({low, typical, high}, calendar, low);
  if (has_statistics()) return codes.leftCols(std::ssize(levels));
  if (!is_categorical()) return Matrix{{low, typical, high}};
  if (width() > 1) return Matrix::Identity(width(), width());
  return levels.size() == 1 ? Matrix::Zero(1, 1) : Matrix{{0.0, 1.0}};
}

Encoder Encoder::fit(const Table& table, const EncoderOptions& options) {
  require(!options.rare_levels || *options.rare_levels >= 0, "rare_levels = ", options.rare_levels.value_or(0),
          ", expected a number of rows >= 0");
  if (options.missing == MissingInputs::indicator) {
    MarkedTable marked = mark_missing(table, input_names(table, options), options.categorical);
    EncoderOptions own = options;
    own.missing = MissingInputs::error;
    own.inputs = marked.inputs;
    own.excluded.clear();
    Encoder out = fit(marked.table, own);
    for (EncodedColumn& input : out.inputs_) {
      const auto mark = marked.marks.find(input.name);
      if (mark != marked.marks.end()) input.missing_of = mark->second;
    }
    out.missing_ = options.missing;
    return out;
  }
  Encoder out;
  for (std::string& name : input_names(table, options)) out.inputs_.push_back({.name = std::move(name)});
  for (const std::string& name : options.targets) out.targets_.push_back({.name = name});
  out.weight_ = options.weight;
  out.missing_ = options.missing;

  const bool refused = options.missing == MissingInputs::error;
  const bool may_keep = refused && std::any_of(out.inputs_.begin(), out.inputs_.end(), [&](const auto& input) {
                          return has_missing(table.at(input.name, "input"));
                        });
  const std::vector<Index> rows =
      usable(table, complete_rows(table, out.columns_needed(table, true)), options.drop_missing, may_keep);
  for (EncodedColumn& input : out.inputs_) {
    const Column& column = table.at(input.name, "input");
    const bool named = contains(options.categorical, input.name);
    const std::vector<Index> there = rows_with(column, rows);
    require(!there.empty(), begin_of(table), "input '", input.name,
            "' is missing in every row, expected a value in some; leave it out");
    if (!named && holds_dates(table, column)) {
      input = read_calendar(table, column, there);
      continue;
    }
    if (!named && !column.is_numeric()) refuse_mixed(table, column);
    input = named || !column.is_numeric() ? collect_levels(input.name, count_levels(column, there))
                                          : summarize(input.name, read_numbers(table, column, there));
  }
  for (EncodedColumn& target : out.targets_) {
    target = summarize(target.name, read_numbers(table, table.at(target.name, "target"), rows));
  }
  if (!out.weight_.empty()) read_weights(table, out.weight_, rows);
  for (EncodedColumn& input : out.inputs_) {
    if (!input.is_categorical()) continue;
    out.code_levels(table, input, rows_with(table.at(input.name, "input"), rows), options);
  }
  out.unseen_ = options.unseen;
  out.seed_ = options.seed;
  out.same_inputs_ = same_inputs(table, out.inputs_, rows);
  return out;
}

LevelRows Encoder::level_rows(const Table& table, const EncodedColumn& input, const std::vector<Index>& rows,
                              const Vector& row_weights) const {
  const auto n = static_cast<Index>(rows.size());
  LevelRows out{read_targets(table, targets_, rows), Vector::Ones(n), {}, std::ssize(input.levels)};
  if (row_weights.size() > 0) {
    require(row_weights.size() == table.rows(), "row_weights has ", row_weights.size(), " numbers, expected ",
            table.rows(), ", one for each row");
    out.weights = counted_weights(row_weights(rows));
  } else if (!weight_.empty()) {
    out.weights = counted_weights(read_weights(table, weight_, rows));
  }
  const Column& column = table.at(input.name, "input");
  for (const Index row : rows) {
    out.level.push_back(find_level(column, row, input.levels));
    if (out.level.back() < 0) throw std::invalid_argument(unknown_level(table, column, row, input.levels));
  }
  return out;
}

void Encoder::code_levels(const Table& table, EncodedColumn& input, const std::vector<Index>& rows,
                          const EncoderOptions& options) const {
  if (has_many_levels(input, options)) {
    input.statistics = statistic_names(names_of(targets_));
    input.codes = level_codes(level_rows(table, input, rows, options.row_weights));
  } else {
    merge_rare(input, count_levels(table.at(input.name, "input"), rows), options);
  }
}

void Encoder::set_codes(std::string_view input, Matrix codes) {
  const auto column = std::find_if(inputs_.begin(), inputs_.end(),
                                   [&](const EncodedColumn& own) { return own.name == input && own.is_categorical(); });
  require(column != inputs_.end(), "codes of '", input, "', expected one of the inputs that have levels");
  column->statistics = statistic_names(names_of(targets_));
  const auto rows = std::ssize(column->statistics);
  const auto columns = std::ssize(column->levels) + 1;
  require(codes.rows() == rows && codes.cols() == columns && codes.allFinite(), "codes of '", input, "' are ",
          codes.rows(), " x ", codes.cols(), ", or not finite; expected ", rows, " x ", columns);
  column->codes = std::move(codes);
}

bool Encoder::takes_unseen(const EncodedColumn& input) const {
  if (unseen_ != UnseenLevels::automatic) return unseen_ == UnseenLevels::other;
  return input.has_statistics() || contains(input.levels, other_level);
}

Index Encoder::code_of(const Table& table, const Column& column, Index row, const EncodedColumn& input) const {
  const Index known = find_level(column, row, input.levels);
  if (known >= 0) return known;
  const auto place = [&](std::string_view level) {
    return std::lower_bound(input.levels.begin(), input.levels.end(), level) - input.levels.begin();
  };
  if (find_level(column, row, input.merged) >= 0) return place(other_level);
  if (!takes_unseen(input)) throw std::invalid_argument(unknown_level(table, column, row, input.levels));
  if (input.has_statistics()) return std::ssize(input.levels);
  return place(contains(input.levels, other_level) ? other_level : input.typical_level);
}

std::vector<std::string> names_of(const std::vector<EncodedColumn>& columns) {
  std::vector<std::string> out;
  for (const EncodedColumn& column : columns) out.push_back(column.name);
  return out;
}

namespace {

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
  for (const EncodedColumn& input : inputs_) {
    const Column& column = table.at(input.name, "input");
    if (missing_ != MissingInputs::model) columns.push_back(&column);
  }
  if (with_targets) {
    for (const EncodedColumn& target : targets_) columns.push_back(&table.at(target.name, "target"));
    if (!weight_.empty() && table.find(weight_) != nullptr) columns.push_back(table.find(weight_));
  }
  return columns;
}

const Table& Encoder::completed(const Table& table, Table& storage) const {
  if (missing_ != MissingInputs::indicator) return table;
  Table out(table.source());
  for (const EncodedColumn& input : inputs_) {
    if (!input.missing_of.empty() && table.find(input.name) == nullptr) {
      out.add(mark_of(table.at(input.missing_of, "input"), input.name));
      continue;
    }
    const Column& column = table.at(input.name, "input");
    if (!has_missing(column))
      out.add(column);
    else if (input.is_date())
      out.add(with_level(column, input.typical_level));
    else if (!input.is_categorical())
      out.add(filled(column, input.typical));
    else
      out.add(with_level(column, contains(input.levels, missing_level) ? missing_level : input.typical_level));
  }
  for (const EncodedColumn& target : targets_) {
    if (const Column* column = table.find(target.name)) out.add(*column);
  }
  if (!weight_.empty() && table.find(weight_) != nullptr) out.add(*table.find(weight_));
  out.take_places(table);
  storage = std::move(out);
  return storage;
}

void StandIns::add(const StandIns& later) {
  unseen += later.unseen;
  if (first_unseen.empty()) first_unseen = later.first_unseen;
  if (first_unmarked.empty()) first_unmarked = later.first_unmarked;
}

std::vector<StandIns> Encoder::stand_ins(const Table& table) const {
  std::vector<StandIns> out;
  for (const EncodedColumn& input : inputs_) {
    StandIns& own = out.emplace_back();
    const Column* column = table.find(input.name);
    if (column == nullptr) continue;
    const bool counts_unseen = input.is_categorical() && takes_unseen(input);
    const bool marked = missing_ != MissingInputs::indicator || contains(input.levels, missing_level) ||
                        std::any_of(inputs_.begin(), inputs_.end(),
                                    [&](const EncodedColumn& other) { return other.missing_of == input.name; });
    for (Index row = 0; row < column->size() && (counts_unseen || !marked); ++row) {
      const bool missing = column->is_missing(row);
      if (missing && !marked && own.first_unmarked.empty()) {
        own.first_unmarked = message(table.place(row), ": '", input.name, "' is missing");
      }
      if (missing || !counts_unseen || !is_unseen(*column, row, input)) continue;
      if (own.unseen++ == 0) {
        own.first_unseen = message(table.place(row), ": '", input.name, "' is '", column->level(row), "'");
      }
    }
  }
  return out;
}

std::vector<std::string> Encoder::unseen_levels(const std::vector<StandIns>& found) const {
  Names out;
  for (std::size_t j = 0; j < found.size(); ++j) {
    if (found[j].unseen == 0) continue;
    const EncodedColumn& input = inputs_[j];
    const std::string stand_in = input.has_statistics() ? "the statistics of all rows stand"
                                 : contains(input.levels, other_level)
                                     ? "the level (other) stands"
                                     : message("the most frequent level, ", input.typical_level, ", stands");
    out.push_back(message(found[j].first_unseen, ", a level that the training data did not have; ", stand_in,
                          " in, as in ", found[j].unseen, found[j].unseen == 1 ? " row" : " rows", " in all"));
  }
  return out;
}

std::vector<std::string> Encoder::unseen_levels(const Table& table) const { return unseen_levels(stand_ins(table)); }

std::vector<std::string> Encoder::filled_without_mark(const std::vector<StandIns>& found) const {
  Names out;
  for (std::size_t j = 0; j < found.size(); ++j) {
    if (found[j].first_unmarked.empty()) continue;
    out.push_back(message(found[j].first_unmarked, ", which it never was in training; ",
                          inputs_[j].is_categorical() ? "its most frequent level" : "its median",
                          " stands in, as in every such row"));
  }
  return out;
}

std::vector<std::string> Encoder::filled_without_mark(const Table& table) const {
  return filled_without_mark(stand_ins(table));
}

EncodableRows Encoder::encodable_rows(const Table& table, bool with_targets) const {
  Table storage;
  const Table& marked = completed(table, storage);
  EncodableRows out = complete_rows(marked, columns_needed(marked, with_targets));
  std::vector<EncodedColumn> strict;
  std::copy_if(inputs_.begin(), inputs_.end(), std::back_inserter(strict),
               [&](const EncodedColumn& input) { return !takes_unseen(input); });
  keep_known_levels(marked, strict, out);
  return out;
}

Matrix Encoder::encode_inputs(const Table& table, const std::vector<Index>& rows) const {
  Table storage;
  const Table& marked = completed(table, storage);
  Index width = 0;
  for (const EncodedColumn& input : inputs_) width += input.width();
  Matrix out = Matrix::Zero(width, static_cast<Index>(rows.size()));
  Index at = 0;
  for (const EncodedColumn& input : inputs_) {
    const Column& column = marked.at(input.name, "input");
    if (input.is_date()) {
      out.middleRows(at, input.width()) = spread_out(
          calendar_of(read_dates(marked, column, rows_with(column, rows)), input.calendar, input.low), column, rows);
    } else if (!input.is_categorical()) {
      out.row(at) = spread_out(read_numbers(marked, column, rows_with(column, rows)).transpose(), column, rows);
    }
    for (Index j = 0; input.is_categorical() && j < out.cols(); ++j) {
      const Index row = rows[static_cast<std::size_t>(j)];
      if (column.is_missing(row)) {  // for models that take it
        out.block(at, j, input.width(), 1).setConstant(missing_number);
        continue;
      }
      const Index level = code_of(marked, column, row, input);
      if (input.has_statistics()) {
        out.block(at, j, input.width(), 1) = input.codes.col(level);
      } else if (input.width() > 1) {
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
  Dataset out = encode_block(table, rows);
  out.weights = weights_of(table, rows);
  return out;
}

Dataset Encoder::encode_block(const Table& block, const std::vector<Index>& rows) const {
  Matrix y = read_targets(block, targets_, rows);
  Dataset out{.x = encode_inputs(block, rows), .y = std::move(y)};
  if (!weight_.empty() && block.find(weight_) != nullptr) out.weights = read_block_weights(block, weight_, rows);
  out.groups = group_of_rows();
  return out;
}

Vector Encoder::weights_of(const Table& table, const std::vector<Index>& rows) const {
  if (weight_.empty() || table.find(weight_) == nullptr) return {};
  return read_weights(table, weight_, rows);
}

Dataset Encoder::encode_training(const Table& table, bool drop_missing, const Vector& row_weights) const {
  return encode_training(table, usable(table, encodable_rows(table, true), drop_missing), row_weights);
}

Dataset Encoder::encode_training(const Table& table, const std::vector<Index>& rows, const Vector& row_weights) const {
  Dataset out = encode(table, rows);
  Table storage;
  const Table& marked = completed(table, storage);
  Matrix x = out.x;
  Index at = 0;
  for (const EncodedColumn& input : inputs_) {
    if (input.has_statistics()) {
      const Column& column = marked.at(input.name, "input");
      const LevelRows there = level_rows(marked, input, rows_with(column, rows), row_weights);
      x.middleRows(at, input.width()) = spread_out(codes_out_of_fold(there, seed_), column, rows);
    }
    at += input.width();
  }
  out.x = std::move(x);
  return out;
}

std::vector<std::string> Encoder::encoded_names() const {
  Names out;
  for (const EncodedColumn& input : inputs_) {
    if (input.is_date()) {
      const Names names = calendar_names(input.name, input.calendar);
      out.insert(out.end(), names.begin(), names.end());
    } else if (!input.is_categorical()) {
      out.push_back(input.name);
    } else if (input.has_statistics()) {
      for (const std::string& statistic : input.statistics) out.push_back(message(input.name, ": ", statistic));
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

}  // namespace condens
