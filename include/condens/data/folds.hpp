#pragma once
// Cutting rows into folds for cross-validation.

#include <cstdint>
#include <vector>

#include "condens/core/types.hpp"

namespace condens {

/// Of more rows than this, folds and samples follow from the place of a row in its table and nothing else, so that a
/// part of a large table knows them without the rest (model/row_sums.hpp).
inline constexpr Index most_rows_at_once = 15'000;

/// The fold, 0 to folds - 1, of each of n rows: random, and balanced, so that sizes
/// differ by at most one. Throws std::invalid_argument unless 2 <= folds <= n.
std::vector<Index> assign_folds(Index n, Index folds, std::uint64_t seed);

/// The folds of `count` rows from the place `first` on in a table of more than `most_rows_at_once` rows: every `folds`
/// neighbours in an order of their own.
std::vector<Index> folds_of_places(Index first, Index count, Index folds, std::uint64_t seed);

/// The same of rows that stand at these places.
std::vector<Index> folds_at_places(const std::vector<Index>& places, Index folds, std::uint64_t seed);

/// Uniform in [0, 1), one for each of the same rows: those of the `count` smallest keys are a random sample.
std::vector<double> keys_of_places(Index first, Index count, std::uint64_t seed);

/// The places, rising, of such a sample of n rows; all of them where there are no more than `count`.
std::vector<Index> sample_of_places(Index n, Index count, std::uint64_t seed);

/// The fold of each of n rows in the order of time: blocks of neighbours, 0 the first, of sizes that differ by at most
/// one. Rows next to each other are alike; in random folds a model would be chosen for how well it remembers them
/// (D. Roberts et al., Ecography 40, 2017). Throws as assign_folds.
std::vector<Index> time_folds(Index n, Index folds);

/// Checks the user's own fold numbers, one whole number per row and at least two
/// different ones, and relabels them 0 to K - 1 in their order.
/// Throws std::invalid_argument that names the first bad row.
std::vector<Index> check_folds(const std::vector<double>& fold_of_row, Index n);

/// Rows, rising: those of other folds, and those of fold k.
struct RowsOfFold {
  std::vector<Index> train;
  std::vector<Index> test;
};
RowsOfFold rows_of_fold(const std::vector<Index>& fold, Index k);

}  // namespace condens
