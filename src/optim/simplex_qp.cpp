#include "condens/optim/simplex_qp.hpp"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "condens/core/cancellation.hpp"
#include "condens/core/errors.hpp"
#include "condens/core/parallel.hpp"
#include "growing_cholesky.hpp"

namespace condens {

namespace {

constexpr Index rows_per_block = 4096;

/// A point of the simplex, its free coordinates in the order in which they came, and their columns of Q.
class FreeCoordinates {
 public:
  FreeCoordinates(const QpColumns& q, const VectorView& v, int threads)
      : q_(q), v_(v), threads_(threads), position_(static_cast<std::size_t>(v.size()), -1) {
    const double mean = q.diagonal.mean();
    least_ridge_ = mean > 0 ? 1e-26 * mean : 1.0;
  }

  bool contains(Index i) const { return position_[static_cast<std::size_t>(i)] >= 0; }
  const std::vector<Index>& members() const { return members_; }
  double value(Index k) const { return values_[static_cast<std::size_t>(k)]; }

  void enter(Index i, double value) {
    check_cancelled();
    const Index slot = take_slot();
    q_.column(i, columns_.col(slot));
    Vector cross(std::ssize(members_));
    for (Index k = 0; k < cross.size(); ++k) cross[k] = columns_(members_[static_cast<std::size_t>(k)], slot);
    const double ridge = std::max(1e-13 * q_.diagonal[i], least_ridge_);
    const double left = factor_.append(cross, q_.diagonal[i] + ridge, ridge);
    if (!(left >= -1e-9 * q_.diagonal.maxCoeff())) {
      throw NumericalError("solve_simplex_qp: Q is not positive semidefinite on the free coordinates");
    }
    position_[static_cast<std::size_t>(i)] = std::ssize(members_);
    members_.push_back(i);
    slots_.push_back(slot);
    values_.push_back(value);
  }

  /// One step towards the minimum over the free coordinates, as far as none turns negative. Those
  /// that reach zero leave; `blocked` is the first of them, -1 after a full step.
  struct Step {
    double length;
    Index blocked;
  };
  Step move() {
    check_cancelled();
    const Vector step = direction();
    double length = 1.0;
    Index blocking = -1;
    for (Index k = 0; k < step.size(); ++k) {
      if (value(k) + step[k] <= 0 && value(k) / -step[k] < length) {
        length = value(k) / -step[k];
        blocking = k;
      }
    }
    for (Index k = 0; k < step.size(); ++k) {
      double& here = values_[static_cast<std::size_t>(k)];
      here = k == blocking ? 0.0 : std::max(here + length * step[k], 0.0);
    }
    const Index blocked = blocking < 0 ? -1 : members_[static_cast<std::size_t>(blocking)];
    for (Index k = step.size() - 1; k >= 0 && blocked >= 0; --k) {
      const bool at_zero = value(k) == 0.0 && step[k] < 0;  // what has just come and rises may stay
      if (k == blocking || at_zero) leave(k);
    }
    double sum = 0;
    for (const double x : values_) sum += x;
    for (double& x : values_) x /= sum;
    return {length, blocked};
  }

  /// Qb, all of it.
  Vector product() const {
    Vector weight = Vector::Zero(used_slots_);
    for (std::size_t k = 0; k < slots_.size(); ++k) weight[slots_[k]] = values_[k];
    Vector out(v_.size());
    parallel_for(block_count(out.size(), rows_per_block), threads_, [&](Index block) {
      const auto [begin, end] = block_range(out.size(), rows_per_block, block);
      out.segment(begin, end - begin).noalias() = columns_.block(begin, 0, end - begin, used_slots_) * weight;
    });
    return out;
  }

  Vector point() const {
    Vector out = Vector::Zero(v_.size());
    for (std::size_t k = 0; k < members_.size(); ++k) out[members_[k]] = values_[k];
    return out;
  }

 private:
  Index take_slot() {
    if (!free_slots_.empty()) {
      const Index slot = free_slots_.back();
      free_slots_.pop_back();
      return slot;
    }
    if (used_slots_ == columns_.cols()) {
      columns_.conservativeResize(v_.size(), std::min(v_.size(), std::max<Index>(16, 2 * used_slots_)));
    }
    return used_slots_++;
  }

  /// d with (Q + ridge) d = mu - g and 1'd = 0 on the free coordinates. The ridge makes steps shorter
  /// where Q is flat and leaves the point that they tend to as it is.
  Vector direction() const {
    const Index s = std::ssize(members_);
    Vector gradient(s);
    for (Index k = 0; k < s; ++k) gradient[k] = -v_[members_[static_cast<std::size_t>(k)]];
    for (Index l = 0; l < s; ++l) {
      const double* column = columns_.col(slots_[static_cast<std::size_t>(l)]).data();
      const double weight = value(l);
      for (Index k = 0; k < s; ++k) gradient[k] += weight * column[members_[static_cast<std::size_t>(k)]];
    }
    gradient.array() -= gradient.mean();  // a multiple of 1 is no part of d: small numbers, small errors
    const Vector pull = factor_.solve(-gradient);
    const Vector level = factor_.solve(Vector::Ones(s));
    return pull - pull.sum() / level.sum() * level;
  }

  void leave(Index k) {
    const auto at = static_cast<std::ptrdiff_t>(k);
    factor_.remove(k);
    free_slots_.push_back(slots_[static_cast<std::size_t>(k)]);
    position_[static_cast<std::size_t>(members_[static_cast<std::size_t>(k)])] = -1;
    members_.erase(members_.begin() + at);
    slots_.erase(slots_.begin() + at);
    values_.erase(values_.begin() + at);
    for (std::size_t l = static_cast<std::size_t>(k); l < members_.size(); ++l) {
      position_[static_cast<std::size_t>(members_[l])] = static_cast<Index>(l);
    }
  }

  const QpColumns& q_;
  VectorView v_;
  int threads_;
  double least_ridge_;
  std::vector<Index> position_;  // of every coordinate among the free ones, or -1
  std::vector<Index> members_;
  std::vector<Index> slots_;  // the column of columns_ that each owns
  std::vector<double> values_;
  Matrix columns_;
  Index used_slots_ = 0;
  std::vector<Index> free_slots_;
  GrowingCholesky factor_;
};

void check(const QpColumns& q, const VectorView& v) {
  require(v.size() > 0, "solve_simplex_qp: v is empty, expected at least one number");
  require(q.diagonal.size() == v.size(), "solve_simplex_qp: Q has order ", q.diagonal.size(), " and v ", v.size(),
          " numbers, expected as many");
  require(v.allFinite() && q.diagonal.allFinite(), "solve_simplex_qp: Q or v holds NaN or infinity");
  require(q.diagonal.minCoeff() >= 0, "solve_simplex_qp: Q has the diagonal entry ", q.diagonal.minCoeff(),
          ", expected numbers >= 0");
}

/// Up to `count` coordinates at zero with the lowest gradients below `level`.
std::vector<Index> lowest_outside(const FreeCoordinates& free, const Vector& gradient, double level, std::size_t count,
                                  const std::vector<Index>& barred) {
  std::vector<Index> out;
  for (Index i = 0; i < gradient.size(); ++i) {
    if (gradient[i] < level && !free.contains(i) && std::find(barred.begin(), barred.end(), i) == barred.end()) {
      out.push_back(i);
    }
  }
  count = std::min(count, out.size());
  std::partial_sort(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(count), out.end(), [&](Index i, Index j) {
    return gradient[i] < gradient[j] || (gradient[i] == gradient[j] && i < j);
  });
  out.resize(count);
  return out;
}

}  // namespace

double frank_wolfe_gap(const VectorView& b, const VectorView& product, const VectorView& v) {
  return std::max(0.0, b.dot(product - v) - (product - v).minCoeff());
}

SimplexQp solve_simplex_qp(const QpColumns& q, const VectorView& v, const SimplexQpSettings& settings) {
  check(q, v);
  const Index n = v.size();
  FreeCoordinates free(q, v, settings.threads);
  Index start = 0;
  (0.5 * q.diagonal - v).minCoeff(&start);
  free.enter(start, 1.0);

  SimplexQp out{{}, 0.0, 0.0, 0};
  double lowest_objective = std::numeric_limits<double>::infinity();
  std::vector<Index> barred;  // what left as soon as it had come: rounding errors brought it
  std::vector<Index> entered;
  std::size_t batch = 1;  // how many may come at once: as long as none of them leaves
  int corrections = 0;
  const Index most_iterations = 10 * n + 100;
  for (;;) {
    for (Index blocked = 0; blocked >= 0 && out.iterations < most_iterations; ++out.iterations) {
      const FreeCoordinates::Step step = free.move();
      blocked = step.blocked;
      if (blocked >= 0) batch = 0;
      if (entered.size() == 1 && blocked == entered.front() && step.length == 0.0) barred.push_back(blocked);
    }
    const Vector product = free.product();
    const Vector gradient = product - v;
    out.solution = free.point();
    out.objective = 0.5 * out.solution.dot(gradient - v);
    out.gap = frank_wolfe_gap(out.solution, product, v);
    const double rounding = 1e-14 * (product.cwiseAbs().maxCoeff() + v.cwiseAbs().maxCoeff());
    if (out.gap <= std::max(settings.tolerance, rounding) || out.iterations >= most_iterations) return out;
    if (settings.poll) settings.poll();
    if (out.objective < lowest_objective - rounding) {
      lowest_objective = out.objective;
      barred.clear();
    }
    double level = std::numeric_limits<double>::infinity();
    for (const Index i : free.members()) level = std::min(level, gradient[i]);
    batch = std::max<std::size_t>(1, 2 * batch);
    entered = lowest_outside(free, gradient, level - rounding, batch, barred);
    for (const Index i : entered) free.enter(i, 0.0);
    corrections = entered.empty() ? corrections + 1 : 0;
    if (corrections > 3) return out;  // what is left are rounding errors of the free part
  }
}

SimplexQp solve_simplex_qp(const Matrix& q, const VectorView& v, const SimplexQpSettings& settings) {
  require(q.rows() == q.cols(), "solve_simplex_qp: Q is ", q.rows(), " x ", q.cols(), ", expected a square matrix");
  require(q.allFinite(), "solve_simplex_qp: Q holds NaN or infinity");
  const QpColumns columns{q.diagonal(), [&](Index j, Eigen::Ref<Vector> column) { column = q.col(j); }};
  return solve_simplex_qp(columns, v, settings);
}

}  // namespace condens
