#pragma once
// Distances and integrals of the Gaussian kernel exp(-|a - b|^2 / (2 s^2)).

#include "condens/core/types.hpp"

namespace condens {

/// |u_l - x_i|^2 for every centre l and point i: b x n. `centers` is b x d (one
/// centre a row, so that the inner loop runs over contiguous centres), `points` d x n.
/// Direct differences, so nothing cancels for points far from the origin; at
/// d = 10 that is as fast as a matrix product.
void squared_distances(const MatrixView& centers, const MatrixView& points, Eigen::Ref<Matrix> out);

/// V of Sugiyama et al. (2010), section 2.6: the integral over y of
/// exp(-|y - v_l|^2 / (2 s^2)) exp(-|y - v_m|^2 / (2 s^2)), for centres v as columns:
/// V_lm = (sqrt(pi) s)^d exp(-|v_l - v_m|^2 / (4 s^2)). b x b.
Matrix kernel_overlaps(const MatrixView& centers, double width);

/// log of the integral of exp(-|y|^2 / (2 s^2)) over R^d: d log(sqrt(2 pi) s).
double log_kernel_mass(Index dimension, double width);

}  // namespace condens
