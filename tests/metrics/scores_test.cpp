#include "condens/metrics/scores.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "condens/core/errors.hpp"
#include "support/gaussian_model.hpp"

namespace condens::scores_test {
namespace {

using tests::branching_model;
using tests::draw;
using tests::gaussian_model;
using tests::KnownModel;

double normal_pdf(double z) { return std::exp(-0.5 * z * z) / std::sqrt(2.0 * std::numbers::pi); }
double normal_cdf(double z) { return 0.5 * std::erfc(-z / std::numbers::sqrt2); }

Dataset gaussian_data(Index n) {
  RandomStream random(5);
  Matrix x(1, n);
  Matrix y(1, n);
  for (Index i = 0; i < n; ++i) {
    x(0, i) = random.normal();
    y(0, i) = 2.0 * x(0, i) + random.normal();
  }
  return {x, y};
}

TEST(MeanScore, IsTheMeanWithItsStandardError) {
  const Vector v{{1.0, 2.0, 4.0, 9.0}};
  const Score plain = mean_score(v);
  EXPECT_DOUBLE_EQ(plain.value, 4.0);
  EXPECT_NEAR(plain.standard_error, std::sqrt((9.0 + 4.0 + 0.0 + 25.0) / 3.0 / 4.0), 1e-15);
  // Equal weights are no weights, and a weight of zero is no row.
  const Score weighted = mean_score(Vector{{1.0, 2.0, 77.0, 4.0, 9.0}}, Vector{{5.0, 5.0, 0.0, 5.0, 5.0}});
  EXPECT_NEAR(weighted.value, plain.value, 1e-15);
  EXPECT_NEAR(weighted.standard_error, plain.standard_error, 1e-15);
  EXPECT_DOUBLE_EQ(mean_score(Vector{{1.0, 2.0}}, Vector{{1.0, 3.0}}).value, 1.75);
  EXPECT_TRUE(std::isnan(mean_score(Vector{{3.0}}).standard_error));
  EXPECT_THROW(mean_score(Vector()), std::invalid_argument);
}

TEST(Scores, GaussianClosedForms) {
  const Dataset data = gaussian_data(300);
  const Scores scores = score(gaussian_model(), data);
  const Vector r = (data.y - 2.0 * data.x).row(0);
  constexpr double z[4] = {0.6744897501960817, 1.2815515655446004, 1.6448536269514722, 1.959963984540054};
  double nll = 0.0;
  double squared = 0.0;
  double crps = 0.0;
  double inside[4] = {};
  for (const double e : r) {
    nll += (0.5 * std::log(2.0 * std::numbers::pi) + 0.5 * e * e) / 300.0;
    squared += (0.25 / std::sqrt(std::numbers::pi) - normal_pdf(e)) / 300.0;
    // Gneiting and Raftery (2007), eq. 21 with the sign of a loss.
    crps += (e * (2.0 * normal_cdf(e) - 1.0) + 2.0 * normal_pdf(e) - 1.0 / std::sqrt(std::numbers::pi)) / 300.0;
    for (int k = 0; k < 4; ++k) inside[k] += (std::abs(e) <= z[k]) / 300.0;
  }
  // Closed forms on both sides: only rounding is left.
  EXPECT_NEAR(scores.nll.value, nll, 1e-12);
  EXPECT_NEAR(scores.squared_loss->value, squared, 1e-12);
  ASSERT_EQ(scores.targets.size(), 1U);
  const TargetScores& target = scores.targets.front();
  EXPECT_NEAR(target.crps.value, crps, 1e-12);
  EXPECT_EQ(scores.energy_score->value, target.crps.value);
  ASSERT_EQ(target.coverage.size(), 4U);
  for (std::size_t k = 0; k < 4; ++k) {
    EXPECT_NEAR(target.coverage[k].central.value, inside[k], 1e-12);
    EXPECT_NEAR(target.coverage[k].highest_density->value, inside[k], 1e-12);  // of one Gaussian: the central interval
    EXPECT_NEAR(target.coverage[k].width.value, 2.0 * z[k], 1e-9);
  }
  for (Index i = 0; i < 300; ++i) EXPECT_NEAR(target.pit[i], normal_cdf(r[i]), 1e-14);
  EXPECT_EQ(scores.rows, 300);
  EXPECT_EQ(scores.effective_size, 300.0);
}

TEST(Scores, TheTrueLawIsCalibratedAndAWrongOneIsNot) {
  const Dataset data = gaussian_data(500);
  // A fixed seed: the true law's p-values are ordinary draws, far from 1e-3.
  const TargetScores right = score(gaussian_model(), data, {.highest_density = false}).targets.front();
  EXPECT_GT(right.kolmogorov_smirnov.p_value, 1e-3);
  EXPECT_GT(right.cramer_von_mises.p_value, 1e-3);
  const TargetScores wrong = score(gaussian_model(2.0, 2.0), data, {.highest_density = false}).targets.front();
  EXPECT_LT(wrong.kolmogorov_smirnov.p_value, 1e-6);
  EXPECT_LT(wrong.cramer_von_mises.p_value, 1e-6);
}

TEST(Scores, HighestDensityRegionsLeaveTheGapOut) {
  const KnownModel model(0, 1, [](const VectorView&) {
    return GaussianMixture(Vector{{0.5, 0.5}}, Matrix{{-3.0, 3.0}}, Matrix{{0.1, 0.1}});
  });
  const Dataset gap{Matrix(0, 2), Matrix{{0.0, 3.05}}};
  const Coverage half = score(model, gap, {.levels = {0.5}}).targets.front().coverage.front();
  EXPECT_DOUBLE_EQ(half.central.value, 0.5);           // [-3, 3]: 0 inside, 3.05 not
  EXPECT_DOUBLE_EQ(half.highest_density->value, 0.5);  // 0.067 around -3 and 3: 3.05 inside, 0 not
  const Dataset middle{Matrix(0, 1), Matrix{{0.0}}};
  const Coverage only = score(model, middle, {.levels = {0.5}}).targets.front().coverage.front();
  EXPECT_EQ(only.central.value, 1.0);
  EXPECT_EQ(only.highest_density->value, 0.0);
}

TEST(Scores, AWeightIsANumberOfCopies) {
  Dataset once = gaussian_data(40);
  once.weights = Vector::Ones(40);
  once.weights[3] = 3.0;
  once.weights[7] = 0.0;
  std::vector<Index> rows;
  for (Index i = 0; i < 40; ++i)
    for (int copy = 0; copy < static_cast<int>(once.weights[i]); ++copy) rows.push_back(i);
  const Dataset copies{once.subset(rows).x, once.subset(rows).y};
  const Scores weighted = score(gaussian_model(), once);
  const Scores copied = score(gaussian_model(), copies);
  EXPECT_EQ(weighted.rows, 39);
  EXPECT_NEAR(weighted.nll.value, copied.nll.value, 1e-13);
  EXPECT_NEAR(weighted.squared_loss->value, copied.squared_loss->value, 1e-13);
  EXPECT_NEAR(weighted.targets[0].crps.value, copied.targets[0].crps.value, 1e-13);
  EXPECT_NEAR(weighted.targets[0].kolmogorov_smirnov.statistic, copied.targets[0].kolmogorov_smirnov.statistic, 1e-13);
  EXPECT_NEAR(weighted.targets[0].coverage[1].central.value, copied.targets[0].coverage[1].central.value, 1e-13);
}

TEST(Scores, SeveralTargetsAreScoredTogetherAndAlone) {
  const KnownModel model(1, 2, [](const VectorView& x) {
    return GaussianMixture(Vector{{0.3, 0.7}}, Matrix{{x[0], 1.0}, {0.0, -x[0]}}, Matrix{{1.0, 0.5}, {0.7, 2.0}});
  });
  Dataset data{gaussian_data(20).x, {}};
  data.y = draw(model, data.x, 3);
  const Scores scores = score(model, data, {.highest_density = false});
  ASSERT_EQ(scores.targets.size(), 2U);
  double nll = 0.0;
  double energy = 0.0;
  double crps = 0.0;
  const GaussianMixtures laws = model.predict(data.x);
  for (Index i = 0; i < 20; ++i) {
    nll -= laws[i].log_pdf(VectorView(data.y.col(i))) / 20.0;
    energy += laws[i].energy_score(data.y.col(i)) / 20.0;
    crps += laws[i].marginal(1).crps(data.y(1, i)) / 20.0;
  }
  EXPECT_NEAR(scores.nll.value, nll, 1e-13);
  EXPECT_NEAR(scores.energy_score->value, energy, 1e-13);
  EXPECT_NEAR(scores.targets[1].crps.value, crps, 1e-13);
  EXPECT_FALSE(scores.targets[0].coverage[0].highest_density.has_value());
  EXPECT_FALSE(score(model, data, {.energy_score = false, .highest_density = false}).energy_score.has_value());
}

TEST(Scores, ThreadsDoNotMatter) {
  const KnownModel model = branching_model();
  Dataset data{gaussian_data(300).x, {}};  // three blocks
  data.y = draw(model, data.x, 8);
  const Scores one = score(model, data, {.levels = {0.9}}, {.threads = 1, .observer = {}});
  for (const int threads : {2, 7}) {
    const Scores many = score(model, data, {.levels = {0.9}}, {.threads = threads, .observer = {}});
    EXPECT_TRUE(to_document(one) == to_document(many));
    EXPECT_TRUE(one.targets[0].pit == many.targets[0].pit);
  }
}

TEST(Scores, DocumentHoldsEveryScore) {
  const Scores scores = score(gaussian_model(), gaussian_data(50), {.levels = {0.9}});
  const Document document = to_document(scores);
  EXPECT_EQ(document.at("rows").as_integer(), 50);
  EXPECT_EQ(document.at("nll").at("value").as_number(), scores.nll.value);
  EXPECT_EQ(document.at("squared_loss").at("standard_error").as_number(), scores.squared_loss->standard_error);
  const Document& target = document.at("targets").as_array().front();
  EXPECT_EQ(target.at("crps").at("value").as_number(), scores.targets[0].crps.value);
  EXPECT_EQ(target.at("kolmogorov_smirnov").at("p_value").as_number(), scores.targets[0].kolmogorov_smirnov.p_value);
  const Document& coverage = target.at("coverage").as_array().front();
  EXPECT_EQ(coverage.at("level").as_number(), 0.9);
  EXPECT_EQ(coverage.at("highest_density").at("value").as_number(),
            scores.targets[0].coverage[0].highest_density->value);
}

TEST(Scores, SaysWhatIsWrong) {
  const KnownModel model = gaussian_model();
  EXPECT_THROW(score(model, Dataset{}), std::invalid_argument);
  EXPECT_THROW(score(model, Dataset{Matrix::Zero(2, 3), Matrix::Zero(1, 3)}), std::invalid_argument);
  EXPECT_THROW(score(model, Dataset{Matrix::Zero(1, 3), Matrix::Zero(2, 3)}), std::invalid_argument);
  EXPECT_THROW(score(model, gaussian_data(5), {.levels = {1.0}}), std::invalid_argument);
  const condens::Run cancelled{.threads = 1, .observer = [](std::string_view, double) { return false; }};
  EXPECT_THROW(score(model, gaussian_data(500), {}, cancelled), Cancelled);
}

}  // namespace
}  // namespace condens::scores_test
