// The exact solver against plain code, the optimality conditions, and its own certificate.

#include "optim/quantile_regression.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "condens/core/random.hpp"
#include "support/complaint.hpp"
#include "support/plain_kqr.hpp"

namespace condens::quantile_regression_test {
namespace {

using plain::QuantileProblem;

/// A wave with noise over one input; `round_x` and `round_y` make ties.
QuantileProblem example(Index n, double width, double level, double penalty, bool round_x = false,
                        bool round_y = false) {
  RandomStream random(static_cast<std::uint64_t>(n));
  Vector x(n);
  QuantileProblem out{.kernel = Matrix(n, n), .y = Vector(n), .weights = Vector(n), .level = level, .penalty = penalty};
  for (Index i = 0; i < n; ++i) {
    x[i] = 2 * random.normal();
    if (round_x) x[i] = std::round(x[i]);
    out.y[i] = std::sin(x[i]) + 0.5 * random.normal();
    if (round_y) out.y[i] = std::round(2 * out.y[i]) / 2;
    out.weights[i] = 0.5 + random.uniform();
  }
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) out.kernel(i, j) = std::exp(-std::pow(x[i] - x[j], 2) / (2 * width * width));
  }
  return out;
}

QuantileFit solve(const QuantileProblem& p, const QuantileFit* start = nullptr) {
  return QuantileRegression(p.kernel, p.y, p.weights).solve(p.level, p.penalty, start);
}

TEST(QuantileRegression, FindsTheLeastOfAllAssignments) {
  for (const double width : {0.3, 1.0, 4.0}) {
    for (const double level : {0.1, 0.5, 0.73}) {
      for (const double penalty : {0.01, 0.3, 5.0}) {
        const QuantileProblem p = example(6, width, level, penalty);
        const double least = plain::least_by_enumeration(p);
        const QuantileFit found = solve(p);
        EXPECT_NEAR(p.objective(found.coefficients, found.intercept), least, 1e-9 * least)
            << width << ' ' << level << ' ' << penalty;
        EXPECT_NEAR(found.objective, least, 1e-9 * least);
      }
    }
  }
}

TEST(QuantileRegression, EqualsExchangesOfPairs) {
  for (const auto& [width, penalty] : {std::pair{0.3, 0.1}, {1.0, 1.0}, {3.0, 0.1}}) {
    for (const double level : {0.05, 0.5, 0.8}) {
      const QuantileProblem p = example(50, width, level, penalty);
      const double least = plain::least_by_exchange(p);
      EXPECT_NEAR(solve(p).objective, least, 1e-6 * least);
    }
  }
}

TEST(QuantileRegression, MeetsTheOptimalityConditions) {
  const QuantileProblem p = example(200, 1.0, 0.3, 0.2);
  const QuantileFit found = solve(p);
  EXPECT_NEAR(found.coefficients.sum(), 0, 1e-10);
  const Vector r = p.y - p.kernel * found.coefficients - Vector::Constant(200, found.intercept);
  Index on_the_line = 0;
  for (Index i = 0; i < 200; ++i) {
    const double margin = 1e-12 * (p.upper(i) - p.lower(i));
    const double c = found.coefficients[i];
    EXPECT_TRUE(p.lower(i) - margin <= c && c <= p.upper(i) + margin);
    EXPECT_TRUE(c <= p.lower(i) + margin || r[i] >= -1e-8) << i << ' ' << r[i];
    EXPECT_TRUE(c >= p.upper(i) - margin || r[i] <= 1e-8) << i << ' ' << r[i];
    if (std::abs(r[i]) < 1e-8) ++on_the_line;
  }
  EXPECT_GE(on_the_line, 1);
  EXPECT_LT(on_the_line, 30);
}

TEST(QuantileRegression, TheCertificateIsTheGapBetweenPrimalAndDual) {
  const QuantileProblem p = example(80, 0.7, 0.6, 0.5);
  const QuantileFit found = solve(p);
  const Vector a = 2 * p.penalty * found.coefficients;
  const double dual = a.dot(p.y) - a.dot(p.kernel * a) / (4 * p.penalty);
  const double primal = p.objective(found.coefficients, found.intercept);
  EXPECT_NEAR(primal - dual, found.relative_gap * primal, 1e-11 * primal);
  EXPECT_LE(found.relative_gap, 1e-9);
}

TEST(QuantileRegression, EveryElbowEndsWithACertificate) {
  for (const bool round_x : {false, true}) {
    for (const bool round_y : {false, true}) {
      for (const double width : {0.01, 0.5, 2.0, 50.0}) {
        for (const double penalty : {1e-3, 0.1, 10.0}) {
          QuantileProblem p = example(60, width, 0.25, penalty, round_x, round_y);
          EXPECT_LE(solve(p).relative_gap, 1e-9) << round_x << round_y << ' ' << width << ' ' << penalty;
          p.y[7] = 1e8;
          EXPECT_LE(solve(p).relative_gap, 1e-9) << "outlier " << width << ' ' << penalty;
        }
      }
    }
  }
}

TEST(QuantileRegression, FewRowsAndConstantTargetsAreSolved) {
  for (const Index n : {1, 2, 3}) {
    QuantileProblem p = example(n, 1.0, 0.4, 0.1);
    EXPECT_LE(solve(p).relative_gap, 1e-9);
    p.y.setConstant(3.0);
    const QuantileFit constant = solve(p);
    EXPECT_NEAR(constant.objective, 0, 1e-12);
    EXPECT_NEAR(constant.intercept, 3.0, 1e-12);
  }
}

TEST(QuantileRegression, OneKernelForAllGivesTheMiddleOfTheEmpiricalQuantiles) {
  QuantileProblem p = example(10, 1.0, 0.5, 0.1);
  p.kernel.setOnes();
  p.weights.setOnes();
  p.y << 9, 1, 4, 8, 2, 7, 5, 3, 10, 6;
  EXPECT_NEAR(solve(p).intercept, 5.5, 1e-9);
  p.level = 0.25;  // between 2 and 3 rows: the third
  EXPECT_NEAR(solve(p).intercept, 3, 1e-9);
  p.weights[1] = 5;  // five copies of the smallest: 0.25 * 14 = 3.5
  EXPECT_NEAR(solve(p).intercept, 1, 1e-9);
}

TEST(QuantileRegression, AWeightOfTwoIsTwoCopies) {
  const Index n = 40;
  QuantileProblem once = example(n, 0.8, 0.35, 0.3);
  once.weights.setOnes();
  once.weights.head(10).setConstant(2);
  std::vector<Index> rows;
  for (Index i = 0; i < n; ++i) rows.push_back(i);
  for (Index i = 0; i < 10; ++i) rows.push_back(i);
  QuantileProblem copies = once;
  copies.kernel = once.kernel(rows, rows);
  copies.y = once.y(rows);
  copies.weights = Vector::Ones(n + 10);
  const QuantileFit weighted = solve(once);
  const QuantileFit copied = solve(copies);
  EXPECT_NEAR(weighted.objective, copied.objective, 1e-9 * copied.objective);
  EXPECT_LT((weighted.kernel_part - copied.kernel_part.head(n)).cwiseAbs().maxCoeff(), 1e-7);
  EXPECT_NEAR(weighted.intercept, copied.intercept, 1e-7);
}

TEST(QuantileRegression, FollowsShiftScaleAndReflectionOfTheTarget) {
  const QuantileProblem p = example(60, 1.0, 0.2, 0.4);
  const QuantileFit found = solve(p);
  const Vector f = found.kernel_part.array() + found.intercept;
  QuantileProblem moved = p;
  moved.y = 8 * p.y.array() + 3;
  moved.penalty = p.penalty / 8;  // the penalty is square, the loss is not
  const QuantileFit of_moved = solve(moved);
  EXPECT_NEAR(of_moved.objective, 8 * found.objective, 1e-8 * of_moved.objective);
  EXPECT_LT((of_moved.kernel_part.array() + of_moved.intercept - 3 - 8 * f.array()).abs().maxCoeff(), 1e-7);
  QuantileProblem reflected = p;
  reflected.y = -p.y;
  reflected.level = 0.8;
  const QuantileFit of_reflected = solve(reflected);
  EXPECT_LT((of_reflected.kernel_part.array() + of_reflected.intercept + f.array()).abs().maxCoeff(), 1e-7);
}

TEST(QuantileRegression, AStartElsewhereLeadsToTheSameSolution) {
  QuantileProblem p = example(120, 1.0, 0.4, 0.5);
  const QuantileFit near = solve(p);
  p.level = 0.45;
  p.penalty = 0.2;
  const QuantileFit anew = solve(p);
  const QuantileFit from = solve(p, &near);
  EXPECT_NEAR(from.objective, anew.objective, 1e-9 * anew.objective);
  EXPECT_LT((from.kernel_part - anew.kernel_part).cwiseAbs().maxCoeff(), 1e-6);
}

TEST(QuantileRegression, ExtremeLevelsPenaltiesAndWeightsHaveASolution) {
  for (const double level : {1e-15, 1e-13, 0.5, 1 - 1e-13}) {
    for (const double penalty : {1e-300, 1e-13, 1e15, 1e100, 1e300}) {
      for (const double weight : {1.0, 1e15, 1e300, 1e-300}) {
        QuantileProblem p = example(12, 1.0, level, penalty);
        p.weights[3] = weight;
        const QuantileFit found = solve(p);
        EXPECT_TRUE(std::isfinite(found.intercept)) << level << ' ' << penalty << ' ' << weight;
        EXPECT_TRUE(found.coefficients.allFinite()) << level << ' ' << penalty << ' ' << weight;
      }
    }
  }
}

TEST(QuantileRegression, AnEndlessPenaltyLeavesTheMedianOfTheTarget) {
  QuantileProblem p = example(11, 1.0, 0.5, 1e100);
  p.weights.setOnes();
  std::vector<double> sorted(p.y.begin(), p.y.end());
  std::sort(sorted.begin(), sorted.end());
  EXPECT_NEAR(solve(p).intercept, sorted[5], 1e-9);
}

TEST(QuantileRegression, BadArgumentsAreNamed) {
  const QuantileProblem p = example(5, 1.0, 0.5, 1.0);
  const QuantileRegression regression(p.kernel, p.y, p.weights);
  EXPECT_NE(complaint([&] { regression.solve(0, 1); }).find("level = 0, expected in (0, 1)"), std::string::npos);
  EXPECT_NE(complaint([&] { regression.solve(1, 1); }).find("level = 1"), std::string::npos);
  EXPECT_NE(complaint([&] { regression.solve(0.5, 0); }).find("penalty = 0, expected > 0"), std::string::npos);
  const Vector short_weights = Vector::Ones(4);
  EXPECT_NE(complaint([&] { QuantileRegression(p.kernel, p.y, short_weights); }).find("expected n x n, n and n"),
            std::string::npos);
  const Vector zero = Vector::Zero(5);
  EXPECT_NE(complaint([&] { QuantileRegression(p.kernel, p.y, zero); }).find("smallest weight is 0"),
            std::string::npos);
}

}  // namespace
}  // namespace condens::quantile_regression_test
