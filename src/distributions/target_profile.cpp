// The density of y(X) by x: log p_X(x) + log x'(y(x)). Its maxima are sought among quantiles and the modes of X, and
// refined by golden sections; a maximum is missed only where it rises and falls between neighbours.

#include <algorithm>
#include <boost/math/tools/toms748_solve.hpp>
#include <cmath>
#include <utility>

#include "bracketed_root.hpp"
#include "target_law.hpp"
#include "target_map.hpp"

namespace condens::detail {

namespace {

constexpr Index n_levels = 161;
constexpr double last_level = 8.0;  // normal score

/// The highest (side 1) or lowest (-1) point between two, of a function with one such point there.
template <class F>
double extreme(const F& f, double low, double high, double side) {
  constexpr double golden = 0.61803398874989485;
  double a = high - golden * (high - low);
  double b = low + golden * (high - low);
  double at_a = side * f(a);
  double at_b = side * f(b);
  while (high - low > 1e-9 * (std::abs(low) + std::abs(high)) && a < b) {
    if (at_a >= at_b) {
      high = b;
      b = a;
      at_b = at_a;
      a = high - golden * (high - low);
      at_a = side * f(a);
    } else {
      low = a;
      a = b;
      at_a = at_b;
      b = low + golden * (high - low);
      at_b = side * f(b);
    }
  }
  return at_a >= at_b ? a : b;
}

/// Where a function changes its sign between two points.
template <class F>
double sign_change(const F& f, double low, double high, double at_low, double at_high) {
  if (at_low == 0.0) return low;
  if (at_high == 0.0) return high;
  constexpr std::uintmax_t most_steps = 200;
  std::uintmax_t steps = most_steps;
  const auto ends = boost::math::tools::toms748_solve(f, low, high, at_low, at_high,
                                                      boost::math::tools::eps_tolerance<double>(50), steps);
  if (steps < most_steps) return 0.5 * (ends.first + ends.second);
  // A root many magnitudes below the points takes more halvings than that.
  const double side = at_low < 0.0 ? 1.0 : -1.0;
  const auto by_sign = [&](double x) { return std::pair{side * f(x), 0.0}; };
  return bracketed_root(by_sign, ends.first, ends.second, 0.5 * ends.first + 0.5 * ends.second);
}

// Log densities below are at it, so that products of their differences and of places are numbers.
constexpr double least_height = -1e150;

}  // namespace

TargetProfile::TargetProfile(const MixtureView& p, const TargetMap& map) : p_(p), map_(map) {
  std::vector<double> grid;
  Vector levels(n_levels / 2 + 1);
  for (Index k = 0; k < levels.size(); ++k) {
    const double t = last_level * (1.0 - static_cast<double>(2 * k) / (n_levels - 1));
    levels[k] = 0.5 * std::erfc(t * kSqrtHalf);
  }
  for (const double level : levels) {
    grid.push_back(detail::quantile(p, level));
    grid.push_back(detail::upper_quantile(p, level));
  }
  for (const StationaryPoint& point : stationary_points(p, -infinity)) grid.push_back(point.y);
  std::sort(grid.begin(), grid.end());
  grid.insert(grid.begin(), std::nextafter(grid.front(), -infinity));  // all may be in one place
  grid.push_back(std::nextafter(grid.back(), infinity));
  grid.erase(std::unique(grid.begin(), grid.end()), grid.end());
  std::vector<double> heights;
  for (const double x : grid) heights.push_back(log_density(x));

  const auto height = [this](double x) { return log_density(x); };
  nodes_.push_back(grid.front());
  for (std::size_t i = 1; i + 1 < grid.size(); ++i) {
    const bool top = heights[i] > heights[i - 1] && heights[i] >= heights[i + 1];
    const bool bottom = heights[i] < heights[i - 1] && heights[i] <= heights[i + 1];
    if (!top && !bottom) continue;
    const double side = top ? 1.0 : -1.0;
    const double found = extreme(height, grid[i - 1], grid[i + 1], side);
    // A peak narrower than the rounding of its place is the one point alone.
    nodes_.push_back(side * height(found) >= side * heights[i] ? found : grid[i]);
  }
  nodes_.push_back(grid.back());
  std::sort(nodes_.begin(), nodes_.end());  // of flat pieces, refined neighbours may change places
  nodes_.erase(std::unique(nodes_.begin(), nodes_.end()), nodes_.end());
  for (const double x : nodes_) heights_.push_back(log_density(x));
}

double TargetProfile::log_density(double x) const {
  return std::max(least_height, detail::log_pdf(p_, &x) + log_slope_at(map_, x));
}

double TargetProfile::mode() const {
  const auto best = std::max_element(heights_.begin(), heights_.end());
  return nodes_[static_cast<std::size_t>(best - heights_.begin())];
}

double TargetProfile::cut(double low, double high, double u) const {
  const auto excess = [&](double x) { return log_density(x) - u; };
  return sign_change(excess, low, high, excess(low), excess(high));
}

std::vector<Interval> TargetProfile::above(double u) const {
  std::vector<Interval> out;
  bool inside = heights_.front() > u;
  if (inside) out.push_back({-infinity, 0.0});
  for (std::size_t i = 1; i < nodes_.size(); ++i) {
    const bool here = heights_[i] > u;
    if (here == inside) continue;
    const double place = cut(nodes_[i - 1], nodes_[i], u);
    if (here)
      out.push_back({place, 0.0});
    else
      out.back().upper = place;
    inside = here;
  }
  if (inside) out.back().upper = infinity;
  return out;
}

double TargetProfile::mass_above(double u) const {
  double out = 0.0;
  for (const Interval& piece : above(u)) out += probability(p_, piece.lower, piece.upper);
  return std::min(1.0, out);
}

std::vector<Interval> TargetProfile::of_mass(double mass) const {
  double top = *std::max_element(heights_.begin(), heights_.end());
  // Where the density is so far below its top there is no mass, however wide that is.
  double low = std::max(*std::min_element(heights_.begin(), heights_.end()) - 1.0, top - 1e4);
  const auto excess = [&](double u) { return mass_above(u) - mass; };
  const double at_low = excess(low);
  if (at_low <= 0.0) return above(low);
  const std::vector<Interval> out = above(sign_change(excess, low, top, at_low, -mass));
  return out.empty() ? above(low) : out;
}

}  // namespace condens::detail
