// Many laws that share their components take sums together: the numbers are those of each law by itself.

#include <gtest/gtest.h>

#include <cmath>
#include <memory>

#include "condens/core/random.hpp"
#include "mixture_examples.hpp"

namespace condens::shared_laws_test {
namespace {

/// n laws of m shared components: widths between least and four times that, weights of many sizes, some zero, and a
/// broad component last.
GaussianMixtures shared_laws(Index m, Index n, double least, std::uint64_t seed) {
  RandomStream random(seed);
  auto components = std::make_shared<GaussianComponents>();
  components->means = Matrix(1, m);
  components->scales = Matrix(1, m);
  for (Index l = 0; l < m; ++l) {
    components->means(0, l) = random.normal();
    components->scales(0, l) = least * std::pow(4.0, random.uniform());
  }
  components->scales(0, m - 1) = 2.0;
  Matrix log_weights(m, n);
  for (Index i = 0; i < n; ++i) {
    const double centre = random.normal();
    for (Index l = 0; l < m; ++l) {
      log_weights(l, i) = -3.0 * std::pow(components->means(0, l) - centre, 2) + random.normal();
      if (random.uniform() < 0.1) log_weights(l, i) = -1e9;
    }
    log_weights(m - 1, i) = -4.0;
  }
  return GaussianMixtures::shared(components, log_weights);
}

TEST(SharedLaws, HaveTheHighestDensityMassOfEachByItself) {
  for (const double least : {0.02, 0.1, 0.6}) {
    const Index n = 24;
    const GaussianMixtures laws = shared_laws(120, n, least, 1);
    RandomStream random(2);
    const Index k = 6;
    Vector y(k * n);
    for (Index i = 0; i < n; ++i) {
      y[i * k] = random.normal();
      y[i * k + 1] = 3.0 * random.normal();
      const Matrix modes = laws[i].modes();
      y[i * k + 2] = laws[i].mode()[0];           // nothing is higher
      y[i * k + 3] = modes(0, modes.cols() - 1);  // the lowest of the maxima
      y[i * k + 4] = laws.components().means(0, i);
      y[i * k + 5] = i % 2 == 0 ? 40.0 : -200.0;  // far out: the second beyond what numbers hold
    }
    const Vector found = laws.highest_density_mass(y, {.threads = 1, .observer = {}});
    for (Index j = 0; j < y.size(); ++j) {
      // At a maximum the ends are known to the root of rounding only.
      const double tolerance = j % k == 2 || j % k == 3 ? 1e-6 : 1e-12;
      EXPECT_NEAR(found[j], laws[j / k].highest_density_mass(y[j]), tolerance) << least << " " << j;
    }
    const Vector threaded = laws.highest_density_mass(y, {.threads = 7, .observer = {}});
    EXPECT_EQ(threaded, found);
  }
}

TEST(SharedLaws, HaveTheHighestDensityMassOfASortedGrid) {
  const GaussianMixtures laws = shared_laws(80, 20, 0.15, 3);
  const Vector grid = Vector::LinSpaced(26667, -8.0, 8.0);  // out there no density reaches one of these levels
  const double step = grid[1] - grid[0];
  const Matrix density = laws.log_pdf_grid(grid.transpose()).array().exp();
  RandomStream random(4);
  Vector y(20);
  for (double& value : y) value = random.normal();
  const Vector found = laws.highest_density_mass(y);
  for (Index i = 0; i < 20; ++i) {
    const double level = laws[i].pdf(y[i]);
    const double mass = (density.col(i).array() > level).select(density.col(i).array(), 0.0).sum() * step;
    EXPECT_NEAR(found[i], mass, 10 * step * level);  // cells at the ends of at most ten intervals
  }
}

TEST(SharedLaws, HaveTheEnergyAndTheNormOfEachByItself) {
  for (const Index m : {63, 64, 200, 513}) {
    const GaussianMixtures laws = shared_laws(m, 40, 0.1, 5);
    const Vector energy = laws.energy();
    const Vector norm = laws.squared_l2_norm();
    for (Index i = 0; i < laws.size(); ++i) {
      EXPECT_NEAR(energy[i], laws[i].energy(), 1e-13 * energy[i]) << m;
      EXPECT_NEAR(norm[i], laws[i].squared_l2_norm(), 1e-13 * norm[i]) << m;
    }
    EXPECT_EQ(laws.energy({.threads = 7, .observer = {}}), laws.energy({.threads = 1, .observer = {}}));
  }
}

TEST(SharedLaws, OfOnePlaceOrFarApartAreSearchedOneByOne) {
  auto components = std::make_shared<GaussianComponents>();
  components->means = Matrix{{1.0, 1.0, 1.0}};
  components->scales = Matrix{{0.5, 1.0, 2.0}};
  const Matrix even = Matrix::Zero(3, 30);
  const Vector y = Vector::LinSpaced(30, -2.0, 3.0);
  const GaussianMixtures one_place = GaussianMixtures::shared(components, even);
  for (Index i = 0; i < 30; ++i) {
    // Of one maximum: what lies nearer to it.
    const double reach = std::abs(y[i] - 1.0);
    const double inside = one_place[i].cdf(1.0 + reach) - one_place[i].cdf(1.0 - reach);
    EXPECT_NEAR(one_place.highest_density_mass(y)[i], inside, 1e-12);
  }
  auto apart = std::make_shared<GaussianComponents>(*components);
  apart->means = Matrix{{0.0, 1e8, 2e8}};
  const GaussianMixtures far = GaussianMixtures::shared(apart, even);
  for (Index i = 0; i < 30; ++i) EXPECT_EQ(far.highest_density_mass(y)[i], far[i].highest_density_mass(y[i]));
}

}  // namespace
}  // namespace condens::shared_laws_test
