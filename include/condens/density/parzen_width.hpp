#pragma once
// Widths of a Parzen window p(z) = sum_j w_j N(z; z_j, diag(g)^2), and its density at its own points.

#include "condens/core/run.hpp"
#include "condens/core/types.hpp"

namespace condens {

/// The width g, one for all rows of z (d x n, on a common scale: standardised), that maximises the
/// leave-one-out log likelihood sum_i w_i log p_{-i}(z_i); copies leave together. `weights` is empty
/// or holds n numbers > 0. Throws std::invalid_argument where fewer than two columns differ.
double parzen_likelihood_width(const MatrixView& z, const VectorView& weights, const Run& run = {});

/// p(z_i) for every column of z; with `leave_self_out` without the kernel at z_i itself, and the
/// other weights brought to one. `widths` holds one width for every row of z.
Vector parzen_density(const MatrixView& z, const VectorView& weights, const VectorView& widths, bool leave_self_out,
                      const Run& run = {});

}  // namespace condens
