#pragma once
// Boosting itself: models that leave a part of the rows out each, round by round, and the distribution of what is left
// between the rounds (boost.hpp).

#include <vector>

#include "condens/core/parallel.hpp"
#include "condens/estimators/boost.hpp"
#include "growing.hpp"
#include "residuals.hpp"

namespace condens::boosting {

/// What all models share.
struct BoostingData {
  std::vector<trees::BinnedInput> inputs;
  Matrix y;                 ///< d_y x n, standardised
  Vector weights;           ///< n, > 0; mean at least 1
  std::vector<Index> fold;  ///< of every row; empty: one model of all rows
  Index n_models;
  Vector location;  ///< d_y: where m and log s start
  Vector log_scale;
  Vector least_log_scale;  ///< d_y: bounds of log s, wherever it is used
  Vector greatest_log_scale;
};

/// A score of the rows left out after some rounds: the mean negative log likelihood.
struct Checkpoint {
  Index rounds;
  double score;
  double standard_error;
};

struct Boosted {
  std::vector<std::vector<GrownTree>> trees;  ///< of every model, as many for each target, with steps as they are added
  std::vector<Index> targets;                 ///< of the trees of a model
  Residuals residuals;
  Vector first_log_scale = {};  ///< d_y: log s before the first round, in the unit of `residuals`
  Index rounds = 0;
  std::vector<Checkpoint> checkpoints = {};
  Matrix left_over = {};  ///< d_y x n: e of every row by the model that left it out (without folds, of the one model)
  Matrix log_scale = {};  ///< d_y x n, likewise
};

/// Throws Cancelled. The task advances by one a round.
Boosted boost(const BoostingData& data, const BoostOptions& options, Task& task);

}  // namespace condens::boosting
