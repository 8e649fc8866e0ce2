#pragma once
// The procedure of pooling by folds, whatever the list of members: every member is fitted to all rows and to all but
// one fold in turn, the weights maximise the log score of rows left out.

#include <vector>

#include "candidates.hpp"
#include "combination.hpp"
#include "condens/model/row_sums.hpp"
#include "core/flush_subnormals.hpp"

namespace condens::pooling {

/// The data that a pool is fitted to, as both ways of pooling begin with them.
struct PoolData {
  /// Throws std::invalid_argument for bad data and folds.
  PoolData(const Settings& settings, const Dataset& data);
  PoolData(const PoolData&) = delete;
  PoolData& operator=(const PoolData&) = delete;

  FlushSubnormals guard;
  Dataset storage;
  const Dataset& rows;      ///< those that count
  std::vector<Index> fold;  ///< of each
  Pooled out;               ///< what was warned of; the broad Gaussian
};

/// Adds to the candidates that have a model those fits that leave one fold out each, and pools them. Throws
/// NumericalError where no member can be fitted.
Pooled pool_by_folds(std::vector<Candidate> candidates, const Settings& settings, PoolData& data, const Run& run);

/// All of it. Throws what candidates_of and PoolData throw.
Pooled fit(const Dataset& data, const Settings& settings, const MemberFinder& find, const Run& run);

/// The same of rows that are elsewhere, one fit after the other, each by sums. Of more than `most_rows_at_once` rows it
/// is the pool of rows in memory up to the rounding of sums. Throws std::invalid_argument for a member that is no sum
/// over rows, and for folds by hand, too.
Pooled fit(RowSums& table, const Settings& settings, const MemberFinder& find, const Run& run);

}  // namespace condens::pooling
