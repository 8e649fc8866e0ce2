#include "missing_inputs.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "condens/core/errors.hpp"
#include "dates.hpp"

namespace condens {

namespace {

bool is_among(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// Of the numbers that are there.
double median_of(const Column& column) {
  std::vector<double> there;
  for (const double value : column.numbers()) {
    if (!std::isnan(value)) there.push_back(value);
  }
  if (there.empty()) return 0.0;
  std::sort(there.begin(), there.end());
  return std::midpoint(there[(there.size() - 1) / 2], there[there.size() / 2]);
}

/// Of the dates that are there, the lower one of the middle.
double median_date(const Table& table, const Column& column) {
  std::vector<Index> there;
  for (Index row = 0; row < column.size(); ++row) {
    if (!column.is_missing(row)) there.push_back(row);
  }
  std::vector<double> dates = read_dates(table, column, there);
  std::sort(dates.begin(), dates.end());
  return dates[(dates.size() - 1) / 2];
}

}  // namespace

bool has_missing(const Column& column) {
  for (Index row = 0; row < column.size(); ++row) {
    if (column.is_missing(row)) return true;
  }
  return false;
}

Column mark_of(const Column& column, std::string name) {
  std::vector<std::string> marks;
  for (Index row = 0; row < column.size(); ++row) marks.emplace_back(column.is_missing(row) ? "yes" : "no");
  return {std::move(name), std::move(marks)};
}

Column filled(const Column& column, double number) {
  Column out = column;
  for (Index row = 0; row < column.size(); ++row) {
    if (!column.is_missing(row)) continue;
    const auto k = static_cast<std::size_t>(row);
    if (column.is_numeric())
      std::get<0>(out.values)[k] = number;
    else
      std::get<1>(out.values)[k] = format_number(number);
  }
  return out;
}

Column with_level(const Column& column, std::string_view filler) {
  std::vector<std::string> levels;
  for (Index row = 0; row < column.size(); ++row) {
    levels.push_back(column.is_missing(row) ? std::string(filler) : column.level(row));
  }
  return {column.name, std::move(levels)};
}

MarkedTable mark_missing(const Table& table, const std::vector<std::string>& inputs,
                         const std::vector<std::string>& categorical) {
  MarkedTable out{Table(table.source()), inputs, {}};
  for (const Column& column : table.columns()) {
    const bool has_levels = is_among(categorical, column.name) || (!column.is_numeric() && !holds_dates(table, column));
    if (!is_among(inputs, column.name) || !has_missing(column)) {
      out.table.add(column);
    } else if (has_levels) {
      out.table.add(with_level(column, missing_level));
    } else {
      std::string mark = column.name + " missing";
      require(table.find(mark) == nullptr, "column '", mark, "' has the name of the mark of missing values in '",
              column.name, "'; rename it");
      out.table.add(column.is_numeric() ? filled(column, median_of(column))
                                        : with_level(column, format_date(median_date(table, column))));
      out.table.add(mark_of(column, mark));
      out.inputs.push_back(mark);
      out.marks[std::move(mark)] = column.name;
    }
  }
  out.table.take_places(table);
  return out;
}

}  // namespace condens
