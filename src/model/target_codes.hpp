#pragma once
// The code of a target's value: the point of the line that a density is fitted to (model/target_kind.hpp).

#include <cstdint>

#include "condens/distributions/target_support.hpp"

namespace condens {

/// x(y) or, where values can be counted, an even draw from the interval that stands for y, from the stream of the row.
double code_of_value(const TargetSupport& support, double value, std::uint64_t seed, Index row);

}  // namespace condens
