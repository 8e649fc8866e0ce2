#pragma once
// Inputs that are levels and not numbers.

#include <map>
#include <string>
#include <vector>

#include "column_roles.hpp"
#include "condens/data/encoder.hpp"

namespace condens {

/// Position of the row's level among the known ones; -1 when it is not among them.
Index find_level(const Column& column, Index row, const Names& levels);

std::string unknown_level(const Table& table, const Column& column, Index row, const Names& levels);

/// The level of all rare ones.
inline constexpr std::string_view other_level = "(other)";

/// How many rows have each level.
using LevelCounts = std::map<std::string, Index>;
LevelCounts count_levels(const Column& column, const std::vector<Index>& rows);

/// The levels, and the most frequent one.
EncodedColumn collect_levels(std::string name, const LevelCounts& counts);

/// Whether statistics stand for the levels, which are too many for indicators.
bool has_many_levels(const EncodedColumn& input, const EncoderOptions& options);

/// Levels of few rows (EncoderOptions::rare_levels) become "(other)" where there are two of them or more, and two
/// others.
void merge_rare(EncodedColumn& input, const LevelCounts& counts, const EncoderOptions& options);

/// Whether it is neither a level nor one that was merged.
bool is_unseen(const Column& column, Index row, const EncodedColumn& input);

/// Takes the rows away where one of the inputs has a level that the training data did not have.
void keep_known_levels(const Table& table, const std::vector<EncodedColumn>& inputs, EncodableRows& rows);

/// Pairs of inputs that are the same in all rows or, of inputs whose values recur, of which either tells the other.
std::vector<std::string> same_inputs(const Table& table, const std::vector<EncodedColumn>& inputs,
                                     const std::vector<Index>& rows);

}  // namespace condens
