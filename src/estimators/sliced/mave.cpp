#include "mave.hpp"

#include <cmath>

#include "condens/core/errors.hpp"
#include "linalg/cholesky.hpp"
#include "linalg/decompositions.hpp"
#include "linalg/vector_math.hpp"
#include "optim/grassmann.hpp"

namespace condens::reduction {

namespace {

constexpr Index most_steps = 30;
constexpr double least_turn = 1e-4;  // sine of an angle
constexpr double ridge = 1e-6;       // of local regressions, in the largest square
constexpr Index most_unknowns = 2000;

/// The rule of thumb for local regressions of standardised columns.
double width_of(const Dataset& rows, Index d) {
  const double n = rows.weights.sum() * rows.weights.sum() / rows.weights.squaredNorm();
  return std::pow(n, -1.0 / static_cast<double>(d + 4)) * std::sqrt(static_cast<double>(d));
}

/// The regression of all targets on (1, z_i - z_j) with the weights k_ij.
struct LocalLine {
  Vector weights;     // k_ij, of sum 1
  Vector intercepts;  // targets
  Matrix slopes;      // d x targets
};

LocalLine local_line(const Dataset& rows, const Matrix& z, Index j, double width) {
  const Matrix away = z.colwise() - Vector(z.col(j));
  Vector k = away.colwise().squaredNorm().transpose() * (-0.5 / (width * width));
  exp_in_place(k.data(), k.size());
  k = k.cwiseProduct(rows.weights);
  k /= k.sum();
  Matrix design(away.rows() + 1, away.cols());
  design.row(0).setOnes();
  design.bottomRows(away.rows()) = away;
  const Matrix weighted = design * k.asDiagonal();
  Matrix system = weighted * design.transpose();
  system.diagonal().tail(away.rows()).array() += ridge * std::max(1e-300, system.diagonal().maxCoeff());
  const Cholesky factor(std::move(system));
  if (!factor.ok()) throw NumericalError("minimum average variance: a local regression has no solution");
  const Matrix found = factor.solve(Matrix(weighted * rows.y.transpose()));
  return {std::move(k), found.row(0).transpose(), found.bottomRows(away.rows())};
}

Matrix leading(const Matrix& symmetric, Index count) {
  return symmetric_eigen(symmetric).vectors.rowwise().reverse().leftCols(count).transpose();
}

}  // namespace

Matrix outer_products_of_gradients(const Dataset& rows, const std::function<void()>& poll) {
  const double width = width_of(rows, rows.x.rows());
  Matrix out = Matrix::Zero(rows.x.rows(), rows.x.rows());
  for (Index j = 0; j < rows.size(); ++j) {
    poll();
    const LocalLine line = local_line(rows, rows.x, j, width);
    out += rows.weights[j] * line.slopes * line.slopes.transpose();
  }
  return out;
}

Matrix mave_step(const Dataset& rows, const Matrix& w) {
  const Index d = w.rows();
  const Index d_x = w.cols();
  const Matrix z = w * rows.x;
  const double width = width_of(rows, d);
  // Of vec(W'): the slopes of (y - a_j) on b_j (x) (x_i - x_j).
  Matrix system = Matrix::Zero(d * d_x, d * d_x);
  Matrix right = Matrix::Zero(d_x, d);
  for (Index j = 0; j < rows.size(); ++j) {
    const LocalLine line = local_line(rows, z, j, width);
    const Matrix away = rows.x.colwise() - Vector(rows.x.col(j));
    const Matrix weighted = rows.weights[j] * away * line.weights.asDiagonal();
    const Matrix second = weighted * away.transpose();
    const Matrix products = line.slopes * line.slopes.transpose();
    for (Index a = 0; a < d; ++a) {
      for (Index b = 0; b < d; ++b) system.block(a * d_x, b * d_x, d_x, d_x) += products(a, b) * second;
    }
    const Matrix left_over = rows.y.colwise() - line.intercepts;
    right += weighted * left_over.transpose() * line.slopes.transpose();
  }
  system.diagonal().array() += ridge * std::max(1e-300, system.diagonal().mean());
  const Cholesky factor(std::move(system));
  if (!factor.ok()) throw NumericalError("minimum average variance: the directions have no solution");
  const Vector found = factor.solve(Vector(right.reshaped()));
  return orthonormal_rows(Matrix(found.reshaped(d_x, d).transpose()));
}

Matrix mave_directions(const Dataset& rows, Index d, const std::function<void()>& poll) {
  const Index d_x = rows.x.rows();
  require(d * d_x <= most_unknowns, "method = mave: ", d, " directions of ", d_x, " inputs are ", d * d_x,
          " numbers, expected at most ", most_unknowns, "; choose fewer inputs or another method");
  Matrix w = leading(outer_products_of_gradients(rows, poll), d);
  for (Index step = 0; step < most_steps; ++step) {
    poll();
    Matrix next = mave_step(rows, w);
    if (!next.allFinite()) break;
    const double turn = std::sin(principal_angles(w, next)[0]);
    w = std::move(next);
    if (turn < least_turn) break;
  }
  return w;
}

}  // namespace condens::reduction
