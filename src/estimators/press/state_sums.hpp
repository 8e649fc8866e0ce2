#pragma once
// What the states of PRESS need wherever they are summed over rows.

#include "condens/core/types.hpp"

namespace condens::press {

/// 1 / sigma_j; 0 for a state that no row is in (errata P10).
inline Vector inverse_sizes(const Vector& sizes) {
  const double least = 1e-12 * sizes.sum();
  return (sizes.array() > least).select(sizes.array().inverse(), 0.0);
}

/// Entropy of the weights of the states of every row, in bits (18).
Vector entropy_of_weights(const Matrix& w);

/// The levels b of PressStates, d_y x J, from the means m (d_y x J), W'AW and W'A (y - W m).
Matrix levels_from(const Matrix& means, const Matrix& gram, const Matrix& right);

}  // namespace condens::press
