#include "quantile_regression.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "condens/core/cancellation.hpp"
#include "condens/core/errors.hpp"
#include "linalg/cholesky.hpp"

namespace condens {

namespace {

constexpr double good_gap = 1e-12;       // no pivot below it
constexpr double certified_gap = 1e-9;   // no smaller g below it
constexpr double proximal = 1e-10;       // added to K_MM of a pivot
constexpr Index pivots_between = 200;    // before Newton tries a smaller g
constexpr Index newton_limit = 60;       // steps for one g
constexpr int smoothing_levels = 12;     // g falls by the root of 10, 10^6 in all
constexpr double first_smoothing = 1.0;  // g / typical |r| of a fresh start
constexpr double near_residuals = 12;    // the same from a near solution, times n: some ten residuals are less

class SideSearch {
 public:
  SideSearch(const Matrix& kernel, const Vector& y, const Vector& weights, double level, double penalty)
      : k_(kernel),
        y_(y),
        w_(weights),
        level_(level),
        penalty_(penalty),
        lower_(weights * ((level - 1) / (2 * penalty))),
        upper_(weights * (level / (2 * penalty))) {}

  void start_from(const QuantileFit& fit) { at_ = {fit.coefficients, fit.kernel_part, fit.intercept}; }
  void start_anew();
  QuantileFit run(double first_smoothing);
  double typical_residual() const;

 private:
  struct Point {
    Vector c;
    Vector h;  // K c
    double b = 0;
  };
  struct Step {
    Vector d;
    double b;
  };

  Vector residuals() const { return (y_ - at_.h).array() - at_.b; }
  double loss(const Vector& r) const;
  double smoothed_loss(const Vector& r, double g) const;
  double gap(const Vector& r) const;
  void add_columns(const Vector& change, Vector& h) const;
  Step bordered_step(const std::vector<Index>& free, const Vector& diagonal, const Vector& right, double total) const;

  bool newton_step(double g, std::vector<signed char>& side);
  void newton(double g);
  void make_feasible();
  bool pivot(Index limit);
  bool place_intercept();
  double walk(const Vector& d);
  bool leave_worst_bound(const Vector& r);
  void center_intercept();
  QuantileFit certify() const;

  const Matrix& k_;
  const Vector& y_;
  const Vector& w_;
  double level_;
  double penalty_;
  Vector lower_;  // bounds of c
  Vector upper_;
  Point at_;
  std::vector<Index> free_;  // M of the pivots
  Index newton_steps_ = 0;
  Index pivots_ = 0;
};

double SideSearch::loss(const Vector& r) const {
  return (w_.array() * (level_ * r.array()).max((level_ - 1) * r.array())).sum();
}

/// psi where |r| >= g; r^2 / (4 g) + (tau - 1/2) r + g / 4 between.
double SideSearch::smoothed_loss(const Vector& r, double g) const {
  const auto bent = (r.array().abs().min(g) - g).square() / (4 * g);
  return loss(r) + (w_.array() * bent).sum();
}

double SideSearch::gap(const Vector& r) const { return loss(r) - 2 * penalty_ * at_.c.dot(r); }

void SideSearch::add_columns(const Vector& change, Vector& h) const {
  for (Index i = 0; i < change.size(); ++i) {
    if (change[i] == 0) continue;
    check_cancelled();
    h += change[i] * k_.col(i);
  }
}

/// [K_MM + diag, 1; 1', 0] [d; b] = [right; total].
SideSearch::Step SideSearch::bordered_step(const std::vector<Index>& free, const Vector& diagonal, const Vector& right,
                                           double total) const {
  const Index size = std::ssize(free);
  Matrix system(size, size);  // the lower triangle
  for (Index j = 0; j < size; ++j) {
    check_cancelled();
    const double* column = k_.col(free[static_cast<std::size_t>(j)]).data();
    for (Index i = j; i < size; ++i) system(i, j) = column[free[static_cast<std::size_t>(i)]];
  }
  system.diagonal() += diagonal;
  const Cholesky factor(std::move(system));
  const Vector p = factor.solve(right);
  const Vector q = factor.solve(Vector(Vector::Ones(right.size())));
  const double b = (p.sum() - total) / q.sum();
  return {p - b * q, b};
}

/// No coefficients, and the weighted quantile of y.
void SideSearch::start_anew() {
  const Index n = y_.size();
  std::vector<Index> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), Index{0});
  std::sort(order.begin(), order.end(), [&](Index i, Index j) { return y_[i] < y_[j]; });
  const double target = level_ * w_.sum();
  double below = 0;
  Index last = order.back();
  for (const Index i : order) {
    below += w_[i];
    if (below >= target) {
      last = i;
      break;
    }
  }
  at_ = {Vector::Zero(n), Vector::Zero(n), y_[last]};
}

/// The median of |r|, or their mean where more than half are zero.
double SideSearch::typical_residual() const {
  Vector size = residuals().cwiseAbs();
  const double mean = size.mean();
  std::nth_element(size.begin(), size.begin() + size.size() / 2, size.end());
  const double median = size[size.size() / 2];
  return median > 1e-9 * mean ? median : mean;
}

/// One step of Newton's method on the smoothed P. False: there is nothing left to gain.
bool SideSearch::newton_step(double g, std::vector<signed char>& side) {
  const Index n = y_.size();
  const Vector r = residuals();
  std::vector<signed char> now(static_cast<std::size_t>(n));
  std::vector<Index> near;
  for (Index i = 0; i < n; ++i) {
    const signed char s = r[i] >= g ? 1 : r[i] <= -g ? -1 : 0;
    now[static_cast<std::size_t>(i)] = s;
    if (s == 0) near.push_back(i);
  }
  if (near.empty()) {  // b would be free
    Index i = 0;
    r.cwiseAbs().minCoeff(&i);
    near.push_back(i);
    now[static_cast<std::size_t>(i)] = 0;
  }
  if (now == side) return false;  // the last step met the minimum
  Vector change(n);
  for (Index i = 0; i < n; ++i) {
    const signed char s = now[static_cast<std::size_t>(i)];
    change[i] = s == 0 ? 0.0 : (s > 0 ? upper_[i] : lower_[i]) - at_.c[i];
  }
  Vector h = at_.h;
  add_columns(change, h);
  const Vector diagonal = 4 * penalty_ * g * w_(near).cwiseInverse();
  const Vector right = ((y_ - h)(near)-diagonal.cwiseProduct(at_.c(near))).array() + 2 * g * (level_ - 0.5);
  const Step step = bordered_step(near, diagonal, right, -(at_.c + change).sum());
  if (!step.d.allFinite() || !std::isfinite(step.b)) return false;  // equal rows, and g too small to part them
  Vector own = Vector::Zero(n);
  own(near) = step.d;
  add_columns(own, h);
  change += own;

  const Vector move_h = h - at_.h;
  const double move_b = step.b - at_.b;
  const Vector move_r = -(move_h.array() + move_b);
  const double linear = change.dot(at_.h) + at_.c.dot(move_h);
  const double square = change.dot(move_h);
  const double before = smoothed_loss(r, g);
  const Vector slope = w_.array() * ((r.array() / (2 * g)).max(-0.5).min(0.5) + (level_ - 0.5));
  const double descent = slope.dot(move_r) + penalty_ * linear;
  double t = 1;
  const auto excess = [&] {
    return smoothed_loss(r + t * move_r, g) - before + penalty_ * (t * linear + t * t * square) - 1e-4 * t * descent;
  };
  while (excess() > 1e-14 * before && t > 1e-4) t *= 0.5;
  at_.c += t * change;
  at_.h += t * move_h;
  at_.b += t * move_b;
  ++newton_steps_;
  side = t == 1 ? std::move(now) : std::vector<signed char>();
  return t > 1e-4;
}

void SideSearch::newton(double g) {
  std::vector<signed char> side;
  for (Index i = 0; i < newton_limit; ++i) {
    if (!newton_step(g, side)) return;
  }
}

/// Into the bounds, and 1'c = 0; what lies between the bounds is free.
void SideSearch::make_feasible() {
  Vector c = at_.c.cwiseMax(lower_).cwiseMin(upper_);
  const double range = upper_.sum() - lower_.sum();
  if (std::abs(c.sum()) > 1e-12 * range) {
    double low = -1;
    double high = 1;
    const auto shifted = [&](double t) -> Vector {
      return (c + t * (upper_ - lower_)).cwiseMax(lower_).cwiseMin(upper_);
    };
    for (int i = 0; i < 60; ++i) {
      const double middle = 0.5 * (low + high);
      (shifted(middle).sum() > 0 ? high : low) = middle;
    }
    c = shifted(0.5 * (low + high));
  }
  free_.clear();
  for (Index i = 0; i < c.size(); ++i) {
    const double margin = 1e-12 * (upper_[i] - lower_[i]);
    if (c[i] <= lower_[i] + margin) {
      c[i] = lower_[i];
    } else if (c[i] >= upper_[i] - margin) {
      c[i] = upper_[i];
    } else {
      free_.push_back(i);
    }
  }
  add_columns(c - at_.c, at_.h);
  at_.c = std::move(c);
}

/// Without free coefficients b is any number between the residuals of the two sides. Where there is
/// none, the two that contradict each other most become free. 1'c = 0 has both sides, but for rounding:
/// where one alone is left, the best b for these coefficients is its end.
bool SideSearch::place_intercept() {
  const Vector u = y_ - at_.h;
  Index below = -1;
  Index above = -1;
  for (Index i = 0; i < u.size(); ++i) {
    if (at_.c[i] == upper_[i]) {
      if (above < 0 || u[i] < u[above]) above = i;
    } else if (below < 0 || u[i] > u[below]) {
      below = i;
    }
  }
  if (below < 0 || above < 0) {
    at_.b = u[std::max(below, above)];
    return true;
  }
  at_.b = 0.5 * (u[below] + u[above]);
  if (u[below] <= u[above]) return true;
  free_ = {std::min(below, above), std::max(below, above)};
  return false;
}

/// Moves the free coefficients along d, to its end or the first bound; what meets one is fixed there.
double SideSearch::walk(const Vector& d) {
  double t = 1;
  const auto limit = [&](std::size_t k) {
    const Index i = free_[k];
    const double step = d[static_cast<Index>(k)];
    if (step > 0) return std::max(0.0, (upper_[i] - at_.c[i]) / step);
    if (step < 0) return std::max(0.0, (lower_[i] - at_.c[i]) / step);
    return std::numeric_limits<double>::infinity();
  };
  for (std::size_t k = 0; k < free_.size(); ++k) t = std::min(t, limit(k));
  Vector change = Vector::Zero(y_.size());
  std::vector<Index> still_free;
  for (std::size_t k = 0; k < free_.size(); ++k) {
    const Index i = free_[k];
    const double step = d[static_cast<Index>(k)];
    if (t < 1 && limit(k) <= t) {
      const double bound = step > 0 ? upper_[i] : lower_[i];
      change[i] = bound - at_.c[i];
      at_.c[i] = bound;
    } else {
      change[i] = t * step;
      at_.c[i] += t * step;
      still_free.push_back(i);
    }
  }
  add_columns(change, at_.h);
  free_ = std::move(still_free);
  return t;
}

/// Frees the coefficient at a bound whose residual is furthest on the wrong side. False: there is none.
bool SideSearch::leave_worst_bound(const Vector& r) {
  std::vector<bool> is_free(static_cast<std::size_t>(r.size()));
  for (const Index i : free_) is_free[static_cast<std::size_t>(i)] = true;
  double worst = 1e-13 * r.cwiseAbs().maxCoeff();
  Index which = -1;
  for (Index i = 0; i < r.size(); ++i) {
    if (is_free[static_cast<std::size_t>(i)]) continue;
    const double wrong = at_.c[i] == upper_[i] ? -r[i] : r[i];
    if (wrong > worst) {
      worst = wrong;
      which = i;
    }
  }
  if (which < 0) return false;
  free_.insert(std::lower_bound(free_.begin(), free_.end(), which), which);
  return true;
}

/// The active set, for at most `limit` systems. False: it did not come to its end.
bool SideSearch::pivot(Index limit) {
  for (Index i = 0; i < limit; ++i) {
    if (free_.empty() && place_intercept()) return true;
    ++pivots_;
    const Vector right = residuals()(free_);
    const Step step = bordered_step(free_, Vector::Constant(std::ssize(free_), proximal), right, -at_.c.sum());
    if (!step.d.allFinite() || !std::isfinite(step.b)) return false;
    if (walk(step.d) < 1) continue;
    at_.b += step.b;
    const Vector r = residuals();
    if (gap(r) <= good_gap * (loss(r) + penalty_ * at_.c.dot(at_.h))) return true;
    if (r(free_).cwiseAbs().maxCoeff() > 1e-13 * r.cwiseAbs().maxCoeff() && i + 1 < limit &&
        proximal * step.d.cwiseAbs().maxCoeff() > 1e-13 * r.cwiseAbs().maxCoeff()) {
      continue;  // not yet the maximum on M
    }
    if (!leave_worst_bound(r)) return true;
  }
  return false;
}

/// The middle of the intercepts that are optimal for these coefficients.
void SideSearch::center_intercept() {
  const Vector u = y_ - at_.h;
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  for (Index i = 0; i < u.size(); ++i) {
    const double margin = 1e-10 * (upper_[i] - lower_[i]);
    if (at_.c[i] > lower_[i] + margin) high = std::min(high, u[i]);
    if (at_.c[i] < upper_[i] - margin) low = std::max(low, u[i]);
  }
  if (low < high && std::isfinite(low) && std::isfinite(high)) at_.b = 0.5 * (low + high);
}

QuantileFit SideSearch::certify() const {
  QuantileFit out{.coefficients = at_.c, .intercept = at_.b, .kernel_part = k_ * at_.c};
  const Vector r = (y_ - out.kernel_part).array() - at_.b;
  out.objective = loss(r) + penalty_ * at_.c.dot(out.kernel_part);
  // 1'c = 0 holds to rounding, which the dual value feels through the level of y.
  const double open = (gap(r) < 0 ? 0.0 : gap(r)) + 2 * penalty_ * std::abs(at_.c.sum()) * r.cwiseAbs().maxCoeff();
  out.relative_gap = out.objective > 0 ? open / out.objective : 0.0;
  if (!std::isfinite(out.objective) || !std::isfinite(open)) out.relative_gap = std::numeric_limits<double>::infinity();
  out.newton_steps = newton_steps_;
  out.pivots = pivots_;
  return out;
}

QuantileFit SideSearch::run(double g) {
  QuantileFit best;
  best.relative_gap = std::numeric_limits<double>::infinity();
  for (int stage = 0; stage <= smoothing_levels; ++stage) {
    if (g > 0) newton(g);
    const Point smooth = at_;
    make_feasible();
    pivot(stage < smoothing_levels ? pivots_between : 20 * y_.size());
    center_intercept();
    QuantileFit found = certify();
    if (found.relative_gap < best.relative_gap) best = std::move(found);
    if (best.relative_gap <= certified_gap || g == 0) break;
    at_ = smooth;
    g *= std::sqrt(0.1);
  }
  if (!std::isfinite(best.relative_gap)) {  // no system could be solved: what it began with is feasible
    start_anew();
    best = certify();
  }
  best.newton_steps = newton_steps_;
  best.pivots = pivots_;
  return best;
}

}  // namespace

QuantileRegression::QuantileRegression(const Matrix& kernel, const Vector& y, const Vector& weights)
    : kernel_(kernel), y_(y), weights_(weights) {
  const Index n = y.size();
  require(n > 0 && kernel.rows() == n && kernel.cols() == n && weights.size() == n, "QuantileRegression: kernel is ",
          kernel.rows(), " x ", kernel.cols(), ", y has ", n, " and weights ", weights.size(),
          " numbers; expected n x n, n and n, n > 0");
  require(weights.minCoeff() > 0, "QuantileRegression: the smallest weight is ", weights.minCoeff(), ", expected > 0");
}

QuantileFit QuantileRegression::solve(double level, double penalty, const QuantileFit* start) const {
  require(level > 0 && level < 1, "QuantileRegression: level = ", level, ", expected in (0, 1)");
  require(penalty > 0 && std::isfinite(penalty), "QuantileRegression: penalty = ", penalty, ", expected > 0");
  SideSearch search(kernel_, y_, weights_, level, penalty);
  if (start != nullptr) {
    search.start_from(*start);
  } else {
    search.start_anew();
  }
  const double smoothing =
      start != nullptr ? std::min(0.1, near_residuals / static_cast<double>(y_.size())) : first_smoothing;
  return search.run(smoothing * search.typical_residual());
}

}  // namespace condens
