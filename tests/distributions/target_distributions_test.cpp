// Distributions of positive, bounded, counted and graded targets, and of those with atoms, against sums and integrals
// written out.

#include "condens/distributions/target_distributions.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "condens/core/errors.hpp"
#include "support/error_of.hpp"
#include "support/sanitized.hpp"

namespace condens::target_distributions_test {
namespace {

using tests::error_of;

double normal_cdf(double z) { return 0.5 * std::erfc(-z / std::sqrt(2.0)); }

const Vector weights{{0.3, 0.5, 0.2}};
const Matrix means{{-0.4, 0.9, 2.5}};
const Matrix scales{{0.5, 0.3, 0.8}};

GaussianMixtures base() {
  Matrix log_weights(3, 2);
  log_weights.col(0) = weights.array().log();
  log_weights.col(1) = weights.reverse().array().log();
  return GaussianMixtures::shared(std::make_shared<const GaussianComponents>(GaussianComponents{means, scales}),
                                  log_weights);
}

double base_cdf(double x) {
  double out = 0.0;
  for (Index l = 0; l < 3; ++l) out += weights[l] * normal_cdf((x - means(0, l)) / scales(0, l));
  return out;
}

double base_pdf(double x) {
  double out = 0.0;
  for (Index l = 0; l < 3; ++l) {
    const double z = (x - means(0, l)) / scales(0, l);
    out += weights[l] * std::exp(-0.5 * z * z) / (scales(0, l) * std::sqrt(2.0 * M_PI));
  }
  return out;
}

/// Simpson's rule over x.
double integral(const std::function<double(double)>& f, double low, double high) {
  constexpr int steps = 10000;
  const double h = (high - low) / steps;
  double total = f(low) + f(high);
  for (int i = 1; i < steps; ++i) total += f(low + i * h) * (i % 2 == 1 ? 4.0 : 2.0);
  return total * h / 3.0;
}

constexpr double reach = 9.0;
double expectation(const TargetMap& map, const std::function<double(double)>& f) {
  return integral([&](double x) { return base_pdf(x) * f(map.inverse(x)); }, -reach, reach + 2.0);
}

Vector one(double y) { return Vector{{y, y}}; }

const std::vector<TargetMap> maps = {{0.0, infinity, infinity}, {-1.0, infinity, 0.7}, {-infinity, 4.0, infinity},
                                     {-infinity, 2.0, 1.5},     {0.0, 1.0, infinity},  {-2.0, 3.0, 0.4},
                                     {-infinity, infinity}};

TEST(TargetMap, IsRisingAndHasItsInverseAndSlope) {
  for (const TargetMap& map : maps) {
    double before = -infinity;
    for (double x = -30.0; x <= 30.0; x += 0.37) {
      const double y = map.inverse(x);
      EXPECT_GE(y, map.lower);
      EXPECT_LE(y, map.upper);
      EXPECT_GE(y, before);
      before = y;
      if (std::abs(x) > 6.0) continue;
      EXPECT_NEAR(map.forward(y), x, 1e-11);
      const double h = 1e-5 * std::min({1.0, y - map.lower, map.upper - y});
      EXPECT_NEAR(std::exp(map.log_slope(y)), (map.forward(y + h) - map.forward(y - h)) / (2.0 * h),
                  1e-6 * std::exp(map.log_slope(y)));
    }
    if (map.is_identity()) continue;
    EXPECT_EQ(map.forward(map.lower), -infinity);
    EXPECT_EQ(map.forward(map.upper), infinity);
    EXPECT_EQ(map.inverse(-infinity), map.lower);
    EXPECT_EQ(map.inverse(infinity), map.upper);
  }
}

TEST(TargetMap, FollowsTheUnitOfTheTarget) {
  const TargetMap map{2.0, infinity, 0.5};
  const TargetMap wide{2000.0, infinity, 500.0};
  for (const double y : {2.01, 2.5, 7.0}) EXPECT_NEAR(wide.forward(1000.0 * y), 1000.0 * map.forward(y), 1e-9);
}

TEST(TargetDistributions, OfAMapHaveTheDensityOfTheDistributionFunction) {
  for (const TargetMap& map : maps) {
    const TargetDistributions laws(base(), {map});
    for (const double x : {-1.0, 0.2, 0.9, 3.0}) {
      const double y = map.inverse(x);
      const double h = 1e-5 * std::min({1.0, y - map.lower, map.upper - y});
      EXPECT_NEAR(laws.cdf(one(y))[0], base_cdf(x), 1e-12);
      EXPECT_NEAR(laws.sf(one(y))[0], 1.0 - base_cdf(x), 1e-12);
      const double slope = (laws.cdf(one(y + h))[0] - laws.cdf(one(y - h))[0]) / (2.0 * h);
      EXPECT_NEAR(std::exp(laws.log_pdf(one(y).transpose())[0]), slope, 1e-5 * slope);
      EXPECT_NEAR(laws.quantile_each(one(base_cdf(x)))[0], y, 1e-10 * (1.0 + std::abs(y)));
    }
    EXPECT_EQ(laws.mass_at(one(map.inverse(0.3)))[0], 0.0);
  }
}

TEST(TargetDistributions, OfAMapHaveNothingBeyondTheEnds) {
  for (const TargetMap& map : maps) {
    const TargetDistributions laws(base(), {map});
    if (map.lower > -infinity) {
      for (const double y : {map.lower, map.lower - 1.0}) {
        EXPECT_EQ(laws.cdf(one(y))[0], 0.0);
        EXPECT_EQ(laws.log_pdf(one(y).transpose())[0], -infinity);
      }
    }
    EXPECT_EQ(laws.sf(one(std::min(map.upper, 1e300)))[0], 0.0);
    const Matrix draws = laws.sample(2000, 3);
    EXPECT_GE(draws.minCoeff(), map.lower);
    EXPECT_LE(draws.maxCoeff(), map.upper);
  }
}

TEST(TargetDistributions, OfAMapHaveTheMomentsOfIntegrals) {
  for (const TargetMap& map : maps) {
    const TargetDistributions laws(base(), {map});
    const double mean = expectation(map, [](double y) { return y; });
    const double variance = expectation(map, [&](double y) { return (y - mean) * (y - mean); });
    EXPECT_NEAR(laws.mean()(0, 0), mean, 1e-9 * std::sqrt(variance));
    EXPECT_NEAR(laws.variance()(0, 0), variance, 1e-8 * variance);
  }
}

// E|Y - y| - E|Y - Y'| / 2, the second of them 2 integral F (1 - F).
double crps_written_out(const TargetMap& map, double y) {
  const double distance = expectation(map, [&](double at) { return std::abs(at - y); });
  const double spread =
      integral([&](double x) { return base_cdf(x) * (1.0 - base_cdf(x)) * std::exp(-map.log_slope(map.inverse(x))); },
               -reach, reach + 2.0);
  return distance - spread;
}

TEST(TargetDistributions, OfAMapHaveTheCrpsOfIntegrals) {
  for (const TargetMap& map : maps) {
    const TargetDistributions laws(base(), {map});
    for (const double x : {-0.7, 1.1, 3.3}) {
      const double y = map.inverse(x);
      EXPECT_NEAR(laws.crps(one(y))[0], crps_written_out(map, y), 2e-5 * std::sqrt(laws.variance()(0, 0)))
          << map.lower << " " << map.upper << " " << map.reach;  // Simpson's error at the kink
    }
  }
}

TEST(TargetDistributions, OfAMapHaveTheSmallestRegions) {
  for (const TargetMap& map : maps) {
    const TargetDistributions laws(base(), {map});
    const auto region = laws.highest_density_region(0.8)[0];
    double mass = 0.0;
    double least = infinity;
    for (const Interval& piece : region) {
      mass += laws.cdf(one(piece.upper))[0] - laws.cdf(one(piece.lower))[0];
      for (const double end : {piece.lower, piece.upper}) {
        least = std::min(least, laws.log_pdf(one(end).transpose())[0]);
      }
    }
    EXPECT_NEAR(mass, 0.8, 1e-8);
    for (double x = -3.0; x < 6.0; x += sanitized ? 0.5 : 0.06) {
      const double y = map.inverse(x);
      const bool inside = std::any_of(region.begin(), region.end(),
                                      [&](const Interval& piece) { return y > piece.lower && y < piece.upper; });
      const double height = laws.log_pdf(one(y).transpose())[0];
      if (std::abs(height - least) < 1e-6) continue;  // at the edge
      EXPECT_EQ(inside, height > least) << x;
      EXPECT_LE(height, laws.log_pdf(laws.mode())[0] + 1e-7);
      EXPECT_EQ(laws.highest_density_mass(one(y))[0] < 0.8, inside) << x;
    }
  }
}

const std::vector<double> grades = {-1.0, 0.0, 0.5, 2.0};

TEST(TargetDistributions, OfGradesHaveTheMassOfTheirIntervals) {
  const TargetDistributions laws(base(), {.values = TargetValues::listed(grades)});
  const Vector expected{
      {base_cdf(-0.5), base_cdf(0.25) - base_cdf(-0.5), base_cdf(1.25) - base_cdf(0.25), 1.0 - base_cdf(1.25)}};
  double total = 0.0;
  for (Index k = 0; k < 4; ++k) {
    const double value = grades[static_cast<std::size_t>(k)];
    EXPECT_NEAR(laws.mass_at(one(value))[0], expected[k], 1e-13);
    EXPECT_NEAR(laws.log_pdf(one(value).transpose())[0], std::log(expected[k]), 1e-12);
    EXPECT_NEAR(laws.cdf_below(one(value))[0], total, 1e-13);
    total += laws.mass_at(one(value))[0];
    EXPECT_NEAR(laws.cdf(one(value))[0], total, 1e-13);
    EXPECT_EQ(laws.quantile_each(one(total - 0.5 * expected[k]))[0], value);
  }
  EXPECT_NEAR(total, 1.0, 1e-12);
  EXPECT_EQ(laws.mass_at(one(0.3))[0], 0.0);
  EXPECT_EQ(laws.mass_at(one(7.0))[0], 0.0);
  const Eigen::Map<const Vector> values(grades.data(), 4);
  const double mean = expected.dot(values);
  EXPECT_NEAR(laws.mean()(0, 0), mean, 1e-12);
  EXPECT_NEAR(laws.variance()(0, 0), expected.dot((values.array() - mean).square().matrix()), 1e-12);
  for (const double y : {-1.0, 0.5, 2.0, -3.0, 4.0, 1.0}) {
    double crps = 0.0;
    for (Index a = 0; a < 4; ++a) {
      crps += expected[a] * std::abs(values[a] - y);
      for (Index b = 0; b < 4; ++b) crps -= 0.5 * expected[a] * expected[b] * std::abs(values[a] - values[b]);
    }
    EXPECT_NEAR(laws.crps(one(y))[0], crps, 1e-12);
  }
}

TEST(TargetDistributions, OfCountsSumToOne) {
  for (const TargetMap& map : {TargetMap{}, TargetMap{-0.5, infinity, infinity}, TargetMap{-0.5, infinity, 3.0}}) {
    const TargetDistributions laws(base(), {.map = map, .values = TargetValues::counts()});
    double total = 0.0;
    double mean = 0.0;
    for (double k = 0.0; k < 3000.0; ++k) {
      const double mass = laws.mass_at(one(k))[0];
      total += mass;
      mean += k * mass;
    }
    EXPECT_NEAR(total, 1.0, 1e-12);
    EXPECT_NEAR(laws.mean()(0, 0), mean, 1e-9 * (1.0 + mean));
    EXPECT_EQ(laws.mass_at(one(0.5))[0], 0.0);
    EXPECT_EQ(laws.mass_at(one(-1.0))[0], 0.0);
    EXPECT_EQ(laws.cdf(one(-0.2))[0], 0.0);
    EXPECT_EQ(laws.cdf(one(2.7))[0], laws.cdf(one(2.0))[0]);
    for (const double level : {0.01, 0.3, 0.9}) {
      const double value = laws.quantile_each(one(level))[0];
      EXPECT_GE(laws.cdf(one(value))[0], level);
      EXPECT_LT(laws.cdf_below(one(value))[0], level);
    }
    const double mode = laws.mode()(0, 0);
    for (double k = 0.0; k < 30.0; ++k) EXPECT_LE(laws.mass_at(one(k))[0], laws.mass_at(one(mode))[0]);
  }
}

// Whole numbers beyond 2^53 have neighbours that are none: no mass, and no density.
TEST(TargetDistributions, OfCountsHaveNoDensityBeyondWholeNumbers) {
  const TargetDistributions laws(base(), {.values = TargetValues::counts()});
  for (const double far : {1e17, 1.7e149}) {
    const Matrix heights = laws.log_pdf_grid(Vector::Constant(1, far).transpose());
    for (const double height : heights.reshaped()) EXPECT_EQ(height, -infinity) << far;
  }
}

TEST(TargetDistributions, OfCountsHaveTheSmallestRegions) {
  const TargetDistributions laws(base(), {.values = TargetValues::counts()});
  const auto region = laws.highest_density_region(0.7)[0];
  double mass = 0.0;
  double least = 1.0;
  for (const Interval& piece : region) {
    for (double k = piece.lower; k <= piece.upper; ++k) {
      mass += laws.mass_at(one(k))[0];
      least = std::min(least, laws.mass_at(one(k))[0]);
      EXPECT_LT(laws.highest_density_mass(one(k))[0], 0.7);
    }
  }
  EXPECT_GE(mass, 0.7);
  EXPECT_LT(mass - least, 0.7);
}

// A heavy tail, beyond the values that are summed over, and most of the probability at 0 to 5.
TEST(TargetDistributions, OfCountsWithALongTailSumExactlyWhereItCounts) {
  const Vector w{{0.999, 0.001}};
  const Matrix m{{0.9, 6.0}};
  const Matrix s{{0.6, 2.0}};
  const GaussianMixtures tail = GaussianMixtures::shared(
      std::make_shared<const GaussianComponents>(GaussianComponents{m, s}), Matrix(w.array().log()));
  const TargetDistributions laws(tail, {.map = {-0.5, infinity, infinity}, .values = TargetValues::counts()});
  double mean = 0.0;
  double crps = 0.0;
  double f = 0.0;
  for (double k = 0.0; k < 3e6; ++k) {
    const double below = f;
    double mass = 0.0;
    for (Index l = 0; l < 2; ++l) {
      const auto at = [&](double y) { return y < 0.0 ? 0.0 : normal_cdf((std::log(y + 0.5) - m(0, l)) / s(0, l)); };
      mass += w[l] * (at(k + 0.5) - at(k - 0.5));
    }
    f = below + mass;
    mean += k * mass;
    crps += k < 2.0 ? f * f : (1.0 - f) * (1.0 - f);
  }
  // Beyond: E e^X 1{X > t} = e^(m + s^2 / 2) Phi((m + s^2 - t) / s)
  mean += w[1] * std::exp(m(0, 1) + 2.0) * normal_cdf((m(0, 1) + 4.0 - std::log(3e6)) / s(0, 1));
  EXPECT_NEAR(laws.mean()(0, 0), mean, 1e-4);
  EXPECT_NEAR(laws.crps(Vector{{2.0}})[0], crps, 1e-5);
  EXPECT_EQ(laws.mode()(0, 0), 1.0);
}

TEST(TargetDistributions, OfVeryManyCountsAreThoseOfIntegrals) {
  const GaussianMixtures wide = base().affine(Vector{{2e6}}, Vector{{3e5}});
  const TargetDistributions laws(wide, {.values = TargetValues::counts()});
  EXPECT_NEAR(laws.mean()(0, 0), wide.mean()(0, 0), 1.0);
  EXPECT_NEAR(laws.crps(one(2.2e6))[0], wide.crps(one(2.2e6))[0], 1.0);
  EXPECT_EQ(laws.mode()(0, 0), std::round(laws.mode()(0, 0)));
}

TargetDistributions with_atoms() {
  Matrix log_shares(3, 2);
  log_shares.col(0) = Vector{{0.5, 0.3, 0.2}}.array().log();
  log_shares.col(1) = Vector{{0.9, 0.0, 0.1}}.array().log();
  return {base(), {.map = {0.0, infinity, infinity}, .atoms = {0.0, 5.0}}, log_shares};
}

TEST(TargetDistributions, WithAtomsHaveTheirMass) {
  const TargetDistributions laws = with_atoms();
  EXPECT_NEAR(laws.mass_at(one(0.0))[0], 0.3, 1e-15);
  EXPECT_NEAR(laws.mass_at(one(5.0))[0], 0.2, 1e-15);
  EXPECT_EQ(laws.mass_at(one(1.0))[0], 0.0);
  EXPECT_NEAR(laws.log_pdf(one(5.0).transpose())[0], std::log(0.2), 1e-14);
  EXPECT_NEAR(laws.log_pdf(one(2.0).transpose())[0], std::log(0.5 * base_pdf(std::log(2.0)) / 2.0), 1e-12);
  EXPECT_EQ(laws.log_pdf(one(-1.0).transpose())[0], -infinity);
  EXPECT_EQ(laws.cdf_below(one(0.0))[0], 0.0);
  EXPECT_NEAR(laws.cdf(one(0.0))[0], 0.3, 1e-15);
  EXPECT_NEAR(laws.cdf(one(2.0))[0], 0.3 + 0.5 * base_cdf(std::log(2.0)), 1e-13);
  EXPECT_NEAR(laws.cdf(one(5.0))[0] - laws.cdf_below(one(5.0))[0], 0.2, 1e-13);
  EXPECT_NEAR(laws.sf(one(5.0))[0], 0.5 * (1.0 - base_cdf(std::log(5.0))), 1e-13);
}

TEST(TargetDistributions, WithAtomsHaveQuantilesThatStayOnThem) {
  const TargetDistributions laws = with_atoms();
  const double until = 0.3 + 0.5 * base_cdf(std::log(5.0));
  EXPECT_EQ(laws.quantile_each(one(0.0))[0], 0.0);
  EXPECT_EQ(laws.quantile_each(one(0.29))[0], 0.0);
  EXPECT_EQ(laws.quantile_each(one(until + 0.1))[0], 5.0);
  for (const double level : {0.31, 0.5, 0.6, until + 0.21, 0.999}) {
    EXPECT_NEAR(laws.cdf(one(laws.quantile_each(one(level))[0]))[0], level, 1e-12);
    EXPECT_NEAR(laws.upper_quantile_each(one(1.0 - level))[0], laws.quantile_each(one(level))[0], 1e-9);
  }
}

TEST(TargetDistributions, WithAtomsHaveTheScoresOfDraws) {
  const TargetDistributions laws = with_atoms();
  const Matrix draws = laws.sample(200000, 1);
  const auto own = draws.leftCols(200000);
  const double mean = laws.mean()(0, 0);
  const double variance = laws.variance()(0, 0);
  EXPECT_NEAR(own.mean(), mean, 5.0 * std::sqrt(variance / 2e5));  // 5 standard errors: 6e-7
  EXPECT_NEAR((own.array() == 0.0).cast<double>().mean(), 0.3, 5.0 * std::sqrt(0.21 / 2e5));
  const auto rest = integral(
      [&](double x) {
        const double y = std::exp(x);
        const double f = 0.3 + 0.5 * base_cdf(x) + (y >= 5.0 ? 0.2 : 0.0);
        return (y < 1.5 ? f * f : (1.0 - f) * (1.0 - f)) * y;
      },
      -reach, reach + 2.0);
  EXPECT_NEAR(laws.crps(one(1.5))[0], rest, 2e-3);  // Simpson's error at the two jumps
}

TEST(TargetDistributions, WithAtomsHaveRegionsThatBeginWithThem) {
  const TargetDistributions laws = with_atoms();
  const auto small = laws.highest_density_region(0.25)[0];
  ASSERT_EQ(small.size(), 1U);
  EXPECT_EQ(small[0].lower, 0.0);
  EXPECT_EQ(small[0].upper, 0.0);
  const auto large = laws.highest_density_region(0.9)[0];
  double mass = 0.5;
  for (const Interval& piece : large) {
    if (piece.lower == piece.upper) continue;
    mass += 0.5 * (base_cdf(std::log(piece.upper)) - base_cdf(std::log(piece.lower)));
  }
  EXPECT_NEAR(mass, 0.9, 1e-8);
  EXPECT_NEAR(laws.highest_density_mass(one(5.0))[0], 0.3, 1e-15);
  EXPECT_EQ(laws.highest_density_mass(one(0.0))[0], 0.0);
  EXPECT_EQ(laws.mode()(0, 0), 0.0);  // half of the probability is in atoms
  EXPECT_NE(laws.mode()(0, 1), 5.0);
}

TEST(TargetDistributions, WithoutAnythingSpecialAreTheMixture) {
  const TargetDistributions laws(base(), {});
  const GaussianMixtures plain = base();
  const Vector y{{0.3, 1.7}};
  const auto same = [](const auto& a, const auto& b) {
    for (Index i = 0; i < a.size(); ++i) EXPECT_NEAR(a.reshaped()[i], b.reshaped()[i], 1e-9);
  };
  same(laws.log_pdf(y.transpose()), plain.log_pdf(y.transpose()));
  same(laws.cdf(y), plain.cdf(y));
  same(laws.mean(), plain.mean());
  same(laws.variance(), plain.variance());
  same(laws.mode(), plain.mode());
  same(laws.crps(y), plain.crps(y));
  same(laws.highest_density_mass(y), plain.highest_density_mass(y));
  same(laws.interval(0.8), plain.interval(0.8));
}

TEST(TargetDistributions, AreTheSameBitsForAnyNumberOfThreads) {
  const TargetDistributions laws = with_atoms();
  const std::vector<Index> many(200, 0);
  const TargetDistributions all = laws.select(many);
  const Vector y = Vector::LinSpaced(200, 0.0, 9.0);
  const condens::Run single{.threads = 1, .observer = {}};
  for (const int threads : {2, 7}) {
    const condens::Run run{.threads = threads, .observer = {}};
    EXPECT_EQ(all.crps(y, run), all.crps(y, single));
    EXPECT_EQ(all.sample(3, 5, run), all.sample(3, 5, single));
    EXPECT_EQ(all.mean(run), all.mean(single));
  }
}

TEST(TargetDistributions, SayWhatDoesNotFit) {
  EXPECT_EQ(error_of([] { TargetDistributions(base(), {.atoms = {0.0}}); }),
            "TargetDistributions: log_shares is 0 x 0; expected 2 x 2");
  EXPECT_EQ(error_of([] { TargetValues::listed({1.0}); }), "TargetValues: expected at least two values, ascending");
  const TargetDistributions laws = with_atoms();
  EXPECT_EQ(error_of([&] {
              laws.cdf(Vector{{1.0, NAN}});
            }),
            "TargetDistributions::cdf: y is NaN at row 1, column 0; expected numbers");
  EXPECT_EQ(error_of([&] { laws.cdf(Vector::Ones(3)); }),
            "TargetDistributions::cdf: 3 points for 2 distributions; expected as many for each distribution");
  EXPECT_EQ(error_of([&] { laws.quantile(Vector{{1.5}}); }),
            "TargetDistributions::quantile: level 1.5 is outside [0, 1]; for 1.5 % give 0.015");
  EXPECT_EQ(error_of([&] { laws.interval(1.0); }), "TargetDistributions::interval: mass 1 is outside (0, 1)");
}

TEST(TargetSupport, ComesBackFromItsDocument) {
  const TargetSupport support{
      .map = {-3.0, infinity, 2.5}, .values = TargetValues::listed(grades), .atoms = {0.0, 7.0}};
  const TargetSupport read = TargetSupport::from_document(support.to_document());
  EXPECT_EQ(read.to_document(), support.to_document());
  EXPECT_EQ(read.map.upper, infinity);
  const TargetSupport counts{.values = TargetValues::counts()};
  EXPECT_TRUE(TargetSupport::from_document(counts.to_document()).values.are_counts());
  Document bad = support.to_document();
  bad.set("upper", -4.0);
  EXPECT_EQ(error_of([&] { TargetSupport::from_document(bad); }),
            "the target reaches from -3 to -4 with reach 2.5, expected lower < upper and reach > 0");
  Document unsorted = support.to_document();
  unsorted.set("atoms", Document(std::vector<double>{1.0, 0.0}));
  EXPECT_EQ(error_of([&] { TargetSupport::from_document(unsorted); }), "the atoms of the target are not ascending");
  Document beyond = counts.to_document();
  beyond.set("lower", 0.5);
  EXPECT_EQ(error_of([&] { TargetSupport::from_document(beyond); }),
            "the target reaches from 0.5 to inf, expected ends beyond the values that it takes");
}

/// exp of numbers so large that moments are beyond all numbers, beside others that nearly vanish: infinite, not NaN.
TEST(TargetDistributions, MomentsBeyondAllNumbersAreInfinite) {
  const TargetSupport positive{.map = {.lower = 0.0}};
  const auto of = [&](double mean, double scale, double log_weight) {
    return TargetDistributions(
        GaussianMixtures::separate(Matrix{{0.0, mean}}, Matrix{{1.0, scale}}, Matrix{{0.0}, {log_weight}}), positive);
  };
  const TargetDistributions large = of(-800, 2000, -1);
  EXPECT_EQ(large.mean()(0, 0), infinity);
  EXPECT_EQ(large.variance()(0, 0), infinity);
  for (const double mass : {0.1, 0.9}) {  // the mode of a lognormal is far below its median
    const auto region = large.highest_density_region(mass)[0];
    ASSERT_FALSE(region.empty());
    EXPECT_GE(region[0].lower, 0.0);
  }
  EXPECT_GE(large.mode()(0, 0), 0.0);
  EXPECT_LE(large.highest_density_mass(Vector{{2.0}})[0], 1.0);
  EXPECT_EQ(large.crps(Vector{{2.0}})[0], infinity);
  const TargetDistributions counts(GaussianMixtures::separate(Matrix{{1e5}}, Matrix{{1.0}}, Matrix{{0.0}}),
                                   {.map = {.lower = -0.5}, .values = TargetValues::counts()});
  EXPECT_GE(counts.mean()(0, 0), 1e300);
  const TargetDistributions at_ends(GaussianMixtures::separate(Matrix{{0.0}}, Matrix{{1e6}}, Matrix{{0.0}}),
                                    {.map = {.lower = 0.0, .upper = 1.0}});
  EXPECT_EQ(at_ends.highest_density_region(0.5)[0].size(), 2u);
  const TargetDistributions at_an_end(GaussianMixtures::separate(Matrix{{-1e9}}, Matrix{{1.0}}, Matrix{{0.0}}),
                                      {.map = {.lower = 0.0, .upper = infinity, .reach = 1e-3}});
  EXPECT_EQ(at_an_end.mode()(0, 0), 0.0);
  EXPECT_FALSE(at_an_end.highest_density_region(0.5)[0].empty());
  const TargetDistributions vanishing = of(-1e7, 30, 0);  // exp(-1e7 + 450)^2 expm1(900)
  EXPECT_NEAR(vanishing.mean()(0, 0), 0.5 * std::exp(0.5), 1e-12);
  EXPECT_NEAR(vanishing.variance()(0, 0), 0.5 * std::exp(2.0) - 0.25 * std::exp(1.0), 1e-11);
  const TargetDistributions without = of(1e4, 100, -infinity);  // a component of weight zero
  EXPECT_NEAR(without.mean()(0, 0), std::exp(0.5), 1e-12);
  EXPECT_NEAR(without.variance()(0, 0), std::exp(2.0) - std::exp(1.0), 1e-11);
}

/// Two peaks, one at exp(0) and one beyond all numbers, whose places on the line are 200 magnitudes apart.
TEST(TargetDistributions, PeaksManyMagnitudesApartHaveARegionOfNumbers) {
  const TargetDistributions laws(
      GaussianMixtures::separate(Matrix{{0.0, 5.6e93}}, Matrix{{1e-105, 1e-105}}, Matrix{{0.0}, {0.0}}),
      {.map = {.lower = 0.0}});
  const auto region = laws.highest_density_region(0.7)[0];
  ASSERT_FALSE(region.empty());
  EXPECT_GE(region[0].upper, region[0].lower);
  EXPECT_NEAR(region[0].upper, 1.0, 1e-12);
}

}  // namespace
}  // namespace condens::target_distributions_test
