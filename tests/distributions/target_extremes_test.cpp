// Distributions of targets at the ends of what numbers hold: ends and reaches of any size, logarithms beyond all
// numbers, components narrower than the rounding of their place.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "condens/core/errors.hpp"
#include "condens/distributions/target_distributions.hpp"
#include "support/error_of.hpp"

namespace condens::target_extremes_test {
namespace {

using tests::error_of;

TargetDistributions single(double mean, double scale, TargetSupport support, const Matrix& log_shares = {}) {
  return {GaussianMixtures::separate(Matrix{{mean}}, Matrix{{scale}}, Matrix{{0.0}}), std::move(support), log_shares};
}

TargetDistributions two(const Vector& means, const Vector& scales, const Vector& weights, TargetSupport support) {
  return {GaussianMixtures::separate(means.transpose(), scales.transpose(), Matrix(weights.array().log())),
          std::move(support)};
}

TEST(TargetSupport, RefusesWhatNumbersCannotHold) {
  const auto refusal = [](const TargetSupport& support) {
    const std::string read = error_of([&] { TargetSupport::from_document(support.to_document()); });
    const std::string made = error_of([&] { single(0.0, 1.0, support); });
    EXPECT_EQ(made, "TargetDistributions: " + read);
    return read;
  };
  const double next = std::nextafter(1.0, 2.0);
  EXPECT_EQ(refusal({.map = {.lower = 1.0, .upper = next}}),
            "the target reaches from 1 to 1, expected numbers between its ends: subtract a constant from the target");
  EXPECT_EQ(refusal({.map = {.upper = -3e167, .reach = 1e-5}}),
            "the target has an end at -3e+167, expected at most 1e+105 in absolute value: change the unit");
  EXPECT_EQ(refusal({.map = {.lower = 0.0, .reach = 1e-235}}),
            "the target has a reach of 1e-235, expected 1e-105 to 1e+105: change the unit");
  EXPECT_EQ(refusal({.map = {.lower = 0.0, .reach = 1e106}}),
            "the target has a reach of 1e+106, expected 1e-105 to 1e+105: change the unit");
  EXPECT_EQ(
      refusal({.map = {.lower = 1e20, .reach = 100.0}}),
      "the target has a reach of 100 about an end at 1e+20, expected at least 16384, to the next number: subtract "
      "a constant from the target");
  EXPECT_EQ(refusal({.values = TargetValues::listed({0.0, 1e200})}),
            "the target takes the value 1e+200, expected at most 1e+105 in absolute value: change the unit");
  EXPECT_EQ(refusal({.atoms = {-1e200, 1.0}}),
            "the target takes the value -1e+200, expected at most 1e+105 in absolute value: change the unit");
  EXPECT_EQ(refusal({.map = {.lower = 2.0, .upper = 1.0}}),
            "the target reaches from 2 to 1 with reach inf, expected lower < upper and reach > 0");
}

TEST(TargetMap, IsANumberBetweenTheEndsForAnyNumber) {
  const std::vector<TargetMap> maps = {
      {1e105, infinity, 1e100},     {-infinity, -1e105, 1e90}, {0.0, infinity, 1e-105}, {-infinity, 0.0, 1e105},
      {-1e105, 1e105, 1e105},       {0.0, 1e-300, 1e-105},     {0.0, 1e105, 1e-105},    {0.0, infinity, infinity},
      {-infinity, 1e105, infinity}, {-1e105, 1e105, infinity}, {0.0, 1e-320, infinity}};
  for (const TargetMap& map : maps) {
    double before = map.lower;
    for (const double x :
         {-1e308, -1e211, -1e106, -1e50, -1.0, -1e-200, 0.0, 1e-300, 1.0, 800.0, 1e100, 1e211, 1e308}) {
      const double y = map.inverse(x);
      EXPECT_GE(y, before) << map.lower << " " << map.upper << " " << map.reach << " " << x;
      EXPECT_LE(y, map.upper);
      before = y;
    }
  }
}

// A distance from the end of which the inverse is no number.
TEST(TargetDistributions, HaveADensityAnywhereBetweenTheEnds) {
  const double near = std::numeric_limits<double>::denorm_min();
  const std::vector<TargetMap> maps = {{0.0, infinity, infinity}, {0.0, 1.0, infinity}, {0.0, infinity, 1.0}};
  for (const TargetMap& map : maps) {
    EXPECT_NEAR(map.log_slope(near), -std::log(near), 1e-12);
    EXPECT_LT(single(1e105, 1e-105, {map}).log_pdf(Matrix{{near}})[0], -1e300);
  }
  EXPECT_NEAR(single(std::log(near), 1.0, {maps[0]}).log_pdf(Matrix{{near}})[0],
              -0.5 * std::log(2.0 * M_PI) - std::log(near), 1e-12);
}

TEST(TargetDistributions, BeyondAllNumbersAreInfinite) {
  const TargetSupport counts{.map = {.lower = -0.5}, .values = TargetValues::counts()};
  for (const double mean : {1e4, 1e6, 1e105}) {
    const TargetDistributions laws = single(mean, 1.0, counts);
    EXPECT_EQ(laws.mean()(0, 0), infinity);
    EXPECT_EQ(laws.variance()(0, 0), infinity);
    EXPECT_EQ(laws.median()[0], infinity);
    EXPECT_EQ(laws.crps(Vector{{3.0}})[0], infinity);
    EXPECT_EQ(laws.cdf(Vector{{1e300}})[0], 0.0);
    EXPECT_EQ(laws.cdf_below(Vector{{infinity}})[0], 1.0);
  }
  // A mean that is a number, of a square that is none, beside counts that are summed.
  const TargetDistributions wide = two(Vector{{1.0, 400.0}}, Vector{{0.5, 1.0}}, Vector{{0.5, 0.5}}, counts);
  EXPECT_NEAR(wide.mean()(0, 0) / (0.5 * std::exp(400.5)), 1.0, 1e-12);
  EXPECT_EQ(wide.variance()(0, 0), infinity);
  const TargetDistributions negative = single(-1e6, 1.0, {.map = {.upper = 0.0}});
  EXPECT_EQ(negative.mean()(0, 0), -infinity);
  EXPECT_EQ(negative.variance()(0, 0), infinity);
}

// m^2 is none where (m - mean)^2 is a number.
TEST(TargetDistributions, OfLargeLogarithmsHaveAVarianceWhereItIsANumber) {
  const double mean = std::exp(400.0);
  const TargetDistributions laws = single(400.0, 1e-30, {.map = {.lower = 0.0}});
  EXPECT_NEAR(laws.mean()(0, 0) / mean, 1.0, 1e-12);
  EXPECT_NEAR(std::sqrt(laws.variance()(0, 0)) / (1e-30 * mean), 1.0, 1e-12);
}

// Of an atom that has all of the probability, beside a logarithm that is beyond all numbers.
TEST(TargetDistributions, WhollyAtAnAtomHaveNothingElse) {
  const TargetDistributions laws =
      single(1e6, 1.0, {.map = {.lower = 0.0}, .atoms = {0.0}}, Matrix{{-infinity}, {0.0}});
  EXPECT_EQ(laws.mean()(0, 0), 0.0);
  EXPECT_EQ(laws.variance()(0, 0), 0.0);
  EXPECT_EQ(laws.crps(Vector{{3.0}})[0], 3.0);
}

// Whole numbers beyond 2^53 have no interval of their own: to rounding Y is y(X).
TEST(TargetDistributions, OfCountsBeyondIntegersAreThoseOfNumbers) {
  for (const double reach : {1e10, 1e100}) {
    const TargetMap map{.lower = -0.5, .reach = reach};
    for (const double mean : {1e17, 1e60, 1e104}) {
      const TargetDistributions counts = single(mean, 1e-3 * mean, {.map = map, .values = TargetValues::counts()});
      const TargetDistributions numbers = single(mean, 1e-3 * mean, {map});
      if (!(numbers.quantile(Vector{{1e-15}})(0, 0) > 0x1p53)) continue;
      EXPECT_EQ(counts.mean()(0, 0), numbers.mean()(0, 0));
      EXPECT_EQ(counts.variance()(0, 0), numbers.variance()(0, 0));
      EXPECT_NEAR(counts.mode()(0, 0) / numbers.mode()(0, 0), 1.0, 1e-15);
      EXPECT_EQ(counts.crps(Vector{{2.0}})[0], numbers.crps(Vector{{2.0}})[0]);
    }
  }
}

// All of X at a number that y(x) rounds onto the end of an interval.
TEST(TargetDistributions, BesideAnEndOfAnIntervalAreWhereXIs) {
  const TargetSupport support{.map = {.lower = -1.0}, .values = TargetValues::listed({-0.5, 0.5})};  // x(0) = 0
  for (const double side : {-1.0, 1.0}) {
    const TargetDistributions laws = single(side * 1e-90, 1e-100, support);
    const double value = 0.5 * side;
    EXPECT_EQ(laws.mass_at(Vector{{value}})[0], 1.0);
    EXPECT_EQ(laws.median()[0], value);
    EXPECT_EQ(laws.mean()(0, 0), value);
    EXPECT_EQ(laws.variance()(0, 0), 0.0);
    EXPECT_EQ(laws.mode()(0, 0), value);
    EXPECT_EQ(laws.sample(1, 0)(0, 0), value);
  }
}

// An integral over x does not meet a component narrower than the rounding of its place, or a light one between others.
TEST(TargetDistributions, OfNarrowComponentsHaveTheirMoments) {
  const TargetMap map{.upper = -0.2, .reach = 0.3};
  const TargetDistributions wide = single(2.0, 0.5, {map});
  for (const double scale : {0.02, 1e-3, 1e-5, 1e-10, 1e-20, 1e-105}) {
    const TargetDistributions narrow = single(-7.0, scale, {map});
    EXPECT_NEAR(narrow.mean()(0, 0), map.inverse(-7.0), scale * scale + 1e-14);
    EXPECT_NEAR(narrow.variance()(0, 0), scale * scale * std::exp(-2.0 * map.log_slope(map.inverse(-7.0))),
                1e-3 * scale * scale + 1e-14);
    for (const double weight : {0.4, 1e-3, 1e-6}) {
      const Vector weights{{weight, 1.0 - weight}};
      const TargetDistributions laws = two(Vector{{-7.0, 2.0}}, Vector{{scale, 0.5}}, weights, {map});
      const Vector means{{narrow.mean()(0, 0), wide.mean()(0, 0)}};
      const Vector variances{{narrow.variance()(0, 0), wide.variance()(0, 0)}};
      const double mean = weights.dot(means);
      EXPECT_NEAR(laws.mean()(0, 0), mean, 1e-10);
      const Vector squares = variances.array() + (means.array() - mean).square();
      EXPECT_NEAR(laws.variance()(0, 0), weights.dot(squares), 1e-9);
    }
  }
}

// Components so far apart, in their scales, that the density between them is no number.
TEST(TargetDistributions, WithAnAtomFarFromAllElseHaveAVariance) {
  TargetSupport support;
  support.map = {.lower = 0.0, .upper = 3e-237, .reach = 0.78};
  support.atoms = {0.625};
  const TargetDistributions laws = single(1.5, 0.1, support, Matrix{{std::log(0.75)}, {std::log(0.25)}});
  EXPECT_NEAR(laws.mean()(0, 0), 0.25 * 0.625, 1e-15);
  EXPECT_NEAR(laws.variance()(0, 0), 0.25 * 0.75 * 0.625 * 0.625, 1e-12);
}

TEST(TargetDistributions, OfComponentsFarApartHaveRegions) {
  const TargetMap map{.lower = 0.0, .reach = 1.0};
  const TargetDistributions laws = two(Vector{{1e100, 3e100}}, Vector{{1e-105, 1e-105}}, Vector{{0.6, 0.4}}, {map});
  for (const double mass : {0.3, 0.9}) {
    const auto region = laws.highest_density_region(mass)[0];
    ASSERT_FALSE(region.empty());
    EXPECT_NEAR(region.front().lower / 1e100, 1.0, 1e-12);
    EXPECT_NEAR(region.back().upper / (mass < 0.5 ? 1e100 : 3e100), 1.0, 1e-12);
  }
  EXPECT_NEAR(laws.mode()(0, 0) / 1e100, 1.0, 1e-12);
}

}  // namespace
}  // namespace condens::target_extremes_test
