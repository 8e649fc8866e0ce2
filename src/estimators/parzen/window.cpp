#include "condens/estimators/parzen/window.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <string_view>
#include <vector>

#include "condens/core/errors.hpp"
#include "condens/core/parallel.hpp"
#include "core/flush_subnormals.hpp"
#include "kernels/gaussian_kernel.hpp"
#include "kernels/point_blocks.hpp"
#include "linalg/log_sum_exp.hpp"
#include "linalg/vector_math.hpp"

namespace condens {

namespace {

constexpr std::string_view window_name = "ParzenWindow";
constexpr Index block = PointBlocks::block;
constexpr Index strip = PointBlocks::strip;
constexpr double smallest_log_sum = -600;  // below: the largest term is taken out first

PointBlocks scaled(PointBlocks points, const Vector& widths) {
  points.points = points.points * widths.cwiseInverse().asDiagonal();
  points.blocks = points.blocks.scaled_by(widths.cwiseInverse());
  points.strips = points.strips.scaled_by(widths.cwiseInverse());
  return points;
}

/// Blocks of centres, and the logarithm of what they add at least.
struct Reach {
  std::vector<Index> blocks;
  double log_least;
};

}  // namespace

struct ParzenWindow::Centers {
  PointBlocks blocks;  // in units of the widths
  Index count;
  Vector widths;
  Vector log_weights;  // of the blocks
  double log_mass;     // of a kernel, and of all weights
  double log_total;
  double log_error;

  /// Of the blocks `from`, those that count for the points in box i.
  Reach near(const Boxes& boxes, Index i, const std::vector<Index>& from) const;

  /// log sum_j w_j exp(-|u - u_j|^2 / 2) over what is within reach.
  double log_sum(const VectorView& u, const Reach& reach) const;
};

Reach ParzenWindow::Centers::near(const Boxes& boxes, Index i, const std::vector<Index>& from) const {
  Reach out{{}, 0};
  Vector nearest(std::ssize(from));
  Vector least(std::ssize(from));
  for (Index k = 0; k < nearest.size(); ++k) {
    const Index j = from[static_cast<std::size_t>(k)];
    nearest[k] = Boxes::nearest(boxes, i, blocks.blocks, j);
    least[k] = log_weights[j] - 0.5 * Boxes::farthest(boxes, i, blocks.blocks, j);
  }
  out.log_least = log_sum_exp_in_place(least.data(), least.size());
  const double limit = 2 * (log_total - log_error - out.log_least);
  for (Index k = 0; k < nearest.size(); ++k) {
    // Very far away the rounding of distances counts, too.
    if (!((1 - 1e-14) * nearest[k] >= limit) || !std::isfinite(limit))
      out.blocks.push_back(from[static_cast<std::size_t>(k)]);
  }
  return out;
}

double ParzenWindow::Centers::log_sum(const VectorView& u, const Reach& reach) const {
  Matrix terms(block, 1);
  const auto distances = [&](Index j) { squared_distances(blocks.points.middleRows(j * block, block), u, terms); };
  double nearest = 0;
  if (!(reach.log_least > smallest_log_sum)) {
    nearest = std::numeric_limits<double>::infinity();
    for (const Index j : reach.blocks) {
      distances(j);
      nearest = std::min(nearest, terms.minCoeff());
    }
    if (!std::isfinite(nearest)) return -nearest;
  }
  double total = 0;
  for (const Index j : reach.blocks) {
    distances(j);
    for (Index k = 0; k < block; ++k) terms.data()[k] = -0.5 * (terms.data()[k] - nearest);
    exp_in_place(terms.data(), block);
    total += dot(terms.data(), blocks.weights.data() + j * block, block);
  }
  return std::log(total) - 0.5 * nearest;
}

ParzenWindow::ParzenWindow(const MatrixView& centers, const VectorView& weights, const VectorView& widths,
                           double relative_error) {
  const Index n = centers.cols();
  require(n >= 1 && centers.rows() >= 1, window_name, ": ", centers.rows(), " x ", n,
          " numbers, expected at least one row and one centre");
  require(centers.allFinite(), window_name, ": the centres hold NaN or infinity");
  require(weights.size() == 0 || weights.size() == n, window_name, ": ", weights.size(), " weights for ", n,
          " centres");
  require(weights.size() == 0 || (weights.allFinite() && weights.minCoeff() > 0), window_name,
          ": weights must be finite and > 0");
  require(widths.size() == centers.rows(), window_name, ": ", widths.size(), " widths, expected ", centers.rows());
  require(widths.allFinite() && widths.minCoeff() > 0, window_name, ": widths must be finite and > 0");
  require(relative_error > 0 && relative_error < 1, window_name, ": relative_error = ", relative_error,
          ", expected in (0, 1)");
  const Vector own = weights.size() > 0 ? Vector(weights) : Vector(Vector::Ones(n));
  PointBlocks blocks = scaled(PointBlocks(centers, own), widths);
  const Vector sums = blocks.weights.reshaped(block, blocks.count()).colwise().sum().transpose();
  const double log_mass = log_kernel_mass(centers.rows(), 1.0) + widths.array().log().sum();
  centers_ = std::make_shared<const Centers>(Centers{std::move(blocks), n, widths, sums.array().log(), log_mass,
                                                     std::log(sums.sum()), std::log(relative_error)});
}

Index ParzenWindow::dimension() const { return centers_->widths.size(); }
Index ParzenWindow::n_centers() const { return centers_->count; }

Vector ParzenWindow::log_density(const MatrixView& points, const Run& run) const {
  require(points.rows() == dimension(), window_name, ": the points have ", points.rows(), " rows, expected ",
          dimension());
  require(points.allFinite(), window_name, ": the points hold NaN or infinity");
  if (points.cols() == 0) return Vector(0);
  const PointBlocks targets = scaled(PointBlocks(points, Vector::Ones(points.cols())), centers_->widths);
  std::vector<Index> all(static_cast<std::size_t>(centers_->blocks.count()));
  std::iota(all.begin(), all.end(), Index{0});
  Task task(run, "Parzen window", static_cast<double>(points.cols()));
  Vector sums(targets.points.rows());
  const auto body = [&](Index i) {
    const FlushSubnormals guard;
    const Reach of_block = centers_->near(targets.blocks, i, all);
    for (Index t = i * block / strip; t < (i + 1) * block / strip && targets.weights[t * strip] > 0; ++t) {
      const Reach of_strip = centers_->near(targets.strips, t, of_block.blocks);
      for (Index r = t * strip; r < (t + 1) * strip && targets.weights[r] > 0; ++r) {
        const Boxes own{targets.points.row(r), targets.points.row(r)};
        sums[r] = centers_->log_sum(targets.points.row(r).transpose(), centers_->near(own, 0, of_strip.blocks));
      }
    }
    task.advance(static_cast<double>(std::min(block, points.cols() - i * block)));
  };
  parallel_for(targets.count(), task.threads(), body, [&] { task.poll(); });
  return sums(targets.row_of).array() - centers_->log_total - centers_->log_mass;
}

}  // namespace condens
