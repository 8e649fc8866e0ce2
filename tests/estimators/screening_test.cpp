// Rank tests of dependence, against plain formulas.

#include <gtest/gtest.h>

#include <cmath>

#include "condens/core/random.hpp"
#include "data/mid_ranks.hpp"
#include "estimators/screening/rank_tests.hpp"
#include "linalg/decompositions.hpp"

namespace condens::screening_test {
namespace {

using namespace screening;

/// y has the spread 0.3 + 0.4 |x_0| and the mean x_1; the others say nothing. Inputs of few values among them.
Dataset table(Index inputs, Index n, std::uint64_t seed) {
  RandomStream random(seed);
  Dataset out{.x = Matrix(inputs, n), .y = Matrix(1, n)};
  Matrix x(inputs, n);
  Matrix y(1, n);
  for (Index i = 0; i < n; ++i) {
    for (Index k = 0; k < inputs; ++k) {
      x(k, i) = k % 3 == 2 ? static_cast<double>(random.below(3)) : random.normal();
    }
    y(0, i) = x(1, i) + (0.3 + 0.4 * std::abs(x(0, i))) * random.normal();
  }
  return {.x = std::move(x), .y = std::move(y)};
}

TEST(Screening, MidRanksAreTheShareBelowAndHalfOfThatAt) {
  Vector values(6);
  values << 2, -1, 2, 5, 2, -1;
  Vector weights(6);
  weights << 1, 2, 0.5, 1, 3, 1;
  const Vector ranks = mid_ranks(values, weights).of_rows;
  for (Index i = 0; i < 6; ++i) {
    double expected = 0;
    for (Index j = 0; j < 6; ++j) {
      expected += weights[j] * (values[j] < values[i] ? 1.0 : values[j] == values[i] ? 0.5 : 0.0);
    }
    EXPECT_NEAR(ranks[i], expected / weights.sum(), 1e-15) << i;
  }
}

TEST(Screening, ScoresOfATargetAreItsRankAndThatOfMood) {
  const Dataset data = table(2, 9, 1);
  const Matrix scores = marginal_scores(data);
  ASSERT_EQ(scores.cols(), 2);
  for (Index i = 0; i < 9; ++i) {
    const auto below = static_cast<double>((Matrix(data.y).array() < data.y(0, i)).count());
    EXPECT_NEAR(scores(i, 0), (below + 0.5) / 9, 1e-15);
    EXPECT_NEAR(scores(i, 1), std::pow(2 * scores(i, 0) - 1, 2), 1e-15);
  }
}

/// What least squares leaves of v beside the columns of z, by the normal equations.
Vector residual(const Matrix& z, const Vector& v) {
  const SmallCholesky normal(z.transpose() * z);
  return v - z * normal.solve(z.transpose() * v);
}

TEST(Screening, ATestIsThePartialCorrelationTimesTheRootOfTheDegrees) {
  const Index n = 40;
  const Dataset data = table(4, n, 2);
  const Vector ones = Vector::Ones(n);
  const Matrix scores = marginal_scores(data);
  const auto tests = rank_tests(data, scores, {1}, 1);
  Matrix known(n, 3);
  known.col(0).setOnes();
  known.col(1) = mid_ranks(Matrix(data.x).row(1).transpose(), ones).of_rows;
  known.col(2) = (known.col(1).array() - 0.5).square();
  EXPECT_EQ(tests[1].pairs, 0);
  EXPECT_EQ(tests[1].p_value(), 1);
  for (const Index input : {0, 2, 3}) {
    const Vector rank = mid_ranks(Matrix(data.x).row(input).transpose(), ones).of_rows;
    Matrix wider(n, 4);
    wider << known, rank;
    double largest = 0;
    for (Index k = 0; k < 2; ++k) {
      const Vector target = residual(known, scores.col(k)).normalized();
      const Vector linear = residual(known, rank).normalized();
      const Vector square = residual(wider, (rank.array() - 0.5).square()).normalized();
      largest = std::max({largest, std::abs(target.dot(linear)), std::abs(target.dot(square))});
    }
    const RankTest& test = tests[static_cast<std::size_t>(input)];
    EXPECT_NEAR(test.z, std::sqrt(n - 3.0) * largest, 1e-10) << input;
    EXPECT_EQ(test.pairs, 4);
  }
}

TEST(Screening, PValuesAreThoseOfTheNormalLawTimesThePairs) {
  EXPECT_NEAR((RankTest{1.959963984540054, 1}).p_value(), 0.05, 1e-12);
  EXPECT_NEAR((RankTest{1.959963984540054, 4}).p_value(), 0.2, 1e-12);
  EXPECT_EQ((RankTest{0.1, 4}).p_value(), 1);
}

TEST(Screening, OfIndependentInputsFewHaveSmallPValues) {
  const Index inputs = 2000;
  Dataset data = table(inputs, 200, 3);
  data.y = Matrix(Matrix(data.y)(Eigen::all, RandomStream(4).permutation(200)));
  const auto tests = rank_tests(data, marginal_scores(data), {}, 1);
  // Bonferroni over the four pairs: at most the share of the level is below it, four standard errors allowed.
  for (const double level : {0.2, 0.05, 0.01}) {
    const auto below = std::count_if(tests.begin(), tests.end(), [&](const auto& t) { return t.p_value() < level; });
    const double expected = level * static_cast<double>(inputs);
    EXPECT_LT(static_cast<double>(below), expected + 4 * std::sqrt(expected)) << level;
    EXPECT_GT(static_cast<double>(below), 0.4 * expected) << level;
  }
}

TEST(Screening, AnInputThatMovesOnlyTheSpreadIsAmongTheFirst) {
  Dataset data = table(300, 400, 5);
  const auto beside_the_mean = rank_tests(data, marginal_scores(data), {}, 1);
  EXPECT_EQ(most_dependent(beside_the_mean, 1), std::vector<Index>{1});
  EXPECT_GT(beside_the_mean[0].p_value(), 0.01);
  // Its mean taken out, which the other input moves, y tells.
  data.y = Matrix(Matrix(data.y) - Matrix(data.x).row(1));
  const auto alone = rank_tests(data, marginal_scores(data), {}, 1);
  EXPECT_EQ(most_dependent(alone, 1), std::vector<Index>{0});
  EXPECT_LT(alone[0].p_value() * 300, 1e-3);
}

TEST(Screening, WeightsAreCopies) {
  Dataset weighted = table(5, 30, 6);
  weighted.weights = Vector::Ones(30);
  std::vector<Index> copies;
  for (Index i = 0; i < 30; ++i) {
    weighted.weights[i] = static_cast<double>(1 + i % 3);
    for (Index c = 0; c <= i % 3; ++c) copies.push_back(i);
  }
  Dataset copied = weighted.subset(copies);
  copied.weights = {};
  const auto a = rank_tests(weighted, marginal_scores(weighted), {2}, 1);
  const auto b = rank_tests(copied, marginal_scores(copied), {2}, 1);
  for (std::size_t d = 0; d < a.size(); ++d) EXPECT_NEAR(a[d].z, b[d].z, 1e-10) << d;
}

TEST(Screening, CategoriesAreTestedTogetherAndConstantsNever) {
  const Index n = 120;
  RandomStream random(7);
  Matrix x = Matrix::Zero(5, n);
  Matrix y(1, n);
  for (Index i = 0; i < n; ++i) {
    const Index level = random.below(3);
    x(level, i) = 1;
    x(3, i) = 2;
    x(4, i) = random.normal();
    y(0, i) = (level == 1 ? 1.5 : 0.0) + random.normal();
  }
  const Dataset data{.x = x, .y = y, .groups = {0, 0, 0, 1, 2}};
  const auto tests = rank_tests(data, marginal_scores(data), {}, 1);
  ASSERT_EQ(tests.size(), 3U);
  EXPECT_EQ(tests[0].pairs, 4);  // two of three indicators tell the third
  EXPECT_LT(tests[0].p_value(), 1e-4);
  EXPECT_EQ(tests[1].pairs, 0);
  EXPECT_EQ(most_dependent(tests, 1), std::vector<Index>{0});
  EXPECT_EQ(most_dependent(tests, 9).size(), 3U);
}

TEST(Screening, ThreadsDoNotMatter) {
  const Dataset data = table(50, 60, 8);
  const auto one = rank_tests(data, marginal_scores(data), {1}, 1);
  for (const int threads : {2, 7}) {
    const auto more = rank_tests(data, marginal_scores(data), {1}, threads);
    for (std::size_t d = 0; d < one.size(); ++d) EXPECT_EQ(one[d].z, more[d].z);
  }
}

}  // namespace
}  // namespace condens::screening_test
