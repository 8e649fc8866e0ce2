// Minimisation with absolute values: against a plain proximal method and closed forms.

#include "optim/owlqn.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "condens/core/errors.hpp"
#include "support/complaint.hpp"
#include "support/normals.hpp"

namespace condens::owlqn_test {
namespace {

/// 0.5 x'Qx - b'x with Q = M M' / m + 0.1 I.
struct Quadratic {
  Matrix q;
  Vector b;

  explicit Quadratic(Index n, std::uint64_t seed = 3) {
    const Matrix m = normals(n, 2 * n, seed);
    q = m * m.transpose() / static_cast<double>(2 * n) + 0.1 * Matrix::Identity(n, n);
    b = normals(n, 1, seed + 1);
  }
  Objective objective() const {
    return [this](const Vector& x, Vector& gradient) {
      gradient = q * x - b;
      return 0.5 * x.dot(q * x) - b.dot(x);
    };
  }
};

/// Iterative soft thresholding, many small steps.
Vector plain_proximal(const Quadratic& f, const Vector& penalty) {
  Vector x = Vector::Zero(f.b.size());
  const double step = 0.5 / f.q.norm();
  for (int k = 0; k < 20000; ++k) {
    x -= step * (f.q * x - f.b);
    x = x.array().sign() * (x.cwiseAbs() - step * penalty).cwiseMax(0.0).array();
  }
  return x;
}

TEST(MinimizeL1, FindsTheMinimumOfAProximalMethodWithItsZeros) {
  const Quadratic f(12);
  for (const double strength : {0.05, 0.3, 1.0}) {
    Vector penalty = Vector::Constant(12, strength);
    penalty[4] = 0;
    const Vector expected = plain_proximal(f, penalty);
    const LbfgsResult found = minimize_l1(f.objective(), Vector::Zero(12), penalty, {.gradient_tolerance = 1e-9});
    // The search ends where the value is flat to 1e-12, half of those digits in x.
    EXPECT_LT((found.x - expected).cwiseAbs().maxCoeff(), 2e-6) << strength;
    EXPECT_EQ((found.x.array() == 0).count(), (expected.array() == 0).count());
    EXPECT_LT(found.projected_gradient, 2e-6);
    EXPECT_NE(found.x[4], 0.0);
    // From elsewhere it reaches the same place, and coordinates become exactly zero.
    const LbfgsResult again = minimize_l1(f.objective(), Vector::Ones(12), penalty, {.gradient_tolerance = 1e-9});
    EXPECT_LT((again.x - expected).cwiseAbs().maxCoeff(), 2e-6);
    EXPECT_EQ((again.x.array() == 0).count(), (expected.array() == 0).count());
  }
}

TEST(MinimizeL1, WithoutPenaltyItIsLbfgs) {
  const auto rosenbrock = [](const Vector& x, Vector& gradient) {
    const double a = 1 - x[0];
    const double b = x[1] - x[0] * x[0];
    gradient = Vector{{-2 * a - 400 * x[0] * b, 200 * b}};
    return a * a + 100 * b * b;
  };
  const LbfgsResult found = minimize_l1(rosenbrock, Vector{{-1.2, 1.0}}, Vector::Zero(2));
  EXPECT_EQ(found.status, LbfgsStatus::converged);
  EXPECT_LT((found.x - Vector::Ones(2)).norm(), 1e-5);
  EXPECT_LT(found.evaluations, 80);
}

TEST(MinimizeL1, ALargePenaltyGivesZeros) {
  const Quadratic f(5);
  const LbfgsResult found = minimize_l1(f.objective(), Vector::Ones(5), Vector::Constant(5, 100.0));
  EXPECT_EQ(found.x, Vector::Zero(5));
  EXPECT_EQ(found.value, 0.0);
  EXPECT_EQ(found.status, LbfgsStatus::converged);
}

TEST(MinimizeL1, AfterAStepTheSearchMayBeEnded) {
  const Quadratic f(12);
  const Vector penalty = Vector::Constant(12, 0.1);
  std::vector<double> seen;
  const auto watch = [&](const Vector& x) {
    Vector gradient(12);
    seen.push_back(f.objective()(x, gradient) + penalty.dot(x.cwiseAbs()));
    return seen.size() < 4;
  };
  const LbfgsResult found = minimize_l1(f.objective(), Vector::Ones(12), penalty, {.after_step = watch});
  ASSERT_EQ(seen.size(), 4U);
  for (std::size_t k = 1; k < seen.size(); ++k) EXPECT_LT(seen[k], seen[k - 1]);
  EXPECT_EQ(found.value, seen.back());
  EXPECT_EQ(found.iterations, 4);
  EXPECT_EQ(found.status, LbfgsStatus::stopped);
}

TEST(MinimizeL1, StepsBackFromWhereTheFunctionIsNotFinite) {
  const auto barrier = [](const Vector& x, Vector& gradient) {
    gradient = Vector::Constant(1, -1 / x[0] + 1);
    return x[0] > 0 ? x[0] - std::log(x[0]) : std::nan("");
  };
  const LbfgsResult found = minimize_l1(barrier, Vector::Constant(1, 30.0), Vector::Zero(1), {.first_step = 100});
  EXPECT_NEAR(found.x[0], 1.0, 1e-5);
}

TEST(MinimizeL1, WhatDoesNotFitIsNamed) {
  const Quadratic f(3);
  EXPECT_EQ(complaint([&] { minimize_l1(f.objective(), Vector::Zero(3), Vector::Zero(2)); }),
            "minimize_l1: penalty has length 2, expected 3");
  EXPECT_EQ(complaint([&] {
              minimize_l1(f.objective(), Vector::Zero(3), Vector{{0, -1, 0}});
            }),
            "minimize_l1: penalty[1] = -1, expected a finite number >= 0");
  EXPECT_EQ(complaint([&] { minimize_l1(f.objective(), Vector::Zero(3), Vector::Zero(3), {.history = 0}); }),
            "minimize_l1: history = 0, expected >= 1");
  EXPECT_NE(complaint<NumericalError>(
                [&] { minimize_l1(f.objective(), Vector::Constant(3, std::nan("")), Vector::Zero(3)); }),
            "");
}

}  // namespace
}  // namespace condens::owlqn_test
