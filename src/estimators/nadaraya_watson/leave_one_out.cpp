#include "condens/estimators/nadaraya_watson/leave_one_out.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "condens/core/errors.hpp"
#include "condens/core/parallel.hpp"
#include "core/flush_subnormals.hpp"
#include "kernels/gaussian_kernel.hpp"
#include "linalg/log_sum_exp.hpp"
#include "linalg/vector_math.hpp"

namespace condens {

namespace {

constexpr std::string_view likelihood_name = "leave-one-out likelihood";

/// Rows that one task takes, and of those at a time: panels of n numbers for each row
/// that stay in the second-level cache.
constexpr Index rows_of_task = 64;
Index rows_of_tile(Index n) { return std::clamp<Index>(32768 / n, 16, 32); }

}  // namespace

/// T x_i as rows (n x d'), and which entries of M are wanted.
struct NwLeaveOneOut::Metric {
  Matrix mapped;
  bool full;
};

/// What some rows add to the gradient.
struct NwLeaveOneOut::Sums {
  Matrix moments;  ///< its part of M: d x d, or the diagonal, d x 1
  double gradient_y = 0;
};

NwLeaveOneOut::NwLeaveOneOut(const MatrixView& x, const MatrixView& y, const VectorView& weights,
                             const Defensive& defensive)
    : x_(x), y_(y), weights_(weights), defensive_(defensive) {
  require(y.cols() >= 2, likelihood_name, ": ", y.cols(), " rows, expected at least two");
  require(x.cols() == y.cols(), likelihood_name, ": x has ", x.cols(), " rows and y ", y.cols(), ", expected as many");
  require(y.rows() >= 1, likelihood_name, ": y has no columns, expected at least one");
  require(x.allFinite() && y.allFinite(), likelihood_name, ": x or y holds NaN or infinity");
  if (weights_.size() == 0) weights_ = Vector::Ones(y.cols());
  require(weights_.size() == y.cols(), likelihood_name, ": ", weights_.size(), " weights for ", y.cols(), " rows");
  require(weights_.allFinite() && weights_.minCoeff() > 0, likelihood_name, ": weights must be finite and > 0");
  weights_ /= weights_.sum();
  log_weights_ = weights_.array().log();
  if (x_.rows() > 0) x_.colwise() -= Vector(x_.rowwise().mean());
  x_squared_ = x_.cwiseAbs2();
  if (defensive_.weight > 0) log_defensive_ = defensive_.log_density(y_);
}

NwLikelihood NwLeaveOneOut::of_widths(const VectorView& widths, double bandwidth_y, int threads,
                                      const std::function<void()>& poll) const {
  require(widths.size() == n_inputs(), likelihood_name, ": ", widths.size(), " widths, expected ", n_inputs());
  require((widths.array() > 0).all(), likelihood_name, ": widths must be > 0");
  const Vector inverse = widths.cwiseInverse();
  NwLikelihood out = evaluate({x_.transpose() * inverse.asDiagonal(), false}, bandwidth_y, threads, poll);
  out.gradient.array() *= inverse.array().square();
  return out;
}

NwLikelihood NwLeaveOneOut::of_matrix(const MatrixView& w, double bandwidth_y, int threads,
                                      const std::function<void()>& poll) const {
  require(w.cols() == n_inputs(), likelihood_name, ": W has ", w.cols(), " columns, expected ", n_inputs());
  require(w.allFinite(), likelihood_name, ": W holds NaN or infinity");
  NwLikelihood out = evaluate({x_.transpose() * w.transpose(), true}, bandwidth_y, threads, poll);
  out.gradient = -(w * out.gradient);
  return out;
}

NwLikelihood NwLeaveOneOut::evaluate(const Metric& metric, double bandwidth_y, int threads,
                                     const std::function<void()>& poll) const {
  require(bandwidth_y > 0 && std::isfinite(bandwidth_y), likelihood_name, ": bandwidth_y = ", bandwidth_y,
          ", expected > 0");
  const FlushSubnormals guard;
  const Index n = size();
  const Matrix y_scaled = y_.transpose() / bandwidth_y;
  const double log_mass = log_kernel_mass(y_.rows(), bandwidth_y);
  NwLikelihood out{0.0, Vector(n), {}, 0.0};
  std::vector<Sums> sums(static_cast<std::size_t>(block_count(n, rows_of_task)));
  const auto body = [&](Index task) {
    sums[static_cast<std::size_t>(task)] =
        evaluate_rows(metric, y_scaled, log_mass, block_range(n, rows_of_task, task), out.rows);
  };
  parallel_for(std::ssize(sums), threads, body, poll);
  out.gradient = Matrix::Zero(n_inputs(), metric.full ? n_inputs() : 1);
  for (const Sums& part : sums) {
    out.gradient += part.moments;
    out.gradient_y += part.gradient_y;
  }
  out.value = out.rows.dot(weights_);
  return out;
}

/// Row i: p becomes column i of R, from -|T (x_i - x_j)|^2 / 2 + log w_j (j != i), with
/// `y_distance` |y_i - y_j|^2 / h_y^2 and q as work space. Returns log p_{-i}(y_i|x_i).
double NwLeaveOneOut::evaluate_row(Index i, double log_mass, Vector& y_distance, double* p, double* q,
                                   double& gradient_y) const {
  const Index n = size();
  Eigen::Map<Vector> p_i(p, n);
  Eigen::Map<Vector> q_i(q, n);
  p_i[i] = -std::numeric_limits<double>::infinity();
  q_i = p_i - 0.5 * y_distance;
  const double log_above = log_sum_exp_in_place(q, n);
  const double log_below = log_sum_exp_in_place(p, n);
  const double own = std::isfinite(log_above) ? log_above - log_below - log_mass : log_above;
  const double mixed = defensive_.weight > 0 ? defensive_.log_mixed(own, log_defensive_[i]) : own;
  if (!std::isfinite(own)) {  // nothing within reach, and no gradient
    p_i.setZero();
    return mixed;
  }
  const double share = weights_[i] * std::exp(std::log1p(-defensive_.weight) + own - mixed);
  const double to_q = share / sum(q, n);
  const double to_p = share / sum(p, n);
  gradient_y += to_q * dot(q, y_distance.data(), n) - share * static_cast<double>(y_.rows());
  p_i = to_q * q_i - to_p * p_i;
  return mixed;
}

NwLeaveOneOut::Sums NwLeaveOneOut::evaluate_rows(const Metric& metric, const Matrix& y_scaled, double log_mass,
                                                 Range range, Vector& rows) const {
  const Index n = size();
  const Index d = n_inputs();
  const Index tile = rows_of_tile(n);
  Matrix r_panel(n, tile);
  Vector y_distance(n);
  Vector q(n);
  Vector c = Vector::Zero(n);
  Sums out{Matrix::Zero(d, metric.full ? d : 1), 0.0};
  for (Index begin = range.begin; begin < range.end; begin += tile) {
    const Index count = std::min(tile, range.end - begin);
    auto r = r_panel.leftCols(count);
    squared_distances(metric.mapped, metric.mapped.middleRows(begin, count).transpose(), r);
    for (Index k = 0; k < count; ++k) {
      r.col(k) = log_weights_ - 0.5 * r.col(k);
      squared_distances(y_scaled, y_scaled.row(begin + k).transpose(), y_distance);
      rows[begin + k] = evaluate_row(begin + k, log_mass, y_distance, r.col(k).data(), q.data(), out.gradient_y);
    }
    c += r.rowwise().sum();
    const Matrix xr = x_ * r;
    const auto x_tile = x_.middleCols(begin, count);
    if (metric.full) {
      const Matrix crossed = x_tile * xr.transpose();
      out.moments -= crossed + crossed.transpose();
    } else {
      out.moments -= 2.0 * x_tile.cwiseProduct(xr).rowwise().sum();
    }
  }
  if (metric.full) {
    out.moments += x_ * c.asDiagonal() * x_.transpose();
  } else {
    out.moments += x_squared_ * c;
  }
  return out;
}

}  // namespace condens
