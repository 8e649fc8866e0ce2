#include "condens/optim/lbfgs.hpp"

#include <LBFGSpp/BFGSMat.h>
#include <LBFGSpp/Cauchy.h>
#include <LBFGSpp/SubspaceMin.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "condens/core/cancellation.hpp"
#include "condens/core/errors.hpp"

namespace condens {

namespace {

using Model = LBFGSpp::BFGSMat<double, true>;

struct LbfgsPoint {
  Vector x;
  double value = 0;
  Vector gradient;

  bool finite() const { return std::isfinite(value) && gradient.allFinite(); }
};

class LbfgsMinimizer {
 public:
  LbfgsMinimizer(const Objective& objective, const Vector& lower, const Vector& upper, const LbfgsSettings& settings,
                 const std::function<void()>& poll)
      : objective_(objective), lower_(lower), upper_(upper), settings_(settings), poll_(poll) {}

  LbfgsResult run(const Vector& start) {
    forget();
    LbfgsPoint here = evaluate(start);
    if (!here.finite()) throw NumericalError("minimize: the objective or its gradient is not finite at the start");
    size_ = size_of_objective(settings_.unit, here.value, projected_gradient(here, 1.0));
    Index iterations = 0;
    LbfgsStatus status = LbfgsStatus::iteration_limit;
    while (true) {
      if (is_stationary(here)) {
        status = LbfgsStatus::converged;
        break;
      }
      if (iterations == settings_.max_iterations) break;
      LbfgsPoint next;
      bool lower_value = step(here, next);
      if (!lower_value && model_.num_corrections() > 0) {
        forget();  // a model of old curvature can mislead: once more along the gradient
        lower_value = step(here, next);
      }
      if (!lower_value) {
        status = LbfgsStatus::flat;
        break;
      }
      ++iterations;
      const double decrease = here.value - next.value;
      learn(next.x - here.x, (next.gradient - here.gradient) / size_);
      here = std::move(next);
      if (settings_.after_step && !settings_.after_step(here.x)) {
        status = LbfgsStatus::stopped;
        break;
      }
      if (decrease <= settings_.value_tolerance * std::max(settings_.unit, std::abs(here.value))) {
        status = is_stationary(here) ? LbfgsStatus::converged : LbfgsStatus::flat;
        break;
      }
    }
    const double residual = projected_gradient(here, 1.0);
    return {std::move(here.x), here.value, std::move(here.gradient), residual, iterations, evaluations_, status};
  }

 private:
  bool is_stationary(const LbfgsPoint& at) const {
    const double unit = settings_.unit > 0 ? settings_.unit : std::abs(at.value);
    return projected_gradient(at, size_) <= settings_.gradient_tolerance * (unit / size_);
  }

  /// Of the objective in units of `size`.
  double projected_gradient(const LbfgsPoint& at, double size) const {
    const Vector moved = (at.x - at.gradient / size).cwiseMax(lower_).cwiseMin(upper_) - at.x;
    return moved.size() > 0 ? moved.cwiseAbs().maxCoeff() : 0.0;
  }

  LbfgsPoint evaluate(const Vector& x) {
    if (poll_) poll_();
    check_cancelled();
    ++evaluations_;
    LbfgsPoint out{x.cwiseMax(lower_).cwiseMin(upper_), 0.0, Vector::Zero(x.size())};
    out.value = objective_(out.x, out.gradient);
    return out;
  }

  void forget() { model_.reset(static_cast<int>(lower_.size()), static_cast<int>(settings_.history)); }

  /// Keeps pairs of positive curvature only, so that the model stays positive definite.
  void learn(const Vector& moved, const Vector& change) {
    if (moved.dot(change) > std::numeric_limits<double>::epsilon() * change.squaredNorm()) {
      model_.add_correction(moved, change);
    }
  }

  /// From the point of lowest model value along the projected gradient path (the Cauchy
  /// point) to the minimum of the model over the coordinates that are free there.
  Vector direction(const LbfgsPoint& here) const {
    Vector cauchy_point;
    Vector product;
    std::vector<int> newly_active;
    std::vector<int> free;
    const Vector gradient = here.gradient / size_;
    LBFGSpp::Cauchy<double>::get_cauchy_point(model_, here.x, gradient, lower_, upper_, cauchy_point, product,
                                              newly_active, free);
    Vector out = cauchy_point - here.x;
    if (model_.num_corrections() > 0) {
      constexpr int most_iterations = 10;
      LBFGSpp::SubspaceMin<double>::subspace_minimize(model_, here.x, cauchy_point, gradient, lower_, upper_, product,
                                                      newly_active, free, most_iterations, out);
    }
    return out;
  }

  /// The longest step along `direction` that stays between the bounds.
  double longest_step(const Vector& x, const Vector& direction) const {
    double out = std::numeric_limits<double>::infinity();
    for (Index k = 0; k < x.size(); ++k) {
      if (direction[k] > 0) out = std::min(out, (upper_[k] - x[k]) / direction[k]);
      if (direction[k] < 0) out = std::min(out, (lower_[k] - x[k]) / direction[k]);
    }
    return out;
  }

  /// A point with a lower value that meets the weak Wolfe conditions or, where the search
  /// ends before, the lowest one seen. False when there is none.
  bool step(const LbfgsPoint& here, LbfgsPoint& next) {
    constexpr double decrease = 1e-4;
    constexpr double curvature = 0.9;
    constexpr int most_evaluations = 40;
    const Vector along = direction(here);
    const double slope = here.gradient.dot(along);
    if (!along.allFinite() || !(slope < 0)) return false;
    // A step of the model's own may end on a bound up to a rounding: evaluate() projects.
    const double longest = std::max(1.0, longest_step(here.x, along));
    double below = 0;
    double above = longest;
    bool bracketed = false;
    bool found = false;
    double length = 1;
    if (model_.num_corrections() == 0) length = std::min(1.0, settings_.first_step / along.norm());
    for (int k = 0; k < most_evaluations; ++k) {
      LbfgsPoint trial = evaluate(here.x + length * along);
      const bool descends = trial.finite() && trial.value <= here.value + decrease * length * slope;
      const bool flattens = descends && trial.gradient.dot(along) >= curvature * slope;
      if (descends && trial.value < (found ? next.value : here.value)) {
        next = std::move(trial);
        found = true;
      }
      if (!descends) {
        above = length;
        bracketed = true;
      } else {
        if (flattens || length >= longest) break;
        below = length;
      }
      length = bracketed ? 0.5 * (below + above) : std::min(2.0 * length, longest);
      if (length <= below || (bracketed && length >= above)) break;
    }
    return found;
  }

  const Objective& objective_;
  const Vector& lower_;
  const Vector& upper_;
  const LbfgsSettings& settings_;
  const std::function<void()>& poll_;
  Model model_;  // of the objective in units of size_
  double size_ = 1;
  Index evaluations_ = 0;
};

}  // namespace

std::string_view to_string(LbfgsStatus status) {
  switch (status) {
    case LbfgsStatus::converged:
      return "converged";
    case LbfgsStatus::flat:
      return "no further decrease";
    case LbfgsStatus::iteration_limit:
      return "iteration limit";
    case LbfgsStatus::stopped:
      return "stopped";
  }
  return "";
}

double size_of_objective(double given, double value, double largest_gradient) {
  if (given > 0) return given;
  const double own = value != 0 ? std::abs(value) : largest_gradient;
  return own > 0 && std::isfinite(own) ? own : 1.0;
}

LbfgsResult minimize(const Objective& objective, const Vector& start, const Vector& lower, const Vector& upper,
                     const LbfgsSettings& settings, const std::function<void()>& poll) {
  const Index n = start.size();
  require(lower.size() == n && upper.size() == n, "minimize: start, lower and upper have lengths ", n, ", ",
          lower.size(), " and ", upper.size(), ", expected one length");
  for (Index k = 0; k < n; ++k) {
    require(lower[k] <= upper[k], "minimize: lower[", k, "] = ", lower[k], " and upper[", k, "] = ", upper[k],
            ", expected lower <= upper");
  }
  require(settings.history >= 1, "minimize: history = ", settings.history, ", expected >= 1");
  return LbfgsMinimizer(objective, lower, upper, settings, poll).run(start);
}

}  // namespace condens
