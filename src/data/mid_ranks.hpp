#pragma once
// Ranks of a column as shares of the weight of all rows: that below a value, and half of that at it.

#include <vector>

#include "condens/core/types.hpp"

namespace condens {

struct MidRanks {
  std::vector<double> values;  ///< those that differ, rising
  std::vector<double> shares;  ///< of each
  Vector of_rows;              ///< of each row that of its value
};

/// Values and weights have one length, and the weights a positive sum.
MidRanks mid_ranks(const VectorView& values, const VectorView& weights);

}  // namespace condens
