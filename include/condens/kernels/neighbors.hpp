#pragma once
// The samples within a distance of a point, by a k-d tree or by looking at all of them.
// Both give the same rows in the same order: the tree only proposes, and one formula
// decides, with the boundary inside.

#include <memory>
#include <vector>

#include "condens/core/types.hpp"

namespace condens {

/// Rows of the samples, ascending, and their squared distances to the point.
struct Neighborhood {
  std::vector<Index> rows;
  std::vector<double> squared_distances;

  void clear() {
    rows.clear();
    squared_distances.clear();
  }
};

enum class NeighborSearch {
  automatic,    ///< a tree for many samples in few dimensions
  brute_force,  ///< every distance
  tree,         ///< k-d tree; a search that finds more than 1 sample in 128 looks at all of them after all
};

class Neighbors {
 public:
  /// `points` d x n, n >= 1, d >= 0.
  explicit Neighbors(const MatrixView& points, NeighborSearch search = NeighborSearch::automatic);
  ~Neighbors();
  Neighbors(const Neighbors&) = delete;
  Neighbors& operator=(const Neighbors&) = delete;

  Index size() const { return points_.rows(); }
  bool uses_tree() const { return tree_ != nullptr; }

  /// All samples with |x_i - x|^2 <= squared_radius.
  void within(const VectorView& x, double squared_radius, Neighborhood& out) const;

  /// All samples at the smallest distance.
  void nearest(const VectorView& x, Neighborhood& out) const;

  /// |x_i - x|^2 of every sample.
  Vector squared_distances_to(const VectorView& x) const;

 private:
  struct Tree;

  void scan(const VectorView& x, double squared_radius, Neighborhood& out) const;

  Matrix points_;  // one sample a row, as squared_distances wants them
  std::unique_ptr<const Tree> tree_;
};

}  // namespace condens
