#pragma once
// Integrals of one variable.

#include <algorithm>
#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <cmath>

#include "condens/core/cancellation.hpp"

namespace condens::detail {

/// Halvings of all pieces together: an integrand that no halving makes smooth ends with what is known of it by then.
constexpr int most_halvings = 2000;

template <class F>
double integral_by_halving(const F& f, double a, double b, int depth, int& halvings) {
  check_cancelled();
  const double c = 0.5 * a + 0.5 * b;
  const double half = 0.5 * b - 0.5 * a;
  const auto moved = [&](double t) { return half * f(c + half * t); };
  double error = 0.0;
  const double value = boost::math::quadrature::gauss_kronrod<double, 21>::integrate(moved, -1.0, 1.0, 0, 0.0, &error);
  if (error <= 1e-12 * std::max(1.0, std::abs(value)) || depth == 0 || halvings == 0) return value;
  --halvings;
  const double left = integral_by_halving(f, a, c, depth - 1, halvings);
  return left + integral_by_halving(f, c, b, depth - 1, halvings);
}

// Gauss-Kronrod, halving while the estimate (far above the true error) exceeds 1e-12: an
// absolute bound, for the tails need no relative one. Boost's estimate is that of the
// integral over (-1, 1), so the integrand is brought there with its Jacobian.
template <class F>
double adaptive_integral(const F& f, double a, double b, int depth) {
  int halvings = most_halvings;
  return integral_by_halving(f, a, b, depth, halvings);
}

}  // namespace condens::detail
