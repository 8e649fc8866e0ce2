#pragma once
// Boosted trees as they are asked: location and scale at x, and the distributions there.

#include <vector>

#include "condens/distributions/gaussian_mixture.hpp"
#include "condens/estimators/boost.hpp"
#include "estimators/trees/saved_trees.hpp"
#include "rounds.hpp"

namespace condens::boosting {

/// The parts of a state that are trees.
void write_trees(const std::vector<trees::BinnedInput>& inputs, const Boosted& boosted, Index n_inputs,
                 BoostState& state);

/// The sums of steps by trees `range` of a state, which belong to as many of its models as `models` says: the two parts
/// of every target, 2 n_targets x n. x is standardised.
Matrix sum_steps(const BoostState& state, const trees::SavedTrees& trees, const Range& range, Index models,
                 Index n_targets, const MatrixView& x);

/// m and log s, d_y x n each.
struct Moments {
  Matrix location;
  Matrix log_scale;
};

/// By the same trees.
Moments moments(const BoostState& state, const trees::SavedTrees& trees, const Range& range, Index models,
                const MatrixView& x);

/// log p at columns of y, by moments at as many x.
Vector log_densities(const BoostState& state, const Moments& at, const MatrixView& y);

GaussianMixtures mixtures(const BoostState& state, const Moments& at);

}  // namespace condens::boosting
