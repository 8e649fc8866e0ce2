#include "rows.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "condens/data/folds.hpp"

namespace condens::lscde {

namespace {

/// Those of the first `count` keys: a smaller sample is a part of a larger one.
SampledRows part_of(const SampledRows& sample, Index size, Index count, Index seed) {
  if (std::ssize(sample.places) <= count) return sample;
  const std::vector<Index> places = sample_of_places(size, count, static_cast<std::uint64_t>(seed));
  std::vector<Index> rows;
  std::vector<Index> found;
  for (std::size_t i = 0; i < sample.places.size(); ++i) {
    if (!std::binary_search(places.begin(), places.end(), sample.places[i])) continue;
    rows.push_back(static_cast<Index>(i));
    found.push_back(sample.places[i]);
  }
  return {{sample.rows.x, sample.rows.y, sample.rows.data.subset(rows)}, found};
}

Matrix divided(const MatrixView& x, const Vector& widths) {
  if ((widths.array() == 1.0).all()) return x;
  return widths.cwiseInverse().asDiagonal() * x;
}

}  // namespace

Index Folds::of(Index place) const {
  const Index fold = given.empty() ? folds_of_places(place, 1, count, static_cast<std::uint64_t>(seed)).front()
                                   : given[static_cast<std::size_t>(place)];
  return first_against ? std::min(fold, Index{1}) : fold;
}

SampledRows RowsInMemory::sample(Index count) const {
  const Index most = size() <= most_rows_at_once ? size() : count;
  std::vector<Index> places = sample_of_places(size(), most, static_cast<std::uint64_t>(seed_));
  if (std::ssize(places) == size()) return {rows_, std::move(places)};
  return {{rows_.x, rows_.y, rows_.data.subset(places)}, places};
}

Problem RowsInMemory::problem(const Vector& widths) const {
  const Dataset& data = rows_.data;
  Problem out;
  out.x = divided(data.x, widths);
  out.y = data.y;
  out.weights = data.weights;
  out.x_unlabeled = divided(data.x_unlabeled, widths);
  out.fold_begin = {0, data.size()};
  return out;
}

void RowsInMemory::sort(Problem& problem, const Folds& folds) const {
  std::vector<Index> fold = folds.given;
  if (folds.first_against) {
    for (Index& k : fold) k = std::min(k, Index{1});
  }
  preparation::FoldOrder sorted = preparation::sort_by_fold(fold);
  problem.x = Matrix(problem.x(Eigen::all, sorted.order));
  problem.y = Matrix(problem.y(Eigen::all, sorted.order));
  problem.weights = Vector(problem.weights(sorted.order));
  problem.fold_begin = std::move(sorted.begin);
}

RowsInTable::RowsInTable(RowSums& table, const table_passes::Scale& scale, Index size, Index seed)
    : table_(table), scale_(scale), size_(size), seed_(seed) {}

SampledRows RowsInTable::sample(Index count) const {
  if (!largest_ || std::ssize(largest_->places) < std::min(count, size_)) {
    table_passes::Sample found = table_passes::sample_of(table_, count, seed_);
    largest_.emplace(SampledRows{{scale_.x(), scale_.y(), scale_.standardized(found.rows)}, std::move(found.places)});
  }
  return part_of(*largest_, size_, count, seed_);
}

Problem RowsInTable::problem(const Vector& widths) const {
  Problem out;
  out.x = Matrix(table_.n_inputs(), 0);
  out.y = Matrix(table_.n_targets(), 0);
  out.x_unlabeled = Matrix(table_.n_inputs(), 0);
  out.fold_begin = {0, 0};
  out.elsewhere = Elsewhere{.table = &table_, .scale = scale_.to_document(), .input_widths = widths};
  return out;
}

void RowsInTable::sort(Problem& problem, const Folds& folds) const {
  problem.elsewhere->folds = folds.count;
  problem.elsewhere->seed = folds.seed;
  problem.elsewhere->first_against = folds.first_against;
  problem.fold_begin.assign(folds.first_against ? 3 : static_cast<std::size_t>(folds.count) + 1, 0);
}

}  // namespace condens::lscde
