#include "knn.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "condens/core/cancellation.hpp"
#include "condens/core/errors.hpp"
#include "condens/core/parallel.hpp"
#include "condens/registry.hpp"
#include "kernels/gaussian_kernel.hpp"
#include "model/preparation.hpp"

namespace condens {

namespace {

constexpr std::string_view owner = Knn::class_name;

struct Candidate {
  double n_neighbors;
  double bandwidth_y;
  double score;  ///< mean negative log-likelihood of held-out rows
  double standard_error;
};

/// log w_i(x) for every sample (rows) and column of x; minus infinity outside of the neighbourhood.
Matrix log_weights_at(const MatrixView& samples, const Vector& weights, double k, const MatrixView& x) {
  const Matrix points = samples.transpose();
  Matrix out(samples.cols(), x.cols());
  squared_distances(points, x, out);
  std::vector<Index> order(static_cast<std::size_t>(samples.cols()));
  for (Index j = 0; j < out.cols(); ++j) {
    check_cancelled();
    std::iota(order.begin(), order.end(), Index{0});
    std::sort(order.begin(), order.end(), [&](Index a, Index b) { return out(a, j) < out(b, j); });
    double weight = 0;
    double radius = 0;
    for (const Index i : order) {
      if (weight >= k && out(i, j) > radius) break;
      weight += weights[i];
      radius = out(i, j);
    }
    for (Index i = 0; i < out.rows(); ++i) out(i, j) = out(i, j) <= radius ? std::log(weights[i]) : -infinity;
  }
  return out;
}

/// The score of every pair of candidates on rows left out, all y standardised.
std::vector<Candidate> compare(const Dataset& data, const std::vector<Index>& fold, const Defensive& defensive,
                               const KnnOptions& options, const Run& run) {
  const Index folds = *std::max_element(fold.begin(), fold.end()) + 1;
  const Index widths = std::ssize(options.bandwidth_y);
  Task task(run, "comparing candidates", static_cast<double>(folds * std::ssize(options.n_neighbors)));
  Matrix log_density(data.size(), std::ssize(options.n_neighbors) * widths);
  for (Index f = 0; f < folds; ++f) {
    std::vector<Index> held_out;
    for (std::size_t i = 0; i < fold.size(); ++i) {
      if (fold[i] == f) held_out.push_back(static_cast<Index>(i));
    }
    if (held_out.empty()) continue;
    const auto [train, test] = preparation::without_fold(data, fold, f);
    for (std::size_t a = 0; a < options.n_neighbors.size(); ++a) {
      const Matrix log_weights = log_weights_at(train.x, train.weights, options.n_neighbors[a], test.x);
      for (Index b = 0; b < widths; ++b) {
        const auto components = kernel_components(train.y, options.bandwidth_y[static_cast<std::size_t>(b)], defensive);
        log_density(held_out, static_cast<Index>(a) * widths + b) =
            kernel_laws(components, log_weights, defensive).log_pdf(test.y);
      }
      task.advance(1);
      task.poll();
    }
  }
  std::vector<Candidate> out;
  const double total = data.weights.sum();
  for (Index c = 0; c < log_density.cols(); ++c) {
    const Vector loss = (-log_density.col(c)).cwiseMin(std::numeric_limits<double>::max());
    const double mean = data.weights.dot(loss) / total;
    const double square = data.weights.dot((loss.array() - mean).square().matrix());
    out.push_back({options.n_neighbors[static_cast<std::size_t>(c / widths)],
                   options.bandwidth_y[static_cast<std::size_t>(c % widths)], mean,
                   std::sqrt(square) / std::max(total, 1.0)});
  }
  return out;
}

Candidate choose(const Dataset& data, const std::vector<Index>& fold, const Defensive& defensive,
                 const KnnOptions& options, const Run& run, FitReport& report) {
  const std::vector<Candidate> all = compare(data, fold, defensive, options, run);
  const Candidate best =
      *std::min_element(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.score < b.score; });
  preparation::report_candidates(
      all, {{"n_neighbors", &Candidate::n_neighbors}, {"bandwidth_y", &Candidate::bandwidth_y}}, report);
  report.details.set("score", best.score).set("score_standard_error", best.standard_error);
  preparation::warn_at_edge(options.n_neighbors, best.n_neighbors, "n_neighbors", report);
  preparation::warn_at_edge_of_y(options.bandwidth_y, best.bandwidth_y, data.y, report);
  return best;
}

// In the library this is a line of src/registry.cpp.
const bool registered = (register_model(describe_model<Knn, KnnOptions>(
                             "knn", std::string(Knn::class_name),
                             "The y of the nearest samples, each with a Gaussian around it.", "Stone (1977)")),
                         true);

}  // namespace

KnnOptions KnnOptions::paper() { return {.n_neighbors = {10}, .defensive_weight = 0}; }

Knn::Knn(KnnOptions options, KnnState state, Standardizer x_scale, Standardizer y_scale, FitReport report)
    : FittedModel(std::move(options), std::move(state), std::move(x_scale), std::move(y_scale), std::move(report)),
      components_(kernel_components(state_.y, state_.bandwidth_y, state_.defensive)) {}

GaussianMixtures Knn::laws(const MatrixView& x) const {
  return kernel_laws(components_, log_weights_at(state_.x, state_.weights, state_.n_neighbors, x), state_.defensive);
}

Knn Knn::fit(const Dataset& data, const KnnOptions& options, const Run& run) {
  validate_options(options, owner);
  const preparation::Start start(owner, data, options.standardize);
  const Dataset& rows = start.standardized().data;
  FitReport report = start.report();
  const Defensive defensive = Defensive::fit(options.defensive_weight, rows);
  Candidate best{options.n_neighbors.front(), options.bandwidth_y.front(), 0, 0};
  if (options.n_neighbors.size() * options.bandwidth_y.size() > 1) {
    const std::vector<Index> fold = preparation::folds_of(options.cv, data, options.seed);
    best = choose(rows, fold, defensive, options, run, report);
  }
  report.details.set("n_rows", rows.size());
  report.details.set("n_neighbors", best.n_neighbors).set("bandwidth_y", best.bandwidth_y);
  return {options,
          {.n_neighbors = best.n_neighbors,
           .bandwidth_y = best.bandwidth_y,
           .x = rows.x,
           .y = rows.y,
           .weights = rows.weights,
           .defensive = defensive},
          start.standardized().x,
          start.standardized().y,
          std::move(report)};
}

}  // namespace condens
