#pragma once
// Regression of a target t on columns that come one by one, by orthogonal decomposition, with the
// exact leave-one-out mean square error of every stage.
//
// Source: S. Chen, X. Hong and C. J. Harris, Probability density estimation with tunable kernels
// using orthogonal forward regression, IEEE Trans. SMC B 40, 2010, eqs. 26-36 and 62-68.
//
//   Phi = W A, w_i'w_j = 0                         g_n = w_n't / (w_n'w_n + lambda_n)
//   eps_n = eps_{n-1} - g_n w_n, eps_0 = t          eta_n = eta_{n-1} - w_n^2 / (w_n'w_n + lambda_n), eta_0 = 1
//   J_n = sum_k (eps_n(k) / eta_n(k))^2 / N
//
// For lambda > 0 those are the leave-one-out residuals with A of all rows held fixed (errata D7). Rows of
// weight u are rows of t and of the columns times sqrt(u): then a row leaves with all its copies,
// and N is the sum of the weights. A column that is (w'w <= 1e-12 phi'phi) a combination of earlier
// ones contributes nothing: J_n = J_{n-1}. A row that nothing but the column explains leaves no
// residual to judge by: J_n is infinite (errata D11).

#include "condens/core/types.hpp"

namespace condens {

/// lambda_n: a number, or (relative) a share of phi_n'phi_n, which does not hang on the units of the
/// data (errata D9).
struct RegressionPenalty {
  double value = 0;
  bool relative = true;
  double of(double column_square) const { return relative ? value * column_square : value; }
};

class OrthogonalRegression {
 public:
  /// `total_weight` is N; 0: the number of rows.
  OrthogonalRegression(Vector target, RegressionPenalty penalty, double total_weight = 0);

  Index n_rows() const { return target_.size(); }
  Index n_columns() const { return n_; }

  double criterion() const { return criterion_; }     ///< J_n; J_0 = t't / N
  const Vector& residuals() const { return eps_; }    ///< eps_n
  const Vector& loo_weights() const { return eta_; }  ///< eta_n

  /// J_{n+1} with one more column, be it with a regulariser of its own; the third form with its gradient by the column
  /// (zero where J does not hang on it), the fourth for every column of a matrix at once. Cost: 4 n N.
  double criterion_with(const VectorView& column) const { return criterion_with(column, penalty_); }
  double criterion_with(const VectorView& column, RegressionPenalty penalty) const;
  double criterion_with(const VectorView& column, Vector& gradient) const;
  Vector criteria_with(const MatrixView& columns) const;

  /// The same in parts, for callers that keep w: takes the columns from `first` on out of a column, and J_{n+1} with
  /// what is left of it.
  void orthogonalize(Eigen::Ref<Vector> column, Index first) const;
  double criterion_with_orthogonal(const VectorView& w, double column_square) const {
    return criterion_of(w.data(), column_square, penalty_);
  }

  /// False, and nothing changes, where the column is a combination of those that are there.
  bool add(const VectorView& column) { return add(column, penalty_); }
  bool add(const VectorView& column, RegressionPenalty penalty);

  /// w_n'w_n, g_n and lambda_n of every column.
  Vector squares() const { return squares_.head(n_); }
  Vector orthogonal_coefficients() const { return g_.head(n_); }
  Vector penalties() const { return penalties_.head(n_); }
  Eigen::Block<const Matrix, Eigen::Dynamic, Eigen::Dynamic, true> orthogonal_columns() const {
    return w_.leftCols(n_);
  }
  /// w of the column that came last.
  Eigen::Block<const Matrix, Eigen::Dynamic, 1, true> last_orthogonal() const { return w_.col(n_ - 1); }

  Vector coefficients() const;  ///< beta of A beta = g
  Matrix gram() const;          ///< Phi'Phi
  Vector correlations() const;  ///< Phi't

 private:
  struct Stage;
  Stage stage_of(const double* w, double column_square, RegressionPenalty penalty) const;
  double criterion_of(const double* w, double column_square, RegressionPenalty penalty) const;
  void absorb(Index column);

  Vector target_;
  RegressionPenalty penalty_;
  double total_weight_;
  Index n_ = 0;
  Matrix w_;         // rows x capacity
  Matrix a_;         // capacity x capacity, unit upper triangle
  Vector squares_;   // w'w
  Vector products_;  // w't
  Vector penalties_;
  Vector g_;
  Vector eps_;
  Vector eta_;
  double criterion_;
};

/// J_1, ..., J_n of `target` (N numbers) on the Gaussian densities with means and standard deviations
/// in the columns of `centers` and `scales` (d x n), at the columns of `points` (d x N), with one
/// absolute regulariser. Throws std::invalid_argument for shapes that do not fit, numbers that are
/// not finite, scales that are not positive, a negative regulariser.
Vector ofr_loo(const MatrixView& centers, const MatrixView& scales, const MatrixView& points, const VectorView& target,
               double regularization);

}  // namespace condens
