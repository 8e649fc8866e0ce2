#pragma once
// What the tests of SACDE share: data with one relevant input, and the paper's problem by the plain loops.

#include "condens/core/random.hpp"
#include "condens/estimators/sacde.hpp"
#include "optim/nonnegative_group_lasso.hpp"
#include "plain_sacde.hpp"

namespace condens {

/// Two branches whose distance grows with the first input; the others have no effect.
inline Dataset planted(Index n, Index d_x, std::uint64_t seed = 1, Index d_y = 1) {
  RandomStream random(seed);
  Matrix x(d_x, n);
  Matrix y(d_y, n);
  for (Index i = 0; i < n; ++i) {
    for (Index k = 0; k < d_x; ++k) x(k, i) = random.normal();
    const double branch = random.uniform() < 0.5 ? -1.0 : 1.0;
    for (Index k = 0; k < d_y; ++k) y(k, i) = branch + 1.5 * x(0, i) + 0.3 * random.normal();
  }
  return {.x = x, .y = y};
}

inline Matrix joint(const Dataset& data, Index count) {
  Matrix out(data.x.rows() + data.y.rows(), count);
  out << data.x.leftCols(count), data.y.leftCols(count);
  return out;
}

/// The paper's problem on the numbers handed in.
inline SacdeOptions fixed(const Matrix& centers, double lambda) {
  SacdeOptions options = SacdeOptions::paper();
  options.standardize = false;
  options.centers = centers;
  options.bandwidth = {0.7};
  options.bandwidth_y = {0.4};
  options.regularization = {lambda};
  options.tolerance = 1e-11;
  return options;
}

inline plain::Sacde reference(const Dataset& data, const SacdeOptions& options) {
  return {.x = data.x,
          .y = data.y,
          .w = data.weights.size() > 0 ? data.weights : Vector::Ones(data.size()),
          .u = options.centers.topRows(data.x.rows()),
          .v = options.centers.bottomRows(data.y.rows()),
          .s_x = options.bandwidth.front(),
          .s_y = options.bandwidth_y.front(),
          .constant = options.constant_group};
}

/// The minimum of eq. 16 by the certified solver on the plain loops' H and h.
inline Matrix solve_plain(const plain::Sacde& plain, double lambda) {
  const DenseGroupQuadratic problem(plain.gram(), plain.linear());
  Vector weights = Vector::Ones(plain.groups());
  if (plain.constant) weights[plain.groups() - 1] = 0;
  NonnegativeGroupLasso solver(problem, weights, 1e-12);
  solver.solve(lambda);
  return solver.coefficients();
}

}  // namespace condens
