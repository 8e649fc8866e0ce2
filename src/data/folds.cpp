#include "condens/data/folds.hpp"

#include <algorithm>
#include <cmath>

#include "condens/core/errors.hpp"
#include "condens/core/random.hpp"

namespace condens {

namespace {

void check_number(Index n, Index folds) {
  require(folds >= 2, "cv = ", folds, ", expected at least 2 folds");
  require(folds <= n, "cv = ", folds, " folds need at least ", folds, " rows, found ", n, "; give fewer folds");
}

}  // namespace

std::vector<Index> time_folds(Index n, Index folds) {
  check_number(n, folds);
  std::vector<Index> out(static_cast<std::size_t>(n));
  for (Index i = 0; i < n; ++i) out[static_cast<std::size_t>(i)] = i * folds / n;
  return out;
}

std::vector<Index> assign_folds(Index n, Index folds, std::uint64_t seed) {
  check_number(n, folds);
  const std::vector<Index> order = RandomStream(seed).permutation(n);
  std::vector<Index> fold_of_row(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    fold_of_row[static_cast<std::size_t>(order[i])] = static_cast<Index>(i) % folds;
  }
  return fold_of_row;
}

std::vector<Index> check_folds(const std::vector<double>& fold_of_row, Index n) {
  require(static_cast<Index>(fold_of_row.size()) == n, "cv: ", fold_of_row.size(), " fold numbers for ", n,
          " rows, expected one per row");
  for (std::size_t i = 0; i < fold_of_row.size(); ++i) {
    require(std::isfinite(fold_of_row[i]) && fold_of_row[i] == std::floor(fold_of_row[i]), "cv: row ", i + 1,
            " (counting from 1) has fold number ", fold_of_row[i], ", expected a whole number");
  }
  std::vector<double> values = fold_of_row;
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  require(values.size() >= 2, "cv: all ", n, " rows have the same fold number, expected at least two folds");

  std::vector<Index> out;
  out.reserve(fold_of_row.size());
  for (const double value : fold_of_row) {
    out.push_back(std::lower_bound(values.begin(), values.end(), value) - values.begin());
  }
  return out;
}

RowsOfFold rows_of_fold(const std::vector<Index>& fold, Index k) {
  RowsOfFold out;
  for (Index i = 0; i < std::ssize(fold); ++i)
    (fold[static_cast<std::size_t>(i)] == k ? out.test : out.train).push_back(i);
  return out;
}

}  // namespace condens
