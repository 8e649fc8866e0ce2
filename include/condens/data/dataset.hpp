#pragma once
// Numeric observations (x_i, y_i, w_i), the argument of every fit.

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "condens/core/types.hpp"
#include "condens/data/observations.hpp"

namespace condens {

/// Where a row stands, for messages: "train.csv:7".
using PlaceOfRow = std::function<std::string(Index row)>;

/// Columns are observations. `weights` is empty (all one) or holds one weight >= 0
/// per observation: weight 2 equals two copies of the row.
struct Dataset {
  Observations x;                 ///< d_x x n; d_x = 0 is an unconditional density
  Observations y;                 ///< d_y x n, d_y >= 1
  Vector weights = {};            ///< empty or n
  Observations x_unlabeled = {};  ///< d_x x n', inputs whose target is unknown; may be empty

  /// The input that each row of x belongs to, 0, 1, ... in order: the indicators of one
  /// categorical input share a number. Empty: every row is an input of its own.
  std::vector<Index> groups = {};

  Index size() const { return y.cols(); }

  /// Throws std::invalid_argument naming what is wrong: no rows, no target,
  /// lengths that differ, NaN or infinity (with its place), weights negative, all
  /// zero or one above all others, groups out of order. `owner` begins the message.
  void check(std::string_view owner) const;

  /// The rows of x of each input, by `groups`.
  std::vector<std::vector<Index>> inputs() const;

  /// The columns `rows`, in that order (weights too; x_unlabeled stays whole).
  /// Throws std::invalid_argument for a row that does not exist.
  Dataset subset(const std::vector<Index>& rows) const;
};

/// Weights as every fit takes them, whatever their unit. A weight below 2^-50 of the largest is
/// zero: beside it, it is lost in rounding. Those that add up to less than the number of rows are
/// shares of the rows; others count copies, up to 2^40 of a row. Multiplied by a power of two,
/// shares stay the same to the bit.
Vector counted_weights(const VectorView& weights);

/// How many rows have a counted weight above zero.
Index count_rows(const Dataset& data);

/// `data` itself or, where that is not the same, the rows whose counted weight is above zero, with
/// these weights, kept in `storage`: weight zero is absence.
const Dataset& rows_that_count(const Dataset& data, Dataset& storage);

}  // namespace condens
