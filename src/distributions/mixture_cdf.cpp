// Distribution function of a univariate mixture and its inverse.
//
//   F(y) = sum_l w_l Phi(z_l),  1 - F(y) = sum_l w_l Phi(-z_l),  z_l = (y - v_l) / s_l
//
// with Phi(z) = erfc(-z / sqrt 2) / 2: every term is positive, so each tail keeps its
// relative accuracy. Far out, log Phi(z) = -z^2/2 - log(-z sqrt(2 pi)) + log(1 - 1/z^2 +
// 3/z^4 - ...) (Abramowitz and Stegun 1964, 26.2.12). A quantile lies between the least
// and the largest quantile of the components; Newton on log F runs inside that bracket.

#include <algorithm>
#include <boost/math/special_functions/erf.hpp>
#include <cmath>
#include <limits>

#include "bracketed_root.hpp"
#include "condens/linalg/log_sum_exp.hpp"
#include "mixture_view.hpp"

namespace condens::detail {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

double normal_cdf(double z) { return 0.5 * std::erfc(-z * kSqrtHalf); }

double log_normal_cdf(double z) {
  if (z > 0.0) return std::log1p(-normal_cdf(-z));
  if (z > -30.0) return std::log(normal_cdf(z));
  const double t = 1.0 / (z * z);  // at most 1/900: eight terms reach rounding
  double series = 0.0;
  for (int k = 15; k >= 1; k -= 2) series = -t * k * (1.0 + series);
  return -0.5 * z * z - kLogSqrt2Pi - std::log(-z) + std::log1p(series);
}

// side = +1: P(Y <= y); side = -1: P(Y > y).
double tail(const MixtureView& p, double y, double side) {
  double total = 0.0;
  for (Index l = 0; l < p.m; ++l) total += p.weights[l] * normal_cdf(side * ((y - p.mean(l)) / p.scale(l)));
  return std::min(total, 1.0);
}

double log_tail(const MixtureView& p, double y, double side) {
  const double other = tail(p, y, -side);
  if (other < 0.5) return std::log1p(-other);
  Vector terms(p.m);
  for (Index l = 0; l < p.m; ++l) {
    terms[l] = p.log_weights[l] + log_normal_cdf(side * ((y - p.mean(l)) / p.scale(l)));
  }
  return log_sum_exp_in_place(terms.data(), p.m);
}

double density(const MixtureView& p, double y) {
  double total = 0.0;
  for (Index l = 0; l < p.m; ++l) {
    const double z = (y - p.mean(l)) / p.scale(l);
    total += p.weights[l] * std::exp(-0.5 * z * z - kLogSqrt2Pi) / p.scale(l);
  }
  return total;
}

// The y with tail(y, side) = level <= 1/2.
double tail_quantile(const MixtureView& p, double level, double side) {
  if (level == 0.0) return -side * kInfinity;
  const double z = -side * std::sqrt(2.0) * boost::math::erfc_inv(2.0 * level);
  double low = kInfinity;
  double high = -kInfinity;
  for (Index l = 0; l < p.m; ++l) {
    if (p.weights[l] == 0.0) continue;
    low = std::min(low, p.mean(l) + p.scale(l) * z);
    high = std::max(high, p.mean(l) + p.scale(l) * z);
  }
  if (low == high) return low;
  const double start = mean(p)[0] + z * std::sqrt(variance(p)[0]);
  const auto excess = [&](double y) {
    const double f = tail(p, y, side);
    return std::pair{side * std::log(f / level), density(p, y) / f};
  };
  return bracketed_root(excess, low, high, std::clamp(start, low, high));
}

}  // namespace

double cdf(const MixtureView& p, double y) { return tail(p, y, 1.0); }
double sf(const MixtureView& p, double y) { return tail(p, y, -1.0); }
double log_cdf(const MixtureView& p, double y) { return log_tail(p, y, 1.0); }
double log_sf(const MixtureView& p, double y) { return log_tail(p, y, -1.0); }

// For a level in [1/2, 1] the difference 1 - level is exact.
double quantile(const MixtureView& p, double level) {
  return level <= 0.5 ? tail_quantile(p, level, 1.0) : tail_quantile(p, 1.0 - level, -1.0);
}
double upper_quantile(const MixtureView& p, double level) {
  return level <= 0.5 ? tail_quantile(p, level, -1.0) : tail_quantile(p, 1.0 - level, 1.0);
}

double probability(const MixtureView& p, double a, double b) {
  double total = 0.0;
  for (Index l = 0; l < p.m; ++l) {
    const double za = (a - p.mean(l)) / p.scale(l);
    const double zb = (b - p.mean(l)) / p.scale(l);
    const double mass = za > 0.0 ? normal_cdf(-za) - normal_cdf(-zb) : normal_cdf(zb) - normal_cdf(za);
    total += p.weights[l] * mass;
  }
  return total;
}

}  // namespace condens::detail
