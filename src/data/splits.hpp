#pragma once
// Splits of rows into a training and a test part: repeated at random, the design under which the papers compare
// estimators, or in the order of time.

#include <cstdint>
#include <vector>

#include "condens/core/random.hpp"
#include "condens/core/types.hpp"

namespace condens {

/// Row numbers from 0, each list increasing; every row is in exactly one of them.
struct Split {
  std::vector<Index> train;
  std::vector<Index> test;
};

/// `repeats` independent splits of n rows. round(test_fraction n) rows are for testing, but
/// at least one row is in each part. Split r depends on n, test_fraction, seed and r only.
/// Throws std::invalid_argument unless n >= 2, repeats >= 1 and 0 < test_fraction < 1.
std::vector<Split> random_splits(Index n, Index repeats, double test_fraction, std::uint64_t seed);

/// Of n rows in the order of time, a forecast from `repeats` origins: the last round(test_fraction n) rows are cut into
/// blocks of sizes that differ by at most one, and split r tests on block r and trains on all rows before it.
/// Throws std::invalid_argument as random_splits, and where there are fewer rows to test on than blocks.
std::vector<Split> time_splits(Index n, Index repeats, double test_fraction);

/// `count` different of 0, ..., n - 1 at random, rising; all where there are no more.
std::vector<Index> random_rows(Index n, Index count, RandomStream random);

/// `count` of these rows at random, in their order; all where there are no more.
std::vector<Index> random_rows(const std::vector<Index>& rows, Index count, RandomStream random);

}  // namespace condens
