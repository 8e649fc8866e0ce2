#pragma once
// Directions with loadings of few inputs: those of the smallest columns of W leave, the directions are found again
// among the others, and so on; how many stay is said by rows held out.
//
// |W_j|, the length of column j, is the same for every basis of the subspace. An input that leaves is absent from the
// search and from the score: column j of W is exactly zero. In each fold inputs leave by the rows of the other folds
// alone, so that held-out rows have no part in the order.
//
// Sources: I. Guyon, J. Weston, S. Barnhill and V. Vapnik, Gene selection for cancer classification using support
// vector machines, Machine Learning 46, 2002 (recursive elimination by the size of coefficients); X. Chen, C. Zou and
// R. D. Cook, Coordinate-independent sparse sufficient dimension reduction and variable selection, Ann. Statist. 38,
// 2010 (lengths of columns, which no rotation of W changes).

#include <functional>
#include <vector>

#include "condens/model/conditional_density.hpp"
#include "condens/model/scoring.hpp"
#include "inner_fits.hpp"

namespace condens::reduction {

/// What the elimination asks of a method. Part 0 are all rows, part k those of all folds but k - 1. W has a column for
/// every input; those that are not in `kept` are zero.
struct EliminationParts {
  Index folds;
  /// The directions of a part before any input leaves, orthonormal rows.
  std::function<Matrix(Index part, const Run& run)> first;
  /// From `start`, d_z x kept, orthonormal rows: directions of the inputs `kept`, as many.
  std::function<Matrix(Index part, const std::vector<Index>& kept, const Matrix& start, const Run& run)> search;
  /// Of the rows of a fold, by W of the part without it; less is better, infinity where there is no density.
  std::function<double(Index fold, const Matrix& w, const Run& run)> score;
};

/// W of all rows, with zero columns where inputs have left. The report gets "elimination": the numbers of inputs with
/// their scores, and "n_inputs_used". Never fewer inputs than directions. By `rule` the number of the least score, or
/// the smallest whose score is worse by no more than the standard error of the difference. Of more than ten inputs a
/// tenth leaves at a time.
/// Cost: for each number of inputs a search and a score in every fold. Advances `task` by 1 + folds.
Matrix eliminate_inputs(const EliminationParts& parts, SelectionRule rule, const Run& run, Task& task,
                        FitReport& report);

/// Of the sizes of an elimination, rising.
std::vector<Index> elimination_sizes(Index n_inputs, Index n_components);

/// W of the inputs `varying` as W of all `n`.
Matrix embedded(const Matrix& w, const std::vector<Index>& varying, Index n);

}  // namespace condens::reduction
