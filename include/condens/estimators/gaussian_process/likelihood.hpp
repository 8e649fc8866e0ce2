#pragma once
// The marginal likelihood of a Gaussian process with zero mean and its gradient, exact.
//
// Source: C. E. Rasmussen and C. K. I. Williams, Gaussian Processes for Machine Learning,
// MIT Press 2006, eqs. 2.30 and 5.9.
//
//   k(x, x') = s_f^2 exp(-1/2 sum_k (x_k - x'_k)^2 / l_k^2)
//   K        = k(X, X) + diag(s_n^2 / w_i)               a row of weight 2 is two copies
//   -log p(y) = 1/2 y'K^-1 y + 1/2 log|K| + n/2 log 2 pi
//               + sum_i ((w_i - 1)/2 log(2 pi s_n^2) + 1/2 log w_i)
//
// The last line makes a row of weight w equal w copies of it, derivative and all: it is the
// part of their likelihood that does not depend on the process.

#include <vector>

#include "condens/core/types.hpp"

namespace condens::gp {

struct Hyperparameters {
  Vector length_scales;    ///< l, d_x
  double signal_variance;  ///< s_f^2
  double noise_variance;   ///< s_n^2
};

/// K + jitter I = L L'.
struct Factor {
  Matrix lower;   ///< L; what lies above the diagonal is not used
  double jitter;  ///< 0, or what rounding made necessary
};

/// Standardised or at least centred inputs (d_x x n) and weights > 0 (n). Throws NumericalError when
/// a jitter of 1e-4 s_f^2 does not help. Cost: n^3 / 3. The bits do not depend on `threads`.
Factor factorize(const Matrix& x, const Vector& weights, const Hyperparameters& at, int threads);

/// K^-1 y.
Vector solve(const Factor& factor, const Vector& y);

/// k(X, points), n x points.
Matrix kernel(const Matrix& x, const MatrixView& points, const Hyperparameters& at);

struct Likelihood {
  double negative_log;
  Vector length_scales;    ///< derivatives of negative_log by log l_k
  double signal_variance;  ///< and by log s_f^2
  double noise_variance;   ///< and by log s_n^2
};

/// Cost: n^3 for the factor and the inverse, one product of n^2 d_x for all length scales
/// together. Memory: 2 n^2.
Likelihood negative_log_likelihood(const Matrix& x, const Vector& y, const Vector& weights, const Hyperparameters& at,
                                   int threads);

/// The value alone, from a factor.
double negative_log_likelihood(const Factor& factor, const Vector& y, const Vector& weights, const Hyperparameters& at);

}  // namespace condens::gp
