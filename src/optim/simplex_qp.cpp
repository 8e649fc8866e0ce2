#include "condens/optim/simplex_qp.hpp"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "active_set.hpp"
#include "condens/core/cancellation.hpp"
#include "condens/core/errors.hpp"
#include "condens/core/parallel.hpp"

namespace condens {

namespace {

constexpr Index rows_per_block = 4096;

/// A point of the simplex, and the columns of Q of its free coordinates.
class FreeCoordinates {
 public:
  FreeCoordinates(const QpColumns& q, const VectorView& v, int threads)
      : q_(q), v_(v), threads_(threads), free_(v.size()), slot_(static_cast<std::size_t>(v.size()), -1) {
    const double mean = q.diagonal.mean();
    least_ridge_ = mean > 0 ? 1e-26 * mean : 1.0;
  }

  bool contains(Index i) const { return free_.contains(i); }
  const std::vector<Index>& members() const { return free_.members(); }
  Vector point() const { return free_.point(); }

  void enter(Index i, double value) {
    check_cancelled();
    const Index slot = take_slot();
    q_.column(i, columns_.col(slot));
    const Vector cross = columns_.col(slot)(members());
    const double ridge = std::max(1e-13 * q_.diagonal[i], least_ridge_);
    const double left = free_.enter(i, value, cross, q_.diagonal[i] + ridge, ridge);
    if (!(left >= -1e-9 * q_.diagonal.maxCoeff())) {
      throw NumericalError("solve_simplex_qp: Q is not positive semidefinite on the free coordinates");
    }
    slot_[static_cast<std::size_t>(i)] = slot;
  }

  /// One step towards the minimum over the free coordinates.
  ActiveSet::Step move() {
    check_cancelled();
    ActiveSet::Step step = free_.walk(direction());
    for (const Index i : step.left) free_slots_.push_back(slot_[static_cast<std::size_t>(i)]);
    double sum = 0;
    for (const double x : free_.values()) sum += x;
    free_.set_values(free_.values() / sum);
    return step;
  }

  /// Qb, all of it.
  Vector product() const {
    Vector weight = Vector::Zero(used_slots_);
    for (Index k = 0; k < free_.size(); ++k) weight[slot(k)] = free_.value(k);
    Vector out(v_.size());
    parallel_for(block_count(out.size(), rows_per_block), threads_, [&](Index block) {
      const auto [begin, end] = block_range(out.size(), rows_per_block, block);
      out.segment(begin, end - begin).noalias() = columns_.block(begin, 0, end - begin, used_slots_) * weight;
    });
    return out;
  }

 private:
  /// The column of columns_ that a free coordinate owns.
  Index slot(Index k) const { return slot_[static_cast<std::size_t>(members()[static_cast<std::size_t>(k)])]; }

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
    Vector gradient = -v_(members());
    for (Index l = 0; l < free_.size(); ++l) {
      const double* column = columns_.col(slot(l)).data();
      const double weight = free_.value(l);
      for (Index k = 0; k < free_.size(); ++k) gradient[k] += weight * column[members()[static_cast<std::size_t>(k)]];
    }
    gradient.array() -= gradient.mean();  // a multiple of 1 is no part of d: small numbers, small errors
    const Vector pull = free_.solve(-gradient);
    const Vector level = free_.solve(Vector::Ones(gradient.size()));
    return pull - pull.sum() / level.sum() * level;
  }

  const QpColumns& q_;
  VectorView v_;
  int threads_;
  double least_ridge_;
  ActiveSet free_;
  std::vector<Index> slot_;  // of every free coordinate
  Matrix columns_;
  Index used_slots_ = 0;
  std::vector<Index> free_slots_;
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
  if (b.size() == 0) return 0.0;
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
      const ActiveSet::Step step = free.move();
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
