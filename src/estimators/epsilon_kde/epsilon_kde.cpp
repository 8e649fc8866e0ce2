#include "condens/estimators/epsilon_kde.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "condens/core/cancellation.hpp"
#include "condens/core/errors.hpp"
#include "condens/core/random.hpp"
#include "data/splits.hpp"
#include "kernels/gaussian_kernel.hpp"
#include "linalg/log_sum_exp.hpp"
#include "linalg/vector_math.hpp"
#include "model/kernel_rows.hpp"
#include "model/preparation.hpp"
#include "selection.hpp"

namespace condens {

using ekde::Candidate;
using ekde::Problem;
using preparation::Standardized;

namespace {

constexpr std::string_view owner = EpsilonKde::class_name;

/// All rows, or `most` of them drawn at random, in ascending order.
std::vector<Index> rows_to_score(Index n, Index most, Index seed) {
  return random_rows(n, most == 0 ? n : most, RandomStream(static_cast<std::uint64_t>(seed), 1));
}

/// The lowest score, the first of equals.
Candidate best_of(const std::vector<Candidate>& candidates) {
  return *std::min_element(candidates.begin(), candidates.end(),
                           [](const Candidate& a, const Candidate& b) { return a.score < b.score; });
}

std::vector<Candidate> search(const Problem& problem, const EpsilonKdeOptions& options, const Run& run) {
  const double rows = static_cast<double>(problem.scored_rows.size());
  Task task(run, "choosing radius and bandwidth_y", (options.refine ? 2.0 : 1.0) * rows);
  const auto ascending = [](std::vector<double> values) {
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
    return values;
  };
  auto candidates = ekde::score_candidates(problem, ascending(options.radius), ascending(options.bandwidth_y), task);
  if (!options.refine) return candidates;
  const Candidate best = best_of(candidates);
  const auto finer =
      ekde::score_candidates(problem, preparation::between_neighbours(options.radius, best.radius),
                             preparation::between_neighbours(options.bandwidth_y, best.bandwidth_y), task);
  for (const Candidate& candidate : finer) {
    const auto same = [&](const Candidate& c) {
      return c.radius == candidate.radius && c.bandwidth_y == candidate.bandwidth_y;
    };
    if (std::none_of(candidates.begin(), candidates.end(), same)) candidates.push_back(candidate);
  }
  return candidates;
}

void report_search(const std::vector<Candidate>& candidates, const Candidate& best, const MatrixView& y,
                   const EpsilonKdeOptions& options, FitReport& report) {
  preparation::report_candidates(candidates, {{"radius", &Candidate::radius}, {"bandwidth_y", &Candidate::bandwidth_y}},
                                 report);
  report.details.set("score", best.score);
  report.details.set("score_standard_error", best.standard_error);
  report.details.set("empty_share", best.empty_share);
  preparation::warn_at_edge(options.radius, best.radius, "radius", report);
  preparation::warn_at_edge_of_y(options.bandwidth_y, best.bandwidth_y, y, report);
  if (best.empty_share > 0.05) {
    report.warnings.push_back(
        message(std::round(1000 * best.empty_share) / 10,
                " % of the held-out rows had no sample within the radius; their distribution is that of ",
                options.empty_neighborhood == EmptyNeighborhood::all ? "all samples" : "the nearest samples"));
  }
}

}  // namespace

EpsilonKdeOptions EpsilonKdeOptions::paper() {
  return {.radius = preparation::log_spaced(0.01, 5, 20),
          .radius_of = RadiusOf::squared_distance,
          .bandwidth_y = preparation::log_spaced(0.01, 2, 20),
          .refine = false,
          .defensive_weight = 0.0,
          .max_scored_rows = 0};
}

EpsilonKde::EpsilonKde(EpsilonKdeOptions options, EpsilonKdeState state, Standardizer x_scale, Standardizer y_scale,
                       FitReport report, std::shared_ptr<const Neighbors> neighbors)
    : FittedModel(std::move(options), std::move(state), std::move(x_scale), std::move(y_scale), std::move(report)),
      neighbors_(neighbors != nullptr ? std::move(neighbors) : std::make_shared<const Neighbors>(state_.x)) {}

void EpsilonKde::find_neighborhood(const VectorView& x, Neighborhood& out) const {
  neighbors_->within(x, ekde::squared_radius(state_.radius, options_.radius_of), out);
  if (!out.rows.empty()) return;
  if (options_.empty_neighborhood == EmptyNeighborhood::nearest) {
    neighbors_->nearest(x, out);
  } else {
    neighbors_->within(x, std::numeric_limits<double>::infinity(), out);
  }
}

/// Laws differ in their components: each has its neighbours', filled up to the longest of the block with weight zero.
GaussianMixtures EpsilonKde::laws(const MatrixView& x) const {
  const bool defensive = state_.defensive.weight > 0;
  std::vector<Neighborhood> found(static_cast<std::size_t>(x.cols()));
  Index most = 0;
  for (Index i = 0; i < x.cols(); ++i) {
    check_cancelled();
    Neighborhood& own = found[static_cast<std::size_t>(i)];
    find_neighborhood(x.col(i), own);
    most = std::max<Index>(most, std::ssize(own.rows));
  }
  const Index m = std::max<Index>(1, most + (defensive ? 1 : 0));
  Matrix means = Matrix::Zero(n_targets(), m * x.cols());
  Matrix scales = Matrix::Constant(n_targets(), m * x.cols(), state_.bandwidth_y);
  Matrix log_weights = Matrix::Constant(m, x.cols(), -std::numeric_limits<double>::infinity());
  for (Index i = 0; i < x.cols(); ++i) {
    check_cancelled();
    const std::vector<Index>& rows = found[static_cast<std::size_t>(i)].rows;
    const Index count = std::ssize(rows);
    means.middleCols(i * m, count) = state_.y(Eigen::all, rows);
    const Vector weights = state_.weights(rows);
    log_weights.col(i).head(count) =
        weights.array().log() - std::log(sum(weights.data(), count)) + std::log1p(-state_.defensive.weight);
    if (!defensive) continue;
    means.col(i * m + count) = state_.defensive.mean;
    scales.col(i * m + count) = state_.defensive.scale;
    log_weights(count, i) = std::log(state_.defensive.weight);
  }
  return GaussianMixtures::separate(std::move(means), std::move(scales), std::move(log_weights));
}

/// The density of the laws without making them: a neighbourhood may hold a hundred thousand samples.
Vector EpsilonKde::log_densities(const MatrixView& x, const MatrixView& y) const {
  const double log_mass = log_kernel_mass(n_targets(), state_.bandwidth_y);
  const Vector log_defensive = state_.defensive.log_density(y);
  Vector out(x.cols());
  Neighborhood found;
  for (Index i = 0; i < x.cols(); ++i) {
    check_cancelled();
    find_neighborhood(x.col(i), found);
    const Matrix centers = state_.y(Eigen::all, found.rows).transpose();
    Matrix terms(centers.rows(), 1);
    squared_distances(centers, y.col(i), terms);
    const Vector weights = state_.weights(found.rows);
    terms *= -0.5 / (state_.bandwidth_y * state_.bandwidth_y);
    terms.col(0).array() += weights.array().log();
    out[i] =
        log_sum_exp_in_place(terms.data(), terms.size()) - std::log(sum(weights.data(), weights.size())) - log_mass;
    out[i] = state_.defensive.log_mixed(out[i], log_defensive[i]);
  }
  return out;
}

std::vector<RowWeights> EpsilonKde::row_weights(const MatrixView& x, const Dataset& training, Index most,
                                                const Run& run) const {
  const FittedRows fitted(owner, training, options_.standardize, x_scale(), y_scale());
  const KernelRows rows(owner, stacked({.x = state_.x, .y = state_.y}), stacked(fitted.standardized()), fitted);
  const Matrix standardized = x_scale().transform(x);
  return rows.weigh(x.cols(), most, run, [&](Index i) {
    Neighborhood found;
    find_neighborhood(standardized.col(i), found);
    Vector out = Vector::Constant(n_samples(), -infinity);
    for (const Index row : found.rows) out[row] = std::log(state_.weights[row]);
    return out;
  });
}

EpsilonKde EpsilonKde::fit(const Dataset& data, const EpsilonKdeOptions& options, const Run& run) {
  validate_options(options, owner);
  const preparation::Start start(owner, data, options.standardize);
  const Dataset& rows = start.rows();
  const preparation::Standardized& standardized = start.standardized();
  FitReport report = start.report();
  EpsilonKdeState state{.radius = options.radius.front(),
                        .bandwidth_y = options.bandwidth_y.front(),
                        .x = standardized.data.x,
                        .y = standardized.data.y,
                        .weights = standardized.data.weights,
                        .defensive = Defensive::fit(options.defensive_weight, standardized.data)};
  const auto neighbors = std::make_shared<const Neighbors>(state.x);

  // Without inputs every sample is within every radius.
  EpsilonKdeOptions candidates = options;
  if (rows.x.rows() == 0) candidates.radius.resize(1);
  if (candidates.radius.size() > 1 || candidates.bandwidth_y.size() > 1) {
    const Problem problem{.x = state.x,
                          .y = state.y,
                          .weights = state.weights,
                          .neighbors = *neighbors,
                          .defensive = state.defensive,
                          .fold = preparation::folds_of(options.cv, data, options.seed),
                          .scored_rows = rows_to_score(rows.size(), options.max_scored_rows, options.seed),
                          .radius_of = options.radius_of,
                          .empty_neighborhood = options.empty_neighborhood,
                          .scoring = options.scoring};
    const std::vector<Candidate> compared = search(problem, candidates, run);
    const Candidate best = best_of(compared);
    report_search(compared, best, state.y, candidates, report);
    report.details.set("n_scored_rows", Index{std::ssize(problem.scored_rows)});
    state.radius = best.radius;
    state.bandwidth_y = best.bandwidth_y;
  }
  report.details.set("n_rows", rows.size());
  report.details.set("radius", state.radius);
  report.details.set("bandwidth_y", state.bandwidth_y);
  return {options, std::move(state), standardized.x, standardized.y, std::move(report), neighbors};
}

}  // namespace condens
