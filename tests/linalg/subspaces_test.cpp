// Distances between subspaces, by the projections written out.

#include "condens/linalg/subspaces.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>
#include <limits>
#include <numbers>

#include "support/complaint.hpp"
#include "support/normals.hpp"

namespace condens::subspaces_test {
namespace {

Matrix projection(const Matrix& a) { return a.transpose() * (a * a.transpose()).inverse() * a; }

TEST(Subspaces, ChangeIsThatOfTheProjections) {
  for (const Index p : {1, 2, 4}) {
    for (const Index q : {1, 2, 3}) {
      const Matrix a = normals(p, 6, static_cast<std::uint64_t>(10 * p + q));
      const Matrix b = normals(q, 6, static_cast<std::uint64_t>(100 * p + q));
      const SubspaceChange found = subspace_change(a, b);
      EXPECT_NEAR(found.distance, (projection(a) - projection(b)).norm() / std::numbers::sqrt2, 1e-12);
      const double common = (projection(a) * projection(b)).trace();  // the sum of squared cosines
      const auto most = static_cast<double>(std::max(p, q));
      EXPECT_NEAR(found.share, std::sqrt(1 - common / most), 1e-12);
      EXPECT_EQ(found.angles.size(), std::min(p, q));
      EXPECT_NEAR(found.angles.array().cos().square().sum(), common, 1e-12);
    }
  }
}

TEST(Subspaces, TheSameIsZeroAndRightAnglesAreOne) {
  const Matrix a = normals(2, 5, 1);
  const SubspaceChange same = subspace_change(a, Matrix{{2, 1}, {1, -3}} * a);
  EXPECT_LT(same.distance, 1e-14);
  EXPECT_LT(same.share, 1e-14);
  const Matrix axes = Matrix::Identity(4, 4);
  const SubspaceChange apart = subspace_change(axes.topRows(2), axes.bottomRows(2));
  EXPECT_NEAR(apart.distance, std::numbers::sqrt2, 1e-14);
  EXPECT_NEAR(apart.share, 1.0, 1e-14);
  EXPECT_EQ(subspace_change(Matrix(0, 3), Matrix(0, 3)).share, 0.0);
}

TEST(Subspaces, SaysWhatIsWrong) {
  EXPECT_EQ(complaint([] { subspace_change(Matrix::Ones(1, 2), Matrix::Ones(1, 3)); }),
            "subspace_change: rows of 2 and of 3 numbers, expected subspaces of one space");
  EXPECT_EQ(complaint([] { subspace_change(Matrix::Ones(2, 3), Matrix::Ones(1, 3)); }),
            "subspace_change: a has 2 rows that span fewer dimensions, expected independent rows");
  EXPECT_EQ(complaint([] { subspace_change(Matrix::Ones(1, 2), Matrix::Identity(3, 3).leftCols(2)); }),
            "subspace_change: b has 3 rows of 2 numbers, expected no more rows than numbers");
  EXPECT_EQ(complaint([] {
              subspace_change(Matrix::Constant(1, 2, std::numeric_limits<double>::quiet_NaN()), Matrix::Ones(1, 2));
            }),
            "subspace_change: a holds NaN or infinity");
}

}  // namespace
}  // namespace condens::subspaces_test
