#include "condens/estimators/nadaraya_watson/metric.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include "condens/core/cancellation.hpp"
#include "condens/core/errors.hpp"
#include "condens/core/random.hpp"
#include "condens/data/folds.hpp"
#include "condens/data/standardizer.hpp"
#include "condens/estimators/nadaraya_watson/leave_one_out.hpp"
#include "data/splits.hpp"
#include "kernels/gaussian_kernel.hpp"
#include "model/preparation.hpp"

namespace condens {

namespace {

constexpr double narrowest = 0.01;  // in standard deviations of an input
constexpr double widest = 20;
constexpr double widest_y = 3;

constexpr Index rows_of_comparison = 1000;
constexpr Index folds_of_comparison = 5;
constexpr Index most_rows_learned = 3000;
constexpr Index most_rows_judged = 6000;

/// The work of one evaluation, and how many a search usually takes.
double pairs(Index n) { return static_cast<double>(n) * static_cast<double>(n); }
constexpr double usual_evaluations = 60;

/// Standard deviations, and for what is constant the mean (geometric) of the others.
Vector spreads(const MatrixView& values, const Vector& weights) {
  Vector scale = Standardizer::fit(values, weights).scale();
  double logs = 0;
  double count = 0;
  for (const double value : scale) {
    logs += value > 0 ? std::log(value) : 0.0;
    count += value > 0;
  }
  const double typical = count > 0 ? std::exp(logs / count) : 1.0;
  for (double& value : scale) value = value > 0 ? value : typical;
  return scale;
}

/// The geometric mean.
double typical(const Vector& scale) { return scale.size() > 0 ? std::exp(scale.array().log().mean()) : 1.0; }

Vector importances(const NwMetric& metric, const Dataset& data) {
  const bool full = metric.matrix.size() > 0;
  const Vector scale = Standardizer::fit(data.x, data.weights).scale();  // 0 for a constant input
  Vector out = full ? Vector(metric.matrix.colwise().norm()) : Vector(metric.widths.cwiseInverse());
  out.array() *= scale.array();
  for (double& value : out) {
    if (!full && value <= (1 + 1e-9) / widest) value = 0.0;
  }
  const double total = out.sum();
  return total > 0 ? Vector(out / total) : out;
}

/// The likelihood of one data set as a function of what is searched.
class Search {
 public:
  Search(const Dataset& data, const NwSearch& search, Task& task)
      : search_(search),
        data_(data),
        likelihood_(data.x, data.y, data.weights, search.defensive),
        scale_x_(spreads(data.x, data.weights)),
        scale_y_(typical(spreads(data.y, data.weights))),
        inputs_(data.inputs()),
        task_(task) {
    if (search.shape == NwShape::isotropic || search.widths.size() > 0) {
      inputs_.assign(1, std::vector<Index>(static_cast<std::size_t>(data.x.rows())));
      std::iota(inputs_[0].begin(), inputs_[0].end(), Index{0});
    }
    if (search.shape == NwShape::isotropic) scale_x_.setConstant(typical(scale_x_));
    if (search.widths.size() > 0 || data.x.rows() == 0) inputs_.clear();
  }

  NwSearchResult run() {
    LbfgsResult found = of_widths(first_start());
    RandomStream random(static_cast<std::uint64_t>(search_.seed), 1);
    for (Index k = 1; k < search_.starts && found.x.size() > 0; ++k) {
      Vector start = first_start();
      for (double& value : start) value += random.normal();
      LbfgsResult other = of_widths(start);
      if (other.value < found.value) found = std::move(other);
    }
    NwMetric metric{.widths = widths(found.x)};
    if (search_.shape == NwShape::full && !inputs_.empty()) {
      found = of_matrix(metric.widths, found.x[found.x.size() - 1]);
      metric.matrix = matrix(found.x);
    }
    metric.importances = importances(metric, data_);
    return finish(std::move(metric), found);
  }

 private:
  Index n_inputs() const { return likelihood_.n_inputs(); }
  bool y_is_given() const { return search_.bandwidth_y > 0; }
  double bandwidth_y(double log_y) const { return y_is_given() ? search_.bandwidth_y : scale_y_ * std::exp(log_y); }
  double log_floor() const { return std::log(search_.bandwidth_y_floor); }

  /// h_k = 0.5 sqrt(d), h_y = 0.3 standard deviations.
  Vector first_start() const {
    Vector out = Vector::Constant(std::ssize(inputs_) + 1, std::log(0.5 * std::sqrt(std::max<Index>(n_inputs(), 1))));
    out[out.size() - 1] = y_is_given() ? 0.0 : std::max(std::log(0.3), log_floor());
    return out;
  }

  Vector widths(const Vector& logs) const {
    if (search_.widths.size() > 0) return search_.widths;
    Vector out(n_inputs());
    for (std::size_t g = 0; g < inputs_.size(); ++g) {
      for (const Index k : inputs_[g]) out[k] = scale_x_[k] * std::exp(logs[static_cast<Index>(g)]);
    }
    return out;
  }

  Matrix matrix(const Vector& entries) const {
    return entries.head(n_inputs() * n_inputs()).reshaped(n_inputs(), n_inputs()) *
           scale_x_.cwiseInverse().asDiagonal();
  }

  LbfgsResult minimize_from(const Objective& objective, const Vector& start, double low, double high) {
    const Index last = start.size() - 1;
    Vector lower = Vector::Constant(start.size(), low);
    Vector upper = Vector::Constant(start.size(), high);
    lower[last] = y_is_given() ? 0.0 : log_floor();
    upper[last] = y_is_given() ? 0.0 : std::max(std::log(widest_y), log_floor());
    const LbfgsSettings settings{.unit = 1, .gradient_tolerance = 1e-5, .value_tolerance = 1e-9};
    return minimize(objective, start, lower, upper, settings, [&] { task_.poll(); });
  }

  NwLikelihood evaluate(const NwMetric& metric, double log_y) {
    const auto poll = [&] { task_.poll(); };
    task_.advance(pairs(likelihood_.size()));
    if (metric.matrix.size() > 0) {
      return likelihood_.of_matrix(metric.matrix, bandwidth_y(log_y), task_.threads(), poll);
    }
    return likelihood_.of_widths(metric.widths, bandwidth_y(log_y), task_.threads(), poll);
  }

  LbfgsResult of_widths(const Vector& start) {
    const auto objective = [&](const Vector& at, Vector& gradient) {
      const Index last = at.size() - 1;
      const NwLikelihood here = evaluate({.widths = widths(at)}, at[last]);
      for (Index g = 0; g < last; ++g) gradient[g] = -here.gradient(inputs_[static_cast<std::size_t>(g)], 0).sum();
      gradient[last] = y_is_given() ? 0.0 : -here.gradient_y;
      return -here.value;
    };
    return minimize_from(objective, start, std::log(narrowest), std::log(widest));
  }

  /// W on the scale of standard deviations, column by column, then log h_y; from diag(1 / widths).
  LbfgsResult of_matrix(const Vector& widths, double log_y) {
    const Index d = n_inputs();
    const auto objective = [&](const Vector& at, Vector& gradient) {
      const NwLikelihood here = evaluate({.widths = widths, .matrix = matrix(at)}, at[d * d]);
      gradient.head(d * d) = -(here.gradient * scale_x_.cwiseInverse().asDiagonal()).reshaped();
      gradient[d * d] = y_is_given() ? 0.0 : -here.gradient_y;
      return -here.value;
    };
    Vector start(d * d + 1);
    const Vector diagonal = scale_x_.cwiseQuotient(widths);
    start << Matrix(diagonal.asDiagonal()).reshaped(), log_y;
    return minimize_from(objective, start, -1 / narrowest, 1 / narrowest);
  }

  NwSearchResult finish(NwMetric metric, const LbfgsResult& found) {
    const double log_y = found.x[found.x.size() - 1];
    Vector rows = evaluate(metric, log_y).rows;
    const Vector& weights = likelihood_.weights();
    const double error = std::sqrt((weights.array() * (rows.array() + found.value)).square().sum());
    return {.metric = std::move(metric),
            .bandwidth_y = bandwidth_y(log_y),
            .score = found.value,
            .standard_error = error,
            .rows = std::move(rows),
            .at_floor = !y_is_given() && log_y <= log_floor(),
            .status = found.status,
            .iterations = found.iterations,
            .projected_gradient = found.projected_gradient};
  }

  const NwSearch& search_;
  const Dataset& data_;
  NwLeaveOneOut likelihood_;
  Vector scale_x_;
  double scale_y_;
  std::vector<std::vector<Index>> inputs_;  // columns that share a searched width
  Task& task_;
};

/// log p(y|x) of held-out rows by the Nadaraya-Watson density of the rows of a search.
Vector log_density(const NwSearchResult& found, const Dataset& rows, const Defensive& defensive,
                   const Dataset& held_out) {
  const auto components = kernel_components(rows.y, found.bandwidth_y, defensive);
  const Matrix centers = found.metric.apply(rows.x).transpose();
  const Matrix points = found.metric.apply(held_out.x);
  const Vector own_weights = rows.weights.array().log();
  Vector out(held_out.size());
  for (Index block = 0; block < block_count(out.size(), rows_of_comparison); ++block) {
    check_cancelled();
    const Range range = block_range(out.size(), rows_of_comparison, block);
    Matrix log_weights(rows.size(), range.size());
    squared_distances(centers, points.middleCols(range.begin, range.size()), log_weights);
    log_weights *= -0.5;
    log_weights.colwise() += own_weights;
    out.segment(range.begin, range.size()) =
        kernel_laws(components, std::move(log_weights), defensive)
            .log_pdf(held_out.y.middleCols(range.begin, range.size()), {.threads = 1, .observer = {}});
  }
  return out;
}

/// Of held-out rows, log p with a width for each input less that with one for all, both learned from `own`.
Vector gains_of_diagonal(const Dataset& own, const Dataset& held_out, const NwSearch& search, Task& task) {
  NwSearch shape = search;
  shape.shape = NwShape::diagonal;
  const Vector diagonal = log_density(Search(own, shape, task).run(), own, search.defensive, held_out);
  shape.shape = NwShape::isotropic;
  return diagonal - log_density(Search(own, shape, task).run(), own, search.defensive, held_out);
}

NwComparison comparison(const Vector& gain, const Vector& weights, Index rows, Index all) {
  const auto [mean, error] = preparation::mean_of(gain, weights);
  return {mean, error, rows, rows == all};
}

}  // namespace

Matrix NwMetric::apply(const MatrixView& x) const {
  if (matrix.size() > 0) return matrix * x;
  return widths.cwiseInverse().asDiagonal() * x;
}

NwMetric metric_of_widths(const Vector& widths, const Dataset& data) {
  NwMetric out{.widths = widths};
  out.importances = importances(out, data);
  return out;
}

Document NwMetric::to_document() const {
  return Document::Object{{"widths", widths}, {"matrix", matrix}, {"importances", importances}};
}

NwMetric NwMetric::from_document(const Document& document, Index d) {
  NwMetric out{.widths = document.at("widths").as_vector(),
               .matrix = document.at("matrix").as_matrix(),
               .importances = document.at("importances").as_vector()};
  const bool shapes_agree = out.widths.size() == d && out.importances.size() == d &&
                            (out.matrix.size() == 0 || (out.matrix.rows() == d && out.matrix.cols() == d));
  if (!shapes_agree || (d > 0 && !(out.widths.minCoeff() > 0))) throw FormatError("the metric does not fit the inputs");
  return out;
}

Dataset rows_to_compare(const Dataset& data, bool merge_copies, Index most, Index seed) {
  if (merge_copies) return rows_to_compare(preparation::merge_copies(data), false, most, seed);
  if (data.size() <= most) return data;
  return data.subset(random_rows(data.size(), most, RandomStream(static_cast<std::uint64_t>(seed))));
}

Index rows_of_search(Index most, Index d) {
  constexpr double most_work = 2e8;
  const double rows = std::sqrt(most_work / static_cast<double>(std::max<Index>(d, 1)));
  return std::min(most, static_cast<Index>(rows));
}

NwSearchResult search_nw_metric(const Dataset& data, const NwSearch& search, const Run& run) {
  Task task(run, "learning the metric", usual_evaluations * static_cast<double>(search.starts) * pairs(data.size()));
  return Search(data, search, task).run();
}

NwComparison compare_nw_shapes(const Dataset& data, const NwSearch& search, const Run& run) {
  if (data.inputs().size() < 2 || data.size() < 2 * folds_of_comparison) return {};
  const Dataset rows = rows_to_compare(data, false, rows_of_search(rows_of_comparison, data.x.rows()), search.seed);
  const std::vector<Index> fold =
      assign_folds(rows.size(), folds_of_comparison, static_cast<std::uint64_t>(search.seed));
  Task task(run, "comparing metrics",
            usual_evaluations * static_cast<double>(folds_of_comparison) * pairs(rows.size()));
  Vector gain(rows.size());
  for (Index k = 0; k < folds_of_comparison; ++k) {
    const auto [train, test] = rows_of_fold(fold, k);
    gain(test) = gains_of_diagonal(rows.subset(train), rows.subset(test), search, task);
  }
  return comparison(gain, rows.weights, rows.size(), data.size());
}

NwComparison compare_nw_shapes_of_many(const Dataset& data, const NwSearch& search, const Run& run) {
  const Index learned = std::min(data.size() * 4 / 5, rows_of_search(most_rows_learned, data.x.rows()));
  const RandomStream random(static_cast<std::uint64_t>(search.seed), 1);
  const std::vector<Index> rows = random_rows(data.size(), learned + most_rows_judged, random);
  const std::vector<Index> chosen = random_rows(std::ssize(rows), learned, random);
  std::vector<Index> train;
  std::vector<Index> test;
  for (Index i = 0; i < std::ssize(rows); ++i) {
    const bool is_chosen = std::binary_search(chosen.begin(), chosen.end(), i);
    (is_chosen ? train : test).push_back(rows[static_cast<std::size_t>(i)]);
  }
  Task task(run, "comparing metrics", 2 * usual_evaluations * pairs(learned));
  const Dataset held_out = data.subset(test);
  const Vector gain = gains_of_diagonal(data.subset(train), held_out, search, task);
  return comparison(gain, held_out.weights, std::ssize(rows), data.size());
}

}  // namespace condens
