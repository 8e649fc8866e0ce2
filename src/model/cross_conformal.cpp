// Cross-conformal intervals and regions (condens/model/conformal.hpp has the formulas).
//
// At one x the sets of model k are nested in the mass. With r the m-th largest score of all rows of the group, y is in
// the region where it is in the set of mass r of every model, and outside where it is in that of none: only what lies
// between is counted row by row. In the same way the m-th smallest L_i lies between the least and the largest end of
// the intervals of mass r.

#include <algorithm>
#include <cmath>
#include <functional>
#include <variant>

#include "condens/core/errors.hpp"
#include "condens/core/parallel.hpp"
#include "condens/model/conformal.hpp"
#include "core/first_not.hpp"

namespace condens {

namespace {

constexpr double inside = 1e-9;       // as in split calibration: a value with a probability of its own is inside
constexpr Index rows_of_block = 256;  // whose distributions are in memory together, of every model
const Run one_thread{.threads = 1, .observer = {}};

using AnyLaws = std::variant<GaussianMixtures, TargetDistributions>;

AnyLaws laws_of_fold(const FoldModel& model, const MatrixView& x, const Run& run) {
  if (model.target) return model.target->predict(*model.density, x, run);
  return model.density->predict(x, run);
}

/// The distribution of one fold at one x.
class FoldLaw {
 public:
  FoldLaw(const AnyLaws& laws, Index i)
      : law_(std::visit([&](const auto& own) { return AnyLaws(own.slice(i, 1)); }, laws)) {}

  double lower(double mass) const {
    return at([&](const auto& law) { return law.quantile_each(rest(mass), one_thread)[0]; });
  }
  double upper(double mass) const {
    return at([&](const auto& law) { return law.upper_quantile_each(rest(mass), one_thread)[0]; });
  }
  double cdf(double y) const {
    return at([&](const auto& law) { return law.cdf(Vector::Constant(1, y), one_thread)[0]; });
  }
  double sf(double y) const {
    return at([&](const auto& law) { return law.sf(Vector::Constant(1, y), one_thread)[0]; });
  }
  std::vector<Interval> region(double mass) const {
    if (mass >= 1.0) return {{lower(1.0), upper(1.0)}};
    return std::visit([&](const auto& law) { return law.highest_density_region(mass, one_thread).front(); }, law_);
  }

 private:
  static Vector rest(double mass) { return Vector::Constant(1, 0.5 * (1.0 - mass)); }
  template <class Value>
  double at(const Value& value) const {
    return std::visit(value, law_);
  }

  AnyLaws law_;
};

double mass_of_score(const Vector& scores, Index j) { return std::min(1.0, scores[j] + inside); }

/// The ends of the nested intervals of one fold on one side, `sign` times: they grow with the score.
class Ends {
 public:
  Ends(const FoldLaw& law, const Vector& scores, double sign) : law_(law), scores_(scores), sign_(sign) {}

  double of_mass(double mass) const { return sign_ < 0 ? -law_.lower(mass) : law_.upper(mass); }
  double end(Index j) const { return of_mass(mass_of_score(scores_, j)); }
  /// How many ends are below t, or up to t.
  Index count(double t, bool up_to) const {
    const auto before = [&](Index j) { return up_to ? end(j) <= t : end(j) < t; };
    const double y = sign_ * t;
    const double mass = std::isfinite(y) ? 1.0 - 2.0 * (sign_ < 0 ? law_.cdf(y) : law_.sf(y)) : (t > 0 ? 1.0 : 0.0);
    const Index guess = std::upper_bound(scores_.begin(), scores_.end(), mass - inside) - scores_.begin();
    Index low = guess;
    Index high = guess;  // the answer is from low to high
    for (Index step = 1; high < scores_.size() && before(high); step *= 2) {
      low = high + 1;
      high = std::min(scores_.size(), high + step);
    }
    for (Index step = 1; low > 0 && !before(low - 1); step *= 2) {
      high = low - 1;
      low = std::max<Index>(0, low - step);
    }
    return first_not(low, high, before);
  }

 private:
  const FoldLaw& law_;
  const Vector& scores_;
  double sign_;
};

/// The m-th largest end of all folds.
double outer_end(const std::vector<Ends>& folds, const std::vector<const Vector*>& scores, Index m, double mass) {
  double low = infinity;
  double high = -infinity;
  for (const Ends& own : folds) {
    const double end = own.of_mass(mass);
    low = std::min(low, end);
    high = std::max(high, end);
  }
  Index above = 0;
  std::vector<double> between;
  for (std::size_t k = 0; k < folds.size(); ++k) {
    const Index first = folds[k].count(low, false);
    const Index last = folds[k].count(high, true);
    above += scores[k]->size() - last;
    for (Index j = first; j < last; ++j) between.push_back(folds[k].end(j));
  }
  const Index rank = m - above - 1;  // among those between, the largest first
  if (rank < 0) return high;
  if (rank >= std::ssize(between)) return low;
  std::nth_element(between.begin(), between.begin() + rank, between.end(), std::greater<>());
  return between[static_cast<std::size_t>(rank)];
}

/// Closed intervals from left to right that touch or overlap, as one.
std::vector<Interval> joined(std::vector<Interval> parts) {
  std::sort(parts.begin(), parts.end(), [](const Interval& a, const Interval& b) { return a.lower < b.lower; });
  std::vector<Interval> out;
  for (const Interval& own : parts) {
    if (!out.empty() && own.lower <= out.back().upper)
      out.back().upper = std::max(out.back().upper, own.upper);
    else
      out.push_back(own);
  }
  return out;
}

/// Whether every part of `inner` is in a part of `outer`.
bool contains(const std::vector<Interval>& outer, const std::vector<Interval>& inner) {
  return std::all_of(inner.begin(), inner.end(), [&](const Interval& own) {
    return std::any_of(outer.begin(), outer.end(),
                       [&](const Interval& other) { return other.lower <= own.lower && own.upper <= other.upper; });
  });
}

/// How many of some sets, each of intervals without a common point, hold a point.
class SetCount {
 public:
  void add(const std::vector<Interval>& set) {
    for (const Interval& own : set) {
      lower_.push_back(own.lower);
      upper_.push_back(own.upper);
    }
  }
  void finish() {
    std::sort(lower_.begin(), lower_.end());
    std::sort(upper_.begin(), upper_.end());
  }
  Index at(double y) const {
    return (std::upper_bound(lower_.begin(), lower_.end(), y) - lower_.begin()) -
           (std::lower_bound(upper_.begin(), upper_.end(), y) - upper_.begin());
  }
  std::vector<double> points() const {
    std::vector<double> out = lower_;
    out.insert(out.end(), upper_.begin(), upper_.end());
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
  }

 private:
  std::vector<double> lower_;
  std::vector<double> upper_;
};

/// A point between two, either of which may be infinite.
double point_between(double a, double b) {
  if (std::isfinite(a) && std::isfinite(b)) return a + 0.5 * (b - a);
  if (std::isfinite(a)) return a + std::max(1.0, std::abs(a));
  return std::isfinite(b) ? b - std::max(1.0, std::abs(b)) : 0.0;
}

/// The intervals that `least` of the sets hold.
std::vector<Interval> held_by(const SetCount& sets, Index least) {
  const std::vector<double> points = sets.points();
  std::vector<Interval> out;
  for (std::size_t k = 0; k < points.size(); ++k) {
    if (sets.at(points[k]) >= least) out.push_back({points[k], points[k]});
    if (k + 1 == points.size()) continue;
    if (sets.at(point_between(points[k], points[k + 1])) >= least) out.push_back({points[k], points[k + 1]});
  }
  return joined(std::move(out));
}

std::vector<Interval> region_of_folds(const std::vector<FoldLaw>& laws, const std::vector<const Vector*>& scores,
                                      Index m, double mass) {
  SetCount same_mass;  // the sets of mass r, one a fold
  for (const FoldLaw& law : laws) same_mass.add(law.region(mass));
  same_mass.finish();
  std::vector<Interval> some = held_by(same_mass, 1);
  const std::vector<Interval> all = held_by(same_mass, std::ssize(laws));
  if (contains(all, some)) return some;
  SetCount sets;
  Index everywhere = 0;  // sets that hold all of `some`
  for (std::size_t k = 0; k < laws.size(); ++k) {
    const Vector& own = *scores[k];
    const Index above = std::lower_bound(own.begin(), own.end(), mass - inside) - own.begin();
    for (Index j = above; j < own.size(); ++j) {
      std::vector<Interval> set = laws[k].region(mass_of_score(own, j));
      if (contains(set, some)) {
        everywhere += own.size() - j;
        break;
      }
      sets.add(set);
    }
    for (Index j = above - 1; j >= 0; --j) {
      const std::vector<Interval> set = laws[k].region(mass_of_score(own, j));
      if (contains(all, set)) break;  // it and those inside of it change nothing
      sets.add(set);
    }
  }
  if (everywhere >= m) return some;
  sets.finish();
  SetCount both;  // beyond `some` the count is too large
  both.add(held_by(sets, m - everywhere));
  both.add(some);
  both.finish();
  std::vector<Interval> out = held_by(both, 2);
  out.insert(out.end(), all.begin(), all.end());
  return joined(std::move(out));
}

}  // namespace

/// body(i, laws, cells, m) for every column of x, m < 1 where nothing can be promised.
template <class Body>
void Conformal::for_each_row(const MatrixView& x, const Run& run, const Body& body) const {
  const std::vector<Index> group = groups_of(x);
  Task task(run, "predicting by folds", static_cast<double>(x.cols() * n_folds()));
  for (Index block = 0; block < block_count(x.cols(), rows_of_block); ++block) {
    const Range range = block_range(x.cols(), rows_of_block, block);
    std::vector<AnyLaws> laws;
    for (const FoldModel& model : models_) {
      laws.push_back(laws_of_fold(model, x.middleCols(range.begin, range.size()), {run.threads, {}}));
      task.advance(static_cast<double>(range.size()));
      task.poll();
    }
    parallel_for(
        range.size(), task.threads(),
        [&](Index i) {
          std::vector<FoldLaw> own;
          for (const AnyLaws& each : laws) own.emplace_back(each, i);
          body(range.begin + i, own, group[static_cast<std::size_t>(range.begin + i)]);
        },
        [&] { task.poll(); });
  }
}

namespace {

/// The m of a group of n rows: of all y at least so many sets hold those of the region; 0: nothing can be promised.
Index least_sets(double level, Index n) {
  const double rank = std::max(1.0, std::ceil(level * static_cast<double>(n + 1) - inside));
  return std::max<Index>(0, n + 1 - static_cast<Index>(rank));
}

/// All that y can be by any of the folds.
Interval whole_line(const std::vector<FoldLaw>& laws) {
  Interval out{infinity, -infinity};
  for (const FoldLaw& law : laws) {
    out.lower = std::min(out.lower, law.lower(1.0));
    out.upper = std::max(out.upper, law.upper(1.0));
  }
  return out;
}

}  // namespace

Matrix Conformal::cross_intervals(double level, const MatrixView& x, const Run& run) const {
  Matrix out(2, x.cols());
  mass(RegionKind::central, level);  // refuses a level outside (0, 1)
  for_each_row(x, run, [&](Index i, const std::vector<FoldLaw>& laws, Index group) {
    const Index m = least_sets(level, n_rows_of_group(group));
    if (m == 0) {
      const Interval all = whole_line(laws);
      out.col(i) << all.lower, all.upper;
      return;
    }
    std::vector<const Vector*> scores;
    std::vector<Ends> lower;
    std::vector<Ends> upper;
    for (std::size_t k = 0; k < laws.size(); ++k) {
      scores.push_back(&cells_of(group)[k].central);
      lower.emplace_back(laws[k], *scores.back(), -1.0);
      upper.emplace_back(laws[k], *scores.back(), 1.0);
    }
    const double r = mass(RegionKind::central, level, group);
    const double low = -outer_end(lower, scores, m, r);
    const double high = outer_end(upper, scores, m, r);
    out.col(i) << std::min(low, high), std::max(low, high);  // of models far apart the ends can cross
  });
  return out;
}

std::vector<std::vector<Interval>> Conformal::cross_regions(double level, const MatrixView& x, const Run& run) const {
  std::vector<std::vector<Interval>> out(static_cast<std::size_t>(x.cols()));
  mass(RegionKind::highest, level);
  for_each_row(x, run, [&](Index i, const std::vector<FoldLaw>& laws, Index group) {
    const Index m = least_sets(level, n_rows_of_group(group));
    std::vector<const Vector*> scores;
    for (std::size_t k = 0; k < laws.size(); ++k) scores.push_back(&cells_of(group)[k].highest);
    const double r = m == 0 ? 1.0 : mass(RegionKind::highest, level, group);
    auto& own = out[static_cast<std::size_t>(i)];
    own = r >= 1.0 ? std::vector<Interval>{whole_line(laws)} : region_of_folds(laws, scores, m, r);
  });
  return out;
}

}  // namespace condens
