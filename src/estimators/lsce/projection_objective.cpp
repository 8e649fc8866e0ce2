#include "condens/estimators/lsce/projection_objective.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "condens/core/errors.hpp"
#include "core/flush_subnormals.hpp"
#include "kernels/gaussian_kernel.hpp"
#include "linalg/cholesky.hpp"
#include "linalg/gram.hpp"
#include "linalg/vector_math.hpp"

namespace condens {

namespace {

constexpr std::string_view objective_name = "ProjectionObjective";

constexpr Index rows_of_tile = 4096;  // held at once
constexpr Index rows_of_task = 512;   // of one thread
constexpr Index rows_of_panel = 64;   // b x 64 numbers stay in the second-level cache
constexpr double rank_tolerance = 1e-15;

Matrix gaussians(const MatrixView& centers, const MatrixView& points, double width) {
  Matrix out(centers.cols(), points.cols());
  squared_distances(centers.transpose(), points, out);
  out *= -0.5 / (width * width);
  exp_in_place(out);
  return out;
}

/// Calls body(panel) for the panels of rows in `range`, each a range within it.
template <class Body>
void for_panels(Range range, const Body& body) {
  for (Index k = 0; k < block_count(range.size(), rows_of_panel); ++k) {
    const Range panel = block_range(range.size(), rows_of_panel, k);
    body(Range{range.begin + panel.begin, range.begin + panel.end});
  }
}

}  // namespace

TargetKernels sce_kernels(const MatrixView& y, const MatrixView& centers_y, double width) {
  return {gaussians(centers_y, y, width), kernel_overlaps(centers_y, width)};
}

TargetKernels smi_kernels(const MatrixView& y, const VectorView& weights, const MatrixView& centers_y, double width) {
  TargetKernels out{gaussians(centers_y, y, width), Matrix::Zero(centers_y.cols(), centers_y.cols())};
  Matrix scaled = out.values;
  if (weights.size() > 0) scaled.array().rowwise() *= (weights / weights.sum()).array().sqrt().transpose();
  if (weights.size() == 0) scaled /= std::sqrt(static_cast<double>(y.cols()));
  add_gram(scaled, out.overlaps, 1);
  out.overlaps.triangularView<Eigen::StrictlyUpper>() = out.overlaps.transpose();
  return out;
}

/// Phi of the rows [rows.begin, rows.end), times sqrt(w_i / W), and z of these rows.
struct ProjectionObjective::Tile {
  Range rows = {0, 0};
  Matrix phi;
  Matrix z;
};

struct ProjectionObjective::Solution {
  double value;
  Vector a;
  Vector g;  // G is to be differentiated between a and g,
  Vector q;  // h along q
};

ProjectionObjective::ProjectionObjective(const MatrixView& x, const VectorView& weights, const MatrixView& centers_x,
                                         TargetKernels kernels, double bandwidth, double regularization,
                                         ProjectionCriterion criterion)
    : psi_(std::move(kernels.values)),
      overlaps_(std::move(kernels.overlaps)),
      bandwidth_(bandwidth),
      regularization_(regularization),
      criterion_(criterion) {
  const Index n = x.cols();
  const Index b = centers_x.cols();
  require(n > 0 && b > 0, objective_name, ": ", n, " rows and ", b, " centres, expected some of each");
  require(centers_x.rows() == x.rows(), objective_name, ": centres have ", centers_x.rows(), " inputs, x has ",
          x.rows());
  require(weights.size() == 0 || weights.size() == n, objective_name, ": ", weights.size(), " weights for ", n,
          " rows");
  require(weights.size() == 0 || weights.minCoeff() > 0, objective_name, ": weights must be > 0");
  require(psi_.rows() == b && psi_.cols() == n, objective_name, ": kernels of y are ", psi_.rows(), " x ", psi_.cols(),
          ", expected ", b, " x ", n);
  require(overlaps_.rows() == b && overlaps_.cols() == b, objective_name, ": overlaps are ", overlaps_.rows(), " x ",
          overlaps_.cols(), ", expected ", b, " x ", b);
  require(bandwidth > 0 && std::isfinite(bandwidth), objective_name, ": bandwidth = ", bandwidth, ", expected > 0");
  require(regularization > 0 && std::isfinite(regularization), objective_name, ": regularization = ", regularization,
          ", expected > 0");
  require(x.allFinite() && centers_x.allFinite() && weights.allFinite(), objective_name, ": numbers must be finite");
  const Vector share =
      weights.size() > 0 ? Vector(weights / weights.sum()) : Vector(Vector::Constant(n, 1.0 / static_cast<double>(n)));
  const Vector mean = x * share;
  x_ = x.colwise() - mean;
  centers_x_ = centers_x.colwise() - mean;
  half_log_share_ = 0.5 * share.array().log();
  psi_.array().rowwise() *= share.array().sqrt().transpose();
  Matrix factor = pivoted_cholesky(overlaps_, rank_tolerance);
  if (4 * factor.cols() < b) overlap_factor_ = std::move(factor);
}

void ProjectionObjective::fill(const MatrixView& w, const Matrix& centers_z, Range rows, int threads,
                               Tile& tile) const {
  tile.rows = rows;
  tile.phi.resize(centers_z.cols(), rows.size());
  tile.z.resize(w.rows(), rows.size());
  const Matrix centers = centers_z.transpose();
  const double factor = -0.5 / (bandwidth_ * bandwidth_);
  const auto body = [&](Index task) {
    for_panels(block_range(rows.size(), rows_of_task, task), [&](Range panel) {
      auto z = tile.z.middleCols(panel.begin, panel.size());
      auto phi = tile.phi.middleCols(panel.begin, panel.size());
      const Index first = rows.begin + panel.begin;
      z.noalias() = w * x_.middleCols(first, panel.size());
      squared_distances(centers, z, phi);
      phi *= factor;
      phi.rowwise() += half_log_share_.segment(first, panel.size()).transpose();
      exp_in_place(phi);
    });
  };
  parallel_for(block_count(rows.size(), rows_of_task), threads, body);
}

ProjectionObjective::Solution ProjectionObjective::solve(const MatrixView& w, const Matrix& centers_z, int threads,
                                                         const std::function<void()>& poll, Tile& tile) const {
  const Index n = x_.cols();
  const Index b = centers_z.cols();
  Matrix gram = Matrix::Zero(b, b);
  Vector h = Vector::Zero(b);
  for (Index k = 0; k < block_count(n, rows_of_tile); ++k) {
    fill(w, centers_z, block_range(n, rows_of_tile, k), threads, tile);
    add_gram(tile.phi, gram, threads);
    for (Index i = 0; i < tile.rows.size(); ++i) {
      h += tile.phi.col(i).cwiseProduct(psi_.col(tile.rows.begin + i));
    }
    if (poll) poll();
  }
  gram = gram.cwiseProduct(overlaps_);  // the upper triangle is not read
  gram.diagonal().array() += regularization_;
  const Cholesky factor(std::move(gram), threads);
  if (!factor.ok()) {
    const Vector none = Vector::Constant(b, std::numeric_limits<double>::quiet_NaN());
    return {std::numeric_limits<double>::quiet_NaN(), none, none, none};
  }
  Solution out;
  out.a = factor.solve(h);
  out.value = -0.5 * h.dot(out.a);
  if (criterion_ == ProjectionCriterion::envelope) {
    out.g = 0.5 * out.a;
    out.q = -out.a;
    return out;
  }
  // (G + lambda I) a = h, so a'Ga/2 - h'a = -h'a/2 - lambda |a|^2 / 2 and G a = h - lambda a.
  out.value -= 0.5 * regularization_ * out.a.squaredNorm();
  const Vector beta = out.a - regularization_ * factor.solve(out.a);
  out.g = 1.5 * out.a - beta;
  out.q = beta - 2.0 * out.a;
  return out;
}

Matrix ProjectionObjective::gradient(const MatrixView& w, const Matrix& centers_z, const Solution& solution,
                                     int threads, const std::function<void()>& poll, Tile& tile) const {
  const Index n = x_.cols();
  const Index b = centers_z.cols();
  const Index d_z = w.rows();
  const Index rank = overlap_factor_.cols();
  Matrix dense;  // V o (g a' + a g'), or its factors left right'
  Matrix left;
  Matrix right;
  if (rank > 0) {
    left.resize(b, 2 * rank);
    left << solution.g.asDiagonal() * overlap_factor_, solution.a.asDiagonal() * overlap_factor_;
    right.resize(b, 2 * rank);
    right << left.rightCols(rank), left.leftCols(rank);
  } else {
    dense = solution.g * solution.a.transpose();
    dense = (dense + dense.transpose()).cwiseProduct(overlaps_).eval();
  }
  struct Part {
    Matrix gradient;  // sum of (Z diag(r) - U C) X'
    Matrix zc;        // Z C'
    Vector c;
  };
  const double factor = -0.5 / (bandwidth_ * bandwidth_);
  const auto add_rows = [&](Range rows, Part& part) {
    Matrix e(b, rows_of_panel);
    for_panels(rows, [&](Range panel) {
      const Index first = tile.rows.begin + panel.begin;
      const auto phi = tile.phi.middleCols(panel.begin, panel.size());
      const auto z = tile.z.middleCols(panel.begin, panel.size());
      auto c = e.leftCols(panel.size());
      if (rank > 0) {
        const Matrix inner = right.transpose() * phi;
        c.noalias() = left * inner;
      } else {
        c.noalias() = dense * phi;
      }
      c += solution.q.asDiagonal() * psi_.middleCols(first, panel.size());
      c.array() *= factor * phi.array();
      Matrix to_x = z * c.colwise().sum().asDiagonal();
      to_x.noalias() -= centers_z * c;
      part.gradient.noalias() += to_x * x_.middleCols(first, panel.size()).transpose();
      part.zc.noalias() += z * c.transpose();
      part.c += c.rowwise().sum();
    });
  };
  Part total{Matrix::Zero(d_z, x_.rows()), Matrix::Zero(d_z, b), Vector::Zero(b)};
  const Index tiles = block_count(n, rows_of_tile);
  for (Index k = 0; k < tiles; ++k) {
    if (tiles > 1) fill(w, centers_z, block_range(n, rows_of_tile, k), threads, tile);
    const Index tasks = block_count(tile.rows.size(), rows_of_task);
    std::vector<Part> parts(static_cast<std::size_t>(tasks),
                            {Matrix::Zero(d_z, x_.rows()), Matrix::Zero(d_z, b), Vector::Zero(b)});
    const auto body = [&](Index task) {
      add_rows(block_range(tile.rows.size(), rows_of_task, task), parts[static_cast<std::size_t>(task)]);
    };
    parallel_for(tasks, threads, body);
    for (const Part& part : parts) {
      total.gradient += part.gradient;
      total.zc += part.zc;
      total.c += part.c;
    }
    if (poll) poll();
  }
  total.gradient.noalias() += (centers_z * total.c.asDiagonal() - total.zc) * centers_x_.transpose();
  return 2.0 * total.gradient;
}

ProjectionValue ProjectionObjective::evaluate(const MatrixView& w, int threads,
                                              const std::function<void()>& poll) const {
  require(w.cols() == n_inputs(), objective_name, ": W has ", w.cols(), " columns, expected ", n_inputs());
  const FlushSubnormals guard;
  const Matrix centers_z = w * centers_x_;
  Tile tile;
  const Solution solution = solve(w, centers_z, threads, poll, tile);
  if (!std::isfinite(solution.value)) {
    return {solution.value, Matrix::Constant(w.rows(), w.cols(), std::numeric_limits<double>::quiet_NaN())};
  }
  return {solution.value, gradient(w, centers_z, solution, threads, poll, tile)};
}

double ProjectionObjective::value(const MatrixView& w, int threads) const { return solution(w, threads).value; }

Vector ProjectionObjective::coefficients(const MatrixView& w, int threads) const { return solution(w, threads).a; }

ProjectionObjective::Solution ProjectionObjective::solution(const MatrixView& w, int threads) const {
  require(w.cols() == n_inputs(), objective_name, ": W has ", w.cols(), " columns, expected ", n_inputs());
  const FlushSubnormals guard;
  Tile tile;
  return solve(w, w * centers_x_, threads, {}, tile);
}

}  // namespace condens
