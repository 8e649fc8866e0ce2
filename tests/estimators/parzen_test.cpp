// The model: the window's formula, what its options choose, and what it refuses.

#include "condens/estimators/parzen.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "condens/core/random.hpp"
#include "core/finite.hpp"
#include "estimators/parzen/criterion.hpp"
#include "support/complaint.hpp"
#include "support/normals.hpp"
#include "support/plain_parzen.hpp"

namespace condens::parzen_test {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// y has two branches over the first input.
Dataset two_branches(Index n, Index d_x, std::uint64_t seed = 1) {
  RandomStream random(seed);
  Matrix x = normals(d_x, n, random);
  Matrix y(1, n);
  for (Index i = 0; i < n; ++i) {
    const double branch = random.uniform() < 0.5 ? -1.0 : 1.0;
    y(0, i) = branch + (d_x > 0 ? std::sin(2 * x(0, i)) : 0.0) + 0.2 * random.normal();
  }
  return {.x = x, .y = y};
}

Matrix stacked(const Dataset& data) {
  Matrix z(data.x.rows() + data.y.rows(), data.size());
  z.topRows(data.x.rows()) = data.x;
  z.bottomRows(data.y.rows()) = data.y;
  return z;
}

double detail(const ConditionalDensity& model, std::string_view name) {
  return model.report().details.at(name).as_number();
}

ParzenOptions given(std::vector<double> bandwidth) {
  ParzenOptions options = ParzenOptions::paper();
  options.shape = ParzenShapeChoice::diagonal;
  options.bandwidth = std::move(bandwidth);
  options.standardize = false;
  return options;
}

TEST(Parzen, EqualsTheWindowOfBothOverThatOfTheInputs) {
  // Few kernels, and so many that those out of reach are left out.
  for (const Index n : {40, 2500}) {
    for (const Index d_x : {0, 2}) {
      const Dataset data = two_branches(n, d_x);
      Vector widths = Vector::LinSpaced(d_x + 1, 0.3, 0.15);
      const Parzen model = Parzen::fit(data, given({widths.begin(), widths.end()}));
      EXPECT_EQ(model.bandwidths(), widths);
      EXPECT_EQ(model.n_kernels(), n);
      Dataset test = two_branches(30, d_x, 2);
      Matrix x = test.x;
      Matrix y = test.y;
      if (d_x > 0) x.col(0).setConstant(9.0);
      if (d_x > 0) x.col(1).setConstant(1e6);
      y(0, 2) = 40.0;
      const Vector found = model.log_density(x, y);
      const Vector by_laws = model.predict(x).log_pdf(y);
      const Vector ones = Vector::Ones(n);
      for (Index i = 0; i < 30; ++i) {
        // Distributions of many kernels are gridded, and what that leaves of far tails is an approximation
        // (model/gridded_kernels.hpp); y = 40 is a hundred widths from the next sample.
        const auto tolerance = [&](double value) {
          return n == 40 ? 1e-10 * (1 + std::abs(value)) : value > -12 ? 1e-6 : i == 2 ? infinity : 0.05 * -value;
        };
        EXPECT_NEAR(found[i], by_laws[i], tolerance(by_laws[i]));
        if (i == 1) continue;  // the difference below has no digits there
        const Vector z = stacked({.x = x.col(i), .y = y.col(i)}).col(0);
        double expected = plain::parzen_log_density(stacked(data), ones, widths, z);
        if (d_x > 0) expected -= plain::parzen_log_density(data.x, ones, widths.head(d_x), z.head(d_x));
        EXPECT_NEAR(found[i], expected, tolerance(expected));
      }
    }
  }
}

TEST(Parzen, ManyKernelsWithADefensiveComponentEqualTheirLaws) {
  const Dataset data = two_branches(2200, 1);
  const Parzen model = Parzen::fit(data, {.bandwidth = {0.1}, .defensive_weight = 0.01});
  const Dataset test = two_branches(300, 1, 2);
  Matrix y = test.y;
  y(0, 0) = 100.0;
  const Vector by_laws = model.predict(test.x).log_pdf(y);
  EXPECT_LT((model.log_density(test.x, y) - by_laws).cwiseAbs().maxCoeff(), 1e-6);  // gridded, as above
  EXPECT_EQ(Parzen::from_document(model.to_document()).log_density(test.x, y), model.log_density(test.x, y));
}

TEST(Parzen, TheRecommendedFitChoosesByTheDefensiveLikelihood) {
  const Dataset data = two_branches(150, 0);
  const Parzen model = Parzen::fit(data, {.standardize = false});
  const Vector ones = Vector::Ones(150);
  const ParzenCriterion criterion(Scoring::nll, data.y, ones, {},
                                  Defensive::fit(1e-3, {.x = data.x, .y = data.y, .weights = ones}));
  EXPECT_NEAR(detail(model, "score"), criterion.of_width(model.bandwidths()[0]).value, 1e-12);
  for (const double factor : {0.5, 0.9, 1.1, 2.0}) {
    EXPECT_GT(criterion.of_width(factor * model.bandwidths()[0]).value, detail(model, "score"));
  }
}

TEST(Parzen, AutoTakesAWidthForEachColumnWhereThatHelps) {
  RandomStream random(3);
  Dataset data{.x = Matrix(0, 300), .y = normals(2, 300, random)};
  EXPECT_EQ(Parzen::fit(data).bandwidths()[0], Parzen::fit(data).bandwidths()[1]);
  Matrix y = data.y;
  for (double& value : y.row(0)) value = (value > 0 ? 1 : -1) + 0.03 * value;
  data.y = y;
  const Parzen model = Parzen::fit(data);
  EXPECT_LT(model.bandwidths()[0], 0.5 * model.bandwidths()[1]);
  EXPECT_GT(detail(model, "gain_of_diagonal"), detail(model, "gain_of_diagonal_standard_error"));
}

TEST(Parzen, ShapeIsDecidedByMoreRowsWhereAThousandDoNotTell) {
  RandomStream random(2);
  constexpr Index n = 1500;
  Matrix y(2, n);
  for (Index i = 0; i < n; ++i) {
    const double u = random.normal();
    y(0, i) = u + (u > 0 ? 0.09 : -0.09);  // a gap in the middle
    y(1, i) = random.normal();
  }
  const auto gain_of = [](const Parzen& model) {
    return std::pair(detail(model, "gain_of_diagonal"), detail(model, "gain_of_diagonal_standard_error"));
  };
  const Parzen all = Parzen::fit({.x = Matrix(0, n), .y = y});
  EXPECT_EQ(detail(all, "gain_of_diagonal_rows"), n);
  EXPECT_GT(gain_of(all).first, gain_of(all).second);
  EXPECT_NE(all.bandwidths()[0], all.bandwidths()[1]);
  // Those that the first comparison reads.
  ParzenOptions some;
  some.width_rows = 1000;
  const Parzen thousand = Parzen::fit({.x = Matrix(0, n), .y = y}, some);
  EXPECT_EQ(detail(thousand, "gain_of_diagonal_rows"), 1000);
  EXPECT_LE(gain_of(thousand).first, gain_of(thousand).second);
  EXPECT_EQ(thousand.bandwidths()[0], thousand.bandwidths()[1]);
}

TEST(Parzen, CandidatesAreComparedByTheCriterion) {
  const Dataset data = two_branches(60, 1);
  ParzenOptions options = ParzenOptions::paper();
  options.standardize = false;
  options.bandwidth = {0.05, 0.2, 0.4, 3.0};
  const Vector ones = Vector::Ones(60);
  std::vector<double> fold(60);
  for (std::size_t i = 0; i < 60; ++i) fold[i] = static_cast<double>(i % 3);
  for (const Scoring scoring : {Scoring::nll, Scoring::squared}) {
    for (const std::vector<double>& cv : {std::vector<double>{0}, fold}) {
      options.scoring = scoring;
      options.cv = cv;
      const std::vector<Index> folds = cv.size() > 1 ? std::vector<Index>(cv.begin(), cv.end()) : std::vector<Index>{};
      const Parzen model = Parzen::fit(data, options);
      const Document& table = model.report().details.at("candidates");
      double best = INFINITY;
      double chosen = 0;
      for (Index s = 0; s < 4; ++s) {
        const Vector widths = Vector::Constant(2, options.bandwidth[static_cast<std::size_t>(s)]);
        const double score = scoring == Scoring::nll ? plain::parzen_likelihood(stacked(data), ones, widths, folds)
                                                     : plain::parzen_squared(stacked(data), ones, widths, folds);
        EXPECT_NEAR(table.at("score").as_vector()[s], score, 1e-12 * (1 + std::abs(score)));
        if (score < best) chosen = widths[0];
        best = std::min(best, score);
      }
      EXPECT_EQ(model.bandwidths(), Vector::Constant(2, chosen));
      EXPECT_NEAR(detail(model, "score"), best, 1e-12 * (1 + std::abs(best)));
    }
  }
}

TEST(Parzen, WarnsAtTheEdgeOfTheCandidates) {
  const Parzen model = Parzen::fit(two_branches(60, 1), {.bandwidth = {2.0, 5.0}});
  ASSERT_EQ(model.report().warnings.size(), 1U);
  EXPECT_NE(model.report().warnings[0].find("bandwidth 2 is the smallest candidate"), std::string::npos);
}

TEST(Parzen, WeightsAreCopies) {
  const Dataset data = two_branches(40, 1);
  Dataset copies = data;
  Matrix x(1, 50);
  Matrix y(1, 50);
  x << data.x, data.x.leftCols(10);
  y << data.y, data.y.leftCols(10);
  Dataset weighted = data;
  weighted.weights = Vector::Ones(40);
  weighted.weights.head(10).setConstant(2);
  const Dataset test = two_branches(20, 1, 2);
  for (ParzenOptions options : {ParzenOptions(), ParzenOptions::paper()}) {
    options.merge_copies = true;
    const Parzen one = Parzen::fit({.x = x, .y = y}, options);
    const Parzen other = Parzen::fit(weighted, options);
    EXPECT_EQ(one.n_kernels(), 40);
    EXPECT_LT((one.log_density(test.x, test.y) - other.log_density(test.x, test.y)).cwiseAbs().maxCoeff(), 1e-6);
  }
}

TEST(Parzen, CopiesLeaveOneByOneWhereTheyAreNotMerged) {
  // Every row twice: a row that is left out meets its copy, and the likelihood grows without bound as the width falls.
  const Dataset data = two_branches(40, 1);
  const Dataset copies{.x = data.x.replicate(1, 2), .y = data.y.replicate(1, 2)};
  ParzenOptions options = ParzenOptions::paper();
  EXPECT_FALSE(options.merge_copies);
  options.bandwidth = {1e-4, 0.3};
  const Parzen apart = Parzen::fit(copies, options);
  EXPECT_EQ(apart.n_kernels(), 80);
  EXPECT_EQ(apart.bandwidths()[0], 1e-4);
  options.merge_copies = true;
  const Parzen merged = Parzen::fit(copies, options);
  EXPECT_EQ(merged.n_kernels(), 40);
  EXPECT_EQ(merged.bandwidths()[0], 0.3);
}

TEST(Parzen, RowsOfWeightZeroAreAbsent) {
  const Dataset data = two_branches(40, 1);
  Dataset weighted = data;
  weighted.weights = Vector::Ones(40);
  weighted.weights.tail(10).setZero();
  const Parzen model = Parzen::fit(weighted, {.cv = {4}});
  EXPECT_EQ(model.bandwidths(),
            Parzen::fit({.x = data.x.leftCols(30), .y = data.y.leftCols(30)}, {.cv = {4}}).bandwidths());
}

TEST(Parzen, AConstantInputPlaysNoPart) {
  const Dataset data = two_branches(60, 1);
  Matrix x(2, 60);
  x << data.x, Matrix::Constant(1, 60, 7.0);
  const Dataset test = two_branches(20, 1, 2);
  Matrix test_x(2, 20);
  test_x << test.x, Matrix::Constant(1, 20, -3.0);
  for (const ParzenShapeChoice shape : {ParzenShapeChoice::isotropic, ParzenShapeChoice::diagonal}) {
    const Parzen with = Parzen::fit({.x = x, .y = data.y}, {.shape = shape});
    const Parzen without = Parzen::fit(data, {.shape = shape});
    EXPECT_LT((with.log_density(test_x, test.y) - without.log_density(test.x, test.y)).cwiseAbs().maxCoeff(), 1e-10);
    EXPECT_EQ(with.report().warnings.front(), "input 2 is constant and plays no part");
  }
}

TEST(Parzen, OutliersDoNotWidenTheRecommendedWindow) {
  Dataset data = two_branches(200, 0);
  const double before = Parzen::fit(data).bandwidths()[0];
  Matrix y = data.y;
  y(0, 0) = 50.0;
  data.y = y;
  const double spread = std::sqrt((y.array() - y.mean()).square().sum() / 199);
  const Parzen robust = Parzen::fit(data);
  EXPECT_LT(robust.bandwidths()[0] * spread, 3 * before * std::sqrt(1.05));
  const Parzen paper = Parzen::fit(data, ParzenOptions::paper());
  EXPECT_GT(paper.bandwidths()[0], 2 * robust.bandwidths()[0]);  // the likelihood must explain the outlier
  y(0, 0) = 1e8;
  EXPECT_TRUE(Parzen::fit({.x = data.x, .y = y}).log_density(data.x, y).allFinite());
  EXPECT_TRUE(Parzen::fit({.x = data.x, .y = y}, ParzenOptions::paper()).log_density(data.x, y).allFinite());
}

TEST(Parzen, TiesStopAtTheFloorWithAWarning) {
  Dataset data = two_branches(80, 1);
  Matrix y = data.y.array().round();
  const Parzen model =
      Parzen::fit({.x = data.x, .y = y}, {.shape = ParzenShapeChoice::diagonal, .bandwidth_floor = 0.05});
  EXPECT_NEAR(model.bandwidths()[1], 0.05, 1e-12);
  EXPECT_EQ(model.report().warnings.front(),
            "a learned width stands at its floor, 0.05 standard deviations; with ties the log score says little");
}

TEST(Parzen, ASubsetOfRowsMayChooseTheWidths) {
  const Dataset data = two_branches(400, 1);
  const Parzen all = Parzen::fit(data);
  const Parzen some = Parzen::fit(data, {.width_rows = 200});
  EXPECT_EQ(detail(some, "n_rows_compared"), 200);
  EXPECT_EQ(some.n_kernels(), 400);
  EXPECT_NEAR(std::log(some.bandwidths()[0] / all.bandwidths()[0]), 0.0, 0.3);
  const Parzen folds = Parzen::fit(data, {.cv = {5}, .width_rows = 200});
  EXPECT_EQ(detail(folds, "n_rows_compared"), 200);
}

TEST(Parzen, FewRowsAndManyColumns) {
  RandomStream random(4);
  const Dataset two{.x = normals(5, 2, random), .y = normals(1, 2, random)};
  for (const ParzenShapeChoice shape :
       {ParzenShapeChoice::isotropic, ParzenShapeChoice::diagonal, ParzenShapeChoice::automatic}) {
    EXPECT_TRUE(Parzen::fit(two, {.shape = shape}).log_density(two.x, two.y).allFinite());
  }
  EXPECT_NE(complaint([&] { Parzen::fit({.x = Matrix(0, 1), .y = Matrix::Ones(1, 1)}); }).find("target 1 is constant"),
            std::string::npos);
}

TEST(Parzen, ThreadsDoNotChangeOneBit) {
  const Dataset data = two_branches(700, 1);
  const Document one = Parzen::fit(data, {}, {.threads = 1, .observer = {}}).to_document();
  for (const int threads : {2, 7}) {
    EXPECT_TRUE(Parzen::fit(data, {}, {.threads = threads, .observer = {}}).to_document() == one);
  }
}

TEST(Parzen, ReportsProgressAndCanBeStopped) {
  const condens::Run run{.threads = 1, .observer = [](std::string_view, double) { return false; }};
  EXPECT_THROW(Parzen::fit(two_branches(3000, 1), {}, run), Cancelled);
}

TEST(Parzen, BadInputIsNamed) {
  const Dataset data = two_branches(20, 2);
  const auto message = [&](const ParzenOptions& options) { return complaint([&] { Parzen::fit(data, options); }); };
  EXPECT_EQ(message({.shape = ParzenShapeChoice::diagonal, .bandwidth = {1, 2}}),
            "Parzen: bandwidth has 2 numbers, expected none (learned), one, or one for each of the 3 columns");
  EXPECT_EQ(message({.bandwidth = {-1}}), "Parzen: bandwidth = -1, expected a list of numbers, each > 0");
  EXPECT_EQ(message({.cv = {}}),
            "Parzen: cv is empty, expected 0 (leave one out), a number of folds, or one for every row");
  EXPECT_NE(message({.cv = {1}}).find("expected at least 2 folds"), std::string::npos);
  EXPECT_NE(message({.cv = {0, 1}}).find("2 fold numbers for 20 rows"), std::string::npos);
  EXPECT_NE(message({.bandwidth_floor = 0}).find("bandwidth_floor = 0, expected a number > 0"), std::string::npos);
}

TEST(Parzen, AlteredDocumentsAreRefused) {
  const Parzen model = Parzen::fit(two_branches(20, 1), {.bandwidth = {0.5}});
  Document document = model.to_document();
  Matrix scales = document.at("scales").as_matrix();
  scales(0, 3) *= 2;
  document.set("scales", scales);
  EXPECT_EQ(complaint<FormatError>([&] { Parzen::from_document(document); }),
            "Parzen: the kernels have no common width");
  const auto refused = [&](const char* name, const Document& value) {
    Document altered = model.to_document();
    altered.set(name, value);
    return complaint<FormatError>([&] { Parzen::from_document(altered); });
  };
  for (const char* name : {"means", "scales"}) {
    EXPECT_EQ(refused(name, Matrix(0, 20)), "the kernels do not fit together") << name;
    EXPECT_EQ(refused(name, Matrix(2, 0)), "the kernels do not fit together") << name;
    EXPECT_EQ(refused(name, Matrix(Matrix::Ones(3, 20))), "the kernels do not fit together") << name;
  }
  EXPECT_EQ(refused("log_weights", Matrix(0, 1)), "the kernels do not fit together");
}

TEST(Parzen, ACandidateOfAnySizeHasAScore) {
  const Dataset data = two_branches(40, 1);
  const Matrix z = stacked(data);
  for (const Scoring scoring : {Scoring::nll, Scoring::squared}) {
    for (const double defensive : {0.0, 1e-3}) {
      const ParzenOptions options{.bandwidth = {1e-100, 0.3, 1e100}, .scoring = scoring, .defensive_weight = defensive};
      const Parzen model = Parzen::fit(data, options);
      EXPECT_EQ(model.bandwidths()[0], 0.3);
      EXPECT_EQ(find_not_finite(model.to_document()), "");
    }
    // The square of a width may be no number; that its points say nothing of each other is.
    const ParzenCriterion criterion(scoring, z, Vector::Ones(40), {}, {});
    for (const ParzenLoss& loss : criterion.of_candidates({1e-300, 1e300}, 1, {})) {
      EXPECT_FALSE(std::isnan(loss.value));
      EXPECT_GT(loss.value, criterion.of_width(0.3, 1, {}).value);
    }
  }
}

}  // namespace
}  // namespace condens::parzen_test
