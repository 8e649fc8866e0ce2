#include "condens/data/table.hpp"

#include <charconv>
#include <cmath>
#include <limits>

#include "condens/core/errors.hpp"
#include "core/names.hpp"

namespace condens {

namespace {

std::string_view trim(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

/// std::from_chars does not say on which side a decimal leaves the range of double.
double out_of_range_value(std::string_view decimal) {
  const bool negative = decimal.front() == '-';
  if (negative) decimal.remove_prefix(1);
  const std::size_t exponent = decimal.find_first_of("eE");
  const bool small = exponent == std::string_view::npos ? decimal.front() == '0' || decimal.front() == '.'
                                                        : decimal.substr(exponent + 1).starts_with('-');
  const double magnitude = small ? 0.0 : std::numeric_limits<double>::infinity();
  return negative ? -magnitude : magnitude;
}

}  // namespace

std::optional<double> parse_number(std::string_view field) {
  field = trim(field);
  if (field.starts_with('+')) {
    field.remove_prefix(1);
    if (field.starts_with('-')) return std::nullopt;
  }
  double value = 0;
  const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
  if (end != field.data() + field.size() || error == std::errc::invalid_argument) return std::nullopt;
  if (error == std::errc::result_out_of_range) return out_of_range_value(field);
  return value;
}

std::string format_number(double value) {
  if (std::isnan(value)) return "nan";
  char buffer[32];
  return {buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr};
}

bool is_missing_mark(std::string_view field) {
  return field.empty() || field == "NA" || field == "NaN" || field == "nan" || field == "null" || field == "?";
}

Index Column::size() const { return static_cast<Index>(is_numeric() ? numbers().size() : texts().size()); }

bool Column::is_missing(Index row) const {
  const auto i = static_cast<std::size_t>(row);
  return is_numeric() ? std::isnan(numbers()[i]) : texts()[i].empty();
}

std::string Column::level(Index row) const {
  const auto i = static_cast<std::size_t>(row);
  if (is_numeric()) return format_number(numbers()[i] + 0.0);  // -0 is 0
  const std::optional<double> number = parse_number(texts()[i]);
  return number ? format_number(*number + 0.0) : texts()[i];
}

void Table::add(Column column) {
  const std::string where = source_.empty() ? "" : source_ + ": ";
  require(!column.name.empty(), where, "column ", columns_.size() + 1, " has no name; name it, or remove it");
  require(find(column.name) == nullptr, where, "two columns are named '", column.name, "'; rename one");
  require(columns_.empty() || column.size() == rows(), where, "column '", column.name, "' has ", column.size(),
          " rows, expected ", rows(), " as in the others");
  place_of_.emplace(column.name, columns_.size());
  columns_.push_back(std::move(column));
}

const Column* Table::find(std::string_view name) const {
  const auto found = place_of_.find(name);
  return found == place_of_.end() ? nullptr : &columns_[found->second];
}

const Column& Table::at(std::string_view name, std::string_view role) const {
  if (const Column* column = find(name)) return *column;
  std::vector<std::string> names;
  for (const Column& column : columns_) names.push_back(column.name);
  throw std::invalid_argument(message(source_, source_.empty() ? "" : ": ", "there is no ", role, " column '", name,
                                      "'; the columns are ", list_names(names), did_you_mean(name, names)));
}

void Table::take_places(const Table& from, Index first) {
  std::vector<Index> places;
  for (Index row = first; row < first + rows(); ++row) places.push_back(from.line(row));
  set_places(std::move(places), from.has_lines_);
}

Index Table::line(Index row) const { return places_.empty() ? row + 1 : places_[static_cast<std::size_t>(row)]; }

std::string Table::place(Index row) const {
  if (source_.empty()) return message("row ", row + 1, " (counting from 1)");
  return has_lines_ ? message(source_, ":", line(row)) : message(source_, ", row ", line(row));
}

}  // namespace condens
