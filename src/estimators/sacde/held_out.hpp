#pragma once
// Scores of the rows that a solution has not seen (Shiga et al. 2015, section 2.4).

#include <vector>

#include "path.hpp"

namespace condens::sacde {

/// At one pair of widths.
class HeldOut {
 public:
  HeldOut(const Problem& problem, double width_x, double width_y, Scoring scoring);

  /// Of the rows of a fold in memory, by a solution of other rows: summed with their weights; infinite where it has no
  /// coefficients, unless there is no row.
  double sum(const Terms& solution, Index fold) const;

  /// Of every fold by the points' solutions of its training rows: folds x points.
  Matrix sums(const std::vector<PathPoint>& points, int threads) const;

 private:
  const Problem& problem_;
  double width_x_;
  double width_y_;
  Scoring scoring_;
  Matrix kernels_y_;  // eta_b(y_n), B x N
};

}  // namespace condens::sacde
