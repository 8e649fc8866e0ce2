#pragma once
// Held-out scores of LSCDE: for one block of rows, all s_y and lambda of one s_x.
//
//   p(y|x) = alpha'(phi(x) o psi(y)) / (c_y alpha'phi(x)),  c_y = (sqrt(2 pi) s_y)^d_y      (eq. 8)
//   nll      -log p(y_i|x_i)
//   squared  half the integral of p(y|x_i)^2 minus p(y_i|x_i)                              (section 2.5)
//
// Each row's kernels are scaled by their largest before they are summed, so that the
// sums, two products of matrices for all lambda, do not underflow; where they still do,
// because the nearest centre has no coefficient at some lambda, the row is summed in the
// log domain.

#include <vector>

#include "problem.hpp"

namespace condens::lscde {

/// What the scores of one s_y need.
struct ScoringWidth {
  double width;
  double log_mass;            ///< log c_y
  std::vector<Matrix> alpha;  ///< per fold: b x L
  Matrix overlap_factor;      ///< squared score: F with F F' = V
  Vector defensive_overlap;   ///< squared score: integral of a normalised bump times the defensive component
};

/// Per fold, the centres without a positive coefficient at any s_y and lambda, masked ones among them.
std::vector<std::vector<Index>> find_idle_centers(const std::vector<ScoringWidth>& widths, Index folds);

/// Weighted sums of the scores of one block: L x widths. `idle_centers` (of each fold) play
/// no part; a lambda that leaves no positive coefficient scores +infinity.
Matrix score_block(const Problem& problem, const Distances& distances,
                   const std::vector<std::vector<Index>>& idle_centers, const Block& block, double width_x,
                   const std::vector<ScoringWidth>& widths);

}  // namespace condens::lscde
