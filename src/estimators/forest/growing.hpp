#pragma once
// One tree: rows drawn without replacement, split where a sum of squares falls most (forest.hpp).

#include <vector>

#include "condens/core/random.hpp"
#include "condens/estimators/forest.hpp"
#include "estimators/trees/binned_inputs.hpp"
#include "estimators/trees/saved_trees.hpp"

namespace condens::forest {

/// What all trees share.
struct GrowingData {
  std::vector<trees::BinnedInput> inputs;
  Matrix y;        ///< d_y x n, standardised
  Vector weights;  ///< n, > 0; mean at least 1
};

struct GrowingSettings {
  ForestCriterion criterion;
  double min_samples_leaf;
  double max_features;
  Index rows;  ///< of a tree
};

struct GrownTree {
  struct Node {
    Index input;       ///< -1: a leaf
    double threshold;  ///< left where the input's value is not above it
    Index left;        ///< child, the right one is next; of a leaf its number
    Index begin;       ///< rows[begin], ..., rows[end - 1]
    Index end;
  };
  std::vector<Node> nodes;
  std::vector<Index> rows;   ///< that it is made of, by leaf
  std::vector<bool> in_bag;  ///< of every row of the data
  trees::Positions positions;
};

/// The rows of a tree among n, rising: the first that its stream draws.
std::vector<Index> rows_of_tree(Index n, Index count, RandomStream& random);

/// The value of a category at a level is the level's position. Cost: rows times inputs tried times depth.
GrownTree grow_tree(const GrowingData& data, const GrowingSettings& settings, RandomStream random);

}  // namespace condens::forest
