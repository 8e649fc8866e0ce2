#pragma once
// What the states of PRESS need wherever they are summed over rows.

#include "condens/core/types.hpp"

namespace condens::press {

/// 1 / sigma_j; 0 for a state that no row is in (errata P10).
inline Vector inverse_sizes(const Vector& sizes) {
  const double least = 1e-12 * sizes.sum();
  return (sizes.array() > least).select(sizes.array().inverse(), 0.0);
}

}  // namespace condens::press
