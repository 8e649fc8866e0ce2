#pragma once
// Inputs that are levels and not numbers.

#include <string>
#include <vector>

#include "column_roles.hpp"
#include "condens/data/encoder.hpp"

namespace condens {

/// Position of the row's level among the known ones; -1 when it is not among them.
Index find_level(const Column& column, Index row, const Names& levels);

std::string unknown_level(const Table& table, const Column& column, Index row, const Names& levels);

/// The levels in these rows, and the most frequent one.
EncodedColumn collect_levels(const Column& column, const std::vector<Index>& rows);

/// Takes the rows away where an input has a level that the training data did not have.
void keep_known_levels(const Table& table, const std::vector<EncodedColumn>& inputs, EncodableRows& rows);

}  // namespace condens
