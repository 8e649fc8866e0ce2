#include "linalg/vector_math.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "condens/core/random.hpp"
#include "linalg/log_sum_exp.hpp"

namespace condens::vector_math_test {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

double own_exp(double x) {
  exp_in_place(&x, 1);
  return x;
}

TEST(VectorExp, IsWithinTwoUnitsInTheLastPlaceOfLongDouble) {
  RandomStream random(1);
  for (int i = 0; i < 200000; ++i) {
    const double x = -708.0 + 1417.0 * random.uniform();
    const long double exact = std::exp(static_cast<long double>(x));
    const long double unit = std::ldexp(1.0L, std::ilogb(exact) - 52);
    ASSERT_LE(std::abs(own_exp(x) - exact) / unit, 2.0L) << x;
  }
}

TEST(VectorExp, UnderflowsGraduallyToZero) {
  for (double x = -708.0; x > -750.0; x -= 0.01) {
    const long double exact = std::exp(static_cast<long double>(x));
    // One unit of the subnormal grid, or two units in the last place.
    ASSERT_LE(std::abs(own_exp(x) - exact), std::ldexp(1.0L, -1074) + std::ldexp(exact, -51)) << x;
  }
  EXPECT_EQ(own_exp(-746.0), 0.0);
  EXPECT_EQ(own_exp(-1e300), 0.0);
}

TEST(VectorExp, HasTheRightLimits) {
  EXPECT_EQ(own_exp(0.0), 1.0);
  EXPECT_EQ(own_exp(-0.0), 1.0);
  EXPECT_EQ(own_exp(-kInf), 0.0);
  EXPECT_EQ(own_exp(kInf), kInf);
  EXPECT_EQ(own_exp(709.79), kInf);
  EXPECT_LT(own_exp(709.78), kInf);
  EXPECT_TRUE(std::isnan(own_exp(kNan)));
}

TEST(VectorExp, HasTheSameBitsAtEveryPlace) {
  for (const double value : {-0.3, -37.123456789, -720.25, 12.34, 1e-9}) {
    const double expected = own_exp(value);
    for (Index length = 1; length <= 100; ++length) {
      for (Index offset = 0; offset < 9; ++offset) {
        Vector x = Vector::Constant(length + offset, value);
        exp_in_place(x.data() + offset, length);
        for (Index i = 0; i < offset; ++i) ASSERT_EQ(x[i], value);
        for (Index i = offset; i < x.size(); ++i) ASSERT_EQ(x[i], expected);
      }
    }
  }
}

double own_folded_mean(double x) {
  double excess = x;
  folded_normal_excess_in_place(&excess, 1);
  return std::abs(x) + excess;
}

TEST(VectorFoldedNormal, IsWithinSixUnitsInTheLastPlaceOfLongDouble) {
  RandomStream random(1);
  const long double pi = std::acos(-1.0L);
  for (int i = 0; i < 100000; ++i) {
    const double size = i % 2 == 0 ? 12.0 * random.uniform() : std::pow(10.0, 300.0 - 600.0 * random.uniform());
    const double x = i % 4 < 2 ? size : -size;
    const long double z = size;
    const long double exact =
        z + 2.0L * (std::exp(-0.5L * z * z) / std::sqrt(2.0L * pi) - z * std::erfc(z / std::sqrt(2.0L)) / 2.0L);
    const long double unit = std::ldexp(1.0L, std::ilogb(exact) - 52);
    ASSERT_LE(std::abs(own_folded_mean(x) - exact) / unit, 6.0L) << x;
    ASSERT_EQ(own_folded_mean(-x), own_folded_mean(x));
  }
  EXPECT_EQ(own_folded_mean(kInf), kInf);
}

TEST(VectorFoldedNormal, HasTheSameBitsAtEveryPlace) {
  for (const double value : {0.0, -0.3, 7.5, 1e-9}) {
    double expected = value;
    folded_normal_excess_in_place(&expected, 1);
    for (Index length = 1; length <= 100; ++length) {
      Vector x = Vector::Constant(length, value);
      folded_normal_excess_in_place(x.data(), length);
      for (Index i = 0; i < length; ++i) ASSERT_EQ(x[i], expected);
    }
  }
}

double own_normal_cdf(double x) {
  normal_cdf_in_place(&x, 1);
  return x;
}

TEST(VectorNormalCdf, IsWithinTwelveUnitsInTheLastPlaceOfLongDouble) {
  RandomStream random(1);
  for (int i = 0; i < 200000; ++i) {
    const double size = i % 2 == 0 ? 37.0 * random.uniform() : std::pow(10.0, 1.5 - 300.0 * random.uniform());
    const long double z = size;
    const long double exact = std::erfc(z / std::sqrt(2.0L)) / 2.0L;
    const long double unit = std::ldexp(1.0L, std::ilogb(exact) - 52);
    ASSERT_LE(std::abs(own_normal_cdf(-size) - exact) / unit, 12.0L) << size;
    ASSERT_LE(std::abs(own_normal_cdf(size) - (1.0L - exact)), 0x1p-53L + 12.0L * unit) << size;
  }
}

TEST(VectorNormalCdf, HasTheRightLimits) {
  EXPECT_EQ(own_normal_cdf(0.0), 0.5);
  EXPECT_EQ(own_normal_cdf(-0.0), 0.5);
  EXPECT_EQ(own_normal_cdf(-39.0), 0.0);
  EXPECT_EQ(own_normal_cdf(-1e200), 0.0);
  EXPECT_EQ(own_normal_cdf(-kInf), 0.0);
  EXPECT_EQ(own_normal_cdf(9.0), 1.0);
  EXPECT_EQ(own_normal_cdf(1e200), 1.0);
  EXPECT_EQ(own_normal_cdf(kInf), 1.0);
  EXPECT_TRUE(std::isnan(own_normal_cdf(kNan)));
}

TEST(VectorNormalCdf, HasTheSameBitsAtEveryPlace) {
  for (const double value : {-0.3, 1e-9, 7.5, -12.34}) {
    for (Index length = 1; length <= 100; ++length) {
      Vector x = Vector::Constant(length, value);
      normal_cdf_in_place(x.data(), length);
      for (Index i = 0; i < length; ++i) ASSERT_EQ(x[i], own_normal_cdf(value));
    }
  }
}

double own_tanh(double x) {
  tanh_in_place(&x, 1);
  return x;
}

TEST(VectorTanh, IsWithinFiveUnitsInTheLastPlaceOfLongDouble) {
  RandomStream random(1);
  for (int i = 0; i < 100000; ++i) {
    // Of every magnitude from 1e-300 to 20.
    const double size = i % 2 == 0 ? 20.0 * random.uniform() : std::pow(10.0, -300.0 * random.uniform());
    const double x = i % 4 < 2 ? size : -size;
    const long double exact = std::tanh(static_cast<long double>(x));
    const long double unit = std::ldexp(1.0L, std::ilogb(exact) - 52);
    ASSERT_LE(std::abs(own_tanh(x) - exact) / unit, 5.0L) << x;
    ASSERT_EQ(own_tanh(-x), -own_tanh(x));
  }
}

TEST(VectorTanh, HasTheRightLimits) {
  EXPECT_EQ(own_tanh(0.0), 0.0);
  EXPECT_TRUE(std::signbit(own_tanh(-0.0)));
  EXPECT_EQ(own_tanh(20.0), 1.0);
  EXPECT_EQ(own_tanh(1e300), 1.0);
  EXPECT_EQ(own_tanh(kInf), 1.0);
  EXPECT_EQ(own_tanh(-kInf), -1.0);
  EXPECT_TRUE(std::isnan(own_tanh(kNan)));
}

TEST(VectorTanh, HasTheSameBitsAtEveryPlace) {
  for (const double value : {-0.3, 1e-9, 12.34}) {
    for (Index length = 1; length <= 100; ++length) {
      Vector x = Vector::Constant(length + 3, value);
      tanh_in_place(x.data() + 3, length);
      ASSERT_EQ(
          x, (Vector(length + 3) << Vector::Constant(3, value), Vector::Constant(length, own_tanh(value))).finished());
    }
  }
  Matrix a = Matrix::Zero(7, 5);
  tanh_in_place(a.block(1, 1, 3, 2).setConstant(0.5));
  EXPECT_EQ(a(1, 1), own_tanh(0.5));
  EXPECT_EQ(a.sum(), 6 * own_tanh(0.5));
}

TEST(VectorExp, WorksOnABlockOfAMatrix) {
  Matrix a = Matrix::Zero(7, 5);
  exp_in_place(a.block(1, 1, 3, 2));
  Matrix expected = Matrix::Zero(7, 5);
  expected.block(1, 1, 3, 2).setOnes();
  EXPECT_EQ(a, expected);
}

TEST(VectorSums, AreRightAndDoNotDependOnAlignment) {
  RandomStream random(2);
  for (Index n : {0, 1, 31, 32, 33, 100, 1000}) {
    Vector x(n + 3);
    Vector y(n + 3);
    for (double& v : x) v = random.normal();
    for (double& v : y) v = random.normal();
    long double total = 0.0L;
    long double product = 0.0L;
    double top = -kInf;
    for (Index i = 3; i < n + 3; ++i) {
      total += x[i];
      product += static_cast<long double>(x[i]) * y[i];
      top = std::max(top, x[i]);
    }
    const double tolerance = 1e-15 * static_cast<double>(n + 1);  // rounding of n sums of numbers near 1
    EXPECT_NEAR(sum(x.data() + 3, n), static_cast<double>(total), tolerance);
    EXPECT_NEAR(dot(x.data() + 3, y.data() + 3, n), static_cast<double>(product), 4 * tolerance);
    EXPECT_EQ(maximum(x.data() + 3, n), top);
    const Vector x0 = x.tail(n);
    const Vector y0 = y.tail(n);
    EXPECT_EQ(sum(x0.data(), n), sum(x.data() + 3, n));
    EXPECT_EQ(dot(x0.data(), y0.data(), n), dot(x.data() + 3, y.data() + 3, n));
  }
}

TEST(LogSumExp, NeitherOverflowsNorUnderflows) {
  EXPECT_NEAR(log_sum_exp(Vector{{1000.0, 1000.0}}), 1000.0 + std::log(2.0), 2e-13);  // one unit in the last place
  EXPECT_NEAR(log_sum_exp(Vector{{-1000.0, -1001.0}}), -1000.0 + std::log1p(std::exp(-1.0)), 2e-13);
  EXPECT_EQ(log_sum_exp(Vector{{-kInf, -kInf}}), -kInf);
  EXPECT_EQ(log_sum_exp(Vector{{-kInf, 3.0}}), 3.0);
  EXPECT_EQ(log_sum_exp(Vector{{kInf, 3.0}}), kInf);
  EXPECT_EQ(log_sum_exp(Vector(0)), -kInf);
  EXPECT_TRUE(std::isnan(log_sum_exp(Vector{{kNan, 1.0}})));
  EXPECT_TRUE(std::isnan(log_sum_exp(Vector{{kNan, -kInf}})));
}

TEST(LogNormalizeColumns, MakesEveryColumnSumToOne) {
  Matrix a{{-1.0, -5000.0, -kInf, -kInf}, {2.0, -5001.0, 0.5, -kInf}};
  const Vector totals = log_normalize_columns(a);
  EXPECT_NEAR(std::exp(a(0, 0)) + std::exp(a(1, 0)), 1.0, 1e-15);
  EXPECT_NEAR(a(0, 1), -std::log1p(std::exp(-1.0)), 1e-12);  // 5000 keeps twelve digits behind the point
  EXPECT_EQ(a(0, 2), -kInf);
  EXPECT_EQ(a(1, 2), 0.0);
  EXPECT_EQ(totals[3], -kInf);
  EXPECT_EQ(a(0, 3), -std::log(2.0));
  EXPECT_EQ(a(1, 3), -std::log(2.0));
}

TEST(LogNormalizeColumns, NamesABadColumn) {
  Matrix a{{0.0, kNan}};
  try {
    log_normalize_columns(a);
    FAIL();
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find("log weight nan of component 0 in distribution 1"), std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace condens::vector_math_test
