#include "ensemble.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace condens::boosting {

void write_trees(const std::vector<trees::BinnedInput>& inputs, const Boosted& boosted, Index n_inputs,
                 BoostState& state) {
  Index n_nodes = 0;
  Index n_leaves = 0;
  Index n_trees = 0;
  for (const std::vector<GrownTree>& model : boosted.trees) {
    for (const GrownTree& tree : model) {
      n_nodes += std::ssize(tree.nodes);
      n_leaves += std::ssize(tree.steps);
      ++n_trees;
    }
  }
  state.nodes.resize(3, n_nodes);
  state.steps.resize(2, n_leaves);
  state.roots.resize(n_trees);
  state.targets.resize(n_trees);
  std::vector<trees::Positions> positions;
  n_nodes = n_leaves = n_trees = 0;
  for (const std::vector<GrownTree>& model : boosted.trees) {
    for (std::size_t t = 0; t < model.size(); ++t) {
      const GrownTree& tree = model[t];
      const Index first_node = n_nodes;
      state.roots[n_trees] = static_cast<double>(first_node);
      state.targets[n_trees++] = static_cast<double>(boosted.targets[t]);
      for (const GrownTree::Node& node : tree.nodes) {
        const bool leaf = node.input < 0;
        const Index next = node.next + (leaf ? n_leaves : first_node);
        state.nodes.col(n_nodes++) << static_cast<double>(node.input), leaf ? 0.0 : tree.threshold(inputs, node),
            static_cast<double>(next);
      }
      for (const std::array<double, 2>& step : tree.steps) state.steps.col(n_leaves++) << step[0], step[1];
      positions.push_back(tree.positions());
    }
  }
  std::vector<const trees::Positions*> all;
  for (const trees::Positions& own : positions) all.push_back(&own);
  state.groups = trees::groups_of(inputs, n_inputs);
  state.positions = trees::positions_of(inputs, all, n_inputs);
}

Matrix sum_steps(const BoostState& state, const trees::SavedTrees& trees, const Range& range, Index models,
                 Index n_targets, const MatrixView& x) {
  trees::SavedTrees::Inputs inputs(trees, x);
  const Index n = x.cols();
  Matrix steps = Matrix::Zero(2 * n_targets, n);
  std::vector<std::int32_t> leaf;
  for (Index t = range.begin; t < range.end; ++t) {
    trees.leaves(t, inputs, leaf);
    const auto row = 2 * static_cast<Index>(state.targets[t]);
    for (Index i = 0; i < n; ++i) {
      const double* own = state.steps.data() + 2 * leaf[static_cast<std::size_t>(i)];
      steps(row, i) += own[0];
      steps(row + 1, i) += own[1];
    }
  }
  steps /= static_cast<double>(models);
  return steps;
}

Moments moments(const BoostState& state, const trees::SavedTrees& trees, const Range& range, Index models,
                const MatrixView& x) {
  const Index n = x.cols();
  const Index d_y = state.location.size();
  const Matrix steps = sum_steps(state, trees, range, models, d_y, x);
  Moments out{Matrix(d_y, n), Matrix(d_y, n)};
  for (Index t = 0; t < d_y; ++t) {
    const double least = std::log(state.least_scale[t]);
    const double greatest = std::log(state.greatest_scale[t]);
    for (Index i = 0; i < n; ++i) {
      out.location(t, i) = state.location[t] + steps(2 * t, i);
      out.log_scale(t, i) = std::clamp(state.log_scale[t] + steps(2 * t + 1, i), least, greatest);
    }
  }
  return out;
}

Vector log_densities(const BoostState& state, const Moments& at, const MatrixView& y) {
  const Residuals residuals{state.weights, state.means, state.scales};
  const Matrix e = (y - at.location).array() * (-at.log_scale).array().exp();
  Vector out = residuals.log_density(e) - at.log_scale.colwise().sum().transpose();
  if (state.defensive.weight == 0) return out;
  const Vector broad = state.defensive.log_density(y);
  for (Index i = 0; i < out.size(); ++i) out[i] = state.defensive.log_mixed(out[i], broad[i]);
  return out;
}

GaussianMixtures mixtures(const BoostState& state, const Moments& at) {
  const Index n = at.location.cols();
  const Index d_y = at.location.rows();
  const Index own = state.weights.size();
  const Index all = own + (state.defensive.weight > 0 ? 1 : 0);
  Matrix means(d_y, all * n);
  Matrix scales(d_y, all * n);
  const Matrix s = at.log_scale.array().exp();
  for (Index i = 0; i < n; ++i) {
    for (Index k = 0; k < own; ++k) {
      means.col(i * all + k) = at.location.col(i) + s.col(i).cwiseProduct(state.means.col(k));
      scales.col(i * all + k) = s.col(i).cwiseProduct(state.scales.col(k));
    }
    if (all == own) continue;
    means.col(i * all + own) = state.defensive.mean;
    scales.col(i * all + own) = state.defensive.scale;
  }
  const Matrix log_weights = state.weights.array().log().matrix().replicate(1, n);
  return GaussianMixtures::separate(std::move(means), std::move(scales), with_defensive(log_weights, state.defensive));
}

}  // namespace condens::boosting
