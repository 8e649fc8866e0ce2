#pragma once
// Laws that are easy to get wrong, and plain long-double references for them.

#include <algorithm>
#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <cmath>
#include <vector>

#include "condens/distributions/gaussian_mixture.hpp"

namespace condens {

inline GaussianMixture univariate(const Vector& weights, const Vector& means, const Vector& scales) {
  return {weights, means.transpose(), scales.transpose()};
}

/// Two and three peaks, skew, equal components, a zero weight, scales 1e3 apart, a weight of 1e-15.
inline std::vector<GaussianMixture> smooth_examples() {
  return {univariate(Vector{{1.0}}, Vector{{1.5}}, Vector{{0.7}}),
          univariate(Vector{{0.3, 0.7}}, Vector{{-2.0, 1.0}}, Vector{{0.5, 1.2}}),
          univariate(Vector{{0.5, 0.2, 0.3}}, Vector{{0.0, 4.0, 9.0}}, Vector{{1.0, 0.4, 2.0}}),
          univariate(Vector{{0.25, 0.25, 0.0, 0.5}}, Vector{{1.0, 1.0, 50.0, 1.0}}, Vector{{2.0, 2.0, 1.0, 2.0}}),
          univariate(Vector{{0.6, 0.4}}, Vector{{0.0, 0.3}}, Vector{{1.0, 0.001}}),
          univariate(Vector{{1.0 - 1e-15, 1e-15}}, Vector{{0.0, 30.0}}, Vector{{1.0, 1.0}})};
}

inline long double exact_pdf(const GaussianMixture& p, long double y) {
  long double total = 0.0L;
  for (Index l = 0; l < p.n_components(); ++l) {
    const long double z = (y - p.means()(0, l)) / p.scales()(0, l);
    total += p.weights()[l] * std::exp(-0.5L * z * z) / (p.scales()(0, l) * std::sqrt(2.0L * std::acos(-1.0L)));
  }
  return total;
}

/// side +1: P(Y <= y); -1: P(Y > y).
inline long double exact_tail(const GaussianMixture& p, long double y, int side) {
  long double total = 0.0L;
  for (Index l = 0; l < p.n_components(); ++l) {
    const long double z = (y - p.means()(0, l)) / p.scales()(0, l);
    total += p.weights()[l] * 0.5L * std::erfc(-side * z / std::sqrt(2.0L));
  }
  return total;
}

/// Integral of f over the line, piece by piece around every component.
template <class F>
double integrate(const GaussianMixture& p, std::vector<double> breaks, F f) {
  for (Index l = 0; l < p.n_components(); ++l) {
    for (const double z : {-38.0, -10.0, -5.0, -2.0, 0.0, 2.0, 5.0, 10.0, 38.0}) {
      breaks.push_back(p.means()(0, l) + z * p.scales()(0, l));
    }
  }
  std::sort(breaks.begin(), breaks.end());
  double total = 0.0;
  for (std::size_t i = 1; i < breaks.size(); ++i) {
    if (breaks[i] > breaks[i - 1]) {
      total += boost::math::quadrature::gauss_kronrod<double, 31>::integrate(f, breaks[i - 1], breaks[i], 6, 1e-13);
    }
  }
  return total;
}

}  // namespace condens
