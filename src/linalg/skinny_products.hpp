#pragma once
// Products of many long observations with few columns, at the speed at which the observations
// can be read, where the processor has registers enough (AVX-512). A general matrix product copies
// them into panels first, which costs as much as the product itself when each number is used some
// ten times only; elsewhere it is the faster nevertheless.
//
// Shapes: x p x n, few J (some ten), p long.

#include "condens/core/types.hpp"

namespace condens {

/// out += b' x, for b p x J and out J x n. Same bits for every alignment.
void add_transposed_product(const MatrixView& b, const MatrixView& x, Eigen::Ref<Matrix> out);

/// out += x g', for g J x n and out p x J. Same bits for every alignment.
void add_product_with_transpose(const MatrixView& x, const MatrixView& g, Eigen::Ref<Matrix> out);

}  // namespace condens
