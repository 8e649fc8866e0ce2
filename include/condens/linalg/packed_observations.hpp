#pragma once
// Observations whose coordinates hold few equally spaced values (grey levels, counts, codes), kept
// as bytes for many products with few columns: reading is what such products cost, and a byte is
// an eighth of a double.
//
//   x_ki = offset_k + step_k c_ki,  c_ki in 0, ..., 255, to rounding
//
//   b' x = sum_k b_k offset_k + sum_k (b_k step_k) c_k,   x g' likewise
//
// Sums are of doubles: bytes are widened a tile at a time, in the first-level cache. Coordinates
// that are constant cost nothing.
//
// Shapes: x p x n, few J (some ten). Panels of 16 numbers times J sums in registers, as in any
// matrix product; the bytes are kept in the order of the panels of both products.

#include <cstdint>
#include <memory>
#include <vector>

#include "condens/core/parallel.hpp"
#include "condens/core/types.hpp"

namespace condens {

class PackedObservations {
 public:
  static constexpr Index panel = 16;

  /// Null where a coordinate of x has more levels than a byte, or unequal spaces between them.
  static std::shared_ptr<const PackedObservations> pack(const MatrixView& x, int threads = 1);

  Index size() const { return n_; }

  /// out += b' x of the observations `rows` (its begin a multiple of `panel`), for b p x J and
  /// out J x rows.
  void add_transposed_product(const MatrixView& b, Range rows, Eigen::Ref<Matrix> out) const;

  /// out += x g' of the observations `rows`, for g J x rows and out p x J.
  void add_product_with_transpose(Range rows, const MatrixView& g, Eigen::Ref<Matrix> out) const;

 private:
  PackedObservations() = default;
  void fill(const MatrixView& x, Index group);
  Index n_varying() const { return std::ssize(varying_); }

  Index n_ = 0;
  Vector offset_, step_;                          // p
  std::vector<Index> varying_;                    // coordinates of more than one value
  std::vector<std::uint8_t> observation_panels_;  // 16 observations: [panel][varying coordinate][observation]
  std::vector<std::uint8_t> coordinate_panels_;   // 16 coordinates: [panel][observation][varying coordinate]
};

}  // namespace condens
