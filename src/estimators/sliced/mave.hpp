#pragma once
// Minimum average variance estimation: W and local linear regressions of y on z = W x that together leave the least
// squared error,
//
//   min sum_j sum_i k_ij (y_i - a_j - b_j'W (x_i - x_j))^2,   k_ij = exp(-|W (x_i - x_j)|^2 / 2 h^2) / sum_i(..),
//
// in turn for (a_j, b_j) and for W, with the widths of the last W. The first W are the leading directions of the outer
// products of gradients that local linear regressions on all of x give.
//
// Source: Y. Xia, H. Tong, W. K. Li and L.-X. Zhu, An adaptive estimation of dimension reduction space, J. Royal
// Statist. Soc. B 64, 2002. Several targets share W. A row of weight w counts as w rows.

#include <functional>

#include "condens/data/dataset.hpp"

namespace condens::reduction {

/// sum_j of the products of gradients of the targets at x_j: d_x x d_x.
Matrix outer_products_of_gradients(const Dataset& rows, const std::function<void()>& poll);

/// One step: (a_j, b_j) given W, then the W that is best given these, with orthonormal rows.
Matrix mave_step(const Dataset& rows, const Matrix& w);

/// `d` orthonormal rows of standardised rows with weights. Throws std::invalid_argument where d times the inputs are
/// above 2,000, whose square is the size of a system of equations. `poll` may throw. Cost: some 30 steps of n^2 d_x^2
/// multiplications and additions and one solution of a system of d d_x equations.
Matrix mave_directions(const Dataset& rows, Index d, const std::function<void()>& poll);

}  // namespace condens::reduction
