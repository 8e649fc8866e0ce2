#include "kdr.hpp"

#include <cmath>

#include "condens/core/errors.hpp"
#include "linalg/cholesky.hpp"
#include "linalg/vector_math.hpp"
#include "optim/grassmann.hpp"

namespace condens::reduction {

namespace {

constexpr double share_of_rows = 0.01;  // eps

/// exp(-|z_i - z_j|^2 / 2 s^2) of columns.
Matrix gaussian_gram(const Matrix& z, double width) {
  const Vector squares = z.colwise().squaredNorm();
  Matrix out = -2.0 * z.transpose() * z;
  out.colwise() += squares;
  out.rowwise() += squares.transpose();
  out = out.cwiseMax(0.0) * (-0.5 / (width * width));
  exp_in_place(out);
  return out;
}

}  // namespace

KdrObjective::KdrObjective(const Dataset& rows, double width, double regularization)
    : x_(rows.x),
      root_(rows.weights.cwiseSqrt()),
      share_(rows.weights / rows.weights.sum()),
      n_(rows.weights.sum()),
      width_(width),
      regularization_(regularization),
      a_y_(gaussian_gram(rows.y, std::sqrt(static_cast<double>(rows.y.rows())))) {
  a_y_.rowwise() -= (share_.transpose() * a_y_).eval();
  a_y_.colwise() -= (a_y_ * share_).eval();
  a_y_ = root_.asDiagonal() * a_y_ * root_.asDiagonal();
}

double KdrObjective::operator()(const Matrix& w, Matrix& gradient) const {
  const Matrix gram = gaussian_gram(w * x_, width_);
  Matrix centred = gram;
  centred.rowwise() -= (share_.transpose() * centred).eval();
  centred.colwise() -= (centred * share_).eval();
  Matrix system = root_.asDiagonal() * centred * root_.asDiagonal();
  system.diagonal().array() += n_ * regularization_;
  const Cholesky factor(std::move(system));
  if (!factor.ok()) throw NumericalError("kernel dimension reduction: the Gram matrix is not positive definite");
  const Matrix solved = factor.solve(a_y_);  // (A_z + n eps I)^-1 A_y
  // dJ = -sum_ij S_ij d(G_z)_ij with S = eps C' D (..)^-1 A_y (..)^-1 D C, D = diag(root).
  Matrix slopes = factor.solve(Matrix(solved.transpose()));
  slopes = regularization_ * (root_.asDiagonal() * slopes * root_.asDiagonal());
  const Vector row_sums = slopes.rowwise().sum();
  slopes -= row_sums * share_.transpose();
  const Vector column_sums = slopes.colwise().sum().transpose();
  slopes -= share_ * column_sums.transpose();
  // sum_ij T_ij (x_i - x_j)(x_i - x_j)' = 2 X (diag(T 1) - T) X' for symmetric T = S o G.
  Matrix t = slopes.cwiseProduct(gram);
  t = 0.5 * (t + t.transpose()).eval();
  const Vector sums = t.rowwise().sum();
  t = -t;
  t.diagonal() += sums;
  gradient = (2.0 / (width_ * width_)) * ((w * x_) * t) * x_.transpose();
  return regularization_ * solved.trace();
}

Matrix kdr_directions(const Dataset& rows, const std::vector<Matrix>& starts, const std::function<void()>& poll) {
  const double width = std::sqrt(static_cast<double>(starts.front().rows()));
  const KdrObjective objective(rows, width, share_of_rows);
  Matrix best;
  double least = 0;
  Matrix ignored;
  for (const Matrix& start : starts) {
    const double value = objective(start, ignored);
    if (best.size() > 0 && value >= least) continue;
    best = start;
    least = value;
  }
  const auto value = [&](const Matrix& w, Matrix& gradient) {
    poll();
    return objective(w, gradient);
  };
  return minimize_lifted(value, best, {.max_iterations = 100, .value_tolerance = 1e-8}).w;
}

}  // namespace condens::reduction
