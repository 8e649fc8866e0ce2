#include "condens/estimators/epsilon_kde.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "condens/core/errors.hpp"
#include "condens/core/random.hpp"
#include "core/flush_subnormals.hpp"
#include "kernels/gaussian_kernel.hpp"
#include "linalg/log_sum_exp.hpp"
#include "linalg/vector_math.hpp"
#include "model/preparation.hpp"
#include "selection.hpp"

namespace condens {

using ekde::Candidate;
using ekde::Problem;
using preparation::Standardized;

namespace {

constexpr std::string_view owner = "EpsilonKDE";

void check_options(const EpsilonKdeOptions& options) {
  validate_options(options, owner);
  require(!options.radius.empty(), owner, ": radius is empty, expected at least one number > 0");
  require(!options.bandwidth_y.empty(), owner, ": bandwidth_y is empty, expected at least one number > 0");
  require(!options.cv.empty(), owner, ": cv is empty, expected a number of folds or the fold of every row");
}

/// All rows, or `most` of them drawn at random, in ascending order.
std::vector<Index> rows_to_score(Index n, Index most, Index seed) {
  if (most == 0 || most >= n) {
    std::vector<Index> all(static_cast<std::size_t>(n));
    std::iota(all.begin(), all.end(), Index{0});
    return all;
  }
  std::vector<Index> rows = RandomStream(static_cast<std::uint64_t>(seed), 1).permutation(n);
  rows.resize(static_cast<std::size_t>(most));
  std::sort(rows.begin(), rows.end());
  return rows;
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
  const auto column = [&](const auto& value) { return preparation::column(candidates, value); };
  report.details.set("candidates",
                     Document::Object{{"radius", column([](const Candidate& c) { return c.radius; })},
                                      {"bandwidth_y", column([](const Candidate& c) { return c.bandwidth_y; })},
                                      {"score", column([](const Candidate& c) { return c.score; })},
                                      {"standard_error", column([](const Candidate& c) { return c.standard_error; })}});
  preparation::report_folds(
      candidates, [](const Candidate& c) { return c.folds; }, report);
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

struct EpsilonKde::Parameters {
  EpsilonKdeOptions options;
  double radius;
  double bandwidth_y;
  Matrix x;
  Matrix y;
  Vector weights;
  Defensive defensive;
  std::shared_ptr<const Neighbors> neighbors;
};

EpsilonKde::EpsilonKde(Parameters p, Standardizer x_scale, Standardizer y_scale, FitReport report)
    : ConditionalDensity(std::move(x_scale), std::move(y_scale), std::move(report)),
      options_(std::move(p.options)),
      radius_(p.radius),
      bandwidth_y_(p.bandwidth_y),
      x_(std::move(p.x)),
      y_(std::move(p.y)),
      weights_(std::move(p.weights)),
      defensive_(std::move(p.defensive)),
      neighbors_(std::move(p.neighbors)) {}

void EpsilonKde::find_neighborhood(const VectorView& x, Neighborhood& out) const {
  neighbors_->within(x, ekde::squared_radius(radius_, options_.radius_of), out);
  if (!out.rows.empty()) return;
  if (options_.empty_neighborhood == EmptyNeighborhood::nearest) {
    neighbors_->nearest(x, out);
  } else {
    neighbors_->within(x, std::numeric_limits<double>::infinity(), out);
  }
}

/// Laws differ in their components: each has its neighbours', filled up to the longest of the block with weight zero.
GaussianMixtures EpsilonKde::laws(const MatrixView& x) const {
  const bool defensive = defensive_.weight > 0;
  std::vector<Neighborhood> found(static_cast<std::size_t>(x.cols()));
  Index most = 0;
  for (Index i = 0; i < x.cols(); ++i) {
    Neighborhood& own = found[static_cast<std::size_t>(i)];
    find_neighborhood(x.col(i), own);
    most = std::max(most, std::ssize(own.rows));
  }
  const Index m = std::max<Index>(1, most + (defensive ? 1 : 0));
  Matrix means = Matrix::Zero(n_targets(), m * x.cols());
  Matrix scales = Matrix::Constant(n_targets(), m * x.cols(), bandwidth_y_);
  Matrix log_weights = Matrix::Constant(m, x.cols(), -std::numeric_limits<double>::infinity());
  for (Index i = 0; i < x.cols(); ++i) {
    const std::vector<Index>& rows = found[static_cast<std::size_t>(i)].rows;
    const Index count = std::ssize(rows);
    means.middleCols(i * m, count) = y_(Eigen::all, rows);
    const Vector weights = weights_(rows);
    log_weights.col(i).head(count) =
        weights.array().log() - std::log(sum(weights.data(), count)) + std::log1p(-defensive_.weight);
    if (!defensive) continue;
    means.col(i * m + count) = defensive_.mean;
    scales.col(i * m + count) = defensive_.scale;
    log_weights(count, i) = std::log(defensive_.weight);
  }
  return GaussianMixtures::separate(std::move(means), std::move(scales), std::move(log_weights));
}

/// The density of the laws without making them: a neighbourhood may hold a hundred thousand samples.
Vector EpsilonKde::log_densities(const MatrixView& x, const MatrixView& y) const {
  const double log_mass = log_kernel_mass(n_targets(), bandwidth_y_);
  const Vector log_defensive = defensive_.log_density(y);
  Vector out(x.cols());
  Neighborhood found;
  for (Index i = 0; i < x.cols(); ++i) {
    find_neighborhood(x.col(i), found);
    const Matrix centers = y_(Eigen::all, found.rows).transpose();
    Matrix terms(centers.rows(), 1);
    squared_distances(centers, y.col(i), terms);
    const Vector weights = weights_(found.rows);
    terms *= -0.5 / (bandwidth_y_ * bandwidth_y_);
    terms.col(0).array() += weights.array().log();
    out[i] =
        log_sum_exp_in_place(terms.data(), terms.size()) - std::log(sum(weights.data(), weights.size())) - log_mass;
    out[i] = defensive_.log_mixed(out[i], log_defensive[i]);
  }
  return out;
}

Document EpsilonKde::to_document() const {
  Document out = Document::Object{{"options", options()},
                                  {"x_scale", x_scale().to_document()},
                                  {"y_scale", y_scale().to_document()},
                                  {"radius", radius_},
                                  {"bandwidth_y", bandwidth_y_},
                                  {"x", x_},
                                  {"y", y_},
                                  {"weights", weights_},
                                  {"report", report().to_document()}};
  defensive_.write(out);
  return out;
}

EpsilonKde EpsilonKde::from_document(const Document& document) {
  Parameters p;
  set_options(p.options, owner, document.at("options"));
  p.radius = document.at("radius").as_number();
  p.bandwidth_y = document.at("bandwidth_y").as_number();
  p.x = document.at("x").as_matrix();
  p.y = document.at("y").as_matrix();
  p.weights = document.at("weights").as_vector();
  Standardizer x_scale = Standardizer::from_document(document.at("x_scale"));
  Standardizer y_scale = Standardizer::from_document(document.at("y_scale"));
  p.defensive = Defensive::read(document, p.options.defensive_weight, y_scale.dimension());
  const Index n = p.weights.size();
  const bool shapes_agree = n > 0 && p.x.rows() == x_scale.dimension() && p.y.rows() == y_scale.dimension() &&
                            p.x.cols() == n && p.y.cols() == n;
  if (!shapes_agree || !(p.radius > 0) || !(p.bandwidth_y > 0) || !(p.weights.minCoeff() > 0)) {
    throw FormatError("EpsilonKDE: the parameters do not fit together");
  }
  p.neighbors = std::make_shared<const Neighbors>(p.x);
  return {std::move(p), std::move(x_scale), std::move(y_scale), FitReport::from_document(document.at("report"))};
}

EpsilonKde EpsilonKde::fit(const Dataset& data, const EpsilonKdeOptions& options, const Run& run) {
  data.check(owner);
  check_options(options);
  const FlushSubnormals guard;
  Dataset storage;
  const Dataset& rows = rows_that_count(data, storage);
  FitReport report;
  const Standardized standardized = preparation::standardize(owner, rows, options.standardize);
  preparation::warn_of_data(data, standardized, report);
  Parameters p{.options = options,
               .radius = options.radius.front(),
               .bandwidth_y = options.bandwidth_y.front(),
               .x = standardized.data.x,
               .y = standardized.data.y,
               .weights = standardized.data.weights,
               .defensive = Defensive::fit(options.defensive_weight, standardized.data),
               .neighbors = nullptr};
  p.neighbors = std::make_shared<const Neighbors>(p.x);

  // Without inputs every sample is within every radius.
  EpsilonKdeOptions candidates = options;
  if (rows.x.rows() == 0) candidates.radius.resize(1);
  if (candidates.radius.size() > 1 || candidates.bandwidth_y.size() > 1) {
    const Problem problem{.x = p.x,
                          .y = p.y,
                          .weights = p.weights,
                          .neighbors = *p.neighbors,
                          .defensive = p.defensive,
                          .fold = preparation::folds_of(options.cv, data, options.seed),
                          .scored_rows = rows_to_score(rows.size(), options.max_scored_rows, options.seed),
                          .radius_of = options.radius_of,
                          .empty_neighborhood = options.empty_neighborhood,
                          .scoring = options.scoring};
    const std::vector<Candidate> compared = search(problem, candidates, run);
    const Candidate best = best_of(compared);
    report_search(compared, best, p.y, candidates, report);
    report.details.set("n_scored_rows", std::ssize(problem.scored_rows));
    p.radius = best.radius;
    p.bandwidth_y = best.bandwidth_y;
  }
  report.details.set("n_rows", rows.size());
  report.details.set("radius", p.radius);
  report.details.set("bandwidth_y", p.bandwidth_y);
  return {std::move(p), standardized.x, standardized.y, std::move(report)};
}

}  // namespace condens
