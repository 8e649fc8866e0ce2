#include "condens/estimators/gskd.hpp"

#include <algorithm>
#include <utility>

#include "condens/core/errors.hpp"
#include "condens/core/parallel.hpp"
#include "core/flush_subnormals.hpp"
#include "model/preparation.hpp"
#include "model/rounded_rows.hpp"
#include "path.hpp"
#include "polish.hpp"
#include "sample.hpp"
#include "selection.hpp"

namespace condens {

using preparation::Standardized;

GskdOptions GskdOptions::paper() {
  return {.target = GskdTarget::paper,
          .search = GskdSearch::boosting,
          .regularization = 1e-6,
          .relative_regularization = false,
          .nonnegative = false,
          .selection = GskdSizes::stop,
          .stop_tolerance = 0,
          .weights = WeightSolver::mnqp,
          .polish = GskdPolish::none,
          .covariance = GmmCovariance::diagonal,
          .merge_copies = false,
          .defensive_weight = 0};
}

namespace {

constexpr std::string_view owner = Gskd::class_name;

/// The kernels that a choice stands for, of all rows.
FinishedKernels fit_kernels(const Sample& sample, const Vector& bandwidth, const GskdChoice& choice,
                            const GskdOptions& options, const Run& run, FitReport& report) {
  KernelPath path(sample, bandwidth, choice.target, options, run);
  const auto grow = [&] {
    Task task(run, "placing kernels", static_cast<double>(choice.n_kernels));
    const auto poll = [&] { task.poll(); };
    for (Index k = path.size() + 1; k <= choice.n_kernels && path.falling(); ++k) {
      path.grow(k, task.threads(), poll);
      task.advance(1);
    }
    return path.weighted(poll);
  };
  WeightedKernels found = grow();
  path.report(report);
  if (path.falling() && path.size() == options.max_kernels) {
    report.warnings.push_back(message("max_kernels = ", options.max_kernels,
                                      " ended the search for kernels; the leave-one-out error was still falling"));
  }
  if (path.size() == 0) {
    report.warnings.emplace_back(
        "no kernel lowers the leave-one-out error of the Parzen window; the density is one Gaussian with its mean and "
        "spread");
  } else {
    report.details.set("certificate", std::move(found.certificate));
  }
  Task task(run, "expectation maximisation", 1);
  FinishedKernels out = finish(sample, found, path.box().scale_lower, choice.finish, options.polish_iterations, task);
  report.details.set("n_kernels", out.weights.size());
  report.details.set("target", choice_names<GskdTarget>[static_cast<std::size_t>(choice.target)]);
  report.details.set("polish", out.finish == Finish::none ? "none" : "em");
  if (out.finish != Finish::none) {
    report.details.set("covariance", out.finish == Finish::full ? "full" : "diagonal");
    report.details.set("log_likelihood_before", out.likelihood_before);
    report.details.set("log_likelihood", out.likelihood);
    report.details.set("em_iterations", out.iterations);
  }
  return out;
}

}  // namespace

Gskd::Gskd(GskdOptions options, GskdState state, Parameters p, Standardizer x_scale, Standardizer y_scale,
           FitReport report)
    : FittedJointDensity(std::move(options), std::move(state), std::move(p), std::move(x_scale), std::move(y_scale),
                         std::move(report)) {}

Gskd Gskd::fit(const Dataset& data, const GskdOptions& options, const Run& run) {
  data.check(owner);
  validate_options(options, owner);
  const FlushSubnormals guard;
  Dataset storage;
  const Dataset& rows = rows_that_count(data, storage);
  FitReport report;
  Standardized standardized = preparation::standardize(owner, rows, options.standardize);
  // The search takes a hundred thousand steps, each of which compares: see rounded_rows.hpp.
  if (options.standardize) preparation::round_rows(standardized.data, 30);
  preparation::warn_of_data(data, standardized, report);
  const Dataset merged = preparation::ordered_rows(standardized.data, options.merge_copies);
  const Sample sample = Sample::of(merged);
  const Vector bandwidth = window_width(sample, options, run);
  report.details.set("n_rows", rows.size());
  report.details.set("n_rows_fitted", std::min(sample.size(), options.fit_rows));
  if ((bandwidth.array() == bandwidth[0]).all()) report.details.set("target_bandwidth", bandwidth[0]);

  const auto log_density_of = [&](const FinishedKernels& kernels, const preparation::HeldOut& part) {
    const Gskd model(options, {bandwidth},
                     parameters(kernels.weights, kernels.kernels, Defensive::fit(options.defensive_weight, part.train)),
                     Standardizer::identity(data.x.rows()), Standardizer::identity(data.y.rows()), {});
    return model.log_density(part.test.x, part.test.y, {.threads = 1, .observer = {}});
  };
  const GskdSelection selection(standardized.data, options);
  const GskdChoice choice = selection.open() ? selection.choose(log_density_of, run, report) : selection.first();
  const FinishedKernels found = fit_kernels(sample, bandwidth, choice, options, run, report);
  return {options,
          {bandwidth},
          parameters(found.weights, found.kernels, Defensive::fit(options.defensive_weight, standardized.data)),
          standardized.x,
          standardized.y,
          std::move(report)};
}

}  // namespace condens
