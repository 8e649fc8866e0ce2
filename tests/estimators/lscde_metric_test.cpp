// LSCDE on inputs scaled by learned widths.

#include <gtest/gtest.h>

#include <cmath>

#include "condens/estimators/lscde.hpp"
#include "condens/estimators/nadaraya_watson.hpp"
#include "support/normals.hpp"

namespace condens::lscde_metric_test {
namespace {

/// y follows a wave of the first input; the others are irrelevant.
Dataset wave(Index n, Index d_x, std::uint64_t seed) {
  RandomStream random(seed);
  const Matrix x = normals(d_x, n, random);
  return {.x = x, .y = Matrix((2 * x.row(0).array()).sin().matrix() + 0.2 * normals(1, n, random))};
}

LscdeOptions quick(LscdeMetric metric) {
  LscdeOptions options;
  options.refine = false;
  options.n_centers = 50;
  options.bandwidth = {0.5, 1, 2};
  options.bandwidth_y = {0.1, 0.3};
  options.regularization = {0.01, 0.1};
  options.metric = metric;
  return options;
}

TEST(LscdeMetric, EqualsScalingTheInputsByHand) {
  const Dataset data = wave(120, 3, 1);
  const Dataset test = wave(40, 3, 2);
  const Lscde model = Lscde::fit(data, quick(LscdeMetric::nw));
  NadarayaWatsonOptions nw;
  nw.metric = NwMetricChoice::diagonal;
  const Vector widths = NadarayaWatson::fit(data, nw).bandwidths();
  EXPECT_EQ(model.state().input_widths, widths);

  const Standardizer sx = Standardizer::fit(data.x, Vector());
  const Standardizer sy = Standardizer::fit(data.y, Vector());
  const auto by_hand = [&](const Dataset& d) -> Dataset {
    return {.x = Matrix(widths.cwiseInverse().asDiagonal() * sx.transform(d.x)), .y = sy.transform(d.y)};
  };
  LscdeOptions options = quick(LscdeMetric::none);
  options.standardize = false;
  const Lscde scaled = Lscde::fit(by_hand(data), options);
  EXPECT_EQ(scaled.state().bandwidth, model.state().bandwidth);
  const Dataset moved = by_hand(test);
  const Vector expected = scaled.log_density(moved.x, moved.y).array() - std::log(sy.scale()[0]);
  EXPECT_LE((model.log_density(test.x, test.y) - expected).cwiseAbs().maxCoeff(), 1e-8);
  // Centres stay on the scale of the data.
  EXPECT_LE(
      (model.x_scale().inverse_transform(model.state().centers_x).rowwise().maxCoeff() - data.x.rowwise().maxCoeff())
          .maxCoeff(),
      1e-12);
}

TEST(LscdeMetric, HelpsWhereInputsDiffer) {
  const Dataset data = wave(200, 4, 1);
  const Dataset test = wave(500, 4, 2);
  const Lscde none = Lscde::fit(data, quick(LscdeMetric::none));
  const Lscde chosen = Lscde::fit(data, quick(LscdeMetric::automatic));
  EXPECT_EQ(none.state().input_widths, Vector::Ones(4));
  EXPECT_TRUE(chosen.report().details.at("metric_applied").as_bool());
  EXPECT_GT(chosen.log_density(test.x, test.y).mean(), none.log_density(test.x, test.y).mean() + 0.2);
}

TEST(LscdeMetric, IsLeftOutWhereItDoesNotPay) {
  RandomStream random(4);
  const Matrix x = normals(6, 40, random);
  const Dataset data{.x = x, .y = Matrix(x.colwise().sum() + normals(1, 40, random))};
  const Lscde chosen = Lscde::fit(data, quick(LscdeMetric::automatic));
  EXPECT_FALSE(chosen.report().details.at("metric_applied").as_bool());
  EXPECT_EQ(chosen.state().input_widths, Vector::Ones(6));
  EXPECT_EQ(chosen.log_density(data.x, data.y), Lscde::fit(data, quick(LscdeMetric::none)).log_density(data.x, data.y));
}

/// Mostly zeros; how often not follows the first input, how large the third.
Dataset mostly_zeros(Index n, Index d_x, std::uint64_t seed) {
  RandomStream random(seed);
  const Matrix x = normals(d_x, n, random);
  Matrix y(1, n);
  for (Index i = 0; i < n; ++i) {
    const bool zero = random.uniform() > 1 / (1 + std::exp(2.5 - 0.8 * x(0, i)));
    y(0, i) = zero ? 0.0 : std::exp(2 + 0.5 * x(2, i) + 1.2 * random.normal());
  }
  return {.x = x, .y = y};
}

TEST(LscdeMetric, IsDecidedByAllRowsWhereAThousandDoNotTell) {
  const Dataset data = mostly_zeros(1500, 13, 1);
  const Dataset test = mostly_zeros(1000, 13, 2);
  LscdeOptions options = quick(LscdeMetric::automatic);
  options.bandwidth = {1, 2, 4};
  options.bandwidth_y = {0.05};
  const Lscde chosen = Lscde::fit(data, options);
  const Document& details = chosen.report().details;
  EXPECT_TRUE(details.at("metric_applied").as_bool());
  EXPECT_EQ(details.at("metric").as_string(), "nw");
  EXPECT_NE(chosen.state().input_widths, Vector::Ones(13));
  options.metric = LscdeMetric::none;
  const Lscde none = Lscde::fit(data, options);
  EXPECT_GT(chosen.log_density(test.x, test.y).mean(), none.log_density(test.x, test.y).mean());
  // The gain is that of the scores of the two, on the same folds.
  options.metric = LscdeMetric::nw;
  const double scaled = Lscde::fit(data, options).report().details.at("score").as_number();
  EXPECT_EQ(details.at("score").as_number(), scaled);
  EXPECT_NEAR(details.at("metric_gain").as_number(), none.report().details.at("score").as_number() - scaled, 1e-12);
  EXPECT_GT(details.at("metric_gain").as_number(), details.at("metric_gain_standard_error").as_number());
}

TEST(LscdeMetric, ServesUnlabeledInputsAndGivenCenters) {
  Dataset data = wave(120, 2, 1);
  data.x_unlabeled = wave(30, 2, 3).x;
  LscdeOptions options = quick(LscdeMetric::nw);
  options.centers = Matrix(3, 10);
  options.centers << data.x.leftCols(10), data.y.leftCols(10);
  const Lscde model = Lscde::fit(data, options);
  EXPECT_LE(
      (model.x_scale().inverse_transform(model.state().centers_x) - options.centers.topRows(2)).cwiseAbs().maxCoeff(),
      1e-12);
  EXPECT_TRUE(model.log_density(data.x, data.y).allFinite());
  data.x_unlabeled = Matrix(2, 0);
  EXPECT_NE(Lscde::fit(data, options).state().coefficients, model.state().coefficients);
}

TEST(LscdeMetric, OneInputNeedsNone) {
  const Lscde model = Lscde::fit(wave(60, 1, 1), quick(LscdeMetric::nw));
  EXPECT_EQ(model.state().input_widths, Vector::Ones(1));
}

}  // namespace
}  // namespace condens::lscde_metric_test
