#pragma once
// Columns with missing values: what stands in for them, and the marks that say so.

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "condens/data/table.hpp"

namespace condens {

/// The level of a category that is missing.
inline constexpr std::string_view missing_level = "(missing)";

bool has_missing(const Column& column);

/// "no" and "yes": whether the column is missing.
Column mark_of(const Column& column, std::string name);

/// Numbers with another number in the place of what is missing; texts of numbers, too.
Column filled(const Column& column, double number);

/// Levels with another level in the place of what is missing.
Column with_level(const Column& column, std::string_view filler);

/// A table in which missing inputs are filled and marked, the inputs that it has then, and of each mark the column.
struct MarkedTable {
  Table table;
  std::vector<std::string> inputs;
  std::map<std::string, std::string> marks;
};

/// Numbers that are missing become the median of the others, levels become `missing_level`. Throws
/// std::invalid_argument for a column that has the name of a mark.
MarkedTable mark_missing(const Table& table, const std::vector<std::string>& inputs,
                         const std::vector<std::string>& categorical);

}  // namespace condens
