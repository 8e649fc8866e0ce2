// Pair integrals, scores and entropy of one law.

#include <gtest/gtest.h>

#include "mixture_examples.hpp"

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

/// E|X - X'| and the integral of p^2, pair by pair.
struct PairMeans {
  long double distance = 0.0L;  // a million terms: their rounding in double is what is looked for
  long double overlap = 0.0L;
};

PairMeans plain_pair_means(const GaussianMixture& p) {
  PairMeans out;
  for (Index l = 0; l < p.n_components(); ++l) {
    for (Index r = 0; r < p.n_components(); ++r) {
      const double s = std::hypot(p.scales()(0, l), p.scales()(0, r));
      const double z = std::abs(p.means()(0, l) - p.means()(0, r)) / s;
      const double phi = std::exp(-0.5 * z * z) / std::sqrt(2.0 * std::acos(-1.0));
      const double weight = p.weights()[l] * p.weights()[r];
      out.distance += weight * s * (z * std::erf(z * std::sqrt(0.5)) + 2.0 * phi);
      out.overlap += weight * phi / s;
    }
  }
  return out;
}

TEST(MixtureScores, OfMoreThanAThousandComponentsInThePlaneEnergyIsThatOfDraws) {
  const Matrix means{{-2.0, 0.5, 3.0}, {1.0, -1.0, 0.0}};
  const Matrix scales{{0.5, 1.0, 0.3}, {1.5, 0.4, 0.8}};
  const GaussianMixture few(Vector{{0.5, 0.2, 0.3}}, means, scales);
  const Index copies = 400;  // of each component
  const GaussianMixture many(few.weights().replicate(copies, 1) / static_cast<double>(copies),
                             means.replicate(1, copies), scales.replicate(1, copies));
  EXPECT_NE(many.energy(), few.energy());
  EXPECT_NEAR(many.energy() / few.energy(), 1.0, 0.015);
  const Vector y{{1.0, 2.0}};
  EXPECT_NEAR(many.energy(y) / few.energy(y), 1.0, 0.015);
  EXPECT_EQ(many.energy_score(y), many.energy(y) - 0.5 * many.energy());
}

TEST(MixtureScores, ManyComponentsOfFewScalesAgreeWithTheLoopOverPairs) {
  const Index m = 1100;
  RandomStream random(5);
  for (const Index n_scales : {1, 2, 3}) {  // three are too many for boxes: both ways are met
    for (const double spread : {0.0, 0.01, 3.0, 1e3, 1e9}) {
      Vector weights(m);
      Matrix means(1, m);
      Matrix scales(1, m);
      for (Index l = 0; l < m; ++l) {
        weights[l] = random.uniform() * random.uniform();
        means(0, l) = 100.0 + spread * random.normal();
        scales(0, l) = std::pow(7.0, static_cast<double>(l % n_scales)) * 0.05;
      }
      means(0, 0) = 1e7;  // one far away, of little weight
      weights[0] = 1e-12;
      const GaussianMixture p(weights / weights.sum(), means, scales);
      const PairMeans plain = plain_pair_means(p);
      const auto distance = static_cast<double>(plain.distance);
      const auto overlap = static_cast<double>(plain.overlap);
      // 1e-13, and the rounding of means around 100 in units of the least scale, 0.05.
      EXPECT_NEAR(p.energy(), distance, 2e-13 * distance) << n_scales << " " << spread;
      EXPECT_NEAR(p.squared_l2_norm(), overlap, 2e-13 * overlap) << n_scales << " " << spread;
      // As one of several that share their components, and by itself: the same bits.
      const auto shared = std::make_shared<const GaussianComponents>(p.components());
      const GaussianMixtures laws = GaussianMixtures::shared(shared, p.log_weights().replicate(1, 2));
      EXPECT_EQ(laws.energy(), laws[0].energy() * Vector::Ones(2));
      EXPECT_EQ(laws.squared_l2_norm(), laws[0].squared_l2_norm() * Vector::Ones(2));
    }
  }
}

TEST(MixtureScores, ExpectedShortfallIsTheMeanOfTheTail) {
  for (const GaussianMixture& p : smooth_examples()) {
    const GaussianMixtures laws = GaussianMixtures::separate(p.components(), p.log_weights());
    for (const double level : {1e-6, 0.05, 0.5, 0.9, 1.0}) {
      const Vector one = Vector::Constant(1, level);
      const double low = level < 1.0 ? p.quantile(level) : 1e9;
      const double high = level < 1.0 ? p.upper_quantile(level) : -1e9;
      const double below = integrate(p, {low}, [&](double t) { return t < low ? t * p.pdf(t) : 0.0; }) / level;
      const double above = integrate(p, {high}, [&](double t) { return t > high ? t * p.pdf(t) : 0.0; }) / level;
      // Quadrature: 1e-13 a piece, divided by the level.
      EXPECT_NEAR(laws.lower_tail_mean(one)[0], below, 1e-11 * (1.0 + std::abs(below)) + 1e-13 / level) << level;
      EXPECT_NEAR(laws.upper_tail_mean(one)[0], above, 1e-11 * (1.0 + std::abs(above)) + 1e-13 / level) << level;
    }
  }
  // One normal far out: E[Y | Y <= q] = v - s phi(z) / level.
  const GaussianMixture p = univariate(Vector{{1.0}}, Vector{{3.0}}, Vector{{2.0}});
  const GaussianMixtures laws = GaussianMixtures::separate(p.components(), p.log_weights());
  const double level = 1e-200;
  const double z = (p.quantile(level) - 3.0) / 2.0;
  const double tail = std::exp(-0.5 * z * z - std::log(level)) / std::sqrt(2.0 * std::acos(-1.0));
  EXPECT_NEAR(laws.lower_tail_mean(Vector::Constant(1, level))[0], 3.0 - 2.0 * tail, 1e-10);
  EXPECT_THROW(laws.lower_tail_mean(Vector::Zero(1)), std::invalid_argument);
}

TEST(MixtureScores, ProbabilityOfAnIntervalKeepsItsDigitsInBothTails) {
  const GaussianMixture p = smooth_examples()[1];
  const GaussianMixtures laws = GaussianMixtures::separate(p.components(), p.log_weights());
  for (const auto& [a, b] : {std::pair{-1.0, 2.0}, {30.0, 31.0}, {-25.0, -24.0}, {2.0, 2.0}, {3.0, 1.0}}) {
    const double mass = laws.probability(Vector::Constant(1, a), Vector::Constant(1, b))[0];
    const int side = a > 0.0 ? -1 : 1;
    const auto expected = static_cast<double>(side * (exact_tail(p, b, side) - exact_tail(p, a, side)));
    EXPECT_NEAR(mass, a < b ? expected : 0.0, 1e-13 * std::abs(expected)) << a << " " << b;
  }
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
  for (const double unit : {1e-104, 1e-9, 1e-6, 1e6, 1e104}) {
    const GaussianMixture q =
        univariate(Vector{{0.3, 0.7}}, Vector{{0.0, 1.5 * unit}}, Vector{{1.0 * unit, 0.4 * unit}});
    EXPECT_NEAR(q.entropy(), p.entropy() + std::log(unit), 1e-10) << unit;
  }
}

}  // namespace
}  // namespace condens::mixture_scores_test
