#pragma once
// What distributions of targets ask of a support beside its public face.

#include <string>

#include "condens/distributions/target_support.hpp"

namespace condens::detail {

/// log x'(y(x)): a number for every finite x, also where y(x) is an end, or beyond all numbers, to rounding.
double log_slope_at(const TargetMap& map, double x);

/// What is wrong with ends, values or atoms, as a sentence; empty where nothing is.
std::string support_problem(const TargetSupport& support);

}  // namespace condens::detail
