#include "condens/optim/simplex_qp.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>
#include <limits>
#include <vector>

#include "condens/core/errors.hpp"
#include "condens/core/random.hpp"
#include "support/complaint.hpp"
#include "support/normals.hpp"

namespace condens::simplex_qp_test {
namespace {

Matrix positive_definite(Index n, RandomStream& random) {
  const Matrix features = normals(n, n, random);
  return features * features.transpose() / static_cast<double>(n) + 0.1 * Matrix::Identity(n, n);
}

double objective(const Matrix& q, const Vector& v, const Vector& b) { return 0.5 * b.dot(q * b) - v.dot(b); }

/// The best of all supports whose minimiser under 1'b = 1 (from the bordered system) is positive.
Vector brute_force(const Matrix& q, const Vector& v) {
  const Index n = v.size();
  Vector best = Vector::Unit(n, 0);
  for (unsigned subset = 1; subset < (1U << n); ++subset) {
    std::vector<Index> support;
    for (Index i = 0; i < n; ++i) {
      if ((subset >> i & 1U) != 0) support.push_back(i);
    }
    const Index s = std::ssize(support);
    Matrix bordered = Matrix::Zero(s + 1, s + 1);
    bordered.topLeftCorner(s, s) = q(support, support);
    bordered.col(s).head(s).setOnes();
    bordered.row(s).head(s).setOnes();
    Vector right(s + 1);
    right << v(support), 1.0;
    const Vector inner = bordered.partialPivLu().solve(right).head(s);
    if (inner.minCoeff() < 0) continue;
    Vector candidate = Vector::Zero(n);
    candidate(support) = inner;
    if (objective(q, v, candidate) < objective(q, v, best)) best = candidate;
  }
  return best;
}

/// Gaussian overlaps of points on a line, singular to rounding, and the density of the points.
struct Kernels {
  Matrix q;
  Vector v;
};
Kernels kernels(Index n, double width, RandomStream& random) {
  Vector x(n);
  for (double& value : x) value = random.normal() + (random.uniform() < 0.4 ? 3.0 : 0.0);
  const auto gauss = [&](double s) -> Matrix {
    return (-0.5 / (s * s) * (x.replicate(1, n) - x.transpose().replicate(n, 1)).array().square()).exp() / s;
  };
  return {gauss(width * std::sqrt(2.0)), gauss(width).rowwise().mean()};
}

TEST(SimplexQp, EqualsTheBestOfAllSupports) {
  RandomStream random(1);
  for (Index n = 1; n <= 9; ++n) {
    for (int repeat = 0; repeat < 8; ++repeat) {
      const Matrix q = positive_definite(n, random);
      const Vector v = normals(n, 1, random);
      const SimplexQp found = solve_simplex_qp(q, v);
      EXPECT_LE((found.solution - brute_force(q, v)).cwiseAbs().maxCoeff(), 1e-12) << n;
      EXPECT_NEAR(found.objective, objective(q, v, found.solution), 1e-14);
      EXPECT_LE(found.gap, 1e-13);
    }
  }
}

TEST(SimplexQp, TheGapBoundsTheDistanceFromTheMinimum) {
  RandomStream random(2);
  const Matrix q = positive_definite(8, random);
  const Vector v = normals(8, 1, random);
  const double minimum = objective(q, v, brute_force(q, v));
  for (int repeat = 0; repeat < 50; ++repeat) {
    Vector b = normals(8, 1, random).cwiseAbs();
    b /= b.sum();
    EXPECT_GE(frank_wolfe_gap(b, q * b, v), objective(q, v, b) - minimum);
  }
}

TEST(SimplexQp, SolvesSingularKernelMatricesToRounding) {
  RandomStream random(3);
  for (const double width : {0.05, 0.3, 1.0, 5.0}) {
    const Kernels k = kernels(300, width, random);
    const SimplexQp found = solve_simplex_qp(k.q, k.v);
    const Vector gradient = k.q * found.solution - k.v;  // the certificate, computed anew
    const double gap = found.solution.dot(gradient) - gradient.minCoeff();
    EXPECT_LE(gap, 1e-12 * k.v.maxCoeff()) << width;
    EXPECT_NEAR(found.gap, gap, 1e-13 * k.v.maxCoeff());
    EXPECT_GE(found.solution.minCoeff(), 0.0);
    EXPECT_NEAR(found.solution.sum(), 1.0, 1e-14);
    EXPECT_LT((found.solution.array() > 0).count(), width < 0.3 ? 200 : 40) << "zeros are exact";
  }
}

TEST(SimplexQp, CopiesShareWhatOneWouldHave) {
  RandomStream random(4);
  const Kernels k = kernels(40, 0.4, random);
  std::vector<Index> twice;
  for (Index i = 0; i < 40; ++i) twice.insert(twice.end(), {i, i});
  const SimplexQp one = solve_simplex_qp(k.q, k.v);
  const SimplexQp two = solve_simplex_qp(k.q(twice, twice), k.v(twice));
  EXPECT_NEAR(one.objective, two.objective, 1e-14);
  EXPECT_LE(two.gap, 1e-13);
}

TEST(SimplexQp, ColumnsOnDemandGiveTheSameBits) {
  RandomStream random(5);
  const Kernels k = kernels(200, 0.2, random);
  const SimplexQp dense = solve_simplex_qp(k.q, k.v);
  Index asked = 0;
  const QpColumns columns{k.q.diagonal(), [&](Index j, Eigen::Ref<Vector> column) {
                            column = k.q.col(j);
                            ++asked;
                          }};
  const SimplexQp lazy = solve_simplex_qp(columns, k.v);
  EXPECT_EQ(lazy.solution, dense.solution);
  EXPECT_EQ(lazy.gap, dense.gap);
  EXPECT_LT(asked, 150) << "not every column is looked at";
}

TEST(SimplexQp, ThreadsDoNotChangeOneBit) {
  RandomStream random(6);
  const Index n = 10000;  // several blocks of rows
  const Matrix x = normals(2, n, random);
  const Vector v = normals(n, 1, random).cwiseAbs();
  const QpColumns columns{Vector::Ones(n), [&](Index j, Eigen::Ref<Vector> column) {
                            column = (-(x.colwise() - x.col(j)).colwise().squaredNorm()).array().exp().transpose();
                          }};
  const SimplexQp one = solve_simplex_qp(columns, v);
  for (const int threads : {2, 7}) {
    EXPECT_EQ(solve_simplex_qp(columns, v, {.threads = threads}).solution, one.solution) << threads;
  }
}

TEST(SimplexQp, StopsAtTheToleranceAndCanBeCancelled) {
  RandomStream random(7);
  const Kernels k = kernels(300, 0.1, random);
  const SimplexQp exact = solve_simplex_qp(k.q, k.v);
  const SimplexQp rough = solve_simplex_qp(k.q, k.v, {.tolerance = 1e-3});
  EXPECT_LE(rough.gap, 1e-3);
  EXPECT_LE(rough.objective - exact.objective, rough.gap);
  EXPECT_LT(rough.iterations, exact.iterations);
  EXPECT_THROW(solve_simplex_qp(k.q, k.v, {.poll = [] { throw Cancelled(); }}), Cancelled);
}

TEST(SimplexQp, OneCoordinateHasNoChoice) {
  const SimplexQp found = solve_simplex_qp(Matrix::Zero(1, 1), Vector::Constant(1, -3.0));
  EXPECT_EQ(found.solution, Vector::Ones(1));
  EXPECT_EQ(found.objective, 3.0);
  EXPECT_EQ(found.gap, 0.0);
}

TEST(SimplexQp, RefusesWhatIsNoProblem) {
  const Vector v = Vector::Ones(2);
  const auto said = [&](const Matrix& q, const Vector& right) {
    return complaint([&] { solve_simplex_qp(q, right); });
  };
  EXPECT_EQ(said(Matrix::Zero(0, 0), Vector(0)), "solve_simplex_qp: v is empty, expected at least one number");
  EXPECT_EQ(said(Matrix::Identity(2, 3), v), "solve_simplex_qp: Q is 2 x 3, expected a square matrix");
  EXPECT_EQ(said(Matrix::Identity(3, 3), v), "solve_simplex_qp: Q has order 3 and v 2 numbers, expected as many");
  EXPECT_EQ(said(Matrix::Constant(2, 2, std::nan("")), v), "solve_simplex_qp: Q holds NaN or infinity");
  EXPECT_EQ(said(Matrix::Identity(2, 2), Vector::Constant(2, std::nan(""))),
            "solve_simplex_qp: Q or v holds NaN or infinity");
  EXPECT_EQ(said(-Matrix::Identity(2, 2), v), "solve_simplex_qp: Q has the diagonal entry -1, expected numbers >= 0");
  Matrix saddle = Matrix::Ones(2, 2);
  saddle(0, 1) = saddle(1, 0) = -3.0;
  EXPECT_EQ(complaint<NumericalError>([&] { solve_simplex_qp(saddle, v); }),
            "solve_simplex_qp: Q is not positive semidefinite on the free coordinates");
}

TEST(SimplexQp, TheGapOfNothingIsZero) {
  const Vector none(0);
  EXPECT_EQ(frank_wolfe_gap(none, none, none), 0.0);
}

}  // namespace
}  // namespace condens::simplex_qp_test
