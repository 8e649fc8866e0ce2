// Highest-density region {y: p(y) > t} of probability `mass` (Hyndman 1996). Between
// neighbouring stationary points p is monotone, so every level cuts a piece at most once;
// the cuts y_i and the probability between them follow, and with u = log t
//   d mass / du = -sum_i t^2 / |p'(y_i)|
// drives a safeguarded Newton iteration for u. Bracket: at most t (B - A) probability lies
// where p < t inside [A, B], and (1 - mass) / 2 outside of it when A, B cut off a quarter
// of 1 - mass each; hence t >= (1 - mass) / 2 / (B - A).

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "bracketed_root.hpp"
#include "density_cells.hpp"
#include "linalg/lanes.hpp"
#include "linalg/vector_math.hpp"
#include "mixture_subset.hpp"

namespace condens::detail {
namespace {

/// Where the log density exceeds any level that is not below `floor`.
class Profile {
 public:
  Profile(const MixtureView& p, double floor)
      : some_(p, seen_above(p, floor)), p_(some_.view()), table_(p_), work_(p_.m), precisions_(p_.m) {
    for (Index l = 0; l < p_.m; ++l) {
      precisions_[l] = 1.0 / (p_.scale(l) * p_.scale(l));
      reach_ = std::max(reach_, p_.scale(l));
    }
  }

  /// For all levels that are not below the floor.
  void search(double floor) {
    for (const StationaryPoint& point : stationary_points(p_, floor - 1e-9 * (1.0 + std::abs(floor)))) {
      nodes_.push_back({point.y, at(point.y).log_density});
    }
    if (nodes_.empty()) nodes_.push_back(highest_mean());  // of a peak below the rounding of its place
    settle();
  }
  /// For the level of these nodes.
  void take(std::vector<DensityCells::Node> nodes) {
    nodes_ = std::move(nodes);
    settle();
  }
  const MixtureView& components() const { return p_; }

  double top() const { return top_; }

  std::vector<Interval> above(double u) {
    std::vector<Interval> out;
    bool inside = false;
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      const bool here = nodes_[i].log_density > u;
      if (here && !inside) {
        out.push_back({i == 0 ? outer_cut(-1.0, u, cuts_[0]) : cut(nodes_[i - 1].y, nodes_[i].y, u, cuts_[i]), 0.0});
      }
      if (!here && inside) out.back().upper = cut(nodes_[i].y, nodes_[i - 1].y, u, cuts_[i]);
      inside = here;
    }
    if (inside) out.back().upper = outer_cut(1.0, u, cuts_.back());
    return out;
  }

  struct Point {
    double log_density;
    double slope;  ///< derivative of log p
  };

  Point at(double y) const {
    const double value = table_.log_pdf(p_.log_weights, &y, work_.data());
    // work_ now holds the components' shares of p, up to a common factor.
    const double slope = sum_of(p_.m, [&](Index l) { return work_[l] * (p_.means[l] - y) * precisions_[l]; });
    return {value, slope / sum(work_.data(), p_.m)};
  }

 private:
  DensityCells::Node highest_mean() const {
    DensityCells::Node out{p_.means[0], at(p_.means[0]).log_density};
    for (Index l = 1; l < p_.m; ++l) {
      const double log_density = at(p_.means[l]).log_density;
      if (log_density > out.log_density) out = {p_.means[l], log_density};
    }
    return out;
  }

  void settle() {
    cuts_.assign(nodes_.size() + 1, std::numeric_limits<double>::quiet_NaN());
    for (const DensityCells::Node& node : nodes_) top_ = std::max(top_, node.log_density);
  }

  /// Where log p = u between `low` (below u) and `high` (above), from where the cut before was.
  double cut(double low, double high, double u, double& place) const {
    const auto excess = [&](double y) {
      const Point point = at(y);
      return std::pair{point.log_density - u, point.slope};
    };
    const bool between = place > std::min(low, high) && place < std::max(low, high);
    const double noise = std::numeric_limits<double>::epsilon() * (8.0 + 2.0 * std::abs(u));
    place = bracketed_root(excess, low, high, between ? place : 0.5 * low + 0.5 * high, noise);
    return place;
  }

  /// The outermost cut on the left (-1) or right (+1).
  double outer_cut(double side, double u, double& place) const {
    const double inner = side < 0.0 ? nodes_.front().y : nodes_.back().y;
    double width = reach_;
    while (at(inner + side * width).log_density > u) width *= 2.0;
    return cut(inner + side * width, inner, u, place);
  }

  MixtureSubset some_;
  const MixtureView& p_;
  DensityTable table_;
  mutable Vector work_;
  Vector precisions_;
  std::vector<DensityCells::Node> nodes_;  // between neighbours a level is met at most once
  std::vector<double> cuts_;               // the last ones, before, between and after the nodes
  double top_ = -std::numeric_limits<double>::infinity();
  double reach_ = 0.0;
};

// Probability of the intervals minus `mass`; by what they leave out when mass > 1/2.
double excess_mass(const MixtureView& p, const std::vector<Interval>& region, double mass) {
  if (mass <= 0.5) {
    double inside = 0.0;
    for (const Interval& piece : region) inside += probability(p, piece.lower, piece.upper);
    return inside - mass;
  }
  if (region.empty()) return -mass;
  double outside = cdf(p, region.front().lower) + sf(p, region.back().upper);
  for (std::size_t i = 1; i < region.size(); ++i) outside += probability(p, region[i - 1].upper, region[i].lower);
  return (1.0 - mass) - outside;
}

}  // namespace

std::vector<Interval> highest_density_region(const MixtureView& p, double mass) {
  const double rest = 0.25 * (1.0 - mass);
  const Interval most = quantile_pair(p, rest);
  // Ends are known to their rounding, which is all of the length where the scales are below it.
  const double rounding = std::numeric_limits<double>::epsilon() * std::max(std::abs(most.lower), std::abs(most.upper));
  const double low = std::log(2.0 * rest / (most.upper - most.lower + rounding));
  Profile profile(p, low);
  profile.search(low);
  const auto deficit = [&](double u) {
    const std::vector<Interval> region = profile.above(u);
    double derivative = 0.0;  // t^2 / |p'| = t / |(log p)'|
    for (const Interval& piece : region) {
      derivative +=
          std::exp(u) * (1.0 / std::abs(profile.at(piece.lower).slope) + 1.0 / std::abs(profile.at(piece.upper).slope));
    }
    return std::pair{-excess_mass(p, region, mass), derivative};
  };
  const double noise = 8.0 * std::numeric_limits<double>::epsilon();
  const double level = bracketed_root(deficit, low, profile.top(), 0.5 * low + 0.5 * profile.top(), noise);
  std::vector<Interval> region = profile.above(level);
  // A peak below the rounding of its place has more than `mass` at any level below its top: it is the place.
  if (region.empty()) region = profile.above(std::nextafter(profile.top(), -std::numeric_limits<double>::infinity()));
  return region;
}

double highest_density_mass(const MixtureView& p, double y) {
  const double level = log_pdf(p, &y);
  Profile profile(p, level);
  profile.search(level);
  return std::max(0.0, excess_mass(p, profile.above(level), 0.0));
}

double highest_density_mass(const MixtureView& p, double y, const DensityCells& cells, const double* density,
                            const double* bend) {
  const double level = log_pdf(p, &y);
  if (level < DensityCells::least_log_level) return highest_density_mass(p, y);
  Profile profile(p, level);
  profile.take(cells.nodes(profile.components(), density, bend, level));
  return std::max(0.0, excess_mass(p, profile.above(level), 0.0));
}

}  // namespace condens::detail
