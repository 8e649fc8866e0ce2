#include "class_rows.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "linalg/log_sum_exp.hpp"
#include "model/preparation.hpp"

namespace condens {

ClassRows::ClassRows(const Dataset& data, std::uint64_t seed) : n_folds(1) {
  constexpr Index folds_of_classes = 5;
  Dataset storage;
  rows = preparation::merge_copies(rows_that_count(data, storage));
  if (rows.weights.size() == 0) rows.weights = Vector::Ones(rows.size());
  rows.weights /= std::min(1.0, rows.weights.mean());
  const auto n_scores = static_cast<Index>(rows.y.maxCoeff());
  Vector count = Vector::Zero(n_scores + 1);
  for (Index i = 0; i < rows.size(); ++i) count[class_of(i)] += rows.weights[i];
  start = (count.tail(n_scores).array() / count[0]).log();
  if (rows.size() >= 2 * folds_of_classes) {
    fold = preparation::folds_of({folds_of_classes}, {.x = rows.x, .y = rows.y}, static_cast<Index>(seed));
    n_folds = *std::max_element(fold.begin(), fold.end()) + 1;
  }
}

RowsOfFold ClassRows::rows_of(Index k) const {
  if (!fold.empty()) return rows_of_fold(fold, k);
  RowsOfFold out;
  out.train.resize(static_cast<std::size_t>(rows.size()));
  std::iota(out.train.begin(), out.train.end(), Index{0});
  return out;
}

void class_log_probabilities(const double* score, Index n_scores, double* out) {
  out[0] = 0.0;
  std::copy_n(score, n_scores, out + 1);
  const double total = log_sum_exp(Eigen::Map<const Vector>(out, n_scores + 1));
  for (Index k = 0; k <= n_scores; ++k) out[k] -= total;
}

}  // namespace condens
