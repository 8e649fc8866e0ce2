#include "linalg/normal_quantile.hpp"

#include <boost/math/special_functions/erf.hpp>
#include <numbers>

namespace condens {

double normal_quantile(double level) { return -std::numbers::sqrt2 * boost::math::erfc_inv(2 * level); }

}  // namespace condens
