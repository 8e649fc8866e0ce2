#pragma once
// One stage of an orthogonal forward regression on tunable Gaussian kernels: the leave-one-out
// criterion J_n of a candidate kernel beside the n - 1 chosen before, for many candidates at once,
// and its gradient.
//
// Source: S. Chen, X. Hong and C. J. Harris, Probability density estimation with tunable kernels
// using orthogonal forward regression, IEEE Trans. Syst. Man Cybern. B 40(4), 2010, eqs. 24 to 38
// and 62 to 68.
//
//   phi_k = K(x_k; c, gamma),  w = phi - sum_j q_j (q_j' phi),  kappa = w'w + lambda,  g = w't / kappa     (63-65)
//   eps <- eps - g w,  eta <- eta - w^2 / kappa,  J = mean_k (eps_k / eta_k)^2                             (66-68)
//
// Rows carry weights a_k: every column is scaled by sqrt(a_k), so that a row of weight 2 counts as
// two that leave together. Densities are in units of the largest target.

#include "condens/core/types.hpp"

namespace condens {

/// The rows of the regression, and rows of zeros up to a multiple of the vector unit's width.
struct KernelRows {
  Matrix x;              ///< padded rows x d
  Vector log_factor;     ///< log of sqrt(a_k) / ((2 pi)^(d/2) unit), -infinity at rows of zeros
  Vector target;         ///< sqrt(a_k) t_k / unit
  double total_weight;   ///< sum of a_k
  double log_unit;       ///< log of the largest target

  /// z is d x n; log_target the logarithms of the target densities, one of them finite.
  static KernelRows of(const MatrixView& z, const VectorView& weights, const VectorView& target);

  Index size() const { return x.rows(); }
  Index dimension() const { return x.cols(); }

  /// sqrt(a) K(x; c, gamma) / unit at every row.
  Vector column(const VectorView& center, const VectorView& scale) const;
};

/// lambda = absolute + relative * phi'phi, in the units of KernelRows.
struct RidgePenalty {
  double absolute = 0;
  double relative = 0;
};

/// The kernels chosen so far.
class KernelRegression {
 public:
  KernelRegression(const KernelRows& rows, const RidgePenalty& penalty);

  /// Makes `column` the next one (65-68). False, and nothing is changed, where it lies in the span
  /// of those before.
  bool add(const Vector& column);

  const KernelRows& rows() const { return *rows_; }
  const RidgePenalty& penalty() const { return penalty_; }
  Index count() const { return count_; }
  double criterion() const { return criterion_; }            ///< J_n in units of the largest target, squared
  auto columns() const { return columns_.leftCols(count_); }  ///< q_j, orthonormal
  const Vector& residual() const { return residual_; }        ///< eps
  const Vector& leverage() const { return leverage_; }        ///< eta
  const Vector& unexplained() const { return unexplained_; }  ///< t without its part in the span of the q_j

 private:
  const KernelRows* rows_;
  RidgePenalty penalty_;
  Index count_ = 0;
  double criterion_;
  Matrix columns_;
  Vector residual_;
  Vector leverage_;
  Vector unexplained_;
};

/// J_n of candidates as a share of J_{n-1}. A kernel that misses all rows, or lies in the span of
/// those before, changes nothing: 1 (errata D11).
class KernelStage {
 public:
  explicit KernelStage(const KernelRegression& regression) : regression_(regression) {}

  /// `centers` and `scales` (standard deviations) hold a candidate in each column. Cost: one
  /// exponential and 2 (d + n) + 12 multiplications and additions for each row and candidate.
  void values(const MatrixView& centers, const MatrixView& scales, int threads, Eigen::Ref<Vector> out);

  /// The same for one candidate with the gradient by (c, log gamma).
  double value(const VectorView& center, const VectorView& log_scale, Eigen::Ref<Vector> gradient) const;

 private:
  const KernelRegression& regression_;
  Matrix candidates_;  // work space: phi, rows x candidates
};

}  // namespace condens
