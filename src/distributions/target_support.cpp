#include "condens/distributions/target_support.hpp"

#include <algorithm>
#include <cmath>

#include "bracketed_root.hpp"
#include "condens/core/errors.hpp"

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
  const bool pure = reach == infinity;
  const bool has_lower = lower > -infinity;
  const bool has_upper = upper < infinity;
  if (has_lower && has_upper) {
    // y = a + (b - a) / (1 + e^-t), t the log odds.
    const double width = upper - lower;
    const auto at = [&](double t) {
      return t < 0.0 ? lower + width * (std::exp(t) / (1.0 + std::exp(t))) : upper - width / (1.0 + std::exp(t));
    };
    if (pure) return std::clamp(at(x), lower, upper);
    const auto excess = [&](double t) {
      const double share = 1.0 / (1.0 + std::exp(-std::abs(t)));
      return std::pair{at(t) + reach * t - x, width * share * (1.0 - share) + reach};
    };
    const double low = (x - upper) / reach;
    const double high = (x - lower) / reach;
    return std::clamp(at(detail::bracketed_root(excess, low, high, 0.5 * low + 0.5 * high)), lower, upper);
  }
  const double side = has_lower ? 1.0 : -1.0;
  const double end = has_lower ? lower : upper;
  if (pure) return end + side * std::exp(side * x);
  return end + side * reach * std::exp(log_omega(side * (x - end) / reach));
}

double TargetMap::log_slope(double y) const {
  if (is_identity()) return 0.0;
  const bool pure = reach == infinity;
  const double unit = pure ? 1.0 : reach;
  double slope = pure ? 0.0 : 1.0;
  if (lower > -infinity) slope += unit / (y - lower);
  if (upper < infinity) slope += unit / (upper - y);
  return std::log(slope);
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
  if (!(out.map.lower < out.map.upper) || !(out.map.reach > 0.0)) {
    throw FormatError(message("the target reaches from ", out.map.lower, " to ", out.map.upper, " with reach ",
                              out.map.reach, ", expected lower < upper and reach > 0"));
  }
  std::vector<double> values = document.at("values").as_numbers();
  if (document.at("counts").as_bool()) {
    out.values = TargetValues::counts();
  } else if (!values.empty()) {
    out.values = TargetValues::listed(std::move(values));
  }
  const bool has_counts = out.map.lower < 0.0 && out.map.upper == infinity;
  const std::vector<double>& list = out.values.list();
  const bool has_values = list.empty() || (out.map.lower < list.front() && list.back() < out.map.upper);
  if ((out.values.are_counts() && !has_counts) || !has_values) {
    throw FormatError(message("the target reaches from ", out.map.lower, " to ", out.map.upper,
                              ", expected ends beyond the values that it takes"));
  }
  out.atoms = document.at("atoms").as_numbers();
  if (!std::is_sorted(out.atoms.begin(), out.atoms.end(), std::less_equal<>())) {
    throw FormatError("the atoms of the target are not ascending");
  }
  return out;
}

}  // namespace condens
