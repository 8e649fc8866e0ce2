#pragma once
// Kernels at rows, when the rows get other weights.

#include <string_view>
#include <vector>

#include "condens/core/types.hpp"

namespace condens {

/// For every point (a column) the sum of the weights of the rows (columns) that it is nearest to, up to rounding: a
/// millionth of a standard deviation; of equal points the first has it all. Rows without a point are left out. Throws
/// NumericalError where nothing is left.
Vector weights_at_points(const MatrixView& points, const MatrixView& rows, const VectorView& weights);

/// The kernels with a weight above zero. Throws FormatError, beginning with `owner`, for weights that are not those of
/// `count` kernels.
std::vector<Index> weighted_kernels(std::string_view owner, const VectorView& weights, Index count);

}  // namespace condens
