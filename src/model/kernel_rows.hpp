#pragma once
// From weights of kernels to weights of the training rows that they stand at (model/row_weights.hpp).

#include <functional>
#include <string_view>
#include <utility>
#include <vector>

#include "condens/data/standardizer.hpp"
#include "condens/model/row_weights.hpp"
#include "model/preparation.hpp"

namespace condens {

/// The `most` largest of the weights, whose sum is one.
RowWeights largest_weights(const VectorView& weights, Index most);

/// [x, y], as columns.
Matrix stacked(const Dataset& data);

/// The data of a fit as the fit saw them.
class FittedRows {
 public:
  /// Throws std::invalid_argument where they have another mean or spread than the fit's.
  FittedRows(std::string_view owner, const Dataset& training, bool standardize, const Standardizer& x_scale,
             const Standardizer& y_scale);

  const Dataset& rows() const { return start_.rows(); }  ///< those with a weight, on the user's scale
  const Dataset& standardized() const { return start_.standardized().data; }
  const std::vector<Index>& numbers() const { return numbers_; }  ///< of them, in `training`
  Index n_training() const { return n_training_; }

 private:
  preparation::Start start_;
  std::vector<Index> numbers_;
  Index n_training_;
};

class KernelRows {
 public:
  /// Kernels at columns [x, y], as are `rows`, those of `fitted` on the same scale. A row's kernels are those of the
  /// same numbers. Throws std::invalid_argument where a kernel stands at no row.
  KernelRows(std::string_view owner, const Matrix& kernels, const Matrix& rows, const FittedRows& fitted);

  /// Of weights of the kernels, whose sum is one.
  RowWeights weigh(const VectorView& weights, Index most) const;

  /// `log_weights(i)`: those of the kernels at the i-th of n points, which need not be normalised.
  std::vector<RowWeights> weigh(Index n, Index most, const Run& run,
                                const std::function<Vector(Index)>& log_weights) const;

 private:
  Index n_rows_;
  std::vector<std::vector<std::pair<Index, double>>> rows_of_kernel_;  // with their shares of its weight
};

}  // namespace condens
