#pragma once
// Subspaces to start a search for z = W x from: sliced inverse regression, sliced average
// variance estimation, the metric that the leave-one-out likelihood of the Nadaraya-Watson density
// learns when it is a d_z x d_x matrix (estimators/nadaraya_watson/leave_one_out.hpp), a smaller subspace with one more
// dimension, and random ones.

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "condens/core/parallel.hpp"
#include "condens/core/types.hpp"
#include "condens/data/dataset.hpp"
#include "condens/data/standardizer.hpp"

namespace condens::lsce {

struct Start {
  std::string source;  ///< "given", "nw", "nested", "sir", "save" or "random"
  Matrix w;            ///< orthonormal rows
};

struct StartSettings {
  bool informed = true;
  Matrix given = {};  ///< directions, a row each, among which are as many as are searched, or fewer
  Index random = 0;
  Index seed = 0;
  double defensive_weight = 0;  ///< of the Nadaraya-Watson density
  bool standardized = true;     ///< the data; else widths are measured in their spread
};

/// Given directions of the data, a column each, as rows on the standardised scale of the inputs `varying`.
Matrix given_start(const Matrix& directions, const Standardizer& scale, const std::vector<Index>& varying);

/// Throws std::invalid_argument where there is no start, or given directions are not of the inputs.
void check_starts(std::string_view owner, bool informed, Index random, const Matrix& directions, Index n_inputs);

/// What is found once for every d_z, and the starts for one d_z.
class Starts {
 public:
  /// Data with weights, no input constant.
  Starts(const Dataset& data, const StartSettings& settings, int threads);

  /// d_z <= d_x; `smaller` is the subspace found for fewer dimensions, or empty. `stop` is asked now
  /// and then, on any thread, whether to leave out what is not ready.
  std::vector<Start> of_dimension(Index d_z, const Matrix& smaller, int threads,
                                  const std::function<bool()>& stop) const;

 private:
  Matrix nw_metric(const std::vector<Matrix>& candidates, int threads, const std::function<bool()>& stop) const;
  Matrix random_rows(Index rows, std::uint64_t stream) const;

  Index n_inputs_;
  StartSettings settings_;
  Dataset rows_;  // of the likelihood
  Matrix sir_;
  Matrix save_;
};

}  // namespace condens::lsce
