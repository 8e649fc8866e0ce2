// Scores of targets with few values, and the pool that goes by them.

#include "model/target_cells.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "condens/core/random.hpp"
#include "condens/model/pooled_density.hpp"
#include "condens/registry.hpp"
#include "support/gaussian_model.hpp"

namespace condens::target_cells_test {
namespace {

Dataset with_targets(const std::vector<double>& values, Index repeats) {
  const Index n = std::ssize(values) * repeats;
  Matrix y(1, n);
  for (Index i = 0; i < n; ++i) y(0, i) = values[static_cast<std::size_t>(i % std::ssize(values))];
  return {.x = Matrix(0, n), .y = std::move(y)};
}

double normal_cdf(double z) { return 0.5 * std::erfc(-z / std::sqrt(2.0)); }

TEST(TargetCells, AreThereForOneTargetOfFewValues) {
  EXPECT_EQ(TargetCells::of(with_targets({0, 1, 3}, 11)).size(), 3);
  EXPECT_TRUE(TargetCells::of(with_targets({0, 1, 3}, 10)).empty());
  EXPECT_TRUE(TargetCells::of(with_targets({2}, 100)).empty());
  Dataset weighted = with_targets({0, 1, 3}, 1);
  weighted.weights = Vector::Constant(3, 11.0);
  EXPECT_EQ(TargetCells::of(weighted).size(), 3);
  Dataset two = with_targets({0, 1}, 50);
  two.y = Matrix(two.y.replicate(2, 1));
  EXPECT_TRUE(TargetCells::of(two).empty());
}

TEST(TargetCells, ScoreTheMeanDensityBetweenMidpoints) {
  const TargetCells cells = TargetCells::of(with_targets({0, 1, 3, 4}, 20));
  const GaussianMixture law(Vector{{0.3, 0.7}}, Matrix{{0.4, 2.5}}, Matrix{{0.8, 1.5}});
  const auto cdf = [](double y) { return 0.3 * normal_cdf((y - 0.4) / 0.8) + 0.7 * normal_cdf((y - 2.5) / 1.5); };
  const Vector found = cells.log_density(law, Matrix{{0, 1, 3, 4, 1.9, 2.1, -5, 9}});
  const Vector expected{{cdf(0.5), (cdf(2) - cdf(0.5)) / 1.5, (cdf(3.5) - cdf(2)) / 1.5, 1 - cdf(3.5),
                         (cdf(2) - cdf(0.5)) / 1.5, (cdf(3.5) - cdf(2)) / 1.5, cdf(0.5), 1 - cdf(3.5)}};
  for (Index i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], std::log(expected[i]), 1e-13) << i;
}

TEST(TargetCells, FollowTheUnitOfTheTarget) {
  const GaussianMixture law(Vector{{1.0}}, Matrix{{1.0}}, Matrix{{0.7}});
  const GaussianMixture moved(Vector{{1.0}}, Matrix{{1003.0}}, Matrix{{0.7e3}});
  const Vector found = TargetCells::of(with_targets({0, 1, 2}, 20)).log_density(law, Matrix{{0, 1, 2}});
  const Vector other = TargetCells::of(with_targets({3, 1003, 2003}, 20)).log_density(moved, Matrix{{3, 1003, 2003}});
  for (Index i = 0; i < 3; ++i) EXPECT_NEAR(other[i] + std::log(1e3), found[i], 1e-12);
}

TEST(TargetCells, TellTheProbabilitiesBehindTheirScores) {
  const TargetCells cells = TargetCells::of(with_targets({0, 1, 3, 4}, 20));
  const GaussianMixture law(Vector{{0.3, 0.7}}, Matrix{{0.4, 2.5}}, Matrix{{0.8, 1.5}});
  const Matrix y{{0, 1, 3, 4}};
  const Vector found = cells.log_probability(cells.log_density(law, y), y);
  EXPECT_NEAR(found.array().exp().sum(), 1, 1e-13);
  EXPECT_NEAR(
      found[1],
      std::log(0.3 * (normal_cdf(2.0) - normal_cdf(0.125)) + 0.7 * (normal_cdf(-1.0 / 3) - normal_cdf(-4.0 / 3))),
      1e-13);
}

TEST(TargetCells, FallBackToTheDensityFarOut) {
  const TargetCells cells = TargetCells::of(with_targets({0, 1, 2, 100}, 20));
  const GaussianMixture law(Vector{{1.0}}, Matrix{{0.0}}, Matrix{{0.5}});
  const double found = cells.log_density(law, Matrix{{100.0}})[0];
  EXPECT_NEAR(found, law.log_pdf(100.0), 1e-12 * std::abs(found));
}

/// Spikes at the values have a higher density than the normal distribution that was rounded, and a lower probability
/// for what comes.
TEST(TargetCells, APoolOfFewValuesDoesNotGoBySpikes) {
  RandomStream random(5);
  Matrix x(1, 400);
  Matrix y(1, 400);
  for (Index i = 0; i < 400; ++i) {
    x(0, i) = random.normal();
    y(0, i) = std::round(3 * x(0, i) + 2 * random.normal());
  }
  const Dataset data{.x = x, .y = y};
  Document options;
  options.set("models", Document(std::vector<std::string>{"nw", "gp"})).set("cv", Document(std::vector<double>{3}));
  options.set("options", Document::Object{{"nw", Document::Object{{"bandwidth_y", Document(std::vector<double>{1e-3})},
                                                                  {"bandwidth", Document(std::vector<double>{0.2})}}}});
  const auto model = find_model("pool").fit(data, "", options, {});
  const Document::Array& members = model->report().details.at("members").as_array();
  EXPECT_GT(members[1].at("weight").as_number(), 0.5);  // gp
  EXPECT_LT(members[1].at("score").as_number(), members[0].at("score").as_number());
  EXPECT_NE(model->report().details.find("score_note"), nullptr);
}

/// A density of ones and zeros has no height to compare: the broad Gaussian is scored as the members are.
TEST(TargetCells, APoolOfFewValuesScoresItsBroadGaussianByTheirCells) {
  RandomStream random(5);
  Matrix x(1, 400);
  Matrix y(1, 400);
  for (Index i = 0; i < 400; ++i) {
    x(0, i) = random.normal();
    y(0, i) = random.uniform() < 0.05 ? 1.0 : 0.0;
  }
  Document options;
  options.set("models", Document(std::vector<std::string>{"nw", "gp"})).set("cv", Document(std::vector<double>{3}));
  const auto model = find_model("pool").fit({.x = x, .y = y}, "", options, {});
  const auto& pool = dynamic_cast<const PooledDensity&>(*model);
  // By its height at 0 it would be the best by far. It holds 0.885 on the side of 0, on intervals of length 1 / std.
  const double share = y.mean();
  const double deviation = std::sqrt(share * (1.0 - share));
  const double below = normal_cdf((0.5 - share) / (2.0 * deviation));
  const double expected = -(1.0 - share) * std::log(below) - share * std::log(1.0 - below) - std::log(deviation);
  EXPECT_NEAR(pool.accounts().back().score, expected, 0.15);  // a fold's Gaussian is that of other rows
  EXPECT_LT(pool.accounts().back().weight, 0.5);
}

}  // namespace
}  // namespace condens::target_cells_test
