#pragma once
// The mixture of given densities that has the largest likelihood:
//
//   max f(w) = sum_i v_i log sum_m w_m p_im   over the simplex w >= 0, 1'w = 1
//
// with v the weights of the rows, of sum one. f is concave. Some steps of expectation maximisation,
// w_m <- w_m u_m, find the neighbourhood; then Newton's steps: the quadratic model of f over the
// simplex is solved exactly (simplex_qp.hpp) and the way to its solution searched backwards. With
//
//   u = grad f,  u_m = sum_i v_i p_im / (p_i'w),   H = -grad^2 f = sum_i v_i p_i p_i' / (p_i'w)^2,   H w = u,
//
// the model is min 0.5 b'Hb - 2u'b. After Y. Kim, P. Carbonetto, M. Stephens and M. Anitescu, A fast
// algorithm for maximum likelihood estimation of mixture proportions using sequential quadratic
// programming, Journal of Computational and Graphical Statistics 29, 2020. As weights of
// densities that were fitted without the rows they are scored on, the solution is stacking: Y. Yao,
// A. Vehtari, D. Simpson and A. Gelman, Bayesian Analysis 13, 2018.
//
// Certificate: f is concave and u'w = 1, so that f(w*) - f(w) <= u'(w* - w) <= max_m u_m - 1.

#include <functional>

#include "condens/core/types.hpp"

namespace condens {

struct MixtureProportions {
  Vector weights;         ///< on the simplex; zeros are exact
  double log_likelihood;  ///< f(w)
  double gap;             ///< max_m u_m - 1 >= f(w*) - f(w)
  Index iterations;       ///< steps of both kinds
};

/// `log_density` is m x n, log p_im, with -infinity for a density of zero; `row_weights` are empty (all
/// equal) or n numbers >= 0, not all zero. Throws std::invalid_argument for shapes that do not fit,
/// NaN and +infinity, NumericalError where a row that counts has no density under any member.
/// Ends with a gap of at most `tolerance`, or where rounding allows no better. Cost per step: m^2 n.
MixtureProportions mixture_proportions(const Matrix& log_density, const VectorView& row_weights,
                                       double tolerance = 1e-10, const std::function<void()>& poll = {});

}  // namespace condens
