#pragma once
// Smooth minimisation between bounds by a limited-memory quasi-Newton method.
//
// Source: R. H. Byrd, P. Lu, J. Nocedal and C. Zhu, A limited memory algorithm for
// bound constrained optimization, SIAM J. Sci. Comput. 16(5), 1995, for the search
// direction; A. S. Lewis and M. L. Overton, Nonsmooth optimization via quasi-Newton
// methods, Math. Program. 141, 2013, section 3, for the step along it (weak Wolfe
// conditions by bisection). A step to where the function is not finite counts as
// one without descent, so the search steps back from it.

#include <functional>
#include <string_view>

#include "condens/core/types.hpp"

namespace condens {

/// Returns the value at x and overwrites `gradient`. Not finite where undefined.
using Objective = std::function<double(const Vector& x, Vector& gradient)>;

struct LbfgsSettings {
  Index history = 10;                ///< pairs of steps and gradient changes that are remembered
  Index max_iterations = 200;        ///< steps
  double unit = 0;                   ///< of the objective: 1 of a likelihood in nats; 0: its own value
  double gradient_tolerance = 1e-6;  ///< on the largest entry of the projected gradient, in units
  double value_tolerance = 1e-12;    ///< on the decrease of a step, relative to the larger of unit and |value|
  double first_step = 1;             ///< longest first step; later ones take the length of the model's
  /// Called after every step with where it led; false ends the search there. For early stopping.
  std::function<bool(const Vector& x)> after_step = nullptr;
  /// Asked before every evaluation; true ends the search at what its steps have reached.
  std::function<bool()> stop = nullptr;
};

enum class LbfgsStatus {
  converged,        ///< the projected gradient met its tolerance
  flat,             ///< the value no longer decreases, or no step along a descent direction lowers it
  iteration_limit,  ///< max_iterations steps were taken
  stopped,          ///< after_step or stop ended it; the value is NaN where nothing was evaluated
};
std::string_view to_string(LbfgsStatus status);

/// What was found is never worse than the start.
struct LbfgsResult {
  Vector x;
  double value;
  Vector gradient;
  double projected_gradient;  ///< largest |gradient| entry, without those that push against a bound
  Index iterations;
  Index evaluations;
  LbfgsStatus status;
};

/// min objective over lower <= x <= upper (infinite bounds: none), from `start` moved
/// between them. `poll` is called before every evaluation and may throw. Throws
/// std::invalid_argument for lengths or bounds that do not fit, NumericalError where
/// the start has no finite value or gradient.
LbfgsResult minimize(const Objective& objective, const Vector& start, const Vector& lower, const Vector& upper,
                     const LbfgsSettings& settings = {}, const std::function<void()>& poll = {});

}  // namespace condens
