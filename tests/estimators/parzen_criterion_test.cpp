// The criteria that choose the widths of a Parzen window against plain loops
// (support/plain_parzen.hpp), their gradients against differences, and what must not matter.

#include "estimators/parzen/criterion.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

#include "condens/core/random.hpp"
#include "support/complaint.hpp"
#include "support/normals.hpp"
#include "support/plain_parzen.hpp"

namespace condens::parzen_criterion_test {
namespace {

constexpr Scoring likelihood = Scoring::nll;
constexpr Scoring squared = Scoring::squared;

Vector some_weights(Index n, RandomStream& random) {
  Vector out(n);
  for (double& value : out) value = 0.2 + random.uniform();
  return out;
}

std::vector<Index> some_folds(Index n, Index folds, RandomStream& random) {
  std::vector<Index> out(static_cast<std::size_t>(n));
  for (Index i = 0; i < n; ++i) out[static_cast<std::size_t>(i)] = i < folds ? i : random.below(folds);
  return out;
}

double plain_loss(Scoring scoring, const Matrix& z, const Vector& weights, const Vector& widths,
                  const std::vector<Index>& fold) {
  return scoring == likelihood ? plain::parzen_likelihood(z, weights, widths, fold)
                               : plain::parzen_squared(z, weights, widths, fold);
}

TEST(ParzenCriterion, EqualsPlainLoops) {
  RandomStream random(1);
  for (const Index d : {1, 2, 5}) {
    const Matrix z = normals(d, 70, random);
    const Vector weights = some_weights(70, random);
    Vector widths(d);
    for (double& value : widths) value = 0.2 + random.uniform();
    for (const std::vector<Index>& fold :
         {std::vector<Index>{}, some_folds(70, 2, random), some_folds(70, 5, random)}) {
      for (const Scoring scoring : {likelihood, squared}) {
        const ParzenCriterion criterion(scoring, z, weights, fold);
        const ParzenLoss found = criterion.of_widths(widths);
        const double expected = plain_loss(scoring, z, weights, widths, fold);
        EXPECT_NEAR(found.value, expected, 1e-12 * (1 + std::abs(expected)));
        EXPECT_NEAR(found.rows.dot(criterion.weights()), found.value, 1e-13 * (1 + std::abs(expected)));
      }
    }
  }
}

TEST(ParzenCriterion, CandidatesAreTheSameAsOneWidthAfterTheOther) {
  RandomStream random(2);
  const Matrix z = normals(2, 300, random);  // two blocks
  const Vector weights = some_weights(300, random);
  std::vector<double> widths{0.3, 1.7, 0.05, 5.0, 1e-3};
  for (int k = 0; k < 14; ++k) widths.push_back(2.0 * std::pow(0.5, 0.5 * k));  // squares of each other
  for (const std::vector<Index>& fold : {std::vector<Index>{}, some_folds(300, 3, random)}) {
    for (const Scoring scoring : {likelihood, squared}) {
      const ParzenCriterion criterion(scoring, z, weights, fold);
      const std::vector<ParzenLoss> found = criterion.of_candidates(widths);
      for (std::size_t s = 0; s < widths.size(); ++s) {
        const ParzenLoss one = criterion.of_width(widths[s]);
        const ParzenLoss many = criterion.of_widths(Vector::Constant(2, widths[s]));
        const double unit = 1e-11 * (1 + std::abs(one.value));
        EXPECT_NEAR(found[s].value, one.value, unit) << widths[s];
        EXPECT_NEAR(many.value, one.value, unit) << widths[s];
        EXPECT_NEAR(many.gradient.sum(), one.gradient[0], 1e-10 * (1 + std::abs(one.gradient[0]))) << widths[s];
        EXPECT_NEAR(found[s].standard_error, one.standard_error, unit);
      }
    }
  }
}

TEST(ParzenCriterion, WhatIsLeftOutIsBelowRounding) {
  // 3,000 points in twelve blocks: most pairs of blocks are skipped at these widths.
  RandomStream random(3);
  Matrix z = normals(2, 3000, random);
  z.col(7) = Vector{{1e8, -1e8}};  // and points beyond all blocks
  z.col(8) = Vector{{30.0, 0.0}};
  const Vector weights = some_weights(3000, random);
  const ParzenCriterion criterion(likelihood, z, weights);
  for (const double width : {0.01, 0.2}) {
    const ParzenLoss found = criterion.of_width(width);
    for (const Index i : {0, 7, 8, 1500, 2999}) {
      const double expected =
          -plain::parzen_log_density(z, weights, Vector::Constant(2, width), z.col(i), plain::left_out(i, 3000, {}));
      EXPECT_NEAR(found.rows[i], expected, 1e-12 * (1 + std::abs(expected))) << width << ' ' << i;
    }
  }
}

TEST(ParzenCriterion, GradientsEqualDifferences) {
  RandomStream random(4);
  const Matrix z = normals(3, 90, random);
  const Vector weights = some_weights(90, random);
  const Dataset data{.x = Matrix(0, 90), .y = z, .weights = weights};
  const Vector widths{{0.4, 0.7, 0.3}};
  const double h = 1e-5;
  for (const std::vector<Index>& fold : {std::vector<Index>{}, some_folds(90, 4, random)}) {
    for (const Scoring scoring : {likelihood, squared}) {
      const Defensive defensive = Defensive::fit(scoring == likelihood ? 0.1 : 0.0, data);
      const ParzenCriterion criterion(scoring, z, weights, fold, defensive);
      const Vector gradient = criterion.of_widths(widths).gradient;
      for (Index k = 0; k < 3; ++k) {
        Vector up = widths;
        Vector down = widths;
        up[k] *= std::exp(h);
        down[k] *= std::exp(-h);
        const double slope = (criterion.of_widths(up).value - criterion.of_widths(down).value) / (2 * h);
        EXPECT_NEAR(gradient[k], slope, 1e-8 * (1 + std::abs(slope)));
      }
      const double slope =
          (criterion.of_width(0.5 * std::exp(h)).value - criterion.of_width(0.5 * std::exp(-h)).value) / (2 * h);
      EXPECT_NEAR(criterion.of_width(0.5).gradient[0], slope, 1e-8 * (1 + std::abs(slope)));
    }
  }
}

TEST(ParzenCriterion, GradientsHoldWhereKernelsVanish) {
  // Every kernel of the other points is below the range of numbers.
  const Matrix z{{0.0, 1.0, 3.0}, {0.0, 0.5, 0.0}};
  const ParzenCriterion criterion(likelihood, z);
  const Vector widths{{0.01, 0.02}};
  const ParzenLoss found = criterion.of_widths(widths);
  EXPECT_NEAR(found.value, plain::parzen_likelihood(z, Vector::Ones(3), widths), 1e-12 * found.value);
  const double h = 1e-6;
  for (Index k = 0; k < 2; ++k) {
    Vector up = widths;
    up[k] *= std::exp(h);
    EXPECT_NEAR(found.gradient[k], (criterion.of_widths(up).value - found.value) / h,
                1e-4 * std::abs(found.gradient[k]));
  }
}

TEST(ParzenCriterion, TheDefensiveComponentIsMixedIn) {
  RandomStream random(5);
  const Matrix z = normals(1, 40, random);
  const Vector ones = Vector::Ones(40);
  const Defensive defensive = Defensive::fit(0.2, {.x = Matrix(0, 40), .y = z, .weights = ones});
  const ParzenLoss found = ParzenCriterion(likelihood, z, ones, {}, defensive).of_width(0.1);
  for (Index i = 0; i < 40; ++i) {
    const double own =
        plain::parzen_log_density(z, ones, Vector::Constant(1, 0.1), z.col(i), plain::left_out(i, 40, {}));
    const double broad = plain::log_normal(z.col(i), defensive.mean, defensive.scale);
    EXPECT_NEAR(found.rows[i], -std::log(0.8 * std::exp(own) + 0.2 * std::exp(broad)), 1e-12);
  }
}

TEST(ParzenCriterion, SquaredIsHalfTheIntegratedSquaredErrorLessAConstant) {
  // In expectation, over many samples of N(0, 1): twice the score is integral (p - p_0)^2 - integral p_0^2.
  RandomStream random(6);
  const double g = 0.5;
  double score = 0;
  double error = 0;
  const int samples = 400;
  for (int k = 0; k < samples; ++k) {
    const Matrix z = normals(1, 30, random);
    score += 2 * ParzenCriterion(squared, z).of_width(g).value / samples;
    // integral p^2 - 2 p p_0, both in closed form: N(z_j; 0, 1 + g^2) is the integral of a kernel and p_0.
    const Vector widths = Vector::Constant(1, g);
    double cross = 0;
    for (Index j = 0; j < 30; ++j) {
      cross += std::exp(plain::log_normal(z.col(j), Vector::Zero(1), Vector::Constant(1, std::hypot(1.0, g)))) / 30;
    }
    error += (plain::parzen_square(z, Vector::Ones(30), widths, std::vector<bool>(30)) - 2 * cross) / samples;
  }
  EXPECT_NEAR(score, error, 0.005);  // the standard error of the difference is 0.001
}

TEST(ParzenCriterion, WeightsHaveNoUnit) {
  RandomStream random(7);
  const Matrix z = normals(2, 50, random);
  const Vector weights = some_weights(50, random);
  for (const Scoring scoring : {likelihood, squared}) {
    EXPECT_NEAR(ParzenCriterion(scoring, z, weights).of_width(0.4).value,
                ParzenCriterion(scoring, z, 1e6 * weights).of_width(0.4).value, 1e-13);
  }
}

TEST(ParzenCriterion, OnePointMayCarryNearlyAllTheWeight) {
  const Matrix z{{0.0, 1.0, 2.5}};
  const Vector weights{{1e12, 1.0, 2.0}};
  const Vector widths = Vector::Constant(1, 0.6);
  EXPECT_NEAR(ParzenCriterion(likelihood, z, weights).of_width(0.6).rows[0],
              -plain::parzen_log_density(z, weights, widths, z.col(0), {true, false, false}), 1e-13);
}

TEST(ParzenCriterion, ThreadsDoNotChangeOneBit) {
  RandomStream random(8);
  const Matrix z = normals(3, 1500, random);
  for (const std::vector<Index>& fold : {std::vector<Index>{}, some_folds(1500, 3, random)}) {
    const ParzenCriterion criterion(squared, z, some_weights(1500, random), fold);
    const ParzenLoss one = criterion.of_widths(Vector::Constant(3, 0.3));
    for (const int threads : {2, 7}) {
      const ParzenLoss other = criterion.of_widths(Vector::Constant(3, 0.3), threads);
      EXPECT_EQ(other.rows, one.rows);
      EXPECT_EQ(other.gradient, one.gradient);
      EXPECT_EQ(criterion.of_candidates({0.1, 0.4}, threads)[1].rows, criterion.of_candidates({0.1, 0.4})[1].rows);
    }
  }
}

TEST(ParzenCriterion, CanBeStopped) {
  RandomStream random(9);
  const ParzenCriterion criterion(likelihood, normals(2, 600, random));
  EXPECT_THROW(criterion.of_width(0.3, 2, [] { throw Cancelled(); }), Cancelled);
}

TEST(ParzenCriterion, BadInputIsNamed) {
  const auto message = [](const Matrix& z, const Vector& weights, const std::vector<Index>& fold) {
    return complaint([&] { ParzenCriterion(likelihood, z, weights, fold); });
  };
  const Matrix z{{0.0, 1.0, 3.0}};
  EXPECT_EQ(message(Matrix{{1.0}}, {}, {}),
            "Parzen criterion: 1 x 1 numbers, expected at least one row and two points");
  EXPECT_EQ(message(Matrix{{0.0, std::nan("")}}, {}, {}), "Parzen criterion: the points hold NaN or infinity");
  EXPECT_EQ(message(z, Vector::Ones(2), {}), "Parzen criterion: 2 weights for 3 points");
  EXPECT_EQ(message(z, Vector::Zero(3), {}), "Parzen criterion: weights must be finite and > 0");
  EXPECT_EQ(message(z, {}, {0, 1}), "Parzen criterion: 2 fold numbers for 3 points");
  EXPECT_EQ(message(z, {}, {0, -1, 1}), "Parzen criterion: a fold number is negative");
  EXPECT_EQ(message(z, {}, {0, 0, 0}), "Parzen criterion: expected at least two folds 0, 1, ..., none of them empty");
  EXPECT_EQ(message(z, {}, {0, 0, 2}), "Parzen criterion: expected at least two folds 0, 1, ..., none of them empty");
  const ParzenCriterion criterion(likelihood, z);
  EXPECT_EQ(complaint([&] { criterion.of_widths(Vector::Ones(2)); }), "Parzen criterion: 2 widths, expected 1");
  EXPECT_EQ(complaint([&] { criterion.of_width(0.0); }), "Parzen criterion: widths must be finite and > 0");
  EXPECT_EQ(complaint([&] { criterion.of_candidates({1.0, -1.0}); }), "Parzen criterion: width -1, expected > 0");
}

}  // namespace
}  // namespace condens::parzen_criterion_test
