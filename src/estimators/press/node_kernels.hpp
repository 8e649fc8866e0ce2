#pragma once
// Gaussian kernels among the nodes of a state's density (nodes.hpp).
//
// The density at y_i is read off its values at the nodes around y_i, with the shares by which y_i
// was spread over them: sum_c share_c T(node_c), T = K' sums, K the kernels between nodes. Kernels
// are then as many as pairs of nodes, not as rows times nodes. Where samples are their own nodes
// it is the density itself; else it errs as spreading does, by the curvature times the squared
// distance of nodes over eight.

#include "condens/core/parallel.hpp"
#include "condens/estimators/press/nodes.hpp"

namespace condens::press {

/// K' v, and d K' v / d log h where `slope` is given, at the nodes `at`, for kernels of width h.
/// `kernels` is K of these nodes where an earlier call left it there, else empty.
Vector kernel_sums(const PressNodes& nodes, double h, Range at, const Vector& v, Matrix& kernels,
                   Vector* slope = nullptr);

/// What the mass 1 of each of the rows, spread over its nodes, is at the row itself, and its
/// derivative by log h.
struct OwnKernels {
  Vector value;
  Vector slope;
};
OwnKernels own_kernels(const PressNodes& nodes, double h, Range rows);

/// Logarithms of the kernels between one row and the rows `others`, each spread over its nodes, and their derivatives
/// by log h: what sums of kernels cannot tell where they underflow.
struct LogKernels {
  Vector value;
  Vector slope;
};
LogKernels log_kernels(const PressNodes& nodes, double h, Index row, Range others);

}  // namespace condens::press
