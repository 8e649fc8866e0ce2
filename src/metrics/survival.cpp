#include "condens/metrics/survival.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "condens/core/errors.hpp"
#include "condens/core/random.hpp"
#include "core/first_not.hpp"

namespace condens {

namespace {

constexpr double not_known = std::numeric_limits<double>::quiet_NaN();

double weight_of(const VectorView& weights, Index i) { return weights.size() == 0 ? 1.0 : weights[i]; }

void check_weights_of(std::string_view owner, const VectorView& weights, Index n) {
  require(weights.size() == 0 || weights.size() == n, owner, ": ", weights.size(), " weights for ", n,
          " rows, expected none or one for each");
  for (Index i = 0; i < weights.size(); ++i) {
    require(std::isfinite(weights[i]) && weights[i] >= 0.0, owner, ": weights: row ", i + 1, " (counting from 1) is ",
            weights[i], ", expected a finite number >= 0");
  }
}

void require_right_censored(std::string_view owner, const Censoring& rows) {
  for (Index i = 0; i < rows.size(); ++i) {
    require(rows.is_exact(i) || (rows.high[i] == infinity && std::isfinite(rows.low[i])), owner, ": row ", i + 1,
            " (counting from 1) lies in [", rows.low[i], ", ", rows.high[i],
            "], expected an exact value or one that is right censored");
  }
}

/// Indices 0, ..., n - 1 by rising key.
template <class Key>
std::vector<Index> order_by(Index n, const Key& key) {
  std::vector<Index> out(static_cast<std::size_t>(n));
  std::iota(out.begin(), out.end(), Index{0});
  std::stable_sort(out.begin(), out.end(), [&](Index a, Index b) { return key(a) < key(b); });
  return out;
}

/// Counts of predictions, by their rank: a Fenwick tree.
class RankCounts {
 public:
  explicit RankCounts(Index n) : sums_(static_cast<std::size_t>(n) + 1, 0) {}

  void add(Index rank) {
    for (auto i = static_cast<std::size_t>(rank) + 1; i < sums_.size(); i += i & (~i + 1)) ++sums_[i];
    ++total_;
  }
  Index below(Index rank) const {
    Index out = 0;
    for (auto i = static_cast<std::size_t>(rank); i > 0; i -= i & (~i + 1)) out += sums_[i];
    return out;
  }
  Index total() const { return total_; }

 private:
  std::vector<Index> sums_;
  Index total_ = 0;
};

/// The innermost intervals: a left end that is followed by a right end. At one value come first the left ends of exact
/// values, then right ends, then the left ends of intervals, which are open there.
struct End {
  double value;
  int order;
};

bool comes_before(const End& a, const End& b) { return a.value < b.value || (a.value == b.value && a.order < b.order); }

End left_end(const Censoring& rows, Index i) { return {rows.known_low(i), rows.is_exact(i) ? 0 : 2}; }
End right_end(double value) { return {value, 1}; }

}  // namespace

double SurvivalCurve::at(double t) const {
  const auto* found = std::upper_bound(times.data(), times.data() + times.size(), t);
  return found == times.data() ? 1.0 : survival[std::distance(times.data(), found) - 1];
}

SurvivalCurve kaplan_meier(const Censoring& rows, const VectorView& weights) {
  const Index n = rows.size();
  require(n > 0, "kaplan_meier: no rows, expected at least one");
  check_weights_of("kaplan_meier", weights, n);
  require_right_censored("kaplan_meier", rows);
  const std::vector<Index> by_value = order_by(n, [&](Index i) { return rows.low[i]; });
  const std::vector<Index> by_entry =
      order_by(n, [&](Index i) { return rows.entry.size() > 0 ? rows.entry[i] : -infinity; });
  std::vector<double> times;
  std::vector<double> survival;
  std::vector<double> errors;
  std::vector<double> risks;
  std::vector<double> deaths;
  double entered = 0.0;
  double left = 0.0;
  double product = 1.0;
  double greenwood = 0.0;
  auto next_entry = by_entry.begin();
  for (auto next = by_value.begin(); next != by_value.end();) {
    const double t = rows.low[*next];
    while (next_entry != by_entry.end() && (rows.entry.size() == 0 || rows.entry[*next_entry] < t))
      entered += weight_of(weights, *next_entry++);
    const double at_risk = entered - left;
    double events = 0.0;
    for (; next != by_value.end() && rows.low[*next] == t; ++next) {
      if (rows.is_exact(*next)) events += weight_of(weights, *next);
      left += weight_of(weights, *next);
    }
    if (events == 0.0) continue;
    product *= std::max(1.0 - events / at_risk, 0.0);
    greenwood += events / (at_risk * (at_risk - events));
    times.push_back(t);
    survival.push_back(product);
    errors.push_back(events < at_risk ? product * std::sqrt(greenwood) : not_known);
    risks.push_back(at_risk);
    deaths.push_back(events);
  }
  const auto column = [](const std::vector<double>& values) {
    return Vector(Eigen::Map<const Vector>(values.data(), std::ssize(values)));
  };
  return {column(times), column(survival), column(errors), column(risks), column(deaths)};
}

double TurnbullEstimate::at(double t) const {
  double out = 0.0;
  for (Index j = mass.size() - 1; j >= 0 && high[j] > t; --j) out += mass[j];
  return out;
}

TurnbullEstimate turnbull(const Censoring& rows, const VectorView& weights) {
  const Index n = rows.size();
  require(n > 0, "turnbull: no rows, expected at least one");
  check_weights_of("turnbull", weights, n);
  std::vector<End> ends;
  for (Index i = 0; i < n; ++i) {
    ends.push_back(left_end(rows, i));
    ends.push_back(right_end(rows.high[i]));
  }
  std::sort(ends.begin(), ends.end(), comes_before);
  std::vector<End> lefts;
  std::vector<End> rights;
  for (std::size_t k = 0; k + 1 < ends.size(); ++k) {
    if (ends[k].order == 1 || ends[k + 1].order != 1) continue;
    lefts.push_back(ends[k]);
    rights.push_back(ends[k + 1]);
  }
  const Index m = std::ssize(lefts);
  const auto first_from = [&](const End& end) {
    return static_cast<Index>(
        std::distance(lefts.begin(), std::lower_bound(lefts.begin(), lefts.end(), end, comes_before)));
  };
  std::vector<Index> begin;
  std::vector<Index> end;
  std::vector<Index> seen;  // the first interval that the row's entry lets be seen
  double total = 0.0;
  for (Index i = 0; i < n; ++i) {
    begin.push_back(first_from(left_end(rows, i)));
    const auto last = std::upper_bound(rights.begin(), rights.end(), right_end(rows.high[i]), comes_before);
    end.push_back(std::distance(rights.begin(), last));
    seen.push_back(rows.is_truncated(i) ? std::min(first_from({rows.entry[i], 2}), begin.back()) : 0);
    total += weight_of(weights, i);
  }
  require(total > 0.0, "turnbull: weights are all zero, expected at least one positive weight");

  constexpr Index most_iterations = 5'000;
  constexpr double tolerance = 1e-9;
  TurnbullEstimate out{Vector(m), Vector(m), Vector::Constant(m, 1.0 / static_cast<double>(m)), 0, false};
  for (Index j = 0; j < m; ++j) {
    out.low[j] = lefts[static_cast<std::size_t>(j)].value;
    out.high[j] = rights[static_cast<std::size_t>(j)].value;
  }
  while (out.iterations < most_iterations && !out.converged) {
    Vector below = Vector::Zero(m + 1);  // the sum of the masses before each interval
    for (Index j = 0; j < m; ++j) below[j + 1] = below[j] + out.mass[j];
    // What interval j gets is its mass times the running sum of these steps.
    Vector steps = Vector::Zero(m + 1);
    double shared = 0.0;
    for (std::size_t i = 0; i < begin.size(); ++i) {
      const double weight = weight_of(weights, static_cast<Index>(i));
      const double inside = below[end[i]] - below[begin[i]];
      const double visible = below[m] - below[seen[i]];
      if (!(inside > 0.0) || !(visible > 0.0)) continue;
      steps[begin[i]] += weight / inside;
      steps[end[i]] -= weight / inside;
      steps[0] += weight / visible;
      steps[seen[i]] -= weight / visible;
      shared += weight / visible;
    }
    Vector next(m);
    double sum = 0.0;
    for (Index j = 0; j < m; ++j) {
      sum += steps[j];
      next[j] = out.mass[j] * std::max(sum, 0.0);
    }
    next /= next.sum();
    out.converged = !(shared > 0.0) || (next - out.mass).cwiseAbs().maxCoeff() < tolerance;
    out.mass = std::move(next);
    ++out.iterations;
  }
  return out;
}

Vector draw_start(const TurnbullEstimate& estimate, const Censoring& rows, double lower, double upper, double unit,
                  std::uint64_t seed) {
  constexpr std::uint64_t stream_of_start = 4'000;
  const Index m = estimate.mass.size();
  Vector below = Vector::Zero(m + 1);
  for (Index j = 0; j < m; ++j) below[j + 1] = below[j] + estimate.mass[j];
  RandomStream random(seed, stream_of_start);
  Vector out = rows.low;
  for (Index i = 0; i < rows.size(); ++i) {
    if (rows.is_exact(i)) continue;
    const double which = random.uniform();
    const double where = random.uniform();
    double low = rows.known_low(i);
    double high = rows.high[i];
    // The intervals of the estimate that touch what is known.
    const Index first = first_not(0, m, [&](Index j) { return estimate.high[j] <= low || estimate.low[j] < low; });
    const Index last = first_not(first, m, [&](Index j) { return estimate.high[j] <= high; });
    if (below[last] > below[first]) {
      const double level = below[first] + which * (below[last] - below[first]);
      const Index j = first_not(first, last - 1, [&](Index k) { return below[k + 1] <= level; });
      low = std::max(low, estimate.low[j]);
      high = std::min(high, estimate.high[j]);
    }
    low = std::max(low, lower);
    high = std::min(high, upper);
    if (std::isfinite(low) && std::isfinite(high))
      out[i] = low + where * (high - low);
    else if (std::isfinite(low))
      out[i] = low - unit * std::log1p(-where);
    else
      out[i] = high + unit * std::log1p(-where);
    // On the ends of its support a target has no density.
    if (!(out[i] > lower)) out[i] = 0.5 * (lower + std::max(high, lower));
    if (!(out[i] < upper)) out[i] = 0.5 * (std::min(low, upper) + upper);
  }
  return out;
}

Vector start_of_censored(const Censoring& rows, const VectorView& weights, const TargetKind& kind, std::uint64_t seed) {
  std::vector<double> exact;
  for (Index i = 0; i < rows.size(); ++i) {
    if (rows.is_exact(i)) exact.push_back(rows.low[i]);
  }
  const Vector values = Eigen::Map<const Vector>(exact.data(), std::ssize(exact));
  const double spread = std::sqrt((values.array() - values.mean()).square().mean());
  const double lower = kind.name == TargetName::positive ? 0.0 : kind.lower;
  return draw_start(turnbull(rows, weights), rows, lower, kind.upper, spread > 0.0 ? spread : 1.0, seed);
}

Concordance concordance(const Censoring& rows, const VectorView& predictions) {
  const Index n = rows.size();
  require(predictions.size() == n, "concordance: ", predictions.size(), " predictions for ", n,
          " rows, expected one for each");
  require_right_censored("concordance", rows);
  std::vector<double> levels(predictions.begin(), predictions.end());
  std::sort(levels.begin(), levels.end());
  levels.erase(std::unique(levels.begin(), levels.end()), levels.end());
  const auto rank_of = [&](Index i) {
    return static_cast<Index>(
        std::distance(levels.begin(), std::lower_bound(levels.begin(), levels.end(), predictions[i])));
  };
  // From the largest value down: those seen before are known to be larger. A row censored at t is larger than a value
  // t.
  const std::vector<Index> order =
      order_by(n, [&](Index i) { return std::pair(-rows.low[i], rows.is_exact(i) ? 1 : 0); });
  RankCounts larger(std::ssize(levels));
  double concordant = 0.0;
  Index pairs = 0;
  for (auto next = order.begin(); next != order.end();) {
    const auto group = next;
    const auto same = [&](Index i) {
      return rows.low[i] == rows.low[*group] && rows.is_exact(i) == rows.is_exact(*group);
    };
    for (; next != order.end() && same(*next); ++next) {
      if (!rows.is_exact(*next)) continue;
      const Index rank = rank_of(*next);
      const Index lower = larger.below(rank);
      const Index equal = larger.below(rank + 1) - lower;
      concordant += static_cast<double>(larger.total() - lower - equal) + 0.5 * static_cast<double>(equal);
      pairs += larger.total();
    }
    for (auto own = group; own != next; ++own) larger.add(rank_of(*own));
  }
  return {pairs > 0 ? concordant / static_cast<double>(pairs) : not_known, pairs};
}

}  // namespace condens
