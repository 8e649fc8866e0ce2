#pragma once
// One tree of a boosted model in the making, level by level, from sums of derivatives over the bins of every input: it
// knows no rows, which may be anywhere. Of two children the sums of the lighter one are asked for, the other's are what
// is left of their parent.

#include <array>
#include <cstdint>
#include <functional>
#include <limits>
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

  Derivatives& operator+=(const Derivatives& other) {
    weight += other.weight;
    first += other.first;
    information += other.information;
    second += other.second;
    return *this;
  }
  friend Derivatives operator-(const Derivatives& a, const Derivatives& b) {
    return {a.weight - b.weight, a.first - b.first, a.information - b.information, a.second - b.second};
  }
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

  /// One node, and every level in its own place.
  static GrownTree root(const std::vector<trees::BinnedInput>& inputs);

  /// Whether `later` is this tree with more splits, so that its rows have come a part of the way.
  bool grows_into(const GrownTree& later) const;

  /// As files have them: thresholds of nodes, and places less that of level 0.
  double threshold(const std::vector<trees::BinnedInput>& inputs, const Node& node) const;
  trees::Positions positions() const;
};

/// Finds the leaves of rows. All paths are as long as the longest, so that no branch has to be guessed.
class LeafFinder {
 public:
  /// Borrows the codes of the inputs.
  LeafFinder(const GrownTree& tree, const std::vector<trees::BinnedInput>& inputs);

  /// The number of a row's leaf.
  std::size_t operator()(Index row) const {
    const Node* node = nodes_.data();
    for (Index level = 0; level < depth_; ++level) {
      trees::Code code = node->codes[row];
      if (has_places_) code = node->places[code];
      node = nodes_.data() + node->next + (code > node->last_left ? 1 : 0);
    }
    return static_cast<std::size_t>(node->leaf);
  }

 private:
  struct Node {
    const trees::Code* codes = nullptr;
    const trees::Code* places = nullptr;
    std::int32_t next = 0;  // left child, the right one is next; a leaf's is itself
    std::int32_t leaf = 0;
    trees::Code last_left = std::numeric_limits<trees::Code>::max();
  };

  std::vector<Node> nodes_;
  std::vector<std::vector<trees::Code>> places_;  // of every input, its own codes where it is a number
  bool has_places_ = false;
  Index depth_ = 0;  // splits on the longest path
};

struct Split {
  Index input = -1;      ///< -1: there is none
  trees::Code code = 0;  ///< the last one on the left
  double gain = 0;
  Derivatives left = {};
};

/// Grows trees one by one in the same memory. Cost of a level: bins times inputs times nodes.
class TreeGrowth {
 public:
  /// Borrows the inputs, of which it reads no codes of rows.
  TreeGrowth(const std::vector<trees::BinnedInput>& inputs, const GrowingSettings& settings);

  /// A tree of rows whose derivatives sum to `all`; `second_information` of a row of weight one.
  void begin(const Derivatives& all, double second_information, RandomStream& random);

  bool done() const { return open_.empty(); }
  const GrownTree& tree() const { return tree_; }
  GrownTree take() { return std::move(tree_); }

  /// Open nodes of this level, and those of them whose sums are asked for, in their order.
  Index node(std::size_t open) const { return open_[open].node; }
  std::size_t size() const { return open_.size(); }
  std::vector<std::size_t> wanted() const;
  /// The inputs that this tree may split.
  const std::vector<std::size_t>& tried() const { return tried_; }
  /// Of all inputs.
  std::size_t bins() const { return first_bin_.back(); }
  std::size_t first_bin(std::size_t input) const { return first_bin_[input]; }

  /// Looks for the best splits by tried()[k]: sum(open, input, bins) writes the sums of a wanted node over the bins of
  /// the input, those of a category by the places of tree(). Different k may go on side by side.
  using Sum = std::function<void(std::size_t open, std::size_t input, Derivatives* bins)>;
  void search(std::size_t k, const Sum& sum);

  /// Splits the open nodes; part(open, split) is told of those with children that are open on the next level, where
  /// they come next to each other in this order.
  using Part = std::function<void(std::size_t open, const Split& split)>;
  void advance(const Part& part);

 private:
  struct Open {  // a node that may be split
    Index node;
    Derivatives sum;
    std::size_t histogram;
  };
  /// Children of one parent: the histogram of `small` is summed, that of the parent becomes the other child's.
  struct Siblings {
    std::size_t small;
    std::size_t large;
    bool root;
  };

  void order_levels(std::size_t input, Derivatives* bins);
  Derivatives* bins_of(std::size_t histogram, std::size_t input);
  void best_split(const Open& node, std::size_t input, Split& best);
  void give_histograms();
  bool may_split(const Derivatives& sum, Index depth) const;
  void split(const Open& node, std::size_t open, const Split& best, const Part& part);
  void close(Index node, const Derivatives& sum);
  double worth(const Derivatives& sum) const;

  const std::vector<trees::BinnedInput>& inputs_;
  GrowingSettings settings_;
  double least_weight_;
  std::vector<std::size_t> first_bin_;  // of every input in a histogram, and the end
  std::vector<std::vector<Derivatives>> histograms_;
  std::vector<std::size_t> free_;  // of them
  std::vector<std::size_t> tried_;
  GrownTree tree_;
  std::vector<Open> open_;
  std::vector<Open> next_;
  std::vector<Siblings> siblings_;
  std::vector<Siblings> next_siblings_;
  std::vector<Split> found_;  // of every open node by every input tried
  Index depth_ = 0;           // of the children of the open nodes
  Derivatives all_;
  double second_information_ = 1;
  double penalty_ = 0;  // of the information of the first parameter
};

}  // namespace condens::boosting
