#pragma once
// Points gathered in cubic cells of a lattice, as a part of a state (condens/model/row_sums.hpp): at most `limit`
// cells. Where there are more, every 2^d neighbours become one, of twice the edge. The number of cells of one edge
// grows with the points, and so the edge that all points need does not hang on how they were cut.

#include "condens/core/document.hpp"
#include "condens/core/types.hpp"

namespace condens {

struct Cells {
  Index limit = 1;
  Index level = 0;      ///< edges are 2^level of the finest
  Matrix keys = {};     ///< d x k: whole numbers >= 0, the lowest corner of each cell in edges, in lexicographic order
  Vector weights = {};  ///< of the points in each
  Matrix means = {};    ///< d x k: of the points, from the lowest corner, in edges
  Vector squares = {};  ///< weighted sums of the squared distances of the points from their mean, in squared edges

  /// Points in units of the finest edge, from the lattice's lowest corner. Throws FormatError for points beyond it, or
  /// so far from it that their cells have no number.
  static Cells of(const MatrixView& points, const VectorView& weights, Index limit);

  /// Of the points of both, those of `b` after those of `a`; of one limit and dimension.
  static Cells merged(const Cells& a, const Cells& b);

  /// Means of the points, in finest edges from the lattice's lowest corner.
  Matrix places() const;

  Document to_document() const;
  /// Throws FormatError for what is no such part.
  static Cells from_document(const Document& document);
};

}  // namespace condens
