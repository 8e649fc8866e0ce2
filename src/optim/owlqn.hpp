#pragma once
// Minimisation of a smooth function plus a weighted sum of absolute values, with exact
// zeros, by a limited-memory quasi-Newton method; without penalties it is L-BFGS.
//
// Source: G. Andrew and J. Gao, Scalable training of L1-regularized log-linear models,
// ICML 2007 (OWL-QN): the direction comes from the pseudo-gradient (their eq. 4) and the
// curvature of the smooth part; a step may not leave the orthant where it began. J. Nocedal
// and S. J. Wright, Numerical Optimization, 2006, algorithm 7.4, for the two-loop recursion.
//
//   F(x) = f(x) + sum_k c_k |x_k|,   c_k >= 0

#include <functional>

#include "condens/core/types.hpp"
#include "condens/optim/lbfgs.hpp"

namespace condens {

/// min f(x) + penalty'|x| from `start`. The result's value includes the penalty, its gradient
/// is that of f, and projected_gradient the largest entry of the pseudo-gradient: zero at a
/// point where no direction descends. Throws std::invalid_argument for a penalty of another length or below
/// zero, NumericalError where the start has no finite value or gradient.
LbfgsResult minimize_l1(const Objective& objective, const Vector& start, const Vector& penalty,
                        const LbfgsSettings& settings = {}, const std::function<void()>& poll = {});

}  // namespace condens
