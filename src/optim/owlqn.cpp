#include "owlqn.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <utility>

#include "quasi_newton.hpp"

namespace condens {

namespace {

/// One step and what it taught about the curvature of the smooth part.
struct Pair {
  Vector moved;
  Vector change;
  double inverse;  // 1 / moved'change
};

/// Of every step the orthant where it began; without penalties, everywhere.
class Orthants {
 public:
  static constexpr std::string_view name = "minimize_l1";

  Orthants(const Vector& penalty, Index history)
      : penalty_(penalty), smooth_((penalty.array() == 0).all()), history_(history) {}

  double penalty(const Vector& x) const { return penalty_.dot(x.cwiseAbs()); }
  bool smooth() const { return smooth_; }
  bool remembers() const { return !pairs_.empty(); }
  void forget() { pairs_.clear(); }
  double longest(const Vector&, const Vector&) const { return std::numeric_limits<double>::infinity(); }

  void learn(const Vector& moved, const Vector& change) {
    const double curvature = moved.dot(change);
    if (std::ssize(pairs_) == history_) pairs_.pop_front();
    pairs_.push_back({moved, change, 1.0 / curvature});
  }

  /// What leaves the orthant of the step becomes zero.
  Vector admitted(Vector x) const {
    for (Index k = 0; k < orthant_.size(); ++k) {
      if (penalty_[k] > 0 && x[k] * orthant_[k] <= 0) x[k] = 0;
    }
    return x;
  }

  /// Andrew and Gao (2007), eq. 4: the one-sided derivative of least size.
  Vector slope(const SearchPoint& at) const {
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

  double residual(const SearchPoint& at, double size) const {
    return at.x.size() > 0 ? slope(at).cwiseAbs().maxCoeff() / size : 0.0;
  }

  /// Begins a step: its orthant is that of `here`, or where that has a zero the one into which the slope descends.
  Vector direction(const SearchPoint& here, const Vector& slope) {
    Vector out = minus_inverse_times(slope);
    if (smooth_) return out;
    orthant_ = here.x;
    for (Index k = 0; k < out.size(); ++k) {
      if (penalty_[k] == 0) continue;
      if (out[k] * slope[k] >= 0) out[k] = 0;
      if (orthant_[k] == 0) orthant_[k] = -slope[k];
    }
    return out;
  }

 private:
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

  const Vector& penalty_;
  bool smooth_;
  Index history_;
  std::deque<Pair> pairs_;
  Vector orthant_;  // its signs
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
  return QuasiNewton(objective, Orthants(penalty, settings.history), settings, poll).run(start);
}

}  // namespace condens
