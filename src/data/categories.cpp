#include "categories.hpp"

#include <algorithm>
#include <map>

#include "condens/core/errors.hpp"

namespace condens {

Index find_level(const Column& column, Index row, const Names& levels) {
  const std::string level = column.level(row);
  const auto found = std::lower_bound(levels.begin(), levels.end(), level);
  return found != levels.end() && *found == level ? found - levels.begin() : -1;
}

std::string unknown_level(const Table& table, const Column& column, Index row, const Names& levels) {
  return message(table.place(row), ": column '", column.name, "' is '", column.level(row),
                 "', a level that the training data did not have; known levels: ", join(levels));
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

void keep_known_levels(const Table& table, const std::vector<EncodedColumn>& inputs, EncodableRows& rows) {
  std::map<Index, const EncodedColumn*> unknown;  // by the rows, the first such input
  for (const EncodedColumn& input : inputs) {
    if (!input.is_categorical()) continue;
    const Column& column = table.at(input.name, "input");
    for (const Index row : rows.rows) {
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

}  // namespace condens
