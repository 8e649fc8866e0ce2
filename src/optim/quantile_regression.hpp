#pragma once
// Kernel quantile regression for one level and penalty, exactly and with a certificate:
//
//   P(c, b) = sum_i w_i psi(y_i - f_i) + lambda c'Kc,  f = K c + b,  psi(r) = max(tau r, (tau - 1) r).
//
// Source: I. Takeuchi, Q. V. Le, T. D. Sears and A. J. Smola, Nonparametric quantile
// estimation, JMLR 7, 2006, for the problem and its dual; O. Chapelle, Training a support
// vector machine in the primal, Neural Computation 19, 2007, for Newton's steps on a smoothed
// loss. With a = 2 lambda c the dual is
//
//   D(a) = a'y - a'Ka / (4 lambda),  w_i (tau - 1) <= a_i <= w_i tau,  1'a = 0,
//
// and for any b and a feasible c, with r = y - f, the gap is a sum of numbers that are not
// negative: P - D = sum_i (w_i psi(r_i) - 2 lambda c_i r_i).
//
// 1. Newton. psi is replaced by a parabola where |r| < g. With M = {i: |r_i| < g} and all other
//    c_i at the bound on the side of their residual, the minimum solves
//      [K_MM + D, 1; 1', 0] [c_M; b] = [(y - K c)_M without M's own part + 2 g (tau - 1/2); -sum of the others],
//    D = diag(4 lambda g / w_M); steps are damped until the smoothed P falls enough.
// 2. Pivoting. From there an active set maximises D itself: a step on the free set M to the
//    maximum or to the first bound; at the maximum the bound that the residuals contradict
//    most is left. Every step raises D, so the search ends; elbows with equal inputs, where
//    K_MM is singular, are met by steps with K_MM + 1e-10 I, which vanish at the solution.
//
// Newton with ever smaller g and a few pivots alternate until the gap closes. Only what
// changes costs: a product with the columns of K whose coefficient changed.
//
//   n samples; K n x n, positive semidefinite, diagonal near 1; w_i > 0; c coefficients, b intercept

#include "condens/core/types.hpp"

namespace condens {

struct QuantileFit {
  Vector coefficients;      ///< c
  double intercept = 0;     ///< b; the middle, where an interval of values is optimal
  Vector kernel_part = {};  ///< K c
  double objective = 0;     ///< P
  double relative_gap = 0;  ///< (P - D) / P: certifies the objective to this relative error
  Index newton_steps = 0;
  Index pivots = 0;
};

/// Many levels and penalties of the same rows. Keeps references: `kernel`, `y` and `weights`
/// must outlive it.
class QuantileRegression {
 public:
  QuantileRegression(const Matrix& kernel, const Vector& y, const Vector& weights);

  /// 0 < level < 1, penalty (lambda) > 0; `start` is the solution at a near level or penalty.
  /// Cost: some 20 to 40 steps of O(n |M|) + |M|^3 / 3, and n^2 for the certificate.
  QuantileFit solve(double level, double penalty, const QuantileFit* start = nullptr) const;

 private:
  const Matrix& kernel_;
  const Vector& y_;
  const Vector& weights_;
};

}  // namespace condens
