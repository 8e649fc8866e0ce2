#include "condens/distributions/target_support.hpp"

#include <algorithm>
#include <cmath>

#include "bracketed_root.hpp"
#include "condens/core/errors.hpp"
#include "mixture_checks.hpp"
#include "target_map.hpp"

namespace condens {

namespace {

// The t with t + e^t = r: the logarithm of Wright's omega. Newton's method; the function is convex, so that after one
// step all steps fall towards the root.
double log_omega(double r) {
  double t = r > 1.0 ? std::log(r) : r;
  for (int step = 0; step < 60; ++step) {
    const double power = std::exp(t);
    const double change = (t + power - r) / (1.0 + power);
    t -= change;
    if (std::abs(change) <= 1e-16 * std::max(1.0, std::abs(t))) break;
  }
  return t;
}

bool has_two_ends(const TargetMap& map) { return map.lower > -infinity && map.upper < infinity; }

/// y, of the log odds t = log((y - a) / (b - y)).
double place_at_odds(const TargetMap& map, double t) {
  const double width = map.upper - map.lower;
  return t < 0.0 ? map.lower + width * (std::exp(t) / (1.0 + std::exp(t))) : map.upper - width / (1.0 + std::exp(t));
}

/// The distance of y(x) from the ends, where numbers still tell it: the log odds, or log(d / r) of the distance d from
/// a single end.
double log_distance(const TargetMap& map, double x) {
  const bool pure = map.reach == infinity;
  if (!has_two_ends(map)) {
    const double side = map.lower > -infinity ? 1.0 : -1.0;
    if (pure) return side * x;
    const double distance = side * (x - (map.lower > -infinity ? map.lower : map.upper));
    const double ratio = distance / map.reach;
    if (std::isinf(ratio)) return ratio < 0.0 ? ratio : std::log(distance) - std::log(map.reach);
    return log_omega(ratio);
  }
  if (pure) return x;
  const auto excess = [&](double t) {
    const double share = 1.0 / (1.0 + std::exp(-std::abs(t)));
    return std::pair{place_at_odds(map, t) + map.reach * t - x,
                     (map.upper - map.lower) * share * (1.0 - share) + map.reach};
  };
  const double low = (x - map.upper) / map.reach;
  const double high = (x - map.lower) / map.reach;
  return detail::bracketed_root(excess, low, high, 0.5 * low + 0.5 * high);
}

bool is_in_range(double value) { return std::abs(value) <= detail::largest_magnitude; }

std::string map_problem(const TargetMap& map) {
  const auto& [lower, upper, reach] = map;
  if (!(lower < upper) || !(reach > 0.0)) {
    return message("the target reaches from ", lower, " to ", upper, " with reach ", reach,
                   ", expected lower < upper and reach > 0");
  }
  const bool is_bent = !map.is_identity() && reach < infinity;
  if (is_bent && (reach < detail::smallest_scale || !is_in_range(reach))) {
    return message("the target has a reach of ", reach, ", expected ", detail::smallest_scale, " to ",
                   detail::largest_magnitude, ": change the unit");
  }
  for (const double end : {lower, upper}) {
    if (std::isinf(end)) continue;
    if (!is_in_range(end)) {
      return message("the target has an end at ", end, ", expected at most ", detail::largest_magnitude,
                     " in absolute value: change the unit");
    }
    const double inwards = end == lower ? upper : lower;
    const double next = std::nextafter(end, inwards);
    if (next == inwards) {
      return message("the target reaches from ", lower, " to ", upper,
                     ", expected numbers between its ends: subtract a constant from the target");
    }
    if (is_bent && reach < std::abs(next - end)) {
      return message("the target has a reach of ", reach, " about an end at ", end, ", expected at least ",
                     std::abs(next - end), ", to the next number: subtract a constant from the target");
    }
  }
  return "";
}

}  // namespace

double TargetMap::forward(double y) const {
  if (is_identity()) return y;
  if (!(y > lower)) return -infinity;
  if (!(y < upper)) return infinity;
  const bool pure = reach == infinity;
  const double unit = pure ? 1.0 : reach;
  double x = pure ? 0.0 : y;
  if (lower > -infinity) x += unit * std::log((y - lower) / unit);
  if (upper < infinity) x -= unit * std::log((upper - y) / unit);
  return x;
}

double TargetMap::inverse(double x) const {
  if (is_identity()) return x;
  if (x == -infinity) return lower;
  if (x == infinity) return upper;
  const double t = log_distance(*this, x);
  if (has_two_ends(*this)) return std::clamp(place_at_odds(*this, t), lower, upper);
  const double side = lower > -infinity ? 1.0 : -1.0;
  const double end = lower > -infinity ? lower : upper;
  if (reach == infinity) return end + side * std::exp(t);
  // Far from the end, where w = e^t has the errors of t in every digit, from w + log w = (x - a) / r.
  return t > 0.0 ? x - side * reach * t : end + side * reach * std::exp(t);
}

double TargetMap::log_slope(double y) const {
  if (is_identity()) return 0.0;
  const bool pure = reach == infinity;
  const double unit = pure ? 1.0 : reach;
  double slope = pure ? 0.0 : 1.0;
  if (lower > -infinity) slope += unit / (y - lower);
  if (upper < infinity) slope += unit / (upper - y);
  return slope < infinity ? std::log(slope) : std::log(unit) - std::log(std::min(y - lower, upper - y));
}

// r / (y - a) = e^-t, and r / (y - a) + r / (b - y) = r (1 + e^-t) (1 + e^t) / (b - a), t the log distance.
double detail::log_slope_at(const TargetMap& map, double x) {
  if (map.is_identity()) return 0.0;
  const bool pure = map.reach == infinity;
  const double t = log_distance(map, x);
  double bend = -t;
  if (has_two_ends(map)) {
    bend = std::abs(t) + 2.0 * std::log1p(std::exp(-std::abs(t))) - std::log(map.upper - map.lower);
    if (!pure) bend += std::log(map.reach);
  }
  return pure ? bend : std::max(bend, 0.0) + std::log1p(std::exp(-std::abs(bend)));
}

TargetValues TargetValues::counts() {
  TargetValues out;
  out.kind_ = Kind::counts;
  return out;
}

TargetValues TargetValues::listed(std::vector<double> values) {
  require(values.size() >= 2 && std::is_sorted(values.begin(), values.end(), std::less_equal<>()),
          "TargetValues: expected at least two values, ascending");
  TargetValues out;
  out.kind_ = Kind::listed;
  out.list_ = std::move(values);
  return out;
}

bool TargetValues::contain(double y) const {
  if (any_number()) return true;
  const double place = place_at(y);
  return place >= 0.0 && value(place) == y;
}

double TargetValues::value(double place) const { return are_counts() ? place : list_[static_cast<std::size_t>(place)]; }

double TargetValues::lower_end(double place) const {
  if (place <= 0.0) return -infinity;
  if (are_counts()) return place - 0.5;
  return value(place - 1.0) + (value(place) - value(place - 1.0)) / 2.0;
}

double TargetValues::upper_end(double place) const { return place < last_place() ? lower_end(place + 1.0) : infinity; }

double TargetValues::place_at(double y) const {
  if (are_counts()) return std::max(-1.0, std::floor(y));
  return static_cast<double>(std::upper_bound(list_.begin(), list_.end(), y) - list_.begin()) - 1.0;
}

double TargetValues::place_of_point(double z) const {
  if (are_counts()) return std::max(0.0, std::ceil(z - 0.5));
  double place = std::clamp(place_at(z), 0.0, last_place());
  if (z > upper_end(place)) place += 1.0;
  return place;
}

double TargetValues::last_place() const { return are_counts() ? infinity : static_cast<double>(list_.size()) - 1.0; }

Index TargetSupport::atom_at(double y) const {
  const auto found = std::lower_bound(atoms.begin(), atoms.end(), y);
  return found != atoms.end() && *found == y ? found - atoms.begin() : -1;
}

Document TargetSupport::to_document() const {
  const auto finite = [](double value) { return std::isfinite(value) ? Document(value) : Document(); };
  Document out(Document::Object{});
  out.set("lower", finite(map.lower)).set("upper", finite(map.upper)).set("reach", finite(map.reach));
  out.set("counts", values.are_counts()).set("values", Document(values.list()));
  return out.set("atoms", Document(atoms));
}

TargetSupport TargetSupport::from_document(const Document& document) {
  const auto number = [&](const char* name, double missing) {
    const Document& value = document.at(name);
    return value.is_null() ? missing : value.as_number();
  };
  TargetSupport out;
  out.map = {number("lower", -infinity), number("upper", infinity), number("reach", infinity)};
  std::vector<double> values = document.at("values").as_numbers();
  if (document.at("counts").as_bool()) {
    out.values = TargetValues::counts();
  } else if (!values.empty()) {
    out.values = TargetValues::listed(std::move(values));
  }
  out.atoms = document.at("atoms").as_numbers();
  const std::string problem = detail::support_problem(out);
  if (!problem.empty()) throw FormatError(problem);
  return out;
}

std::string detail::support_problem(const TargetSupport& support) {
  std::string problem = map_problem(support.map);
  if (!problem.empty()) return problem;
  const double lower = support.map.lower;
  const double upper = support.map.upper;
  const std::vector<double>& list = support.values.list();
  const bool has_counts = lower < 0.0 && upper == infinity;
  const bool has_values = list.empty() || (lower < list.front() && list.back() < upper);
  if ((support.values.are_counts() && !has_counts) || !has_values) {
    return message("the target reaches from ", lower, " to ", upper, ", expected ends beyond the values that it takes");
  }
  if (!std::is_sorted(support.atoms.begin(), support.atoms.end(), std::less_equal<>())) {
    return "the atoms of the target are not ascending";
  }
  for (const std::vector<double>& values : {list, support.atoms}) {
    const auto found = std::find_if(values.begin(), values.end(), [](double value) { return !is_in_range(value); });
    if (found != values.end()) {
      return message("the target takes the value ", *found, ", expected at most ", largest_magnitude,
                     " in absolute value: change the unit");
    }
  }
  return "";
}

}  // namespace condens
