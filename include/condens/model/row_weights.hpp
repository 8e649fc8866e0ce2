#pragma once
// Which training rows made a distribution, of models that put a kernel at each:
//
//   p(y|x) = (1 - e) sum_i w_i(x) k_i(y) + e N_0(y),   w_i(x) >= 0,  sum_i w_i(x) = 1,
//
// i over the rows of the fit, k_i around the y of row i, and N_0 the broad Gaussian of share e. Models do not keep
// the numbers of their rows, which may be merged or sorted: the training data say which is which.

#include <vector>

#include "condens/core/run.hpp"
#include "condens/core/types.hpp"
#include "condens/data/dataset.hpp"

namespace condens {

/// The heaviest rows at one x, by falling weight, the first of equal ones first.
struct RowWeights {
  std::vector<Index> rows;  ///< counting from 0, in the data of the fit
  Vector weights;           ///< > 0
  double others = 0;        ///< what all other rows weigh: 1 less the sum of `weights`
};

/// A model of kernels at training rows.
class WeighsTrainingRows {
 public:
  virtual ~WeighsTrainingRows() = default;
  /// The `most` heaviest rows of `training`, the data of the fit, at every column of x (n_inputs x n). Rows that were
  /// left out of the fit weigh nothing, copies of a row share its kernel. Throws std::invalid_argument for data that
  /// are not those of the fit. Cost: a sort of the rows, then what a prediction costs without shortcuts.
  virtual std::vector<RowWeights> row_weights(const MatrixView& x, const Dataset& training, Index most,
                                              const Run& run) const = 0;
};

}  // namespace condens
