#pragma once
// Which rows a fit leaves out for intervals with a guarantee (condens/model/conformal.hpp).

#include <cstdint>
#include <vector>

#include "condens/core/types.hpp"

namespace condens {

struct CalibrationRows {
  std::vector<Index> held_out;  ///< rising
  std::vector<Index> fitted;    ///< the others, rising
};

/// `count` of n rows, drawn at random.
CalibrationRows calibration_rows(Index n, Index count, std::uint64_t seed);

}  // namespace condens
