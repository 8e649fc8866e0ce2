#pragma once
// The quantile function of the standard normal distribution.

#include <boost/math/special_functions/erf.hpp>
#include <numbers>

namespace condens {

/// z with P(Z <= z) = level, in (0, 1).
inline double normal_quantile(double level) { return -std::numbers::sqrt2 * boost::math::erfc_inv(2 * level); }

}  // namespace condens
