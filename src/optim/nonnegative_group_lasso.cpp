#include "condens/optim/nonnegative_group_lasso.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "condens/core/errors.hpp"
#include "condens/optim/nonnegative_qp.hpp"

namespace condens {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr Index most_rounds = 100;
constexpr int few_pivotings = 2;

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
  std::vector<Index> active;
  for (Index i = 0; i < a.size(); ++i) {
    if (a.data()[i] > 0) active.push_back(i);
  }
  if (std::ssize(groups) == linear_.cols()) {
    Eigen::Map<Vector> all(q.data(), q.size());
    all.setZero();
    for (const Index i : active) all += gram_.col(i) * a.data()[i];
    return;
  }
  for (const Index g : groups) {
    q.col(g).setZero();
    for (const Index i : active) q.col(g) += gram_.col(i).segment(g * size, size) * a.data()[i];
  }
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

NonnegativeGroupLasso::NonnegativeGroupLasso(const GroupQuadratic& problem, Vector weights, double tolerance)
    : problem_(problem),
      weights_(std::move(weights)),
      tolerance_(tolerance),
      a_(Matrix::Zero(problem.linear().rows(), problem.linear().cols())),
      q_(Matrix::Zero(problem.linear().rows(), problem.linear().cols())) {
  require(weights_.size() == a_.cols(), "NonnegativeGroupLasso: ", weights_.size(), " weights for ", a_.cols(),
          " groups");
  largest_linear_ = a_.cols() > 0 ? problem.linear().colwise().norm().maxCoeff() : 0.0;
}

double NonnegativeGroupLasso::penalty(Index group) const {
  return weights_[group] == 0 ? 0.0 : lambda_ * weights_[group];
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
  Vector next_h = gram_ * next;
  if (working_objective(next, next_h) < working_objective(x_, hx_)) {
    x_.swap(next);
    hx_.swap(next_h);
  }
}

/// The working set becomes the support, the coordinates of its groups that pull inwards at the last product, and
/// those of the groups that violate their bound most.
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
  for (const Index g : inside) {
    const auto pull = h.col(g) - q_.col(g);
    for (Index b = 0; b < size; ++b) {
      if (a_(b, g) > 0 || pull[b] > 0) coordinates.push_back(g * size + b);
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
    if (blocks_.empty() || blocks_.back().group != g) blocks_.push_back({g, i, i, penalty(g)});
    ++blocks_.back().end;
    h_[i] = problem_.linear().data()[c];
    x_[i] = a_.data()[c];
  }
  hx_.noalias() = gram_ * x_;
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
    const auto gram = gram_.block(block.begin, block.begin, block.size(), block.size());
    auto x = x_.segment(block.begin, block.size());
    const Vector before = x;
    const Vector right = h_.segment(block.begin, block.size()) - hx_.segment(block.begin, block.size()) + gram * before;
    if (block.penalty > 0 && right.cwiseMax(0.0).norm() <= block.penalty) {
      x.setZero();
    } else {
      const double step = gram.colwise().sum().maxCoeff();  // bounds the largest eigenvalue: all entries are >= 0
      if (!(step > 0)) continue;
      for (int inner = 0; inner < 10; ++inner) {
        Vector next = (x + (right - gram * x) / step).cwiseMax(0.0);
        const double norm = next.norm();
        if (norm > 0) next *= std::max(0.0, 1 - block.penalty / (step * norm));
        const double change = (next - x).norm();
        x = next;
        if (change <= 1e-3 * norm) break;
      }
    }
    const Vector delta = x - before;
    if (delta.cwiseAbs().maxCoeff() > 0) {
      hx_.noalias() += gram_.middleCols(block.begin, block.size()) * delta;
    }
  }
}

/// One Newton step on the groups that are in: towards the minimiser z over z >= 0 of the quadratic model
/// 0.5 z'(H + C)z - right'z, with C the blocks c (I - u u'), c = lambda w / |x|, u = x / |x|, right = h - lambda w u,
/// as far as that lowers the objective. False: no descent left.
bool NonnegativeGroupLasso::newton(int pivotings) {
  const Index n = x_.size();
  Model model{Vector::Zero(n), Vector::Zero(n), h_};
  Flags is_free = Flags::Constant(n, false);
  for (const Block& block : blocks_) {
    const auto x = x_.segment(block.begin, block.size());
    const double norm = x.norm();
    if (norm == 0 && block.penalty > 0) {
      model.right.segment(block.begin, block.size()).setConstant(-infinity);
      continue;
    }
    if (norm > 0) {
      model.unit.segment(block.begin, block.size()) = x / norm;
      model.curvature.segment(block.begin, block.size()).setConstant(block.penalty / norm);
      model.right.segment(block.begin, block.size()) -= block.penalty / norm * x;
    }
    for (Index i = block.begin; i < block.end; ++i) {
      is_free[i] = x[i - block.begin] > 0 || hx_[i] < model.right[i];
    }
  }
  Vector z;
  Vector hz;
  if (!minimise_model(model, is_free, pivotings, z, hz)) return false;
  const Vector direction = z - x_;
  const Vector h_direction = hz - hx_;
  double slope = 0;
  for (Index i = 0; i < n; ++i) {
    if (direction[i] != 0) slope += (hx_[i] - model.right[i]) * direction[i];
  }
  if (!(slope < 0)) return false;
  const double before = working_objective(x_, hx_);
  for (int halvings = 0; halvings < 34; ++halvings) {
    const double step = std::ldexp(1.0, -halvings);
    const Vector next = step == 1 ? z : Vector(x_ + step * direction);
    const Vector next_h = step == 1 ? hz : Vector(hx_ + step * h_direction);
    if (working_objective(next, next_h) <= before + 1e-4 * step * slope) {
      x_ = next;
      hx_ = next_h;
      return true;
    }
  }
  return false;
}

/// The lower triangle of the model's quadratic part on some coordinates, with a trace of a ridge.
Matrix NonnegativeGroupLasso::free_part(const Model& model, const std::vector<Index>& free) const {
  const Index size = std::ssize(free);
  Matrix part(size, size);
  double largest = 0;
  for (Index j = 0; j < size; ++j) {
    const Index c = free[static_cast<std::size_t>(j)];
    const double* column = gram_.col(c).data();
    for (Index i = j; i < size; ++i) part(i, j) = column[free[static_cast<std::size_t>(i)]];
    part(j, j) += model.curvature[c];
    largest = std::max(largest, part(j, j));
  }
  for (const Block& block : blocks_) {
    const double curvature = model.curvature[block.begin];
    if (!(curvature > 0)) continue;
    const Index begin = std::lower_bound(free.begin(), free.end(), block.begin) - free.begin();
    const Index end = std::lower_bound(free.begin(), free.end(), block.end) - free.begin();
    const Vector u = model.unit(std::vector<Index>(free.begin() + begin, free.begin() + end));
    part.block(begin, begin, end - begin, end - begin).selfadjointView<Eigen::Lower>().rankUpdate(u, -curvature);
  }
  part.diagonal().array() += 1e-11 * largest;
  return part;
}

/// z >= 0 near the minimiser of the model, and H z; false where there is none. Block principal pivoting (Portugal,
/// Judice and Vicente 1994), from the free coordinates given: all of the wrong sign change sides at once. What few
/// pivotings leave is cut off at 0; after many, the model is nearly singular, and an active set minimises it.
bool NonnegativeGroupLasso::minimise_model(const Model& model, Flags& is_free, int pivotings, Vector& z,
                                           Vector& hz) const {
  const Index n = x_.size();
  const double rounding = 1e-14 * h_.cwiseAbs().maxCoeff();
  std::vector<Index> free;
  for (int round = 0; round < pivotings; ++round) {
    free.clear();
    for (Index i = 0; i < n; ++i) {
      if (is_free[i]) free.push_back(i);
    }
    if (free.empty()) return false;
    Matrix part = free_part(model, free);
    const Eigen::LLT<Eigen::Ref<Matrix>> factor(part);
    if (factor.info() != Eigen::Success) return false;
    const Vector values = factor.solve(Vector(model.right(free)));
    z = Vector::Zero(n);
    z(free) = values;
    hz.noalias() = gram_ * z;
    Index wrong = 0;
    for (const Block& block : blocks_) {
      const double along = model.unit.segment(block.begin, block.size()).dot(z.segment(block.begin, block.size()));
      for (Index i = block.begin; i < block.end; ++i) {
        const double slack = hz[i] + model.curvature[i] * (z[i] - model.unit[i] * along) - model.right[i];
        if (is_free[i] ? z[i] < 0 : slack < -rounding) {
          is_free[i] = !is_free[i];
          ++wrong;
        }
      }
    }
    if (wrong == 0) return true;
  }
  if (pivotings > few_pivotings) {
    free.clear();
    for (Index i = 0; i < n; ++i) {
      if (std::isfinite(model.right[i])) free.push_back(i);
    }
    z = Vector::Zero(n);
    z(free) = solve_nonnegative_qp(free_part(model, free), Vector(model.right(free)), Vector(x_(free))).solution;
  }
  z = z.cwiseMax(0.0);
  hz.noalias() = gram_ * z;
  return true;
}

/// Sweeps decide which groups are in; Newton steps finish while they make progress. The first model is not minimised
/// to the end, as the next ones are better.
void NonnegativeGroupLasso::minimise() {
  const double goal = 0.25 * tolerance_;
  for (int round = 0; round < 200; ++round) {
    sweep();
    double gap = working_gap();
    for (int step = 0; step < 15 && gap > goal; ++step) {
      if (!newton(round == 0 ? few_pivotings : 10)) break;
      const double before = gap;
      gap = working_gap();
      if (gap > 0.5 * before) break;
    }
    if (gap <= goal) return;
  }
}

}  // namespace condens
