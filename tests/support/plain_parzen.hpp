#pragma once
// Parzen windows and the criteria that choose their widths, as loops over pairs.

#include <cmath>
#include <numbers>
#include <vector>

#include "condens/core/types.hpp"

namespace condens::plain {

/// N(a; b, diag(g)^2), its logarithm.
inline double log_normal(const Vector& a, const Vector& b, const Vector& g) {
  double out = 0;
  for (Index k = 0; k < a.size(); ++k) {
    out -= 0.5 * std::pow((a[k] - b[k]) / g[k], 2) + std::log(std::sqrt(2 * std::numbers::pi) * g[k]);
  }
  return out;
}

/// log sum of exp, the largest taken out.
inline double log_total(const std::vector<double>& terms) {
  double top = -INFINITY;
  for (const double term : terms) top = std::max(top, term);
  double sum = 0;
  for (const double term : terms) sum += std::exp(term - top);
  return top + std::log(sum);
}

/// log p(point) of the window on the columns of z that `fold` and `left_out` leave.
inline double parzen_log_density(const Matrix& z, const Vector& weights, const Vector& g, const Vector& point,
                                 const std::vector<bool>& left_out = {}) {
  std::vector<double> terms;
  double mass = 0;
  for (Index j = 0; j < z.cols(); ++j) {
    if (!left_out.empty() && left_out[static_cast<std::size_t>(j)]) continue;
    terms.push_back(std::log(weights[j]) + log_normal(point, z.col(j), g));
    mass += weights[j];
  }
  return log_total(terms) - std::log(mass);
}

/// Who is left out for row i: itself, or its fold.
inline std::vector<bool> left_out(Index i, Index n, const std::vector<Index>& fold) {
  std::vector<bool> out(static_cast<std::size_t>(n));
  for (Index j = 0; j < n; ++j) out[j] = fold.empty() ? i == j : fold[i] == fold[j];
  return out;
}

/// -sum_i w_i log p_{-i}(z_i), weights of any sum.
inline double parzen_likelihood(const Matrix& z, const Vector& weights, const Vector& g,
                                const std::vector<Index>& fold = {}) {
  double out = 0;
  for (Index i = 0; i < z.cols(); ++i) {
    out -= weights[i] * parzen_log_density(z, weights, g, z.col(i), left_out(i, z.cols(), fold));
  }
  return out / weights.sum();
}

/// The integral of p^2 for the window on what is left.
inline double parzen_square(const Matrix& z, const Vector& weights, const Vector& g, const std::vector<bool>& out) {
  double sum = 0;
  double mass = 0;
  for (Index i = 0; i < z.cols(); ++i) {
    if (out[i]) continue;
    mass += weights[i];
    for (Index j = 0; j < z.cols(); ++j) {
      if (!out[j]) sum += weights[i] * weights[j] * std::exp(log_normal(z.col(i), z.col(j), std::numbers::sqrt2 * g));
    }
  }
  return sum / (mass * mass);
}

/// (1/2) integral of p^2 - sum_i w_i p_{-i}(z_i); with folds, the integral of p_{-k}^2 by their weights.
inline double parzen_squared(const Matrix& z, const Vector& weights, const Vector& g,
                             const std::vector<Index>& fold = {}) {
  const Index n = z.cols();
  double value = fold.empty() ? 0.5 * parzen_square(z, weights, g, std::vector<bool>(n)) : 0.0;
  for (Index i = 0; i < n; ++i) {
    const std::vector<bool> out = left_out(i, n, fold);
    const double share = weights[i] / weights.sum();
    if (!fold.empty()) value += 0.5 * share * parzen_square(z, weights, g, out);
    value -= share * std::exp(parzen_log_density(z, weights, g, z.col(i), out));
  }
  return value;
}

}  // namespace condens::plain
