#include "condens/estimators/skd.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "condens/core/errors.hpp"
#include "condens/core/parallel.hpp"
#include "estimators/kernels_at_points/kernel_sums.hpp"
#include "estimators/kernels_at_points/width_choice.hpp"
#include "kernel_selection.hpp"
#include "kernels/gaussian_kernel.hpp"
#include "model/preparation.hpp"

namespace condens {

namespace {

constexpr std::string_view owner = Skd::class_name;

void check_options(const SkdOptions& o) {
  validate_options(o, owner);
  require(o.target_bandwidth.size() <= 1, owner, ": target_bandwidth has ", o.target_bandwidth.size(),
          " numbers, expected none or one");
}

/// exp(x), within what a double holds with room for squares.
double bounded_exp(double x) { return std::exp(std::clamp(x, -600.0, 300.0)); }

struct Found {
  KernelSet kernels;
  KernelSelection selection;
  Document certificate;
};

/// Kernels are in units of their top K_gamma(0) and the target in units of its largest value.
Found fit_kernels(const Matrix& points, const Vector& weights, double width, double target_width,
                  const SkdOptions& options, int threads, const std::function<void()>& poll) {
  const double log_top = -log_kernel_mass(points.cols(), width);
  const double log_target_top = -log_kernel_mass(points.cols(), target_width);
  SelectionSettings settings{.penalty = {options.regularization, options.relative_regularization},
                             .local_regularization = options.local_regularization,
                             .max_kernels = options.max_kernels,
                             .stop_tolerance = options.stop_tolerance,
                             .threads = threads,
                             .poll = poll};
  if (!options.relative_regularization) settings.penalty.value *= bounded_exp(-2 * log_top);
  const Vector log_target = parzen_log_sums(points, target_width, weights / weights.sum(),
                                            options.target == TargetDensity::loo, threads, poll);
  const double log_unit = log_target.maxCoeff();
  const Vector target = (log_target.array() - log_unit).exp();
  KernelSelection chosen = select_kernels(points / width, weights, target, settings);
  const OrthogonalRegression& regression = chosen.regression;
  const double target_scale = bounded_exp(log_unit + log_target_top - log_top);
  MixingWeights mixed = mixing_weights(regression.gram().cwiseMax(0.0), target_scale * regression.correlations(),
                                       options.weights, options.iterations, options.pruning, poll);
  Found out{{}, std::move(chosen), std::move(mixed.certificate)};
  std::vector<Index> kept;
  for (Index j = 0; j < mixed.weights.size(); ++j) {
    if (!(mixed.weights[j] > 0)) continue;
    kept.push_back(j);
    out.kernels.points.push_back(out.selection.points[static_cast<std::size_t>(j)]);
  }
  out.kernels.weights = mixed.weights(kept);
  return out;
}

double choose_bandwidth(const Matrix& points, const Dataset& rows, const Dataset& given, double target_width,
                        const SkdOptions& options, const Run& run, FitReport& report) {
  if (options.bandwidth.size() == 1) return options.bandwidth.front();
  WidthSearch search{.candidates = options.bandwidth,
                     .warn = !options.bandwidth.empty(),
                     .refine = options.refine,
                     .fold = folds_of_rows(rows, given, options.cv, options.seed),
                     .scoring = options.scoring,
                     .defensive_weight = options.defensive_weight};
  if (search.candidates.empty()) search.candidates = preparation::log_spaced(target_width, 4 * target_width, 5);
  const FitKernels fit = [&](const Matrix& inside, const Vector& weights, double width) {
    return fit_kernels(inside, weights, width, target_width, options, 1, {}).kernels;
  };
  return choose_width(points, rows.weights, search, fit, run, report);
}

void report_fit(const Found& found, FitReport& report) {
  const std::vector<double>& path = found.selection.path;
  report.details.set("certificate", found.certificate);
  report.details.set("n_selected", Index{std::ssize(found.selection.points)});
  report.details.set("n_kernels", found.kernels.weights.size());
  report.details.set("n_evaluations", found.selection.evaluations);
  const OrthogonalRegression& regression = found.selection.regression;
  report.details.set("regularizers", Vector(regression.penalties().cwiseQuotient(regression.squares())));
  // Relative to J_0: it says how much of the target is left without its units.
  report.details.set("loo_path", preparation::column(path, [&](double j) { return j / path.front(); }));
  if (found.selection.forced) {
    report.warnings.emplace_back(
        "no kernel lowers the leave-one-out error of the target; the density is the one kernel that comes nearest");
  }
}

}  // namespace

SkdOptions SkdOptions::paper() {
  return {.target = TargetDensity::paper,
          .relative_regularization = false,
          .stop_tolerance = 0.0,
          .weights = WeightSolver::mnqp,
          .refine = false,
          .merge_copies = false,
          .defensive_weight = 0.0};
}

Skd::Skd(SkdOptions options, SkdState state, Parameters p, Standardizer x_scale, Standardizer y_scale, FitReport report)
    : FittedJointDensity(std::move(options), state, std::move(p), std::move(x_scale), std::move(y_scale),
                         std::move(report)) {}

Skd Skd::fit(const Dataset& data, const SkdOptions& options, const Run& run) {
  check_options(options);
  const preparation::Start start(owner, data, options.standardize);
  const Dataset& given = start.rows();
  const preparation::Standardized& standardized = start.standardized();
  FitReport report = start.report();
  const Dataset rows = rows_of_density(standardized.data, options.cv, options.merge_copies);
  const Matrix points = stack(rows).transpose();
  report.details.set("n_rows", given.size());
  const double target_width =
      options.target_bandwidth.empty() ? likelihood_width(points, rows.weights, run) : options.target_bandwidth.front();
  const double bandwidth = choose_bandwidth(points, rows, data, target_width, options, run, report);

  Task task(run, "selecting kernels", 1);
  const Found found =
      fit_kernels(points, rows.weights, bandwidth, target_width, options, task.threads(), [&] { task.poll(); });
  report.details.set("bandwidth", bandwidth);
  report.details.set("target_bandwidth", target_width);
  report_fit(found, report);
  Matrix means = points(found.kernels.points, Eigen::all).transpose();
  Matrix scales = Matrix::Constant(means.rows(), means.cols(), bandwidth);
  return {options,
          {bandwidth, target_width},
          parameters(found.kernels.weights, std::move(means), std::move(scales),
                     Defensive::fit(options.defensive_weight, standardized.data)),
          standardized.x,
          standardized.y,
          std::move(report)};
}

}  // namespace condens
