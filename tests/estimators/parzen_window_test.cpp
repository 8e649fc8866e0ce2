// Large windows: kernels that are left out against loops over all of them.

#include "condens/estimators/parzen/window.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "condens/core/errors.hpp"
#include "condens/core/random.hpp"
#include "condens/distributions/gaussian_mixture.hpp"
#include "support/complaint.hpp"
#include "support/normals.hpp"
#include "support/plain_parzen.hpp"

namespace condens::parzen_window_test {
namespace {

/// Largest error of log p at the points, relative to 1 + |log p|.
double worst(const ParzenWindow& window, const Matrix& centers, const Vector& weights, const Vector& widths,
             const Matrix& points) {
  const Vector found = window.log_density(points);
  double out = 0;
  for (Index i = 0; i < points.cols(); ++i) {
    const double expected = plain::parzen_log_density(centers, weights, widths, points.col(i));
    out = std::max(out, std::abs(found[i] - expected) / (1 + std::abs(expected)));
  }
  return out;
}

/// Points among the centres, beside them, and far outside.
Matrix points_everywhere(const Matrix& centers, RandomStream& random) {
  Matrix out(centers.rows(), 60);
  out.leftCols(20) = normals(centers.rows(), 20, random);
  out.middleCols(20, 20) = centers.leftCols(20);
  out.rightCols(20) = 8 * normals(centers.rows(), 20, random);
  out.col(58).setConstant(1e5);
  out.col(59).setConstant(-1e12);
  return out;
}

TEST(ParzenWindow, EqualsTheSumOverAllKernels) {
  RandomStream random(1);
  for (const Index d : {1, 2, 3, 5}) {
    const Matrix centers = normals(d, 1500, random);
    Vector weights(1500);
    for (double& value : weights) value = 0.1 + random.uniform();
    for (const double width : {0.003, 0.1, 20.0}) {
      const Vector widths = width * Vector::LinSpaced(d, 1.0, 1.5);
      const ParzenWindow window(centers, weights, widths);
      EXPECT_LT(worst(window, centers, weights, widths, points_everywhere(centers, random)), 2e-12)
          << d << ' ' << width;
    }
  }
}

TEST(ParzenWindow, TheStatedErrorIsKept) {
  RandomStream random(2);
  const Matrix centers = normals(2, 12000, random);
  const Vector ones = Vector::Ones(12000);
  const Vector widths = Vector::Constant(2, 0.15);
  const Matrix points = normals(2, 100, random);
  double before = 0;
  for (const double error : {1e-12, 1e-6, 1e-2}) {
    const Vector found = ParzenWindow(centers, ones, widths, error).log_density(points);
    double largest = 0;
    for (Index i = 0; i < 100; ++i) {
      const double exact = plain::parzen_log_density(centers, ones, widths, points.col(i));
      largest = std::max(largest, std::abs(std::expm1(found[i] - exact)));
    }
    EXPECT_LT(largest, error + 1e-12);
    EXPECT_GE(largest, before);  // less is summed
    before = largest;
  }
  EXPECT_GT(before, 1e-10);  // the last one does leave something out
}

TEST(ParzenWindow, CentersInOnePlaceAndCentersFarApart) {
  RandomStream random(3);
  const Vector widths = Vector::Constant(2, 0.1);
  const Vector ones = Vector::Ones(700);
  const Matrix one_place = Matrix::Constant(2, 700, 3.0);
  const Matrix points = points_everywhere(normals(2, 700, random), random);
  EXPECT_LT(worst(ParzenWindow(one_place, ones, widths), one_place, ones, widths, points), 1e-12);
  Matrix apart = normals(2, 700, random);
  apart.leftCols(3) *= 1e8;
  apart.rightCols(300) *= 1e4;
  EXPECT_LT(worst(ParzenWindow(apart, ones, widths), apart, ones, widths, points), 2e-12);
  EXPECT_LT(worst(ParzenWindow(apart, ones, widths), apart, ones, widths, apart.leftCols(50)), 2e-12);
}

TEST(ParzenWindow, OneCenterIsOneGaussian) {
  const ParzenWindow window(Matrix{{1.0}, {2.0}}, Vector(), Vector{{0.5, 2.0}});
  EXPECT_EQ(window.n_centers(), 1);
  EXPECT_EQ(window.dimension(), 2);
  const Matrix point{{0.3}, {-1.0}};
  EXPECT_NEAR(window.log_density(point)[0], plain::log_normal(point.col(0), Vector{{1.0, 2.0}}, Vector{{0.5, 2.0}}),
              1e-14);
  EXPECT_EQ(window.log_density(Matrix(2, 0)).size(), 0);
}

TEST(ParzenWindow, PointsBeyondTheRangeOfDistancesHaveNoDensity) {
  const ParzenWindow window(Matrix{{0.0, 1.0}}, Vector(), Vector::Ones(1));
  EXPECT_EQ(window.log_density(Matrix{{1e200}})[0], -std::numeric_limits<double>::infinity());
}

TEST(ParzenWindow, ThreadsDoNotChangeOneBit) {
  RandomStream random(4);
  const ParzenWindow window(normals(2, 3000, random), Vector(), Vector::Constant(2, 0.1));
  const Matrix points = normals(2, 2000, random);
  const Vector one = window.log_density(points, {.threads = 1, .observer = {}});
  for (const int threads : {2, 7}) EXPECT_EQ(window.log_density(points, {.threads = threads, .observer = {}}), one);
}

TEST(ParzenWindow, CanBeStopped) {
  RandomStream random(5);
  const ParzenWindow window(normals(2, 3000, random), Vector(), Vector::Constant(2, 0.1));
  const condens::Run run{.threads = 2, .observer = [](std::string_view, double) { return false; }};
  EXPECT_THROW(window.log_density(normals(2, 2000, random), run), Cancelled);
}

TEST(ParzenWindow, BadInputIsNamed) {
  const Matrix z{{0.0, 1.0}};
  const Vector one = Vector::Ones(1);
  const auto message = [](const Matrix& centers, const Vector& weights, const Vector& widths, double error = 1e-12) {
    return complaint([&] { ParzenWindow(centers, weights, widths, error); });
  };
  EXPECT_EQ(message(Matrix(1, 0), {}, one), "ParzenWindow: 1 x 0 numbers, expected at least one row and one centre");
  EXPECT_EQ(message(Matrix{{std::nan("")}}, {}, one), "ParzenWindow: the centres hold NaN or infinity");
  EXPECT_EQ(message(z, one, one), "ParzenWindow: 1 weights for 2 centres");
  EXPECT_EQ(message(z, Vector::Zero(2), one), "ParzenWindow: weights must be finite and > 0");
  EXPECT_EQ(message(z, {}, Vector::Ones(2)), "ParzenWindow: 2 widths, expected 1");
  EXPECT_EQ(message(z, {}, Vector::Zero(1)), "ParzenWindow: widths must be finite and > 0");
  EXPECT_EQ(message(z, {}, one, 1.0), "ParzenWindow: relative_error = 1, expected in (0, 1)");
  const ParzenWindow window(z, Vector(), one);
  EXPECT_EQ(complaint([&] { window.log_density(Matrix::Zero(2, 1)); }),
            "ParzenWindow: the points have 2 rows, expected 1");
  EXPECT_EQ(complaint([&] { window.log_density(Matrix{{INFINITY}}); }),
            "ParzenWindow: the points hold NaN or infinity");
}

}  // namespace
}  // namespace condens::parzen_window_test
