#pragma once
// Categories of many levels as numbers: statistics of the targets among the rows of a level.
//
// With n rows (weights) of a level and a statistic that is a mean of z over rows, the level's own mean is drawn to that
// of all rows (empirical Bayes; Micci-Barreca 2001, equation 5):
//
//   code = (n zbar_level + m zbar) / (n + m),   m = sigma^2 / tau^2,
//
// sigma^2 the variance of z within levels, tau^2 that of the levels' means (moments of the one-way analysis of
// variance); tau^2 = 0 makes every code zbar. Of each target y there are
//   mean           z = y;
//   spread         the logarithm of the code of z = |y - mean code|, not below a thousandth of that of all rows;
//   quantile of p  the quantile of (n F_level + m F) / (n + m), with m of z = [y <= quantile of all rows];
// and for all of them log(1 + n). What is the same in all rows (zbar and F) and n comes from all rows.

#include <cstdint>
#include <string>
#include <vector>

#include "condens/core/types.hpp"

namespace condens {

/// The rows of one categorical column: targets x rows, weights as counts, and the level of each row, 0, 1, ...
struct LevelRows {
  Matrix y;
  Vector weights;
  std::vector<Index> level;
  Index n_levels;
};

/// The names of the statistics, in the order of the rows of codes.
std::vector<std::string> statistic_names(const std::vector<std::string>& targets);

/// statistics x (levels + 1) from all rows; the last column is of a level without rows.
Matrix level_codes(const LevelRows& rows);

/// The codes of each fold from the rows of the others: ten folds at most.
std::vector<Matrix> level_codes_by_fold(const LevelRows& rows, std::uint64_t seed);

/// The folds of `count` of all `n` rows, from the place `first` on.
std::vector<Index> folds_of_codes(Index n, Index first, Index count, std::uint64_t seed);

/// statistics x rows: of each row the codes of its level from the rows of the other folds, so that no row sees its own
/// target.
Matrix codes_out_of_fold(const LevelRows& rows, std::uint64_t seed);

}  // namespace condens
