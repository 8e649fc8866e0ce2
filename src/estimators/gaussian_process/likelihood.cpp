#include "condens/estimators/gaussian_process/likelihood.hpp"

#include <array>
#include <cmath>
#include <numbers>

#include "condens/core/errors.hpp"
#include "condens/core/parallel.hpp"
#include "core/flush_subnormals.hpp"
#include "kernels/gaussian_kernel.hpp"
#include "linalg/cholesky.hpp"
#include "linalg/vector_math.hpp"

namespace condens::gp {

namespace {

constexpr Index columns_per_block = 64;
constexpr std::array jitters = {0.0, 1e-10, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4};  // relative to s_f^2

/// x_k / l_k: kernels of unit length scale.
Matrix scaled(const MatrixView& x, const Hyperparameters& at) { return x.array().colwise() / at.length_scales.array(); }

/// s_f^2 exp(-1/2 |z_i - z|^2) for the rows z_i of `rows` and the columns z of `points`.
void fill_kernel(const MatrixView& rows, const MatrixView& points, double signal_variance, Matrix& out) {
  out.resize(rows.rows(), points.cols());
  squared_distances(rows, points, out);
  out *= -0.5;
  exp_in_place(out);
  out *= signal_variance;
}

/// k(X, X), the lower triangle.
Matrix lower_kernel(const Matrix& z, double signal_variance, int threads) {
  const Index n = z.cols();
  const Matrix rows = z.transpose();
  Matrix out = Matrix::Zero(n, n);
  parallel_for(block_count(n, columns_per_block), threads, [&](Index block) {
    const Range range = block_range(n, columns_per_block, block);
    Matrix part;
    fill_kernel(rows.bottomRows(n - range.begin), z.middleCols(range.begin, range.size()), signal_variance, part);
    out.block(range.begin, range.begin, part.rows(), part.cols()) = part;
  });
  return out;
}

Factor factor_of(const Matrix& kernel, const Vector& weights, const Hyperparameters& at, int threads) {
  require(kernel.rows() > 0 && weights.size() == kernel.rows(), "GaussianProcess: ", kernel.rows(), " rows and ",
          weights.size(), " weights, expected one for each of at least one row");
  Factor out{Matrix(), 0.0};
  for (const double relative : jitters) {
    out.jitter = relative * at.signal_variance;
    out.lower = kernel;
    out.lower.diagonal().array() += at.noise_variance / weights.array() + out.jitter;
    const bool ok = cholesky_in_place(out.lower, threads);
    // A pivot that rounding made positive is no better than one that it made negative.
    const double smallest = out.lower.diagonal().minCoeff();
    if (ok && smallest > 0 && std::isfinite(smallest)) return out;
  }
  throw NumericalError(message("GaussianProcess: the covariance matrix is not positive definite, even with ",
                               jitters.back(), " of the signal variance added; give a larger noise_variance"));
}

/// Sums over one block of columns of the lower triangle of Q = alpha alpha' - K^-1.
struct Sums {
  Vector lengths;     ///< sum_{i>j} B_ij (z_ik - z_jk)^2, B = Q o k(X, X)
  double signal = 0;  ///< sum_ij B_ij
  double noise = 0;   ///< sum_i Q_ii s_n^2 / w_i
};

/// The last n - j rows of K^-1 e_j depend on the trailing block of L only.
Matrix inverse_columns(const Matrix& lower, Range range) {
  const Index rows = lower.rows() - range.begin;
  Matrix out = Matrix::Zero(rows, range.size());
  out.topRows(range.size()).setIdentity();
  const auto trailing = lower.bottomRightCorner(rows, rows);
  solve_lower_in_place(trailing, out);
  solve_lower_transposed_in_place(trailing, out);
  return out;
}

Sums sums_of_block(const Matrix& z, const Matrix& kernel, const Factor& factor, const Vector& alpha,
                   const Vector& noise, Range range) {
  const Index b = range.size();
  const Index rows = z.cols() - range.begin;
  Matrix q = -inverse_columns(factor.lower, range);
  q.noalias() += alpha.tail(rows) * alpha.segment(range.begin, b).transpose();
  Sums out;
  out.noise = q.diagonal().dot(noise.segment(range.begin, b));
  q.array() *= kernel.block(range.begin, range.begin, rows, b).array();  // B
  const double diagonal = q.diagonal().sum();
  for (Index j = 0; j < b; ++j) q.col(j).head(j + 1).setZero();
  const Vector of_rows = q.rowwise().sum();
  const Vector of_columns = q.colwise().sum().transpose();
  out.signal = diagonal + 2 * of_rows.sum();
  const auto tail = z.rightCols(rows);
  const auto own = z.middleCols(range.begin, b);
  const Matrix product = tail * q;  // d_x x b
  out.lengths = tail.array().square().matrix() * of_rows + own.array().square().matrix() * of_columns -
                2 * product.cwiseProduct(own).rowwise().sum();
  return out;
}

/// What weights other than one add, see the head of likelihood.hpp.
double copies_term(const Vector& weights, double noise_variance) {
  return 0.5 * (weights.sum() - static_cast<double>(weights.size())) * std::log(2 * std::numbers::pi * noise_variance) +
         0.5 * weights.array().log().sum();
}

}  // namespace

Factor factorize(const Matrix& x, const Vector& weights, const Hyperparameters& at, int threads) {
  const FlushSubnormals guard;
  return factor_of(lower_kernel(scaled(x, at), at.signal_variance, threads), weights, at, threads);
}

Vector solve(const Factor& factor, const Vector& y) {
  Vector out = y;
  solve_lower_in_place(factor.lower, out);
  solve_lower_transposed_in_place(factor.lower, out);
  return out;
}

Matrix kernel(const Matrix& x, const MatrixView& points, const Hyperparameters& at) {
  Matrix out;
  fill_kernel(scaled(x, at).transpose(), scaled(points, at), at.signal_variance, out);
  return out;
}

double negative_log_likelihood(const Factor& factor, const Vector& y, const Vector& weights,
                               const Hyperparameters& at) {
  const double n = static_cast<double>(y.size());
  return 0.5 * y.dot(solve(factor, y)) + factor.lower.diagonal().array().log().sum() +
         0.5 * n * std::log(2 * std::numbers::pi) + copies_term(weights, at.noise_variance);
}

Likelihood negative_log_likelihood(const Matrix& x, const Vector& y, const Vector& weights, const Hyperparameters& at,
                                   int threads) {
  const FlushSubnormals guard;
  const Index n = y.size();
  const Matrix z = scaled(x, at);
  const Matrix kernel = lower_kernel(z, at.signal_variance, threads);
  const Factor factor = factor_of(kernel, weights, at, threads);
  const Vector alpha = solve(factor, y);
  const Vector noise = at.noise_variance / weights.array();
  std::vector<Sums> parts(static_cast<std::size_t>(block_count(n, columns_per_block)));
  parallel_for(std::ssize(parts), threads, [&](Index block) {
    const Range range = block_range(n, columns_per_block, block);
    parts[static_cast<std::size_t>(block)] = sums_of_block(z, kernel, factor, alpha, noise, range);
  });

  Likelihood out{negative_log_likelihood(factor, y, weights, at), Vector::Zero(x.rows()), 0.0, 0.0};
  for (const Sums& part : parts) {
    out.length_scales -= part.lengths;
    out.signal_variance -= 0.5 * part.signal;
    out.noise_variance -= 0.5 * part.noise;
  }
  out.noise_variance += 0.5 * (weights.sum() - static_cast<double>(n));
  return out;
}

}  // namespace condens::gp
