// The criteria of PRESS against the paper's equations in plain loops, and their gradients
// against differences.

#include "condens/estimators/press/objective.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "condens/core/random.hpp"
#include "condens/estimators/press/nodes.hpp"
#include "support/complaint.hpp"
#include "support/normals.hpp"
#include "support/plain_press.hpp"

namespace condens::press_objective_test {
namespace {

constexpr PressCriterion squares[] = {PressCriterion::mse, PressCriterion::loocv, PressCriterion::gcv,
                                      PressCriterion::loo};

/// A step in the first input with noise; further targets are other functions of it.
Dataset example(Index n, Index d_x, Index d_y, std::uint64_t seed = 1) {
  RandomStream random(seed);
  const Matrix x = normals(d_x, n, random);
  Matrix y = 0.4 * normals(d_y, n, random);
  for (Index t = 0; t < d_y; ++t) {
    for (Index i = 0; i < n; ++i) y(t, i) += d_x > 0 && x(0, i) > 0.2 * static_cast<double>(t) ? 1.0 : -0.5;
  }
  return {.x = x, .y = y, .weights = Vector::Ones(n)};
}

Vector some_theta(const PressMap& map, std::uint64_t seed = 5) { return normals(map.n_parameters(), 1, seed); }

std::vector<PressNodes> all_samples(const Dataset& rows) { return {make_nodes(rows.y, 0.0)}; }

Dataset repeated(const Dataset& rows, const Vector& times) {
  std::vector<Index> copies;
  for (Index i = 0; i < rows.size(); ++i) {
    for (double c = 0; c < times[i]; ++c) copies.push_back(i);
  }
  Dataset out = rows.subset(copies);
  out.weights = Vector::Ones(out.size());
  return out;
}

Vector counts(Index n) {
  Vector out(n);
  for (Index i = 0; i < n; ++i) out[i] = static_cast<double>(1 + i % 3);
  return out;
}

TEST(PressObjective, IsThePapersFormula) {
  for (const Index d_y : {1, 2}) {
    const Dataset rows = example(25, 2, d_y);
    const PressMap map(2, 3);
    const Vector theta = some_theta(map);
    const Matrix w = plain::press_weights(theta.reshaped(3, 3), rows.x);
    const double expected[] = {plain::press_mse(w, rows.y), plain::press_loocv(w, rows.y), plain::press_gcv(w, rows.y),
                               plain::press_loo(w, rows.y)};
    for (std::size_t k = 0; k < 4; ++k) {
      const PressEvaluation found = PressObjective(rows, map, squares[k]).evaluate(theta);
      EXPECT_NEAR(found.value, expected[k], 1e-12 * expected[k]) << choice_names<PressCriterion>[k];
      EXPECT_NEAR(found.mse, expected[0], 1e-12 * expected[0]);
      EXPECT_NEAR(found.freedom, plain::press_smoother(w).trace(), 1e-12);
    }
    const PressEvaluation smooth =
        PressObjective(rows, map, PressCriterion::loocv, {.smoothness = 2.5, .smoothness_weight = 0.3}).evaluate(theta);
    EXPECT_NEAR(smooth.value, expected[1] + 0.3 * std::pow(2.5 - plain::press_smoother(w).trace(), 2), 1e-12);
  }
}

TEST(PressObjective, LikelihoodIsThatOfDensitiesWithoutTheRow) {
  for (const Index d_y : {1, 2}) {
    const Dataset rows = example(25, 2, d_y);
    const PressMap map(2, 3);
    const Vector theta = some_theta(map);
    const Vector widths{{0.3, 0.5, 0.4}};
    const Matrix w = plain::press_weights(theta.reshaped(3, 3), rows.x);
    double expected = 0;
    for (Index i = 0; i < 25; ++i) expected -= plain::press_log_density_without(w, rows.y, widths, i) / 25.0;
    const double found = PressObjective(rows, map, all_samples(rows), {}).evaluate(theta, widths).value;
    EXPECT_NEAR(found, expected, 1e-11 * std::abs(expected));
  }
}

TEST(PressObjective, WeightsAreCopies) {
  const Dataset rows = example(20, 2, 2);
  Dataset weighted = rows;
  weighted.weights = counts(20);
  const Dataset copies = repeated(rows, weighted.weights);
  const PressMap map(2, 3);
  const Vector theta = some_theta(map);
  for (const PressCriterion criterion : squares) {
    const PressPenalties penalties{.smoothness = 2, .smoothness_weight = 0.1, .ridge = 0.01};
    const PressEvaluation a = PressObjective(weighted, map, criterion, penalties).evaluate(theta);
    const PressEvaluation b = PressObjective(copies, map, criterion, penalties).evaluate(theta);
    EXPECT_NEAR(a.value, b.value, 1e-12 * b.value);
    EXPECT_LT((a.gradient - b.gradient).norm(), 1e-12);
  }
}

TEST(PressObjective, OfTheLikelihoodARowLeavesWithAllItsCopies) {
  const Dataset rows = example(20, 2, 2);
  Dataset weighted = rows;
  weighted.weights = counts(20);
  const Dataset copies = repeated(rows, weighted.weights);
  const PressMap map(2, 3);
  const Vector theta = some_theta(map);
  const Vector widths = Vector::Constant(3, 0.4);
  const Matrix w = plain::press_weights(theta.reshaped(3, 3), copies.x);
  const double n = static_cast<double>(copies.size());
  double expected = 0;
  for (Index i = 0; i < copies.size(); ++i) expected -= plain::press_log_density_without(w, copies.y, widths, i) / n;
  const double found = PressObjective(weighted, map, all_samples(weighted), {}).evaluate(theta, widths).value;
  EXPECT_NEAR(found, expected, 1e-11 * std::abs(expected));
}

TEST(PressObjective, GradientIsThatOfDifferences) {
  for (const std::vector<Index>& hidden : {std::vector<Index>{}, {4}, {4, 3}}) {
    for (const PressActivation activation : {PressActivation::tanh, PressActivation::relu}) {
      Dataset rows = example(30, 2, 2, 3);
      rows.weights = counts(30) * 0.7;  // whole copies and less than one
      const PressMap map(2, 3, hidden, activation);
      const Vector theta = 0.7 * some_theta(map, 8);
      const PressPenalties penalties{.smoothness = 2.2, .smoothness_weight = 0.2, .ridge = 0.03};
      for (const PressCriterion criterion : squares) {
        const PressObjective objective(rows, map, criterion, penalties);
        const Vector expected =
            plain::press_differences([&](const Vector& at) { return objective.evaluate(at).value; }, theta);
        // Differences of step 1e-5 err by some 1e-10; a kink of relu between them by more.
        EXPECT_LT((objective.evaluate(theta).gradient - expected).cwiseAbs().maxCoeff(), 2e-8)
            << choice_names<PressCriterion>[static_cast<std::size_t>(criterion)] << ' ' << hidden.size();
      }
    }
  }
}

TEST(PressObjective, LikelihoodGradientIsThatOfDifferences) {
  for (const Index d_y : {1, 2}) {
    Dataset rows = example(30, 2, d_y, 3);
    rows.weights = counts(30) * 0.7;
    const PressMap map(2, 3, {3});
    const Vector theta = 0.7 * some_theta(map, 8);
    const Vector widths{{0.3, 0.6, 0.4}};
    const Defensive defensive = Defensive::fit(1e-2, rows);
    for (const double spacing : {0.0, 0.2}) {
      const PressObjective objective(rows, map, {make_nodes(rows.y, spacing)}, defensive, {.ridge = 0.01});
      const PressEvaluation found = objective.evaluate(theta, widths);
      const Vector by_theta =
          plain::press_differences([&](const Vector& at) { return objective.evaluate(at, widths).value; }, theta);
      EXPECT_LT((found.gradient - by_theta).cwiseAbs().maxCoeff(), 1e-8);
      const Vector by_log_width =
          plain::press_differences([&](const Vector& at) { return objective.evaluate(theta, at.array().exp()).value; },
                                   Vector(widths.array().log()));
      EXPECT_LT((found.by_log_width - by_log_width).cwiseAbs().maxCoeff(), 1e-8);
    }
  }
}

/// Twenty rows evenly in [-1, 1] and one at `far`.
Dataset with_outlier(double far) {
  Matrix y(1, 21);
  for (Index i = 0; i < 20; ++i) y(0, i) = -1 + 2 * static_cast<double>(i) / 19;
  y(0, 20) = far;
  return {.x = normals(1, 21, 4), .y = y, .weights = Vector::Ones(21)};
}

double plain_likelihood(const Vector& theta, const Dataset& rows, double width) {
  const Matrix table = theta.reshaped(rows.x.rows() + 1, theta.size() / (rows.x.rows() + 1));
  double out = 0;
  for (Index i = 0; i < rows.size(); ++i) {
    out -= rows.weights[i] * plain::press_log_density_left_out(table, rows.x, rows.y, rows.weights, width, i);
  }
  return out / rows.weights.sum();
}

TEST(PressObjective, OutliersHaveTheirDigitsHoweverFarTheyAre) {
  const PressMap one(1, 1);
  const auto value = [&](double far) {
    const Dataset rows = with_outlier(far);
    return PressObjective(rows, one, all_samples(rows), {}).evaluate(Vector::Zero(2), Vector::Constant(1, 0.4)).value;
  };
  EXPECT_NEAR(value(4), 2.486779105555172, 1e-12);  // sums over the others, in logarithms
  EXPECT_NEAR(value(5), 3.5318210684336186, 1e-12);
  for (const double far : {6.0, 40.0, 1e3, 1e6}) {
    const Dataset rows = with_outlier(far);
    const PressMap map(1, 3);
    const Vector theta = some_theta(map);
    const Vector widths = Vector::Constant(3, 0.4);
    const PressObjective objective(rows, map, all_samples(rows), {}, {.ridge = 0.01});
    const double ridge = 0.005 * theta.cwiseProduct(map.is_coefficient()).squaredNorm();
    const double expected = plain_likelihood(theta, rows, 0.4) + ridge;
    const PressEvaluation found = objective.evaluate(theta, widths);
    EXPECT_NEAR(found.value, expected, 1e-11 * expected) << far;
    const Vector by_theta =
        plain::press_differences([&](const Vector& at) { return objective.evaluate(at, widths).value; }, theta);
    // Differences err by rounding of the value over the step.
    EXPECT_LT((found.gradient - by_theta).cwiseAbs().maxCoeff(), 1e-8 + 1e-10 * expected) << far;
    // All widths together: of one the far row makes a switch that no difference follows.
    const auto of_widths = [&](const Vector& log) {
      return objective.evaluate(theta, std::exp(log[0]) * widths).value;
    };
    const double by_log_width = plain::press_differences(of_widths, Vector::Zero(1))[0];
    EXPECT_NEAR(found.by_log_width.sum(), by_log_width, 1e-8 * (1 + expected)) << far;
    for (const int threads : {2, 7}) {
      const PressEvaluation again = objective.evaluate(theta, widths, threads);
      EXPECT_EQ(again.value, found.value);
      EXPECT_EQ(again.gradient, found.gradient);
    }
  }
}

TEST(PressObjective, ARowThatIsNearlyItsWholeStateIsLeftOutExactly) {
  Dataset rows = example(20, 1, 1);
  rows.weights = counts(20);
  rows.weights[4] = 7;
  Matrix x = rows.x;
  x(0, 4) = 3;
  rows.x = x;
  const PressMap map(1, 2);
  const Vector widths = Vector::Constant(2, 0.1);
  // Row 4 against all others, ever more: the second state is the row, then to every digit of a double.
  for (const double slope : {2.0, 8.0, 20.0, 200.0, 2000.0}) {
    const Vector theta{{2.5 * slope, -slope, -2.5 * slope, slope}};
    const PressObjective objective(rows, map, all_samples(rows), {});
    const PressEvaluation found = objective.evaluate(theta, widths);
    const double expected = plain_likelihood(theta, rows, 0.1);
    EXPECT_NEAR(found.value, expected, 1e-10 * expected) << slope;
    const double step = 1e-5;
    const Vector by_theta =
        plain::press_differences([&](const Vector& at) { return objective.evaluate(at, widths).value; }, theta, step);
    EXPECT_LT((found.gradient - by_theta).cwiseAbs().maxCoeff(), 1e-8 * (1 + expected)) << slope;
  }
}

TEST(PressObjective, OutliersAmongNodesAreFiniteWithTheirGradient) {
  for (const Index d_y : {1, 2}) {
    Dataset rows = example(40, 1, d_y);
    Matrix y = rows.y;
    y.col(7).setConstant(60);
    rows.y = y;
    const PressMap map(1, 2);
    const Vector theta = some_theta(map);
    const Vector widths{{0.4, 0.6}};
    const PressObjective objective(rows, map, {make_nodes(rows.y, 0.2)}, {});
    const PressEvaluation found = objective.evaluate(theta, widths);
    ASSERT_TRUE(std::isfinite(found.value));
    const Vector by_theta =
        plain::press_differences([&](const Vector& at) { return objective.evaluate(at, widths).value; }, theta);
    EXPECT_LT((found.gradient - by_theta).cwiseAbs().maxCoeff(), 1e-6);
  }
}

TEST(PressObjective, HasTheSameBitsForAnyNumberOfThreads) {
  const Dataset rows = example(1000, 3, 1);
  const PressMap map(3, 4, {5});
  const Vector theta = some_theta(map);
  const auto check = [&](const PressObjective& objective, const Vector& widths) {
    const PressEvaluation one = objective.evaluate(theta, widths, 1);
    for (const int threads : {2, 7}) {
      const PressEvaluation many = objective.evaluate(theta, widths, threads);
      EXPECT_EQ(many.value, one.value);
      EXPECT_EQ(many.gradient, one.gradient);
      EXPECT_EQ(many.by_log_width, one.by_log_width);
    }
  };
  for (const PressCriterion criterion : squares) check(PressObjective(rows, map, criterion), Vector());
  check(PressObjective(rows, map, {make_nodes(rows.y, 0.1)}, {}), Vector::Constant(4, 0.3));
}

/// Grey levels around a step, of several chunks of rows.
Dataset grey_levels() {
  Dataset rows = example(3000, 5, 1);
  rows.x = Matrix((40 * rows.x.array() + 128).cwiseMax(0.0).cwiseMin(255.0).round() / 255);
  return rows;
}

TEST(PressObjective, PackedInputsGiveTheSameToRoundingAndTheSameBitsForAnyNumberOfThreads) {
  const Dataset rows = grey_levels();
  const PressMap map(5, 4);
  const Vector theta = some_theta(map);
  const Vector widths = Vector::Constant(4, 0.3);
  const auto packed = PackedObservations::pack(rows.x);
  ASSERT_NE(packed, nullptr);
  const auto check = [&](const PressObjective& plain, const PressObjective& fast, const Vector& own_widths) {
    const PressEvaluation expected = plain.evaluate(theta, own_widths);
    const PressEvaluation one = fast.evaluate(theta, own_widths, 1);
    EXPECT_NEAR(one.value, expected.value, 1e-12 * std::abs(expected.value));
    EXPECT_LT((one.gradient - expected.gradient).norm(), 1e-11 * expected.gradient.norm());
    for (const int threads : {2, 7}) {
      const PressEvaluation many = fast.evaluate(theta, own_widths, threads);
      EXPECT_EQ(many.value, one.value);
      EXPECT_EQ(many.gradient, one.gradient);
    }
  };
  for (const PressCriterion criterion : squares) {
    check(PressObjective(rows, map, criterion), PressObjective(rows, map, criterion, {}, packed), Vector());
  }
  const std::vector<PressNodes> nodes{make_nodes(rows.y, 0.1)};
  check(PressObjective(rows, map, nodes, {}), PressObjective(rows, map, nodes, {}, {}, packed), widths);
}

TEST(PressObjective, TheLikelihoodOfFinerNodesComesToThatOfAllSamples) {
  const Dataset rows = example(400, 2, 1);
  const PressMap map(2, 3);
  const Vector theta = some_theta(map);
  const Vector widths{{0.3, 0.5, 0.4}};
  const double exact = PressObjective(rows, map, all_samples(rows), {}).evaluate(theta, widths).value;
  double last = std::numeric_limits<double>::infinity();
  for (const double spacing : {0.2, 0.05, 0.0125}) {
    const double error =
        std::abs(PressObjective(rows, map, {make_nodes(rows.y, spacing)}, {}).evaluate(theta, widths).value - exact);
    EXPECT_LT(error, std::pow(spacing / 0.3, 2));  // both interpolations err by the square of the spacing
    EXPECT_LT(error, last);
    last = error;
  }
  EXPECT_LT(last, 1e-3);
}

TEST(PressObjective, OneStateIsTheMean) {
  const Dataset rows = example(40, 2, 1);
  const PressMap map(2, 1);
  const Vector theta = some_theta(map);
  const double variance = (rows.y.array() - rows.y.mean()).square().mean();
  for (const PressCriterion criterion : squares) {
    const PressEvaluation found = PressObjective(rows, map, criterion).evaluate(theta);
    // Leaving one of 40 out divides every residual by 1 - 1/40, in all three ways.
    const double divisor = criterion == PressCriterion::mse ? 1.0 : std::pow(1 - 1.0 / 40, 2);
    EXPECT_NEAR(found.value, variance / divisor, 1e-12);
    EXPECT_NEAR(found.freedom, 1.0, 1e-12);
    EXPECT_LT(found.gradient.norm(), 1e-12);
  }
}

TEST(PressObjective, DeterministicStatesAreGroupMeans) {
  Dataset rows = example(40, 1, 1);
  const PressMap map(1, 2);
  Vector theta(4);  // columns (intercept, slope) of the two states: a step at 0
  theta << 0, -1e6, 0, 1e6;
  double within = 0;
  double left_out = 0;
  for (const bool positive : {false, true}) {
    const auto in = (rows.x.row(0).array() > 0) == positive;
    const double size = static_cast<double>(in.count());
    const double mean = in.select(rows.y.row(0).array(), 0.0).sum() / size;
    const double square = in.select((rows.y.row(0).array() - mean).square(), 0.0).sum();
    within += square / 40;
    left_out += square / 40 / std::pow(1 - 1 / size, 2);
  }
  const PressEvaluation mse = PressObjective(rows, map, PressCriterion::mse).evaluate(theta);
  EXPECT_NEAR(mse.value, within, 1e-12);
  EXPECT_NEAR(mse.freedom, 2.0, 1e-12);
  // Here eq. 31 is exact (errata P1).
  EXPECT_NEAR(PressObjective(rows, map, PressCriterion::loocv).evaluate(theta).value, left_out, 1e-12);
  EXPECT_NEAR(PressObjective(rows, map, PressCriterion::loo).evaluate(theta).value, left_out, 1e-12);
}

TEST(PressObjective, AStateWithoutRowsPlaysNoPart) {
  const Dataset rows = example(30, 1, 1);
  const PressMap two(1, 2);
  const PressMap three(1, 3);
  Vector theta(4);
  theta << 0, -2, 0, 2;
  Vector with_empty(6);
  with_empty << 0, -2, 0, 2, -1e5, 0;
  for (const PressCriterion criterion : squares) {
    const PressEvaluation a = PressObjective(rows, two, criterion).evaluate(theta);
    const PressEvaluation b = PressObjective(rows, three, criterion).evaluate(with_empty);
    EXPECT_NEAR(a.value, b.value, 1e-14);
    EXPECT_NEAR(a.freedom, b.freedom, 1e-14);
    EXPECT_TRUE(b.gradient.allFinite());
    EXPECT_LT((a.gradient - b.gradient.head(4)).norm(), 1e-13);
  }
  const PressEvaluation found =
      PressObjective(rows, three, all_samples(rows), {}).evaluate(with_empty, Vector::Constant(3, 0.3));
  EXPECT_TRUE(std::isfinite(found.value) && found.gradient.allFinite());
}

TEST(PressObjective, ARowAloneInItsStateCannotBeLeftOut) {
  Dataset rows = example(12, 1, 1);
  Matrix x = rows.x;
  x(0, 3) = 100;
  rows.x = x;
  const PressMap map(1, 2);
  Vector theta(4);
  theta << 50, -50, -3000, 50;  // row 3 against all others
  for (const PressCriterion criterion : {PressCriterion::loocv, PressCriterion::loo}) {
    const PressEvaluation found = PressObjective(rows, map, criterion).evaluate(theta);
    EXPECT_TRUE(std::isinf(found.value)) << found.value;
  }
}

TEST(PressResiduals, LeaveRowsOutExactlyOrByThePaper) {
  const Dataset rows = example(25, 2, 2);
  const Matrix w = plain::press_weights(some_theta(PressMap(2, 3)).reshaped(3, 3), rows.x);
  const Matrix exact = press_loo_residuals(w.transpose(), rows.y, rows.weights, true);
  const Matrix paper = press_loo_residuals(w.transpose(), rows.y, rows.weights, false);
  for (Index i = 0; i < 25; ++i) {
    EXPECT_LT((exact.col(i) - plain::press_residual_without(w, rows.y, i)).norm(), 1e-12);
  }
  EXPECT_NEAR(paper.squaredNorm() / 25, plain::press_loocv(w, rows.y), 1e-12);
  EXPECT_GT((exact - paper).norm(), 1e-6);                          // errata P1: not the same
  EXPECT_NEAR(exact.squaredNorm() / paper.squaredNorm(), 1, 0.01);  // but near
}

// Errata P3: true levels 0 and 1 with logistic weights come out as 0.30 and 0.70 by eq. 20.
TEST(PressStates, LeastSquaresLevelsAreNotShrunk) {
  const Index n = 4000;
  RandomStream random(2);
  Matrix w(2, n);
  Matrix y(1, n);
  for (Index i = 0; i < n; ++i) {
    const double x = 3 * random.normal() / 2;
    w(1, i) = 1 / (1 + std::exp(-x));
    w(0, i) = 1 - w(1, i);
    y(0, i) = w(1, i) + 0.1 * random.normal();
  }
  const PressStates states = press_states(w, y, Vector::Ones(n));
  EXPECT_NEAR(states.levels(0, 0), 0.0, 0.02);
  EXPECT_NEAR(states.levels(0, 1), 1.0, 0.02);
  EXPECT_GT(states.means(0, 0), 0.25);
  EXPECT_LT(states.means(0, 1), 0.75);
  EXPECT_NEAR(states.sizes.sum(), static_cast<double>(n), 1e-8);
  // Errata P2: least squares has the smaller residual sum.
  EXPECT_LT((y - states.levels * w).squaredNorm(), (y - states.means * w).squaredNorm());
}

TEST(PressStates, OfEqualWeightsTheLevelsAreTheMeans) {
  const Dataset rows = example(20, 1, 1);
  const PressStates states = press_states(Matrix::Constant(3, 20, 1.0 / 3), rows.y, rows.weights);
  EXPECT_LT((states.levels - states.means).norm(), 1e-9);
  EXPECT_NEAR(states.freedom(), 1.0, 1e-12);
}

TEST(PressMap, CentredMapsAreTheSame) {
  const PressMap map(2, 3, {4});
  const Vector theta = some_theta(map);
  const Matrix x = normals(2, 9, 3);
  const Matrix w = map.weights(theta, x);
  EXPECT_LT((map.weights(map.centered(theta), x) - w).norm(), 1e-13);
  EXPECT_LT(map.layer(map.centered(theta), 1).rowwise().sum().norm(), 1e-13);
  const Matrix reordered = map.weights(map.states_of(theta, {2, 0, 1}), x);
  EXPECT_LT((reordered.row(0) - w.row(2)).norm(), 1e-14);  // sums in another order
  EXPECT_EQ(map.acts_on_inputs().sum(), 2 * 4);
  EXPECT_EQ(map.is_coefficient().sum(), 2 * 4 + 4 * 3);
}

TEST(PressObjective, WhatDoesNotFitIsNamed) {
  Dataset rows = example(10, 2, 1);
  const PressMap map(2, 3);
  const auto make = [&](const auto& call) { return complaint([&] { call(); }); };
  EXPECT_NE(
      make([&] { PressObjective(rows, PressMap(3, 2), PressCriterion::mse); }).find("x has 2 columns, expected 3"),
      std::string::npos);
  EXPECT_NE(make([&] { PressObjective(rows, map, PressCriterion::likelihood); }).find("needs nodes"),
            std::string::npos);
  EXPECT_NE(make([&] { PressObjective(rows, map, PressCriterion::mse, {.ridge = -1}); }).find("penalties"),
            std::string::npos);
  EXPECT_NE(make([&] {
              PressObjective(rows, map, std::vector<PressNodes>(2, make_nodes(rows.y, 0)), {});
            }).find("2 sets of nodes, expected one or 3"),
            std::string::npos);
  EXPECT_NE(make([&] { PressObjective(rows, map, {make_nodes(rows.y.leftCols(4), 0)}, {}); }).find("nodes are not"),
            std::string::npos);
  const PressObjective objective(rows, map, PressCriterion::mse);
  EXPECT_NE(make([&] { objective.evaluate(Vector::Zero(4)); }).find("theta has 4 numbers, expected 9"),
            std::string::npos);
  EXPECT_NE(make([&] { objective.evaluate(Vector::Zero(9), Vector::Ones(3)); }).find("3 widths, expected 0"),
            std::string::npos);
  const PressObjective likelihood(rows, map, all_samples(rows), {});
  EXPECT_NE(make([&] { likelihood.evaluate(Vector::Zero(9), Vector::Zero(3)); }).find("widths must be > 0"),
            std::string::npos);
  rows.weights[2] = -1;
  EXPECT_NE(make([&] { PressObjective(rows, map, PressCriterion::mse); }).find("weights must be finite and > 0"),
            std::string::npos);
}

TEST(PressObjective, NoStatesAndNoRowsAreRefused) {
  const Matrix none(0, 2);
  const std::string expected = "press_states: W has no states, expected at least one";
  EXPECT_EQ(complaint([&] { press_states(none, Matrix::Ones(1, 2), Vector::Ones(2)); }), expected);
  EXPECT_EQ(complaint([&] { press_loo_residuals(none, Matrix::Ones(1, 2), Vector::Ones(2), true); }), expected);
  EXPECT_EQ(complaint([] { make_nodes(Matrix(1, 0), 0.1); }), "make_nodes: y has no rows, expected at least one");
}

}  // namespace
}  // namespace condens::press_objective_test
