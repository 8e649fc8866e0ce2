#include "condens/estimators/gskd.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "condens/core/errors.hpp"
#include "condens/core/parallel.hpp"
#include "condens/estimators/parzen/window.hpp"
#include "condens/kernels/centers.hpp"
#include "core/flush_subnormals.hpp"
#include "estimators/parzen/width.hpp"
#include "growth.hpp"
#include "kernels/gaussian_kernel.hpp"
#include "model/preparation.hpp"
#include "model/rounded_rows.hpp"

namespace condens {

using preparation::Standardized;

GskdOptions GskdOptions::paper() {
  return {.target = TargetDensity::paper,
          .search = GskdSearch::boosting,
          .regularization = 1e-6,
          .relative_regularization = false,
          .nonnegative = false,
          .stop_tolerance = 0,
          .weights = WeightSolver::mnqp,
          .merge_copies = false,
          .defensive_weight = 0};
}

namespace {

constexpr std::string_view owner = Gskd::class_name;

/// Different rows, standardised, with what a search needs of them.
struct Sample {
  Matrix z;  // (d_x + d_y) x n
  Vector weights;
  Vector mean;
  Vector spread;  // standard deviations; 0 for a constant column
};

Sample sample_of(const Dataset& data) {
  Sample out{.z = data.x, .weights = data.weights, .mean = {}, .spread = {}};
  const Vector share = out.weights / out.weights.sum();
  out.mean = out.z * share;
  out.spread = ((out.z.colwise() - out.mean).cwiseAbs2() * share).cwiseSqrt();
  const Vector size = out.z.cwiseAbs().rowwise().maxCoeff();
  constexpr double rounding = 1e-14;  // of the mean of a constant column
  for (Index k = 0; k < out.spread.size(); ++k) {
    if (out.spread[k] <= rounding * size[k]) out.spread[k] = 0;
  }
  return out;
}

/// Some of the sample's points.
std::vector<Index> some_rows(const Sample& sample, const GskdOptions& options) {
  return random_centers(sample.z, Vector::Ones(sample.z.cols()), options.fit_rows,
                        static_cast<std::uint64_t>(options.seed));
}

/// One width for all columns in units of their spread, by the leave-one-out likelihood. Of many rows
/// some choose it, and it shrinks at the rate n^(-1 / (d + 4)) of the best one (Scott 1992, sec. 6.2).
Vector choose_bandwidth(const Sample& sample, const GskdOptions& options, const Run& run) {
  const Index n = sample.z.cols();
  Vector unit = Vector::Ones(sample.z.rows());
  if (!options.standardize) unit = (sample.spread.array() > 0).select(sample.spread, unit);
  const Matrix z = unit.cwiseInverse().asDiagonal() * sample.z;
  if (n <= options.fit_rows) return parzen_likelihood_width(z, sample.weights, run) * unit;
  const std::vector<Index> rows = some_rows(sample, options);
  const double rate =
      std::pow(static_cast<double>(options.fit_rows) / static_cast<double>(n), 1 / static_cast<double>(z.rows() + 4));
  return rate * parzen_likelihood_width(z(Eigen::all, rows), sample.weights(rows), run) * unit;
}

Vector given_bandwidth(const std::vector<double>& widths, Index d) {
  if (widths.size() == 1) return Vector::Constant(d, widths.front());
  require(std::ssize(widths) == d, owner, ": target_bandwidth has ", widths.size(),
          " numbers, expected none (by leave-one-out likelihood), one, or one for each of the ", d, " columns");
  return Eigen::Map<const Vector>(widths.data(), d);
}

/// A constant column tells nothing of widths: its kernels have the window's.
KernelBox box_of(const Sample& sample, const Vector& bandwidth, const GskdOptions& options) {
  KernelBox box{.center_lower = sample.z.rowwise().minCoeff(),
                .center_upper = sample.z.rowwise().maxCoeff(),
                .scale_lower = options.lowest_width * bandwidth,
                .scale_upper = options.highest_width * (sample.spread.cwiseAbs2() + bandwidth.cwiseAbs2()).cwiseSqrt()};
  box.scale_upper = box.scale_upper.cwiseMax(box.scale_lower);
  for (Index k = 0; k < bandwidth.size(); ++k) {
    if (sample.spread[k] == 0) box.scale_lower[k] = box.scale_upper[k] = bandwidth[k];
  }
  return box;
}

/// The window at some of its points, where all would cost too much.
Vector window_at(const Sample& sample, const std::vector<Index>& rows, const Vector& bandwidth, bool leave_self_out,
                 const Run& run) {
  const ParzenWindow window(sample.z, sample.weights, bandwidth);
  Vector density = window.log_density(sample.z(Eigen::all, rows), run).array().exp();
  if (!leave_self_out) return density;
  const Vector share = sample.weights(rows) / sample.weights.sum();
  const double top = std::exp(-log_kernel_mass(bandwidth.size(), 1.0) - bandwidth.array().log().sum());
  return ((density - top * share).array() / (1 - share.array())).cwiseMax(0.0);
}

/// The rows that carry the regression, all or a random subset, with the window of all (eq. 24).
KernelRows rows_of(const Sample& sample, const Vector& bandwidth, const GskdOptions& options, const Run& run) {
  const bool leave_self_out = options.target == TargetDensity::loo;
  const Index n = sample.z.cols();
  if (n <= options.fit_rows) {
    return KernelRows::of(sample.z, sample.weights,
                          parzen_density(sample.z, sample.weights, bandwidth, leave_self_out, run));
  }
  const std::vector<Index> rows = some_rows(sample, options);
  return KernelRows::of(sample.z(Eigen::all, rows), sample.weights(rows),
                        window_at(sample, rows, bandwidth, leave_self_out, run));
}

struct WeightedKernels {
  KernelList kernels;
  Vector weights;
};

/// Kernel by kernel, then their weights (eq. 39).
WeightedKernels grow(const KernelRows& rows, const KernelBox& box, const GskdOptions& options, const Run& run,
                     FitReport& report) {
  KernelGrowth growth(rows, box, options);
  std::vector<double> path{growth.regression().criterion()};
  FoundKernel total;  // counts
  Index evaluations_of_kernels = 0;
  Task task(run, "placing kernels", static_cast<double>(options.max_kernels));
  const auto poll = [&] { task.poll(); };
  bool falling = true;
  while (falling && growth.kernels().size() < options.max_kernels) {
    const Index before = growth.kernels().size();
    const FoundKernel found = growth.find(task.threads(), poll);
    total.evaluations += found.evaluations;
    total.gradients += found.gradients;
    total.clipped += found.clipped;
    falling = growth.add(found);
    if (!falling) break;
    path.push_back(growth.regression().criterion());
    evaluations_of_kernels = total.evaluations;
    task.advance(static_cast<double>(growth.kernels().size() - before));
    poll();
  }
  const Vector criterion = Eigen::Map<const Vector>(path.data(), std::ssize(path)) * (rows.unit * rows.unit);
  report.details.set("criterion", criterion);
  report.details.set("evaluations", total.evaluations);
  report.details.set("evaluations_of_kernels", evaluations_of_kernels);
  if (options.search == GskdSearch::gradient) {
    report.details.set("gradient_evaluations", total.gradients);
  } else {
    report.details.set("clipped", total.clipped);
  }
  const Index n = growth.kernels().size();
  report.details.set("n_kernels_before_weights", n);
  if (falling) {
    report.warnings.push_back(message("max_kernels = ", options.max_kernels,
                                      " ended the search for kernels; the leave-one-out error was still falling"));
  }
  if (n == 0) return {};
  MixingWeights mixed = mixing_weights(growth.regression().gram().cwiseMax(0.0), growth.regression().correlations(),
                                       options.weights, options.iterations, options.pruning, poll);
  std::vector<Index> kept;
  for (Index l = 0; l < n; ++l) {
    if (mixed.weights[l] > 0) kept.push_back(l);
  }
  report.details.set("n_kernels", std::ssize(kept));
  WeightedKernels out{growth.kernels().subset(kept), mixed.weights(kept)};
  mixed.certificate.set("distance_to_window", rows.distance(out.kernels.centers, out.kernels.scales, out.weights));
  report.details.set("certificate", std::move(mixed.certificate));
  return out;
}

/// Where no kernel lowers the error (errata D9): the Gaussian with the window's moments.
WeightedKernels one_kernel(const Sample& sample, const Vector& bandwidth, FitReport& report) {
  report.warnings.emplace_back(
      "no kernel lowers the leave-one-out error of the Parzen window; the density is one Gaussian with its mean and "
      "spread");
  report.details.set("n_kernels", 1);
  return {{sample.mean, (sample.spread.cwiseAbs2() + bandwidth.cwiseAbs2()).cwiseSqrt()}, Vector::Ones(1)};
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
  Sample sample = sample_of({.x = stack(merged), .y = merged.y, .weights = merged.weights});
  const Vector bandwidth = options.target_bandwidth.empty()
                               ? choose_bandwidth(sample, options, run)
                               : given_bandwidth(options.target_bandwidth, sample.z.rows());
  report.details.set("n_rows", rows.size());
  report.details.set("n_rows_fitted", std::min(sample.z.cols(), options.fit_rows));
  if ((bandwidth.array() == bandwidth[0]).all()) report.details.set("target_bandwidth", bandwidth[0]);

  WeightedKernels found;
  const KernelRows regressed = rows_of(sample, bandwidth, options, run);
  if (regressed.unit > 0) found = grow(regressed, box_of(sample, bandwidth, options), options, run, report);
  if (found.weights.size() == 0) found = one_kernel(sample, bandwidth, report);
  return {options,
          {bandwidth},
          parameters(found.weights, std::move(found.kernels.centers), std::move(found.kernels.scales),
                     Defensive::fit(options.defensive_weight, standardized.data)),
          standardized.x,
          standardized.y,
          std::move(report)};
}

}  // namespace condens
