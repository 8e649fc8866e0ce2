#include "linalg/cholesky.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "condens/core/errors.hpp"
#include "condens/core/parallel.hpp"
#include "condens/core/run.hpp"
#include "support/normals.hpp"

namespace condens::cholesky_test {
namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();

/// A few columns and a ridge: well conditioned, and quickly made at any order.
Matrix definite(Index order) {
  const Matrix columns = normals(order, 3, 1);
  Matrix out = columns * columns.transpose();
  out.diagonal().array() += 2.0;
  return out;
}

// Above 1,024 the work is cut into panels of 128, and into blocks of 384 columns.
class CholeskyOfOrder : public ::testing::TestWithParam<Index> {};

TEST_P(CholeskyOfOrder, GivesBackTheMatrix) {
  const Index n = GetParam();
  const Matrix a = definite(n);
  Matrix lower = a;
  ASSERT_TRUE(cholesky_in_place(lower));
  EXPECT_TRUE(Matrix(lower.triangularView<Eigen::StrictlyUpper>()) == Matrix(a.triangularView<Eigen::StrictlyUpper>()));
  const Matrix factor = lower.triangularView<Eigen::Lower>();
  // Rounding of sums of n terms at most (Higham 2002, theorem 10.3).
  const double allowed = 4 * static_cast<double>(n + 1) * eps * a.diagonal().maxCoeff();
  EXPECT_LE((factor * factor.transpose() - a).cwiseAbs().maxCoeff(), allowed);
}

TEST_P(CholeskyOfOrder, Solves) {
  const Index n = GetParam();
  const Matrix a = definite(n);
  const Cholesky factor(a);
  ASSERT_TRUE(factor.ok());
  const Matrix right = normals(n, 3, 2);
  // The condition is below n (3 columns of normals over a ridge of 2).
  const double allowed = 100 * static_cast<double>(n) * eps * right.cwiseAbs().maxCoeff();
  EXPECT_LE((a * factor.solve(right) - right).cwiseAbs().maxCoeff(), allowed);
  const Vector one = right.col(1);
  EXPECT_LE((a * factor.solve(one) - one).cwiseAbs().maxCoeff(), allowed);
}

INSTANTIATE_TEST_SUITE_P(Panels, CholeskyOfOrder, ::testing::Values(1, 5, 200, 1024, 1025, 1200));

TEST(CholeskyInPlace, HasTheSameBitsForAnyNumberOfThreads) {
  const Matrix a = definite(1200);
  Matrix one = a;
  ASSERT_TRUE(cholesky_in_place(one, 1));
  for (const int threads : {2, 7}) {
    Matrix many = a;
    ASSERT_TRUE(cholesky_in_place(many, threads));
    EXPECT_EQ(many, one);
  }
}

TEST(CholeskyInPlace, SaysWhereThereIsNone) {
  for (const Index n : {3, 1100}) {
    for (const Index at : {Index{0}, n - 1}) {
      Matrix a = definite(n);
      a(at, at) = -1.0;
      EXPECT_FALSE(cholesky_in_place(a)) << n << ", " << at;
      Matrix b = definite(n);
      b(at, at) = std::numeric_limits<double>::quiet_NaN();
      EXPECT_FALSE(Cholesky(b).ok()) << n << ", " << at;
    }
  }
}

TEST(CholeskyInPlace, CanBeStopped) {
  const condens::Run run{.threads = 1, .observer = [](std::string_view, double) { return false; }};
  const Task task(run, "factorising", 1);
  Matrix a = definite(30);
  EXPECT_THROW(cholesky_in_place(a), Cancelled);
}

}  // namespace
}  // namespace condens::cholesky_test
