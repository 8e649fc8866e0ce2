#pragma once
// Multivariate normal laws by the formula, from a covariance: determinant and solution of one system.

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <cmath>
#include <numbers>

#include "condens/distributions/gaussian_mixture.hpp"
#include "normals.hpp"

namespace condens {

inline double plain_normal_log_pdf(const Vector& y, const Vector& mean, const Matrix& covariance) {
  const Vector deviation = y - mean;
  const double square = deviation.dot(covariance.llt().solve(deviation));
  return -0.5 * (square + std::log(covariance.determinant()) +
                 static_cast<double>(y.size()) * std::log(2.0 * std::numbers::pi));
}

inline double plain_mixture_pdf(const Vector& y, const Vector& weights, const Matrix& means,
                                const std::vector<Matrix>& covariances) {
  double total = 0.0;
  for (Index l = 0; l < weights.size(); ++l) {
    total += weights[l] * std::exp(plain_normal_log_pdf(y, means.col(l), covariances[static_cast<std::size_t>(l)]));
  }
  return total;
}

/// A A' + a little, correlations of every size.
inline Matrix random_covariance(Index d, RandomStream& random) {
  const Matrix a = normals(d, d, random);
  return a * a.transpose() + 0.1 * Matrix::Identity(d, d);
}

inline Matrix columns_of(const std::vector<Matrix>& matrices) {
  const Index d = matrices.front().rows();
  Matrix out(d * d, static_cast<Index>(matrices.size()));
  for (std::size_t l = 0; l < matrices.size(); ++l) out.col(static_cast<Index>(l)) = matrices[l].reshaped();
  return out;
}

}  // namespace condens
