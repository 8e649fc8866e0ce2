#pragma once
// Newton's method that cannot leave its bracket: a step that does, or that does not
// halve the step before the last one, is replaced by bisection (Press et al. 2007,
// Numerical Recipes, section 9.4). Ends at rounding: no tolerance to choose.
//
// Where rounding errors of f are larger than a step of one unit in the last place, the end is a random walk of some ten
// evaluations. A caller who knows the errors ends it: with `noise` the last step is that from |f| <= noise. The step
// before it needs no evaluation to be told: of errors f_{k-1}, f_k of two Newton steps, which converge quadratically,
// f_{k+1} = f_k (f_k / f_{k-1})^2.

#include <cmath>
#include <limits>
#include <utility>

namespace condens::detail {

/// The root of an f with f(low) <= 0 <= f(high); low may exceed high. `evaluate(x)` returns {f, f'};
/// infinite values and useless derivatives are allowed, their sign is enough.
template <class Evaluate>
double bracketed_root(Evaluate&& evaluate, double low, double high, double start, double noise = 0.0) {
  constexpr double eps = std::numeric_limits<double>::epsilon();
  double x = start;
  double step = std::abs(high - low);
  double step_before = step;
  double f_before = 0.0;                                    // where a Newton step led to x, else 0
  for (int iteration = 0; iteration < 2200; ++iteration) {  // more bisections than doubles have bits
    const std::pair<double, double> f = evaluate(x);
    if (f.first == 0.0) return x;
    (f.first < 0.0 ? low : high) = x;
    const double newton = x - f.first / f.second;
    const bool inside = newton > std::fmin(low, high) && newton < std::fmax(low, high);
    const bool shrinks = std::abs(newton - x) <= 0.5 * step_before;
    const bool regular = inside && shrinks;
    const double next = regular ? newton : 0.5 * low + 0.5 * high;
    step_before = step;
    step = std::abs(next - x);
    if (step <= eps * std::abs(next) || next == low || next == high) return next;
    if (std::abs(f.first) <= noise) return inside ? newton : x;
    const double ratio = f.first / f_before;
    if (regular && f_before != 0.0 && 8.0 * std::abs(f.first) * ratio * ratio <= noise) return next;
    f_before = regular ? f.first : 0.0;
    x = next;
  }
  return x;
}

}  // namespace condens::detail
