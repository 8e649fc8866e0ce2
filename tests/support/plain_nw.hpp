#pragma once
// The Nadaraya-Watson conditional density and its leave-one-out likelihood written as
// the paper writes them: loops over pairs, a sum for every row.

#include <cmath>
#include <numbers>

#include "condens/core/types.hpp"

namespace condens::plain {

/// log of sum_j w_j k(T(x - x_j)) N(y; y_j, h_y^2 I) / sum_j w_j k(T(x - x_j)), without row `left_out`.
inline double nw_log_density(const Matrix& xs, const Matrix& ys, const Vector& w, const Matrix& t, double h_y,
                             const Vector& x, const Vector& y, Index left_out = -1) {
  const double mass = std::pow(std::sqrt(2 * std::numbers::pi) * h_y, static_cast<double>(y.size()));
  double above = 0;
  double below = 0;
  for (Index j = 0; j < ys.cols(); ++j) {
    if (j == left_out) continue;
    const Vector z = t * (x - xs.col(j));
    const double k = w[j] * std::exp(-0.5 * z.squaredNorm());
    below += k;
    above += k * std::exp(-0.5 * (y - ys.col(j)).squaredNorm() / (h_y * h_y)) / mass;
  }
  return std::log(above / below);
}

/// log N(y; mean, diag(scale^2)).
inline double normal_log_density(const Vector& y, const Vector& mean, const Vector& scale) {
  double out = 0;
  for (Index k = 0; k < y.size(); ++k) {
    const double z = (y[k] - mean[k]) / scale[k];
    out -= 0.5 * z * z + std::log(std::sqrt(2 * std::numbers::pi) * scale[k]);
  }
  return out;
}

}  // namespace condens::plain
