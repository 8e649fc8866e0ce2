// The likelihood ratio of new rows against those of the fit, by a classifier.

#include <algorithm>
#include <cmath>

#include "condens/core/errors.hpp"
#include "condens/data/folds.hpp"
#include "condens/registry.hpp"
#include "estimators/classes/pooled_classes.hpp"

namespace condens {

ShiftWeights estimate_shift(const Conformal& conformal, const MatrixView& x, std::uint64_t seed, const Run& run) {
  constexpr Index folds = 5;
  constexpr Index fewest = 10;
  constexpr std::uint64_t seed_of_folds = 3'003;
  const Matrix& before = conformal.scored().x;
  require(conformal.is_split(),
          "shift: the intervals are by folds, expected those by rows left out: conformal without ", "a method");
  require(before.size() > 0,
          "shift: the model does not hold the inputs of its calibration rows, expected a model with ",
          "inputs that this version has fitted; fit it again");
  require(x.rows() == before.rows(), "shift: rows of ", x.rows(), " inputs, expected ", before.rows());
  require(x.allFinite() && before.allFinite(), "shift: inputs are missing, expected complete rows: give weights");
  const Index m = before.cols();
  const Index n = m + x.cols();
  require(m >= fewest && x.cols() >= fewest, "shift: ", m, " calibration rows and ", x.cols(),
          " new ones, expected at least ", fewest, " of each to tell them apart");
  Matrix all(x.rows(), n);
  all << before, x;
  Matrix is_new = Matrix::Zero(1, n);
  is_new.rightCols(x.cols()).setOnes();
  // Folds of each kind by itself, so that both are in all of them.
  std::vector<Index> fold = assign_folds(m, folds, seed + seed_of_folds);
  const std::vector<Index> of_new = assign_folds(x.cols(), folds, seed + seed_of_folds);
  fold.insert(fold.end(), of_new.begin(), of_new.end());
  Vector ratio(n);
  for (Index k = 0; k < folds; ++k) {
    const auto [train, test] = rows_of_fold(fold, k);
    const Dataset rows{.x = Matrix(all(Eigen::all, train)), .y = Matrix(is_new(Eigen::all, train))};
    const double prior = std::log((static_cast<double>(train.size()) - rows.y.sum()) / rows.y.sum());
    const auto classes = fit_classes(rows, seed, run).model;
    const Matrix found = classes->log_probabilities(all(Eigen::all, test), run);
    ratio(test) = (found.row(1) - found.row(0)).transpose().array() + prior;
  }
  ratio = ratio.array().exp();
  return {ratio.head(m), ratio.tail(x.cols())};
}

}  // namespace condens
