#pragma once
// Few places in y that stand for the y of all rows.

#include <vector>

#include "condens/core/types.hpp"

namespace condens::forest {

struct Atoms {
  Matrix means;            ///< d_y x K, by rising first coordinate
  Matrix spreads;          ///< d_y x K, standard deviations of the rows of an atom
  std::vector<Index> row;  ///< the atom of every row
};

/// Equal y share an atom. Where there are more than `most` different y, the set of rows of the largest sum of squares
/// is cut at its mean, along the coordinate where it is widest, again and again (as in J. H. Ward's criterion, JASA 58,
/// 1963, from above): K = most. Cost: n log K.
Atoms make_atoms(const Matrix& y, const Vector& weights, Index most);

}  // namespace condens::forest
