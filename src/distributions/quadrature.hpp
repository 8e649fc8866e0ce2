#pragma once
// Integrals of one variable.

#include <algorithm>
#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <cmath>

#include "condens/core/cancellation.hpp"

namespace condens::detail {

// Gauss-Kronrod, halving while the estimate (far above the true error) exceeds 1e-12: an
// absolute bound, for the tails need no relative one. Boost's estimate is that of the
// integral over (-1, 1), so the integrand is brought there with its Jacobian.
template <class F>
double adaptive_integral(const F& f, double a, double b, int depth) {
  check_cancelled();
  const double c = 0.5 * a + 0.5 * b;
  const double half = 0.5 * b - 0.5 * a;
  const auto moved = [&](double t) { return half * f(c + half * t); };
  double error = 0.0;
  const double value = boost::math::quadrature::gauss_kronrod<double, 21>::integrate(moved, -1.0, 1.0, 0, 0.0, &error);
  if (error <= 1e-12 * std::max(1.0, std::abs(value)) || depth == 0) return value;
  return adaptive_integral(f, a, c, depth - 1) + adaptive_integral(f, c, b, depth - 1);
}

}  // namespace condens::detail
