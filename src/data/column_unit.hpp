#pragma once
// The units in which columns may come. A law holds means up to 1e105 and scales from 1e-105 on, so that squares of
// deviations and of inverse scales are numbers (distributions/gaussian_components.hpp); kernels are narrower than the
// spread of their column, and laws lie up to a few spreads beyond the data: a thousandth is left for that.

#include <string>

#include "condens/core/types.hpp"

namespace condens {

constexpr double largest_value = 1e102;     // of a column, in absolute value
constexpr double smallest_spread = 1e-102;  // its standard deviation

/// The step between neighbouring numbers as large as `value`, in standard deviations: quantiles are no finer.
double coarseness(double value, double standard_deviation);

/// What is wrong with the unit of a column of this standard deviation, as the end of a sentence that begins with the
/// column's name; empty where nothing is. A constant column (0) has any value.
std::string unit_problem(const VectorView& values, double standard_deviation);

/// The same of a target: its values must differ by more than rounding.
std::string target_problem(const VectorView& values, double standard_deviation);

}  // namespace condens
