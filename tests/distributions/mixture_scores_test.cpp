// Pair integrals, scores and entropy of one law.

#include <gtest/gtest.h>

#include "distributions/mixture_examples.hpp"

namespace condens::mixture_scores_test {
namespace {

TEST(MixtureScores, CrpsIsTheIntegralOfTheSquaredError) {
  for (const GaussianMixture& p : smooth_examples()) {
    for (const double y : {-3.0, 0.1, 1.5, 7.0, 40.0}) {
      const double below = integrate(p, {y}, [&](double t) { return t < y ? p.cdf(t) * p.cdf(t) : 0.0; });
      const double above = integrate(p, {y}, [&](double t) { return t > y ? p.sf(t) * p.sf(t) : 0.0; });
      EXPECT_NEAR(p.crps(y), below + above, 1e-11 * (1.0 + std::abs(y)));  // quadrature, 1e-13 a piece
      EXPECT_EQ(p.crps(y), p.energy_score(Vector::Constant(1, y)));
    }
  }
}

TEST(MixtureScores, CrpsOfOneComponentIsTheNormalOne) {
  const GaussianMixture p = univariate(Vector{{1.0}}, Vector{{1.0}}, Vector{{2.0}});
  const double pi = std::acos(-1.0);
  for (const double y : {-9.0, 0.0, 1.0, 4.0}) {
    const double z = (y - 1.0) / 2.0;
    const double expected = 2.0 * (z * std::erf(z / std::sqrt(2.0)) +
                                   2.0 * std::exp(-0.5 * z * z) / std::sqrt(2.0 * pi) - 1.0 / std::sqrt(pi));
    EXPECT_NEAR(p.crps(y), expected, 1e-14);
  }
  EXPECT_NEAR(p.crps(1e12), 1e12 - 1.0 - 2.0 / std::sqrt(pi), 2e-4);  // one unit in the last place
}

TEST(MixtureScores, SquaredNormAndLossAgreeWithQuadrature) {
  for (const GaussianMixture& p : smooth_examples()) {
    const double norm = integrate(p, {}, [&](double y) { return p.pdf(y) * p.pdf(y); });
    EXPECT_NEAR(p.squared_l2_norm(), norm, 1e-11 * norm);
    EXPECT_EQ(p.squared_loss(0.3), 0.5 * p.squared_l2_norm() - p.pdf(0.3));
  }
  const GaussianMixture q(Vector{{0.5, 0.5}}, Matrix{{0.0, 1.0}, {0.0, 0.0}}, Matrix{{1.0, 1.0}, {2.0, 2.0}});
  // N(0; 2) N(0; 8) (1 + exp(-1/4)) / 2
  EXPECT_NEAR(q.squared_l2_norm(), (1.0 + std::exp(-0.25)) / 2.0 / (2.0 * std::acos(-1.0) * 4.0), 1e-16);
}

TEST(MixtureScores, EnergyOfAFlatSecondCoordinateTendsToTheClosedForm) {
  // With a second scale far below rounding of the first, |Z| is one-dimensional.
  for (const double mu : {0.0, 0.5, 3.0, 50.0, 1e4}) {
    const GaussianMixture line = univariate(Vector{{1.0}}, Vector{{mu}}, Vector{{0.8}});
    const GaussianMixture plane(Vector{{1.0}}, Matrix{{mu}, {0.0}}, Matrix{{0.8}, {1e-12}});
    EXPECT_NEAR(plane.energy(Vector::Zero(2)), line.energy(Vector::Zero(1)), 1e-12 * (0.8 + mu)) << mu;
  }
}

TEST(MixtureScores, EnergyIsTheIsotropicClosedForm) {
  for (const Index d : {2, 3, 5, 20}) {
    const GaussianMixture p(Vector{{1.0}}, Matrix::Constant(d, 1, 4.0), Matrix::Constant(d, 1, 1.5));
    // E|Z|, Z ~ N(0, s^2 I): s sqrt 2 Gamma((d + 1) / 2) / Gamma(d / 2)
    const double n = static_cast<double>(d);
    const double expected = std::sqrt(2.0) * std::exp(std::lgamma(0.5 * (n + 1.0)) - std::lgamma(0.5 * n));
    EXPECT_NEAR(p.energy(Vector::Constant(d, 4.0)), 1.5 * expected, 1e-12 * expected) << d;
    EXPECT_NEAR(p.energy(), 1.5 * std::sqrt(2.0) * expected, 2e-12 * expected) << d;
  }
  // d = 3 off the centre: the mean of the non-central Maxwell law.
  const double s = 0.7;
  for (const double mu : {0.1, 1.0, 10.0, 1000.0}) {
    const GaussianMixture p(Vector{{1.0}}, Matrix{{mu}, {0.0}, {0.0}}, Matrix::Constant(3, 1, s));
    const double z = mu / s;
    const double expected =
        s * (std::sqrt(2.0 / std::acos(-1.0)) * std::exp(-0.5 * z * z) + (z + 1.0 / z) * std::erf(z / std::sqrt(2.0)));
    EXPECT_NEAR(p.energy(Vector::Zero(3)), expected, 1e-12 * expected) << mu;
  }
}

TEST(MixtureScores, EnergyScoreInThePlaneAgreesWithDraws) {
  const GaussianMixture p(Vector{{0.4, 0.6}}, Matrix{{0.0, 2.0}, {1.0, -1.0}}, Matrix{{1.0, 0.1}, {0.3, 2.0}});
  const Vector y{{0.5, 0.5}};
  RandomStream random(3);
  const Index n = 100000;
  const Matrix a = p.sample(n, random);
  const Matrix b = p.sample(n, random);
  const Eigen::ArrayXd terms = (a.colwise() - y).colwise().norm() - 0.5 * (a - b).colwise().norm();
  const double spread = std::sqrt((terms - terms.mean()).square().mean() / static_cast<double>(n));
  EXPECT_NEAR(p.energy_score(y), terms.mean(), 5.0 * spread);  // false alarm once in 1.7 million
}

TEST(MixtureScores, EntropyHasTheKnownLimits) {
  const double unit = 0.5 * std::log(2.0 * std::acos(-1.0) * std::exp(1.0));
  EXPECT_NEAR(smooth_examples()[0].entropy(), unit + std::log(0.7), 1e-10);
  EXPECT_NEAR(smooth_examples()[3].entropy(), unit + std::log(2.0), 1e-10);
  // Components that do not overlap: entropy of the weights plus mean entropy.
  const GaussianMixture far = univariate(Vector{{0.25, 0.75}}, Vector{{0.0, 1e4}}, Vector{{1.0, 1e-2}});
  const double weights = -0.25 * std::log(0.25) - 0.75 * std::log(0.75);
  EXPECT_NEAR(far.entropy(), weights + unit + 0.75 * std::log(1e-2), 1e-10);
  const GaussianMixture p = smooth_examples()[2];
  EXPECT_NEAR(p.entropy(), integrate(p, {}, [&](double y) { return p.pdf(y) > 0 ? -p.pdf(y) * p.log_pdf(y) : 0.0; }),
              1e-10);
}

TEST(MixtureScores, EntropyMovesWithTheUnit) {
  const GaussianMixture p = univariate(Vector{{0.3, 0.7}}, Vector{{0.0, 1.5}}, Vector{{1.0, 0.4}});
  for (const double unit : {1e-74, 1e-9, 1e-6, 1e6, 1e74}) {
    const GaussianMixture q =
        univariate(Vector{{0.3, 0.7}}, Vector{{0.0, 1.5 * unit}}, Vector{{1.0 * unit, 0.4 * unit}});
    EXPECT_NEAR(q.entropy(), p.entropy() + std::log(unit), 1e-10) << unit;
  }
}

}  // namespace
}  // namespace condens::mixture_scores_test
