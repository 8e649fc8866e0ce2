#include "condens/optim/lbfgs.hpp"

#include <LBFGSpp/BFGSMat.h>
#include <LBFGSpp/Cauchy.h>
#include <LBFGSpp/SubspaceMin.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "quasi_newton.hpp"

namespace condens {

namespace {

/// lower <= x <= upper.
class Box {
 public:
  static constexpr std::string_view name = "minimize";

  Box(const Vector& lower, const Vector& upper, Index history) : lower_(lower), upper_(upper), history_(history) {
    forget();
  }

  Vector admitted(const Vector& x) const { return x.cwiseMax(lower_).cwiseMin(upper_); }
  double penalty(const Vector&) const { return 0; }
  const Vector& slope(const SearchPoint& at) const { return at.gradient; }
  bool smooth() const { return true; }
  bool remembers() const { return model_.num_corrections() > 0; }
  void forget() { model_.reset(static_cast<int>(lower_.size()), static_cast<int>(history_)); }
  void learn(const Vector& moved, const Vector& change) { model_.add_correction(moved, change); }

  /// The largest entry of the projected gradient.
  double residual(const SearchPoint& at, double size) const {
    const Vector moved = admitted(at.x - at.gradient / size) - at.x;
    return moved.size() > 0 ? moved.cwiseAbs().maxCoeff() : 0.0;
  }

  /// From the point of lowest model value along the projected gradient path (the Cauchy
  /// point) to the minimum of the model over the coordinates that are free there.
  Vector direction(const SearchPoint& here, const Vector& slope) const {
    Vector cauchy_point;
    Vector product;
    std::vector<int> newly_active;
    std::vector<int> free;
    LBFGSpp::Cauchy<double>::get_cauchy_point(model_, here.x, slope, lower_, upper_, cauchy_point, product,
                                              newly_active, free);
    Vector out = cauchy_point - here.x;
    if (remembers()) {
      constexpr int most_iterations = 10;
      LBFGSpp::SubspaceMin<double>::subspace_minimize(model_, here.x, cauchy_point, slope, lower_, upper_, product,
                                                      newly_active, free, most_iterations, out);
    }
    return out;
  }

  /// Between the bounds; at least 1: a step of the model's own may end on a bound up to a rounding.
  double longest(const Vector& x, const Vector& direction) const {
    double out = std::numeric_limits<double>::infinity();
    for (Index k = 0; k < x.size(); ++k) {
      if (direction[k] > 0) out = std::min(out, (upper_[k] - x[k]) / direction[k]);
      if (direction[k] < 0) out = std::min(out, (lower_[k] - x[k]) / direction[k]);
    }
    return std::max(1.0, out);
  }

 private:
  const Vector& lower_;
  const Vector& upper_;
  Index history_;
  LBFGSpp::BFGSMat<double, true> model_;
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
  return QuasiNewton(objective, Box(lower, upper, settings.history), settings, poll).run(start);
}

}  // namespace condens
