#include "proximal_group_lasso.hpp"

#include <algorithm>
#include <cmath>

#include "condens/core/cancellation.hpp"

namespace condens {

double largest_eigenvalue(const GroupQuadratic& problem) {
  Matrix x = Matrix::Ones(problem.linear().rows(), problem.linear().cols());
  double bound = 0;
  for (int iteration = 0; iteration < 1000; ++iteration) {
    check_cancelled();
    const Matrix hx = problem.product(x);
    const double norm = hx.norm();
    if (!(norm > 0)) return 0;
    bound = (hx.array() / x.array()).maxCoeff();
    if (bound <= (1 + 1e-6) * norm / x.norm()) break;
    // No entry may vanish: the bound divides by it.
    x = (hx / norm).cwiseMax(1e-9 / std::sqrt(static_cast<double>(x.size())));
  }
  return bound;
}

ProximalSolution proximal_group_lasso(const GroupQuadratic& problem, const Vector& weights, double lambda,
                                      double lipschitz, const ProximalStop& stop) {
  const Matrix& h = problem.linear();
  ProximalSolution out{Matrix::Zero(h.rows(), h.cols()), 0};
  if (!(lipschitz > 0)) return out;
  const double step = 1 / lipschitz;
  Matrix& a = out.coefficients;
  while (out.iterations < stop.iterations) {
    check_cancelled();
    ++out.iterations;
    const Matrix q = problem.product(a);
    if (stop.relative_gap > 0 && out.iterations % 50 == 0 &&
        certify_group_lasso(h, weights, lambda, a, q).relative_gap <= stop.relative_gap) {
      break;
    }
    Matrix next = (a - step * (q - h)).cwiseMax(0.0);  // eq. 19
    for (Index g = 0; g < next.cols(); ++g) {          // eq. 18; 0 where u = 0
      const double norm = next.col(g).norm();
      if (norm > 0) next.col(g) *= std::max(0.0, 1 - step * lambda * weights[g] / norm);
    }
    const double change = (next - a).norm() / static_cast<double>(a.size());
    a.swap(next);
    if (change <= stop.change) break;
  }
  return out;
}

}  // namespace condens
