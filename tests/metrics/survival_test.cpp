// Kaplan-Meier, Turnbull and concordance against a textbook and against their definitions in plain loops.

#include "condens/metrics/survival.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "condens/core/random.hpp"
#include "support/complaint.hpp"

namespace condens::tests::survival_test {
namespace {

void expect_complaint(const std::function<void()>& call, const std::string& text) {
  const std::string said = complaint(call);
  EXPECT_NE(said.find(text), std::string::npos) << said << "\nexpected\n" << text;
}

Censoring right_censored(const std::vector<double>& y, const std::vector<bool>& censored) {
  Censoring out{Eigen::Map<const Vector>(y.data(), std::ssize(y)), Eigen::Map<const Vector>(y.data(), std::ssize(y))};
  for (std::size_t i = 0; i < y.size(); ++i) {
    if (censored[i]) out.high[static_cast<Index>(i)] = infinity;
  }
  return out;
}

/// Exponential waits with ties (rounded up), censored by others.
Censoring random_rows(Index n, std::uint64_t seed) {
  RandomStream random(seed);
  Censoring out{Vector(n), Vector(n)};
  for (Index i = 0; i < n; ++i) {
    const double wait = std::ceil(-10.0 * std::log(1.0 - random.uniform()));
    const double end = std::ceil(-20.0 * std::log(1.0 - random.uniform()));
    out.low[i] = std::min(wait, end);
    out.high[i] = wait <= end ? out.low[i] : infinity;
  }
  return out;
}

// Remission in weeks under 6-mercaptopurine: Freireich et al. (1963), with the estimates that textbooks print
// (Kleinbaum and Klein, Survival analysis, chapter 2).
TEST(KaplanMeier, GivesTheNumbersOfTheTextbook) {
  const Censoring rows = right_censored({6, 6, 6, 6, 7, 9, 10, 10, 11, 13, 16, 17, 19, 20, 22, 23, 25, 32, 32, 34, 35},
                                        {false, false, false, true,  false, true, false, true, true, false, false,
                                         true,  true,  true,  false, false, true, true,  true, true, true});
  const SurvivalCurve curve = kaplan_meier(rows);
  const Vector times{{6, 7, 10, 13, 16, 22, 23}};
  const Vector survival{{.8571, .8067, .7529, .6902, .6275, .5378, .4482}};
  const Vector errors{{.0764, .0869, .0963, .1068, .1141, .1282, .1346}};
  const Vector at_risk{{21, 17, 15, 12, 11, 7, 6}};
  ASSERT_EQ(curve.times, times);
  EXPECT_LT((curve.survival - survival).cwiseAbs().maxCoeff(), 6e-5);  // four digits are printed
  EXPECT_LT((curve.standard_error - errors).cwiseAbs().maxCoeff(), 6e-5);
  EXPECT_EQ(curve.at_risk, at_risk);
  EXPECT_EQ(curve.events, Vector({{3, 1, 1, 1, 1, 1, 1}}));
  EXPECT_EQ(curve.at(5.9), 1.0);
  EXPECT_EQ(curve.at(6.0), curve.survival[0]);
  EXPECT_EQ(curve.at(100.0), curve.survival[6]);
}

TEST(KaplanMeier, FollowsItsDefinitionWithEntriesAndWeights) {
  Censoring rows = random_rows(200, 3);
  RandomStream random(4);
  rows.entry.resize(200);
  Vector weights(200);
  for (Index i = 0; i < 200; ++i) {
    rows.entry[i] = random.uniform() < 0.5 ? -infinity : std::floor(rows.low[i] * random.uniform() * 0.99);
    weights[i] = 1.0 + std::floor(3.0 * random.uniform());
  }
  const SurvivalCurve curve = kaplan_meier(rows, weights);
  for (const double t : {0.5, 1.0, 4.0, 9.0, 15.5, 30.0}) {
    double expected = 1.0;
    for (double u = 1.0; u <= t; u += 1.0) {
      double at_risk = 0.0;
      double events = 0.0;
      for (Index i = 0; i < 200; ++i) {
        if (rows.entry[i] < u && rows.low[i] >= u) at_risk += weights[i];
        if (rows.is_exact(i) && rows.low[i] == u) events += weights[i];
      }
      if (at_risk > 0.0) expected *= 1.0 - events / at_risk;
    }
    EXPECT_NEAR(curve.at(t), expected, 1e-12) << t;
  }
}

TEST(KaplanMeier, IsOneMinusTheEmpiricalDistributionWithoutCensoring) {
  const Vector y{{3, 1, 2, 2}};
  const SurvivalCurve curve = kaplan_meier({y, y});
  EXPECT_LT((curve.survival - Vector({{.75, .25, 0}})).cwiseAbs().maxCoeff(), 1e-15);
  EXPECT_TRUE(std::isnan(curve.standard_error[2]));
}

// Efron (1967): the self-consistent estimate of right-censored values is that of Kaplan and Meier.
TEST(Turnbull, IsKaplanMeierOfRightCensoredRows) {
  const Censoring rows = random_rows(150, 5);
  const TurnbullEstimate estimate = turnbull(rows);
  const SurvivalCurve curve = kaplan_meier(rows);
  EXPECT_TRUE(estimate.converged);
  EXPECT_NEAR(estimate.mass.sum(), 1.0, 1e-12);
  for (Index k = 0; k < curve.times.size(); ++k) EXPECT_NEAR(estimate.at(curve.times[k]), curve.survival[k], 1e-6);
}

// With entries it is the product-limit estimate, up to the values before which hardly any row was at risk.
TEST(Turnbull, IsKaplanMeierOfTruncatedRows) {
  Censoring rows = random_rows(300, 6);
  rows.entry = Vector::Constant(300, -infinity);
  for (Index i = 0; i < 100; ++i) rows.entry[i] = std::floor(0.6 * rows.low[i]);
  const TurnbullEstimate estimate = turnbull(rows);
  const SurvivalCurve curve = kaplan_meier(rows);
  for (Index k = 0; k < curve.times.size(); ++k) EXPECT_NEAR(estimate.at(curve.times[k]), curve.survival[k], 1e-5);
}

// The equation of self-consistency, in plain loops over rows and masses.
TEST(Turnbull, IsSelfConsistentOfIntervals) {
  const Censoring rows{Vector({{0, 1, 2, 2, 4, -infinity, 5, 3}}), Vector({{2, 3, 4, 2, infinity, 3, 6, infinity}})};
  const TurnbullEstimate estimate = turnbull(rows);
  const Index m = estimate.mass.size();
  Vector shared = Vector::Zero(m);
  for (Index i = 0; i < rows.size(); ++i) {
    Vector own = Vector::Zero(m);
    for (Index j = 0; j < m; ++j) {
      const bool point = estimate.low[j] == estimate.high[j];
      const bool above = estimate.low[j] >= rows.low[i];
      const bool open = point && !rows.is_exact(i) && estimate.low[j] == rows.low[i];  // low itself is left out
      if (above && !open && estimate.high[j] <= rows.high[i]) own[j] = estimate.mass[j];
    }
    shared += own / own.sum() / static_cast<double>(rows.size());
  }
  EXPECT_LT((shared - estimate.mass).cwiseAbs().maxCoeff(), 1e-6);
}

TEST(DrawStart, StaysWithinWhatIsKnown) {
  Censoring rows = random_rows(100, 7);
  rows.low[0] = -infinity;
  rows.high[0] = 3.0;
  rows.low[1] = 2.5;
  rows.high[1] = 2.75;
  rows.low[2] = 1e6;  // beyond all values
  rows.high[2] = infinity;
  const Vector y = draw_start(turnbull(rows), rows, 0.0, infinity, 10.0, 1);
  for (Index i = 0; i < rows.size(); ++i) {
    EXPECT_GT(y[i], 0.0);
    if (rows.is_exact(i))
      EXPECT_EQ(y[i], rows.low[i]);
    else
      EXPECT_TRUE(y[i] >= rows.low[i] && y[i] <= rows.high[i]) << i;
  }
  EXPECT_EQ(y, draw_start(turnbull(rows), rows, 0.0, infinity, 10.0, 1));
  EXPECT_NE(y, draw_start(turnbull(rows), rows, 0.0, infinity, 10.0, 2));
}

TEST(Concordance, CountsPairsAsItsDefinitionSays) {
  const Censoring rows = random_rows(120, 8);
  RandomStream random(9);
  Vector predictions(120);
  for (double& value : predictions) value = std::floor(8.0 * random.uniform());  // with ties
  double concordant = 0.0;
  Index pairs = 0;
  for (Index i = 0; i < 120; ++i) {
    for (Index j = 0; j < 120; ++j) {
      const bool later = rows.low[j] > rows.low[i] || (rows.low[j] == rows.low[i] && !rows.is_exact(j));
      if (!rows.is_exact(i) || !later) continue;
      ++pairs;
      concordant += predictions[j] > predictions[i] ? 1.0 : predictions[j] == predictions[i] ? 0.5 : 0.0;
    }
  }
  const Concordance found = concordance(rows, predictions);
  EXPECT_EQ(found.n_pairs, pairs);
  EXPECT_NEAR(found.value, concordant / static_cast<double>(pairs), 1e-14);
}

TEST(Concordance, IsOneWhereAllPairsAreInOrderAndNothingWithoutAny) {
  const Vector y{{1, 2, 3}};
  EXPECT_EQ(concordance({y, y}, y).value, 1.0);
  EXPECT_EQ(concordance({y, y}, -y).value, 0.0);
  EXPECT_EQ(concordance({y, y}, Vector::Zero(3)).value, 0.5);
  const Concordance none = concordance({y, Vector::Constant(3, infinity)}, y);
  EXPECT_EQ(none.n_pairs, 0);
  EXPECT_TRUE(std::isnan(none.value));
}

TEST(Survival, RefusesWhatItCannotUse) {
  const Vector y{{1, 2}};
  expect_complaint([&] { kaplan_meier({}); }, "kaplan_meier: no rows, expected at least one");
  expect_complaint(
      [&] {
        kaplan_meier({y, y}, Vector::Ones(3));
      },
      "3 weights for 2 rows, expected none or one for each");
  expect_complaint(
      [&] {
        kaplan_meier({y, y}, Vector({{1, -1}}));
      },
      "weights: row 2 (counting from 1) is -1, expected a finite number >= 0");
  expect_complaint(
      [&] {
        kaplan_meier({y, Vector({{1, 3}})});
      },
      "row 2 (counting from 1) lies in [2, 3], expected an exact value or one that is right censored");
  expect_complaint([&] { concordance({y, y}, Vector::Ones(3)); }, "3 predictions for 2 rows, expected one for each");
  expect_complaint([&] { turnbull({}); }, "turnbull: no rows, expected at least one");
  expect_complaint([&] { turnbull({y, y}, Vector::Zero(2)); }, "weights are all zero");
}

TEST(Censoring, RefusesLimitsThatAreNone) {
  const PlaceOfRow place = [](Index row) { return "row " + std::to_string(row + 1); };
  const auto check = [&](const Censoring& rows, const std::string& text) {
    expect_complaint([&] { rows.check("fit", 2, place); }, text);
  };
  const double nan = std::nan("");
  const Vector y{{1, 2}};
  check({y, Vector({{1, 1}})}, "row 2: the interval of the target goes from 2 to 1, expected the lower end first");
  check({y, Vector({{1, nan}})}, "row 2: an end of the interval is NaN");
  check({Vector({{1, infinity}}), Vector({{1, infinity}})}, "row 2: the target is inf, expected a finite number");
  check({Vector({{1, -infinity}}), Vector({{1, infinity}})}, "row 2: nothing is known of the target");
  check({y, Vector::Constant(2, infinity)}, "fit: every one of the 2 rows is censored");
  check({Vector::Ones(3), y}, "fit: 3 lower and 2 upper ends for 2 rows");
  check({y, y, Vector::Zero(1)}, "fit: 1 entries for 2 rows");
  check({y, y, Vector({{0, nan}})}, "row 2: the entry is nan");
  check({y, y, Vector({{0, 2}})}, "row 2: the target is at most 2 and the entry 2");
}

}  // namespace
}  // namespace condens::tests::survival_test
