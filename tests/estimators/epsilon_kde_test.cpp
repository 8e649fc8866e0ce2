// eKDE against the papers' formula written as plain loops.

#include "condens/estimators/epsilon_kde.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <numbers>

#include "condens/core/random.hpp"
#include "condens/data/folds.hpp"
#include "support/complaint.hpp"

namespace condens::epsilon_kde_test {
namespace {

Dataset two_branches(Index n, Index d_x, Index d_y, std::uint64_t seed = 1) {
  RandomStream random(seed);
  Matrix x(d_x, n);
  Matrix y(d_y, n);
  for (Index i = 0; i < n; ++i) {
    for (Index k = 0; k < d_x; ++k) x(k, i) = random.normal();
    const double first = d_x > 0 ? x(0, i) : 0.0;
    const double branch = random.uniform() < 0.5 ? -1.0 : 1.0;
    for (Index k = 0; k < d_y; ++k) y(k, i) = branch + 0.5 * first + 0.3 * random.normal();
  }
  return {.x = x, .y = y};
}

/// The numbers handed in, nothing added.
EpsilonKdeOptions closed_form(double radius, double bandwidth_y, RadiusOf of = RadiusOf::distance) {
  return {
      .radius = {radius}, .radius_of = of, .bandwidth_y = {bandwidth_y}, .defensive_weight = 0, .standardize = false};
}

/// Eq. 23 over the rows `train`; an empty neighbourhood is read as `options` say.
GaussianMixture plain_law(const Dataset& data, const std::vector<Index>& train, const Vector& x,
                          const EpsilonKdeOptions& options, double radius, double width) {
  std::vector<Index> near;
  double smallest = std::numeric_limits<double>::infinity();
  const auto distance = [&](Index i) { return (data.x.col(i) - x).squaredNorm(); };
  for (const Index i : train) {
    smallest = std::min(smallest, distance(i));
    if (distance(i) <= (options.radius_of == RadiusOf::distance ? radius * radius : radius)) near.push_back(i);
  }
  if (near.empty()) {
    for (const Index i : train) {
      if (options.empty_neighborhood == EmptyNeighborhood::all || distance(i) == smallest) near.push_back(i);
    }
  }
  const Index count = static_cast<Index>(near.size());
  const double e = options.defensive_weight;
  Vector weights(count + 1);
  Matrix means(data.y.rows(), count + 1);
  Matrix scales = Matrix::Constant(data.y.rows(), count + 1, width);
  double total = 0;
  const auto weight = [&](Index i) { return data.weights.size() > 0 ? data.weights[i] : 1.0; };
  for (const Index i : near) total += weight(i);
  for (Index l = 0; l < count; ++l) {
    weights[l] = (1 - e) * weight(near[static_cast<std::size_t>(l)]) / total;
    means.col(l) = data.y.col(near[static_cast<std::size_t>(l)]);
  }
  weights[count] = e;
  const Vector mean = data.y.rowwise().mean();
  means.col(count) = mean;
  scales.col(count) =
      2 * ((data.y.colwise() - mean).rowwise().squaredNorm() / static_cast<double>(data.size() - 1)).cwiseSqrt();
  return {weights, means, scales};
}

std::vector<Index> all_rows(const Dataset& data) {
  std::vector<Index> rows;
  for (Index i = 0; i < data.size(); ++i) rows.push_back(i);
  return rows;
}

TEST(EpsilonKde, EqualsThePapersFormulaInEveryDimension) {
  for (const auto& [d_x, d_y] : {std::pair{1, 1}, {3, 1}, {2, 2}, {0, 1}, {0, 2}}) {
    const Dataset data = two_branches(60, d_x, d_y);
    const Dataset test = two_branches(40, d_x, d_y, 9);
    for (const RadiusOf of : {RadiusOf::distance, RadiusOf::squared_distance}) {
      const auto options = closed_form(0.7, 0.4, of);
      const EpsilonKde model = EpsilonKde::fit(data, options);
      const Vector found = model.log_density(test.x, test.y);
      const Vector by_laws = model.predict(test.x).log_pdf(test.y);
      for (Index i = 0; i < test.size(); ++i) {
        const double expected =
            plain_law(data, all_rows(data), test.x.col(i), options, 0.7, 0.4).log_pdf(test.y.col(i));
        EXPECT_NEAR(found[i], expected, 1e-12 * (1 + std::abs(expected)));
        EXPECT_NEAR(by_laws[i], expected, 1e-12 * (1 + std::abs(expected)));
      }
    }
  }
}

TEST(EpsilonKde, TheBoundaryIsInsideAndDuplicatesCountTwice) {
  const Dataset data{.x = Matrix{{0.0, 2.0, 2.0, 3.0}}, .y = Matrix{{0.0, 6.0, 6.0, 100.0}}};
  const Matrix zero = Matrix::Zero(1, 1);
  EXPECT_DOUBLE_EQ(EpsilonKde::fit(data, closed_form(2.0, 1.0)).predict(zero).mean()(0, 0), 4.0);
  EXPECT_DOUBLE_EQ(EpsilonKde::fit(data, closed_form(1.999, 1.0)).predict(zero).mean()(0, 0), 0.0);
  // The squared threshold of Shiga et al. reaches as far at 4 as the other at 2.
  const auto squared = [&](double radius) {
    return EpsilonKde::fit(data, closed_form(radius, 1.0, RadiusOf::squared_distance)).predict(zero).mean()(0, 0);
  };
  EXPECT_DOUBLE_EQ(squared(4.0), 4.0);
  EXPECT_DOUBLE_EQ(squared(3.999), 0.0);
}

TEST(EpsilonKde, AnEmptyNeighborhoodIsThatOfTheNearestOrOfAll) {
  const Dataset data{.x = Matrix{{0.0, 2.0, 2.0, 5.0}}, .y = Matrix{{0.0, 6.0, 8.0, 100.0}}};
  auto options = closed_form(0.25, 1.0);
  const Matrix x{{1.5}};
  EXPECT_DOUBLE_EQ(EpsilonKde::fit(data, options).predict(x).mean()(0, 0), 7.0);
  EXPECT_DOUBLE_EQ(EpsilonKde::fit(data, options).predict(Matrix{{1.0}}).mean()(0, 0), 14.0 / 3);
  options.empty_neighborhood = EmptyNeighborhood::all;
  EXPECT_DOUBLE_EQ(EpsilonKde::fit(data, options).predict(x).mean()(0, 0), 114.0 / 4);
}

TEST(EpsilonKde, WithoutReachItIsTheKernelDensityOfY) {
  const Dataset data = two_branches(50, 2, 1);
  const Dataset unconditional{.x = Matrix(0, 50), .y = data.y};
  const Vector wide = EpsilonKde::fit(data, closed_form(1e6, 0.3)).log_density(data.x, data.y);
  const Vector marginal = EpsilonKde::fit(unconditional, closed_form(1.0, 0.3)).log_density(Matrix(0, 50), data.y);
  EXPECT_LT((wide - marginal).cwiseAbs().maxCoeff(), 1e-13);
}

TEST(EpsilonKde, WeightsEqualRepeatedRows) {
  const Dataset data = two_branches(60, 2, 1);
  Dataset weighted = data;
  weighted.weights = Vector(60);
  std::vector<Index> rows;
  for (Index i = 0; i < 60; ++i) {
    weighted.weights[i] = static_cast<double>(i % 4);  // zeros, too
    for (Index r = 0; r < i % 4; ++r) rows.push_back(i);
  }
  EpsilonKdeOptions options;
  options.radius = {0.5};
  options.bandwidth_y = {0.3};
  const Dataset test = two_branches(30, 2, 1, 3);
  const Vector a = EpsilonKde::fit(weighted, options).log_density(test.x, test.y);
  const Vector b = EpsilonKde::fit(data.subset(rows), options).log_density(test.x, test.y);
  EXPECT_LT((a - b).cwiseAbs().maxCoeff(), 1e-11);
}

class EpsilonKdeSelection : public ::testing::TestWithParam<std::tuple<RadiusOf, EmptyNeighborhood, Scoring, double>> {
};

TEST_P(EpsilonKdeSelection, ScoresEqualTheSameComputedFromScratch) {
  const auto& [of, empty, scoring, defensive] = GetParam();
  const Index n = 41;
  Dataset data = two_branches(n, 2, 1);
  data.weights = Vector::Ones(n);
  const auto fold = assign_folds(n, 3, 11);
  EpsilonKdeOptions options;
  options.standardize = false;
  options.refine = false;
  options.radius = {1.5, 0.02, 0.4};  // 0.02: all neighbourhoods are empty
  options.radius_of = of;
  options.bandwidth_y = {0.01, 0.15, 0.6};  // 0.01: kernels underflow
  options.empty_neighborhood = empty;
  options.scoring = scoring;
  options.defensive_weight = defensive;
  options.cv.assign(fold.begin(), fold.end());
  const EpsilonKde model = EpsilonKde::fit(data, options);
  const Document& candidates = model.report().details.at("candidates");
  const Vector radii = candidates.at("radius").as_vector();
  const Vector widths = candidates.at("bandwidth_y").as_vector();
  const Vector scores = candidates.at("score").as_vector();
  const Vector errors = candidates.at("standard_error").as_vector();
  ASSERT_EQ(scores.size(), 9);
  double best = std::numeric_limits<double>::infinity();
  for (Index c = 0; c < scores.size(); ++c) {
    Vector fold_mean = Vector::Zero(3);
    for (Index k = 0; k < 3; ++k) {
      std::vector<Index> train, test;
      for (Index i = 0; i < n; ++i) (fold[i] == k ? test : train).push_back(i);
      for (const Index i : test) {
        const GaussianMixture law = plain_law(data, train, data.x.col(i), options, radii[c], widths[c]);
        fold_mean[k] += (scoring == Scoring::nll ? -law.log_pdf(data.y.col(i)) : law.squared_loss(data.y.col(i))) /
                        static_cast<double>(test.size());
      }
    }
    const double expected = fold_mean.mean();
    EXPECT_NEAR(scores[c], expected, 1e-10 * (1 + std::abs(expected))) << radii[c] << ", " << widths[c];
    EXPECT_NEAR(errors[c], std::sqrt((fold_mean.array() - expected).square().sum() / 2 / 3),
                1e-9 * (1 + std::abs(expected)));
    best = std::min(best, expected);
  }
  EXPECT_NEAR(model.report().details.at("score").as_number(), best, 1e-10 * (1 + std::abs(best)));
}

INSTANTIATE_TEST_SUITE_P(Variants, EpsilonKdeSelection,
                         ::testing::Combine(::testing::Values(RadiusOf::distance, RadiusOf::squared_distance),
                                            ::testing::Values(EmptyNeighborhood::nearest, EmptyNeighborhood::all),
                                            ::testing::Values(Scoring::nll, Scoring::squared),
                                            ::testing::Values(0.0, 0.01)));

TEST(EpsilonKde, SelectionWithThousandsOfNeighborsEqualsPlainSums) {
  // One row is held out from 2,600, so that its neighbours fill several pieces, and 2,600 from one.
  const Index n = 2601;
  const Dataset data = two_branches(n, 1, 1);
  EpsilonKdeOptions options;
  options.standardize = false;
  options.refine = false;
  options.radius = {1, 100};
  options.bandwidth_y = {0.3};
  for (Index i = 0; i < n; ++i) options.cv.push_back(i < 1 ? 1 : 0);
  options.cv.erase(options.cv.begin());  // the default number of folds
  for (const Scoring scoring : {Scoring::nll, Scoring::squared}) {
    options.scoring = scoring;
    options.max_scored_rows = 0;
    const Document details = EpsilonKde::fit(data, options).report().details;
    const Vector scores = details.at("candidates").at("score").as_vector();
    std::vector<Index> few, many;
    for (Index i = 0; i < n; ++i) (i < 1 ? few : many).push_back(i);
    for (Index c = 0; c < 2; ++c) {
      const auto mean_score = [&](const std::vector<Index>& train, const std::vector<Index>& test) {
        double sum = 0;
        for (const Index i : test) {
          const auto law =
              plain_law(data, train, data.x.col(i), options, options.radius[static_cast<std::size_t>(c)], 0.3);
          sum += scoring == Scoring::nll ? -law.log_pdf(data.y.col(i)) : law.squared_loss(data.y.col(i));
        }
        return sum / static_cast<double>(test.size());
      };
      const double expected = 0.5 * (mean_score(many, few) + mean_score(few, many));
      EXPECT_NEAR(scores[c], expected, 1e-11 * (1 + std::abs(expected)));
    }
  }
}

TEST(EpsilonKde, SelectionCountsWeightsOfHeldOutRows) {
  // Weight 2 for a row is twice its part in the fold's mean and in its neighbours' laws.
  const Dataset data = two_branches(30, 1, 1);
  std::vector<Index> rows = all_rows(data);
  Dataset weighted = data;
  weighted.weights = Vector::Ones(30);
  std::vector<double> cv, cv_repeated;
  for (Index i = 0; i < 30; ++i) cv.push_back(static_cast<double>(i % 3));
  cv_repeated = cv;
  for (Index i = 0; i < 30; i += 4) {
    weighted.weights[i] = 2;
    rows.push_back(i);
    cv_repeated.push_back(cv[static_cast<std::size_t>(i)]);
  }
  EpsilonKdeOptions options;
  options.cv = cv;
  const Vector a = EpsilonKde::fit(weighted, options).report().details.at("candidates").at("score").as_vector();
  options.cv = cv_repeated;
  const Vector b =
      EpsilonKde::fit(data.subset(rows), options).report().details.at("candidates").at("score").as_vector();
  ASSERT_EQ(a.size(), b.size());
  EXPECT_LT((a - b).cwiseQuotient((b.cwiseAbs().array() + 1).matrix()).cwiseAbs().maxCoeff(), 1e-10);
}

TEST(EpsilonKde, ScoresOnPartOfTheRowsWhenAsked) {
  const Dataset data = two_branches(200, 2, 1);
  EpsilonKdeOptions options;
  const Document all = EpsilonKde::fit(data, options).report().details;
  EXPECT_EQ(all.at("n_scored_rows").as_integer(), 200);
  options.max_scored_rows = 0;
  EXPECT_TRUE(EpsilonKde::fit(data, options).report().details == all);
  options.max_scored_rows = 80;
  const Document part = EpsilonKde::fit(data, options).report().details;
  EXPECT_EQ(part.at("n_scored_rows").as_integer(), 80);
  EXPECT_NE(part.at("score").as_number(), all.at("score").as_number());
  EXPECT_NEAR(part.at("score").as_number(), all.at("score").as_number(),
              5 * std::hypot(part.at("score_standard_error").as_number(), all.at("score_standard_error").as_number()));
}

TEST(EpsilonKde, ManySamplesByATreeAndAnyThreads) {
  const Dataset data = two_branches(3000, 2, 1);  // enough for a tree
  EpsilonKdeOptions options;
  options.max_scored_rows = 100;
  const EpsilonKde model = EpsilonKde::fit(data, options, {.threads = 1, .observer = {}});
  const Document one = model.to_document();
  for (const int threads : {2, 7}) {
    EXPECT_TRUE(EpsilonKde::fit(data, options, {.threads = threads, .observer = {}}).to_document() == one);
  }
  options = closed_form(0.1, 0.2);
  const EpsilonKde plain = EpsilonKde::fit(data, options);
  const Dataset test = two_branches(50, 2, 1, 5);
  const Vector found = plain.log_density(test.x, test.y);
  for (Index i = 0; i < test.size(); ++i) {
    const double expected = plain_law(data, all_rows(data), test.x.col(i), options, 0.1, 0.2).log_pdf(test.y.col(i));
    EXPECT_NEAR(found[i], expected, 1e-12 * (1 + std::abs(expected)));
  }
}

TEST(EpsilonKde, ObserverSeesProgressAndCancels) {
  const Dataset data = two_branches(4000, 3, 1);
  EpsilonKdeOptions options;
  options.max_scored_rows = 0;
  std::vector<double> seen;
  const condens::Run run{.threads = 2, .observer = [&](std::string_view, double fraction) {
                           seen.push_back(fraction);
                           return seen.size() < 2;
                         }};
  EXPECT_THROW(EpsilonKde::fit(data, options, run), Cancelled);
  ASSERT_EQ(seen.size(), 2U);
  EXPECT_LE(seen[0], seen[1]);
}

TEST(EpsilonKde, SaysWhereNoSampleIsNear) {
  EpsilonKdeOptions options;
  options.radius = {0.01};
  const auto report = EpsilonKde::fit(two_branches(100, 5, 1), options).report();
  EXPECT_EQ(report.details.at("empty_share").as_number(), 1.0);
  ASSERT_FALSE(report.warnings.empty());
  EXPECT_EQ(
      report.warnings.back(),
      "100 % of the held-out rows had no sample within the radius; their distribution is that of the nearest samples");
}

TEST(EpsilonKde, ThePaperPresetIsThatOfShigaEtAl) {
  const EpsilonKdeOptions paper = EpsilonKdeOptions::paper();
  EXPECT_EQ(paper.radius.size(), 20U);
  EXPECT_DOUBLE_EQ(paper.radius.front(), 0.01);
  EXPECT_DOUBLE_EQ(paper.radius.back(), 5);
  EXPECT_NEAR(paper.radius[1] / paper.radius[0], paper.radius[19] / paper.radius[18], 1e-12);
  EXPECT_DOUBLE_EQ(paper.bandwidth_y.back(), 2);
  EXPECT_EQ(paper.radius_of, RadiusOf::squared_distance);
  EXPECT_EQ(paper.defensive_weight, 0);
}

struct BadCall {
  std::function<void(Dataset&, EpsilonKdeOptions&)> spoil;
  std::string_view words;
};

TEST(EpsilonKde, SaysWhatIsWrong) {
  const std::vector<BadCall> calls = {
      {[](Dataset& d, EpsilonKdeOptions&) { d.y = Matrix::Constant(1, 50, 2.0); }, "EpsilonKDE: target 1 is constant"},
      {[](Dataset& d, EpsilonKdeOptions&) { d.x = Matrix::Constant(2, 50, std::nan("")); }, "NaN"},
      {[](Dataset&, EpsilonKdeOptions& o) { o.radius = {}; }, "radius is empty"},
      {[](Dataset&, EpsilonKdeOptions& o) { o.bandwidth_y = {}; }, "bandwidth_y is empty"},
      {[](Dataset&, EpsilonKdeOptions& o) { o.cv = {}; }, "cv is empty"},
      {[](Dataset&, EpsilonKdeOptions& o) { o.radius = {0}; }, "radius = 0, expected a list of numbers, each > 0"},
      {[](Dataset&, EpsilonKdeOptions& o) { o.cv = {51}; }, "fold"},
      {[](Dataset&, EpsilonKdeOptions& o) { o.max_scored_rows = -1; }, "max_scored_rows = -1, expected"},
  };
  for (const BadCall& call : calls) {
    Dataset data = two_branches(50, 2, 1);
    EpsilonKdeOptions options;
    call.spoil(data, options);
    const std::string said = complaint([&] { EpsilonKde::fit(data, options); });
    EXPECT_NE(said.find(call.words), std::string::npos) << call.words << ": " << said;
  }
}

TEST(EpsilonKde, RoundingDoesNotChooseAmongTheNearest) {
  // Points on a lattice, none within the radius: those beside a point are as near, wherever zero is.
  Dataset data = two_branches(40, 1, 2);
  const Matrix lattice = data.x.unaryExpr([](double x) { return std::round(x); });
  EpsilonKdeOptions options = closed_form(1e-3, 0.5);
  options.bandwidth_y = {0.5, 1.0};
  options.cv = std::vector<double>(40);
  const double least = lattice.minCoeff();
  for (std::size_t i = 0; i < 40; ++i)
    options.cv[i] = lattice(0, static_cast<Index>(i)) - least;  // an x is left out at once
  const auto log_density = [&](double shift) {
    data.x = Matrix(lattice.array() + shift);
    const EpsilonKde model = EpsilonKde::fit(data, options);
    const Matrix between = lattice.array() + 0.5 + shift;
    return std::pair{model.report().details.at("score").as_number(), Vector(model.log_density(between, data.y))};
  };
  const auto [score, at_zero] = log_density(0.0);
  for (const double shift : {0.1, 1.0 / 3.0, 7.7}) {
    const auto [moved_score, moved] = log_density(shift);
    EXPECT_NEAR(moved_score, score, 1e-9) << shift;
    EXPECT_LT((moved - at_zero).cwiseAbs().maxCoeff(), 1e-9) << shift;
  }
}

TEST(EpsilonKde, ADamagedFileIsNoModel) {
  Document document = EpsilonKde::fit(two_branches(20, 1, 1), closed_form(0.5, 0.5)).to_document();
  EXPECT_NO_THROW(EpsilonKde::from_document(document));
  const std::vector<std::pair<std::string, Document>> damages = {{"radius", -1.0},
                                                                 {"bandwidth_y", 0.0},
                                                                 {"weights", Matrix(Matrix::Ones(3, 1))},
                                                                 {"weights", Matrix(Matrix::Zero(20, 1))},
                                                                 {"x", Matrix(Matrix::Zero(2, 20))},
                                                                 {"y", Matrix(Matrix::Zero(1, 19))}};
  for (const auto& [key, value] : damages) {
    Document damaged = document;
    damaged.set(key, value);
    EXPECT_THROW(EpsilonKde::from_document(damaged), FormatError) << key;
  }
}

}  // namespace
}  // namespace condens::epsilon_kde_test
