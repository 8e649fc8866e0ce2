#pragma once
// The sums that H and h of LSCDE are made of, by one pass over the data:
//
//   phi_l(x) = exp(-|x - u_l|^2 / (2 s_x^2)),  psi_l(y) = exp(-|y - v_l|^2 / (2 s_y^2))
//   H = V o sum_i w_i phi(x_i) phi(x_i)' / W,  h = sum_i w_i phi(x_i) o psi(y_i) / W     (eq. 4, 9)
//
// No matrix of n rows is ever held: the pass goes over superblocks, whose tile of phi is
// filled by all threads, block by block, and then multiplied by all threads, panel by panel.

#include <vector>

#include "problem.hpp"

namespace condens::lscde {

/// What H and h are made of, for one s_x and its s_y: sums over the rows of each fold.
struct Statistics {
  std::vector<Matrix> gram;    ///< per fold, and last the unlabelled rows: sum w phi phi' (lower triangle)
  std::vector<Matrix> target;  ///< per fold: column j is sum w phi o psi at the j-th s_y
  std::vector<double> weight;  ///< per fold: sum w
};

/// One pass over `blocks` for one s_x and its s_y. Counts one unit of work per block.
Statistics accumulate(const Problem& problem, const Distances& distances, const std::vector<Block>& blocks,
                      const WidthGroup& widths, Task& task, int threads);

/// Turns the sums of each fold into the sums over all other folds and the unlabelled rows.
void replace_by_training_sums(Statistics& statistics);

}  // namespace condens::lscde
