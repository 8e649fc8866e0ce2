#pragma once
// The quantile function of the standard normal distribution.

namespace condens {

/// z with P(Z <= z) = level, in (0, 1), of a standard normal Z.
double normal_quantile(double level);

}  // namespace condens
