#pragma once
// How far two subspaces lie apart. A and B hold a vector a row, p and q of them in d dimensions; P and Q are the
// orthogonal projections onto what they span. The principal angles t_1 >= t_2 >= ... have the cosines of the singular
// values of A B', rows orthonormal, and
//
//   |P - Q|_F^2 = 2 sum sin^2 t_k + |p - q|.
//
// Source: A. Bjorck and G. H. Golub, Numerical methods for computing angles between linear subspaces, Math. Comp. 27,
// 1973.

#include "condens/core/types.hpp"

namespace condens {

/// The angles between the row spaces of two matrices with orthonormal rows, falling, in [0, pi/2];
/// as many as the smaller one has rows.
Vector principal_angles(const MatrixView& a, const MatrixView& b);

struct SubspaceChange {
  Vector angles;    ///< in radians, falling; as many as the smaller subspace has dimensions
  double distance;  ///< |P - Q|_F / sqrt(2): the root of the sum of the sines' squares where p = q
  double share;     ///< 0 where one is the other, 1 at right angles: root of (sum sin^2 t_k + |p - q|) / max(p, q)
};

/// Between what the rows span, which need not be orthonormal. Throws std::invalid_argument for rows of different
/// lengths, numbers that are not finite, and rows that are not independent.
SubspaceChange subspace_change(const MatrixView& a, const MatrixView& b);

}  // namespace condens
