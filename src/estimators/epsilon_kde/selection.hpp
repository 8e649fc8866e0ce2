#pragma once
// Cross-validation of eKDE: every radius and every width of y in one pass over the
// neighbours of each held-out row.

#include <vector>

#include "condens/core/parallel.hpp"
#include "condens/estimators/epsilon_kde.hpp"

namespace condens::ekde {

/// The bound of |x_i - x|^2 that a radius means.
inline double squared_radius(double radius, RadiusOf of) { return of == RadiusOf::distance ? radius * radius : radius; }

/// Standardised samples, and what is held out.
struct Problem {
  const Matrix& x;        ///< d_x x n
  const Matrix& y;        ///< d_y x n
  const Vector& weights;  ///< n, all > 0
  const Neighbors& neighbors;
  const Defensive& defensive;
  std::vector<Index> fold;         ///< n
  std::vector<Index> scored_rows;  ///< held-out rows that score
  RadiusOf radius_of;
  EmptyNeighborhood empty_neighborhood;
  Scoring scoring;
};

struct Candidate {
  double radius;
  double bandwidth_y;
  double score;
  double standard_error;
  double empty_share;  ///< of the scored rows had no neighbour
  Vector folds = {};   ///< score of each fold
};

/// Every radius with every width, radii (ascending) in the outer loop. Advances `task` by one
/// per scored row.
std::vector<Candidate> score_candidates(const Problem& problem, const std::vector<double>& radius,
                                        const std::vector<double>& bandwidth_y, Task& task);

}  // namespace condens::ekde
