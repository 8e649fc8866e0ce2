#pragma once
// Rows and the trees that were made without them: what a forest says of rows that it has not seen, for free.

#include <vector>

#include "condens/core/run.hpp"
#include "growing.hpp"
#include "smoothing.hpp"
#include "trees.hpp"

namespace condens::forest {

/// Some rows with the trees that did not see them.
class OutOfBag {
 public:
  /// Of `rows` those that some tree did not see. Borrows `trees` and `data`, whose x is standardised.
  OutOfBag(const Dataset& data, const std::vector<GrownTree>& grown, const Trees& trees,
           const std::vector<Index>& rows);

  const std::vector<Index>& rows() const { return rows_; }

  /// Of the atoms for every row, atoms x rows, columns of sum 1. With `shuffled`, rows of x are taken from the row of
  /// that place in `order` instead.
  Matrix shares(int threads, const std::vector<Index>& shuffled = {}, const std::vector<Index>& order = {}) const;

 private:
  const Dataset& data_;
  const Trees& trees_;
  std::vector<Index> rows_;
  std::vector<std::vector<Index>> unseen_by_;  // trees, for each of rows_
};

/// log p(y) of every row (columns of shares and y) for every width: rows x widths.
Matrix log_densities(const Smoothing& smoothing, const Matrix& shares, const Matrix& y,
                     const std::vector<Width>& widths, int threads);

}  // namespace condens::forest
