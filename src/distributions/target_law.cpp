#include "target_law.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "mixture_subset.hpp"
#include "quadrature.hpp"
#include "target_map.hpp"

namespace condens::detail {

namespace {

// So many values are summed over; beyond them their probabilities vary so little from one to the next that sums are
// integrals.
constexpr double most_cells = 1024;

// Whole numbers much beyond it have no interval of their own.
constexpr double farthest_place = 0x1p51;

// Probabilities that count in sums.
constexpr double least_tail = 1e-16;

// Scales that quadrature over x may not meet: beside the range of all of the distribution, and beside their place.
constexpr double narrow = 1e-3;
constexpr double rounded = 1e-8;
constexpr double longest_piece = 50.0;  // in scales: its 21 nodes are at most four apart

// Between these the density of a component is smooth enough.
constexpr std::array<double, 7> scores = {-8.5, -4.5, -2.0, 0.0, 2.0, 4.5, 8.5};

/// w d^2, of any d: where that is a number.
double weighted_square(double weight, double deviation) {
  const double root = std::sqrt(weight) * deviation;
  return root * root;
}

}  // namespace

TargetLaw::TargetLaw(const MixtureView& p, const TargetSupport& support, const double* shares)
    : p_(p), support_(support), shares_(shares) {}

double TargetLaw::atoms_up_to(double y) const {
  double out = 0.0;
  for (std::size_t k = 0; k < support_.atoms.size() && support_.atoms[k] <= y; ++k) out += atom_share(k);
  return out;
}

double TargetLaw::atoms_above(double y) const {
  double out = 0.0;
  for (std::size_t k = support_.atoms.size(); k-- > 0 && support_.atoms[k] > y;) out += atom_share(k);
  return out;
}

double TargetLaw::x_up_to(double y) const {
  if (support_.values.any_number()) return support_.map.forward(y);
  const double place = std::min(support_.values.place_at(y), support_.values.last_place());
  return place < 0.0 ? -infinity : support_.map.forward(support_.values.upper_end(place));
}

double TargetLaw::x_below(double y) const {
  if (support_.values.any_number()) return support_.map.forward(y);
  double place = support_.values.place_at(y);
  if (place < 0.0) return -infinity;
  if (support_.values.value(place) < y) place += 1.0;
  if (place > support_.values.last_place()) return infinity;
  const double end = support_.values.lower_end(place);
  return end == -infinity ? end : support_.map.forward(end);
}

/// Of the value to which X = x is rounded. Beside the end of an interval x decides, as it does of probabilities: y(x)
/// rounds.
double TargetLaw::place_of(double x) const {
  const TargetValues& values = support_.values;
  const double place = values.place_of_point(support_.map.inverse(x));
  if (place < values.last_place() && x > support_.map.forward(values.upper_end(place))) return place + 1.0;
  if (place > 0.0 && x <= support_.map.forward(values.lower_end(place))) return place - 1.0;
  return place;
}

double TargetLaw::value_of(double x) const {
  return support_.values.any_number() ? support_.map.inverse(x) : support_.values.value(place_of(x));
}

/// The distance between the quantiles of the level from both sides; of a distribution all of which is nearly in one
/// place so much that squares of deviations in it are numbers.
double TargetLaw::unit(double level) const {
  const auto between = [&](double own) {
    return support_.map.inverse(detail::upper_quantile(p_, own)) - support_.map.inverse(detail::quantile(p_, own));
  };
  return std::max(between(level), 1e-100 * between(1e-17));
}

double TargetLaw::cdf(double y) const { return std::min(1.0, rest() * detail::cdf(p_, x_up_to(y)) + atoms_up_to(y)); }

double TargetLaw::cdf_below(double y) const {
  return std::min(1.0, rest() * detail::cdf(p_, x_below(y)) + atoms_up_to(std::nextafter(y, -infinity)));
}

double TargetLaw::sf(double y) const { return std::min(1.0, rest() * detail::sf(p_, x_up_to(y)) + atoms_above(y)); }

double TargetLaw::mass_at(double y) const {
  const Index atom = support_.atom_at(y);
  const double of_atom = atom < 0 ? 0.0 : atom_share(static_cast<std::size_t>(atom));
  if (!support_.values.contain(y) || support_.values.any_number()) return of_atom;
  const double low = x_below(y);
  const double high = x_up_to(y);
  return of_atom + (low < high ? rest() * probability(p_, low, high) : 0.0);
}

double TargetLaw::log_pdf(double y) const {
  if (support_.atom_at(y) >= 0 || support_.is_discrete()) return std::log(mass_at(y));
  return log_height(y);
}

double TargetLaw::log_height(double y) const {
  if (!support_.is_discrete()) {
    const double x = support_.map.forward(y);
    if (!std::isfinite(x) || rest() <= 0.0) return -infinity;
    return std::log(rest()) + detail::log_pdf(p_, &x) + support_.map.log_slope(y);
  }
  const TargetValues& values = support_.values;
  const double place = values.place_of_point(y);
  const double value = values.value(place);
  // A first or last interval counts as reaching as far out as to its neighbour.
  const double below = place > 0.0 ? value - values.lower_end(place) : values.upper_end(place) - value;
  const double above = place < values.last_place() ? values.upper_end(place) - value : below;
  if (y < value - below || y > value + above) return -infinity;
  const double width = below + above;
  if (!(width > 0.0)) return -infinity;  // beyond 2^53 a whole number has no interval of its own, and no mass
  return std::log(mass_at(value) / width);
}

double TargetLaw::quantile(double level, double above) const {
  double below = 0.0;
  double beyond = atoms_above(-infinity);
  for (std::size_t k = 0; k < support_.atoms.size(); ++k) {
    const double atom = support_.atoms[k];
    const double until = rest() * detail::cdf(p_, x_below(atom)) + below;
    if (level <= until) break;
    beyond -= atom_share(k);
    if (level <= until + atom_share(k)) return atom;
    below += atom_share(k);
  }
  if (rest() <= 0.0) return support_.atoms.back();
  const double own = std::clamp((level - below) / rest(), 0.0, 1.0);
  const double own_above = std::clamp((above - std::max(0.0, beyond)) / rest(), 0.0, 1.0);
  return value_of(own <= 0.5 ? detail::quantile(p_, own) : detail::upper_quantile(p_, own_above));
}

TargetLaw::Head TargetLaw::head() const {
  const TargetValues& values = support_.values;
  const double first = place_of(detail::quantile(p_, least_tail));
  if (first > farthest_place) return {{}, -infinity, 1.0};
  const double likely = place_of(detail::upper_quantile(p_, least_tail));
  const double last = std::min(likely, first + most_cells);
  Head out{{}, infinity, 0.0};
  const auto count = static_cast<Index>(last - first) + 1;
  for (Index k = 0; k < count; ++k) {
    const double value = values.value(first + static_cast<double>(k));
    out.cells.push_back({value, probability(p_, x_below(value), x_up_to(value))});
  }
  if (last < likely) {
    out.end = x_up_to(out.cells.back().value);
    out.beyond = detail::sf(p_, out.end);
  }
  return out;
}

/// Points of x between which densities and distribution functions are smooth enough.
std::vector<double> TargetLaw::panels() const {
  const Vector levels{{1e-17, 1e-12, 1e-7, 1e-4, 0.003, 0.03, 0.1, 0.3, 0.5}};
  std::vector<double> out;
  for (const double level : levels) out.push_back(detail::quantile(p_, level));
  for (Index k = levels.size() - 1; k-- > 0;) out.push_back(detail::upper_quantile(p_, levels[k]));
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

/// E f(y(X)) 1{X > from}, f of the size of one. Over x, in pieces in which the narrowest component is met; of those
/// that are too narrow for that over their own z.
double TargetLaw::density_integral(const auto& f, double from) const {
  const std::vector<double> points = panels();
  const double range = points.back() - points.front();
  std::vector<Index> wide;
  double narrowest = infinity;
  double total = 0.0;
  for (Index l = 0; l < p_.m; ++l) {
    const double mean = p_.mean(l);
    const double scale = p_.scale(l);
    if (p_.weights[l] == 0.0) continue;
    if (scale >= std::max(narrow * range, rounded * std::abs(mean))) {
      wide.push_back(l);
      narrowest = std::min(narrowest, scale);
      continue;
    }
    const auto integrand = [&](double z) {
      return p_.weights[l] * std::exp(-0.5 * z * z - kLogSqrt2Pi) * f(support_.map.inverse(mean + scale * z));
    };
    for (std::size_t i = 1; i < scores.size(); ++i) {
      const double low = std::max((from - mean) / scale, scores[i - 1]);
      if (low < scores[i]) total += adaptive_integral(integrand, low, scores[i], 10);
    }
  }
  if (wide.empty()) return total;
  const MixtureSubset some(p_, std::move(wide));
  const DensityTable table(some.view());
  Vector work(some.view().m);
  const auto integrand = [&](double x) {
    const double log_density = table.log_pdf(some.view().log_weights, &x, work.data());
    return log_density < -745.0 ? 0.0 : std::exp(log_density) * f(support_.map.inverse(x));
  };
  for (std::size_t i = 1; i < points.size(); ++i) {
    double low = std::max(from, points[i - 1]);
    for (auto left = static_cast<Index>(std::ceil((points[i] - low) / (longest_piece * narrowest))); left > 0; --left) {
      const double high = left > 1 ? low + (points[i] - low) / static_cast<double>(left) : points[i];
      total += adaptive_integral(integrand, low, high, 40);
      low = high;
    }
  }
  return total;
}

/// E y(X) 1{X > from}
double TargetLaw::mean_beyond(double from) const {
  const double share = detail::sf(p_, from);
  if (support_.map.is_logarithm()) {
    // E e^(sX) 1{X > t} = sum_l w_l exp(s v_l + s_l^2 / 2) Phi((v_l + s s_l^2 - t) / s_l), s = 1 or -1
    const bool low = support_.map.lower > -infinity;
    const double sign = low ? 1.0 : -1.0;
    double total = 0.0;
    for (Index l = 0; l < p_.m; ++l) {
      if (p_.weights[l] == 0.0) continue;  // its mean may be beyond all numbers
      const double square = p_.scale(l) * p_.scale(l);
      const double z = (p_.mean(l) + sign * square - from) / p_.scale(l);
      total += p_.weights[l] * std::exp(sign * p_.mean(l) + 0.5 * square) * 0.5 * std::erfc(-z * kSqrtHalf);
    }
    return low ? support_.map.lower * share + total : support_.map.upper * share - total;
  }
  const double centre = support_.map.inverse(detail::quantile(p_, 0.5));
  const double width = unit(0.05);
  if (!(width > 0.0)) return centre * share;
  return centre * share + width * density_integral([&](double y) { return (y - centre) / width; }, from);
}

/// E (y(X) - around)^2 1{X > from}
double TargetLaw::square_beyond(double from, double around) const {
  if (!support_.map.is_logarithm()) {
    // `around` may be far from all of y(X), where there are atoms.
    const double centre = support_.map.inverse(detail::quantile(p_, 0.5));
    const double width = std::max(unit(0.05), std::abs(around - centre));
    if (!(width > 0.0)) return 0.0;
    return weighted_square(
        density_integral([&](double y) { return (y - around) / width * ((y - around) / width); }, from), width);
  }
  // Of each component, with c = around: E e^(2sX) - 2 c E e^(sX) + c^2; of all of them together (m - c)^2 + m^2
  // (exp(s_l^2) - 1), m = exp(s v_l + s_l^2 / 2), in which nothing cancels. In the unit of the largest root of these.
  const bool low = support_.map.lower > -infinity;
  const double sign = low ? 1.0 : -1.0;
  const double deviation = low ? around - support_.map.lower : support_.map.upper - around;
  double size = std::max(std::abs(deviation), std::numeric_limits<double>::min());
  for (Index l = 0; l < p_.m; ++l) {
    if (p_.weights[l] > 0.0) size = std::max(size, std::exp(sign * p_.mean(l) + p_.scale(l) * p_.scale(l)));
  }
  if (std::isinf(size)) return infinity;
  const double c = deviation / size;
  double total = 0.0;
  for (Index l = 0; l < p_.m; ++l) {
    if (p_.weights[l] == 0.0) continue;
    const double square = p_.scale(l) * p_.scale(l);
    const double m = std::exp(sign * p_.mean(l) + 0.5 * square) / size;
    const double root = std::exp(sign * p_.mean(l) + square) / size;
    if (from == -infinity) {
      // Of wide components expm1 may be beyond all numbers where m^2 is nearly zero.
      total += p_.weights[l] * ((m - c) * (m - c) + (square < 40.0 ? m * m * std::expm1(square) : root * root));
      continue;
    }
    const auto share = [&](double power) {
      return 0.5 * std::erfc(-(p_.mean(l) + power * sign * square - from) / p_.scale(l) * kSqrtHalf);
    };
    total += p_.weights[l] * (root * root * share(2.0) - 2.0 * c * m * share(1.0) + c * c * share(0.0));
  }
  return weighted_square(std::max(0.0, total), size);
}

double TargetLaw::rest_mean() const {
  if (!support_.is_discrete()) return support_.map.is_identity() ? detail::mean(p_)[0] : mean_beyond(-infinity);
  const Head own = head();
  double mass = own.beyond;
  double total = own.beyond > 0.0 ? mean_beyond(own.end) : 0.0;
  for (const Cell& cell : own.cells) {
    mass += cell.mass;
    total += cell.mass * cell.value;
  }
  return total / mass;
}

/// E (y(X) - around)^2
double TargetLaw::rest_variance(double around) const {
  if (!support_.is_discrete()) {
    if (!support_.map.is_identity()) return square_beyond(-infinity, around);
    const double mean = detail::mean(p_)[0];
    return detail::variance(p_)[0] + (mean - around) * (mean - around);
  }
  const Head own = head();
  double mass = own.beyond;
  double total = own.beyond > 0.0 ? square_beyond(own.end, around) : 0.0;
  for (const Cell& cell : own.cells) {
    mass += cell.mass;
    total += weighted_square(cell.mass, cell.value - around);
  }
  return total / mass;
}

double TargetLaw::mean() const {
  double out = rest() > 0.0 ? rest() * rest_mean() : 0.0;
  for (std::size_t k = 0; k < support_.atoms.size(); ++k) out += atom_share(k) * support_.atoms[k];
  return out;
}

double TargetLaw::variance() const {
  const double centre = mean();
  if (std::isinf(centre)) return infinity;
  double out = rest() > 0.0 ? rest() * rest_variance(centre) : 0.0;
  for (std::size_t k = 0; k < support_.atoms.size(); ++k) {
    out += weighted_square(atom_share(k), support_.atoms[k] - centre);
  }
  return out;
}

double TargetLaw::mode() const {
  if (support_.is_discrete()) {
    const Head own = head();
    if (own.beyond < 0.5) {
      return std::max_element(own.cells.begin(), own.cells.end(),
                              [](const Cell& a, const Cell& b) { return a.mass < b.mass; })
          ->value;
    }
    return value_of(TargetProfile(p_, support_.map).mode());
  }
  if (rest() <= 0.5) {
    std::size_t best = 0;
    for (std::size_t k = 1; k < support_.atoms.size(); ++k) {
      if (atom_share(k) > atom_share(best)) best = k;
    }
    if (!support_.atoms.empty()) return support_.atoms[best];
  }
  return value_of(support_.map.is_identity() ? detail::mode(p_)[0] : TargetProfile(p_, support_.map).mode());
}

std::vector<Interval> TargetLaw::highest_density_region(double mass) const {
  std::vector<Interval> out;
  if (support_.is_discrete()) {
    const Head own = head();
    const std::vector<Cell>& all = own.cells;
    if (own.beyond <= 0.5 * (1.0 - mass)) {  // what lies beyond is the least likely
      std::vector<std::size_t> order(all.size());
      for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
      std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return all[a].mass > all[b].mass; });
      std::vector<bool> inside(all.size(), false);
      double held = 0.0;
      for (const std::size_t i : order) {
        if (held >= mass) break;
        inside[i] = true;
        held += all[i].mass;
      }
      for (std::size_t i = 0; i < all.size(); ++i) {
        if (!inside[i]) continue;
        if (i > 0 && inside[i - 1])
          out.back().upper = all[i].value;
        else
          out.push_back({all[i].value, all[i].value});
      }
      return out;
    }
  }
  std::vector<std::size_t> order(support_.atoms.size());
  for (std::size_t k = 0; k < order.size(); ++k) order[k] = k;
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return atom_share(a) > atom_share(b); });
  double held = 0.0;
  for (const std::size_t k : order) {
    if (held >= mass) break;
    out.push_back({support_.atoms[k], support_.atoms[k]});
    held += atom_share(k);
  }
  if (held < mass && rest() > 0.0) {
    const double own = std::min((mass - held) / rest(), 1.0 - 1e-12);
    const bool plain = support_.map.is_identity();
    for (const Interval& piece :
         plain ? detail::highest_density_region(p_, own) : TargetProfile(p_, support_.map).of_mass(own)) {
      out.push_back({value_of(piece.lower), value_of(piece.upper)});
    }
  }
  std::sort(out.begin(), out.end(), [](const Interval& a, const Interval& b) {
    return a.lower < b.lower || (a.lower == b.lower && a.upper < b.upper);
  });
  return out;
}

double TargetLaw::highest_density_mass(double y) const {
  double out = 0.0;
  if (support_.is_discrete()) {
    const Head likely = head();
    if (likely.beyond < 0.01) {
      const double own = mass_at(y);
      for (const Cell& cell : likely.cells) out += cell.mass > own ? cell.mass : 0.0;
      return std::min(out, 1.0);
    }
  }
  const Index atom = support_.atom_at(y);
  for (std::size_t k = 0; k < support_.atoms.size(); ++k) {
    if (atom < 0 || atom_share(k) > atom_share(static_cast<std::size_t>(atom))) out += atom_share(k);
  }
  if (atom >= 0 || rest() <= 0.0) return out;
  const double x = support_.map.forward(y);
  if (!std::isfinite(x)) return 1.0;
  if (support_.map.is_identity()) return out + rest() * detail::highest_density_mass(p_, y);
  const TargetProfile profile(p_, support_.map);
  return std::min(1.0, out + rest() * profile.mass_above(profile.log_density(x)));
}

// CRPS = integral (F(t) - 1{t >= y})^2 dt (Gneiting and Raftery 2007, eq. 20): of F that is constant between values a
// sum, of the rest an integral over x.
double TargetLaw::crps(double y) const {
  if (!support_.is_discrete()) return continuous_crps(y, -infinity);
  const Head own = head();
  const std::vector<Cell>& all = own.cells;
  if (all.empty()) return continuous_crps(y, -infinity);
  const auto piece = [&](double from, double to, double f) {
    // F = f on [from, to); y may lie between
    const double low = std::clamp(y, from, to) - from;
    return f * f * low + (1.0 - f) * (1.0 - f) * (to - from - low);
  };
  double out = 0.0;
  double f = 0.0;
  if (y < all.front().value) out += all.front().value - y;
  for (std::size_t i = 0; i + 1 < all.size(); ++i) {
    f = std::min(1.0, f + all[i].mass);
    out += piece(all[i].value, all[i + 1].value, f);
  }
  if (own.end == infinity) return y > all.back().value ? out + (y - all.back().value) : out;
  const double end = std::max(all.back().value, support_.map.inverse(own.end));  // which rounds
  return out + piece(all.back().value, end, 1.0 - own.beyond) + continuous_crps(y, end);
}

/// The integral from `from` on.
double TargetLaw::continuous_crps(double y, double from_y) const {
  // Between these F is smooth, or constant outside of the ends of the map.
  std::vector<double> marks = support_.atoms;
  marks.push_back(y);
  const TargetMap& map = support_.map;
  const double far_left = map.inverse(detail::quantile(p_, 1e-17));
  const double far_right = map.inverse(detail::upper_quantile(p_, 1e-17));
  const double width = unit(0.1);
  if (rest() > 0.0) {
    if (!std::isfinite(far_left) || !std::isfinite(far_right)) return infinity;  // as the integral is
    marks.push_back(far_left);
    marks.push_back(far_right);
    for (const double x : panels()) marks.push_back(map.inverse(x));
  }
  std::sort(marks.begin(), marks.end());
  marks.erase(std::unique(marks.begin(), marks.end()), marks.end());
  double out = 0.0;
  for (std::size_t i = 1; i < marks.size(); ++i) {
    const double from = std::max(from_y, marks[i - 1]);
    const double to = marks[i];
    if (!(from < to)) continue;
    const double below = atoms_up_to(from);
    const double above = atoms_above(from);
    const bool left_of_y = to <= y;
    const auto square = [&](double x) {
      const double f = left_of_y ? below + rest() * detail::cdf(p_, x) : above + rest() * detail::sf(p_, x);
      return f * f;
    };
    if (to <= far_left || from >= far_right || rest() <= 0.0 || !(width > 0.0)) {
      out += (to - from) * square(to <= far_left ? -infinity : infinity);
      continue;
    }
    const double a = map.forward(from);
    const double b = map.forward(to);
    if (!(a < b) || !std::isfinite(a) || !std::isfinite(b)) continue;  // nearer to an end than numbers can tell
    const auto integrand = [&](double x) { return square(x) * std::exp(-log_slope_at(map, x)) / width; };
    out += width * adaptive_integral(integrand, a, b, 12);
  }
  return out;
}

double TargetLaw::draw(RandomStream& random) const {
  if (!support_.atoms.empty()) {
    double left = random.uniform();
    for (std::size_t k = 0; k < support_.atoms.size(); ++k) {
      left -= atom_share(k);
      if (left < 0.0) return support_.atoms[k];
    }
  }
  return value_of(detail::sample(p_, 1, random)(0, 0));
}

}  // namespace condens::detail
