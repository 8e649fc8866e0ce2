#pragma once
// Trees as model files hold them, and the leaf that an x falls into. A node sends x to the left unless its input's
// value is above the threshold; the value of a category is the place that the tree gives to the level of x, less that
// of level 0, which has no indicator.

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "binned_inputs.hpp"
#include "condens/data/standardizer.hpp"

namespace condens::trees {

/// For every input the places of its levels in one tree, less that of level 0; empty for numbers.
using Positions = std::vector<std::vector<double>>;

/// The input that each of n_inputs rows of x belongs to.
Vector groups_of(const std::vector<BinnedInput>& inputs, Index n_inputs);

/// n_inputs x trees: where a tree puts the levels of a category, its indicators' rows, else 0; empty without
/// categories.
Matrix positions_of(const std::vector<BinnedInput>& inputs, const std::vector<const Positions*>& trees, Index n_inputs);

/// What a file holds of trees; `nodes` is 3 x nodes of all trees: input or -1, threshold, left child or leaf. The right
/// child is next to the left one, and both come later than their parent.
struct Parts {
  const Vector& groups;
  const Matrix& positions;
  const Matrix& nodes;
  const Vector& roots;
};

class SavedTrees {
 public:
  /// Throws FormatError that begins with `owner` where the nodes are no trees over the inputs, or a leaf's number is
  /// not below n_leaves.
  SavedTrees(std::string_view owner, const Parts& parts, Index n_leaves, const Standardizer& x_scale);

  Index size() const { return std::ssize(roots_); }

  /// What the trees read of columns of standardised x.
  class Inputs {
   public:
    Inputs(const SavedTrees& trees, const MatrixView& x);
    Index size() const { return values_.cols(); }

   private:
    friend SavedTrees;
    Matrix values_;  // of every input that is a number, at every column
    /// What is not zero of the indicators of a category: at(column) of the k-th category is [k * size() + column].
    std::vector<std::vector<std::pair<Index, double>>> indicators_;
  };

  /// The leaf of tree t for one column.
  Index leaf(Index t, const Inputs& x, Index column) const;

  /// The leaves of tree t for all columns, which take their steps together; `x` is its work space.
  void leaves(Index t, Inputs& x, std::vector<std::int32_t>& out) const;

 private:
  struct Node {
    std::int32_t input;
    std::int32_t next;  // left child; a leaf, from where there is no way on, is its own
    double threshold;   // of a leaf infinity
  };
  void read_inputs(std::string_view owner, const Parts& parts, Index n_inputs);
  double category(Index t, std::size_t k, const Inputs& x, Index column) const;

  std::vector<Node> nodes_;
  std::vector<std::int32_t> leaf_of_node_;
  std::vector<std::int32_t> roots_;
  std::vector<std::int32_t> heights_;  // of trees: most steps to a leaf
  std::vector<std::vector<Index>> rows_of_input_;
  std::vector<Index> categories_;         // inputs of several rows
  std::vector<Index> category_of_input_;  // its place among these; -1: a number
  std::vector<std::vector<bool>> reads_;  // [category][tree]: whether a node asks for it
  Matrix positions_;
  Vector x_mean_;
  Vector x_scale_;
};

/// A whole number in [low, high) from a file; throws FormatError where it is none.
Index whole_part(std::string_view owner, double value, Index low, Index high, std::string_view what);

/// Throws FormatError: the file of `owner` is damaged.
[[noreturn]] void refuse_file(std::string_view owner, std::string_view what);

}  // namespace condens::trees
