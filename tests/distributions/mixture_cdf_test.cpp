// Density, distribution function and quantiles of one law.

#include <gtest/gtest.h>

#include <boost/math/distributions/normal.hpp>
#include <limits>

#include "mixture_examples.hpp"

namespace condens::mixture_cdf_test {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

// 1e-12 relative: the squared argument of exp loses up to z^2 / 2 roundings, z < 38.
void expect_relative(double value, long double exact, double tolerance = 1e-12) {
  EXPECT_NEAR(value, static_cast<double>(exact), tolerance * static_cast<double>(std::abs(exact)));
}

TEST(MixtureDensity, AgreesWithLongDouble) {
  for (const GaussianMixture& p : smooth_examples()) {
    for (double y = -20.0; y <= 40.0; y += 0.37) {
      expect_relative(p.pdf(y), exact_pdf(p, y));
      EXPECT_EQ(p.log_pdf(y), p.log_pdf(Vector::Constant(1, y)));
    }
  }
}

TEST(MixtureDensity, StaysFiniteInTheLogDomainFarAway) {
  const GaussianMixture p = univariate(Vector{{0.4, 0.6}}, Vector{{0.0, 1.0}}, Vector{{1.0, 1.0}});
  const double y = 1e6;
  const double z = y - 1.0;  // the nearer component alone
  expect_relative(p.log_pdf(y), std::log(0.6L) - 0.5L * z * z - 0.5L * std::log(2.0L * std::acos(-1.0L)), 1e-15);
  EXPECT_EQ(p.log_pdf(kInf), -kInf);
  EXPECT_EQ(p.pdf(-kInf), 0.0);
}

TEST(MixtureDensity, IsTheProductOfCoordinatesInSeveralDimensions) {
  const GaussianMixture p(Vector{{0.3, 0.7}}, Matrix{{0.0, 1.0}, {2.0, -1.0}}, Matrix{{1.0, 0.5}, {2.0, 0.1}});
  const boost::math::normal a(0.0, 1.0), b(2.0, 2.0), c(1.0, 0.5), d(-1.0, 0.1);
  const double expected = 0.3 * pdf(a, 0.8) * pdf(b, -1.1) + 0.7 * pdf(c, 0.8) * pdf(d, -1.1);
  expect_relative(p.pdf(Vector{{0.8, -1.1}}), expected, 1e-14);
  expect_relative(p.marginal(1).pdf(-1.1), 0.3 * pdf(b, -1.1) + 0.7 * pdf(d, -1.1), 1e-14);
}

TEST(MixtureCdf, AgreesWithLongDoubleInBothTails) {
  for (const GaussianMixture& p : smooth_examples()) {
    for (double y = -35.0; y <= 60.0; y += 0.37) {
      for (const int side : {1, -1}) {
        const long double exact = exact_tail(p, y, side);
        if (exact < 1e-300L) continue;  // subnormal weights and tails are checked in logs
        expect_relative(side > 0 ? p.cdf(y) : p.sf(y), exact);
        EXPECT_NEAR(side > 0 ? p.log_cdf(y) : p.log_sf(y), static_cast<double>(std::log(exact)),
                    1e-12 + 1e-15 * static_cast<double>(std::abs(std::log(exact))));
      }
      EXPECT_NEAR(p.cdf(y) + p.sf(y), 1.0, 1e-15);
    }
  }
}

TEST(MixtureCdf, ReachesOneInTenToTheThreeHundred) {
  const GaussianMixture p = univariate(Vector{{1.0}}, Vector{{0.0}}, Vector{{1.0}});
  const boost::math::normal normal;
  expect_relative(p.cdf(-37.0), cdf(normal, -37.0));
  expect_relative(p.sf(37.0), cdf(normal, -37.0));
  // Mills: log Phi(-100) = -5005.524208694205 (Abramowitz and Stegun 26.2.12 to 20 terms)
  EXPECT_NEAR(p.log_cdf(-100.0), -5005.524208694205, 2e-12);
  EXPECT_NEAR(p.log_sf(100.0), -5005.524208694205, 2e-12);
  // Both sides of the switch to the series at -30, by the long double function.
  for (const double z : {-29.999, -30.0, -30.001, -33.0}) {
    EXPECT_NEAR(p.log_cdf(z), static_cast<double>(std::log(exact_tail(p, z, 1))), 5e-13);
  }
  // Close to one, log F is minus the upper tail.
  expect_relative(p.log_cdf(30.0), -exact_tail(p, 30.0, -1));
}

TEST(MixtureCdf, HasTheDensityAsDerivative) {
  for (const GaussianMixture& p : smooth_examples()) {
    for (double y = -4.0; y <= 12.0; y += 0.61) {
      const long double h = 1e-6L;
      const long double slope = (exact_tail(p, y + h, 1) - exact_tail(p, y - h, 1)) / (2 * h);
      // h^2 p'' / 6 with p'' up to 1e8 for the narrow component
      EXPECT_NEAR(p.pdf(y), static_cast<double>(slope), 1e-4 * p.pdf(y) + 1e-12);
    }
  }
}

TEST(MixtureQuantile, InvertsBothTails) {
  for (const GaussianMixture& p : smooth_examples()) {
    for (const double level : {1e-300, 1e-100, 1e-16, 1e-12, 1e-3, 0.1, 0.3, 0.5, 0.7, 0.9, 0.999}) {
      const double low = p.quantile(level);
      const double high = p.upper_quantile(level);
      // one unit in the last place of y moves F by p(y) |y| eps
      expect_relative(p.cdf(low), level, 1e-12 + 4e-16 * std::abs(low) * p.pdf(low) / level);
      expect_relative(p.sf(high), level, 1e-12 + 4e-16 * std::abs(high) * p.pdf(high) / level);
    }
    const double level = 1.0 - 1e-12;
    const double y = p.quantile(level);
    expect_relative(p.sf(y), 1.0 - level, 1e-11);  // z = 7: eps |y| p(y) / sf
    EXPECT_EQ(p.median(), p.quantile(0.5));
  }
}

TEST(MixtureQuantile, OfOneComponentIsTheNormalQuantile) {
  const GaussianMixture p = univariate(Vector{{1.0}}, Vector{{3.0}}, Vector{{2.0}});
  const boost::math::normal normal(3.0, 2.0);
  for (const double level : {1e-300, 1e-12, 0.2, 0.5, 0.8}) {
    expect_relative(p.quantile(level), quantile(normal, level), 1e-14);
    expect_relative(p.upper_quantile(level), quantile(complement(normal, level)), 1e-14);
  }
}

TEST(MixtureQuantile, HandlesDistantComponents) {
  const GaussianMixture p = univariate(Vector{{0.3, 0.7}}, Vector{{0.0, 1e8}}, Vector{{1.0, 1e-2}});
  const boost::math::normal unit;
  EXPECT_NEAR(p.quantile(0.15), 0.0, 1e-15);
  EXPECT_NEAR(p.quantile(0.03), quantile(unit, 0.1), 1e-13);
  EXPECT_NEAR(p.quantile(0.65), 1e8, 3e-8);  // two units in the last place
  const double plateau = p.quantile(0.3);
  EXPECT_GT(plateau, 8.0);
  EXPECT_LT(plateau, 1e8 - 0.05);
  const GaussianMixture rare = univariate(Vector{{1.0 - 1e-15, 1e-15}}, Vector{{0.0, 1e8}}, Vector{{1.0, 1.0}});
  EXPECT_NEAR(rare.upper_quantile(5e-16), 1e8, 3e-8);
  const GaussianMixture uneven = univariate(Vector{{0.5, 0.5}}, Vector{{0.0, 0.0}}, Vector{{1e-6, 1.0}});
  for (const double level : {0.1, 0.25, 0.4, 0.49}) expect_relative(uneven.cdf(uneven.quantile(level)), level, 1e-13);
}

TEST(MixtureQuantile, IsInfiniteAtTheEnds) {
  const GaussianMixture p = smooth_examples()[1];
  EXPECT_EQ(p.quantile(0.0), -kInf);
  EXPECT_EQ(p.quantile(1.0), kInf);
  EXPECT_EQ(p.upper_quantile(0.0), kInf);
  EXPECT_EQ(p.upper_quantile(1.0), -kInf);
}

TEST(MixtureQuantile, FormsCentralIntervals) {
  const GaussianMixture p = smooth_examples()[2];
  const Interval i = p.interval(0.9);
  EXPECT_NEAR(p.cdf(i.lower), 0.05, 1e-15);
  EXPECT_NEAR(p.sf(i.upper), 0.05, 1e-15);
}

}  // namespace
}  // namespace condens::mixture_cdf_test
