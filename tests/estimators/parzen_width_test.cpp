// What the search for widths finds: no better width beside it, and what must not matter.

#include "estimators/parzen/width.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "condens/core/errors.hpp"
#include "condens/core/random.hpp"
#include "support/complaint.hpp"
#include "support/normals.hpp"
#include "support/plain_parzen.hpp"

namespace condens::parzen_width_test {
namespace {

const Run one_thread{.threads = 1, .observer = {}};

ParzenSearchResult find(const Matrix& z, const ParzenSearch& search, const Vector& weights = Vector()) {
  Task task(one_thread, "search", 1);
  return search_parzen_widths(z, weights, {}, search, task);
}

TEST(ParzenWidth, NoOtherWidthIsBetter) {
  RandomStream random(1);
  const Matrix z = normals(2, 300, random);
  for (const Scoring scoring : {Scoring::nll, Scoring::squared}) {
    const ParzenSearchResult found = find(z, {.scoring = scoring});
    const ParzenCriterion criterion(scoring, z);
    EXPECT_NEAR(criterion.of_width(found.widths[0]).value, found.loss.value, 1e-14);
    for (double width = 0.02; width < 10; width *= 1.1) {
      EXPECT_GE(criterion.of_width(width).value, found.loss.value - 1e-9) << width;
    }
    EXPECT_LT(found.projected_gradient, 1e-5);
    EXPECT_FALSE(found.at_floor);
  }
}

TEST(ParzenWidth, OneForEachColumnIsStationaryAndBetterThanOneForAll) {
  RandomStream random(2);
  Matrix z = normals(3, 300, random);
  for (double& value : z.row(0)) value = (value > 0 ? 1 : -1) + 0.05 * value;  // two narrow peaks
  const ParzenSearchResult all = find(z, {});
  const ParzenSearchResult each = find(z, {.shape = ParzenShape::diagonal, .floor = 1e-3});
  EXPECT_LT(each.loss.value, all.loss.value - 0.1);
  EXPECT_LT(each.widths[0], 0.3 * each.widths[1]);
  EXPECT_LT(ParzenCriterion(Scoring::nll, z).of_widths(each.widths).gradient.cwiseAbs().maxCoeff(), 1e-4);
  EXPECT_EQ(all.widths, Vector::Constant(3, all.widths[0]));
}

TEST(ParzenWidth, ColumnsOfAGroupShareTheirWidth) {
  RandomStream random(3);
  Matrix z = normals(3, 200, random);
  z.row(1) *= 2.0;
  const Vector widths = find(z, {.shape = ParzenShape::diagonal, .groups = {{0, 1}, {2}}}).widths;
  const Vector spread = ((z.colwise() - z.rowwise().mean()).rowwise().squaredNorm() / 199).cwiseSqrt();
  EXPECT_NEAR(widths[0] / spread[0], widths[1] / spread[1], 1e-12);  // in standard deviations
  EXPECT_GT(std::abs(widths[2] / spread[2] - widths[0] / spread[0]), 1e-3);
}

TEST(ParzenWidth, FollowsTheScaleOfTheData) {
  RandomStream random(4);
  const Matrix z = normals(2, 200, random);
  const double width = parzen_likelihood_width(z, Vector());
  EXPECT_NEAR(parzen_likelihood_width(64.0 * z, Vector()), 64.0 * width, 1e-9 * width);
}

TEST(ParzenWidth, IsNearTheReferenceRuleForAGaussian) {
  RandomStream random(5);
  const double width = parzen_likelihood_width(normals(1, 2000, random), Vector());
  const double rule = reference_width(Vector::Ones(2000), 1);
  EXPECT_NEAR(rule, std::pow(4.0 / 3 / 2000, 0.2), 1e-15);
  EXPECT_GT(width, 0.5 * rule);
  EXPECT_LT(width, 1.5 * rule);
}

TEST(ParzenWidth, CopiesAreWeights) {
  RandomStream random(6);
  const Matrix z = normals(2, 60, random);
  Matrix copies(2, 80);
  copies << z, z.leftCols(20);
  Vector weights = Vector::Ones(60);
  weights.head(20).setConstant(2.0);
  EXPECT_EQ(parzen_likelihood_width(copies, Vector()), parzen_likelihood_width(z, weights));
}

TEST(ParzenWidth, ConstantRowsPlayNoPart) {
  RandomStream random(7);
  Matrix z = Matrix::Constant(3, 100, 5.0);
  z.topRows(2) = normals(2, 100, random);
  EXPECT_EQ(parzen_likelihood_width(z, Vector()), parzen_likelihood_width(z.topRows(2), Vector()));
  EXPECT_EQ(complaint([&] { parzen_likelihood_width(z.bottomRows(1), Vector()); }),
            "Parzen window: all 100 points are equal, expected at least two that differ");
}

TEST(ParzenWidth, TwoPointsHaveAClosedForm) {
  // log p = -D / (2 g^2) - d log g + constant: g^2 = D / d.
  const Matrix z{{0.0, 1.0}, {0.0, 0.5}};
  EXPECT_NEAR(parzen_likelihood_width(z, Vector()), std::sqrt(1.25 / 2), 1e-5);
}

TEST(ParzenWidth, ALearnedWidthStopsAtItsFloor) {
  RandomStream random(8);
  Matrix z = normals(2, 100, random);
  for (double& value : z.row(0)) value = value > 0 ? 1.0 : -1.0;  // ties in one column
  const ParzenSearchResult found = find(z, {.shape = ParzenShape::diagonal, .floor = 0.02});
  EXPECT_TRUE(found.at_floor);
  const double spread = std::sqrt((z.row(0).array() - z.row(0).mean()).square().sum() / 99);
  EXPECT_NEAR(found.widths[0], 0.02 * spread, 1e-12);
}

TEST(ParzenWidth, ALargeSampleStartsFromAnEvenPartOfIt) {
  RandomStream random(9);
  const Matrix z = normals(1, 4001, random);  // one more than are all taken
  const ParzenSearchResult found = find(z, {});
  const ParzenCriterion criterion(Scoring::nll, z);
  for (const double factor : {0.8, 0.95, 1.05, 1.3}) {
    EXPECT_GT(criterion.of_width(factor * found.widths[0]).value, found.loss.value);
  }
}

TEST(ParzenWidth, CanBeStopped) {
  RandomStream random(10);
  const Matrix z = normals(2, 3000, random);
  const condens::Run run{.threads = 2, .observer = [](std::string_view, double) { return false; }};
  EXPECT_THROW(parzen_likelihood_width(z, Vector(), run), Cancelled);
}

TEST(ParzenDensity, EqualsPlainLoops) {
  RandomStream random(11);
  const Matrix z = normals(2, 50, random);
  Vector weights(50);
  for (double& value : weights) value = 0.2 + random.uniform();
  const Vector widths{{0.3, 0.6}};
  const Vector with = parzen_density(z, weights, widths, false);
  const Vector without = parzen_density(z, weights, widths, true);
  for (Index i = 0; i < 50; ++i) {
    EXPECT_NEAR(with[i], std::exp(plain::parzen_log_density(z, weights, widths, z.col(i))), 1e-13);
    EXPECT_NEAR(without[i],
                std::exp(plain::parzen_log_density(z, weights, widths, z.col(i), plain::left_out(i, 50, {}))), 1e-13);
  }
  EXPECT_NEAR(parzen_density(z.leftCols(1), Vector(), widths, false)[0], 1 / (2 * std::numbers::pi * 0.18), 1e-14);
}

TEST(ParzenDensity, BadInputIsNamed) {
  const Matrix z{{0.0, 1.0}};
  const Vector one = Vector::Ones(1);
  EXPECT_EQ(complaint([&] { parzen_density(z, one, one, false); }), "Parzen window: 1 weights for 2 points");
  EXPECT_EQ(complaint([&] { parzen_density(z, Vector(), Vector::Ones(2), false); }),
            "Parzen window: 2 widths, expected 1");
  EXPECT_EQ(complaint([&] { parzen_density(z, Vector(), Vector::Zero(1), false); }),
            "Parzen window: widths must be finite and > 0");
  EXPECT_EQ(complaint([&] { parzen_density(z.leftCols(1), Vector(), one, true); }),
            "Parzen window: one point, expected at least two where it is left out");
}

}  // namespace
}  // namespace condens::parzen_width_test
