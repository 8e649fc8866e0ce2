#include "condens/optim/nonnegative_group_lasso.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "condens/core/errors.hpp"
#include "condens/optim/nonnegative_qp.hpp"

namespace condens {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
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

/// The minimiser over z >= 0 of 0.5 z'Bz - right'z, B positive definite. Block principal pivoting (Portugal, Judice
/// and Vicente 1994), all coordinates of the wrong sign change sides at once, takes a handful of systems from the
/// support of `start`; where it goes astray, as it may when B is nearly singular, an active set does it.
Vector minimise_model(const Matrix& b, const Vector& right, const Vector& start) {
  const Index n = start.size();
  Eigen::Array<bool, Eigen::Dynamic, 1> is_free = start.array() > 0;
  const double rounding = 1e-14 * right.cwiseAbs().maxCoeff();
  Index fewest = n + 1;
  std::vector<Index> free;
  for (int patience = 3; patience > 0;) {
    free.clear();
    for (Index i = 0; i < n; ++i) {
      if (is_free[i]) free.push_back(i);
    }
    Vector values = right(free);
    Matrix part = b(free, free);
    const Eigen::LLT<Eigen::Ref<Matrix>> factor(part);
    if (factor.info() != Eigen::Success) break;
    factor.solveInPlace(values);
    Vector z = Vector::Zero(n);
    z(free) = values;
    const Vector slack = b * z - right;
    Index wrong = 0;
    for (Index i = 0; i < n; ++i) {
      if (is_free[i] ? z[i] < 0 : slack[i] < -rounding) {
        is_free[i] = !is_free[i];
        ++wrong;
      }
    }
    if (wrong == 0) return z;
    if (wrong < fewest) {
      fewest = wrong;
      patience = 3;
    } else {
      --patience;
    }
  }
  return solve_nonnegative_qp(b, right, start).solution;
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
  lambda_ = lambda;
  rounds_ = 0;
  finished_ = false;
  widen(true);
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

/// One Newton step on the coordinates of the groups that are in: the minimiser of the quadratic model over x >= 0,
/// and as much of the way there as lowers the objective. False: no descent left.
bool NonnegativeGroupLasso::newton() {
  struct Part {
    Index begin;
    double curvature;
  };
  std::vector<Index> inside;
  std::vector<Part> parts;
  Vector all_gradient = hx_ - h_;
  Vector unit = Vector::Zero(x_.size());
  for (const Block& block : blocks_) {
    const auto x = x_.segment(block.begin, block.size());
    const double norm = x.norm();
    if (norm == 0 && block.penalty > 0) continue;
    if (norm > 0) unit.segment(block.begin, block.size()) = x / norm;
    all_gradient.segment(block.begin, block.size()) += block.penalty * unit.segment(block.begin, block.size());
    parts.push_back({std::ssize(inside), norm > 0 ? block.penalty / norm : 0.0});
    for (Index i = block.begin; i < block.end; ++i) {
      if (x_[i] > 0 || all_gradient[i] < 0) inside.push_back(i);
    }
  }
  if (inside.empty()) return false;
  parts.push_back({std::ssize(inside), 0.0});

  const Vector x = x_(inside);
  const Vector gradient = all_gradient(inside);
  const Vector inside_unit = unit(inside);
  Matrix hessian = gram_(inside, inside);
  for (std::size_t k = 0; k + 1 < parts.size(); ++k) {
    const Index count = parts[k + 1].begin - parts[k].begin;
    const auto u = inside_unit.segment(parts[k].begin, count);
    auto part = hessian.block(parts[k].begin, parts[k].begin, count, count);
    part.diagonal().array() += parts[k].curvature;
    part.noalias() -= parts[k].curvature * u * u.transpose();
  }
  hessian.diagonal().array() += 1e-11 * hessian.diagonal().maxCoeff();
  // 0.5 (z - x)'B(z - x) + gradient'(z - x) over z >= 0
  const Vector direction = minimise_model(hessian, hessian * x - gradient, x) - x;
  const double slope = gradient.dot(direction);
  if (!(slope < 0)) return false;

  const Vector h_direction = gram_(Eigen::all, inside) * direction;
  const double before = working_objective(x_, hx_);
  for (double step = 1; step > 1e-10; step *= 0.5) {
    Vector next = x_;
    for (Index i = 0; i < x.size(); ++i) {
      next[inside[static_cast<std::size_t>(i)]] = std::max(0.0, x[i] + step * direction[i]);
    }
    Vector next_h = hx_ + step * h_direction;
    if (working_objective(next, next_h) <= before + 1e-4 * step * slope) {
      x_ = std::move(next);
      hx_ = std::move(next_h);
      return true;
    }
  }
  return false;
}

/// Sweeps decide which groups are in; Newton steps finish while they make progress.
void NonnegativeGroupLasso::minimise() {
  const double goal = 0.25 * tolerance_;
  for (int round = 0; round < 200; ++round) {
    sweep();
    double gap = working_gap();
    for (int step = 0; step < 15 && gap > goal; ++step) {
      if (!newton()) break;
      const double before = gap;
      gap = working_gap();
      if (gap > 0.5 * before) break;
    }
    if (gap <= goal) return;
  }
}

}  // namespace condens
