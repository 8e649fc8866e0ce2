#pragma once
// One stage of an orthogonal forward regression on tunable Gaussian kernels: the leave-one-out
// criterion J_n of a candidate kernel beside the n - 1 chosen before, for many candidates at once,
// and its gradient.
//
// Source: S. Chen, X. Hong and C. J. Harris, Probability density estimation with tunable kernels
// using orthogonal forward regression, IEEE Trans. Syst. Man Cybern. B 40(4), 2010, eqs. 24 to 38
// and 62 to 68.
//
//   phi_k = K(x_k; c, gamma), and of phi beside the columns w_1, ..., w_{n-1} of OrthogonalRegression
//   w = phi - sum_j a_j w_j, a_j = w_j'phi / w_j'w_j,   kappa = w'w + lambda,   g = w't / kappa     (63-65)
//   J_n = mean_k ((eps_k - g w_k) / (eta_k - w_k^2 / kappa))^2                                    (66-68)
//
// w'w and w't come from the products of phi with itself, t, and the w_j, so that the rows are read
// twice only: w'w = phi'phi - sum_j a_j^2 w_j'w_j and, as w_j'eps = lambda_j g_j, w't = phi'eps -
// sum_j a_j lambda_j g_j.

#include <memory>

#include "condens/core/types.hpp"
#include "condens/optim/orthogonal_regression.hpp"

namespace condens {

/// The rows of the regression (weights a_k), and rows of zeros up to a multiple of the vector unit's
/// width. Densities are in units of the largest target. Cumulative: the target is a distribution function, and a
/// kernel's column is its own, prod_i Phi((x_i - c_i) / gamma_i) (eqs. 18 to 22).
struct KernelRows {
  Matrix x;             ///< padded rows x d
  Vector exponent;      ///< sqrt(a_k) / ((2 pi)^(d/2) unit) = 2^-exponent; infinity at rows of zeros
  Vector root_weight;   ///< sqrt(a_k)
  Vector target;        ///< sqrt(a_k) t_k / unit
  double total_weight;  ///< sum of a_k
  double unit;          ///< the largest target
  bool cumulative;

  /// z is d x n, `target` densities at its columns, or probabilities. Where they are all 0, `unit` is,
  /// and there is nothing to regress on.
  static KernelRows of(const MatrixView& z, const VectorView& weights, const VectorView& target,
                       bool cumulative = false);

  Index size() const { return x.rows(); }
  Index dimension() const { return x.cols(); }

  /// sqrt(a) K(x; c, gamma) / unit at every row, or of the kernel's distribution function.
  Vector column(const VectorView& center, const VectorView& scale) const;

  /// sum_k a_k |t_k - p(x_k)| / sum_k a_k t_k for p = sum_l weights_l K(.; centers_l, scales_l).
  double distance(const MatrixView& centers, const MatrixView& scales, const VectorView& weights) const;
};

/// A stage's givens: all of them live longer than what holds this, and stay as they are.
struct KernelProblem {
  const KernelRows& rows;
  const OrthogonalRegression& regression;
  RegressionPenalty penalty;  ///< the regression's
  bool nonnegative = false;   ///< a kernel of negative weight g changes nothing
};

/// J_n of candidates as a share of J_{n-1}. A kernel that misses all rows, or lies in the span of
/// those before, changes nothing: 1 (errata D11).
class KernelStage {
 public:
  explicit KernelStage(const KernelProblem& problem);
  ~KernelStage();

  /// `centers` and `scales` (standard deviations) hold a candidate in each column. Cost: one
  /// exponential and some 4 (d + n) + 20 operations for each row and candidate.
  void values(const MatrixView& centers, const MatrixView& scales, int threads, Eigen::Ref<Vector> out);

  /// The same for one candidate with the gradient by (c, log gamma).
  double value(const VectorView& center, const VectorView& log_scale, Eigen::Ref<Vector> gradient) const;

 private:
  class Evaluation;
  double share_with(const VectorView& phi) const;

  KernelProblem problem_;
  std::unique_ptr<Evaluation> evaluation_;  // and its work space, for thousands of calls with two candidates
};

}  // namespace condens
