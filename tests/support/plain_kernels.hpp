#pragma once
// Gaussian kernels at data points, written as their formulas.

#include <cmath>
#include <numbers>

#include "condens/core/types.hpp"

namespace condens {

/// N(x_k; x_l, width^2 I) for all pairs of columns.
inline Matrix plain_kernels(const Matrix& x, double width) {
  Matrix out(x.cols(), x.cols());
  const double top = std::pow(std::sqrt(2 * std::numbers::pi) * width, -static_cast<double>(x.rows()));
  for (Index l = 0; l < x.cols(); ++l) {
    for (Index k = 0; k < x.cols(); ++k) {
      out(k, l) = top * std::exp(-0.5 * (x.col(k) - x.col(l)).squaredNorm() / (width * width));
    }
  }
  return out;
}

/// The Parzen window at its own points, with or without the kernel that stands there.
inline Vector plain_parzen(const Matrix& x, double width, bool leave_self_out) {
  Matrix kernels = plain_kernels(x, width);
  const auto n = static_cast<double>(x.cols());
  if (!leave_self_out) return kernels.rowwise().sum() / n;
  kernels.diagonal().setZero();
  return kernels.rowwise().sum() / (n - 1);
}

/// The column of `x` that is nearest to `point`.
inline Index nearest_column(const Matrix& x, const Vector& point) {
  Index out = 0;
  (x.colwise() - point).colwise().squaredNorm().minCoeff(&out);
  return out;
}

}  // namespace condens
