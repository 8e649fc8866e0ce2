#include "categories.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "condens/core/errors.hpp"

namespace condens {

MissingInputs missing_inputs_of(std::string_view argument, std::string_view text) {
  require(text == "error" || text == "indicator" || text == "model", argument, " = '", text,
          "', expected error, indicator or model");
  return text == "error" ? MissingInputs::error : text == "model" ? MissingInputs::model : MissingInputs::indicator;
}

ManyLevels many_levels_of(std::string_view argument, std::string_view text) {
  require(text == "statistics" || text == "indicators", argument, " = '", text, "', expected statistics or indicators");
  return text == "statistics" ? ManyLevels::statistics : ManyLevels::indicators;
}

UnseenLevels unseen_of(std::string_view argument, std::string_view text) {
  require(text == "automatic" || text == "error" || text == "other", argument, " = '", text,
          "', expected automatic, error or other");
  return text == "automatic" ? UnseenLevels::automatic : text == "error" ? UnseenLevels::error : UnseenLevels::other;
}

Index find_level(const Column& column, Index row, const Names& levels) {
  const std::string level = column.level(row);
  const auto found = std::lower_bound(levels.begin(), levels.end(), level);
  return found != levels.end() && *found == level ? found - levels.begin() : -1;
}

std::string unknown_level(const Table& table, const Column& column, Index row, const Names& levels) {
  return message(table.place(row), ": column '", column.name, "' is '", column.level(row),
                 "', a level that the training data did not have; known levels: ", join(levels));
}

LevelCounts count_levels(const Column& column, const std::vector<Index>& rows) {
  LevelCounts out;
  for (const Index row : rows) ++out[column.level(row)];
  return out;
}

EncodedColumn collect_levels(std::string name, const LevelCounts& counts) {
  EncodedColumn out{.name = std::move(name)};
  Index most = 0;
  for (const auto& [level, count] : counts) {
    out.levels.push_back(level);
    if (count > most) out.typical_level = level;
    most = std::max(most, count);
  }
  return out;
}

bool has_many_levels(const EncodedColumn& input, const EncoderOptions& options) {
  constexpr std::size_t most_indicators = 20;
  return options.many_levels == ManyLevels::statistics && input.levels.size() > most_indicators;
}

void merge_rare(EncodedColumn& input, const LevelCounts& counts, const EncoderOptions& options) {
  constexpr std::size_t few_levels_stay = 10;
  constexpr Index few_rows = 5;
  const Index least = options.rare_levels.value_or(input.levels.size() > few_levels_stay ? few_rows : 0);
  Names merged;
  for (const std::string& level : input.levels) {
    if (counts.at(level) < least && level != other_level) merged.push_back(level);
  }
  if (merged.size() < 2 || input.levels.size() - merged.size() < 2) return;
  std::erase_if(input.levels, [&](const std::string& level) { return contains(merged, level); });
  if (!contains(input.levels, other_level)) input.levels.emplace_back(other_level);
  std::sort(input.levels.begin(), input.levels.end());
  if (contains(merged, input.typical_level)) input.typical_level = other_level;
  input.merged = std::move(merged);
}

bool is_unseen(const Column& column, Index row, const EncodedColumn& input) {
  return find_level(column, row, input.levels) < 0 && find_level(column, row, input.merged) < 0;
}

std::vector<std::string> same_inputs(const Table& table, const std::vector<EncodedColumn>& inputs,
                                     const std::vector<Index>& rows) {
  std::map<std::vector<Index>, std::string> by_numbers;      // values by their order of appearance
  std::map<std::vector<std::string>, std::string> by_texts;  // of values that hardly recur: the values
  Names out;
  for (const EncodedColumn& input : inputs) {
    if (!input.missing_of.empty()) continue;
    const Column& column = table.at(input.name, "input");
    std::map<std::string, Index> numbers;
    std::vector<Index> numbered;
    Names texts;
    for (const Index row : rows) {
      texts.push_back(column.level(row));
      numbered.push_back(numbers.emplace(texts.back(), std::ssize(numbers)).first->second);
    }
    if (numbers.size() < 2) continue;  // constant
    const bool recurs = 2 * numbers.size() <= rows.size();
    const auto [at, is_new] = recurs ? [&] {
      const auto [found, added] = by_numbers.emplace(std::move(numbered), input.name);
      return std::pair{found->second, added};
    }() : [&] {
      const auto [found, added] = by_texts.emplace(std::move(texts), input.name);
      return std::pair{found->second, added};
    }();
    if (is_new) continue;
    out.push_back(message("inputs '", at, "' and '", input.name, "' are ",
                          recurs ? "the same up to names: either one tells the other" : "the same in every row",
                          "; leave one of them out"));
  }
  return out;
}

void keep_known_levels(const Table& table, const std::vector<EncodedColumn>& inputs, EncodableRows& rows) {
  std::map<Index, const EncodedColumn*> unknown;  // by the rows, the first such input
  for (const EncodedColumn& input : inputs) {
    if (!input.is_categorical()) continue;
    const Column& column = table.at(input.name, "input");
    for (const Index row : rows.rows) {
      if (!column.is_missing(row) && is_unseen(column, row, input)) unknown.emplace(row, &input);
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
