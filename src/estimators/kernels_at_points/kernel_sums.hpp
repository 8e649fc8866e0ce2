#pragma once
// Sums of Gaussian kernels over all pairs of points, at the speed of the exponential and without a
// matrix of all pairs.

#include <functional>

#include "condens/core/types.hpp"

namespace condens {

/// sum_j w_j exp(-factor |u_i - u_j|^2) for every i; `points` is n x d, one a row. n^2 exponentials.
Vector kernel_sums(const Matrix& points, double factor, const VectorView& weights, int threads,
                   const std::function<void()>& poll = {});

/// exp(-factor |u_i - u_j|^2) for every i.
void kernel_column(const Matrix& points, double factor, Index j, Eigen::Ref<Vector> out);

/// Logarithms of the Parzen window of width `width` at its own points, without the kernel's factor
/// (sqrt(2 pi) width)^-d. `share` are weights that sum to one. Without its own kernel each point sees the others'
/// weights, brought to one; where there are no others, its own all the same. Among a hundred columns all others lie so
/// far that only the logarithm is a number.
Vector parzen_log_sums(const Matrix& points, double width, const VectorView& share, bool leave_self_out, int threads,
                       const std::function<void()>& poll = {});

}  // namespace condens
