// All maxima and minima of a univariate mixture density, and the modes.
//
// Interval search: on [c - h, c + h], with M3 >= |p'''| there,
//   |p'(c)| > h |p''(c)| + h^2 M3 / 2   =>  p' has no root,
//   |p''(c)| > h M3                     =>  p' is monotone: at most one root, seen at the ends,
//   one component outweighs all those that pull the other way, everywhere  =>  p' has no root
// (the third decides far out, where p changes by many orders of magnitude over any interval);
// otherwise the interval is cut in two (Taylor forms of interval arithmetic, Moore 1966;
// safeguarded Newton inside). So no stationary point is missed by chance; what may be
// missed is a pair closer than 1e-9 of the least scale. All maxima and minima lie between
// the least and the largest centre. Intervals whose upper bound of p is below a density that
// matters are dropped (branch and bound). With the intervals the components become fewer, to those near by
// (Curve::around): the cost is that of some for each stationary point, not of all.
//
// Everything is relative to exp(top), the largest term: nothing underflows between distant components. Places are
// counted in a unit, a power of two, so that third derivatives are numbers whatever the scales, and change no bit.

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <utility>

#include "bracketed_root.hpp"
#include "condens/core/cancellation.hpp"
#include "linalg/lanes.hpp"
#include "linalg/vector_math.hpp"
#include "mixture_view.hpp"

namespace condens::detail {
namespace {

// Beyond this many scales from every centre the third rule is worth its price.
constexpr double far_out = 4.0;
// The squares of deviations beyond it, in scales, are no numbers.
constexpr double farthest = 1e153;
// Of fewer components none is left out.
constexpr Index few_components = 16;
// Others are left out of an interval where all that they add to derivatives is by this exponent below what is there.
constexpr double beyond_rounding = 50.0;
// Log densities below it are of places where rounding hides which component pulls harder.
constexpr double nowhere = -1e25;

/// exp(-top) times p, p' and p'' at a point, up to a common factor.
struct Derivatives {
  double top;
  double p;
  double first;
  double second;
};

/// What is known on an interval; derivatives at its centre, times exp(-top).
struct Bounds {
  double first;
  double second;
  double third;        // upper bound of |p'''| times the half width
  double first_noise;  // rounding errors of the first two
  double second_noise;
  double log_density;  // upper bound of log p, up to log sqrt(2 pi)
  double distance;     // from the interval to the nearest centre, in scales of that component
};

class Curve {
 public:
  explicit Curve(const MixtureView& p);

  double unit() const { return unit_; }  ///< of all places
  double least_centre() const { return mean_.minCoeff(); }
  double largest_centre() const { return mean_.maxCoeff(); }
  double least_scale() const { return 1.0 / inverse_.maxCoeff(); }
  Index size() const { return mean_.size(); }
  double centre(Index l) const { return mean_[l]; }

  Derivatives at(double y);
  Bounds over(double centre, double half_width);
  bool is_one_sided(double a, double b);
  /// Of the components that matter on an interval; nothing where these are more than half.
  std::shared_ptr<Curve> around(double centre, double half_width);
  double log_density(double y) {
    const Derivatives f = at(y);
    return f.top + std::log(f.p);
  }

 private:
  Curve() = default;
  double z(double y, Index l) const { return std::clamp((y - mean_[l]) * inverse_[l], -farthest, farthest); }

  double unit_ = 1.0;  // between the least and the largest scale
  Vector mean_;
  Vector inverse_;        // 1 / s
  Vector log_factor_;     // log w - log s
  Vector log_steepness_;  // 3 log of the largest scale over s
  Vector term_;           // work space
};

Curve::Curve(const MixtureView& p) : mean_(p.m), inverse_(p.m), log_factor_(p.m) {
  const Eigen::Map<const Vector> scales(p.scales, p.m);
  unit_ = std::ldexp(1.0, (std::ilogb(scales.minCoeff()) + std::ilogb(scales.maxCoeff())) / 2);
  Index kept = 0;
  for (Index l = 0; l < p.m; ++l) {
    if (std::isinf(p.log_weights[l])) continue;
    mean_[kept] = p.mean(l) / unit_;
    inverse_[kept] = unit_ / p.scale(l);
    log_factor_[kept] = p.log_weights[l] - std::log(p.scale(l));
    ++kept;
  }
  mean_.conservativeResize(kept);
  inverse_.conservativeResize(kept);
  log_factor_.conservativeResize(kept);
  log_steepness_ = 3.0 * (inverse_.array() / inverse_.minCoeff()).log();
  term_.resize(2 * kept);
}

Derivatives Curve::at(double y) {
  const Index m = size();
  for (Index l = 0; l < m; ++l) {
    const double own = z(y, l);
    term_[l] = multiply_add(-0.5 * own, own, log_factor_[l]);
  }
  Derivatives out{maximum(term_.data(), m), 0.0, 0.0, 0.0};
  for (Index l = 0; l < m; ++l) term_[l] -= out.top;
  exp_in_place(term_.data(), m);
  out.p = sum(term_.data(), m);
  out.first = -sum_of(m, [&](Index l) { return term_[l] * z(y, l) * inverse_[l]; });
  out.second = sum_of(m, [&](Index l) { return term_[l] * (z(y, l) * z(y, l) - 1.0) * inverse_[l] * inverse_[l]; });
  return out;
}

Bounds Curve::over(double centre, double half_width) {
  const Index m = size();
  double* at_centre = term_.data();
  double* at_nearest = term_.data() + m;
  // The distance comes before the scale, so that it is zero, to the last bit, of a centre within.
  const auto near = [&](Index l) {
    return std::min(std::max(std::abs(centre - mean_[l]) - half_width, 0.0) * inverse_[l], farthest);
  };
  for (Index l = 0; l < m; ++l) {
    const double own = z(centre, l);
    at_centre[l] = multiply_add(-0.5 * own, own, log_factor_[l]);
    at_nearest[l] = multiply_add(-0.5 * near(l), near(l), log_factor_[l]);
  }
  const double top = maximum(at_nearest, m);
  for (Index l = 0; l < 2 * m; ++l) term_[l] -= top;
  exp_in_place(term_.data(), 2 * m);
  const auto size_of = [&](Index l) { return std::abs(z(centre, l)); };
  const auto first = [&](Index l) { return at_centre[l] * inverse_[l]; };
  const auto second = [&](Index l) { return first(l) * inverse_[l]; };
  const auto square = [&](Index l) { return size_of(l) * size_of(l); };
  // |z^3 - 3 z| exp(-z^2/2) falls beyond z = 2.3344; before that it is below 1.3804, and
  // exp(-near^2/2) above 1/15.26.
  const auto cubic = [&](Index l) {
    const double least = near(l);
    const double far = size_of(l) + half_width * inverse_[l];
    return least > 2.335 ? least * (least * least - 3.0) : std::min(far * (far * far + 3.0), 21.1);
  };
  Bounds out{};
  out.first = -sum_of(m, [&](Index l) { return first(l) * z(centre, l); });
  out.second = sum_of(m, [&](Index l) { return second(l) * (square(l) - 1.0); });
  out.first_noise = sum_of(m, [&](Index l) { return first(l) * (size_of(l) + 1.0); });
  out.second_noise = sum_of(m, [&](Index l) { return second(l) * (square(l) + 1.0); });
  out.third = sum_of(m, [&](Index l) {
    // Scales may differ so much that the third power of 1/s is no number; times the half width it is one near its
    // centre.
    return at_nearest[l] > 0.0 ? at_nearest[l] * cubic(l) * (half_width * inverse_[l]) * inverse_[l] * inverse_[l]
                               : 0.0;
  });
  const double density = sum(at_nearest, m);
  out.log_density = top + std::log(density);
  for (Index l = 0; l < m; ++l) at_nearest[l] = -near(l);
  out.distance = -maximum(at_nearest, m);
  return out;
}

// On the interval p is everywhere at least exp(L), L the largest of the components' least terms. A component is left
// out whose term, times the derivatives' factors up to the third, (|z| + 1)^3 < exp(3 |z|) and those of its scale, is
// nowhere above exp(L - 50): a million of them are below the rounding that `search` allows for.
std::shared_ptr<Curve> Curve::around(double centre, double half_width) {
  const Index m = size();
  if (m <= few_components) return nullptr;
  double* most = term_.data();
  double* least = term_.data() + m;
  for (Index l = 0; l < m; ++l) {
    const double distance = std::abs(centre - mean_[l]);
    const double near = std::min(std::max(distance - half_width, 0.0) * inverse_[l], farthest);
    const double far = std::min((distance + half_width) * inverse_[l], farthest);
    most[l] = multiply_add(-0.5 * near, near, multiply_add(3.0, far, log_factor_[l] + log_steepness_[l]));
    least[l] = multiply_add(-0.5 * far, far, log_factor_[l]);
  }
  const double limit = maximum(least, m) - beyond_rounding;
  std::vector<Index> kept;
  for (Index l = 0; l < m; ++l) {
    if (!(most[l] < limit)) kept.push_back(l);
  }
  if (2 * std::ssize(kept) > m) return nullptr;
  auto out = std::shared_ptr<Curve>(new Curve());
  out->unit_ = unit_;
  out->mean_ = mean_(kept);
  out->inverse_ = inverse_(kept);
  out->log_factor_ = log_factor_(kept);
  out->log_steepness_ = log_steepness_(kept);
  out->term_.resize(2 * std::ssize(kept));
  return out;
}

// Whether p' keeps its sign on [a, b] because of one component d: with its centre outside and
//   sum over the l that pull against it of  max_y |p_l'(y) / p_d'(y)| < 1.
// The ratio of the exponentials is exp of a parabola in y: greatest at a, at b or at its top.
bool Curve::is_one_sided(double a, double b) {
  const Index m = size();
  const double c = 0.5 * a + 0.5 * b;
  const auto half_square = [&](Index l, double y) {
    const double own = z(y, l);
    return 0.5 * own * own;
  };
  // In logarithms: a pull may be beyond all numbers where the density is zero.
  const auto log_pull = [&](double distance, Index l) { return std::log(distance) + 2.0 * std::log(inverse_[l]); };
  Index d = -1;
  double strongest = -std::numeric_limits<double>::infinity();
  for (Index l = 0; l < m; ++l) {
    if (mean_[l] >= a && mean_[l] <= b) continue;
    const double pull = log_factor_[l] - half_square(l, c) + log_pull(std::abs(c - mean_[l]), l);
    if (pull > strongest) {
      strongest = pull;
      d = l;
    }
  }
  if (d < 0) return false;
  const bool upward = mean_[d] > b;
  const double precision_d = inverse_[d] * inverse_[d];
  const double log_pull_d = log_pull(std::min(std::abs(a - mean_[d]), std::abs(b - mean_[d])), d);
  for (Index l = 0; l < m; ++l) {
    if (upward ? mean_[l] >= b : mean_[l] <= a) {
      term_[l] = 0.0;
      continue;
    }
    const double precision = inverse_[l] * inverse_[l];
    const double top = (mean_[d] * precision_d - mean_[l] * precision) / (precision_d - precision);
    double exponent = -std::numeric_limits<double>::infinity();
    for (const double y : {a, b, top > a && top < b ? top : c}) {
      const double own = half_square(l, y);
      const double other = half_square(d, y);
      exponent = std::max(exponent, other - own + 1e-14 * (own + other));  // with its rounding
    }
    const double own_pull = log_pull(std::max(std::abs(a - mean_[l]), std::abs(b - mean_[l])), l);
    term_[l] = std::exp(own_pull - log_pull_d + log_factor_[l] - log_factor_[d] + exponent);
  }
  return sum(term_.data(), m) < 1.0 - 1e-12;
}

// The root of p' in [a, b], where it changes its sign as `maximum` says.
double solve(Curve& curve, double a, double b, bool maximum) {
  const double side = maximum ? -1.0 : 1.0;
  const auto slope = [&](double y) {
    const Derivatives f = curve.at(y);
    return std::pair{side * f.first, side * f.second};
  };
  return bracketed_root(slope, a, b, 0.5 * a + 0.5 * b);
}

// An interval with at most one root of p': adds it.
void add_root(Curve& curve, double a, double b, double second, std::vector<StationaryPoint>& found) {
  const double left = curve.at(a).first;
  const double right = curve.at(b).first;
  if (left == 0.0 && right == 0.0) {
    found.push_back({0.5 * a + 0.5 * b, second < 0.0});
  } else if (left >= 0.0 && right <= 0.0) {
    found.push_back({left == 0.0 ? a : right == 0.0 ? b : solve(curve, a, b, true), true});
  } else if (left <= 0.0 && right >= 0.0) {
    found.push_back({left == 0.0 ? a : right == 0.0 ? b : solve(curve, a, b, false), false});
  }
}

/// Every stationary point in [first, last] whose density may exceed exp(floor); a minimum stands for what is between.
std::vector<StationaryPoint> search(Curve& whole, double first, double last, double floor) {
  std::vector<StationaryPoint> found;
  bool below = false;  // the last one found is such a minimum
  const double least_width = 1e-9 * whole.least_scale();
  struct Piece {
    double a;
    double b;
    std::shared_ptr<Curve> part;  // of the components that matter here; null: the whole
  };
  std::vector<Piece> open{{first, last, nullptr}};
  while (!open.empty()) {
    check_cancelled();
    auto [a, b, part] = std::move(open.back());
    open.pop_back();
    const double c = 0.5 * a + 0.5 * b;
    const double h = std::max(c - a, b - c);
    if (auto fewer = (part ? *part : whole).around(c, h)) part = std::move(fewer);
    Curve& curve = part ? *part : whole;
    const Bounds f = curve.over(c, h);
    if (f.log_density < std::max(floor, nowhere)) {
      if (!below) found.push_back({c, false});
      below = true;
      continue;
    }
    const double rest = h * (std::abs(f.second) + 0.5 * f.third);
    if (std::abs(f.first) > rest * (1.0 + 1e-9) + 1e-14 * f.first_noise) continue;
    const bool monotone = std::abs(f.second) > f.third + 1e-14 * f.second_noise;
    if (monotone || h < least_width || c <= a || c >= b) {
      const std::size_t before = found.size();
      add_root(curve, a, b, f.second, found);
      below = below && found.size() == before;
    } else if (f.distance < far_out || !curve.is_one_sided(a, b)) {
      open.push_back({c, b, part});
      open.push_back({a, c, part});
    }
  }
  return found;
}

/// All between the least and the largest centre.
std::vector<StationaryPoint> search(Curve& curve, double floor) {
  const double first = curve.least_centre();
  const double last = curve.largest_centre();
  if (first == last) return {{first, true}};
  return search(curve, first, last, floor);
}

// Rounding may show one root in two neighbouring intervals: of equal kinds in a row the more extreme stays.
std::vector<StationaryPoint> alternate(Curve& curve, const std::vector<StationaryPoint>& found) {
  std::vector<StationaryPoint> out;
  for (const StationaryPoint& point : found) {
    if (out.empty() || out.back().is_maximum != point.is_maximum) {
      if (out.empty() && !point.is_maximum) continue;
      out.push_back(point);
    } else {
      const bool higher = curve.log_density(point.y) > curve.log_density(out.back().y);
      if (higher == point.is_maximum) out.back() = point;
    }
  }
  if (out.size() > 1 && !out.back().is_maximum) out.pop_back();
  return out;
}

std::vector<StationaryPoint> on_the_scale_of_y(const Curve& curve, std::vector<StationaryPoint> points) {
  for (StationaryPoint& point : points) point.y *= curve.unit();
  return points;
}

Vector univariate_mode(const MixtureView& p) {
  Curve curve(p);
  double best = -std::numeric_limits<double>::infinity();
  double place = 0.0;
  const auto offer = [&](double y) {
    const double value = curve.log_density(y);
    if (value > best) {
      best = value;
      place = y;
    }
  };
  for (Index l = 0; l < curve.size(); ++l) offer(curve.centre(l));
  const double floor = best - 1e-12 * (1.0 + std::abs(best));
  best = -std::numeric_limits<double>::infinity();  // a centre is a bound, not a candidate
  for (const StationaryPoint& point : search(curve, floor)) {
    if (point.is_maximum) offer(point.y);
  }
  return Vector::Constant(1, place * curve.unit());
}

}  // namespace

std::vector<StationaryPoint> stationary_points(const MixtureView& p, double floor) {
  Curve curve(p);
  return on_the_scale_of_y(curve, alternate(curve, search(curve, floor + kLogSqrt2Pi)));
}

std::vector<StationaryPoint> stationary_points_between(const MixtureView& p, double low, double high) {
  Curve curve(p);
  const double unit = curve.unit();
  return on_the_scale_of_y(curve, search(curve, low / unit, high / unit, -std::numeric_limits<double>::infinity()));
}

Matrix modes(const MixtureView& p) {
  std::vector<Vector> places;
  if (p.d == 1) {
    for (const StationaryPoint& point : stationary_points(p, -std::numeric_limits<double>::infinity())) {
      if (point.is_maximum) places.emplace_back(Vector::Constant(1, point.y));
    }
  } else {
    places = ascend_from_components(p);
  }
  const Index n = static_cast<Index>(places.size());
  const DensityTable table(p);
  Vector work(p.m);
  std::vector<double> heights;
  for (const Vector& place : places) heights.push_back(table.log_pdf(p.log_weights, place.data(), work.data()));
  std::vector<std::size_t> order(places.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) { return heights[i] > heights[j]; });
  Matrix out(p.d, n);
  for (Index k = 0; k < n; ++k) out.col(k) = places[order[static_cast<std::size_t>(k)]];
  return out;
}

Vector mode(const MixtureView& p) { return p.d == 1 ? univariate_mode(p) : Vector(modes(p).col(0)); }

}  // namespace condens::detail
