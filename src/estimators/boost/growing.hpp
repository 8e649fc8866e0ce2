#pragma once
// One tree of a boosted model: histograms of derivatives over the bins of every input, level by level; of two children
// the smaller one is summed, the other is what is left of its parent.

#include <array>
#include <cstdint>
#include <vector>

#include "condens/core/random.hpp"
#include "estimators/trees/binned_inputs.hpp"
#include "estimators/trees/saved_trees.hpp"

namespace condens::boosting {

/// What a row, or rows, ask for: derivatives of the log likelihood, times weights, with respect to two parameters.
struct Derivatives {
  double weight = 0;
  double first = 0;
  double information = 0;  ///< of the first; that of the second is the same for all rows
  double second = 0;
};

struct GrowingSettings {
  Index max_depth;
  double min_samples_leaf;  ///< by weight
  double l2;                ///< rows that ask for no step, in every leaf
  double max_features;
};

struct GrownTree {
  struct Node {
    Index input = -1;      ///< -1: a leaf
    trees::Code code = 0;  ///< the last one on the left
    Index next = 0;        ///< left child, the right one is next; of a leaf its number
  };
  std::vector<Node> nodes = {};
  std::vector<std::array<double, 2>> steps = {};      ///< of every leaf: the maximum of the quadratic
  std::vector<std::vector<trees::Code>> places = {};  ///< for every input those of its levels; empty for numbers

  /// The leaf of a row of the data.
  std::size_t leaf(const std::vector<trees::BinnedInput>& inputs, Index row) const {
    const Node* node = nodes.data();
    while (node->input >= 0) {
      const auto input = static_cast<std::size_t>(node->input);
      trees::Code code = inputs[input].codes[static_cast<std::size_t>(row)];
      if (!places[input].empty()) code = places[input][code];
      node = nodes.data() + node->next + (code > node->code ? 1 : 0);
    }
    return static_cast<std::size_t>(node->next);
  }

  /// As files have them: thresholds of nodes, and places less that of level 0.
  double threshold(const std::vector<trees::BinnedInput>& inputs, const Node& node) const;
  trees::Positions positions() const;
};

/// Grows trees one by one in the same memory. Cost of a tree: rows times inputs times half its depth, and bins times
/// inputs times nodes.
class Grower {
 public:
  Grower(const std::vector<trees::BinnedInput>& inputs, const GrowingSettings& settings);

  /// Of `rows`, whose derivatives are `own`; `second_information` of a row of weight one.
  GrownTree grow(std::vector<std::int32_t> rows, std::vector<Derivatives> own, double second_information,
                 RandomStream& random, int threads);

 private:
  struct Split {
    Index input = -1;
    trees::Code code = 0;
    double gain = 0;
    Derivatives left = {};
  };
  struct Open {  // a node that may be split
    Index node;
    std::size_t begin;
    std::size_t end;
    Derivatives sum;
    std::size_t histogram;
  };
  /// Children of one parent: the histogram of `small` is summed, that of the parent becomes the other child's.
  struct Siblings {
    std::size_t small;
    std::size_t large;
    bool root;
  };

  void order_levels(GrownTree& tree) const;
  Derivatives* bins(std::size_t histogram, std::size_t input);
  void sum_rows(const Open& node, std::size_t input, const std::vector<trees::Code>& places);
  void best_split(const Open& node, std::size_t input, Split& best);
  std::vector<Split> best_splits(const GrownTree& tree, const std::vector<Open>& open,
                                 const std::vector<Siblings>& siblings, int threads);
  std::size_t partition(const GrownTree& tree, const Open& node, const Split& split);
  bool may_split(const Derivatives& sum, Index depth) const;
  void split(GrownTree& tree, const Open& node, const Split& split, Index depth, std::vector<Open>& next,
             std::vector<Siblings>& siblings);
  void close(GrownTree& tree, Index node, const Derivatives& sum) const;
  double worth(const Derivatives& sum) const;

  const std::vector<trees::BinnedInput>& inputs_;
  GrowingSettings settings_;
  double least_weight_;
  std::vector<std::size_t> first_bin_;  // of every input in a histogram, and the end
  std::vector<std::int32_t> rows_;
  std::vector<Derivatives> own_;  // of rows_
  std::vector<std::int32_t> scratch_rows_;
  std::vector<Derivatives> scratch_own_;
  std::vector<std::vector<Derivatives>> histograms_;
  std::vector<std::size_t> free_;  // of them
  std::vector<std::size_t> tried_;
  double second_information_ = 1;
  double penalty_ = 0;  // of the information of the first parameter
};

}  // namespace condens::boosting
