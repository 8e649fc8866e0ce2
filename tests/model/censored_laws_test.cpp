// Likelihoods and quantiles within limits against distribution functions and the tails of one Gaussian.

#include "model/censored_laws.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace condens::tests::censored_laws_test {
namespace {

GaussianMixtures two_laws() {
  return GaussianMixtures::separate(Matrix({{-1, 2, 0, 5}}), Matrix({{0.5, 1, 2, 0.1}}),
                                    Matrix({{std::log(0.3), std::log(0.6)}, {std::log(0.7), std::log(0.4)}}));
}

TEST(CensoredLaws, LikelihoodIsADifferenceOfDistributionFunctions) {
  const GaussianMixtures laws = two_laws();
  const Vector low{{0.3, -infinity, 1.0, 0.5, 2.0, -infinity}};  // three points of each law
  const Vector high{{0.3, 1.0, infinity, 2.0, 2.0, 1.5}};
  const Vector entry{{-infinity, 0.2, 0.5, -infinity, 1.0, -infinity}};
  const Vector found = log_likelihood(laws, {low, high, entry});
  for (Index i = 0; i < 6; ++i) {
    const GaussianMixture law = laws[i / 3];
    double expected = 0.0;
    if (low[i] == high[i])
      expected = law.log_pdf(Vector::Constant(1, low[i]));
    else {
      const double begin = std::max(low[i], entry[i]);  // of a row seen late nothing is below its entry
      const double below = begin == -infinity ? 0.0 : law.cdf(begin);
      expected = std::log((high[i] == infinity ? 1.0 : law.cdf(high[i])) - below);
    }
    if (entry[i] > -infinity) expected -= std::log(1.0 - law.cdf(entry[i]));
    EXPECT_NEAR(found[i], expected, 1e-12) << i;
  }
}

// Far in a tail P(Y > a) = phi(a) / a (1 - 1 / a^2 + ...), and P(a < Y < a + h) loses a factor 1 - exp(-a h).
TEST(CensoredLaws, LikelihoodIsFiniteInTheTails) {
  const GaussianMixtures law = GaussianMixtures::separate(Matrix({{0.0}}), Matrix({{1.0}}), Matrix({{0.0}}));
  const double a = 60.0;
  const double tail = -0.5 * a * a - 0.5 * std::log(2.0 * M_PI) - std::log(a) + std::log1p(-1.0 / (a * a));
  const Vector found = log_likelihood(law, {Vector({{a, -infinity, a, -a - 0.5, a}}),
                                            Vector({{infinity, -a, a + 0.5, -a, std::nextafter(a, infinity)}})});
  EXPECT_NEAR(found[0], tail, 1e-6);
  EXPECT_NEAR(found[1], tail, 1e-6);
  EXPECT_NEAR(found[2], tail, 1e-6);
  EXPECT_NEAR(found[3], tail, 1e-6);
  EXPECT_TRUE(std::isfinite(found[4]));
}

TEST(CensoredLaws, QuantileInvertsTheDistributionWithinLimits) {
  const GaussianMixtures laws = two_laws();
  const Vector low{{0.3, -infinity, 1.0, 0.5, 4.0, -infinity}};
  const Vector high{{0.9, 1.0, infinity, 2.0, infinity, infinity}};
  const Vector u{{0.1, 0.5, 0.9, 0.3, 0.99, 0.2}};
  const Vector found = quantile_between(laws, low, high, u);
  for (Index i = 0; i < 6; ++i) {
    const GaussianMixture law = laws[i / 3];
    const double below = low[i] == -infinity ? 0.0 : law.cdf(low[i]);
    const double upto = high[i] == infinity ? 1.0 : law.cdf(high[i]);
    EXPECT_NEAR((law.cdf(found[i]) - below) / (upto - below), u[i], 1e-9) << i;
    EXPECT_TRUE(found[i] >= low[i] && found[i] <= high[i]);
  }
}

// Beyond what a probability can hold, the tail of a Gaussian is an exponential of rate a.
TEST(CensoredLaws, QuantileIsAnExponentialFarInTheTails) {
  const GaussianMixtures law = GaussianMixtures::separate(Matrix({{0.0}}), Matrix({{1.0}}), Matrix({{0.0}}));
  const double a = 60.0;
  const Vector found =
      quantile_between(law, Vector({{a, -infinity, a}}), Vector({{infinity, -a, a + 1.0}}), Vector({{0.5, 0.5, 0.25}}));
  EXPECT_NEAR(found[0] - a, std::log(2.0) / a, 1e-3 / a);
  EXPECT_NEAR(found[1] + a, -std::log(2.0) / a, 1e-3 / a);
  EXPECT_EQ(found[2], a + 0.25);
}

}  // namespace
}  // namespace condens::tests::censored_laws_test
