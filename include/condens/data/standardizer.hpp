#pragma once
// Columns to mean 0 and standard deviation 1 by the training data (n - 1 in the
// variance; errata L1, L2), and back.

#include <vector>

#include "condens/core/document.hpp"
#include "condens/core/types.hpp"

namespace condens {

class Standardizer {
 public:
  /// Leaves data as they are.
  static Standardizer identity(Index dimension);

  /// Weighted moments. The variance divides by W (1 - 1 / max(W, n+)), with W the
  /// sum of weights and n+ the number of positive ones: n - 1 without weights,
  /// exact for weights that count copies, unchanged when small weights are rescaled.
  /// `weights` is empty or holds one weight >= 0 per column; columns of weight 0 play no part.
  /// A constant row has scale 0: it becomes 0 whatever its value, and so plays no part.
  static Standardizer fit(const MatrixView& data, const VectorView& weights);

  Index dimension() const { return mean_.size(); }
  const Vector& mean() const { return mean_; }
  const Vector& scale() const { return scale_; }
  bool is_constant(Index i) const { return scale_[i] == 0.0; }

  /// (data - mean) / scale per row, at most 1e120 in absolute value, and its inverse. Throw std::invalid_argument
  /// unless data has `dimension()` rows.
  Matrix transform(const MatrixView& data) const;
  Matrix inverse_transform(const MatrixView& data) const;

  /// The same with every scale times a factor > 0.
  Standardizer rescaled(const VectorView& factors) const { return {mean_, scale_.cwiseProduct(factors)}; }

  /// Of these rows among `dimension`; mean and scale of the others are 0.
  Standardizer among(Index dimension, const std::vector<Index>& rows) const;

  Document to_document() const;
  static Standardizer from_document(const Document& document);

 private:
  Standardizer(Vector mean, Vector scale);

  Vector mean_;
  Vector scale_;
};

}  // namespace condens
