#include "optim/nonnegative_qp.hpp"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "condens/core/errors.hpp"
#include "condens/core/random.hpp"
#include "support/normals.hpp"

namespace condens::nonnegative_qp_test {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// Eigenvalues between 0.1 and about 4, so that solutions are accurate to 1e-13.
Matrix positive_definite(Index n, RandomStream& random) {
  const Matrix features = normals(n, n, random);
  return features * features.transpose() / static_cast<double>(n) + 0.1 * Matrix::Identity(n, n);
}

double objective(const Matrix& q, const Vector& v, const Vector& a) { return 0.5 * a.dot(q * a) - v.dot(a); }

/// The best of all 2^n supports whose unconstrained minimiser is positive.
Vector brute_force(const Matrix& q, const Vector& v) {
  const Index n = v.size();
  Vector best = Vector::Zero(n);
  for (unsigned subset = 1; subset < (1U << n); ++subset) {
    std::vector<Index> support;
    for (Index i = 0; i < n; ++i) {
      if ((subset >> i & 1U) != 0) support.push_back(i);
    }
    const Matrix part = q(support, support);
    const Vector right = v(support);
    const Vector inner = part.llt().solve(right);
    if (inner.minCoeff() < 0) continue;
    Vector candidate = Vector::Zero(n);
    candidate(support) = inner;
    if (objective(q, v, candidate) < objective(q, v, best)) best = candidate;
  }
  return best;
}

/// Violation of a >= 0, Qa - v >= 0, a'(Qa - v) = 0, computed anew.
double violation(const Matrix& q, const Vector& v, const Vector& a) {
  double worst = 0;
  for (Index i = 0; i < v.size(); ++i) {
    const double gradient = q.row(i).dot(a) - v[i];
    worst = std::max({worst, -a[i], -gradient, a[i] > 0 ? std::abs(gradient) : 0.0});
  }
  return worst;
}

TEST(NonnegativeQp, EqualsTheBestOfAllSupports) {
  RandomStream random(1);
  for (Index n = 1; n <= 10; ++n) {
    for (int repeat = 0; repeat < 5; ++repeat) {
      const Matrix q = positive_definite(n, random);
      const Vector v = normals(n, 1, random);
      const NonnegativeQp found = solve_nonnegative_qp(q, v, Vector::Zero(n));
      EXPECT_LE((found.solution - brute_force(q, v)).cwiseAbs().maxCoeff(), 1e-12) << n;
      EXPECT_GE(found.iterations, 1);
    }
  }
}

TEST(NonnegativeQp, MeetsTheOptimalityConditions) {
  RandomStream random(2);
  for (const Index n : {20, 60, 150}) {
    const Matrix q = positive_definite(n, random);
    const Vector v = normals(n, 1, random);
    const NonnegativeQp found = solve_nonnegative_qp(q, v, Vector::Ones(n));
    EXPECT_LE(found.residual, 1e-12);  // roundings of sums of n numbers of size 1
    EXPECT_LE(violation(q, v, found.solution), 1e-12);
    EXPECT_GT((found.solution.array() > 0).count(), 0);
    EXPECT_GT((found.solution.array() == 0).count(), 0) << "zeros are exact";
  }
}

TEST(NonnegativeQp, SolvesIllConditionedKernelMatrices) {
  // What density estimation gives: Gaussian overlaps, condition number 1e8.
  constexpr Index n = 80;
  Matrix q(n, n);
  Vector v(n);
  RandomStream random(3);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) q(i, j) = std::exp(-0.01 * static_cast<double>((i - j) * (i - j)));
    q(i, i) += 1e-7;
    v[i] = random.uniform();
  }
  const NonnegativeQp found = solve_nonnegative_qp(q, v, Vector::Zero(n));
  EXPECT_LE(found.residual, 1e-12);
  EXPECT_LE(violation(q, v, found.solution), 1e-12);
}

TEST(NonnegativeQp, TheStartDoesNotMatter) {
  RandomStream random(4);
  constexpr Index n = 40;
  const Matrix q = positive_definite(n, random);
  const Vector v = normals(n, 1, random);
  const NonnegativeQp from_zero = solve_nonnegative_qp(q, v, Vector::Zero(n));
  for (int repeat = 0; repeat < 5; ++repeat) {
    const Vector start = (10.0 * normals(n, 1, random)).cwiseMax(0.0);
    const NonnegativeQp found = solve_nonnegative_qp(q, v, start);
    EXPECT_LE((found.solution - from_zero.solution).cwiseAbs().maxCoeff(), 1e-12);
  }
  EXPECT_EQ(solve_nonnegative_qp(q, v, from_zero.solution).iterations, 1) << "the right support is seen at once";
}

TEST(NonnegativeQp, EqualsTheFreeMinimumWhereThatIsPositive) {
  RandomStream random(5);
  constexpr Index n = 30;
  const Matrix q = positive_definite(n, random);
  const Vector expected = normals(n, 1, random).cwiseAbs() + Vector::Ones(n);
  for (const double start : {0.0, 1.0}) {
    const NonnegativeQp found = solve_nonnegative_qp(q, q * expected, Vector::Constant(n, start));
    EXPECT_LE((found.solution - expected).cwiseAbs().maxCoeff(), 1e-12);
  }
}

TEST(NonnegativeQp, IsZeroWhenNothingPulls) {
  RandomStream random(6);
  constexpr Index n = 12;
  // Positive entries: with v <= 0 every gradient is nonnegative at zero.
  const Matrix q = positive_definite(n, random).cwiseAbs() + 12.0 * Matrix::Identity(n, n);
  for (const double start : {0.0, 3.0}) {
    const Vector pushes = -normals(n, 1, random).cwiseAbs();
    EXPECT_EQ(solve_nonnegative_qp(q, pushes, Vector::Constant(n, start)).solution, Vector::Zero(n));
    EXPECT_EQ(solve_nonnegative_qp(q, Vector::Zero(n), Vector::Constant(n, start)).solution, Vector::Zero(n));
  }
}

TEST(NonnegativeQp, ReadsTheLowerTriangleOnly) {
  RandomStream random(7);
  constexpr Index n = 15;
  const Matrix q = positive_definite(n, random);
  const Vector v = normals(n, 1, random);
  Matrix lower = q;
  lower.triangularView<Eigen::StrictlyUpper>().setConstant(nan);
  EXPECT_EQ(solve_nonnegative_qp(lower, v, Vector::Ones(n)).solution,
            solve_nonnegative_qp(q.selfadjointView<Eigen::Lower>(), v, Vector::Ones(n)).solution);
}

TEST(NonnegativeQp, OfNoUnknownsIsEmpty) {
  const NonnegativeQp found = solve_nonnegative_qp(Matrix(0, 0), Vector(0), Vector(0));
  EXPECT_EQ(found.solution.size(), 0);
  EXPECT_EQ(found.residual, 0.0);
}

TEST(NonnegativeQp, ForgivesTheRoundingOfAMatrix) {
  // Two coordinates that are one but for the last digits, which have made the lesser eigenvalue negative.
  for (const double off : {1e-16, 1e-13, 1e-11, 1e-9}) {
    const Matrix q{{1.0, 1.0, 0.5}, {1.0, 1.0 - off, 0.5}, {0.5, 0.5, 2.0}};
    const NonnegativeQp found = solve_nonnegative_qp(q, Vector{{1.0, 1.0, 2.5}}, Vector::Ones(3));
    EXPECT_LE(found.residual, 3e-8) << off;
    EXPECT_LE(found.ridge, 2.0001e-8) << "of the largest entry, 2";
    EXPECT_NEAR(found.solution[0] + found.solution[1], 3.0 / 7, 1e-6) << off;
    EXPECT_NEAR(found.solution[2], 8.0 / 7, 1e-6) << off;
  }
  EXPECT_GT(solve_nonnegative_qp(Matrix{{1.0, 1.0}, {1.0, 1.0 - 1e-13}}, Vector::Ones(2), Vector::Ones(2)).ridge, 0);
  EXPECT_EQ(solve_nonnegative_qp(Matrix::Identity(2, 2), Vector::Ones(2), Vector::Ones(2)).ridge, 0);
}

TEST(NonnegativeQp, RefusesAMatrixThatIsNotPositiveDefinite) {
  std::string complaint;
  try {
    solve_nonnegative_qp(-Matrix::Identity(3, 3), Vector::Ones(3), Vector::Zero(3));
  } catch (const NumericalError& error) {
    complaint = error.what();
  }
  EXPECT_EQ(complaint, "solve_nonnegative_qp: Q is not positive definite on the free coordinates");
}

}  // namespace
}  // namespace condens::nonnegative_qp_test
