#include "preparation.hpp"

#include <cmath>
#include <limits>
#include <numeric>

#include "condens/core/cancellation.hpp"
#include "condens/core/errors.hpp"
#include "condens/data/folds.hpp"
#include "data/column_unit.hpp"

namespace condens::preparation {

namespace {

/// Refuses columns in units that no law can hold; `problem_of` is unit_problem or target_problem.
template <class ProblemOf>
void check_units(std::string_view owner, std::string_view kind, const MatrixView& columns, const Standardizer& found,
                 const ProblemOf& problem_of) {
  for (Index k = 0; k < columns.rows(); ++k) {
    check_cancelled();
    const std::string problem = problem_of(columns.row(k).transpose(), found.scale()[k]);
    require(problem.empty(), owner, ": ", kind, " ", k + 1, " ", problem);
  }
}

/// Of every row the value nearest to the middle of its range.
Vector typical_values(const MatrixView& data, const Vector& weights) {
  check_cancelled();
  Vector low = Vector::Constant(data.rows(), std::numeric_limits<double>::infinity());
  Vector high = -low;
  for (Index j = 0; j < data.cols(); ++j) {
    if (weights[j] == 0) continue;
    low = low.cwiseMin(data.col(j));
    high = high.cwiseMax(data.col(j));
  }
  Vector out = low;
  for (Index j = 0; j < data.cols(); ++j) {
    if (weights[j] == 0) continue;
    for (Index i = 0; i < data.rows(); ++i) {
      const double middle = std::midpoint(low[i], high[i]);
      if (std::abs(data(i, j) - middle) < std::abs(out[i] - middle)) out[i] = data(i, j);
    }
  }
  return out;
}

/// `data` in standard deviations of `rows` from their mean. By differences from one of the rows' own values, which are
/// exact wherever a shift of the data was: the mean of numbers about 1e12 is known to 1e-4 only.
Matrix standardized(const MatrixView& rows, const Vector& weights, const MatrixView& data) {
  if (data.size() == 0) return data;
  const Vector origin = typical_values(rows, weights);
  check_cancelled();
  return Standardizer::fit(rows.colwise() - origin, weights).transform(data.colwise() - origin);
}

}  // namespace

Standardized standardize(std::string_view owner, const Dataset& rows, bool wanted) {
  Standardized out{Standardizer::identity(rows.x.rows()), Standardizer::identity(rows.y.rows()), {}};
  const Standardizer y = Standardizer::fit(rows.y, rows.weights);
  for (Index k = 0; k < rows.y.rows(); ++k) {
    require(!y.is_constant(k), owner, ": target ", k + 1, " is constant (", rows.y(k, 0),
            " in every row); a distribution without spread has no density");
  }
  const Standardizer x = rows.x.rows() > 0 ? Standardizer::fit(rows.x, rows.weights) : out.x;
  check_units(owner, "target", rows.y, y, target_problem);
  check_units(owner, "input", rows.x, x, unit_problem);
  if (wanted) {
    out.x = x;
    out.y = y;
  }
  const Vector weights = rows.weights.size() > 0 ? rows.weights : Vector::Ones(rows.size());
  out.data = {.x = rows.x.rows() > 0 ? rows.x : Observations(Matrix(0, rows.size())),
              .y = rows.y,
              .weights = weights,
              .x_unlabeled = rows.x_unlabeled.size() > 0 ? rows.x_unlabeled : Observations(Matrix(rows.x.rows(), 0)),
              .groups = rows.groups};
  if (wanted) {
    out.data.x_unlabeled = standardized(rows.x, weights, out.data.x_unlabeled);
    out.data.x = standardized(rows.x, weights, out.data.x);
    out.data.y = standardized(rows.y, weights, rows.y);
  }
  return out;
}

std::vector<Index> varying_inputs(const Dataset& data) {
  std::vector<Index> out;
  if (data.x.rows() == 0) return out;
  const Standardizer scale = Standardizer::fit(data.x, data.weights);
  for (Index k = 0; k < data.x.rows(); ++k) {
    if (!scale.is_constant(k)) out.push_back(k);
  }
  return out;
}

void warn_of_lost_weights(const Dataset& given, FitReport& report) {
  const Index lost = (given.weights.array() > 0).count() - (counted_weights(given.weights).array() > 0).count();
  if (lost <= 0) return;
  report.warnings.push_back(message(lost, lost == 1 ? " row has a weight" : " rows have weights",
                                    " so far below the largest that rounding takes it all, and does not count"));
}

void warn_of_data(const Dataset& given, const Standardized& standardized, FitReport& report) {
  warn_of_lost_weights(given, report);
  for (Index k = 0; k < standardized.x.dimension(); ++k) {
    if (standardized.x.is_constant(k)) {
      report.warnings.push_back(message("input ", k + 1, " is constant and plays no part"));
    }
  }
  constexpr double fine = 1e-7;
  for (Index k = 0; k < standardized.y.dimension(); ++k) {
    const double mean = standardized.y.mean()[k];
    const double spread = standardized.y.scale()[k];
    const double step = coarseness(mean, spread);
    if (step <= fine) continue;
    report.warnings.push_back(message("target ", k + 1, " has mean ", mean, " and standard deviation ", spread,
                                      ": numbers of that size are ", step,
                                      " standard deviations apart, and quantiles and regions are no finer; subtract a "
                                      "constant from it first"));
  }
}

Start::Start(std::string_view owner, const Dataset& data, bool wanted)
    : rows_((data.check(owner), rows_that_count(data, storage_))), standardized_(standardize(owner, rows_, wanted)) {
  warn_of_data(data, standardized_, report_);
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

Dataset ordered_rows(const Dataset& data, bool merge_copies) {
  Matrix points(data.x.rows() + data.y.rows(), data.size());
  if (data.x.rows() > 0) points.topRows(data.x.rows()) = data.x;
  points.bottomRows(data.y.rows()) = data.y;
  std::vector<Index> kept;
  Vector weights = data.weights.size() > 0 ? data.weights : Vector::Ones(data.size());
  for (const Index i : sorted_columns(points)) {
    if (!merge_copies || kept.empty() || points.col(kept.back()) != points.col(i)) {
      kept.push_back(i);
    } else {
      weights[kept.back()] += weights[i];
    }
  }
  Dataset out = data.subset(kept);
  out.weights = weights(kept);
  return out;
}

void check_centers(std::string_view owner, const Matrix& centers, Index d_x, Index d_y) {
  const Index rows = d_x + d_y;
  require(centers.size() == 0 || centers.rows() == rows, owner, ": centers have ", centers.rows(),
          " numbers each, expected ", rows, ": ", d_x, " of x and ", d_y, " of y");
}

std::vector<double> at_most_rows(std::vector<double> cv, Index rows) {
  if (cv.size() == 1) cv.front() = std::min(cv.front(), static_cast<double>(rows));
  return cv;
}

std::vector<Index> folds_of(const std::vector<double>& cv, const Dataset& given, Index seed) {
  require(!cv.empty(), "cv is empty, expected a number of folds or the fold of every row");
  std::vector<double> fold_of_row = cv;
  Index rows = given.size();
  if (given.weights.size() > 0) {
    const Vector weights = counted_weights(given.weights);
    rows = (weights.array() > 0).count();
    if (std::ssize(cv) == given.size()) {
      fold_of_row.clear();
      for (Index i = 0; i < given.size(); ++i) {
        if (weights[i] > 0) fold_of_row.push_back(cv[static_cast<std::size_t>(i)]);
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
  const auto [train, test] = rows_of_fold(fold, k);
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

Vector means_of_folds(const VectorView& values, const VectorView& weights, const std::vector<Index>& fold) {
  const Index folds = *std::max_element(fold.begin(), fold.end()) + 1;
  Vector sum = Vector::Zero(folds);
  Vector weight = Vector::Zero(folds);
  for (Index i = 0; i < values.size(); ++i) {
    const Index k = fold[static_cast<std::size_t>(i)];
    sum[k] += weights[i] * values[i];
    weight[k] += weights[i];
  }
  return sum.cwiseQuotient(weight);
}

Mean mean_of(const VectorView& values, const VectorView& weights) {
  const Vector share = weights / weights.sum();
  const double mean = share.dot(values);
  return {mean, std::sqrt((share.array() * (values.array() - mean)).square().sum())};
}

void warn_at_edge(const std::vector<double>& grid, double chosen, std::string_view name, FitReport& report) {
  if (grid.size() < 2) return;
  const auto [low, high] = std::minmax_element(grid.begin(), grid.end());
  if (chosen != *low && chosen != *high) return;
  report.warnings.push_back(message("the chosen ", name, " ", chosen, " is the ",
                                    chosen == *low ? "smallest" : "largest",
                                    " candidate; a wider list may score better"));
}

namespace {

/// The share of columns that are equal to another one.
double share_of_ties(const MatrixView& y) {
  std::vector<std::vector<double>> rows;
  for (Index i = 0; i < y.cols(); ++i) rows.emplace_back(y.col(i).begin(), y.col(i).end());
  std::sort(rows.begin(), rows.end());
  std::size_t tied = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const bool before = i > 0 && rows[i - 1] == rows[i];
    const bool after = i + 1 < rows.size() && rows[i + 1] == rows[i];
    if (before || after) ++tied;
  }
  return static_cast<double>(tied) / static_cast<double>(std::max<std::size_t>(1, rows.size()));
}

}  // namespace

void warn_at_edge_of_y(const std::vector<double>& grid, double chosen, const MatrixView& y, FitReport& report) {
  constexpr double many = 0.1;
  const bool smallest = grid.size() > 1 && chosen == *std::min_element(grid.begin(), grid.end());
  const double tied = smallest ? share_of_ties(y) : 0.0;
  if (tied <= many) return warn_at_edge(grid, chosen, "bandwidth_y", report);
  report.warnings.push_back(message("the chosen bandwidth_y ", chosen, " is the smallest candidate, and ",
                                    std::round(100 * tied), " % of the rows share their y with another row: y is ",
                                    "tied or rounded, and a smaller width would score ever better without being so"));
}

}  // namespace condens::preparation
