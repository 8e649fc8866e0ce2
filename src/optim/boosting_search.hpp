#pragma once
// Repeated weighted boosting search (RWBS): minimises a nonnegative function over a box without
// gradients, by a small population whose worst member is replaced by a weighted mean of all, or
// by the mirror image of that mean in the best.
//
// Source: S. Chen, X. Hong and C. J. Harris, Probability density estimation with tunable kernels
// using orthogonal forward regression, IEEE Trans. Syst. Man Cybern. B 40(4), 2010, appendix.
//
//   paper                     here
//   P_S, N_G, M_I             population, generations, iterations
//   u_i, J^i, delta_i(t)      columns of the population, their values and shares
//
// What the paper leaves open (errata D14 to D16): a mirror image outside the box is moved to it;
// the best is looked up again after the last replacement of a generation; a weighted value that
// makes mu infinite leaves the shares as they are, values that are all 0 count alike, and beside
// infinite values finite ones count nothing.
//
// Order of the random numbers: generation by generation, member by member, coordinate by
// coordinate, each uniform in [lower, upper]; from the second generation on the first member is
// the best so far and takes no numbers.

#include <cstdint>
#include <functional>

#include "condens/core/types.hpp"

namespace condens {

/// Writes the values (>= 0, infinity allowed) at the columns of `points`. It is called with a
/// whole population, and with the two new points of a step together.
using BatchObjective = std::function<void(const MatrixView& points, Eigen::Ref<Vector> values)>;

struct BoostingSettings {
  Index population = 10;   ///< >= 1
  Index generations = 10;  ///< >= 1
  Index iterations = 200;  ///< steps in a generation, >= 0
  /// Take the best as it was before the last replacement, as the paper's text has it.
  bool literal_best = false;
  std::uint64_t seed = 0;
};

struct BoostingResult {
  Vector x;
  double value;
  Index evaluations;  ///< boosting_evaluations(settings)
  Index clipped;      ///< mirror images that were moved to the box
};

/// generations (population + 2 iterations) - (generations - 1): the best of a generation is not evaluated again.
Index boosting_evaluations(const BoostingSettings& settings);

/// min objective over lower <= x <= upper. `poll` is called before every evaluation and may throw.
/// Throws std::invalid_argument for bounds or settings that do not fit, NumericalError for a value
/// that is negative or NaN.
BoostingResult boosting_search(const BatchObjective& objective, const Vector& lower, const Vector& upper,
                               const BoostingSettings& settings, const std::function<void()>& poll = {});

}  // namespace condens
