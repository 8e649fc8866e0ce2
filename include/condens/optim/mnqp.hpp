#pragma once
// Multiplicative nonnegative quadratic programming for min 0.5 b'Bb - v'b over the simplex
// b >= 0, 1'b = 1, with B >= 0 in every entry.
//
// Source: S. Chen, X. Hong and C. J. Harris, Probability density estimation with tunable kernels
// using orthogonal forward regression, IEEE Trans. SMC B 40, 2010, eqs. 39-44, after F. Sha,
// L. K. Saul and D. D. Lee (2002). Each step minimises an auxiliary function that bounds the
// objective,
//
//   c_i = b_i / (Bb)_i,   b_i <- c_i (v_i + h),   h so that the sum is one,   (eqs. 42-44)
//
// which as printed turns negative wherever v_i + h does (errata D1). The repaired step minimises
// the same function under b >= 0: b_i <- c_i max(v_i + h, 0), h by water filling. It is the
// printed one where that is nonnegative, and never raises the objective. A zero stays zero.

#include <functional>

#include "condens/core/types.hpp"

namespace condens {

enum class MnqpStep { repaired, printed };

struct Mnqp {
  Vector solution;
  Vector objective;  ///< before the first step and after every one
  double gap;        ///< Frank-Wolfe gap of the solution; of no meaning where it has negative entries
};

/// From b = 1/n. Stops early where a step is no number (the printed one, after a negative entry) or
/// changes nothing. Throws std::invalid_argument for shapes that do not fit, numbers that are not
/// finite, a negative entry of B, or a zero on its diagonal. Cost: n^2 per step.
Mnqp mnqp(const Matrix& b, const VectorView& v, Index iterations, MnqpStep step = MnqpStep::repaired,
          const std::function<void()>& poll = {});

}  // namespace condens
