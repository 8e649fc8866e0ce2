#include "condens/data/row_groups.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "condens/core/errors.hpp"
#include "core/names.hpp"
#include "core/text.hpp"

namespace condens {

namespace {

constexpr std::string_view other_group = "(other)";

/// Places of the input columns that are no marks of missing values.
std::vector<Index> columns_of_table(const Encoder& encoder) {
  std::vector<Index> out;
  const auto& inputs = encoder.input_columns();
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].missing_of.empty()) out.push_back(static_cast<Index>(i));
  }
  return out;
}

}  // namespace

RowGroups RowGroups::of(std::string_view argument, const Encoder& encoder, const std::string& column,
                        const MatrixView& x) {
  const auto& inputs = encoder.input_columns();
  std::vector<std::string> names;
  Index place = -1;
  for (const Index i : columns_of_table(encoder)) {
    names.push_back(inputs[static_cast<std::size_t>(i)].name);
    if (names.back() == column) place = i;
  }
  require(place >= 0, argument, " = '", column, "', expected one of the inputs ", list_names(names),
          did_you_mean(column, names));
  const EncodedColumn& input = inputs[static_cast<std::size_t>(place)];
  require(!input.is_date(), argument, " = '", column, "': its values are dates, expected a category, or a number of ",
          most_group_values, " values or fewer");
  require(!input.has_statistics(), argument, " = '", column, "': its ", input.levels.size(),
          " levels are given by statistics of the target, expected indicators, by many_levels = 'indicators'");
  RowGroups out;
  out.column_ = column;
  out.rows_ = encoder.groups()[static_cast<std::size_t>(place)];
  if (input.is_categorical()) {
    out.keys_ = input.values();
    out.names_ = input.levels;
    return out;
  }
  std::set<double> values;
  for (Index i = 0; i < x.cols(); ++i) {
    if (std::isfinite(x(out.rows_.front(), i))) values.insert(x(out.rows_.front(), i));
    require(std::ssize(values) <= most_group_values, argument, " = '", column, "': it has more than ",
            most_group_values, " different values, expected a category, or a number of ", most_group_values,
            " values or fewer");
  }
  out.keys_.resize(1, std::ssize(values));
  for (const double value : values) {
    out.keys_(0, std::ssize(out.names_)) = value;
    out.names_.push_back(format_number(value));
  }
  return out;
}

std::string RowGroups::name(Index group) const {
  return group < std::ssize(names_) ? names_[static_cast<std::size_t>(group)] : std::string(other_group);
}

std::vector<Index> RowGroups::groups_of(const MatrixView& x) const {
  std::vector<Index> out(static_cast<std::size_t>(x.cols()), std::ssize(names_));
  for (Index i = 0; i < x.cols(); ++i) {
    for (Index g = 0; g < keys_.cols(); ++g) {
      bool same = true;
      for (std::size_t k = 0; k < rows_.size(); ++k) same = same && x(rows_[k], i) == keys_(static_cast<Index>(k), g);
      if (same) out[static_cast<std::size_t>(i)] = g;
    }
  }
  return out;
}

RowGroups RowGroups::only(const std::vector<bool>& kept) const {
  RowGroups out = *this;
  out.names_.clear();
  for (Index g = 0; g < keys_.cols(); ++g) {
    if (!kept[static_cast<std::size_t>(g)]) continue;
    out.keys_.col(std::ssize(out.names_)) = keys_.col(g);
    out.names_.push_back(names_[static_cast<std::size_t>(g)]);
  }
  out.keys_.conservativeResize(Eigen::NoChange, std::ssize(out.names_));
  return out;
}

Document RowGroups::to_document() const {
  std::vector<double> rows(rows_.begin(), rows_.end());
  return Document::Object{{"column", column_}, {"rows", Document(rows)}, {"keys", keys_}, {"names", Document(names_)}};
}

RowGroups RowGroups::from_document(const Document& document, Index n_inputs) {
  RowGroups out;
  out.column_ = document.at("column").as_string();
  for (const double row : document.at("rows").as_numbers()) {
    const bool is_input = row >= 0 && row < static_cast<double>(n_inputs) && row == std::floor(row);
    if (!is_input) {
      throw FormatError(message("groups: input ", row, " of ", n_inputs));
    }
    out.rows_.push_back(static_cast<Index>(row));
  }
  out.keys_ = document.at("keys").as_matrix();
  out.names_ = document.at("names").as_strings();
  if (out.rows_.empty() || out.keys_.rows() != std::ssize(out.rows_) || out.keys_.cols() != std::ssize(out.names_)) {
    throw FormatError("groups: as many keys as names were expected, each with a number for every input");
  }
  return out;
}

}  // namespace condens
