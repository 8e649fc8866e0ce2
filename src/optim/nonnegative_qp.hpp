#pragma once
// min 0.5 a'Qa - v'a over a >= 0, exactly, by a primal active set: solve for the
// free coordinates, walk to the boundary where one would turn negative, free the
// coordinate with the most negative gradient (Lawson and Hanson 1974, chapter 23).

#include "condens/core/types.hpp"

namespace condens {

struct NonnegativeQp {
  Vector solution;
  double residual;   ///< largest violation of the optimality conditions: |g| where a > 0, max(0, -g) where a = 0
  double ridge;      ///< added to the diagonal of Q against its rounding, 0 mostly
  Index iterations;  ///< linear systems solved
};

/// `start` >= 0 is a guess whose support is tried first. Q must be symmetric positive definite up to its rounding
/// (lower triangle read): where a free part has no Cholesky factor, its diagonal gets 1e-14 of its largest entry, then
/// 1e-12, and so on, at most 1e-8; beyond, NumericalError. Cost: one Cholesky factorisation of the free part per
/// iteration, a handful from a good start.
NonnegativeQp solve_nonnegative_qp(const Matrix& q, const VectorView& v, const VectorView& start);

}  // namespace condens
