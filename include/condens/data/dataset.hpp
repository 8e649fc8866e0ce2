#pragma once
// Numeric observations (x_i, y_i, w_i), the argument of every fit.

#include <string_view>
#include <vector>

#include "condens/core/types.hpp"
#include "condens/data/observations.hpp"

namespace condens {

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
  /// lengths that differ, NaN or infinity (with its place), weights negative or
  /// all zero, groups out of order. `owner` begins the message.
  void check(std::string_view owner) const;

  /// The rows of x of each input, by `groups`.
  std::vector<std::vector<Index>> inputs() const;

  /// The columns `rows`, in that order (weights too; x_unlabeled stays whole).
  /// Throws std::invalid_argument for a row that does not exist.
  Dataset subset(const std::vector<Index>& rows) const;
};

/// `data` itself or, where some weights are zero, its other rows, kept in `storage`:
/// weight zero is absence.
const Dataset& rows_that_count(const Dataset& data, Dataset& storage);

}  // namespace condens
