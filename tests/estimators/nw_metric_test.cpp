// The search for a metric: which rows it compares, and when many widths are worth it.

#include "condens/estimators/nadaraya_watson/metric.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "condens/core/errors.hpp"
#include "condens/estimators/nadaraya_watson.hpp"
#include "data/splits.hpp"
#include "support/normals.hpp"

namespace condens::nw_metric_test {
namespace {

Dataset with_copies() {
  return {.x = Matrix{{1, 2, 1, 1, 2}}, .y = Matrix{{0, 1, 0, 3, 1}}, .weights = Vector{{1, 2, 4, 8, 16}}};
}

TEST(NwMetric, RowsOfOnePlaceBecomeOneRow) {
  const Dataset merged = rows_to_compare(with_copies(), true, 100, 0);
  EXPECT_EQ(Matrix(merged.x), (Matrix{{1, 1, 2}}));
  EXPECT_EQ(Matrix(merged.y), (Matrix{{0, 3, 1}}));
  EXPECT_EQ(merged.weights, (Vector{{5, 8, 18}}));
  EXPECT_EQ(rows_to_compare(with_copies(), false, 100, 0).size(), 5);
}

TEST(NwMetric, OfManyRowsSomeAreDrawn) {
  RandomStream random(1);
  const Dataset data{.x = normals(2, 50, random), .y = normals(1, 50, random), .weights = Vector::Ones(50)};
  const Dataset some = rows_to_compare(data, true, 20, 3);
  EXPECT_EQ(some.size(), 20);
  EXPECT_EQ(Matrix(rows_to_compare(data, true, 20, 3).y), Matrix(some.y));
  EXPECT_NE(Matrix(rows_to_compare(data, true, 20, 4).y), Matrix(some.y));
  for (Index i = 0; i < 20; ++i) {
    EXPECT_TRUE((data.y.array() == some.y(0, i)).any());
  }
}

TEST(NwMetric, AppliesWidthsOrAMatrix) {
  const Matrix x{{1, 2}, {3, 4}};
  EXPECT_EQ((NwMetric{.widths = Vector{{2, 4}}}.apply(x)), (Matrix{{0.5, 1}, {0.75, 1}}));
  const Matrix w{{0, 1}, {1, 0}};
  EXPECT_EQ((NwMetric{.widths = Vector{{2, 4}}, .matrix = w}.apply(x)), (Matrix{{3, 4}, {1, 2}}));
}

TEST(NwMetric, ImportancesAreSharesOnTheScaleOfTheSpread) {
  // The second input has twice the spread of the first, so the same width matters twice as much.
  const Dataset data{
      .x = Matrix{{-1, 1, -1, 1}, {-2, 2, 2, -2}, {5, 5, 5, 5}}, .y = Matrix{{0, 1, 2, 3}}, .weights = Vector::Ones(4)};
  const Vector found = metric_of_widths(Vector::Ones(3), data).importances;
  EXPECT_NEAR(found[0], 1.0 / 3, 1e-15);
  EXPECT_NEAR(found[1], 2.0 / 3, 1e-15);
  EXPECT_EQ(found[2], 0.0);
  EXPECT_EQ(metric_of_widths(Vector::Constant(3, 1e6), data).importances, Vector(Vector::Zero(3)));
}

TEST(NwMetric, ComparesByHeldOutRows) {
  RandomStream random(2);
  const Matrix x = normals(3, 150, random);
  const Matrix noise = normals(1, 150, random);
  const Dataset one_matters{
      .x = x, .y = Matrix((2 * x.row(0).array()).sin().matrix() + 0.2 * noise), .weights = Vector::Ones(150)};
  const NwComparison worth = compare_nw_shapes(one_matters, {}, {});
  EXPECT_TRUE(worth.is_worth_it());
  EXPECT_GT(worth.gain, 0.3);
  const Dataset none_matters{.x = x, .y = noise, .weights = Vector::Ones(150)};
  EXPECT_FALSE(compare_nw_shapes(none_matters, {}, {}).is_worth_it());
  // The answer does not depend on threads.
  const NwComparison more = compare_nw_shapes(one_matters, {}, {.threads = 3, .observer = {}});
  EXPECT_EQ(more.gain, worth.gain);
  EXPECT_EQ(more.standard_error, worth.standard_error);
}

/// The first of four inputs bends y, the second moves it; two play no part.
Dataset two_matter(Index n) {
  RandomStream random(2);
  Matrix x(4, n);
  Matrix y(1, n);
  for (Index i = 0; i < n; ++i) {
    for (Index k = 0; k < 4; ++k) x(k, i) = random.normal();
    y(0, i) = 0.4 * std::sin(x(0, i)) + 0.2 * x(1, i) + random.normal();
  }
  return {.x = x, .y = y, .weights = Vector::Ones(n)};
}

TEST(NwMetric, ManyRowsAreSplitOnce) {
  const Dataset data = two_matter(600);
  const NwComparison found = compare_nw_shapes_of_many(data, {}, {});
  EXPECT_EQ(found.rows, 600);
  EXPECT_TRUE(found.all_rows);
  const std::vector<Index> train = random_rows(600, 480, RandomStream(0, 1));
  std::vector<Index> test;
  for (Index i = 0; i < 600; ++i) {
    if (!std::binary_search(train.begin(), train.end(), i)) test.push_back(i);
  }
  const Dataset held_out = data.subset(test);
  const auto log_density = [&](NwMetricChoice metric) {
    NadarayaWatsonOptions options;
    options.metric = metric;
    options.merge_copies = false;
    options.defensive_weight = 0;
    options.standardize = false;
    return NadarayaWatson::fit(data.subset(train), options).log_density(held_out.x, held_out.y);
  };
  const Vector gain = log_density(NwMetricChoice::diagonal) - log_density(NwMetricChoice::isotropic);
  EXPECT_NEAR(found.gain, gain.mean(), 1e-9);
  EXPECT_NEAR(found.standard_error, std::sqrt((gain.array() - gain.mean()).square().sum()) / 120, 1e-9);
}

TEST(NwMetric, IsDecidedByMoreRowsWhereAThousandDoNotTell) {
  const Dataset data = two_matter(1500);
  const NadarayaWatson model = NadarayaWatson::fit(data);
  const Document& details = model.report().details;
  // Of all rows: the folds of a thousand showed no gain above its error.
  EXPECT_EQ(details.at("gain_of_diagonal_rows").as_number(), 1500);
  EXPECT_GT(details.at("gain_of_diagonal").as_number(), details.at("gain_of_diagonal_standard_error").as_number());
  EXPECT_NE(model.bandwidths()[0], model.bandwidths()[3]);
}

TEST(NwMetric, ComparesNothingWithOneInputOrFewRows) {
  RandomStream random(3);
  const Dataset one{.x = normals(1, 50, random), .y = normals(1, 50, random), .weights = Vector::Ones(50)};
  EXPECT_EQ(compare_nw_shapes(one, {}, {}).standard_error, 0.0);
  const Dataset few{.x = normals(3, 9, random), .y = normals(1, 9, random), .weights = Vector::Ones(9)};
  EXPECT_FALSE(compare_nw_shapes(few, {}, {}).is_worth_it());
}

}  // namespace
}  // namespace condens::nw_metric_test
