// Trends and their leave-one-out residuals against fits without the row.

#include "condens/estimators/location_scale/trend.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>

#include "condens/core/errors.hpp"
#include "condens/core/random.hpp"
#include "condens/data/standardizer.hpp"
#include "estimators/location_scale/trend_fit.hpp"
#include "support/complaint.hpp"
#include "support/normals.hpp"
#include "support/plain_ridge.hpp"

namespace condens::trend_test {
namespace {

using trends::Fitted;

/// A wave and a slope; weights between 0.5 and 2.5.
Dataset waves(Index n, Index d_x = 2, Index d_y = 1, std::uint64_t seed = 1) {
  RandomStream random(seed);
  Matrix x = normals(d_x, n, random);
  Matrix y(d_y, n);
  Vector weights(n);
  for (Index i = 0; i < n; ++i) {
    for (Index t = 0; t < d_y; ++t) {
      y(t, i) = std::sin((1.5 + static_cast<double>(t)) * x(0, i)) + 0.5 * x(d_x - 1, i) + 0.2 * random.normal();
    }
    weights[i] = 0.5 + 2 * random.uniform();
  }
  return {.x = x, .y = y, .weights = weights};
}

struct Asked {
  TrendKind kind;
  std::vector<double> bandwidth = {};
  std::vector<double> regularization = {};
  Index n_centers = 1000;
  Index max_rows = 1000;
  trends::Loss loss = trends::Loss::square;
};

std::vector<Fitted> fit(const Dataset& data, const Asked& asked, const Run& run = {.threads = 1, .observer = {}}) {
  return trends::fit(data,
                     {.task = "trend",
                      .kind = asked.kind,
                      .loss = asked.loss,
                      .bandwidth = asked.bandwidth,
                      .regularization = asked.regularization,
                      .n_centers = asked.n_centers,
                      .max_rows = asked.max_rows,
                      .seed = 0},
                     run);
}

/// 1 / root of the total weighted variance.
double linear_share(const Dataset& data) { return 1.0 / Standardizer::fit(data.x, data.weights).scale().norm(); }

PlainRidge plain(const Dataset& data, const Matrix& centers, double width, double lambda) {
  return {data.x, data.y.row(0).transpose(), data.weights, centers, width, linear_share(data), lambda};
}

double mean_square(const Vector& values, const Vector& weights) {
  return values.cwiseAbs2().dot(weights) / weights.sum();
}

TEST(Trend, ConstantIsTheMeanAndRowsAreLeftOut) {
  const Dataset data = waves(12);
  const Fitted found = fit(data, {.kind = TrendKind::constant}).front();
  for (Index i = 0; i < 12; ++i) {
    double sum = 0;
    double total = 0;
    for (Index j = 0; j < 12; ++j) {
      if (j == i) continue;
      sum += data.weights[j] * data.y(0, j);
      total += data.weights[j];
    }
    EXPECT_NEAR(found.residuals[i], data.y(0, i) - sum / total, 1e-13);
  }
  EXPECT_NEAR(found.trend(Matrix::Zero(2, 1))[0], data.y.row(0).dot(data.weights) / data.weights.sum(), 1e-14);
  EXPECT_EQ(found.score, found.constant_score);
}

TEST(Trend, RidgeResidualsAreThoseOfFitsWithoutTheRow) {
  const Dataset data = waves(25);
  for (const double lambda : {1e-3, 0.1}) {
    const Fitted found = fit(data, {.kind = TrendKind::ridge, .bandwidth = {0.6}, .regularization = {lambda}}).front();
    ASSERT_EQ(found.kind, TrendKind::ridge);
    ASSERT_EQ(found.trend.centers.cols(), 25);
    const PlainRidge reference = plain(data, data.x, 0.6, lambda);
    const Vector expected = reference.residuals_left_out();
    EXPECT_LT((found.residuals - expected).cwiseAbs().maxCoeff(), 1e-9);
    EXPECT_NEAR(found.score, mean_square(expected, data.weights), 1e-9);
    const Matrix points = normals(2, 20, 7);
    const Vector values = found.trend(points);
    for (Index i = 0; i < 20; ++i) EXPECT_NEAR(values[i], reference.at(points.col(i)), 1e-9);
  }
}

TEST(Trend, FewerCentersThanRowsAreLeftOutAsExactly) {
  const Dataset data = waves(300);
  const Fitted found =
      fit(data, {.kind = TrendKind::ridge, .bandwidth = {0.8}, .regularization = {1e-3}, .n_centers = 9}).front();
  ASSERT_EQ(found.trend.centers.cols(), 9);
  const PlainRidge reference = plain(data, found.trend.centers, 0.8, 1e-3);
  for (const Index i : {0, 7, 255, 256, 299}) {
    EXPECT_NEAR(found.residuals[i], data.y(0, i) - reference.at(data.x.col(i), i), 1e-9) << i;
  }
}

TEST(Trend, LinearIsRidgeRegression) {
  const Dataset data = waves(30, 3);
  const Fitted found = fit(data, {.kind = TrendKind::linear, .regularization = {0.05}}).front();
  const PlainRidge reference = plain(data, Matrix(3, 0), 1.0, 0.05);
  EXPECT_EQ(found.trend.coefficients.size(), 0);
  EXPECT_LT((found.residuals - reference.residuals_left_out()).cwiseAbs().maxCoeff(), 1e-12);
  const Vector c = reference.coefficients();
  EXPECT_NEAR(found.trend.intercept, c[0], 1e-12);
  EXPECT_LT((found.trend.slopes - linear_share(data) * c.tail(3)).norm(), 1e-12);
}

TEST(Trend, TheLeastScoreOfAllCandidatesIsChosen) {
  const Dataset data = waves(30);
  const std::vector<double> widths{0.3, 0.7, 1.5};
  const std::vector<double> lambdas{1e-3, 1e-2, 0.3};
  const Fitted found = fit(data, {.kind = TrendKind::ridge, .bandwidth = widths, .regularization = lambdas}).front();
  ASSERT_EQ(found.candidates.size(), 9U);
  double least = std::numeric_limits<double>::infinity();
  for (const trends::Candidate& own : found.candidates) {
    const Vector r = plain(data, data.x, own.bandwidth, own.regularization).residuals_left_out();
    EXPECT_NEAR(own.score.mean, mean_square(r, data.weights), 1e-8);
    const Vector squares = r.cwiseAbs2();
    const double spread = mean_square(squares, data.weights) - std::pow(mean_square(r, data.weights), 2);
    EXPECT_NEAR(own.score.standard_error, std::sqrt(spread / std::max(data.weights.sum(), 30.0)), 1e-8);
    least = std::min(least, own.score.mean);
  }
  EXPECT_EQ(found.score, least);
  EXPECT_NEAR(mean_square(found.residuals, data.weights), least, 1e-12);
  EXPECT_LT(found.score, 0.7 * found.constant_score);
}

TEST(Trend, SizesAreScoredByTheLawTheyMake) {
  const Dataset data = waves(30);
  const std::vector<double> lambdas{1e-3, 1e-2, 0.3};
  const Fitted found = fit(data, {.kind = TrendKind::ridge,
                                  .bandwidth = {0.4, 1.5},
                                  .regularization = lambdas,
                                  .loss = trends::Loss::log_size})
                           .front();
  const double total = data.weights.sum();
  // y is log|r|: -log of the Laplace density of |r| at the scale c s_(-i), c at its best.
  const auto law = [&](const Vector& left_out) {
    const Vector log_scale = data.y.row(0).transpose() - left_out;
    const Vector size = data.y.row(0).transpose().array().exp();
    const double c = data.weights.dot(Vector(size.array() / log_scale.array().exp())) / total;
    double sum = 0;
    for (Index i = 0; i < 30; ++i) {
      sum += data.weights[i] * (log_scale[i] + std::log(c) + size[i] / (c * std::exp(log_scale[i])));
    }
    return sum / total - 1.0 - data.weights.dot(data.y.row(0).transpose()) / total;
  };
  double least = std::numeric_limits<double>::infinity();
  for (const trends::Candidate& own : found.candidates) {
    const Vector r = plain(data, data.x, own.bandwidth, own.regularization).residuals_left_out();
    EXPECT_NEAR(own.score.mean, law(r), 1e-8);
    least = std::min(least, own.score.mean);
  }
  EXPECT_EQ(found.score, least);
  EXPECT_NEAR(law(found.residuals), least, 1e-10);
  // The standard error against leaving rows out of the score: the jackknife.
  const trends::Score score = trends::score_of(found.residuals, Vector::Ones(30), trends::Loss::log_size);
  Vector without(30);
  for (Index i = 0; i < 30; ++i) {
    Vector w = Vector::Ones(30);
    w[i] = 0;
    without[i] = trends::score_of(found.residuals, w, trends::Loss::log_size).mean;
  }
  const double jackknife = std::sqrt((without.array() - without.mean()).square().sum() * 29.0 / 30.0);
  EXPECT_NEAR(score.standard_error, jackknife, 0.1 * jackknife);
}

TEST(Trend, ProcessResidualsAreThoseOfProcessesWithoutTheRow) {
  const Dataset data = waves(40);
  const Fitted found = fit(data, {.kind = TrendKind::gp}).front();
  ASSERT_EQ(found.kind, TrendKind::gp);
  const Vector y = data.y.row(0).transpose().array() - found.trend.intercept;
  const double noise = found.regularization * data.weights.sum();  // in signal variances
  for (const Index out : {0, 11, 39}) {
    std::vector<Index> kept;
    for (Index i = 0; i < 40; ++i) {
      if (i != out) kept.push_back(i);
    }
    const auto kernel = [&](Index i, Index j) {
      const Vector difference = data.x.col(i) - data.x.col(j);
      return std::exp(-0.5 * difference.cwiseQuotient(found.trend.length_scales).squaredNorm());
    };
    Matrix k(39, 39);
    Vector cross(39);
    for (Index i = 0; i < 39; ++i) {
      for (Index j = 0; j < 39; ++j) {
        k(i, j) = kernel(kept[static_cast<std::size_t>(i)], kept[static_cast<std::size_t>(j)]);
      }
      k(i, i) += noise / data.weights[kept[static_cast<std::size_t>(i)]];
      cross[i] = kernel(out, kept[static_cast<std::size_t>(i)]);
    }
    EXPECT_NEAR(found.residuals[out], y[out] - cross.dot(k.inverse() * Vector(y(kept))), 1e-8);
  }
}

TEST(Trend, AProcessOfSomeRowsLearnsFromTheOthers) {
  const Dataset data = waves(60);
  const Fitted found = fit(data, {.kind = TrendKind::gp, .max_rows = 25}).front();
  ASSERT_EQ(found.trend.centers.cols(), 25);
  // Every row moved the trend towards itself: left out, it is missed by more.
  const Vector direct = data.y.row(0).transpose() - found.trend(data.x);
  for (Index i = 0; i < 60; ++i) {
    EXPECT_GT(std::abs(found.residuals[i]), std::abs(direct[i]));
    EXPECT_GT(found.residuals[i] * direct[i], 0.0);
  }
}

TEST(Trend, TargetsDoNotKnowEachOther) {
  const Dataset data = waves(40, 2, 3);
  for (const TrendKind kind : {TrendKind::linear, TrendKind::ridge, TrendKind::gp}) {
    const std::vector<Fitted> all = fit(data, {.kind = kind});
    ASSERT_EQ(all.size(), 3U);
    // The mean of one row of three is summed in another order than that of a single row. The search of a process ends
    // where its likelihood is flat to 1e-10: its hyper-parameters, and so its residuals, are sure to the root of that.
    const double tolerance = kind == TrendKind::gp ? 1e-5 : 1e-8;
    for (Index t = 0; t < 3; ++t) {
      const Dataset one{.x = data.x, .y = Matrix(data.y.row(t)), .weights = data.weights};
      const Fitted alone = fit(one, {.kind = kind}).front();
      const double apart = (all[static_cast<std::size_t>(t)].residuals - alone.residuals).cwiseAbs().maxCoeff();
      EXPECT_LT(apart, tolerance) << static_cast<int>(kind) << " " << t;
    }
  }
}

TEST(Trend, NoCandidateBetterThanTheConstantLeavesTheConstant) {
  Dataset data = waves(40);
  RandomStream random(3);
  data.y = normals(1, 40, random);
  const std::vector<Fitted> found =
      fit(data, {.kind = TrendKind::ridge, .bandwidth = {0.05}, .regularization = {1e-8}});
  EXPECT_EQ(found.front().kind, TrendKind::constant);
  EXPECT_EQ(found.front().candidates.size(), 1U);
  EXPECT_EQ(found.front().residuals, fit(data, {.kind = TrendKind::constant}).front().residuals);
}

TEST(Trend, AutomaticIsTheOneThatErrsLess) {
  const Dataset data = waves(60, 3, 3);
  const std::vector<Fitted> ridge = fit(data, {.kind = TrendKind::ridge});
  const std::vector<Fitted> process = fit(data, {.kind = TrendKind::gp});
  const std::vector<Fitted> found = fit(data, {.kind = TrendKind::automatic});
  for (std::size_t t = 0; t < 3; ++t) {
    // Three length scales and two variances have their price: (60 + 5) / (60 - 5).
    const Fitted& better = ridge[t].score <= 65.0 / 55.0 * process[t].score ? ridge[t] : process[t];
    EXPECT_EQ(found[t].kind, better.kind);
    EXPECT_EQ(found[t].residuals, better.residuals);
    EXPECT_EQ(found[t].candidates.size(), ridge[t].candidates.size());
  }
  const Dataset few = waves(6, 4);
  EXPECT_NE(fit(few, {.kind = TrendKind::automatic}).front().kind, TrendKind::gp);
}

TEST(Trend, WithoutInputsThatVaryThereIsTheConstant) {
  Dataset data = waves(10);
  data.x = Matrix::Constant(2, 10, 3.0);
  Dataset none = data;
  none.x = Matrix(0, 10);
  for (const TrendKind kind : {TrendKind::linear, TrendKind::ridge, TrendKind::gp, TrendKind::automatic}) {
    EXPECT_EQ(fit(data, {.kind = kind}).front().kind, TrendKind::constant);
    const Fitted found = fit(none, {.kind = kind}).front();
    EXPECT_EQ(found.kind, TrendKind::constant);
    EXPECT_EQ(found.trend(Matrix(0, 2)), Vector::Constant(2, found.trend.intercept));
  }
}

TEST(Trend, ARowThatOutweighsAllOthersKeepsItsResidual) {
  Dataset data = waves(20);
  data.weights[4] = 1e30;
  for (const TrendKind kind : {TrendKind::constant, TrendKind::linear, TrendKind::ridge}) {
    const Fitted found = fit(data, {.kind = kind}).front();
    EXPECT_TRUE(found.residuals.allFinite());
    EXPECT_NEAR(found.residuals[4], 0.0, 1e-10);
  }
}

TEST(Trend, FewRowsAndCopiesOfInputs) {
  for (const Index n : {2, 3}) {
    Dataset data = waves(n, 4);
    for (const TrendKind kind : {TrendKind::linear, TrendKind::ridge, TrendKind::gp}) {
      EXPECT_TRUE(fit(data, {.kind = kind}).front().residuals.allFinite());
    }
    Matrix x = data.x;
    x.col(1) = x.col(0);
    data.x = x;
    EXPECT_TRUE(fit(data, {.kind = TrendKind::ridge}).front().residuals.allFinite());
  }
}

TEST(Trend, ThreadsDoNotChangeOneBit) {
  const Dataset data = waves(90, 2, 2);
  for (const TrendKind kind : {TrendKind::ridge, TrendKind::gp}) {
    const std::vector<Fitted> one = fit(data, {.kind = kind, .n_centers = 40});
    for (const int threads : {2, 7}) {
      const std::vector<Fitted> other =
          fit(data, {.kind = kind, .n_centers = 40}, {.threads = threads, .observer = {}});
      for (std::size_t t = 0; t < 2; ++t) {
        EXPECT_EQ(one[t].residuals, other[t].residuals);
        EXPECT_EQ(one[t].trend.coefficients, other[t].trend.coefficients);
      }
    }
  }
}

TEST(Trend, AColumnsValueDoesNotDependOnItsPlace) {
  const Dataset data = waves(30);
  const Trend f = fit(data, {.kind = TrendKind::ridge}).front().trend;
  const Matrix points = normals(2, 200, 5);
  const Vector all = f(points);
  for (const Index i : {0, 1, 127, 128, 199}) EXPECT_EQ(f(points.col(i))[0], all[i]);
  EXPECT_EQ(f(points.rightCols(61)), all.tail(61));
  EXPECT_EQ(f(Matrix(2, 0)).size(), 0);
}

TEST(Trend, DocumentsKeepEveryBitAndRefuseWhatDoesNotFit) {
  const Trend f = fit(waves(15), {.kind = TrendKind::ridge}).front().trend;
  const Document saved = f.to_document();
  EXPECT_TRUE(Trend::from_document(saved, 2).to_document() == saved);
  const auto refused = [&](std::string_view key, Document value) {
    Document spoiled = saved;
    spoiled.set(key, std::move(value));
    return complaint<FormatError>([&] { Trend::from_document(spoiled, 2); });
  };
  const std::string text = "a trend's intercept, slopes, length scales, centers and coefficients do not fit together";
  EXPECT_EQ(refused("slopes", Vector(Vector::Zero(3))), text);
  EXPECT_EQ(refused("length_scales", Vector(Vector::Zero(2))), text);
  EXPECT_EQ(refused("centers", Matrix(Matrix::Zero(2, 3))), text);
  EXPECT_EQ(refused("coefficients", Vector(Vector::Constant(f.coefficients.size(), std::nan("")))), text);
  EXPECT_EQ(refused("intercept", std::numeric_limits<double>::infinity()), text);
  EXPECT_NE(refused("intercept", "none"), "");
  EXPECT_EQ(complaint<FormatError>([&] { Trend::from_document(saved, 3); }), text);
}

}  // namespace
}  // namespace condens::trend_test
