#include "owlqn.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <utility>

#include "condens/core/cancellation.hpp"
#include "condens/core/errors.hpp"

namespace condens {

namespace {

struct OwlqnPoint {
  Vector x;
  double value = 0;  // with the penalty
  Vector gradient;   // of the smooth part

  bool finite() const { return std::isfinite(value) && gradient.allFinite(); }
};

/// One step and what it taught about the curvature of the smooth part, in units of the objective's size.
struct Pair {
  Vector moved;
  Vector change;
  double inverse;  // 1 / moved'change
};

class OwlqnMinimizer {
 public:
  OwlqnMinimizer(const Objective& objective, const Vector& penalty, const LbfgsSettings& settings,
                 const std::function<void()>& poll)
      : objective_(objective), penalty_(penalty), settings_(settings), poll_(poll) {}

  LbfgsResult run(const Vector& start) {
    OwlqnPoint here = evaluate(start);
    if (!here.finite()) throw NumericalError("minimize_l1: the objective or its gradient is not finite at the start");
    size_ = size_of_objective(settings_.unit, here.value, largest(pseudo_gradient(here)));
    Index iterations = 0;
    LbfgsStatus status = LbfgsStatus::iteration_limit;
    while (true) {
      const Vector pseudo = pseudo_gradient(here);
      if (is_stationary(here, pseudo)) {
        status = LbfgsStatus::converged;
        break;
      }
      if (iterations == settings_.max_iterations) break;
      OwlqnPoint next;
      bool lower_value = step(here, pseudo, next);
      if (!lower_value && !pairs_.empty()) {
        pairs_.clear();  // old curvature can mislead: once more along the gradient
        lower_value = step(here, pseudo, next);
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
        status = is_stationary(here, pseudo_gradient(here)) ? LbfgsStatus::converged : LbfgsStatus::flat;
        break;
      }
    }
    const double residual = largest(pseudo_gradient(here));
    return {std::move(here.x), here.value, std::move(here.gradient), residual, iterations, evaluations_, status};
  }

 private:
  bool is_stationary(const OwlqnPoint& at, const Vector& pseudo) const {
    const double unit = settings_.unit > 0 ? settings_.unit : std::abs(at.value);
    return largest(pseudo) <= settings_.gradient_tolerance * unit;
  }

  static double largest(const Vector& v) { return v.size() > 0 ? v.cwiseAbs().maxCoeff() : 0.0; }

  OwlqnPoint evaluate(const Vector& x) {
    if (poll_) poll_();
    check_cancelled();
    ++evaluations_;
    OwlqnPoint out{x, 0.0, Vector::Zero(x.size())};
    out.value = objective_(out.x, out.gradient) + penalty_.dot(x.cwiseAbs());
    return out;
  }

  /// Andrew and Gao (2007), eq. 4: the one-sided derivative of least size.
  Vector pseudo_gradient(const OwlqnPoint& at) const {
    Vector out = at.gradient;
    for (Index k = 0; k < out.size(); ++k) {
      const double c = penalty_[k];
      if (at.x[k] != 0) {
        out[k] += std::copysign(c, at.x[k]);
      } else if (out[k] > 0) {
        out[k] = std::max(0.0, out[k] - c);
      } else {
        out[k] = std::min(0.0, out[k] + c);
      }
    }
    return out;
  }

  void learn(Vector moved, Vector change) {
    const double curvature = moved.dot(change);
    if (curvature <= std::numeric_limits<double>::epsilon() * change.squaredNorm()) return;
    if (std::ssize(pairs_) == settings_.history) pairs_.pop_front();
    pairs_.push_back({std::move(moved), std::move(change), 1.0 / curvature});
  }

  /// -H v with the inverse curvature H of the pairs.
  Vector minus_inverse_times(Vector v) const {
    Vector share(std::ssize(pairs_));
    for (Index k = share.size() - 1; k >= 0; --k) {
      const Pair& pair = pairs_[static_cast<std::size_t>(k)];
      share[k] = pair.inverse * pair.moved.dot(v);
      v -= share[k] * pair.change;
    }
    if (!pairs_.empty()) v /= pairs_.back().inverse * pairs_.back().change.squaredNorm();
    for (Index k = 0; k < share.size(); ++k) {
      const Pair& pair = pairs_[static_cast<std::size_t>(k)];
      v += (share[k] - pair.inverse * pair.change.dot(v)) * pair.moved;
    }
    return -v;
  }

  /// A point with a lower value; without penalties it meets the weak Wolfe conditions where
  /// the search finds one that does. False when there is none.
  bool step(const OwlqnPoint& here, const Vector& pseudo, OwlqnPoint& next) {
    constexpr double decrease = 1e-4;
    constexpr double curvature = 0.9;
    constexpr int most_evaluations = 40;
    const bool smooth = (penalty_.array() == 0).all();
    Vector along = minus_inverse_times(pseudo / size_);
    Vector orthant = here.x;  // its signs: where a step may go
    for (Index k = 0; k < along.size() && !smooth; ++k) {
      if (penalty_[k] == 0) continue;
      if (along[k] * pseudo[k] >= 0) along[k] = 0;
      if (orthant[k] == 0) orthant[k] = -pseudo[k];
    }
    const double slope = pseudo.dot(along);
    if (!along.allFinite() || !(slope < 0)) return false;
    double below = 0;
    double above = std::numeric_limits<double>::infinity();
    bool found = false;
    double length = pairs_.empty() ? std::min(1.0, settings_.first_step / along.norm()) : 1.0;
    for (int tries = 0; tries < most_evaluations; ++tries) {
      Vector x = here.x + length * along;
      for (Index k = 0; k < x.size() && !smooth; ++k) {
        if (penalty_[k] > 0 && x[k] * orthant[k] <= 0) x[k] = 0;
      }
      OwlqnPoint trial = evaluate(x);
      const bool descends = trial.finite() && trial.value <= here.value + decrease * pseudo.dot(trial.x - here.x);
      const bool flattens = descends && (!smooth || trial.gradient.dot(along) >= curvature * slope);
      if (descends && trial.value < (found ? next.value : here.value)) {
        next = std::move(trial);
        found = true;
      }
      if (flattens || (found && !descends && !smooth)) break;
      (descends ? below : above) = length;
      length = std::isfinite(above) ? 0.5 * (below + above) : 2 * length;
      if (length <= below || length >= above) break;
    }
    return found;
  }

  const Objective& objective_;
  const Vector& penalty_;
  const LbfgsSettings& settings_;
  const std::function<void()>& poll_;
  std::deque<Pair> pairs_;
  double size_ = 1;
  Index evaluations_ = 0;
};

}  // namespace

LbfgsResult minimize_l1(const Objective& objective, const Vector& start, const Vector& penalty,
                        const LbfgsSettings& settings, const std::function<void()>& poll) {
  require(penalty.size() == start.size(), "minimize_l1: penalty has length ", penalty.size(), ", expected ",
          start.size());
  for (Index k = 0; k < penalty.size(); ++k) {
    require(penalty[k] >= 0 && std::isfinite(penalty[k]), "minimize_l1: penalty[", k, "] = ", penalty[k],
            ", expected a finite number >= 0");
  }
  require(settings.history >= 1, "minimize_l1: history = ", settings.history, ", expected >= 1");
  return OwlqnMinimizer(objective, penalty, settings, poll).run(start);
}

}  // namespace condens
