#include "condens/data/encoder.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "categories.hpp"
#include "column_roles.hpp"
#include "column_values.hpp"
#include "condens/core/errors.hpp"
#include "missing_inputs.hpp"

namespace condens {

Encoder Encoder::fit(const Table& table, const EncoderOptions& options) {
  if (options.missing == MissingInputs::indicator) {
    MarkedTable marked = mark_missing(table, input_names(table, options), options.categorical);
    EncoderOptions own = options;
    own.missing = MissingInputs::error;
    own.inputs = marked.inputs;
    Encoder out = fit(marked.table, own);
    for (EncodedColumn& input : out.inputs_) {
      const auto mark = marked.marks.find(input.name);
      if (mark != marked.marks.end()) input.missing_of = mark->second;
    }
    out.missing_ = MissingInputs::indicator;
    return out;
  }
  Encoder out;
  for (std::string& name : input_names(table, options)) out.inputs_.push_back({.name = std::move(name)});
  for (const std::string& name : options.targets) out.targets_.push_back({.name = name});
  out.weight_ = options.weight;

  const std::vector<Index> rows =
      usable(table, complete_rows(table, out.columns_needed(table, true)), options.drop_missing);
  for (EncodedColumn& input : out.inputs_) {
    const Column& column = table.at(input.name, "input");
    const bool named = contains(options.categorical, input.name);
    if (!named && !column.is_numeric()) refuse_mixed(table, column);
    input = named || !column.is_numeric() ? collect_levels(column, rows)
                                          : summarize(input.name, read_numbers(table, column, rows));
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
  for (const EncodedColumn& input : inputs_) columns.push_back(&table.at(input.name, "input"));
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
    if (!has_missing(column))
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
  if (!marks_missing()) return out;
  for (const EncodedColumn& input : inputs_) {
    const Column* column = table.find(input.name);
    if (column == nullptr || !has_missing(*column)) continue;
    const bool marked = contains(input.levels, missing_level) ||
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
  if (marks_missing()) own = completed(table);
  const Table& marked = marks_missing() ? own : table;
  EncodableRows out = complete_rows(marked, columns_needed(marked, with_targets));
  keep_known_levels(marked, inputs_, out);
  return out;
}

Matrix Encoder::encode_inputs(const Table& table, const std::vector<Index>& rows) const {
  Table own;
  if (marks_missing()) own = completed(table);
  const Table& marked = marks_missing() ? own : table;
  Index width = 0;
  for (const EncodedColumn& input : inputs_) width += input.width();
  Matrix out = Matrix::Zero(width, static_cast<Index>(rows.size()));
  Index at = 0;
  for (const EncodedColumn& input : inputs_) {
    const Column& column = marked.at(input.name, "input");
    if (!input.is_categorical()) out.row(at) = read_numbers(marked, column, rows);
    for (Index j = 0; input.is_categorical() && j < out.cols(); ++j) {
      const Index row = rows[static_cast<std::size_t>(j)];
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
