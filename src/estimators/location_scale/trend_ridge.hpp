#pragma once
// Ridge regression on one set of features for many lambda at once: the formulas and symbols of
// trend_fit.hpp.

#include <vector>

#include "condens/core/parallel.hpp"
#include "condens/data/dataset.hpp"
#include "trend_fit.hpp"

namespace condens::trends {

/// k(x): kernels of one width at centres (none for width 0), and below them rho x.
class Features {
 public:
  Features(const Matrix& centers, double width, double rho);

  Index size() const { return rows_.rows() + (rho_ > 0 ? d_x_ : 0); }
  Matrix operator()(const MatrixView& x) const;  ///< size x n

  /// L: the kernels of the centres at each other, delta on the diagonal, and the identity of the linear features.
  Matrix penalty_factor() const;

  /// a + c'k(x).
  Trend trend(double a, const Vector& c) const;

 private:
  Index d_x_;
  double width_;
  double rho_;
  Matrix rows_;  // centres / width, one a row
};

class RidgePath {
 public:
  RidgePath(Features features, const Dataset& data, Task& task);

  /// scores[t][j]: target t, lambda j; infinity where a row cannot be left out.
  std::vector<std::vector<Score>> scores(const std::vector<double>& lambda, Loss loss, Task& task) const;

  /// f for one target and lambda, and y_i - f_(-i)(x_i).
  Trend trend(Index target, double lambda) const;
  Vector residuals(Index target, double lambda) const;

 private:
  /// z of a block of rows.
  Matrix rotated(const Range& rows) const;
  /// 1 / (D + lambda W) for each lambda, a column.
  Matrix shrinkage(const std::vector<double>& lambda) const;

  Features features_;
  const Dataset& data_;
  double total_;        // W
  Vector mean_;         // of k
  Vector y_mean_;       // d_y
  Matrix rotation_;     // V'L^-1
  Vector eigenvalues_;  // D
  Matrix projected_;    // q, m x d_y
};

/// The residual without a row from that with it and its h_ii. A row that the fit goes through whatever the others say
/// (h_ii is 1) tells nothing: its residual stays what it is.
inline double left_out(double residual, double leverage) {
  const double rest = 1.0 - leverage;
  return rest > 0 ? residual / rest : residual;
}

}  // namespace condens::trends
