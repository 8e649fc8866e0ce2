#pragma once
// A Parzen window of more rows than kernels: rows z_i of weight w_i (of sum one), in units of the widths, fall into
// cubic cells, and a kernel sits at the mean m_c of each with the weight W_c of its rows,
//
//   q(z) = sum_c W_c N(z; m_c, I)   for   p(z) = sum_i w_i N(z; z_i, I).
//
// In every cell the displacements delta_i = z_i - m_c cancel, sum_i w_i delta_i = 0, so that of Taylor's expansion of a
// kernel around m_c the remainder is left alone, half of delta' H delta, H being the second derivatives of a Gaussian
// density somewhere between. Along a direction their L1 norm is that of one dimension, int |t^2 - 1| phi(t) dt =
// 4 phi(1), whatever the dimension, and the total variation, half of the L1 distance, is
//
//   TV(p, q) <= 1/2 * 1/2 * 4 phi(1) * sum_i w_i |delta_i|^2 = phi(1) * (mean squared displacement).
//
// Of rows spread evenly over cells of edge e in d dimensions that is 0.0202 d e^2. Conditioning at most doubles it:
// int p(x) TV(p(y|x), q(y|x)) dx <= 2 TV(p, q).

#include "condens/core/types.hpp"
#include "condens/data/dataset.hpp"
#include "condens/model/row_sums.hpp"
#include "model/table_passes.hpp"

namespace condens {

struct ParzenSketch {
  Matrix means;           ///< d x k, on the scale of the model
  Vector weights;         ///< k
  double edge;            ///< of the cells, in widths
  double bound_on_error;  ///< of the total variation between the sketch and the window of all rows
};

/// One pass over the table. A table of at most `most_cells` rows keeps each where it is.
ParzenSketch parzen_sketch(RowSums& table, const table_passes::Extent& extent, const table_passes::Scale& scale,
                           const Vector& widths, Index most_cells);

/// What a block adds to that pass.
Document parzen_sketch_state(const Document& pass, const Dataset& block);

}  // namespace condens
