#include "preparation.hpp"

#include <cmath>
#include <numeric>

#include "condens/core/errors.hpp"
#include "condens/data/folds.hpp"

namespace condens::preparation {

Standardized standardize(std::string_view owner, const Dataset& rows, bool wanted) {
  Standardized out{Standardizer::identity(rows.x.rows()), Standardizer::identity(rows.y.rows()), {}};
  const Standardizer y = Standardizer::fit(rows.y, rows.weights);
  for (Index k = 0; k < rows.y.rows(); ++k) {
    require(!y.is_constant(k), owner, ": target ", k + 1, " is constant (", rows.y(k, 0),
            " in every row); a law without spread has no density");
  }
  if (wanted) {
    out.x = Standardizer::fit(rows.x, rows.weights);
    out.y = y;
  }
  out.data = {.x = rows.x.rows() > 0 ? out.x.transform(rows.x) : Matrix(0, rows.size()),
              .y = out.y.transform(rows.y),
              .weights = rows.weights.size() > 0 ? rows.weights : Vector::Ones(rows.size()),
              .x_unlabeled = rows.x_unlabeled.size() > 0 ? out.x.transform(rows.x_unlabeled) : Matrix(rows.x.rows(), 0),
              .groups = rows.groups};
  return out;
}

void warn_of_constant_inputs(const Standardized& standardized, FitReport& report) {
  for (Index k = 0; k < standardized.x.dimension(); ++k) {
    if (standardized.x.is_constant(k)) {
      report.warnings.push_back(message("input ", k + 1, " is constant and plays no part"));
    }
  }
}

std::vector<Index> choose_center_rows(const Dataset& data, CenterSelection how, Index count, Index seed, int threads,
                                      FitReport& report) {
  Matrix points(data.x.rows() + data.y.rows(), data.size());
  const double balance =
      data.x.rows() == 0 ? 1.0 : std::sqrt(static_cast<double>(data.x.rows()) / static_cast<double>(data.y.rows()));
  points << data.x, balance * data.y;
  const auto stream = static_cast<std::uint64_t>(seed);
  const Index most = std::min(count, data.size());
  std::vector<Index> chosen = how == CenterSelection::random
                                  ? random_centers(points, data.weights, most, stream)
                                  : kmeans_centers(points, data.weights, most, stream, threads);
  if (count > std::ssize(chosen)) {
    report.details.set("n_centers_note", message("all ", chosen.size(), " different samples are centers"));
  }
  return chosen;
}

Dataset merge_copies(const Dataset& data) {
  Matrix points(data.x.rows() + data.y.rows(), data.size());
  if (data.x.rows() > 0) points.topRows(data.x.rows()) = data.x;
  points.bottomRows(data.y.rows()) = data.y;
  std::vector<Index> kept;
  Vector weights = data.weights.size() > 0 ? data.weights : Vector::Ones(data.size());
  for (const Index i : sorted_columns(points)) {
    if (kept.empty() || points.col(kept.back()) != points.col(i)) {
      kept.push_back(i);
    } else {
      weights[kept.back()] += weights[i];
    }
  }
  Dataset out = data.subset(kept);
  out.weights = weights(kept);
  return out;
}

void check_centers(std::string_view owner, const Matrix& centers, const Dataset& data) {
  const Index rows = data.x.rows() + data.y.rows();
  require(centers.size() == 0 || centers.rows() == rows, owner, ": centers have ", centers.rows(),
          " numbers each, expected ", rows, ": ", data.x.rows(), " of x and ", data.y.rows(), " of y");
}

std::vector<double> at_most_rows(std::vector<double> cv, Index rows) {
  if (cv.size() == 1) cv.front() = std::min(cv.front(), static_cast<double>(rows));
  return cv;
}

std::vector<Index> folds_of(const std::vector<double>& cv, const Dataset& given, Index seed) {
  std::vector<double> fold_of_row = cv;
  Index rows = given.size();
  if (given.weights.size() > 0) {
    rows = (given.weights.array() > 0).count();
    if (std::ssize(cv) == given.size()) {
      fold_of_row.clear();
      for (Index i = 0; i < given.size(); ++i) {
        if (given.weights[i] > 0) fold_of_row.push_back(cv[static_cast<std::size_t>(i)]);
      }
    }
  }
  if (cv.size() > 1) return check_folds(fold_of_row, rows);
  // The default on very few rows; more folds than rows are a slip of who asks for them.
  constexpr double usual = 5;
  const std::vector<double> folds = rows >= 2 && cv.front() <= usual ? at_most_rows(cv, rows) : cv;
  return assign_folds(rows, static_cast<Index>(folds.front()), static_cast<std::uint64_t>(seed));
}

FoldOrder sort_by_fold(const std::vector<Index>& fold) {
  FoldOrder out;
  out.order.resize(fold.size());
  std::iota(out.order.begin(), out.order.end(), Index{0});
  std::stable_sort(out.order.begin(), out.order.end(), [&](Index a, Index b) { return fold[a] < fold[b]; });
  const Index folds = *std::max_element(fold.begin(), fold.end()) + 1;
  out.begin.assign(1, 0);
  for (Index k = 0; k < folds; ++k) out.begin.push_back(out.begin.back() + std::count(fold.begin(), fold.end(), k));
  return out;
}

HeldOut without_fold(const Dataset& data, const std::vector<Index>& fold, Index k) {
  std::vector<Index> train;
  std::vector<Index> test;
  for (Index i = 0; i < data.size(); ++i) (fold[static_cast<std::size_t>(i)] == k ? test : train).push_back(i);
  return {data.subset(train), data.subset(test)};
}

std::vector<double> log_spaced(double low, double high, int count) {
  std::vector<double> out;
  for (int i = 0; i < count; ++i) out.push_back(low * std::pow(high / low, static_cast<double>(i) / (count - 1)));
  return out;
}

std::vector<double> between_neighbours(std::vector<double> grid, double best) {
  std::sort(grid.begin(), grid.end());
  const auto here = std::find(grid.begin(), grid.end(), best);
  if (here == grid.end()) return grid;
  std::vector<double> out;
  if (here != grid.begin()) out.push_back(std::sqrt(*(here - 1) * best));
  out.push_back(best);
  if (here + 1 != grid.end()) out.push_back(std::sqrt(*(here + 1) * best));
  return out;
}

void warn_at_edge(const std::vector<double>& grid, double chosen, std::string_view name, FitReport& report) {
  if (grid.size() < 2) return;
  const auto [low, high] = std::minmax_element(grid.begin(), grid.end());
  if (chosen != *low && chosen != *high) return;
  report.warnings.push_back(message("the chosen ", name, " ", chosen, " is the ",
                                    chosen == *low ? "smallest" : "largest",
                                    " candidate; a wider list may score better"));
}

}  // namespace condens::preparation
