#pragma once
// Standard errors of the coefficients of PRESS from the observed information. The paper promises
// inference but gives no formula; this is that of maximum likelihood at fixed widths: the
// criterion's Hessian times A (likelihood), or times A d_y / (2 MSE) (squared errors, read as the
// log likelihood of normal errors of common variance), inverted on the maps whose coefficients
// add up to zero over the states. A ridge counts as what it adds to the Hessian.

#include "condens/estimators/press.hpp"
#include "search.hpp"

namespace condens::press {

/// (d_x + 1) x J; empty for hidden layers, a lasso, one state, more than 300 parameters, or a
/// point that is not a strict minimum.
Matrix standard_errors(const Fitted& fitted, const Dataset& rows, const PressOptions& options, const WidthRules& rules,
                       const Defensive& defensive, int threads);

}  // namespace condens::press
