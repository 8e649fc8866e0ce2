// Tests of the number of directions: plain loops of fits, planted directions, and the level.

#include <gtest/gtest.h>

#include <cmath>

#include "condens/core/random.hpp"
#include "condens/data/folds.hpp"
#include "condens/registry.hpp"
#include "core/names.hpp"
#include "support/complaint.hpp"
#include "support/normals.hpp"
#include "support/sanitized.hpp"

namespace condens::dimension_test_test {
namespace {

const Run one_thread{.threads = 1, .observer = {}};

/// y follows x1 (counting from 1) and spreads with x2 where `two`; of four.
Dataset planted(Index n, bool two, std::uint64_t seed) {
  RandomStream random(seed);
  const Matrix x = normals(4, n, random);
  Matrix y(1, n);
  for (Index i = 0; i < n; ++i) y(0, i) = x(0, i) + (two ? std::pow(x(1, i), 2) : 0.0) + 0.4 * random.normal();
  return {.x = x, .y = y};
}

const Document quick = Document::Object{{"method", "mave"},
                                        {"options", Document::Object{{"bandwidth", Document::Array{0.5}},
                                                                     {"bandwidth_y", Document::Array{0.3}},
                                                                     {"regularization", Document::Array{0.03}},
                                                                     {"metric", "none"},
                                                                     {"refine", false},
                                                                     {"n_centers", 40}}}};

DimensionTest test(const Dataset& data, const DimensionTestOptions& options, const Document& own = quick) {
  return test_dimension(find_model("sliced"), data, "", own, {}, options, one_thread);
}

TEST(DimensionTest, IsThatOfPlainLoops) {
  Dataset data = planted(90, false, 1);
  data.weights = Vector::Ones(90);
  data.weights.head(20).setConstant(2.0);
  const DimensionTestOptions options{.level = 0.1, .folds = 3, .seed = 4};
  const DimensionTest found = test(data, options);
  ASSERT_GE(found.steps.size(), 2U);
  const std::vector<Index> fold = assign_folds(90, 3, 4);
  std::vector<Vector> scores;
  for (std::size_t d = 0; d <= found.steps.size(); ++d) {
    Vector own(90);
    for (Index k = 0; k < 3; ++k) {
      const auto [train, rest] = rows_of_fold(fold, k);
      Dataset rows = data.subset(train);
      Dataset left_out = data.subset(rest);
      if (d == 0) rows.x = Matrix(0, rows.size());
      if (d == 0) left_out.x = Matrix(0, left_out.size());
      Document with = quick;
      with.set("seed", 4).set("n_components", Document::Array{static_cast<std::int64_t>(std::max<std::size_t>(d, 1))});
      own(rest) = find_model("sliced").fit(rows, "", with, one_thread)->log_density(left_out.x, left_out.y);
    }
    scores.push_back(own);
  }
  const double total = data.weights.sum();
  for (std::size_t d = 0; d < found.steps.size(); ++d) {
    const DimensionTest::Step& step = found.steps[d];
    double gain = 0;
    for (Index i = 0; i < 90; ++i) gain += data.weights[i] * (scores[d + 1][i] - scores[d][i]) / total;
    double variance = 0;
    for (Index i = 0; i < 90; ++i) {
      variance += std::pow(data.weights[i] * (scores[d + 1][i] - scores[d][i] - gain) / total, 2);
    }
    EXPECT_EQ(step.n_components, static_cast<Index>(d));
    EXPECT_NEAR(step.gain, gain, 1e-10);
    EXPECT_NEAR(step.standard_error, std::sqrt(variance), 1e-10);
    EXPECT_NEAR(step.p_value, 0.5 * std::erfc(gain / std::sqrt(2 * variance)), 1e-9);
    EXPECT_EQ(step.rejected, step.p_value < 0.1);
    EXPECT_EQ(step.rejected, d + 1 < found.steps.size());
  }
  EXPECT_EQ(found.n_components, 1);
  EXPECT_FALSE(found.all_rejected);
}

TEST(DimensionTest, StopsAtTheMostThatAreFitted) {
  const DimensionTest found = test(planted(150, true, 2), {.folds = 3, .most = 1});
  EXPECT_EQ(found.n_components, 1);
  EXPECT_TRUE(found.all_rejected);
  EXPECT_EQ(found.steps.size(), 1U);
}

/// Of 60 samples in which one direction is enough, more are taken in a share of at most the level: 0.1, and three
/// standard errors of the share of 60.
TEST(DimensionTest, KeepsItsLevel) {
  constexpr int samples = repetitions(60);
  constexpr double level = 0.1;
  int too_few = 0;
  int too_many = 0;
  for (int k = 0; k < samples; ++k) {
    const DimensionTest found =
        test(planted(120, false, 100 + static_cast<std::uint64_t>(k)), {.level = level, .folds = 3, .most = 2});
    too_few += found.n_components == 0 ? 1 : 0;
    too_many += found.n_components > 1 ? 1 : 0;
  }
  EXPECT_EQ(too_few, 0);
  if (sanitized) return;
  EXPECT_LE(too_many, samples * level + 3 * std::sqrt(samples * level * (1 - level)));
}

TEST(DimensionTest, SaysWhatIsWrong) {
  const Dataset data = planted(30, false, 1);
  const std::string names = list_names(models_that("reduces_inputs"));
  EXPECT_EQ(complaint([&] { test_dimension(find_model("nw"), data, "", {}, {}, {}, one_thread); }),
            "dimension test: nw does not reduce its inputs, expected one of " + names);
  EXPECT_EQ(complaint([&] { test(data, {.level = 1.5}); }),
            "dimension test: level = 1.5, expected a number in (0, 1); for 1.5 % give 0.015");
  EXPECT_EQ(complaint([&] { test(data, {.folds = 31}); }),
            "dimension test: folds = 31 of 30 rows, expected no more than rows");
  const Dataset none{.x = Matrix(0, 30), .y = data.y};
  EXPECT_EQ(complaint([&] { test(none, {}); }), "dimension test: there are no inputs, expected at least one");
}

}  // namespace
}  // namespace condens::dimension_test_test
