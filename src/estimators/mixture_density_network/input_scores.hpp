#pragma once
// Normal scores of inputs, which a network of many rows takes beside the inputs: what is far out in a heavy tail comes
// nearer, and what is crowded spreads. Monotone, so that nothing is lost and nothing depends on units.

#include "condens/core/types.hpp"

namespace condens::mdn {

/// Piecewise linear maps of some inputs, through the normal quantiles of the ranks at their knots and constant beyond.
struct InputScores {
  Vector inputs;  ///< numbers of the inputs that have a score, rising
  Matrix knots;   ///< n_knots x inputs.size(), rising; the last one is repeated where there are fewer values
  Matrix values;  ///< n_knots x inputs.size()

  /// For each input with more than two values; ranks count a row as often as its weight says.
  static InputScores fit(const MatrixView& x, const VectorView& weights);

  /// The inputs, and below them their scores.
  Matrix append(const MatrixView& x) const;
};

}  // namespace condens::mdn
