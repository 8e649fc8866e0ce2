// Distribution function of a univariate mixture and its inverse.
//
//   F(y) = sum_l w_l Phi(z_l),  1 - F(y) = sum_l w_l Phi(-z_l),  z_l = (y - v_l) / s_l
//
// each term positive and with its own relative accuracy, so that both tails have theirs. Far out, log Phi(z) = -z^2/2 -
// log(-z sqrt(2 pi)) + log(1 - 1/z^2 + 3/z^4 - ...) (Abramowitz and Stegun 1964, 26.2.12). A quantile lies between the
// least and the largest quantile of the components; Halley's method (Newton's with the slope h' - h h'' / (2 h')) on
// h = log F - log level runs inside that bracket.

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "bracketed_root.hpp"
#include "linalg/log_sum_exp.hpp"
#include "linalg/normal_quantile.hpp"
#include "linalg/vector_math.hpp"
#include "mixture_subset.hpp"

namespace condens::detail {
namespace {

constexpr double kInverseSqrt2Pi = 0.39894228040143267794;

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
  Vector work(p.m);
  for (Index l = 0; l < p.m; ++l) work[l] = side * ((y - p.mean(l)) / p.scale(l));
  normal_cdf_in_place(work.data(), p.m);
  return std::min(dot(p.weights, work.data(), p.m), 1.0);
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

/// Solves for the quantiles of one law.
class Quantiles {
 public:
  /// For levels of at least `least`: what is left out is less than their rounding.
  Quantiles(const MixtureView& all, double least)
      : some_(all, heavier_than(all, 0x1p-56 * least / static_cast<double>(all.m))),
        p_(some_.view()),
        precisions_(p_.m),
        densities_(p_.m),
        z_(p_.m),
        work_(p_.m) {
    for (Index l = 0; l < p_.m; ++l) {
      precisions_[l] = 1.0 / p_.scale(l);
      densities_[l] = p_.weights[l] * precisions_[l] * kInverseSqrt2Pi;
    }
    // Where the search begins: rounding errors of the moments do not matter.
    mean_ = dot(p_.weights, p_.means, p_.m);
    for (Index l = 0; l < p_.m; ++l) {
      work_[l] = (p_.mean(l) - mean_) * (p_.mean(l) - mean_) + p_.scale(l) * p_.scale(l);
    }
    deviation_ = std::sqrt(dot(p_.weights, work_.data(), p_.m));
  }

  /// The y with tail(y, side) = level, 0 < level <= 1/2.
  double tail(double level, double side) {
    const double z = side * normal_quantile(level);
    double low = infinity;
    double high = -infinity;
    for (Index l = 0; l < p_.m; ++l) {
      low = std::min(low, p_.mean(l) + p_.scale(l) * z);
      high = std::max(high, p_.mean(l) + p_.scale(l) * z);
    }
    if (low == high) return low;
    const auto excess = [&](double y) { return excess_at(y, level, side); };
    const double start = std::clamp(mean_ + z * deviation_, low, high);
    // Of F: some units in the last place from Phi and the sum, and those of z^2 from that of z.
    const double noise = std::numeric_limits<double>::epsilon() * (8.0 + 2.0 * z * z);
    return bracketed_root(excess, low, high, start, noise);
  }

 private:
  /// h = side log(F / level), F the tail at y, and the slope of Halley's method, between h' / 2 and 2 h'.
  std::pair<double, double> excess_at(double y, double level, double side) {
    const Index m = p_.m;
    for (Index l = 0; l < m; ++l) z_[l] = (y - p_.mean(l)) * precisions_[l];
    for (Index l = 0; l < m; ++l) work_[l] = side * z_[l];
    normal_cdf_in_place(work_.data(), m);
    const double f = dot(p_.weights, work_.data(), m);
    for (Index l = 0; l < m; ++l) work_[l] = -0.5 * z_[l] * z_[l];
    exp_in_place(work_.data(), m);
    for (Index l = 0; l < m; ++l) work_[l] *= densities_[l];
    const double density = sum(work_.data(), m);
    for (Index l = 0; l < m; ++l) work_[l] *= z_[l] * precisions_[l];
    const double h = side * std::log(f / level);
    const double slope = density / f;
    const double curvature = -sum(work_.data(), m) / f - side * slope * slope;
    const double halley = slope - 0.5 * h * curvature / slope;
    return {h, halley > 0.5 * slope && halley < 2.0 * slope ? halley : slope};
  }

  MixtureSubset some_;
  const MixtureView& p_;
  Vector precisions_;  // 1 / s
  Vector densities_;   // w / (s sqrt(2 pi))
  Vector z_;
  Vector work_;
  double mean_ = 0.0;
  double deviation_ = 0.0;
};

// Levels down to it are solved for with the same components.
constexpr double kOrdinaryLevel = 0x1p-10;

/// The y with tail(y, side) = level <= 1/2; `ordinary` is for levels that are so.
double tail_quantile(const MixtureView& p, double level, double side, std::optional<Quantiles>& ordinary) {
  if (level == 0.0) return -side * infinity;
  if (level < kOrdinaryLevel) return Quantiles(p, level).tail(level, side);
  if (!ordinary) ordinary.emplace(p, kOrdinaryLevel);
  return ordinary->tail(level, side);
}

// For a level in [1/2, 1] the difference 1 - level is exact.
double quantile(const MixtureView& p, double level, double side, std::optional<Quantiles>& ordinary) {
  return level <= 0.5 ? tail_quantile(p, level, side, ordinary) : tail_quantile(p, 1.0 - level, -side, ordinary);
}

}  // namespace

double cdf(const MixtureView& p, double y) { return tail(p, y, 1.0); }
double sf(const MixtureView& p, double y) { return tail(p, y, -1.0); }
double log_cdf(const MixtureView& p, double y) { return log_tail(p, y, 1.0); }
double log_sf(const MixtureView& p, double y) { return log_tail(p, y, -1.0); }

double quantile(const MixtureView& p, double level) {
  std::optional<Quantiles> ordinary;
  return quantile(p, level, 1.0, ordinary);
}
double upper_quantile(const MixtureView& p, double level) {
  std::optional<Quantiles> ordinary;
  return quantile(p, level, -1.0, ordinary);
}
Vector quantiles(const MixtureView& p, const VectorView& levels) {
  std::optional<Quantiles> ordinary;
  Vector out(levels.size());
  for (Index k = 0; k < out.size(); ++k) out[k] = quantile(p, levels[k], 1.0, ordinary);
  return out;
}
Interval quantile_pair(const MixtureView& p, double level) {
  std::optional<Quantiles> ordinary;
  const double lower = quantile(p, level, 1.0, ordinary);
  return {lower, quantile(p, level, -1.0, ordinary)};
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
  return std::max(0.0, dot(p.weights, more.data(), p.m));  // of nearly equal ends rounding may fall below
}

}  // namespace condens::detail
