#include "condens/estimators/nadaraya_watson.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "condens/core/errors.hpp"
#include "condens/core/parallel.hpp"
#include "condens/estimators/nadaraya_watson/leave_one_out.hpp"
#include "condens/kernels/centers.hpp"
#include "kernels/gaussian_kernel.hpp"
#include "model/gridded_kernels.hpp"
#include "model/kernel_rows.hpp"
#include "model/preparation.hpp"
#include "model/weights_at_points.hpp"

namespace condens {

using preparation::Standardized;

NadarayaWatsonOptions NadarayaWatsonOptions::paper() {
  NadarayaWatsonOptions out{.metric = NwMetricChoice::isotropic,
                            .common_bandwidth = true,
                            .n_centers = 100,
                            .merge_copies = false,
                            .defensive_weight = 0.0};
  for (int k = 0; k < 20; ++k) out.bandwidth.push_back(0.01 * std::pow(200.0, k / 19.0));
  return out;
}

void NadarayaWatsonOptions::give_way(const Document& given) {
  const auto is_given = [&](std::string_view name) { return given.find(name) != nullptr; };
  const bool one_width = metric == NwMetricChoice::isotropic || metric == NwMetricChoice::automatic;
  if (!one_width && !is_given("bandwidth")) bandwidth.clear();
  const bool candidates = one_width && bandwidth.size() > 1 && !is_given("bandwidth");
  if (candidates && is_given("common_bandwidth") && !common_bandwidth && bandwidth_y.empty()) bandwidth_y = bandwidth;
  if (!is_given("common_bandwidth")) common_bandwidth &= one_width && !bandwidth.empty() && bandwidth_y.empty();
}

namespace {

constexpr std::string_view owner = NadarayaWatson::class_name;

void check_options(const NadarayaWatsonOptions& o, const Dataset& data) {
  validate_options(o, owner);
  preparation::check_centers(owner, o.centers, data.x.rows(), data.y.rows());
  const Index d = data.x.rows();
  const Index count = std::ssize(o.bandwidth);
  const bool one_width = o.metric == NwMetricChoice::isotropic || o.metric == NwMetricChoice::automatic;
  if (o.metric == NwMetricChoice::diagonal) {
    require(count <= 1 || count == d, owner, ": bandwidth has ", count,
            " numbers, expected none (learned), one, or one for each of the ", d, " inputs");
  }
  require(o.metric != NwMetricChoice::full || count == 0, owner, ": bandwidth has ", count,
          " numbers, expected none: a full metric is learned");
  require(!o.common_bandwidth || (one_width && count > 0 && o.bandwidth_y.empty()), owner,
          ": common_bandwidth = true, expected with one width in x, bandwidth given and bandwidth_y not");
  const bool candidates_x = one_width && count > 1;
  if (candidates_x) require_distinct(owner, "bandwidth", o.bandwidth);
  require(!candidates_x || o.common_bandwidth || !o.bandwidth_y.empty(), owner, ": bandwidth has ", count,
          " candidates and bandwidth_y none; expected bandwidth_y or common_bandwidth, too");
  require(o.bandwidth_y.size() <= 1 || count > 0, owner, ": bandwidth_y has ", o.bandwidth_y.size(),
          " candidates, expected at most one where bandwidth is learned");
}

/// What carries the kernels: the given centres, all rows, or some of them.
Dataset choose_components(const Standardized& standardized, const NadarayaWatsonOptions& options) {
  const Dataset& data = standardized.data;
  if (options.centers.size() > 0) {
    return {.x = standardized.x.transform(options.centers.topRows(data.x.rows())),
            .y = standardized.y.transform(options.centers.bottomRows(data.y.rows())),
            .weights = Vector::Ones(options.centers.cols()),
            .groups = data.groups};
  }
  if (options.n_centers == 0 || options.n_centers >= data.size()) return data;
  // Weights stay with the rows, so each row has the same chance.
  return data.subset(
      random_centers(data.x, Vector::Ones(data.size()), options.n_centers, static_cast<std::uint64_t>(options.seed)));
}

struct Candidate {
  Vector widths;
  double bandwidth;
  double bandwidth_y;
  double score = 0;
  double standard_error = 0;
};

std::vector<Candidate> list_candidates(const NadarayaWatsonOptions& options, Index d) {
  std::vector<Candidate> out;
  const auto add = [&](const Vector& widths, double bandwidth) {
    if (options.common_bandwidth) out.push_back({widths, bandwidth, bandwidth});
    for (const double width_y : options.bandwidth_y) out.push_back({widths, bandwidth, width_y});
  };
  if (options.metric == NwMetricChoice::diagonal && std::ssize(options.bandwidth) == d && d > 1) {
    add(Eigen::Map<const Vector>(options.bandwidth.data(), d), options.bandwidth.front());
  } else {
    for (const double bandwidth : options.bandwidth) add(Vector::Constant(d, bandwidth), bandwidth);
  }
  return out;
}

void score_candidates(std::vector<Candidate>& candidates, const Dataset& rows, const Defensive& defensive,
                      const Run& run) {
  const NwLeaveOneOut likelihood(rows.x, rows.y, rows.weights, defensive);
  Task task(run, "choosing bandwidth", static_cast<double>(candidates.size()));
  for (Candidate& candidate : candidates) {
    const NwLikelihood found =
        likelihood.of_widths(candidate.widths, candidate.bandwidth_y, task.threads(), [&] { task.poll(); });
    candidate.score = -found.value;
    const auto residuals = found.rows.array() - found.value;
    candidate.standard_error = std::sqrt((likelihood.weights().array() * residuals).square().sum());
    task.advance(1);
    task.poll();
  }
}

void report_candidates(const std::vector<Candidate>& candidates, const Candidate& best, const MatrixView& y,
                       const NadarayaWatsonOptions& options, FitReport& report) {
  preparation::report_candidates(
      candidates, {{"bandwidth", &Candidate::bandwidth}, {"bandwidth_y", &Candidate::bandwidth_y}}, report);
  if (options.metric != NwMetricChoice::diagonal) {
    preparation::warn_at_edge(options.bandwidth, best.bandwidth, "bandwidth", report);
  }
  preparation::warn_at_edge_of_y(options.bandwidth_y, best.bandwidth_y, y, report);
}

void report_score(const Dataset& rows, double score, double standard_error, FitReport& report) {
  report.details.set("n_rows_compared", rows.size());
  report.details.set("score", score);
  report.details.set("score_standard_error", standard_error);
}

struct Choice {
  NwMetric metric;
  double bandwidth_y;
};

/// Both widths are given, or candidates for them.
Choice choose(std::vector<Candidate> candidates, const Dataset& rows, const Defensive& defensive,
              const NadarayaWatsonOptions& options, const Run& run, FitReport& report) {
  Candidate best = candidates.front();
  if (rows.size() > 1) {
    score_candidates(candidates, rows, defensive, run);
    best = *std::min_element(candidates.begin(), candidates.end(),
                             [](const Candidate& a, const Candidate& b) { return a.score < b.score; });
    report_score(rows, best.score, best.standard_error, report);
  }
  if (candidates.size() > 1) report_candidates(candidates, best, rows.y, options, report);
  return {metric_of_widths(best.widths, rows), best.bandwidth_y};
}

NwShape settle_shape(const Dataset& rows, const NwSearch& search, const NadarayaWatsonOptions& options, const Run& run,
                     FitReport& report) {
  switch (options.metric) {
    case NwMetricChoice::isotropic:
      return NwShape::isotropic;
    case NwMetricChoice::diagonal:
      return NwShape::diagonal;
    case NwMetricChoice::full:
      return NwShape::full;
    case NwMetricChoice::automatic:
      break;
  }
  if (search.widths.size() > 0 || rows.inputs().size() < 2) return NwShape::isotropic;
  NwComparison found = compare_nw_shapes(rows, search, run);
  // Widths for each input overfit few rows: what a thousand do not show, more may.
  if (!found.is_worth_it() && !found.all_rows) found = compare_nw_shapes_of_many(rows, search, run);
  report.details.set("gain_of_diagonal", found.gain);
  report.details.set("gain_of_diagonal_standard_error", found.standard_error);
  report.details.set("gain_of_diagonal_rows", found.rows);
  return found.is_worth_it() ? NwShape::diagonal : NwShape::isotropic;
}

/// Learns what is not given from `rows`, which are some of all.
Choice learn(const Dataset& rows, const Dataset& all, const Defensive& defensive, const NadarayaWatsonOptions& options,
             const Run& run, FitReport& report) {
  NwSearch search{.bandwidth_y_floor = options.bandwidth_y_floor,
                  .defensive = defensive,
                  .starts = options.starts,
                  .seed = options.seed};
  const Index d = rows.x.rows();
  if (options.bandwidth.size() == 1) search.widths = Vector::Constant(d, options.bandwidth.front());
  if (options.bandwidth.size() > 1) search.widths = Eigen::Map<const Vector>(options.bandwidth.data(), d);
  if (!options.bandwidth_y.empty()) search.bandwidth_y = options.bandwidth_y.front();
  search.shape = settle_shape(all, search, options, run, report);
  NwSearchResult found = search_nw_metric(rows, search, run);
  report_score(rows, found.score, found.standard_error, report);
  report.details.set("certificate", Document::Object{{"search", to_string(found.status)},
                                                     {"iterations", found.iterations},
                                                     {"projected_gradient", found.projected_gradient}});
  if (found.status == LbfgsStatus::iteration_limit) report.status = to_string(found.status);
  if (found.at_floor) {
    report.warnings.push_back(message("the learned bandwidth_y stands at its floor, ", options.bandwidth_y_floor,
                                      " standard deviations of y; with ties in y the log score says little"));
  }
  return {std::move(found.metric), found.bandwidth_y};
}

}  // namespace

NadarayaWatson::NadarayaWatson(NadarayaWatsonOptions options, NadarayaWatsonState state, Standardizer x_scale,
                               Standardizer y_scale, FitReport report)
    : FittedModel(std::move(options), std::move(state), std::move(x_scale), std::move(y_scale), std::move(report)),
      mapped_centers_(state_.metric.apply(state_.centers_x).transpose()),
      log_weights_(state_.weights.array().log()),
      components_(kernel_components(state_.centers_y, state_.bandwidth_y, state_.defensive)),
      gridded_(GriddedKernels::make(mapped_centers_.transpose(), log_weights_, state_.centers_y, state_.bandwidth_y,
                                    state_.defensive)) {}

Vector NadarayaWatson::reweighted(const Dataset& rows, const Run&) const {
  Dataset storage;
  const Dataset& counted = rows_that_count(rows, storage);
  const auto stack = [](const Matrix& x, const Matrix& y) {
    Matrix out(x.rows() + y.rows(), y.cols());
    out.topRows(x.rows()) = x;
    out.bottomRows(y.rows()) = y;
    return out;
  };
  return weights_at_points(stack(state_.centers_x, state_.centers_y),
                           stack(x_scale().transform(counted.x), y_scale().transform(counted.y)),
                           counted.weights.size() > 0 ? counted.weights : Vector::Ones(counted.size()));
}

std::unique_ptr<ConditionalDensity> NadarayaWatson::with_numbers(const VectorView& numbers) const {
  const std::vector<Index> kept = weighted_kernels(class_name, numbers, state_.weights.size());
  NadarayaWatsonState state = state_;
  state.weights = numbers(kept);
  state.centers_x = state_.centers_x(Eigen::all, kept);
  state.centers_y = state_.centers_y(Eigen::all, kept);
  return std::unique_ptr<ConditionalDensity>(
      new NadarayaWatson(options_, std::move(state), x_scale(), y_scale(), report()));
}

GaussianMixtures NadarayaWatson::laws(const MatrixView& x) const {
  if (gridded_ != nullptr) return gridded_->laws(state_.metric.apply(x));
  Matrix log_weights(mapped_centers_.rows(), x.cols());
  squared_distances(mapped_centers_, state_.metric.apply(x), log_weights);
  log_weights *= -0.5;
  log_weights.colwise() += log_weights_;
  return kernel_laws(components_, std::move(log_weights), state_.defensive);
}

std::vector<RowWeights> NadarayaWatson::row_weights(const MatrixView& x, const Dataset& training, Index most,
                                                    const Run& run) const {
  const FittedRows fitted(owner, training, options_.standardize, x_scale(), y_scale());
  const KernelRows rows(owner, stacked({.x = state_.centers_x, .y = state_.centers_y}), stacked(fitted.standardized()),
                        fitted);
  const Matrix mapped = state_.metric.apply(x_scale().transform(x));
  return rows.weigh(x.cols(), most, run, [&](Index i) {
    Matrix out(mapped_centers_.rows(), 1);
    squared_distances(mapped_centers_, mapped.col(i), out);
    return Vector(log_weights_ - 0.5 * out.col(0));
  });
}

NadarayaWatson NadarayaWatson::fit(const Dataset& data, const NadarayaWatsonOptions& options, const Run& run) {
  check_options(options, data);
  const preparation::Start start(owner, data, options.standardize);
  const Dataset& rows = start.rows();
  const preparation::Standardized& standardized = start.standardized();
  FitReport report = start.report();
  const Dataset components = choose_components(standardized, options);
  report.details.set("n_rows", rows.size());
  report.details.set("n_centers", components.size());
  const Defensive defensive = Defensive::fit(options.defensive_weight, standardized.data);
  const Dataset all = options.merge_copies ? preparation::merge_copies(components) : components;
  const Dataset compared = rows_to_compare(all, false, options.metric_rows, options.seed);
  std::vector<Candidate> candidates = list_candidates(options, rows.x.rows());
  Choice found = candidates.empty() ? learn(compared, all, defensive, options, run, report)
                                    : choose(std::move(candidates), compared, defensive, options, run, report);
  report.details.set("bandwidth_y", found.bandwidth_y);
  return {options,
          {.metric = std::move(found.metric),
           .bandwidth_y = found.bandwidth_y,
           .centers_x = components.x,
           .centers_y = components.y,
           .weights = components.weights,
           .defensive = defensive},
          standardized.x,
          standardized.y,
          std::move(report)};
}

}  // namespace condens
