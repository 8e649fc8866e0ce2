#include "nonnegative_group_lasso.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "condens/core/cancellation.hpp"
#include "condens/core/errors.hpp"
#include "nonzero_columns.hpp"

namespace condens {

namespace {

constexpr Index most_rounds = 100;

/// The smallest s' >= s with |[h - s' q]_+| <= bound, h and q >= 0; infinity where there is none. The left side is
/// convex and falls, so that Newton's iteration approaches from below; the last digits are added.
template <class H, class Q>
double feasible_scale(const H& h, const Q& q, double bound, double s) {
  for (int iteration = 0; iteration < 100; ++iteration) {
    double value = 0;
    double slope = 0;
    for (Index b = 0; b < h.size(); ++b) {
      const double rest = h[b] - s * q[b];
      if (rest <= 0) continue;
      value += rest * rest;
      slope += rest * q[b];
    }
    value = std::sqrt(value);
    if (value <= bound) return s;
    if (!(slope > 0)) return infinity;
    // Newton for value(s) = bound; d value / ds = -slope / value.
    const double next = s + (value - bound) * value / slope;
    s = std::max(next, s * (1 + 4e-16));
    if (iteration > 20) s *= 1 + 1e-15;
  }
  return infinity;
}

template <class H, class Q>
double feasible_scale_unpenalised(const H& h, const Q& q, double s) {
  for (Index b = 0; b < h.size(); ++b) {
    if (h[b] > s * q[b]) s = q[b] > 0 ? h[b] / q[b] : infinity;
  }
  return s;
}

/// How far one proximal gradient step of length one moves a group: 0 exactly where it is optimal.
template <class H, class Q, class A>
double group_residual(const H& h, const Q& q, const A& a, double penalty) {
  Vector next = (a + h - q).cwiseMax(0.0);
  const double norm = next.norm();
  if (norm > 0) next *= std::max(0.0, 1 - penalty / norm);
  return (next - a).norm();
}

}  // namespace

Matrix GroupQuadratic::product(const Matrix& a) const {
  Matrix q(linear().rows(), linear().cols());
  std::vector<Index> groups(static_cast<std::size_t>(q.cols()));
  std::iota(groups.begin(), groups.end(), Index{0});
  product(a, groups, q);
  return q;
}

void DenseGroupQuadratic::product(const Matrix& a, const std::vector<Index>& groups, Matrix& q) const {
  const Index size = linear_.rows();
  const auto coefficients = a.reshaped();
  if (std::ssize(groups) == linear_.cols()) {
    q.reshaped() = nonzero_product(gram_, coefficients);
    return;
  }
  for (const Index g : groups) q.col(g) = nonzero_product(gram_.middleRows(g * size, size), coefficients);
}

Matrix DenseGroupQuadratic::entries(const std::vector<Index>& rows, const std::vector<Index>& columns) const {
  return gram_(rows, columns);
}

Vector group_correlations(const Matrix& linear, const Matrix& q) {
  return (linear - q).cwiseMax(0.0).colwise().norm().transpose();
}

GroupLassoCertificate certify_group_lasso(const Matrix& linear, const Vector& weights, double lambda, const Matrix& a,
                                          const Matrix& q) {
  GroupLassoCertificate out;
  const double aq = a.cwiseProduct(q).sum();
  const double ha = a.cwiseProduct(linear).sum();
  double penalties = 0;
  double s = 1;
  double largest_h = 0;
  for (Index g = 0; g < a.cols(); ++g) {
    const double penalty = weights[g] == 0 ? 0 : lambda * weights[g];
    const double norm = a.col(g).norm();
    if (norm > 0) penalties += penalty * norm;
    s = penalty == 0 ? feasible_scale_unpenalised(linear.col(g), q.col(g), s)
                     : feasible_scale(linear.col(g), q.col(g), penalty, s);
    out.kkt_residual = std::max(out.kkt_residual, group_residual(linear.col(g), q.col(g), a.col(g), penalty));
    largest_h = std::max(largest_h, linear.col(g).norm());
  }
  if (largest_h > 0) out.kkt_residual /= largest_h;
  out.objective = 0.5 * aq - ha + penalties;
  // At a = 0 a feasible s gives the dual value 0; an infinite one, no bound.
  const double dual = aq > 0 || std::isinf(s) ? 0.5 * s * s * aq : 0.0;
  out.gap = std::isnan(dual) ? infinity : std::max(0.0, out.objective + dual);
  out.relative_gap = out.gap == 0 ? 0 : out.gap / std::abs(out.objective);
  return out;
}

NonnegativeGroupLasso::NonnegativeGroupLasso(const GroupQuadratic& problem, Vector weights, double tolerance,
                                             const std::vector<Index>& order)
    : problem_(problem),
      weights_(std::move(weights)),
      tolerance_(tolerance),
      place_in_order_(order.size()),
      a_(Matrix::Zero(problem.linear().rows(), problem.linear().cols())),
      q_(Matrix::Zero(problem.linear().rows(), problem.linear().cols())) {
  require(weights_.size() == a_.cols(), "NonnegativeGroupLasso: ", weights_.size(), " weights for ", a_.cols(),
          " groups");
  for (std::size_t i = 0; i < order.size(); ++i) {
    place_in_order_[static_cast<std::size_t>(order[i])] = static_cast<Index>(i);
  }
  largest_linear_ = a_.cols() > 0 ? problem.linear().colwise().norm().maxCoeff() : 0.0;
}

double NonnegativeGroupLasso::penalty(Index group) const {
  return weights_[group] == 0 ? 0.0 : lambda_ * weights_[group];
}

Vector NonnegativeGroupLasso::penalties() const {
  Vector out(weights_.size());
  for (Index g = 0; g < out.size(); ++g) out[g] = penalty(g);
  return out;
}

void NonnegativeGroupLasso::begin(double lambda) {
  require(lambda > 0, "NonnegativeGroupLasso: lambda = ", lambda, ", expected a number > 0");
  // As far as the last two solutions lead, in lambda.
  const double share = (lambda - lambda_) / (lambda_ - older_lambda_);
  const std::vector<Index> older = std::exchange(older_coordinates_, coordinates_);
  const Vector older_x = std::exchange(older_x_, x_);
  older_lambda_ = std::exchange(lambda_, lambda);
  rounds_ = 0;
  finished_ = false;
  widen(true);
  if (!(share > 0) || !std::isfinite(share)) return;
  Vector next = (1 + share) * x_;
  for (std::size_t i = 0, j = 0; i < older.size(); ++i) {
    while (j < coordinates_.size() && coordinates_[j] < older[i]) ++j;
    if (j == coordinates_.size()) break;
    if (coordinates_[j] == older[i]) next[static_cast<Index>(j)] -= share * older_x[static_cast<Index>(i)];
  }
  next = next.cwiseMax(0.0);
  Vector next_h = nonzero_product(gram_, next);
  if (working_objective(next, next_h) < working_objective(x_, hx_)) {
    x_.swap(next);
    hx_.swap(next_h);
  }
}

/// The working set becomes, of the groups of the support and those that violate their bound most: the support, what
/// pulls inwards at the last product, and what is in it already, since its part of H is known.
void NonnegativeGroupLasso::widen(bool new_groups) {
  const Matrix& h = problem_.linear();
  const Index size = h.rows();
  std::vector<std::pair<double, Index>> violators;
  std::vector<Index> inside;
  for (Index g = 0; g < h.cols(); ++g) {
    const double bound = penalty(g);
    if (bound == 0 || (a_.col(g).array() > 0).any()) {
      inside.push_back(g);
    } else if (new_groups && std::isfinite(bound)) {
      const double pull = (h.col(g) - q_.col(g)).cwiseMax(0.0).norm();
      if (pull > bound) violators.emplace_back(-pull / bound, g);
    }
  }
  const std::size_t most = std::max<std::size_t>(10, 2 * inside.size());
  std::sort(violators.begin(), violators.end());
  if (violators.size() > most) violators.resize(most);
  for (const auto& violator : violators) inside.push_back(violator.second);
  std::sort(inside.begin(), inside.end());
  std::vector<Index> coordinates;
  std::size_t known = 0;
  for (const Index g : inside) {
    const auto pull = h.col(g) - q_.col(g);
    for (Index b = 0; b < size; ++b) {
      const Index c = g * size + b;
      while (known < coordinates_.size() && coordinates_[known] < c) ++known;
      const bool stays = known < coordinates_.size() && coordinates_[known] == c;
      if (stays || a_(b, g) > 0 || pull[b] > 0) coordinates.push_back(c);
    }
  }
  set_working(std::move(coordinates));
}

/// Takes over what is known of H; the rest is asked for.
void NonnegativeGroupLasso::set_working(std::vector<Index> coordinates) {
  const Index count = std::ssize(coordinates);
  std::vector<Index> old_from;
  std::vector<Index> old_to;
  std::vector<Index> fresh;
  std::vector<Index> fresh_to;
  for (Index i = 0; i < count; ++i) {
    const Index c = coordinates[static_cast<std::size_t>(i)];
    const auto found = std::lower_bound(coordinates_.begin(), coordinates_.end(), c);
    if (found != coordinates_.end() && *found == c) {
      old_from.push_back(found - coordinates_.begin());
      old_to.push_back(i);
    } else {
      fresh.push_back(c);
      fresh_to.push_back(i);
    }
  }
  if (!fresh.empty() || old_from.size() != coordinates_.size()) {
    Matrix gram(count, count);
    gram(old_to, old_to) = gram_(old_from, old_from);
    if (!fresh.empty()) {
      const Matrix entries = problem_.entries(coordinates, fresh);
      gram(Eigen::all, fresh_to) = entries;
      gram(fresh_to, Eigen::all) = entries.transpose();
    }
    gram_ = std::move(gram);
  }
  coordinates_ = std::move(coordinates);

  const Index size = a_.rows();
  blocks_.clear();
  h_.resize(count);
  x_.resize(count);
  for (Index i = 0; i < count; ++i) {
    const Index c = coordinates_[static_cast<std::size_t>(i)];
    const Index g = c / size;
    if (blocks_.empty() || blocks_.back().group != g) blocks_.push_back({g, i, i, penalty(g), 0.0});
    ++blocks_.back().end;
    h_[i] = problem_.linear().data()[c];
    x_[i] = a_.data()[c];
  }
  for (Block& block : blocks_) {
    // All entries are >= 0.
    const auto own = gram_.block(block.begin, block.begin, block.size(), block.size());
    block.largest_eigenvalue = own.colwise().sum().maxCoeff();
  }
  hx_ = nonzero_product(gram_, x_);
}

void NonnegativeGroupLasso::advance() {
  minimise();
  store();
}

void NonnegativeGroupLasso::store() {
  for (Index i = 0; i < x_.size(); ++i) a_.data()[coordinates_[static_cast<std::size_t>(i)]] = x_[i];
}

void NonnegativeGroupLasso::accept(Matrix& q) {
  q_.swap(q);
  ++products_;
  ++rounds_;
  certificate_ = certify_group_lasso(problem_.linear(), weights_, lambda_, a_, q_);
  converged_ = certificate_.relative_gap <= tolerance_;
  finished_ = converged_ || rounds_ >= most_rounds;
  if (!finished_) widen(true);
}

void NonnegativeGroupLasso::solve(double lambda) {
  begin(lambda);
  Matrix q;
  while (!finished_) {
    advance();
    q = problem_.product(a_);
    accept(q);
  }
}

double NonnegativeGroupLasso::lambda_max() {
  solve(infinity);
  const Vector pull = group_correlations(problem_.linear(), q_);
  double out = 0;
  for (Index g = 0; g < pull.size(); ++g) {
    if (weights_[g] > 0) out = std::max(out, pull[g] / weights_[g]);
  }
  return out;
}

double NonnegativeGroupLasso::working_objective(const Vector& x, const Vector& hx) const {
  double out = 0.5 * x.dot(hx) - h_.dot(x);
  for (const Block& block : blocks_) {
    if (block.penalty > 0) out += block.penalty * x.segment(block.begin, block.size()).norm();
  }
  return out;
}

/// The gap of the working problem, relative to its objective.
double NonnegativeGroupLasso::working_gap() const {
  double s = 1;
  for (const Block& block : blocks_) {
    const auto h = h_.segment(block.begin, block.size());
    const auto q = hx_.segment(block.begin, block.size());
    s = block.penalty == 0 ? feasible_scale_unpenalised(h, q, s) : feasible_scale(h, q, block.penalty, s);
  }
  const double xq = x_.dot(hx_);
  const double objective = working_objective(x_, hx_);
  const double gap = objective + (xq > 0 || std::isinf(s) ? 0.5 * s * s * xq : 0.0);
  if (std::isnan(gap)) return infinity;
  return gap <= 0 ? 0 : gap / std::abs(objective);
}

/// Every group in turn, the others fixed: its prox-gradient steps, at most ten.
void NonnegativeGroupLasso::sweep() {
  for (const Block& block : blocks_) {
    check_cancelled();
    const auto gram = gram_.block(block.begin, block.begin, block.size(), block.size());
    auto x = x_.segment(block.begin, block.size());
    const Vector before = x;
    Vector right = h_.segment(block.begin, block.size()) - hx_.segment(block.begin, block.size());
    add_nonzero_columns(gram, before, right);
    if (block.penalty > 0 && right.cwiseMax(0.0).norm() <= block.penalty) {
      x.setZero();
    } else {
      const double step = block.largest_eigenvalue;
      if (!(step > 0)) continue;
      for (int inner = 0; inner < 10; ++inner) {
        Vector next = (x + (right - nonzero_product(gram, x)) / step).cwiseMax(0.0);
        const double norm = next.norm();
        if (norm > 0) next *= std::max(0.0, 1 - block.penalty / (step * norm));
        const double change = (next - x).norm();
        x = next;
        if (change <= 1e-3 * norm) break;
      }
    }
    const Vector delta = x - before;
    if (delta.cwiseAbs().maxCoeff() > 0) {
      add_nonzero_columns(gram_.middleCols(block.begin, block.size()), delta, hx_);
    }
  }
}

/// Sweeps, as long as they promise to reach the goal for less than a Newton step costs; false: they do not.
bool NonnegativeGroupLasso::sweep_to(double goal) {
  // A factorization of order n costs as much as some n / 20 sweeps.
  const double most = 3 + 0.05 * static_cast<double>(x_.size());
  double gap = infinity;
  for (int sweeps = 1; sweeps <= most; ++sweeps) {
    const double before = std::exchange(gap, (sweep(), working_gap()));
    if (gap <= goal) return true;
    const double still_needed = std::log(goal / gap) / std::log(gap / before);
    const bool promising = gap < before && sweeps + still_needed <= most;
    if (sweeps > 1 && !promising) return false;
  }
  return false;
}

/// Sweeps decide which groups are in; Newton steps finish while they make progress. The first models are not minimised
/// to the end, as the next ones are better.
void NonnegativeGroupLasso::minimise() {
  const double goal = 0.25 * tolerance_;
  double objective = infinity;
  for (int round = 0; round < 200; ++round) {
    if (sweep_to(goal)) return;
    // All steps lower the objective; where it stays, the digits are used up.
    if (!(std::exchange(objective, working_objective(x_, hx_)) > objective)) return;
    double gap = working_gap();
    for (int step = 0; step < 15 && gap > goal; ++step) {
      if (!newton(round > 0)) break;
      const double before = gap;
      gap = working_gap();
      if (gap > 0.5 * before) break;
    }
    if (gap <= goal) return;
  }
}

}  // namespace condens
