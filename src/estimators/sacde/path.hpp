#pragma once
// The path of SA-CDE over falling penalties at one pair of widths: solutions of all rows and of every fold's training
// rows from warm starts, and the scores of the held-out rows.

#include <limits>
#include <vector>

#include "operator.hpp"
#include "optim/nonnegative_group_lasso.hpp"

namespace condens::sacde {

struct PathOptions {
  std::vector<double> regularization;  ///< falling
  RegularizationScale scale;
  SacdeSolver solver;
  double tolerance;
  bool stop_early;
  Scoring scoring;
  Index most_inputs = std::numeric_limits<Index>::max();  ///< the path ends where all rows select so many
};

/// One penalty's solution of all rows, and its score (infinite where some fold has no coefficient left).
struct PathPoint {
  double bandwidth;
  double bandwidth_y;
  double regularization;  ///< as the options give it
  double lambda;
  double score;
  double standard_error;
  Vector folds;                  ///< score of each fold
  std::vector<Terms> solutions;  ///< of every problem
  GroupLassoCertificate certificate;
  Index products;  ///< with H of all inputs, for this penalty
};

/// Penalties from the largest on, as far as the path was followed; `best_elsewhere` is the least score of other widths,
/// infinity without any.
std::vector<PathPoint> follow_path(const Problem& problem, const PathOptions& options, const KernelSums& sums,
                                   double width_y, double best_elsewhere, Task& task, int threads);

}  // namespace condens::sacde
