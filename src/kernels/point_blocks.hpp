#pragma once
// Points in blocks of neighbours, for sums over pairs of points of which most are too far apart to
// count: halved along the longest side of their box until a strip of eight is left, a block being
// 16 strips. Every block and strip knows its box.

#include <vector>

#include "condens/core/types.hpp"

namespace condens {

/// Boxes low <= u <= high, one a row.
struct Boxes {
  Matrix low;
  Matrix high;

  Boxes scaled_by(const VectorView& factors) const { return {low * factors.asDiagonal(), high * factors.asDiagonal()}; }

  /// Squared distances of the nearest and of the farthest points of two boxes.
  static double nearest(const Boxes& a, Index i, const Boxes& b, Index j);
  static double farthest(const Boxes& a, Index i, const Boxes& b, Index j);
};

struct PointBlocks {
  static constexpr Index block = 128;
  static constexpr Index strip = 8;

  /// Points d x n, n >= 1; a block holds those of one fold (a number 0, 1, ... for every point;
  /// empty: all in one) and is filled up with copies of weight zero.
  PointBlocks(const MatrixView& of, const VectorView& weights_of, const std::vector<Index>& fold_of_point = {});

  Index count() const { return static_cast<Index>(fold.size()); }

  Matrix points;              // rows x d, rows = block * count()
  Vector weights;             // of the rows
  std::vector<Index> row_of;  // the row of every point
  std::vector<Index> fold;    // of every block
  Boxes blocks;
  Boxes strips;
};

}  // namespace condens
