// Selection by SACDE with a bound on the inputs that are selected for no reason: screening and stability.

#include <gtest/gtest.h>

#include <cmath>

#include "condens/estimators/sacde.hpp"
#include "estimators/sacde/stability.hpp"
#include "support/complaint.hpp"
#include "support/planted_sacde.hpp"

namespace condens::sacde_stability_test {
namespace {

SacdeOptions quick() {
  SacdeOptions out;
  out.bandwidth = {0.8};
  out.bandwidth_y = {0.3};
  out.n_centers = 40;
  return out;
}

SacdeOptions stable() {
  SacdeOptions out = quick();
  out.stability_resamples = 20;
  out.stability_bound = 0.5;
  return out;
}

/// P(X >= k) of X binomial, by its sum.
double upper_tail(Index n, Index k, double p) {
  double out = 0;
  for (Index i = k; i <= n; ++i) {
    const auto a = static_cast<double>(n);
    const auto b = static_cast<double>(i);
    out += std::exp(std::lgamma(a + 1) - std::lgamma(b + 1) - std::lgamma(a - b + 1) + b * std::log(p) +
                    (a - b) * std::log1p(-p));
  }
  return out;
}

TEST(SacdeStability, BoundsAreThoseOfThePapers) {
  EXPECT_NEAR(sacde::expected_false(10, 0.9, 1000), 0.125, 1e-15);  // Meinshausen and Buehlmann 2010, theorem 1
  EXPECT_NEAR(sacde::expected_false_unimodal(10, 0.75, 1000, 50), 0.1 / (2 * (0.5 - 0.01)), 1e-15);
  EXPECT_NEAR(sacde::expected_false_unimodal(10, 0.9, 1000, 50), 0.1 * 4 * 0.11 / 1.02, 1e-15);
  EXPECT_EQ(sacde::expected_false_unimodal(10, 0.5, 1000, 50), infinity);
  EXPECT_EQ(sacde::expected_false_unimodal(600, 0.9, 1000, 50), infinity);
}

TEST(SacdeStability, BoundsHoldForInputsSelectedAtRandom) {
  // Of p inputs every half takes each with probability q / p on its own: shares are binomial.
  const Index pairs = 50;
  const double p = 500;
  for (const double q : {2.0, 10.0, 40.0}) {
    for (const double tau : {0.6, 0.75, 0.9, 1.0}) {
      const double expected = p * upper_tail(2 * pairs, static_cast<Index>(std::ceil(2 * pairs * tau - 1e-9)), q / p);
      const double unimodal = sacde::expected_false_unimodal(q, tau, p, pairs);
      EXPECT_LE(expected, unimodal);
      EXPECT_LT(unimodal, sacde::expected_false(q, tau, p));
    }
  }
}

TEST(SacdeStability, AHalfSampleTakesAsManyAsTheBoundAllows) {
  for (const double bound : {0.05, 0.125, 1.0, 3.7}) {
    for (const double p : {10.0, 1000.0, 2000.0}) {
      const auto q = static_cast<double>(sacde::most_per_half(bound, 0.9, p));
      EXPECT_LE(sacde::expected_false(q, 0.9, p), bound);
      EXPECT_GT(sacde::expected_false(q + 1, 0.9, p), bound);
    }
  }
  EXPECT_EQ(sacde::most_per_half(0.125, 0.9, 1000), 10);
}

TEST(SacdeStability, HalvesOfAPairShareNoRow) {
  for (const Index n : {10, 11}) {
    const Dataset data{.x = Matrix(Matrix::Identity(n, n)), .y = Matrix(Vector::LinSpaced(n, 0, 1).transpose())};
    const auto rows_of = [](const Dataset& sample) { return Vector(Matrix(sample.x).rowwise().sum()); };
    const Matrix in = sacde::select_on_halves(data, 6, 3, rows_of, {.threads = 2, .observer = {}});
    for (Index k = 0; k < 3; ++k) {
      EXPECT_EQ(in.col(2 * k).sum(), 5);
      EXPECT_EQ(in.col(2 * k + 1).sum(), 5);
      EXPECT_EQ(in.col(2 * k).dot(in.col(2 * k + 1)), 0);
    }
    EXPECT_NE(in.col(0), in.col(2));
  }
}

TEST(SacdeStability, SelectsWhatReturns) {
  const Dataset data = planted(120, 30);
  const Sacde model = Sacde::fit(data, stable());
  EXPECT_EQ(model.support(), Vector((model.stability().array() >= 0.75).cast<double>()));
  EXPECT_EQ(model.support()[0], 1);
  EXPECT_EQ(model.support().sum(), 1);
  const Document& told = model.report().details.at("stability");
  const double most = told.at("inputs_per_half").as_number();
  EXPECT_EQ(most, std::floor(std::sqrt(0.5 * 0.5 * 30)));
  const double mean = told.at("mean_inputs_per_half").as_number();
  EXPECT_LE(mean, most);
  EXPECT_NEAR(mean, model.stability().sum(), 1e-12);
  EXPECT_NEAR(told.at("expected_false").as_number(), mean * mean / (0.5 * 30), 1e-12);
  EXPECT_LE(told.at("expected_false").as_number(), 0.5);
  EXPECT_TRUE(model.report().warnings.empty());

  // The density is that of the inputs selected.
  const Dataset alone{.x = Matrix(Matrix(data.x).topRows(1)), .y = data.y};
  SacdeOptions options = quick();
  const Sacde one = Sacde::fit(alone, options);
  EXPECT_EQ(one.support()[0], 1);
  EXPECT_NEAR(model.log_density(data.x, data.y).mean(), one.log_density(alone.x, alone.y).mean(), 0.1);
}

TEST(SacdeStability, OfNoiseSelectsNothing) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    Dataset data = planted(120, 30, seed);
    data.y = Matrix(Matrix(data.y)(Eigen::all, RandomStream(seed).permutation(data.size())));
    const Sacde model = Sacde::fit(data, stable());
    EXPECT_EQ(model.support().sum(), 0) << seed;
    EXPECT_GT(model.stability().sum(), 0) << seed;
    ASSERT_EQ(model.report().warnings.size(), 1U);
    EXPECT_TRUE(model.report().warnings.front().starts_with("no input was selected"));
  }
}

TEST(SacdeStability, ThreadsDoNotMatter) {
  const Dataset data = planted(80, 12);
  SacdeOptions options = stable();
  options.stability_bound = 1;
  options.screening = 6;
  const Sacde one = Sacde::fit(data, options, {.threads = 1, .observer = {}});
  for (const int threads : {2, 7}) {
    const Sacde more = Sacde::fit(data, options, {.threads = threads, .observer = {}});
    EXPECT_EQ(one.stability(), more.stability());
    EXPECT_EQ(one.coefficients(), more.coefficients());
  }
}

TEST(SacdeStability, ScreeningLeavesTheInputsOnWhichYDependsMost) {
  const Dataset data = planted(120, 12);
  SacdeOptions options = quick();
  options.selection_rule = SelectionRule::minimum;
  options.adaptive = false;
  const Sacde all = Sacde::fit(data, options);
  EXPECT_GT(all.support().sum(), 2);
  for (const Index enough : {12, 50}) {
    options.screening = enough;
    EXPECT_EQ(Sacde::fit(data, options).coefficients(), all.coefficients());
  }
  options.screening = 2;
  const Sacde some = Sacde::fit(data, options);
  EXPECT_LE(some.support().sum(), 2);
  EXPECT_EQ(some.support()[0], 1);
}

TEST(SacdeStability, WithoutInputsThatVaryThereIsNothingToSelect) {
  Dataset data = planted(40, 2);
  data.x = Matrix(Matrix::Ones(2, 40));
  EXPECT_EQ(Sacde::fit(data, stable()).support().sum(), 0);
}

TEST(SacdeStability, SaysWhatItNeeds) {
  const Dataset data = planted(40, 4);
  SacdeOptions options = stable();
  options.stability_resamples = 0;
  EXPECT_EQ(complaint([&] { Sacde::fit(data, options); }),
            "SACDE: stability_bound = 0.5 with stability_resamples = 0, expected at least one pair of half-samples");
  options.stability_resamples = 2;
  options.stability_bound = 0.1;
  EXPECT_EQ(complaint([&] { Sacde::fit(data, options); }),
            "SACDE: stability_bound = 0.1 for 4 inputs that vary, expected at least 0.5 at stability_threshold = 0.75");
}

}  // namespace
}  // namespace condens::sacde_stability_test
