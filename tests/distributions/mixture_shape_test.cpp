// Moments, modes, highest-density regions and draws of one law.

#include <gtest/gtest.h>

#include "mixture_examples.hpp"
#include "support/sanitized.hpp"

namespace condens::mixture_shape_test {
namespace {

TEST(MixtureMoments, AgreeWithQuadrature) {
  for (const GaussianMixture& p : smooth_examples()) {
    const double mean = integrate(p, {}, [&](double y) { return y * p.pdf(y); });
    EXPECT_NEAR(p.mean()[0], mean, 1e-11);
    const auto central = [&](int k) {
      return integrate(p, {}, [&](double y) { return std::pow(y - p.mean()[0], k) * p.pdf(y); });
    };
    const double variance = central(2);
    // Sums of numbers near one by quadrature to 1e-13 a piece; the fourth power amplifies.
    EXPECT_NEAR(p.variance()[0], variance, 1e-11 * variance);
    EXPECT_NEAR(p.skewness(), central(3) / std::pow(variance, 1.5), 1e-10);
    EXPECT_NEAR(p.kurtosis(), central(4) / (variance * variance) - 3.0, 1e-9);
  }
}

TEST(MixtureMoments, DoNotSufferFromAFarOrigin) {
  const double far = 1073741824.0;  // 2^30: sums with small binary fractions are exact
  const Vector means{{-1.5, 0.25, 2.0}};
  const Vector weights{{0.25, 0.25, 0.5}};
  const Vector scales{{1.0, 0.5, 0.25}};
  const GaussianMixture near = univariate(weights, means, scales);
  const GaussianMixture moved = univariate(weights, means.array() + far, scales);
  EXPECT_EQ(moved.variance(), near.variance());
  EXPECT_EQ(moved.skewness(), near.skewness());
  EXPECT_EQ(moved.kurtosis(), near.kurtosis());
}

TEST(MixtureMoments, ShapeHasNoUnit) {
  const Vector weights{{0.3, 0.7}};
  const Vector means{{0.0, 3.0}};
  const Vector scales{{1.0, 0.4}};
  const GaussianMixture p = univariate(weights, means, scales);
  for (const double unit : {1e-104, 1e104}) {
    const GaussianMixture q = univariate(weights, unit * means, unit * scales);
    EXPECT_NEAR(q.skewness(), p.skewness(), 1e-12) << unit;
    EXPECT_NEAR(q.kurtosis(), p.kurtosis(), 1e-12) << unit;
    EXPECT_NEAR(q.mode()[0] / unit, p.mode()[0], 1e-12) << unit;
    EXPECT_EQ(q.modes().cols(), 2) << unit;
    EXPECT_NEAR(q.highest_density_region(0.5)[0].lower / unit, p.highest_density_region(0.5)[0].lower, 1e-12) << unit;
  }
}

TEST(MixtureModes, OfComponentsThatNoNumberTellsHowFarApart) {
  const GaussianMixture p = univariate(Vector{{0.4, 0.6}}, Vector{{-1e104, 1e104}}, Vector{{1e-105, 1e-105}});
  EXPECT_EQ(p.mode()[0], 1e104);
  EXPECT_EQ(p.modes(), (Matrix{{1e104, -1e104}}));
  EXPECT_EQ(p.highest_density_region(0.9).size(), 2U);
}

TEST(MixtureMoments, OfOneComponentAreTheNormalOnes) {
  const GaussianMixture p = smooth_examples()[0];
  EXPECT_EQ(p.mean()[0], 1.5);
  EXPECT_EQ(p.variance()[0], 0.7 * 0.7);
  EXPECT_EQ(p.skewness(), 0.0);
  EXPECT_NEAR(p.kurtosis(), 0.0, 1e-15);
  EXPECT_EQ(p.mode()[0], 1.5);
  EXPECT_EQ(p.median(), 1.5);
}

TEST(MixtureMoments, GiveTheCovariance) {
  const GaussianMixture p(Vector{{0.25, 0.75}}, Matrix{{0.0, 4.0}, {1.0, -1.0}}, Matrix{{1.0, 2.0}, {0.5, 0.1}});
  // E = (3, -0.5); deviations (-3, 1.5) and (1, -0.5)
  const Matrix expected{{0.25 * (9.0 + 1.0) + 0.75 * (1.0 + 4.0), -0.25 * 4.5 - 0.75 * 0.5},
                        {-0.25 * 4.5 - 0.75 * 0.5, 0.25 * (2.25 + 0.25) + 0.75 * (0.25 + 0.01)}};
  EXPECT_LT((p.covariance() - expected).cwiseAbs().maxCoeff(), 1e-14);
  EXPECT_LT((p.variance() - expected.diagonal()).cwiseAbs().maxCoeff(), 1e-14);
}

TEST(MixtureModes, AreThoseOfADenseScan) {
  RandomStream random(7);
  for (int repeat = 0; repeat < 30; ++repeat) {
    const Index m = 1 + random.below(8);
    Vector weights(m), means(m), scales(m);
    for (Index l = 0; l < m; ++l) {
      weights[l] = 0.05 + random.uniform();
      means[l] = 6.0 * random.uniform();
      scales[l] = repeat % 2 == 0 ? 0.4 : 0.05 + random.uniform();
    }
    weights /= weights.sum();
    const GaussianMixture p = univariate(weights, means, scales);
    std::vector<double> scan;
    const double step = 5e-4;  // a hundredth of the least scale
    for (double y = -0.1; y < 6.1; y += step) {
      if (exact_pdf(p, y) > exact_pdf(p, y - step) && exact_pdf(p, y) >= exact_pdf(p, y + step)) scan.push_back(y);
    }
    const Matrix modes = p.modes();
    ASSERT_EQ(modes.cols(), static_cast<Index>(scan.size())) << repeat;
    for (Index k = 0; k < modes.cols(); ++k) {
      double nearest = 1.0;
      for (const double y : scan) nearest = std::min(nearest, std::abs(y - modes(0, k)));
      EXPECT_LE(nearest, step);
      EXPECT_GE(p.pdf(modes(0, std::max<Index>(k - 1, 0))), p.pdf(modes(0, k)));
    }
    EXPECT_NEAR(p.mode()[0], modes(0, 0), 1e-12);
  }
}

// Most of so many components play no part in most of the intervals of the search.
TEST(MixtureModes, OfManyComponentsAreThoseOfADenseScan) {
  RandomStream random(8);
  for (int repeat = 0; repeat < repetitions(4); ++repeat) {
    constexpr Index m = 200;
    Vector weights(m), means(m), scales(m);
    for (Index l = 0; l < m; ++l) {
      weights[l] = std::pow(random.uniform(), 4.0);
      means[l] = repeat % 2 == 0 ? 6.0 * random.uniform() : 0.03 * static_cast<double>(l);
      scales[l] = repeat % 2 == 0 ? std::pow(10.0, -2.0 * random.uniform()) : 0.024;
    }
    weights /= weights.sum();
    const GaussianMixture p = univariate(weights, means, scales);
    std::vector<long double> density;
    constexpr double step = 2e-4;  // a fiftieth of the least scale
    for (double y = -0.1; y < 6.1; y += step) density.push_back(exact_pdf(p, y));
    std::vector<double> scan;
    for (std::size_t i = 1; i + 1 < density.size(); ++i) {
      if (density[i] > density[i - 1] && density[i] >= density[i + 1]) {
        scan.push_back(-0.1 + step * static_cast<double>(i));
      }
    }
    Vector modes = p.modes().row(0).transpose();
    std::sort(modes.begin(), modes.end());
    ASSERT_EQ(modes.size(), std::ssize(scan)) << repeat;
    ASSERT_GT(modes.size(), 10);
    for (std::size_t k = 0; k < scan.size(); ++k) EXPECT_NEAR(modes[static_cast<Index>(k)], scan[k], 2.0 * step);

    // A spike a million times narrower, at a place with little density beside one with much.
    Vector with_spike(m + 1), its_means(m + 1), its_scales(m + 1);
    with_spike << weights, 1e-6;
    its_means << means, 2.0;
    its_scales << scales, 1e-8;
    const GaussianMixture spiked = univariate(with_spike / with_spike.sum(), its_means, its_scales);
    EXPECT_EQ(spiked.modes().cols(), p.modes().cols() + 1);
    EXPECT_LT((spiked.modes().row(0).array() - 2.0).abs().minCoeff(), 1e-9);
  }
}

TEST(MixtureModes, HandleTheHardCases) {
  // The two modes of equal components at -a and a, scale 1: y = a tanh(a y).
  const GaussianMixture two = univariate(Vector{{0.5, 0.5}}, Vector{{-1.01, 1.01}}, Vector{{1.0, 1.0}});
  ASSERT_EQ(two.modes().cols(), 2);
  const double y = std::abs(two.mode()[0]);
  EXPECT_NEAR(y, 1.01 * std::tanh(1.01 * y), 1e-13);
  EXPECT_GT(y, 0.1);
  const GaussianMixture one = univariate(Vector{{0.5, 0.5}}, Vector{{-0.99, 0.99}}, Vector{{1.0, 1.0}});
  ASSERT_EQ(one.modes().cols(), 1);
  EXPECT_NEAR(one.mode()[0], 0.0, 1e-13);
  const GaussianMixture far = univariate(Vector{{0.3, 0.7}}, Vector{{0.0, 1e8}}, Vector{{1.0, 10.0}});
  ASSERT_EQ(far.modes().cols(), 2);
  EXPECT_NEAR(far.modes()(0, 0), 0.0, 1e-15);
  EXPECT_NEAR(far.modes()(0, 1), 1e8, 3e-8);
  // A spike a million times narrower, off the centre of the broad component.
  const GaussianMixture spike = univariate(Vector{{1.0 - 1e-4, 1e-4}}, Vector{{0.0, 0.5}}, Vector{{1.0, 1e-6}});
  EXPECT_EQ(spike.modes().cols(), 2);
  EXPECT_NEAR(spike.mode()[0], 0.5, 1e-9);
  EXPECT_EQ(smooth_examples()[3].modes().cols(), 1);  // equal components; the zero weight has no mode
  EXPECT_EQ(smooth_examples()[5].modes().cols(), 2);  // weight 1e-15
}

TEST(MixtureModes, InSeveralDimensionsHaveNoGradient) {
  const GaussianMixture p(Vector{{0.5, 0.3, 0.2}}, Matrix{{0.0, 3.0, 0.2}, {0.0, 3.0, 0.1}},
                          Matrix{{1.0, 0.5, 1.0}, {0.7, 1.0, 0.7}});
  const Matrix modes = p.modes();
  ASSERT_EQ(modes.cols(), 2);
  for (Index k = 0; k < 2; ++k) {
    for (Index j = 0; j < 2; ++j) {
      Vector up = modes.col(k), down = modes.col(k);
      up[j] += 1e-5;
      down[j] -= 1e-5;
      EXPECT_NEAR((p.log_pdf(up) - p.log_pdf(down)) / 2e-5, 0.0, 1e-9);  // rounding of log p over the step
      EXPECT_LT(p.log_pdf(up), p.log_pdf(modes.col(k)) + 1e-15);
    }
  }
  EXPECT_EQ(p.mode(), modes.col(0));
  EXPECT_GE(p.pdf(modes.col(0)), p.pdf(modes.col(1)));
}

double mass_of(const GaussianMixture& p, const std::vector<Interval>& region) {
  long double total = 0.0L;
  for (const Interval& piece : region) total += exact_tail(p, piece.upper, 1) - exact_tail(p, piece.lower, 1);
  return static_cast<double>(total);
}

TEST(HighestDensityRegion, HasTheMassAndOneLevel) {
  for (const GaussianMixture& p : smooth_examples()) {
    for (const double mass : {0.01, 0.3, 0.5, 0.8, 0.95, 0.999999}) {
      const std::vector<Interval> region = p.highest_density_region(mass);
      ASSERT_FALSE(region.empty());
      EXPECT_NEAR(mass_of(p, region), mass, 1e-10);
      const double level = p.log_pdf(region[0].lower);
      for (const Interval& piece : region) {
        EXPECT_LT(piece.lower, piece.upper);
        // rounding of y times the slope of log p: |z| |y| / s eps, largest for the narrow component
        EXPECT_NEAR(p.log_pdf(piece.lower), level, 1e-11);
        EXPECT_NEAR(p.log_pdf(piece.upper), level, 1e-11);
      }
    }
  }
}

TEST(HighestDensityRegion, IsTheShortestSet) {
  const GaussianMixture p = smooth_examples()[2];
  // Brute force: the cells of highest density until they hold the mass.
  const double step = 1e-3;
  std::vector<double> densities;
  for (double y = -10.0; y < 25.0; y += step) densities.push_back(p.pdf(y + 0.5 * step));
  std::sort(densities.rbegin(), densities.rend());
  for (const double mass : {0.2, 0.6, 0.9}) {
    double held = 0.0;
    double length = 0.0;
    for (std::size_t i = 0; held < mass; ++i) {
      held += densities[i] * step;
      length += step;
    }
    double exact = 0.0;
    for (const Interval& piece : p.highest_density_region(mass)) exact += piece.upper - piece.lower;
    EXPECT_NEAR(exact, length, 4 * step);
  }
}

TEST(HighestDensityRegion, SeparatesDistantPeaks) {
  const GaussianMixture p = univariate(Vector{{0.5, 0.5}}, Vector{{0.0, 1e8}}, Vector{{1.0, 1.0}});
  const std::vector<Interval> region = p.highest_density_region(0.9);
  ASSERT_EQ(region.size(), 2u);
  EXPECT_NEAR(region[0].lower, -1.6448536269514722, 1e-7);  // places near 1e8 are 1.5e-8 apart
  EXPECT_NEAR(region[0].upper, 1.6448536269514722, 1e-7);
  EXPECT_NEAR(region[1].lower, 1e8 - 1.6448536269514722, 1e-7);
}

// Scales below the rounding of where they are: the region is that place, to its rounding.
TEST(HighestDensityRegion, OfNoWidthIsAPlace) {
  for (const double place : {1.0, -3e8, 1e75}) {
    const GaussianMixture p = univariate(Vector{{0.4, 0.6}}, Vector{{place, place}}, Vector{{1e-75, 1e-60}});
    for (const double mass : {0.1, 0.9}) {
      const std::vector<Interval> region = p.highest_density_region(mass);
      ASSERT_EQ(region.size(), 1u) << place;
      EXPECT_LE(region[0].lower, region[0].upper);
      EXPECT_NEAR(region[0].lower, place, 1e-15 * std::abs(place));
      EXPECT_NEAR(region[0].upper, place, 1e-15 * std::abs(place));
    }
  }
}

// The same beside a component so wide that the search for modes passes the peak by.
TEST(HighestDensityRegion, OfNoWidthBesideAWideComponentIsAPlace) {
  const GaussianMixture p = univariate(Vector{{0.96, 0.04}}, Vector{{1e75, -1e54}}, Vector{{1e54, 1e75}});
  const std::vector<Interval> region = p.highest_density_region(0.001);
  ASSERT_EQ(region.size(), 1u);
  EXPECT_NEAR(region[0].lower, 1e75, 1e60);
  EXPECT_NEAR(region[0].upper, 1e75, 1e60);
}

// What weighs next to nothing moves neither quantiles nor regions, wherever it lies, and is seen where nothing else is.
TEST(HighestDensityRegion, IsNotMovedByWhatWeighsNextToNothing) {
  const GaussianMixture p = smooth_examples()[2];
  const Index light = 60;
  Vector weights(3 + light);
  Vector means(3 + light);
  Vector scales(3 + light);
  weights.head(3) = p.weights();
  means.head(3) = p.means().row(0);
  scales.head(3) = p.scales().row(0);
  for (Index l = 0; l < light; ++l) {
    weights[3 + l] = std::pow(10.0, -22.0 - 2.0 * static_cast<double>(l));
    means[3 + l] = -20.0 + 0.8 * static_cast<double>(l);
    scales[3 + l] = 0.05;
  }
  const GaussianMixture q = univariate(weights, means, scales);
  EXPECT_GT(q.modes().cols(), 5);
  for (const double mass : {0.01, 0.3, 0.8, 0.95, 0.999999}) {
    const std::vector<Interval> expected = p.highest_density_region(mass);
    const std::vector<Interval> region = q.highest_density_region(mass);
    ASSERT_EQ(region.size(), expected.size()) << mass;
    for (std::size_t i = 0; i < region.size(); ++i) {
      EXPECT_NEAR(region[i].lower, expected[i].lower, 1e-11);
      EXPECT_NEAR(region[i].upper, expected[i].upper, 1e-11);
    }
  }
  for (double y = -6.0; y < 18.0; y += 0.37) {
    EXPECT_NEAR(q.highest_density_mass(y), p.highest_density_mass(y), 1e-12) << y;
    EXPECT_NEAR(q.quantile(p.cdf(y)), y, 1e-10 * (1.0 + 1e-4 / p.pdf(y))) << y;
  }
  EXPECT_NEAR(q.highest_density_mass(means[3]), 1.0, 1e-15);
  EXPECT_NEAR(q.quantile(weights[3] / 2.0), means[3], 1e-12);
}

TEST(MixtureSample, AgreesWithTheLaw) {
  const GaussianMixture p(Vector{{0.3, 0.0, 0.7}}, Matrix{{-2.0, 90.0, 1.0}, {5.0, 90.0, 3.0}},
                          Matrix{{0.5, 1.0, 1.2}, {1.0, 1.0, 0.1}});
  RandomStream random(11);
  const Index n = 100000;
  const Matrix draws = p.sample(n, random);
  ASSERT_EQ(draws.rows(), 2);
  ASSERT_EQ(draws.cols(), n);
  for (Index k = 0; k < 2; ++k) {
    const GaussianMixture law = p.marginal(k);
    // Kolmogorov: P(sup |F_n - F| > c / sqrt n) < 2 exp(-2 c^2) = 4e-8 for c = 3
    Vector sorted = draws.row(k);
    std::sort(sorted.begin(), sorted.end());
    double worst = 0.0;
    for (Index i = 0; i < n; ++i) {
      worst = std::max(worst, std::abs(law.cdf(sorted[i]) - (static_cast<double>(i) + 0.5) / static_cast<double>(n)));
    }
    EXPECT_LT(worst, 3.0 / std::sqrt(static_cast<double>(n)));
  }
  EXPECT_LT(draws.maxCoeff(), 20.0);  // nothing from the component of weight zero
}

// The third power of 1e105 is no number: intervals about the narrow component were cut a hundred thousand million
// times.
TEST(MixtureModes, OfScalesThatDifferByHundredsOfMagnitudesAreFoundInFewSteps) {
  const GaussianMixture law(Vector{{0.1, 0.2, 0.7}}, Matrix{{-1e100, 0.0, -4e104}}, Matrix{{1e105, 1e-105, 5e103}});
  const Matrix modes = law.modes();
  ASSERT_EQ(modes.cols(), 3);  // one of each component
  EXPECT_NEAR(modes.rowwise().maxCoeff()[0], 0.0, 1e-105);
  EXPECT_NEAR(modes.rowwise().minCoeff()[0], -4e104, 1e102);
}

// The ratio of their slopes is no number. The spike is narrower than the step between numbers at its place.
TEST(MixtureModes, OfASpikeFarFromAWideComponentAreFoundInFewSteps) {
  const GaussianMixture law(Vector{{0.6, 0.4}}, Matrix{{-1.4e94, -2.3e93}}, Matrix{{3.7e-104, 2.8e89}});
  EXPECT_NEAR(law.modes().row(0).maxCoeff(), -2.3e93, 1e80);
}

// Here the slope of the spike alone is no number, where its density is zero.
TEST(MixtureModes, OfASpikeSoFarThatItsSlopeIsNoNumberAreFoundInFewSteps) {
  const GaussianMixture law(Vector{{0.6, 0.4}}, Matrix{{1.5e104, -7.6e103}}, Matrix{{6.6e94, 1e-105}});
  const double mass = law.highest_density_mass(-5e103);
  EXPECT_GE(mass, 0.6 - 1e-12);  // of a spike narrower than the step between numbers none may be seen
  EXPECT_LE(mass, 1.0);
  EXPECT_NEAR(law.modes().row(0).maxCoeff(), 1.5e104, 1e90);
}

}  // namespace
}  // namespace condens::mixture_shape_test
