#include "condens/estimators/gaussian_process.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "condens/core/errors.hpp"
#include "condens/core/random.hpp"
#include "condens/estimators/gaussian_process/likelihood.hpp"
#include "core/flush_subnormals.hpp"
#include "inducing.hpp"
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

Dataset first_rows(const Dataset& data, Index most) {
  std::vector<Index> rows(static_cast<std::size_t>(std::min(data.size(), most)));
  std::iota(rows.begin(), rows.end(), Index{0});
  return data.subset(rows);
}

}  // namespace

GaussianProcessOptions GaussianProcessOptions::paper() {
  return {.kernel = GaussianProcessKernel::isotropic,
          .n_starts = 1,
          .max_rows = 5000,
          .many_rows = GaussianProcessRows::subset,
          .defensive_weight = 0.0};
}

/// Mean and variance of one target's process.
class GaussianProcess::Posterior {
 public:
  Posterior(const GaussianProcessState& state, Index target, int threads)
      : at_{state.length_scales.col(target), state.signal_variance[target], state.noise_variance[target]},
        factor_(gp::factorize(state.x, state.weights, at_, threads)) {
    const Vector y = state.y.row(target).transpose();
    log_likelihood_ = -gp::negative_log_likelihood(factor_, y, state.weights, at_);
    if (state.inducing_factors.size() > 0) {
      induced_.emplace(state.x, state.inducing_factors.col(target), state.inducing_coefficients.col(target), at_,
                       threads);
      factor_.lower.resize(0, 0);
    } else {
      alpha_ = gp::solve(factor_, y);
    }
  }

  double jitter() const { return factor_.jitter; }
  double log_likelihood() const { return log_likelihood_; }

  /// Variance with the noise.
  void predict(const Matrix& rows, const MatrixView& x, Vector& mean, Vector& variance) const {
    if (induced_) {
      induced_->predict(x, mean, variance);
    } else {
      Matrix cross = gp::kernel(rows, x, at_);
      mean = cross.transpose() * alpha_;
      // Eigen's solver takes the address of the first column, even of none.
      if (x.cols() > 0) factor_.lower.triangularView<Eigen::Lower>().solveInPlace(cross);
      variance = (at_.signal_variance - cross.colwise().squaredNorm().transpose().array()).max(0.0);
    }
    variance.array() += at_.noise_variance;
  }

 private:
  gp::Hyperparameters at_;
  gp::Factor factor_;  // without induced_
  Vector alpha_;       // K^-1 y, likewise
  double log_likelihood_ = 0;
  std::optional<gp::InducedProcess> induced_;
};

GaussianProcess::GaussianProcess(GaussianProcessOptions options, GaussianProcessState state, Standardizer x_scale,
                                 Standardizer y_scale, FitReport report, int threads)
    : FittedModel(std::move(options), std::move(state), std::move(x_scale), std::move(y_scale), std::move(report)),
      log_marginal_likelihood_(state_.y.rows()) {
  std::vector<Posterior> all;
  for (Index t = 0; t < state_.y.rows(); ++t) {
    all.emplace_back(state_, t, threads);
    log_marginal_likelihood_[t] = all.back().log_likelihood();
  }
  posteriors_ = std::make_shared<const std::vector<Posterior>>(std::move(all));
}

void GaussianProcess::check(const GaussianProcessOptions&, const GaussianProcessState& state) {
  const Index m = state.x.cols();
  const bool induced = state.inducing_factors.size() > 0;
  if (induced != (state.inducing_coefficients.size() > 0) ||
      (induced && state.inducing_factors.rows() != m * (m + 1) / 2)) {
    throw FormatError(message(owner, ": the factor of ", m, " inducing points has ", state.inducing_factors.rows(),
                              " numbers, expected ", m * (m + 1) / 2, " and as many coefficients as points"));
  }
  for (Index j = 0, place = 0; induced && j < m; place += m - j++) {
    if (!(state.inducing_factors.row(place).minCoeff() > 0)) {
      throw FormatError(message(owner, ": the factor of the inducing points is not positive on its diagonal"));
    }
  }
}

GaussianMixtures GaussianProcess::laws(const MatrixView& x) const {
  const Index n = x.cols();
  const Index m = state_.defensive.weight > 0 ? 2 : 1;
  Matrix means(n_targets(), m * n);
  Matrix scales(n_targets(), m * n);
  Matrix log_weights(m, n);
  for (Index t = 0; t < n_targets(); ++t) {
    Vector mean;
    Vector variance;
    (*posteriors_)[static_cast<std::size_t>(t)].predict(state_.x, x, mean, variance);
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
  const Dataset shuffled =
      standardized.data.subset(RandomStream(static_cast<std::uint64_t>(options.seed)).permutation(different.size()));
  const Dataset process = first_rows(shuffled, options.max_rows);
  if (process.size() < different.size() && options.many_rows == GaussianProcessRows::subset) {
    report.warnings.push_back(message("the process is made of ", process.size(), " of the ", different.size(),
                                      " different rows, drawn at random; many_rows = inducing lets it learn from "
                                      "all, and max_rows makes it of more, at cubic cost"));
  }
  GaussianProcessState state{.x = process.x,
                             .y = process.y,
                             .weights = process.weights,
                             .length_scales = Matrix(rows.x.rows(), rows.y.rows()),
                             .signal_variance = Vector(rows.y.rows()),
                             .noise_variance = Vector(rows.y.rows()),
                             .inducing_factors = {},
                             .inducing_coefficients = {},
                             .defensive = Defensive::fit(options.defensive_weight, standardized.data)};
  const std::vector<gp::Found> found = gp::search(shuffled, options, run);
  Vector iterations(rows.y.rows());
  Vector unexplained(rows.y.rows());
  for (Index t = 0; t < rows.y.rows(); ++t) {
    const gp::Found& own = found[static_cast<std::size_t>(t)];
    state.length_scales.col(t) = own.at.length_scales;
    state.signal_variance[t] = own.at.signal_variance;
    state.noise_variance[t] = own.at.noise_variance;
    iterations[t] = static_cast<double>(own.iterations);
    if (!own.finished) report.status = "iteration limit";
    if (!own.induced) continue;
    const Index m = process.size();
    state.inducing_factors.conservativeResize(m * (m + 1) / 2, t + 1);
    state.inducing_factors.col(t) = own.induced->packed_factor();
    state.inducing_coefficients.conservativeResize(m, t + 1);
    state.inducing_coefficients.col(t) = own.induced->coefficients();
    unexplained[t] = own.induced->share_unexplained();
  }
  GaussianProcess out(options, std::move(state), standardized.x, standardized.y, {}, resolve_threads(run.threads));
  Vector jitter(rows.y.rows());
  for (Index t = 0; t < jitter.size(); ++t) {
    jitter[t] = (*out.posteriors_)[static_cast<std::size_t>(t)].jitter();
    if (jitter[t] == 0) continue;
    report.warnings.push_back(message("target ", t + 1, ": the covariance matrix needed ", jitter[t],
                                      " on its diagonal; noise_variance may be too small"));
  }
  report.details.set("n_rows", rows.size());
  report.details.set("n_process_rows", process.size());
  if (found.front().induced) report.details.set("share_unexplained", unexplained);
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
