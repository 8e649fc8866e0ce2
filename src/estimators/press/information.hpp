#pragma once
// Standard errors of the coefficients of PRESS. The paper promises inference but gives no formula; these are those of
// maximum likelihood and of M-estimators, at fixed widths, over the maps whose coefficients add up to zero over the
// states. Q is the criterion, H its Hessian, A the weight of the rows:
//
//   standard  the observed information: inverse of A H (likelihood), or of A H d_y / (2 MSE) (squared errors, read as
//             the log likelihood of normal errors of common variance)
//   robust    the sandwich (P. Huber 1967): H^-1 (sum_i a_i s_i s_i') H^-1 / A^2, s_i = A d grad Q / d a_i. The score
//             of a row by its weight a_i holds what the row does to the sums of the states, too: the infinitesimal
//             jackknife (L. Jaeckel 1972). A row of weight a_i stands for a_i copies, each with a score of its own.
//
// A ridge counts as what it adds to the Hessian.

#include "condens/estimators/press.hpp"
#include "search.hpp"

namespace condens::press {

struct CoefficientErrors {
  Matrix standard;  ///< (d_x + 1) x J
  Matrix robust;    ///< the same
};

/// Both empty for hidden layers, a lasso, one state, more than 300 parameters, or a point that is not a strict minimum.
/// Cost: two gradients for every parameter and one for every row, of which groups of random rows stand for one where
/// there are more than some hundred.
CoefficientErrors coefficient_errors(const Fitted& fitted, const Dataset& rows, const PressOptions& options,
                                     const WidthRules& rules, const Defensive& defensive, int threads);

}  // namespace condens::press
