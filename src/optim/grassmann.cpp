#include "grassmann.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "condens/core/errors.hpp"
#include "linalg/decompositions.hpp"

namespace condens {

namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

/// (M M')^(-1/2); NaN where M has not full rank.
Matrix inverse_root(const MatrixView& m) {
  const SymmetricEigen eigen = symmetric_eigen(m * m.transpose());
  const Vector& values = eigen.values;
  const double least = values.size() > 0 ? values[0] : 1.0;
  const bool full = eigen.found && least > 1e-20 * values[values.size() - 1];
  if (!full) return Matrix::Constant(m.rows(), m.rows(), not_a_number);
  return eigen.vectors * values.cwiseInverse().cwiseSqrt().asDiagonal() * eigen.vectors.transpose();
}

/// G (I - W'W).
Matrix tangent(const MatrixView& w, const MatrixView& gradient) { return gradient - (gradient * w.transpose()) * w; }

double largest(const Matrix& values) { return values.size() > 0 ? values.cwiseAbs().maxCoeff() : 0.0; }

/// Evaluations of one search, which keep the best point.
class Evaluations {
 public:
  Evaluations(const SubspaceObjective& objective, const MatrixView& start)
      : objective_(objective), best_(orthonormal_rows(start)) {
    require(start.rows() <= start.cols(), "subspace of ", start.rows(), " dimensions among ", start.cols(),
            ", expected no more than that");
    require(best_.allFinite(), "subspace: the rows of the start are not independent");
  }

  double operator()(const Matrix& w, Matrix& gradient) {
    ++count_;
    const double value = w.allFinite() ? objective_(w, gradient) : not_a_number;
    if (!std::isfinite(value) || !gradient.allFinite()) return not_a_number;
    if (!(value >= value_)) {  // also the first one, which replaces NaN
      best_ = w;
      value_ = value;
    }
    return value;
  }

  const Matrix& best() const { return best_; }
  double value() const { return value_; }
  Index count() const { return count_; }
  SubspaceResult interrupted(Index iterations) const {
    return {best_, value_, not_a_number, iterations, count_, LbfgsStatus::iteration_limit, true};
  }

 private:
  const SubspaceObjective& objective_;
  Matrix best_;
  double value_ = not_a_number;
  Index count_ = 0;
};

/// Steepest descent from one point; see descend_geodesics.
class Descent {
 public:
  Descent(Evaluations& evaluate, const SubspaceSettings& settings, const std::function<bool()>& stop)
      : evaluate_(evaluate), settings_(settings), stop_(stop), w_(evaluate.best()), gradient_(w_.rows(), w_.cols()) {}

  SubspaceResult run() {
    if (stops()) return evaluate_.interrupted(0);
    value_ = evaluate_(w_, gradient_);
    if (!std::isfinite(value_)) throw NumericalError("descend_geodesics: the objective is not finite at the start");
    LbfgsStatus status = LbfgsStatus::iteration_limit;
    while (true) {
      const Matrix direction = tangent(w_, gradient_);
      const double unit = settings_.unit > 0 ? settings_.unit : std::abs(value_);
      if (largest(direction) <= settings_.gradient_tolerance * unit) {
        status = LbfgsStatus::converged;
        break;
      }
      if (iterations_ == settings_.max_iterations) break;
      const double before = value_;
      const bool lower = step(direction);
      iterations_ += lower ? 1 : 0;
      if (stopped_) return evaluate_.interrupted(iterations_);
      if (!lower || before - value_ <= settings_.value_tolerance * std::max(settings_.unit, std::abs(before))) {
        status = LbfgsStatus::flat;
        break;
      }
    }
    return {w_, value_, largest(tangent(w_, gradient_)), iterations_, evaluate_.count(), status, false};
  }

 private:
  bool stops() {
    stopped_ = stop_ && stop_();
    return stopped_;
  }

  /// Halves t until the value falls by a share of what the slope promises (Armijo's rule); the
  /// first t turns by half a radian at most, later ones begin at twice the last.
  bool step(const Matrix& direction) {
    constexpr double decrease = 1e-4;
    constexpr int most_halvings = 40;
    const double slope = direction.squaredNorm();
    const double turn = 0.5 / direction.norm();
    const double longest = length_ > 0 ? std::min(2.0 * length_, 3.0 * turn) : turn;
    Matrix gradient(w_.rows(), w_.cols());
    for (int k = 0; k < most_halvings && !stops(); ++k) {
      const double t = std::ldexp(longest, -k);
      Matrix next = orthonormal_rows(geodesic(w_, direction, t));  // against drift
      const double value = evaluate_(next, gradient);
      if (!(value <= value_ - decrease * t * slope) || !(value < value_)) continue;
      w_ = std::move(next);
      gradient_ = gradient;
      value_ = value;
      length_ = t;
      return true;
    }
    return false;
  }

  Evaluations& evaluate_;
  const SubspaceSettings& settings_;
  const std::function<bool()>& stop_;
  bool stopped_ = false;
  Matrix w_;
  Matrix gradient_;
  double value_ = not_a_number;
  double length_ = 0;
  Index iterations_ = 0;
};

}  // namespace

Matrix orthonormal_rows(const MatrixView& w) { return inverse_root(w) * w; }

Matrix completed(const Matrix& basis, Index d, const Matrix& more) {
  Matrix out(d, more.cols());
  Index rows = 0;
  const auto add = [&](const Matrix& from) {
    for (Index k = 0; k < from.rows() && rows < d; ++k) {
      Vector row = from.row(k).transpose();
      const double size = row.norm();
      const auto before = out.topRows(rows);
      for (int twice = 0; twice < 2; ++twice) row -= before.transpose() * (before * row);  // against rounding
      if (row.norm() > 1e-8 * size) out.row(rows++) = row.normalized().transpose();
    }
  };
  add(basis);
  add(more);
  return out.topRows(rows);
}

Matrix geodesic(const MatrixView& w, const MatrixView& gradient, double t) {
  const Matrix d = tangent(w, gradient);
  const SymmetricEigen eigen = symmetric_eigen(d * d.transpose());
  const Vector angle = eigen.values.cwiseMax(0.0).cwiseSqrt() * t;
  // sin(S t) / S, whose limit at S = 0 is t.
  const Vector sinc = angle.unaryExpr([&](double a) { return std::abs(a) < 1e-8 ? t : t * std::sin(a) / a; });
  const Matrix& v = eigen.vectors;
  return v *
         (angle.array().cos().matrix().asDiagonal() * (v.transpose() * w) - sinc.asDiagonal() * (v.transpose() * d));
}

SubspaceResult minimize_lifted(const SubspaceObjective& objective, const MatrixView& start,
                               const SubspaceSettings& settings, const std::function<bool()>& stop) {
  Evaluations evaluate(objective, start);
  const Index rows = start.rows();
  const Index cols = start.cols();
  const auto lifted = [&](const Vector& at, Vector& gradient) {
    const Eigen::Map<const Matrix> m(at.data(), rows, cols);
    const Matrix root = inverse_root(m);
    const Matrix q = root * m;
    Matrix own(rows, cols);
    const double value = evaluate(q, own);
    gradient = (root * tangent(q, own)).reshaped();
    return value;
  };
  const Vector none = Vector::Constant(rows * cols, std::numeric_limits<double>::infinity());
  const LbfgsResult found = minimize(lifted, evaluate.best().reshaped(), -none, none,
                                     {.history = settings.history,
                                      .max_iterations = settings.max_iterations,
                                      .unit = settings.unit,
                                      .gradient_tolerance = settings.gradient_tolerance,
                                      .value_tolerance = settings.value_tolerance,
                                      .first_step = 0.5,
                                      .stop = stop});
  if (found.status == LbfgsStatus::stopped) return evaluate.interrupted(found.iterations);
  return {orthonormal_rows(found.x.reshaped(rows, cols)),
          found.value,
          found.projected_gradient,
          found.iterations,
          evaluate.count(),
          found.status,
          false};
}

SubspaceResult descend_geodesics(const SubspaceObjective& objective, const MatrixView& start,
                                 const SubspaceSettings& settings, const std::function<bool()>& stop) {
  Evaluations evaluate(objective, start);
  return Descent(evaluate, settings, stop).run();
}

}  // namespace condens
