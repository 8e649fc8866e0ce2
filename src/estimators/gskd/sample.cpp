#include "sample.hpp"

#include <cmath>
#include <utility>

#include "condens/core/errors.hpp"
#include "condens/core/parallel.hpp"
#include "condens/estimators/parzen/window.hpp"
#include "condens/kernels/centers.hpp"
#include "estimators/parzen/width.hpp"
#include "kernels/gaussian_kernel.hpp"

namespace condens {

namespace {

/// One width for all columns in units of their spread, by the leave-one-out likelihood. Of many rows
/// some choose it, and it shrinks at the rate n^(-1 / (d + 4)) of the best one (Scott 1992, sec. 6.2).
Vector likely_width(const Sample& sample, const GskdOptions& options, const Run& run) {
  const Index n = sample.size();
  Vector unit = Vector::Ones(sample.z.rows());
  if (!options.standardize) unit = (sample.spread.array() > 0).select(sample.spread, unit);
  const Matrix z = unit.cwiseInverse().asDiagonal() * sample.z;
  if (n <= options.fit_rows) return parzen_likelihood_width(z, sample.weights, run) * unit;
  const std::vector<Index> rows = some_rows(sample, options);
  const double rate =
      std::pow(static_cast<double>(options.fit_rows) / static_cast<double>(n), 1 / static_cast<double>(z.rows() + 4));
  return rate * parzen_likelihood_width(z(Eigen::all, rows), sample.weights(rows), run) * unit;
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

/// The empirical distribution function at its own points, each of which does not count itself (eqs. 20 and 21).
Vector empirical_cdf(const Matrix& z, const Vector& weights, const Run& run) {
  const Index n = z.cols();
  Vector out(n);
  constexpr Index size = 64;
  Task task(run, "empirical distribution", static_cast<double>(n));
  parallel_for(
      block_count(n, size), task.threads(),
      [&](Index block) {
        const Range range = block_range(n, size, block);
        for (Index k = range.begin; k < range.end; ++k) {
          double below = 0;
          for (Index j = 0; j < n; ++j) {
            if ((z.col(j).array() < z.col(k).array()).all()) below += weights[j];
          }
          out[k] = below / weights.sum();
        }
      },
      [&] { task.poll(); });
  return out;
}

}  // namespace

Sample Sample::of(Matrix z, Vector weights) {
  Sample out{.z = std::move(z), .weights = std::move(weights), .mean = {}, .spread = {}};
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

Sample Sample::of(const Dataset& rows) {
  Matrix z(rows.x.rows() + rows.y.rows(), rows.size());
  z.topRows(rows.x.rows()) = rows.x;
  z.bottomRows(rows.y.rows()) = rows.y;
  return of(std::move(z), rows.weights);
}

std::vector<Index> some_rows(const Sample& sample, const GskdOptions& options) {
  return random_centers(sample.z, Vector::Ones(sample.size()), options.fit_rows,
                        static_cast<std::uint64_t>(options.seed));
}

Vector window_width(const Sample& sample, const GskdOptions& options, const Run& run) {
  const std::vector<double>& widths = options.target_bandwidth;
  const Index d = sample.z.rows();
  if (widths.empty()) return likely_width(sample, options, run);
  if (widths.size() == 1) return Vector::Constant(d, widths.front());
  require(std::ssize(widths) == d, Gskd::class_name, ": target_bandwidth has ", widths.size(),
          " numbers, expected none (by leave-one-out likelihood), one, or one for each of the ", d, " columns");
  return Eigen::Map<const Vector>(widths.data(), d);
}

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

KernelRows rows_of(const Sample& sample, const Vector& bandwidth, GskdTarget target, const GskdOptions& options,
                   const Run& run) {
  if (target == GskdTarget::cdf) {
    const std::vector<Index> rows = some_rows(sample, options);
    const Matrix z = sample.z(Eigen::all, rows);
    const Vector weights = sample.weights(rows);
    return KernelRows::of(z, weights, empirical_cdf(z, weights, run), true);
  }
  const bool leave_self_out = target == GskdTarget::loo;
  if (sample.size() <= options.fit_rows) {
    return KernelRows::of(sample.z, sample.weights,
                          parzen_density(sample.z, sample.weights, bandwidth, leave_self_out, run));
  }
  const std::vector<Index> rows = some_rows(sample, options);
  return KernelRows::of(sample.z(Eigen::all, rows), sample.weights(rows),
                        window_at(sample, rows, bandwidth, leave_self_out, run));
}

}  // namespace condens
