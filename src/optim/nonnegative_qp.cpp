#include "nonnegative_qp.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "condens/core/cancellation.hpp"
#include "condens/core/errors.hpp"
#include "linalg/cholesky.hpp"

namespace condens {

namespace {

/// False: Q is not positive definite on the support.
bool solve_on(const Matrix& q, const VectorView& v, const std::vector<Index>& support, Vector& out) {
  const Cholesky factor(q(support, support));
  if (!factor.ok()) return false;
  out = factor.solve(Vector(v(support)));
  return true;
}

}  // namespace

NonnegativeQp solve_nonnegative_qp(const Matrix& q, const VectorView& v, const VectorView& start) {
  const Index n = v.size();
  Matrix symmetric = q.selfadjointView<Eigen::Lower>();
  const double largest = n > 0 ? symmetric.diagonal().maxCoeff() : 0.0;
  // Gradients below this are rounding errors of the products that form them.
  const double tolerance = 1e-13 * (v.size() > 0 ? v.cwiseAbs().maxCoeff() : 0.0);
  NonnegativeQp out{.solution = start.cwiseMax(0.0), .residual = 0, .ridge = 0, .iterations = 0};
  std::vector<Index> support;
  for (Index i = 0; i < n; ++i) {
    if (out.solution[i] > 0) support.push_back(i);
  }

  const Index most_iterations = 10 * n + 100;
  while (out.iterations < most_iterations) {
    check_cancelled();
    ++out.iterations;
    Vector target;
    if (!solve_on(symmetric, v, support, target)) {
      const double ridge = out.ridge > 0 ? 100 * out.ridge : 1e-14 * largest;
      const bool is_rounding = ridge > out.ridge && ridge < 2e-8 * largest;
      if (!is_rounding) {
        throw NumericalError("solve_nonnegative_qp: Q is not positive definite on the free coordinates");
      }
      symmetric.diagonal().array() += ridge - out.ridge;
      out.ridge = ridge;
      continue;
    }
    // Walk from the present point towards the target until a coordinate would turn negative.
    double step = 1.0;
    Index blocking = -1;
    for (std::size_t k = 0; k < support.size(); ++k) {
      const double here = out.solution[support[k]];
      const double there = target[static_cast<Index>(k)];
      if (there <= 0 && here / (here - there) < step) {
        step = here / (here - there);
        blocking = static_cast<Index>(k);
      }
    }
    for (std::size_t k = 0; k < support.size(); ++k) {
      double& value = out.solution[support[k]];
      value = step == 1.0 ? target[static_cast<Index>(k)] : value + step * (target[static_cast<Index>(k)] - value);
    }
    if (blocking >= 0) {
      out.solution[support[static_cast<std::size_t>(blocking)]] = 0.0;
      for (const Index i : support) out.solution[i] = std::max(out.solution[i], 0.0);  // ties, up to rounding
      std::erase_if(support, [&](Index i) { return out.solution[i] == 0.0; });
      continue;
    }
    const Vector gradient = symmetric * out.solution - v;
    Index entering = -1;
    double lowest = -tolerance;
    for (Index i = 0; i < n; ++i) {
      if (out.solution[i] == 0.0 && gradient[i] < lowest) {
        lowest = gradient[i];
        entering = i;
      }
    }
    if (entering < 0) break;
    support.insert(std::upper_bound(support.begin(), support.end(), entering), entering);
  }

  const Vector gradient = symmetric * out.solution - out.ridge * out.solution - v;
  for (Index i = 0; i < n; ++i) {
    out.residual = std::max(out.residual, out.solution[i] > 0 ? std::abs(gradient[i]) : -gradient[i]);
  }
  return out;
}

}  // namespace condens
