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

constexpr std::string_view owner = "GaussianProcess";

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

struct GaussianProcess::Parameters {
  GaussianProcessOptions options;
  Matrix x;
  Matrix y;
  Vector weights;
  Matrix length_scales;
  Vector signal_variance;
  Vector noise_variance;
  Defensive defensive;

  // Derived.
  Vector log_marginal_likelihood = {};
  std::shared_ptr<const std::vector<Posterior>> posteriors = nullptr;

  void prepare(int threads) {
    std::vector<Posterior> all;
    log_marginal_likelihood.resize(y.rows());
    for (Index t = 0; t < y.rows(); ++t) {
      const gp::Hyperparameters at{length_scales.col(t), signal_variance[t], noise_variance[t]};
      gp::Factor factor = gp::factorize(x, weights, at, threads);
      const Vector target = y.row(t).transpose();
      log_marginal_likelihood[t] = -gp::negative_log_likelihood(factor, target, weights, at);
      Vector alpha = gp::solve(factor, target);
      all.push_back({at, std::move(factor), std::move(alpha)});
    }
    posteriors = std::make_shared<const std::vector<Posterior>>(std::move(all));
  }
};

GaussianProcess::GaussianProcess(Parameters p, Standardizer x_scale, Standardizer y_scale, FitReport report)
    : ConditionalDensity(std::move(x_scale), std::move(y_scale), std::move(report)),
      options_(std::move(p.options)),
      x_(std::move(p.x)),
      y_(std::move(p.y)),
      weights_(std::move(p.weights)),
      length_scales_(std::move(p.length_scales)),
      signal_variance_(std::move(p.signal_variance)),
      noise_variance_(std::move(p.noise_variance)),
      log_marginal_likelihood_(std::move(p.log_marginal_likelihood)),
      defensive_(std::move(p.defensive)),
      posteriors_(std::move(p.posteriors)) {}

GaussianMixtures GaussianProcess::laws(const MatrixView& x) const {
  const Index n = x.cols();
  const Index m = defensive_.weight > 0 ? 2 : 1;
  Matrix means(n_targets(), m * n);
  Matrix scales(n_targets(), m * n);
  Matrix log_weights(m, n);
  for (Index t = 0; t < n_targets(); ++t) {
    const Posterior& posterior = (*posteriors_)[static_cast<std::size_t>(t)];
    Matrix cross = gp::kernel(x_, x, posterior.at);
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
  log_weights.row(0).setConstant(std::log1p(-defensive_.weight));
  if (m > 1) {
    log_weights.row(1).setConstant(std::log(defensive_.weight));
    for (Index i = 0; i < n; ++i) {
      means.col(i * m + 1) = defensive_.mean;
      scales.col(i * m + 1) = defensive_.scale;
    }
  }
  return GaussianMixtures::separate(std::move(means), std::move(scales), std::move(log_weights));
}

Vector GaussianProcess::feature_importances() const {
  Vector out = Vector::Zero(n_inputs());
  const Vector spread =
      (x_.colwise() - x_.rowwise().mean()).rowwise().norm() / std::sqrt(static_cast<double>(x_.cols()));
  for (Index t = 0; t < n_targets(); ++t) {
    const Vector inverse = spread.cwiseQuotient(length_scales_.col(t));
    const double total = inverse.sum();
    if (total > 0) out += inverse / (total * static_cast<double>(n_targets()));
  }
  return out;
}

Document GaussianProcess::to_document() const {
  Document out = Document::Object{{"options", options()},
                                  {"x_scale", x_scale().to_document()},
                                  {"y_scale", y_scale().to_document()},
                                  {"x", x_},
                                  {"y", y_},
                                  {"weights", weights_},
                                  {"length_scales", length_scales_},
                                  {"signal_variance", signal_variance_},
                                  {"noise_variance", noise_variance_},
                                  {"report", report().to_document()}};
  defensive_.write(out);
  return out;
}

GaussianProcess GaussianProcess::from_document(const Document& document) {
  Parameters p;
  set_options(p.options, owner, document.at("options"));
  p.x = document.at("x").as_matrix();
  p.y = document.at("y").as_matrix();
  p.weights = document.at("weights").as_vector();
  p.length_scales = document.at("length_scales").as_matrix();
  p.signal_variance = document.at("signal_variance").as_vector();
  p.noise_variance = document.at("noise_variance").as_vector();
  Standardizer x_scale = Standardizer::from_document(document.at("x_scale"));
  Standardizer y_scale = Standardizer::from_document(document.at("y_scale"));
  const Index d_y = y_scale.dimension();
  p.defensive = Defensive::read(document, p.options.defensive_weight, d_y);
  const Index n = p.weights.size();
  const bool shapes_agree = n > 0 && p.x.rows() == x_scale.dimension() && p.x.cols() == n && p.y.rows() == d_y &&
                            p.y.cols() == n && p.length_scales.rows() == p.x.rows() && p.length_scales.cols() == d_y &&
                            p.signal_variance.size() == d_y && p.noise_variance.size() == d_y;
  const auto positive = [](const auto& values) { return (values.array() > 0).all(); };
  if (!shapes_agree || !positive(p.weights) || !positive(p.length_scales) || !positive(p.signal_variance) ||
      !positive(p.noise_variance)) {
    throw FormatError("GaussianProcess: the parameters do not fit together");
  }
  p.prepare(1);
  return {std::move(p), std::move(x_scale), std::move(y_scale), FitReport::from_document(document.at("report"))};
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
  Parameters p{.options = options,
               .x = process.x,
               .y = process.y,
               .weights = process.weights,
               .length_scales = Matrix(rows.x.rows(), rows.y.rows()),
               .signal_variance = Vector(rows.y.rows()),
               .noise_variance = Vector(rows.y.rows()),
               .defensive = Defensive::fit(options.defensive_weight, standardized.data)};
  const std::vector<gp::Found> found = gp::search(p.x, p.y, p.weights, options, run);
  Vector iterations(rows.y.rows());
  for (Index t = 0; t < rows.y.rows(); ++t) {
    const gp::Found& own = found[static_cast<std::size_t>(t)];
    p.length_scales.col(t) = own.at.length_scales;
    p.signal_variance[t] = own.at.signal_variance;
    p.noise_variance[t] = own.at.noise_variance;
    iterations[t] = static_cast<double>(own.iterations);
    if (!own.finished) report.status = "iteration limit";
  }
  p.prepare(resolve_threads(run.threads));
  Vector jitter(rows.y.rows());
  for (Index t = 0; t < jitter.size(); ++t) {
    jitter[t] = (*p.posteriors)[static_cast<std::size_t>(t)].factor.jitter;
    if (jitter[t] == 0) continue;
    report.warnings.push_back(message("target ", t + 1, ": the covariance matrix needed ", jitter[t],
                                      " on its diagonal; noise_variance may be too small"));
  }
  report.details.set("n_rows", rows.size());
  report.details.set("n_process_rows", process.size());
  report.details.set("iterations", iterations);
  report.details.set("jitter", jitter);
  report.details.set("log_marginal_likelihood", p.log_marginal_likelihood);
  if (found.front().scores_of_starts.size() > 0) {
    Matrix starts(options.n_starts, rows.y.rows());
    for (Index t = 0; t < starts.cols(); ++t) starts.col(t) = found[static_cast<std::size_t>(t)].scores_of_starts;
    report.details.set("scores_of_starts", starts);
  }
  return {std::move(p), standardized.x, standardized.y, std::move(report)};
}

}  // namespace condens
