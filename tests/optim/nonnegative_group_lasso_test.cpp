// The certified solver against a slow proximal iteration, its certificate against the definition.

#include "optim/nonnegative_group_lasso.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "condens/core/random.hpp"
#include "support/complaint.hpp"

namespace condens::nonnegative_group_lasso_test {
namespace {

/// H = A'A with A >= 0, and h = A't, t > 0: like the kernels' problem.
DenseGroupQuadratic random_problem(Index size, Index groups, Index rows, std::uint64_t seed) {
  RandomStream random(seed);
  const Index n = size * groups;
  Matrix a(rows, n);
  for (double& value : a.reshaped()) value = std::pow(random.uniform(), 3);
  Vector t(rows);
  for (double& value : t) value = random.uniform();
  const Vector h = a.transpose() * t;
  return {a.transpose() * a, h.reshaped(size, groups)};
}

double objective(const DenseGroupQuadratic& problem, const Vector& weights, double lambda, const Matrix& a) {
  const Vector flat = a.reshaped();
  double out = 0.5 * flat.dot(problem.gram() * flat) - flat.dot(problem.linear().reshaped().matrix());
  for (Index g = 0; g < a.cols(); ++g) out += lambda * weights[g] * a.col(g).norm();
  return out;
}

/// Proximal gradient steps of length 1 / trace(H), as slow as they come.
Matrix slow_solution(const DenseGroupQuadratic& problem, const Vector& weights, double lambda, Index steps) {
  const double step = 1 / problem.gram().trace();
  const Matrix& h = problem.linear();
  Matrix a = Matrix::Zero(h.rows(), h.cols());
  Matrix previous = a;
  double t = 1;
  Matrix point = a;
  for (Index i = 0; i < steps; ++i) {
    const Vector q = problem.gram() * point.reshaped().matrix();
    Matrix next = point - step * (q.reshaped(h.rows(), h.cols()) - h);
    next = next.cwiseMax(0.0);
    for (Index g = 0; g < next.cols(); ++g) {
      const double norm = next.col(g).norm();
      if (norm > 0) next.col(g) *= std::max(0.0, 1 - step * lambda * weights[g] / norm);
    }
    // Nesterov's acceleration, restarted where it points uphill.
    const double t_next = 0.5 * (1 + std::sqrt(1 + 4 * t * t));
    const bool restart = (point - next).cwiseProduct(next - previous).sum() > 0;
    point = restart ? next : Matrix(next + (t - 1) / t_next * (next - previous));
    t = restart ? 1 : t_next;
    previous = next;
  }
  return previous;
}

TEST(NonnegativeGroupLasso, EqualsASlowProximalIteration) {
  for (const bool constant_group : {false, true}) {
    const auto problem = random_problem(4, 6, 30, constant_group ? 2 : 1);
    Vector weights = Vector::LinSpaced(6, 0.5, 1.5);
    if (constant_group) weights[0] = 0;
    NonnegativeGroupLasso solver(problem, weights, 1e-12);
    const double largest = solver.lambda_max();
    for (const double share : {0.9, 0.5, 0.1, 0.01, 0.001}) {
      solver.solve(share * largest);
      EXPECT_TRUE(solver.converged());
      EXPECT_LE(solver.certificate().relative_gap, 1e-12);
      EXPECT_LT(solver.certificate().kkt_residual, 1e-6);
      const Matrix slow = slow_solution(problem, weights, share * largest, 20000);
      const double best = objective(problem, weights, share * largest, slow);
      EXPECT_NEAR(solver.certificate().objective, best, 1e-8 * std::abs(best)) << share;
      EXPECT_NEAR(solver.certificate().objective, objective(problem, weights, share * largest, solver.coefficients()),
                  1e-12 * std::abs(best));
      // H is positive definite here, so the solution is unique.
      EXPECT_LT((slow - solver.coefficients()).norm(), 1e-4 * (1 + slow.norm())) << share;
    }
  }
}

TEST(NonnegativeGroupLasso, ThePathEqualsColdStarts) {
  const auto problem = random_problem(5, 40, 300, 3);
  Vector weights = Vector::Ones(40);
  weights[7] = 0;
  NonnegativeGroupLasso path(problem, weights, 1e-13);
  const double largest = path.lambda_max();
  for (const double share : {0.8, 0.4, 0.1}) {
    path.solve(share * largest);
    NonnegativeGroupLasso cold(problem, weights, 1e-13);
    cold.solve(share * largest);
    EXPECT_LT((path.coefficients() - cold.coefficients()).norm(), 1e-5 * cold.coefficients().norm());
    EXPECT_NEAR(path.certificate().objective, cold.certificate().objective,
                1e-12 * std::abs(cold.certificate().objective));
  }
}

TEST(NonnegativeGroupLasso, AtLambdaMaxNothingEntersAndBelowItSomethingDoes) {
  const auto problem = random_problem(3, 20, 100, 4);
  const Vector weights = Vector::Ones(20);
  NonnegativeGroupLasso solver(problem, weights, 1e-9);
  const double largest = solver.lambda_max();
  EXPECT_DOUBLE_EQ(largest, problem.linear().colwise().norm().maxCoeff());
  solver.solve(largest);
  EXPECT_EQ(solver.coefficients().norm(), 0);
  EXPECT_EQ(solver.certificate().gap, 0);
  EXPECT_EQ(solver.certificate().relative_gap, 0);
  solver.solve(0.999 * largest);
  EXPECT_GT(solver.coefficients().norm(), 0);
}

TEST(NonnegativeGroupLasso, TheGapBoundsTheDistanceToTheMinimum) {
  const auto problem = random_problem(4, 8, 60, 5);
  for (const double first_weight : {0.0, 1.0}) {
    Vector weights = Vector::Ones(8);
    weights[0] = first_weight;
    NonnegativeGroupLasso solver(problem, weights, 1e-13);
    const double lambda = 0.2 * solver.lambda_max();
    solver.solve(lambda);
    RandomStream random(6);
    for (const double noise : {1e-1, 1e-3, 1e-6}) {
      Matrix a = solver.coefficients();
      for (double& value : a.reshaped()) value = value > 0 ? value * (1 + noise * random.normal()) : 0;
      a = a.cwiseMax(0.0);
      const auto certificate = certify_group_lasso(problem.linear(), weights, lambda, a, problem.product(a));
      EXPECT_GE(certificate.gap, certificate.objective - solver.certificate().objective - 1e-13);
      EXPECT_NEAR(certificate.objective, objective(problem, weights, lambda, a), 1e-12);
      EXPECT_GT(certificate.kkt_residual, 0);
    }
    // Without a single coefficient an unpenalised group has no feasible multiple.
    const Matrix zero = Matrix::Zero(4, 8);
    const auto nothing = certify_group_lasso(problem.linear(), weights, lambda, zero, zero);
    EXPECT_EQ(nothing.gap, std::numeric_limits<double>::infinity());
  }
}

TEST(NonnegativeGroupLasso, DuplicatedGroupsAndCoordinatesMakeNoTrouble) {
  const auto single = random_problem(4, 5, 40, 7);
  // Every group twice, and inside each group the first coordinate once more.
  std::vector<Index> copies;
  for (Index g = 0; g < 10; ++g) {
    for (const Index b : {0, 0, 1, 2, 3}) copies.push_back((g / 2) * 4 + b);
  }
  const Vector h = Vector(single.linear().reshaped())(copies);
  const DenseGroupQuadratic twice(single.gram()(copies, copies), h.reshaped(5, 10));
  const Vector weights = Vector::Ones(10);
  NonnegativeGroupLasso solver(twice, weights, 1e-10);
  const double lambda = 0.1 * solver.lambda_max();
  solver.solve(lambda);
  EXPECT_TRUE(solver.converged());
  const Matrix slow = slow_solution(twice, weights, lambda, 20000);
  EXPECT_NEAR(solver.certificate().objective, objective(twice, weights, lambda, slow), 1e-8);
}

TEST(NonnegativeGroupLasso, ProductsOfSomeGroupsAreThoseOfAll) {
  const auto problem = random_problem(3, 6, 20, 8);
  Matrix a = Matrix::Constant(3, 6, 0.5);
  a.col(2).setZero();
  const Matrix all = problem.product(a);
  Matrix some = Matrix::Constant(3, 6, -1);
  problem.product(a, {1, 4}, some);
  EXPECT_LT((some.col(1) - all.col(1)).norm() + (some.col(4) - all.col(4)).norm(), 1e-12);
  EXPECT_EQ(some(0, 0), -1);
}

TEST(NonnegativeGroupLasso, SaysWhatIsWrong) {
  const auto problem = random_problem(2, 3, 10, 9);
  EXPECT_EQ(complaint([&] { NonnegativeGroupLasso(problem, Vector::Ones(2), 1e-6); }),
            "NonnegativeGroupLasso: 2 weights for 3 groups");
  NonnegativeGroupLasso solver(problem, Vector::Ones(3), 1e-6);
  EXPECT_EQ(complaint([&] { solver.solve(0); }), "NonnegativeGroupLasso: lambda = 0, expected a number > 0");
}

/// Narrow kernels at random places of a line, the same places in all groups; `order` sorts them.
DenseGroupQuadratic narrow_kernels(Index size, Index groups, std::vector<Index>& order) {
  RandomStream random(5);
  Vector place(size);
  for (double& value : place) value = random.uniform();
  order.resize(static_cast<std::size_t>(size));
  std::iota(order.begin(), order.end(), Index{0});
  std::sort(order.begin(), order.end(), [&](Index i, Index j) { return place[i] < place[j]; });
  Matrix shares(groups, groups);
  for (Index g = 0; g < groups; ++g) {
    for (Index h = 0; h < groups; ++h) shares(g, h) = g == h ? 1 : 0.4;
  }
  Matrix gram(size * groups, size * groups);
  for (Index i = 0; i < gram.rows(); ++i) {
    for (Index j = 0; j < gram.cols(); ++j) {
      const double distance = (place[i % size] - place[j % size]) / 0.01;
      gram(i, j) = shares(i / size, j / size) * std::exp(-distance * distance);
    }
  }
  Matrix linear(size, groups);
  for (double& value : linear.reshaped()) value = 0.5 + random.uniform();
  return {std::move(gram), std::move(linear)};
}

TEST(NonnegativeGroupLasso, TheOrderOfEntriesChangesTheWorkAlone) {
  std::vector<Index> order;
  const DenseGroupQuadratic problem = narrow_kernels(120, 4, order);
  Vector weights(4);
  weights << 1, 2, 0, 1;
  NonnegativeGroupLasso plain(problem, weights, 1e-10);
  NonnegativeGroupLasso ordered(problem, weights, 1e-10, order);
  const double largest = plain.lambda_max();
  for (const double share : {0.9, 0.3, 0.05, 0.001}) {
    plain.solve(share * largest);
    ordered.solve(share * largest);
    EXPECT_TRUE(plain.converged());
    EXPECT_TRUE(ordered.converged());
    EXPECT_NEAR(ordered.certificate().objective, plain.certificate().objective,
                2e-10 * std::abs(plain.certificate().objective))
        << share;
    EXPECT_LE((ordered.coefficients() - plain.coefficients()).norm(), 1e-4 * plain.coefficients().norm()) << share;
  }
}

TEST(NonnegativeGroupLasso, AnOrderServesGroupsWithoutPenaltyAlone) {
  std::vector<Index> order;
  const DenseGroupQuadratic problem = narrow_kernels(300, 1, order);
  NonnegativeGroupLasso solver(problem, Vector::Zero(1), 1e-10, order);
  EXPECT_EQ(solver.lambda_max(), 0);
  EXPECT_TRUE(solver.converged());
  EXPECT_LE(solver.certificate().relative_gap, 1e-10);
}

}  // namespace
}  // namespace condens::nonnegative_group_lasso_test
