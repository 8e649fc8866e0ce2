#pragma once
// The splits of a comparison, which models fitted elsewhere are to share.

#include <vector>

#include "condens/comparison/comparison.hpp"
#include "data/splits.hpp"

namespace condens {

/// Of n rows; throws std::invalid_argument as the splits of its kind.
std::vector<Split> comparison_splits(Index n, const ComparisonOptions& options);

}  // namespace condens
