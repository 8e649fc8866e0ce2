// Scores of blocks that are merged: those of all rows together.

#include "condens/metrics/score_sums.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "condens/core/errors.hpp"
#include "condens/core/random.hpp"
#include "condens/io/document_format.hpp"
#include "condens/model/row_sums.hpp"
#include "support/complaint.hpp"
#include "support/gaussian_model.hpp"

namespace condens::score_sums_test {
namespace {

using tests::branching_model;
using tests::draw;
using tests::gaussian_model;
using tests::KnownModel;

KnownModel two_targets() {
  return {
      1, 2, [](const VectorView& x) {
        return GaussianMixture(Vector{{0.3, 0.7}}, Matrix{{x[0], 1.0}, {0.0, -x[0]}}, Matrix{{1.0, 0.5}, {0.7, 2.0}});
      }};
}

Dataset drawn_from(const KnownModel& model, Index n) {
  RandomStream random(5);
  Matrix x(1, n);
  for (Index i = 0; i < n; ++i) x(0, i) = random.normal();
  Matrix y = draw(model, x, 3);
  return {.x = std::move(x), .y = std::move(y)};
}

/// By states that go through bytes, as those of a cluster do.
Scores in_blocks(const ConditionalDensity& model, const Dataset& data, Index rows_of_block, const ScoreOptions& options,
                 int threads = 1) {
  Document state;
  for (Index first = 0; first < data.size(); first += rows_of_block) {
    std::vector<Index> rows;
    for (Index i = first; i < std::min(data.size(), first + rows_of_block); ++i) rows.push_back(i);
    const Document own = document_from_cbor(document_to_cbor(
        score_state(model, std::nullopt, data.subset(rows), first, options, {.threads = threads, .observer = {}})));
    state = state.is_null() ? own : merge_states(state, own);
  }
  return merged_scores(state, options);
}

void expect_equal(const Score& a, const Score& b) {
  EXPECT_NEAR(a.value, b.value, 1e-12 * (1 + std::abs(b.value)));
  EXPECT_NEAR(a.standard_error, b.standard_error, 1e-12);
}

void expect_equal(const Scores& a, const Scores& b) {
  EXPECT_EQ(a.rows, b.rows);
  EXPECT_NEAR(a.effective_size, b.effective_size, 1e-9 * b.effective_size);
  expect_equal(a.nll, b.nll);
  expect_equal(*a.squared_loss, *b.squared_loss);
  ASSERT_EQ(a.energy_score.has_value(), b.energy_score.has_value());
  if (b.energy_score) expect_equal(*a.energy_score, *b.energy_score);
  ASSERT_EQ(a.targets.size(), b.targets.size());
  for (std::size_t j = 0; j < b.targets.size(); ++j) {
    const TargetScores& merged = a.targets[j];
    const TargetScores& whole = b.targets[j];
    expect_equal(merged.crps, whole.crps);
    EXPECT_NEAR(merged.kolmogorov_smirnov.statistic, whole.kolmogorov_smirnov.statistic, 1.0 / pit_cells);
    // Between the ends of cells the straight line is as often above as below: far less than what 1 / pit_cells allows.
    EXPECT_NEAR(merged.cramer_von_mises.statistic, whole.cramer_von_mises.statistic, 1e-3);
    expect_equal(merged.pit_mean, whole.pit_mean);
    EXPECT_NEAR(merged.pit_std, whole.pit_std, 1e-12);
    ASSERT_EQ(merged.coverage.size(), whole.coverage.size());
    for (std::size_t k = 0; k < whole.coverage.size(); ++k) {
      EXPECT_EQ(merged.coverage[k].level, whole.coverage[k].level);
      expect_equal(merged.coverage[k].central, whole.coverage[k].central);
      expect_equal(merged.coverage[k].width, whole.coverage[k].width);
      ASSERT_EQ(merged.coverage[k].highest_density.has_value(), whole.coverage[k].highest_density.has_value());
      if (whole.coverage[k].highest_density)
        expect_equal(*merged.coverage[k].highest_density, *whole.coverage[k].highest_density);
    }
  }
}

TEST(ScoreSums, AnyCutGivesTheScoresOfAllRows) {
  for (const KnownModel& model : {branching_model(), two_targets()}) {
    const Dataset data = drawn_from(model, 300);
    for (const bool regions : {true, false}) {
      const ScoreOptions options{.levels = {0.5, 0.9}, .energy_score = regions, .highest_density = regions};
      const Scores whole = score(model, data, options);
      for (const Index rows_of_block : {300, 133, 41, 1})
        expect_equal(in_blocks(model, data, rows_of_block, options), whole);
    }
  }
}

TEST(ScoreSums, WeightsCountInAnyUnitAndRowsOfWeightZeroDoNot) {
  Dataset data = drawn_from(branching_model(), 400);
  RandomStream random(2);
  for (const double unit : {1.0, 1e-95, 1e9}) {
    data.weights = Vector(400);
    for (Index i = 0; i < 400; ++i) data.weights[i] = i % 7 == 0 ? 0.0 : unit * (0.1 + random.uniform());
    expect_equal(in_blocks(branching_model(), data, 90, {}), score(branching_model(), data));
  }
}

TEST(ScoreSums, WidthsThatAreAllEqualHaveNoStandardError) {
  const Scores merged = in_blocks(gaussian_model(), drawn_from(gaussian_model(), 200), 30, {});
  const Coverage& coverage = merged.targets.front().coverage.front();
  EXPECT_NEAR(coverage.width.standard_error, 0.0, 1e-15);
}

TEST(ScoreSums, ThreadsOfABlockDoNotMatter) {
  const Dataset data = drawn_from(branching_model(), 600);
  const Document one = to_document(in_blocks(branching_model(), data, 600, {}, 1));
  for (const int threads : {2, 7})
    EXPECT_TRUE(to_document(in_blocks(branching_model(), data, 600, {}, threads)) == one);
}

TEST(ScoreSums, AMeanBeyondAllNumbersStaysThere) {
  const auto state = [](double mean) {
    return Document(Document::Object{
        {"moments", Document::Object{{"weight", Matrix(Matrix::Ones(1, 1))}, {"nll", Matrix{{mean}, {0.0}}}}}});
  };
  const double beyond = std::numeric_limits<double>::infinity();
  for (const auto& [a, b] : {std::pair{beyond, 1.0}, std::pair{1.0, beyond}, std::pair{beyond, beyond}})
    EXPECT_EQ(merge_states(state(a), state(b)).at("moments").at("nll").as_matrix()(0, 0), beyond);
  EXPECT_THROW(merge_states(state(1.0), Document::Object{{"moments", Document::Object{}}}), FormatError);
}

TEST(ScoreSums, SaysWhatIsWrong) {
  const KnownModel model = gaussian_model();
  Dataset data = drawn_from(model, 5);
  EXPECT_THROW(score_state(model, std::nullopt, Dataset{}, 0), std::invalid_argument);
  EXPECT_THROW(score_state(model, std::nullopt, data, 0, {.levels = {1.0}}), std::invalid_argument);
  const Document state = score_state(model, std::nullopt, data, 0, {.levels = {0.5}});
  EXPECT_THROW(merge_states(state, score_state(model, std::nullopt, data, 0)), FormatError);
  EXPECT_EQ(complaint<FormatError>([&] { merged_scores(state); }),
            "a pass over the rows: 'target 1' is 2 x 5, expected 2 x 14");
  Document empty = state;
  Document sum = state.at("sum");
  sum.set("rows", Matrix(Matrix::Zero(1, 1)));
  empty.set("sum", sum);
  EXPECT_EQ(complaint<FormatError>([&] { merged_scores(empty, {.levels = {0.5}}); }),
            "scores of blocks: 'rows' is 0, expected a number of rows");
  data.weights = Vector{{1, 1, 1e-150, 1, 1}};
  EXPECT_EQ(complaint([&] { score_state(model, std::nullopt, data, 0); }),
            "score: weights: row 3 (counting from 1) is 1e-150, expected 1e-100 to 1e+12 where rows are elsewhere");
}

TEST(UniformityOfCells, IsThatOfValuesAtTheirEnds) {
  // All in the first of four cells: F is 1 from 1/4 on. By the straight line to there the square's integral is
  // (0.75^2) (1/4 + 3/4) / 3.
  const Vector counts{{6.0, 0.0, 0.0, 0.0}};
  EXPECT_DOUBLE_EQ(kolmogorov_smirnov_test_of_cells(counts, 6.0).statistic, 0.75);
  EXPECT_NEAR(cramer_von_mises_test_of_cells(counts, 6.0).statistic, 6.0 * 0.75 * 0.75 / 3.0, 1e-15);
  EXPECT_EQ(kolmogorov_smirnov_test_of_cells(Vector::Ones(8), 8.0).statistic, 0.0);
  EXPECT_THROW(kolmogorov_smirnov_test_of_cells(Vector::Zero(4), 1.0), std::invalid_argument);
  EXPECT_THROW(cramer_von_mises_test_of_cells(Vector{{1.0, -1.0}}, 1.0), std::invalid_argument);
}

}  // namespace
}  // namespace condens::score_sums_test
