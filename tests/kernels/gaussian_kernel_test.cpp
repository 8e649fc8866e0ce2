#include "kernels/gaussian_kernel.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>

#include "condens/core/random.hpp"
#include "support/normals.hpp"

namespace condens::gaussian_kernel_test {
namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();

TEST(SquaredDistances, EqualPlainSums) {
  for (Index dimension = 0; dimension <= 9; ++dimension) {
    for (const Index count : {1, 3, 8, 17}) {
      const Matrix centers = normals(count, dimension, 1);
      const Matrix points = normals(dimension, 5, 2);
      Matrix out = Matrix::Constant(count, 5, -7.0);
      squared_distances(centers, points, out);
      for (Index i = 0; i < 5; ++i) {
        for (Index l = 0; l < count; ++l) {
          double sum = 0;
          for (Index k = 0; k < dimension; ++k) sum += std::pow(centers(l, k) - points(k, i), 2);
          // Positive terms: two roundings each and at most nine additions, each way.
          ASSERT_LE(std::abs(out(l, i) - sum), 24 * eps * sum) << dimension << ", " << count;
        }
      }
    }
  }
}

TEST(SquaredDistances, WorkOnPartsOfMatrices) {
  const Matrix centers = normals(7, 3, 3);
  const Matrix points = normals(3, 9, 4);
  Matrix whole(7, 9);
  squared_distances(centers, points, whole);
  Matrix out = Matrix::Constant(10, 12, -7.0);
  squared_distances(centers, points.middleCols(2, 4), out.block(1, 5, 7, 4));
  EXPECT_EQ(Matrix(out.block(1, 5, 7, 4)), Matrix(whole.middleCols(2, 4)));
  out.block(1, 5, 7, 4).setConstant(-7.0);
  EXPECT_EQ(out, Matrix::Constant(10, 12, -7.0)) << "nothing around the block was touched";
}

TEST(SquaredDistances, DoNotCancelFarFromTheOrigin) {
  // |a|^2 - 2 a'b + |b|^2 would be wrong by about 1 here. The differences of these
  // doubles are exact; only squares and sums are rounded.
  for (Index dimension = 1; dimension <= 5; ++dimension) {
    const Matrix centers = Matrix::Constant(1, dimension, 1e8 + 1e-3);
    const Matrix points = Matrix::Constant(dimension, 1, 1e8);
    Matrix out(1, 1);
    squared_distances(centers, points, out);
    const double exact = static_cast<double>(dimension) * std::pow((1e8 + 1e-3) - 1e8, 2);
    EXPECT_LE(std::abs(out(0, 0) - exact), 6 * eps * exact);
    EXPECT_NEAR(out(0, 0), static_cast<double>(dimension) * 1e-6, 1e-10) << "1e8 + 1e-3 itself is rounded";
  }
}

double kernel(double distance, double width) { return std::exp(-distance * distance / (2.0 * width * width)); }

/// Integral of the product of two kernels. The trapezoidal rule is exact to
/// rounding for a Gaussian cut where it has faded to exp(-100).
double plain_overlap(double a, double b, double width) {
  constexpr int steps = 800;
  const double middle = 0.5 * (a + b);
  const double step = 20.0 * width / steps;
  double sum = 0;
  for (int i = 0; i <= steps; ++i) {
    const double y = middle + (i - 0.5 * steps) * step;
    sum += kernel(y - a, width) * kernel(y - b, width);
  }
  return sum * step;
}

TEST(KernelOverlaps, EqualTheIntegralInOneDimension) {
  const Matrix centers{{0.0, 0.3, -2.0, 5.0}};
  for (const double width : {0.5, 1.0, 3.0}) {
    const Matrix overlaps = kernel_overlaps(centers, width);
    for (Index l = 0; l < 4; ++l) {
      for (Index m = 0; m < 4; ++m) {
        // exp of a number of size z carries z roundings; here z <= 49.
        const double expected = plain_overlap(centers(0, l), centers(0, m), width);
        EXPECT_NEAR(overlaps(l, m) / expected, 1.0, 1e-12) << width;
      }
    }
  }
}

TEST(KernelOverlaps, EqualTheProductOfIntegralsInTwoDimensions) {
  const Matrix centers{{0.0, 0.3, -2.0}, {1.0, -1.0, 0.5}};
  const double width = 0.7;
  const Matrix overlaps = kernel_overlaps(centers, width);
  for (Index l = 0; l < 3; ++l) {
    for (Index m = 0; m < 3; ++m) {
      const double expected =
          plain_overlap(centers(0, l), centers(0, m), width) * plain_overlap(centers(1, l), centers(1, m), width);
      EXPECT_NEAR(overlaps(l, m) / expected, 1.0, 1e-12);
    }
  }
}

TEST(KernelOverlaps, AreSymmetricToTheBit) {
  const Matrix overlaps = kernel_overlaps(normals(5, 20, 5), 0.8);
  EXPECT_EQ(overlaps, Matrix(overlaps.transpose()));
}

TEST(LogKernelMass, IsTheLogarithmOfTheIntegral) {
  EXPECT_EQ(log_kernel_mass(0, 0.3), 0.0);
  // One kernel times the constant 1: the overlap of two kernels of width sqrt(2) s at one place.
  for (const double width : {1e-3, 0.7, 40.0}) {
    const double mass = plain_overlap(0.0, 0.0, std::numbers::sqrt2 * width);
    EXPECT_NEAR(log_kernel_mass(1, width), std::log(mass), 1e-13);
    EXPECT_NEAR(log_kernel_mass(3, width), 3.0 * std::log(mass), 1e-12);
  }
  EXPECT_NEAR(log_kernel_mass(2, 1e-200), std::log(2.0 * std::numbers::pi) - 400.0 * std::numbers::ln10, 1e-11)
      << "does not underflow";
}

}  // namespace
}  // namespace condens::gaussian_kernel_test
