#pragma once
// A large Parzen window p(z) = sum_j w_j N(z; m_j, diag(g)^2), sum_j w_j = 1, at many points, each to
// a stated relative error, near the centres and far from them.
//
// Centres and points lie in blocks of neighbours (point_blocks.hpp). For a point (first for
// a block of points, then for eight of them) L = sum over blocks of W exp(-D / 2), W their weights and D
// their largest squared distances, bounds the sum from below; a block whose smallest is D >= 2 log(W / (error L)),
// W the weight of all, is left out: together such blocks have less than `error` of the sum.

#include <memory>

#include "condens/core/run.hpp"
#include "condens/core/types.hpp"

namespace condens {

class ParzenWindow {
 public:
  /// `centers` d x n, n >= 1; `weights` empty or n numbers > 0; `widths` d numbers > 0. Throws std::invalid_argument.
  ParzenWindow(const MatrixView& centers, const VectorView& weights, const VectorView& widths,
               double relative_error = 1e-12);

  Index dimension() const;
  Index n_centers() const;

  /// log p at every column of `points` (d x m). Cost: exponentials for the centres within reach of each.
  /// Throws std::invalid_argument for a wrong shape, NaN or infinity.
  Vector log_density(const MatrixView& points, const Run& run = {}) const;

 private:
  struct Centers;
  std::shared_ptr<const Centers> centers_;
};

}  // namespace condens
