#pragma once
// What all rows say of a Gaussian process, through its values at m of them (inducing points z): the posterior of these
// values given all y is exact for the process that they determine, at cost n m^2 instead of n^3.
//
// Source: M. K. Titsias, Variational learning of inducing variables in sparse Gaussian processes, AISTATS 2009, eqs. 6
// and 10; the mean is that of the subset of regressors (Rasmussen and Williams 2006, eq. 8.14).
//
//   k(Z, Z) = L L',   D = diag(s_n^2 / w_i),   A = L^-1 k(Z, X) D^-1/2,   I + A A' = M M',   c = M^-1 A D^-1/2 y
//   m(x) = c' M^-1 L^-1 k(Z, x),   v(x) = k(x, x) - |L^-1 k(Z, x)|^2 + |M^-1 L^-1 k(Z, x)|^2
//
// Both are those of the exact process where all rows are inducing points. The mean is a linear smoother, so what it
// gets wrong at row i without that row has a closed form, too:
//
//   y_i - m_(-i)(x_i) = (y_i - m(x_i)) / (1 - h_i),   h_i = |M^-1 a_i|^2, a_i column i of A,
//
// with the variance D_ii / (1 - h_i) + k(x_i, x_i) - |L^-1 k(Z, x_i)|^2.

#include "condens/core/types.hpp"
#include "condens/data/dataset.hpp"
#include "condens/estimators/gaussian_process/likelihood.hpp"

namespace condens::gp {

/// Of every row, from the others.
struct LeftOut {
  Vector residuals;  ///< y_i - m_(-i)(x_i)
  Vector variances;  ///< of them, by the process

  /// -log of their normal density, the mean by weight.
  double score(const Vector& weights) const;
};

class InducedProcess {
 public:
  /// From all rows, `target` of their targets. Throws NumericalError where a factor does not exist, Cancelled.
  InducedProcess(const Matrix& points, const Dataset& rows, Index target, const Hyperparameters& at, int threads);
  /// From what a file holds: `packed` as packed_factor() gives it, m (m + 1) / 2.
  InducedProcess(const Matrix& points, const Vector& packed, Vector coefficients, const Hyperparameters& at,
                 int threads);

  const Matrix& points() const { return points_; }
  /// M, the lower triangle column by column; and c.
  Vector packed_factor() const;
  const Vector& coefficients() const { return c_; }
  /// The mean over the rows of 1 - |L^-1 k(Z, x_i)|^2 / k(x_i, x_i): 0 where the points determine the process there.
  double share_unexplained() const { return share_unexplained_; }

  /// Mean and variance at the columns of x, without the noise.
  void predict(const MatrixView& x, Vector& mean, Vector& variance) const;
  /// alpha: m(x) = k(x, Z) alpha.
  Vector kernel_coefficients() const;
  /// Of the rows that made it.
  LeftOut left_out(const Dataset& rows, Index target, int threads) const;

 private:
  /// L^-1 k(Z, x).
  Matrix features(const MatrixView& x) const;

  Matrix points_;
  Hyperparameters at_;
  Matrix lower_;   // L
  Matrix factor_;  // M
  Vector c_;
  double share_unexplained_ = 0;
};

}  // namespace condens::gp
