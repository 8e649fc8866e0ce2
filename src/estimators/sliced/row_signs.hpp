#pragma once
// Directions have no sign of their own.

#include <cmath>

#include "condens/core/types.hpp"

namespace condens::reduction {

/// Turns every row so that the first of its largest entries is positive. Entries within a share of 1e-6 of the largest
/// count as largest: rounding must not say which of two equal ones it is.
inline void settle_signs(Matrix& rows) {
  for (Index k = 0; k < rows.rows(); ++k) {
    const double least = (1 - 1e-6) * rows.row(k).cwiseAbs().maxCoeff();
    Index at = 0;
    while (std::abs(rows(k, at)) < least) ++at;
    if (rows(k, at) < 0) rows.row(k) *= -1.0;
  }
}

}  // namespace condens::reduction
