#include "kernel_sums.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "condens/core/parallel.hpp"
#include "kernels/gaussian_kernel.hpp"
#include "linalg/log_sum_exp.hpp"
#include "linalg/vector_math.hpp"

namespace condens {

namespace {

constexpr Index points_per_task = 64;
constexpr Index centers_per_tile = 512;  // with their distances they stay in the first-level cache

}  // namespace

Vector kernel_sums(const Matrix& points, double factor, const VectorView& weights, int threads,
                   const std::function<void()>& poll) {
  const Index n = points.rows();
  const Matrix at = points.transpose();
  Vector out = Vector::Zero(n);
  const auto body = [&](Index block) {
    const Range range = block_range(n, points_per_task, block);
    Matrix tile(centers_per_tile, points.cols());
    Vector values(centers_per_tile);
    for (Index first = 0; first < n; first += centers_per_tile) {
      const Index count = std::min(centers_per_tile, n - first);
      tile.topRows(count) = points.middleRows(first, count);
      for (Index i = range.begin; i < range.end; ++i) {
        squared_distances(tile.topRows(count), at.col(i), values.head(count));
        values.head(count) *= -factor;
        exp_in_place(values.data(), count);
        out[i] += dot(values.data(), weights.data() + first, count);
      }
    }
  };
  parallel_for(block_count(n, points_per_task), threads, body, poll);
  return out;
}

void kernel_column(const Matrix& points, double factor, Index j, Eigen::Ref<Vector> out) {
  const Vector center = points.row(j).transpose();
  squared_distances(points, center, out);
  out *= -factor;
  exp_in_place(out.data(), out.size());
}

Vector parzen_log_sums(const Matrix& points, double width, const VectorView& share, bool leave_self_out, int threads,
                       const std::function<void()>& poll) {
  const Index n = points.rows();
  const Matrix scaled = points / width;
  const Matrix at = scaled.transpose();
  const Vector log_share = share.array().log();
  Vector out(n);
  const auto body = [&](Index block) {
    const Range range = block_range(n, points_per_task, block);
    Vector terms(n);
    for (Index i = range.begin; i < range.end; ++i) {
      squared_distances(scaled, at.col(i), terms);
      terms = log_share - 0.5 * terms;
      const bool left_out = leave_self_out && share[i] < 1;
      if (left_out) terms[i] = -std::numeric_limits<double>::infinity();
      out[i] = log_sum_exp_in_place(terms.data(), n) - (left_out ? std::log1p(-share[i]) : 0.0);
    }
  };
  parallel_for(block_count(n, points_per_task), threads, body, poll);
  return out;
}

}  // namespace condens
