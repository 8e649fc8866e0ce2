#pragma once
// What every model of classes is fitted to: the rows that count, copies as one, and the folds by which it is judged.

#include <memory>
#include <vector>

#include "condens/data/dataset.hpp"
#include "condens/data/folds.hpp"
#include "condens/model/target_kind.hpp"

namespace condens {

struct ClassRows {
  /// The one target of `data` is the class: 0, 1, 2, ..., each at least once.
  ClassRows(const Dataset& data, std::uint64_t seed);

  Dataset rows;             ///< with weights, whose mean is at most one where that of `data` is
  Vector start;             ///< log-odds of the classes 1, 2, ... to the first, over all rows
  std::vector<Index> fold;  ///< of every row; empty where there are too few
  Index n_folds;            ///< at least one: of no folds the fit to all rows

  Index class_of(Index row) const { return static_cast<Index>(rows.y(0, row)); }
  /// The rows outside of a fold, which train, and those in it; of no folds all rows train.
  RowsOfFold rows_of(Index k) const;
};

struct FittedClasses {
  std::shared_ptr<const ClassModel> model;
  Vector log_score;  ///< of every row log p of its class by a model that has not seen it; empty without folds
};

/// log p_k of a row from the scores F_1, F_2, ... beside F_0 = 0; `out` has one more.
void class_log_probabilities(const double* score, Index n_scores, double* out);

}  // namespace condens
