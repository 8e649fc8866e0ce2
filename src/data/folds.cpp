#include "condens/data/folds.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

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

std::vector<Index> folds_of_places(Index first, Index count, Index folds, std::uint64_t seed) {
  std::vector<Index> out;
  out.reserve(static_cast<std::size_t>(count));
  for (Index group = first / folds; std::ssize(out) < count; ++group) {
    const std::vector<Index> order = RandomStream(seed, static_cast<std::uint64_t>(group)).permutation(folds);
    for (Index i = std::max(first - group * folds, Index{0}); i < folds && std::ssize(out) < count; ++i) {
      out.push_back(order[static_cast<std::size_t>(i)]);
    }
  }
  return out;
}

std::vector<Index> folds_at_places(const std::vector<Index>& places, Index folds, std::uint64_t seed) {
  std::vector<Index> out;
  for (const Index place : places) out.push_back(folds_of_places(place, 1, folds, seed).front());
  return out;
}

std::vector<double> keys_of_places(Index first, Index count, std::uint64_t seed) {
  std::vector<double> out;
  out.reserve(static_cast<std::size_t>(count));
  for (Index i = first; i < first + count; ++i) {
    out.push_back(RandomStream(seed, static_cast<std::uint64_t>(i)).uniform());
  }
  return out;
}

std::vector<Index> sample_of_places(Index n, Index count, std::uint64_t seed) {
  std::vector<Index> out(static_cast<std::size_t>(n));
  std::iota(out.begin(), out.end(), Index{0});
  if (n <= count) return out;
  const std::vector<double> key = keys_of_places(0, n, seed);
  const auto less = [&](Index a, Index b) {
    const double of_a = key[static_cast<std::size_t>(a)];
    const double of_b = key[static_cast<std::size_t>(b)];
    return of_a != of_b ? of_a < of_b : a < b;
  };
  std::nth_element(out.begin(), out.begin() + count, out.end(), less);
  out.resize(static_cast<std::size_t>(count));
  std::sort(out.begin(), out.end());
  return out;
}

std::vector<Index> assign_folds(Index n, Index folds, std::uint64_t seed) {
  check_number(n, folds);
  if (n > most_rows_at_once) return folds_of_places(0, n, folds, seed);
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
