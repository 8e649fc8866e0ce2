#include "inducing.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "condens/core/cancellation.hpp"
#include "condens/core/errors.hpp"
#include "condens/core/parallel.hpp"
#include "core/flush_subnormals.hpp"
#include "linalg/cholesky.hpp"
#include "linalg/gram.hpp"

namespace condens::gp {

namespace {

constexpr Index rows_of_chunk = 2048;  // m numbers for each are held
constexpr Index rows_of_block = 128;

/// Points that are equal or nearly so make k(Z, Z) singular: its diagonal gets a hundredth of the noise, but no more
/// than what rounding calls for.
Matrix lower_of(const Matrix& points, const Hyperparameters& at, int threads) {
  const double nugget = std::clamp(0.01 * at.noise_variance, 1e-10 * at.signal_variance, 1e-6 * at.signal_variance);
  const Hyperparameters prior{at.length_scales, at.signal_variance, nugget};
  Matrix out = factorize(points, Vector::Ones(points.cols()), prior, threads).lower;
  out.triangularView<Eigen::StrictlyUpper>().setZero();
  return out;
}

}  // namespace

InducedProcess::InducedProcess(const Matrix& points, const Dataset& rows, Index target, const Hyperparameters& at,
                               int threads)
    : points_(points), at_(at), lower_(lower_of(points, at, threads)) {
  const FlushSubnormals guard;
  const Index m = points.cols();
  const Index n = rows.size();
  Vector explained(n);
  factor_ = Matrix::Identity(m, m);
  c_ = Vector::Zero(m);
  Matrix chunk(m, std::min(n, rows_of_chunk));
  for (Index begin = 0; begin < n; begin += rows_of_chunk) {
    const Index count = std::min(rows_of_chunk, n - begin);
    const Vector precision = (rows.weights.segment(begin, count) / at.noise_variance).cwiseSqrt();
    parallel_for(block_count(count, rows_of_block), threads, [&](Index block) {
      const Range range = block_range(count, rows_of_block, block);
      Matrix part = features(rows.x.middleCols(begin + range.begin, range.size()));
      explained.segment(begin + range.begin, range.size()) = part.colwise().squaredNorm().transpose();
      chunk.middleCols(range.begin, range.size()) = part * precision.segment(range.begin, range.size()).asDiagonal();
    });
    add_gram(chunk.leftCols(count), factor_, threads);
    const auto y = rows.y.row(target).segment(begin, count).transpose();
    c_.noalias() += chunk.leftCols(count) * y.cwiseProduct(precision);
  }
  share_unexplained_ = std::max(0.0, 1 - explained.mean() / at.signal_variance);
  if (!cholesky_in_place(factor_, threads)) {
    throw NumericalError(message("GaussianProcess: the precision of the ", m,
                                 " inducing points has no Cholesky factor; give a larger noise_variance"));
  }
  factor_.triangularView<Eigen::StrictlyUpper>().setZero();
  solve_lower_in_place(factor_, c_);
}

InducedProcess::InducedProcess(const Matrix& points, const Vector& packed, Vector coefficients,
                               const Hyperparameters& at, int threads)
    : points_(points),
      at_(at),
      lower_(lower_of(points, at, threads)),
      factor_(Matrix::Zero(points.cols(), points.cols())),
      c_(std::move(coefficients)) {
  Index from = 0;
  for (Index j = 0; j < factor_.cols(); ++j) {
    factor_.col(j).tail(factor_.rows() - j) = packed.segment(from, factor_.rows() - j);
    from += factor_.rows() - j;
  }
}

Vector InducedProcess::packed_factor() const {
  const Index m = factor_.rows();
  Vector out(m * (m + 1) / 2);
  Index from = 0;
  for (Index j = 0; j < m; ++j) {
    out.segment(from, m - j) = factor_.col(j).tail(m - j);
    from += m - j;
  }
  return out;
}

Matrix InducedProcess::features(const MatrixView& x) const {
  Matrix out = kernel(points_, x, at_);
  if (x.cols() > 0) solve_lower_in_place(lower_, out);
  return out;
}

void InducedProcess::predict(const MatrixView& x, Vector& mean, Vector& variance) const {
  Matrix part = features(x);
  variance = at_.signal_variance - part.colwise().squaredNorm().transpose().array();
  if (x.cols() > 0) solve_lower_in_place(factor_, part);
  variance += part.colwise().squaredNorm().transpose();
  variance = variance.cwiseMax(0.0);
  mean = part.transpose() * c_;
}

Vector InducedProcess::kernel_coefficients() const {
  Vector out = c_;
  solve_lower_transposed_in_place(factor_, out);
  solve_lower_transposed_in_place(lower_, out);
  return out;
}

LeftOut InducedProcess::left_out(const Dataset& rows, Index target, int threads) const {
  const FlushSubnormals guard;
  LeftOut out{Vector(rows.size()), Vector(rows.size())};
  parallel_for(block_count(rows.size(), rows_of_block), threads, [&](Index block) {
    const Range range = block_range(rows.size(), rows_of_block, block);
    Matrix part = features(rows.x.middleCols(range.begin, range.size()));
    const Vector open = (at_.signal_variance - part.colwise().squaredNorm().transpose().array()).max(0.0);
    solve_lower_in_place(factor_, part);
    const Vector mean = part.transpose() * c_;
    for (Index i = 0; i < range.size(); ++i) {
      const Index row = range.begin + i;
      const double noise = at_.noise_variance / rows.weights[row];
      const double others = std::max(1 - part.col(i).squaredNorm() / noise, 1e-10);
      out.residuals[row] = (rows.y(target, row) - mean[i]) / others;
      out.variances[row] = noise / others + open[i];
    }
  });
  return out;
}

double LeftOut::score(const Vector& weights) const {
  const auto each = residuals.array().square() / variances.array() + variances.array().log();
  return 0.5 * ((each * weights.array()).sum() / weights.sum() + std::log(2 * std::numbers::pi));
}

}  // namespace condens::gp
