#include "condens/estimators/gaussian_process.hpp"

#include <algorithm>
#include <cmath>

#include "condens/core/errors.hpp"
#include "condens/core/random.hpp"
#include "condens/estimators/gaussian_process/likelihood.hpp"
#include "core/flush_subnormals.hpp"
#include "model/preparation.hpp"
#include "model/rounded_rows.hpp"
#include "search.hpp"

namespace condens {

namespace {

constexpr std::string_view owner = GaussianProcess::class_name;

void check_options(const GaussianProcessOptions& options, const Dataset& data) {
  validate_options(options, owner);
  const auto fits = [](const std::vector<double>& values, Index count) {
    return values.size() <= 1 || std::ssize(values) == count;
  };
  require(fits(options.length_scales, data.x.rows()), owner, ": length_scales has ", options.length_scales.size(),
          " numbers, expected one, or one for each of the ", data.x.rows(), " inputs");
  const auto check_targets = [&](const std::vector<double>& values, std::string_view name) {
    require(fits(values, data.y.rows()), owner, ": ", name, " has ", values.size(),
            " numbers, expected one, or one for each of the ", data.y.rows(), " targets");
  };
  check_targets(options.signal_variance, "signal_variance");
  check_targets(options.noise_variance, "noise_variance");
}

/// The first `most` rows in a random order, so that a beginning of them is a fair sample, too.
std::vector<Index> draw_rows(Index n, Index most, Index seed) {
  std::vector<Index> rows = RandomStream(static_cast<std::uint64_t>(seed)).permutation(n);
  rows.resize(static_cast<std::size_t>(std::min(n, most)));
  return rows;
}

}  // namespace

GaussianProcessOptions GaussianProcessOptions::paper() {
  return {.kernel = GaussianProcessKernel::isotropic, .n_starts = 1, .max_rows = 5000, .defensive_weight = 0.0};
}

struct GaussianProcess::Posterior {
  gp::Hyperparameters at;
  gp::Factor factor;
  Vector alpha;  // K^-1 y
};

GaussianProcess::GaussianProcess(GaussianProcessOptions options, GaussianProcessState state, Standardizer x_scale,
                                 Standardizer y_scale, FitReport report, int threads)
    : FittedModel(std::move(options), std::move(state), std::move(x_scale), std::move(y_scale), std::move(report)),
      log_marginal_likelihood_(state_.y.rows()) {
  std::vector<Posterior> all;
  for (Index t = 0; t < state_.y.rows(); ++t) {
    const gp::Hyperparameters at{state_.length_scales.col(t), state_.signal_variance[t], state_.noise_variance[t]};
    gp::Factor factor = gp::factorize(state_.x, state_.weights, at, threads);
    const Vector target = state_.y.row(t).transpose();
    log_marginal_likelihood_[t] = -gp::negative_log_likelihood(factor, target, state_.weights, at);
    Vector alpha = gp::solve(factor, target);
    all.push_back({at, std::move(factor), std::move(alpha)});
  }
  posteriors_ = std::make_shared<const std::vector<Posterior>>(std::move(all));
}

GaussianMixtures GaussianProcess::laws(const MatrixView& x) const {
  const Index n = x.cols();
  const Index m = state_.defensive.weight > 0 ? 2 : 1;
  Matrix means(n_targets(), m * n);
  Matrix scales(n_targets(), m * n);
  Matrix log_weights(m, n);
  for (Index t = 0; t < n_targets(); ++t) {
    const Posterior& posterior = (*posteriors_)[static_cast<std::size_t>(t)];
    Matrix cross = gp::kernel(state_.x, x, posterior.at);
    const Vector mean = cross.transpose() * posterior.alpha;
    // Eigen's solver takes the address of the first column, even of none.
    if (n > 0) posterior.factor.lower.triangularView<Eigen::Lower>().solveInPlace(cross);
    const double prior = posterior.at.signal_variance;
    const Vector variance =
        (prior - cross.colwise().squaredNorm().transpose().array()).max(0.0) + posterior.at.noise_variance;
    for (Index i = 0; i < n; ++i) {
      means(t, i * m) = mean[i];
      scales(t, i * m) = std::sqrt(variance[i]);
    }
  }
  log_weights.row(0).setConstant(std::log1p(-state_.defensive.weight));
  if (m > 1) {
    log_weights.row(1).setConstant(std::log(state_.defensive.weight));
    for (Index i = 0; i < n; ++i) {
      means.col(i * m + 1) = state_.defensive.mean;
      scales.col(i * m + 1) = state_.defensive.scale;
    }
  }
  return GaussianMixtures::separate(std::move(means), std::move(scales), std::move(log_weights));
}

Vector GaussianProcess::feature_importances() const {
  Vector out = Vector::Zero(n_inputs());
  const Vector spread = (state_.x.colwise() - state_.x.rowwise().mean()).rowwise().norm() /
                        std::sqrt(static_cast<double>(state_.x.cols()));
  for (Index t = 0; t < n_targets(); ++t) {
    const Vector inverse = spread.cwiseQuotient(state_.length_scales.col(t));
    const double total = inverse.sum();
    if (total > 0) out += inverse / (total * static_cast<double>(n_targets()));
  }
  return out;
}

GaussianProcess GaussianProcess::fit(const Dataset& data, const GaussianProcessOptions& options, const Run& run) {
  data.check(owner);
  check_options(options, data);
  const FlushSubnormals guard;
  Dataset storage;
  const Dataset& rows = rows_that_count(data, storage);
  FitReport report;
  // Before anything is rounded: a flat likelihood would make much of the last digits.
  const Dataset different = preparation::merge_copies(rows);
  preparation::Standardized standardized = preparation::standardize(owner, different, options.standardize);
  if (options.standardize) preparation::round_rows(standardized.data);
  preparation::warn_of_data(data, standardized, report);
  const Dataset process = standardized.data.subset(draw_rows(different.size(), options.max_rows, options.seed));
  if (process.size() < different.size()) {
    report.warnings.push_back(message("the process is made of ", process.size(), " of the ", different.size(),
                                      " different rows, drawn at random; more by max_rows, at cubic cost"));
  }
  GaussianProcessState state{.x = process.x,
                             .y = process.y,
                             .weights = process.weights,
                             .length_scales = Matrix(rows.x.rows(), rows.y.rows()),
                             .signal_variance = Vector(rows.y.rows()),
                             .noise_variance = Vector(rows.y.rows()),
                             .defensive = Defensive::fit(options.defensive_weight, standardized.data)};
  const std::vector<gp::Found> found = gp::search(state.x, state.y, state.weights, options, run);
  Vector iterations(rows.y.rows());
  for (Index t = 0; t < rows.y.rows(); ++t) {
    const gp::Found& own = found[static_cast<std::size_t>(t)];
    state.length_scales.col(t) = own.at.length_scales;
    state.signal_variance[t] = own.at.signal_variance;
    state.noise_variance[t] = own.at.noise_variance;
    iterations[t] = static_cast<double>(own.iterations);
    if (!own.finished) report.status = "iteration limit";
  }
  GaussianProcess out(options, std::move(state), standardized.x, standardized.y, {}, resolve_threads(run.threads));
  Vector jitter(rows.y.rows());
  for (Index t = 0; t < jitter.size(); ++t) {
    jitter[t] = (*out.posteriors_)[static_cast<std::size_t>(t)].factor.jitter;
    if (jitter[t] == 0) continue;
    report.warnings.push_back(message("target ", t + 1, ": the covariance matrix needed ", jitter[t],
                                      " on its diagonal; noise_variance may be too small"));
  }
  report.details.set("n_rows", rows.size());
  report.details.set("n_process_rows", process.size());
  report.details.set("iterations", iterations);
  report.details.set("jitter", jitter);
  report.details.set("log_marginal_likelihood", out.log_marginal_likelihood_);
  if (found.front().scores_of_starts.size() > 0) {
    Matrix starts(options.n_starts, rows.y.rows());
    for (Index t = 0; t < starts.cols(); ++t) starts.col(t) = found[static_cast<std::size_t>(t)].scores_of_starts;
    report.details.set("scores_of_starts", starts);
  }
  out.set_report(std::move(report));
  return out;
}

}  // namespace condens
