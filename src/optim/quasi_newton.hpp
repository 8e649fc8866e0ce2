#pragma once
// The loop and the line search of limited-memory quasi-Newton methods. Where a search may go, and what it remembers of
// the curvature, is a `Region`: a box (lbfgs.cpp) or the orthants of an L1 penalty (owlqn.cpp). It has
//
//   name                                with which messages begin
//   Vector admitted(Vector x)           x, moved to where the objective may be asked
//   double penalty(x)                   what is added to the objective
//   Vector slope(point)                 the gradient of both, one-sided at a kink
//   double residual(point, size)        how far the point is from stationary, for an objective in units of `size`
//   Vector direction(point, slope)      of descent, for an objective whose gradient in its units is `slope`
//   double longest(x, direction)        step that is of use
//   bool smooth()                       the slope along a direction is continuous
//   learn(moved, change), forget(), remembers()
//
// Source: A. S. Lewis and M. L. Overton, Nonsmooth optimization via quasi-Newton methods, Math. Program. 141, 2013,
// section 3: weak Wolfe conditions by doubling and bisection.

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "condens/core/cancellation.hpp"
#include "condens/core/errors.hpp"
#include "condens/optim/lbfgs.hpp"

namespace condens {

struct SearchPoint {
  Vector x;
  double value = std::numeric_limits<double>::quiet_NaN();  // with the region's penalty
  Vector gradient;                                          // without

  bool finite() const { return std::isfinite(value) && gradient.allFinite(); }
};

template <class Region>
class QuasiNewton {
 public:
  QuasiNewton(const Objective& objective, Region region, const LbfgsSettings& settings,
              const std::function<void()>& poll)
      : objective_(objective), region_(std::move(region)), settings_(settings), poll_(poll) {}

  LbfgsResult run(const Vector& start) {
    SearchPoint here = evaluate(start);
    if (!stopped_ && !here.finite()) {
      throw NumericalError(message(Region::name, ": the objective or its gradient is not finite at the start"));
    }
    if (settings_.unit > 0) {
      size_ = settings_.unit;
    } else {
      const double own = here.value != 0 ? std::abs(here.value) : region_.residual(here, 1.0);
      if (own > 0 && std::isfinite(own)) size_ = own;
    }
    Index iterations = 0;
    const LbfgsStatus status = stopped_ ? LbfgsStatus::stopped : descend(here, iterations);
    const double residual = region_.residual(here, 1.0);
    return {std::move(here.x), here.value, std::move(here.gradient), residual, iterations, evaluations_, status};
  }

 private:
  LbfgsStatus descend(SearchPoint& here, Index& iterations) {
    while (!is_stationary(here)) {
      if (iterations == settings_.max_iterations) return LbfgsStatus::iteration_limit;
      SearchPoint next;
      bool lower = step(here, next);
      if (!lower && !stopped_ && region_.remembers()) {
        region_.forget();  // old curvature can mislead: once more along the gradient
        lower = step(here, next);
      }
      if (!lower) return stopped_ ? LbfgsStatus::stopped : LbfgsStatus::flat;
      ++iterations;
      const double decrease = here.value - next.value;
      learn(next.x - here.x, (next.gradient - here.gradient) / size_);
      here = std::move(next);
      if (stopped_ || (settings_.after_step && !settings_.after_step(here.x))) return LbfgsStatus::stopped;
      if (decrease <= settings_.value_tolerance * std::max(settings_.unit, std::abs(here.value))) {
        return is_stationary(here) ? LbfgsStatus::converged : LbfgsStatus::flat;
      }
    }
    return LbfgsStatus::converged;
  }

  bool is_stationary(const SearchPoint& at) const {
    const double unit = settings_.unit > 0 ? settings_.unit : std::abs(at.value);
    return region_.residual(at, size_) <= settings_.gradient_tolerance * (unit / size_);
  }

  SearchPoint evaluate(const Vector& x) {
    SearchPoint out{.x = region_.admitted(x), .gradient = {}};
    out.gradient = Vector::Zero(out.x.size());
    if (poll_) poll_();
    check_cancelled();
    stopped_ = settings_.stop && settings_.stop();
    if (stopped_) return out;
    ++evaluations_;
    out.value = objective_(out.x, out.gradient) + region_.penalty(out.x);
    return out;
  }

  /// Keeps pairs of positive curvature only, so that the model stays positive definite.
  void learn(const Vector& moved, const Vector& change) {
    if (moved.dot(change) > std::numeric_limits<double>::epsilon() * change.squaredNorm()) {
      region_.learn(moved, change);
    }
  }

  /// A point with a lower value that, where the region is smooth, meets the weak Wolfe conditions or, where the search
  /// ends before, the lowest one seen. False when there is none.
  bool step(const SearchPoint& here, SearchPoint& next) {
    constexpr double decrease = 1e-4;
    constexpr double curvature = 0.9;
    constexpr int most_evaluations = 40;
    const Vector& slopes = region_.slope(here);
    const Vector along = region_.direction(here, slopes / size_);
    const double slope = slopes.dot(along);
    if (!along.allFinite() || !(slope < 0)) return false;
    const double longest = region_.longest(here.x, along);
    double below = 0;
    double above = std::numeric_limits<double>::infinity();
    bool found = false;
    double length = region_.remembers() ? 1.0 : std::min(1.0, settings_.first_step / along.norm());
    for (int tries = 0; tries < most_evaluations; ++tries) {
      SearchPoint trial = evaluate(here.x + length * along);
      if (stopped_) break;
      const bool descends = trial.finite() && trial.value <= here.value + decrease * slopes.dot(trial.x - here.x);
      const bool flattens = !region_.smooth() || trial.gradient.dot(along) >= curvature * slope;
      if (descends && trial.value < (found ? next.value : here.value)) {
        next = std::move(trial);
        found = true;
      }
      if (descends && (flattens || length >= longest)) break;
      (descends ? below : above) = length;
      length = std::isfinite(above) ? 0.5 * (below + above) : std::min(2.0 * length, longest);
      if (length <= below || length >= above) break;
    }
    return found;
  }

  const Objective& objective_;
  Region region_;
  const LbfgsSettings& settings_;
  const std::function<void()>& poll_;
  double size_ = 1;  // of the objective at the start; steps are measured in it, and the region learns in units of it
  bool stopped_ = false;
  Index evaluations_ = 0;
};

}  // namespace condens
