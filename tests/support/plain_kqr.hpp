#pragma once
// Kernel quantile regression by plain code: the objective, the least of it by trying every
// assignment of coefficients to their bounds, and by exchanging pairs of dual coefficients.

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>

#include "condens/core/types.hpp"

namespace condens::plain {

struct QuantileProblem {
  Matrix kernel;
  Vector y;
  Vector weights;
  double level;
  double penalty;

  double lower(Index i) const { return weights[i] * (level - 1) / (2 * penalty); }
  double upper(Index i) const { return weights[i] * level / (2 * penalty); }

  /// sum_i w_i psi(y_i - f_i) + lambda c'Kc.
  double objective(const Vector& c, double b) const {
    double loss = 0;
    double norm = 0;
    for (Index i = 0; i < y.size(); ++i) {
      double f = b;
      for (Index j = 0; j < y.size(); ++j) {
        f += kernel(i, j) * c[j];
        norm += c[i] * kernel(i, j) * c[j];
      }
      loss += weights[i] * (y[i] > f ? level * (y[i] - f) : (1 - level) * (f - y[i]));
    }
    return loss + penalty * norm;
  }

  /// The best intercept for given coefficients is one of the residuals.
  double objective(const Vector& c) const {
    double least = std::numeric_limits<double>::infinity();
    const Vector u = y - kernel * c;
    for (Index i = 0; i < u.size(); ++i) least = std::min(least, objective(c, u[i]));
    return least;
  }
};

/// Every c_i at its lower bound, free with residual zero, or at its upper bound: the least
/// objective of the feasible ones. 3^n systems.
inline double least_by_enumeration(const QuantileProblem& p) {
  const Index n = p.y.size();
  Index cases = 1;
  for (Index i = 0; i < n; ++i) cases *= 3;
  double least = std::numeric_limits<double>::infinity();
  for (Index number = 0; number < cases; ++number) {
    Matrix system = Matrix::Zero(n + 1, n + 1);
    Vector right = Vector::Zero(n + 1);
    system.row(n).head(n).setOnes();
    bool any_free = false;
    Index rest = number;
    for (Index i = 0; i < n; ++i, rest /= 3) {
      if (rest % 3 == 1) {
        system.row(i).head(n) = p.kernel.row(i);
        system(i, n) = 1;
        right[i] = p.y[i];
        any_free = true;
      } else {
        system(i, i) = 1;
        right[i] = rest % 3 == 0 ? p.lower(i) : p.upper(i);
      }
    }
    if (!any_free) {
      if (std::abs(right.sum()) > 1e-12) continue;
      least = std::min(least, p.objective(right.head(n)));
      continue;
    }
    const Eigen::FullPivLU<Matrix> factor(system);
    if (!factor.isInvertible()) continue;
    const Vector solution = factor.solve(right);
    least = std::min(least, p.objective(solution.head(n), solution[n]));
  }
  return least;
}

/// The dual by pairs: the two residuals that contradict each other most exchange coefficients.
inline double least_by_exchange(const QuantileProblem& p) {
  Vector c = Vector::Zero(p.y.size());
  for (int step = 0; step < 200000; ++step) {
    const Vector u = p.y - p.kernel * c;
    Index up = -1;
    Index down = -1;
    for (Index i = 0; i < c.size(); ++i) {
      if (c[i] < p.upper(i) && (up < 0 || u[i] > u[up])) up = i;
      if (c[i] > p.lower(i) && (down < 0 || u[i] < u[down])) down = i;
    }
    if (u[up] - u[down] < 1e-10) break;
    const double curvature = p.kernel(up, up) + p.kernel(down, down) - 2 * p.kernel(up, down);
    double t = std::min(p.upper(up) - c[up], c[down] - p.lower(down));
    if (curvature > 0) t = std::min(t, (u[up] - u[down]) / curvature);
    c[up] += t;
    c[down] -= t;
  }
  return p.objective(c);
}

}  // namespace condens::plain
