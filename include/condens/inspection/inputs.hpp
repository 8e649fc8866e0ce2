#pragma once
// The inputs that an explanation moves: columns of the table of the fit, each with all rows of x that it became. The
// indicators of a category move together, and so do a number and the mark that it is missing.

#include <string>
#include <vector>

#include "condens/data/encoder.hpp"

namespace condens {

struct InspectedInput {
  std::string name;
  std::vector<Index> rows;               ///< of x
  std::vector<std::string> levels = {};  ///< of a category; empty for a number
  std::vector<Index> marks = {};         ///< rows that say whether it is missing
  Matrix codes = {};                     ///< rows x levels; empty: indicators
};

std::vector<InspectedInput> inspected_inputs(const Encoder& encoder);

}  // namespace condens
