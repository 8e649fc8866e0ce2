#pragma once
// The coefficients of LSCDE for other weights of its rows, by first derivatives at their own: the delta method, whose
// covariance is the sandwich of M-estimation (White 1982; of the bootstrap: the infinitesimal jackknife, Jaeckel 1972).
//
//   alpha(c) = (H(c) + lambda I)^-1 h(c),  H(c) = V o (sum_i c_i w_i phi_i phi_i' + U) / (W(c) + n_u),
//   h(c) = sum_i c_i w_i phi_i o psi_i / W(c),  W(c) = sum_i c_i w_i,  U the sum over n_u unlabelled rows
//   alpha(c) ~ alpha + (H + lambda I)^-1 sum_i (c_i - 1) w_i [ (phi_i o psi_i - h) / W
//                                                             - (phi_i o V (phi_i o alpha) - H alpha) / (W + n_u) ]
//
// phi, psi and V as in statistics.hpp. Two passes over the rows serve any number of weights.

#include "problem.hpp"

namespace condens::lscde {

/// Coefficients, b x R, for the weights w_i c_ir of the rows, c a matrix n x R: clipped at zero. Those of a fit whose
/// coefficients minimise over alpha >= 0 stay zero where they are. Throws NumericalError where all of them are zero.
Matrix linearized_coefficients(const Problem& problem, double bandwidth, double bandwidth_y, double regularization,
                               const MatrixView& copies, Task& task);

}  // namespace condens::lscde
