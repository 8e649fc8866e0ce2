// Distribution function of a univariate mixture and its inverse.
//
//   F(y) = sum_l w_l Phi(z_l),  1 - F(y) = sum_l w_l Phi(-z_l),  z_l = (y - v_l) / s_l
//
// each term positive and with its own relative accuracy, so that both tails have theirs. Far out, log Phi(z) = -z^2/2 -
// log(-z sqrt(2 pi)) + log(1 - 1/z^2 + 3/z^4 - ...) (Abramowitz and Stegun 1964, 26.2.12). A quantile lies between the
// least and the largest quantile of the components; Newton on log F runs inside that bracket.

#include <algorithm>
#include <boost/math/special_functions/erf.hpp>
#include <cmath>
#include <limits>

#include "bracketed_root.hpp"
#include "condens/linalg/log_sum_exp.hpp"
#include "condens/linalg/vector_math.hpp"
#include "mixture_subset.hpp"

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

// side = +1: P(Y <= y); side = -1: P(Y > y). `work` holds m numbers.
double tail(const MixtureView& p, double y, double side, Vector& work) {
  for (Index l = 0; l < p.m; ++l) work[l] = side * ((y - p.mean(l)) / p.scale(l));
  normal_cdf_in_place(work.data(), p.m);
  return std::min(dot(p.weights, work.data(), p.m), 1.0);
}

double tail(const MixtureView& p, double y, double side) {
  Vector work(p.m);
  return tail(p, y, side, work);
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

double density(const MixtureView& p, double y, Vector& work) {
  for (Index l = 0; l < p.m; ++l) {
    const double z = (y - p.mean(l)) / p.scale(l);
    work[l] = -0.5 * z * z - kLogSqrt2Pi;
  }
  exp_in_place(work.data(), p.m);
  for (Index l = 0; l < p.m; ++l) work[l] /= p.scale(l);
  return dot(p.weights, work.data(), p.m);
}

// The y with tail(y, side) = level <= 1/2.
double tail_quantile(const MixtureView& all, double level, double side) {
  if (level == 0.0) return -side * kInfinity;
  // What is left out is less than the rounding of `level`.
  const MixtureSubset some(all, heavier_than(all, 0x1p-56 * level / static_cast<double>(all.m)));
  const MixtureView& p = some.view();
  const double z = -side * std::sqrt(2.0) * boost::math::erfc_inv(2.0 * level);
  double low = kInfinity;
  double high = -kInfinity;
  for (Index l = 0; l < p.m; ++l) {
    low = std::min(low, p.mean(l) + p.scale(l) * z);
    high = std::max(high, p.mean(l) + p.scale(l) * z);
  }
  if (low == high) return low;
  const double start = mean(p)[0] + z * std::sqrt(variance(p)[0]);
  Vector work(p.m);
  const auto excess = [&](double y) {
    const double f = tail(p, y, side, work);
    return std::pair{side * std::log(f / level), density(p, y, work) / f};
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

namespace {

// E (z - Z)_+ = z Phi(z) + phi(z), Z standard normal. Far out the terms cancel: there phi(z) / z^2 (1 - 3 / z^2 + 15 /
// z^4
// - ...), whose 25th term is below rounding for z = -10 (Abramowitz and Stegun 1964, 26.2.12, once integrated).
double mean_shortfall(double z) {
  const double phi = std::exp(-0.5 * z * z - kLogSqrt2Pi);
  if (z > -10.0) return z * normal_cdf(z) + phi;
  const double t = 1.0 / (z * z);
  double series = 1.0;
  for (int k = 51; k >= 3; k -= 2) series = 1.0 - t * k * series;
  return phi * t * series;
}

// E[Y | Y <= q] = q - sum_l w_l s_l E (z_l - Z)_+ / level, z_l = (q - v_l) / s_l and q the quantile. Mirrored for
// side = -1.
double tail_mean(const MixtureView& p, double level, double side) {
  if (level == 1.0) return mean(p)[0];
  const double q = side > 0.0 ? quantile(p, level) : upper_quantile(p, level);
  double total = 0.0;
  for (Index l = 0; l < p.m; ++l) {
    total += p.weights[l] * p.scale(l) * mean_shortfall(side * ((q - p.mean(l)) / p.scale(l)));
  }
  return q - side * total / level;
}

}  // namespace

double lower_tail_mean(const MixtureView& p, double level) { return tail_mean(p, level, 1.0); }
double upper_tail_mean(const MixtureView& p, double level) { return tail_mean(p, level, -1.0); }

// Of the two tails that end at a and b the smaller ones are subtracted.
double probability(const MixtureView& p, double a, double b) {
  Vector more(p.m);
  Vector less(p.m);
  for (Index l = 0; l < p.m; ++l) {
    const double za = (a - p.mean(l)) / p.scale(l);
    const double zb = (b - p.mean(l)) / p.scale(l);
    more[l] = za > 0.0 ? -za : zb;
    less[l] = za > 0.0 ? -zb : za;
  }
  normal_cdf_in_place(more.data(), p.m);
  normal_cdf_in_place(less.data(), p.m);
  more -= less;
  return dot(p.weights, more.data(), p.m);
}

}  // namespace condens::detail
