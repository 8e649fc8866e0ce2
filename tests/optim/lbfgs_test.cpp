#include "condens/optim/lbfgs.hpp"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <cmath>
#include <stdexcept>
#include <vector>

#include "condens/core/errors.hpp"
#include "support/complaint.hpp"
#include "support/normals.hpp"

namespace condens::lbfgs_test {
namespace {

Vector no_bound(Index n, double sign) { return Vector::Constant(n, sign * infinity); }

LbfgsResult minimize_freely(const Objective& objective, const Vector& start, const LbfgsSettings& settings = {}) {
  return minimize(objective, start, no_bound(start.size(), -1), no_bound(start.size(), 1), settings);
}

/// Chained Rosenbrock function: minimum 0 at (1, ..., 1).
double rosenbrock(const Vector& x, Vector& gradient) {
  double value = 0;
  gradient.setZero();
  for (Index k = 0; k + 1 < x.size(); ++k) {
    const double a = x[k + 1] - x[k] * x[k];
    const double b = 1 - x[k];
    value += 100 * a * a + b * b;
    gradient[k] += -400 * a * x[k] - 2 * b;
    gradient[k + 1] += 200 * a;
  }
  return value;
}

TEST(Lbfgs, FindsTheMinimumOfRosenbrocksFunction) {
  for (const Index n : {2, 5, 30}) {
    Vector start(n);
    for (Index k = 0; k < n; ++k) start[k] = k % 2 == 0 ? -1.2 : 1.0;
    const LbfgsResult found =
        minimize_freely(rosenbrock, start, {.max_iterations = 1000, .unit = 1, .value_tolerance = 0});
    EXPECT_EQ(found.status, LbfgsStatus::converged) << n;
    EXPECT_LE(found.projected_gradient, 1e-6);
    // From (-1.2, 1, ...) other local minima exist for n >= 4: the value at a minimum near x_1 = -1 is below 4.
    EXPECT_LT(found.value, n == 2 ? 1e-12 : 4.0);
    EXPECT_LT(found.evaluations, 10 * found.iterations);
  }
}

TEST(Lbfgs, SolvesQuadraticsAsLinearAlgebraDoes) {
  RandomStream random(1);
  constexpr Index n = 12;
  const Matrix factor = normals(n, n, random);
  const Matrix q = factor * factor.transpose() + Matrix::Identity(n, n);
  const Vector v = normals(n, 1, random);
  const Objective objective = [&](const Vector& x, Vector& gradient) {
    gradient = q * x - v;
    return 0.5 * x.dot(q * x) - v.dot(x);
  };
  const LbfgsSettings sharp{.gradient_tolerance = 1e-9, .value_tolerance = 0};
  const Vector expected = q.llt().solve(v);
  // A search that compares values knows x to the square root of their rounding, about 1e-8 each time.
  EXPECT_LE((minimize_freely(objective, Vector::Zero(n), sharp).x - expected).cwiseAbs().maxCoeff(), 1e-7);

  // Between bounds: the optimality conditions, coordinate by coordinate.
  const Vector lower = Vector::Constant(n, -0.01);
  const Vector upper = Vector::Constant(n, 0.02);
  const LbfgsResult bounded = minimize(objective, Vector::Ones(n), lower, upper, sharp);
  EXPECT_EQ(bounded.status, LbfgsStatus::converged);
  const Vector gradient = q * bounded.x - v;
  int at_bound = 0;
  for (Index k = 0; k < n; ++k) {
    const bool low = bounded.x[k] == lower[k];
    const bool high = bounded.x[k] == upper[k];
    const double violation = low ? -gradient[k] : high ? gradient[k] : std::abs(gradient[k]);
    EXPECT_LE(violation, 1e-8) << k;
    at_bound += low || high;
  }
  EXPECT_GT(at_bound, 0);
  EXPECT_LT(at_bound, n);
}

TEST(Lbfgs, StopsAtActiveBoundsExactly) {
  const Vector lower{{-2.0, 1.5}};
  const Vector upper{{0.8, 3.0}};
  const LbfgsResult found = minimize(rosenbrock, Vector{{-1.2, 1.0}}, lower, upper);
  // For x_2 >= 1.5, x_1 <= 0.8 the minimum lies near x_1 = -sqrt(1.5), x_2 = 1.5.
  EXPECT_EQ(found.x[1], 1.5);
  EXPECT_NEAR(found.x[0], -1.2210, 1e-3);
  EXPECT_EQ(found.status, LbfgsStatus::converged);
}

TEST(Lbfgs, KeepsCoordinatesWithoutRoom) {
  const LbfgsResult found = minimize(rosenbrock, Vector{{0.0, 0.0}}, Vector{{0.5, -infinity}}, Vector{{0.5, infinity}});
  EXPECT_EQ(found.x[0], 0.5);
  EXPECT_NEAR(found.x[1], 0.25, 1e-6);
}

TEST(Lbfgs, StaysAtAFlatStart) {
  const auto constant = [](const Vector&, Vector& gradient) {
    gradient.setZero();
    return 3.0;
  };
  const LbfgsResult found = minimize_freely(constant, Vector::Ones(3));
  EXPECT_EQ(found.x, Vector::Ones(3));
  EXPECT_EQ(found.evaluations, 1);
  EXPECT_EQ(found.status, LbfgsStatus::converged);
}

TEST(Lbfgs, SaysWhenNoStepLowersTheValue) {
  const auto wrong = [](const Vector& x, Vector& gradient) {
    gradient = -x;  // the sign is wrong
    return 0.5 * x.squaredNorm();
  };
  const LbfgsResult found = minimize_freely(wrong, Vector::Ones(2));
  EXPECT_EQ(found.status, LbfgsStatus::flat);
  EXPECT_EQ(found.x, Vector::Ones(2));
  EXPECT_EQ(found.value, 1.0);
}

TEST(Lbfgs, StepsBackFromWhereTheFunctionIsUndefined) {
  // -log(x) + x for x > 0: the minimum is 1. Undefined beyond 3 as well.
  const auto objective = [](const Vector& x, Vector& gradient) {
    const bool defined = x[0] > 0 && x[0] < 3;
    gradient[0] = defined ? 1 - 1 / x[0] : std::nan("");
    return defined ? x[0] - std::log(x[0]) : std::nan("");
  };
  for (const double start : {1e-3, 0.5, 2.999}) {
    const LbfgsResult found = minimize_freely(objective, Vector::Constant(1, start), {.first_step = 100});
    EXPECT_NEAR(found.x[0], 1.0, 1e-5) << start;
    EXPECT_EQ(found.status, LbfgsStatus::converged);
  }
}

TEST(Lbfgs, NeverReturnsAWorsePointThanTheStart) {
  // The gradient promises more than the kinked function keeps.
  const auto kinked = [](const Vector& x, Vector& gradient) {
    gradient = x.array().sign();
    return x.cwiseAbs().sum();
  };
  const LbfgsResult found = minimize_freely(kinked, Vector{{0.3, -0.7, 2.0}});
  EXPECT_LT(found.value, 3.0);
  EXPECT_EQ(found.value, found.x.cwiseAbs().sum());
}

TEST(Lbfgs, CountsItsStepsAndObeysTheirLimit) {
  const LbfgsResult found = minimize_freely(rosenbrock, Vector{{-1.2, 1.0}}, {.max_iterations = 3});
  EXPECT_EQ(found.iterations, 3);
  EXPECT_EQ(found.status, LbfgsStatus::iteration_limit);
  EXPECT_EQ(to_string(found.status), "iteration limit");
}

TEST(Lbfgs, CanBeCancelled) {
  int calls = 0;
  const auto poll = [&] {
    if (++calls == 5) throw Cancelled();
  };
  EXPECT_THROW(minimize(rosenbrock, Vector{{-1.2, 1.0}}, no_bound(2, -1), no_bound(2, 1), {}, poll), Cancelled);
  EXPECT_EQ(calls, 5);
}

TEST(Lbfgs, AfterStepSeesEveryStepAndEndsTheSearch) {
  std::vector<Vector> seen;
  const auto watch = [&](const Vector& x) {
    seen.push_back(x);
    return seen.size() < 3;
  };
  const LbfgsResult found = minimize_freely(rosenbrock, Vector{{-1.2, 1.0}}, {.after_step = watch});
  EXPECT_EQ(found.status, LbfgsStatus::stopped);
  EXPECT_EQ(to_string(found.status), "stopped");
  EXPECT_EQ(found.iterations, 3);
  ASSERT_EQ(seen.size(), 3U);
  EXPECT_EQ(found.x, seen.back());
  EXPECT_NE(seen[0], seen[1]);
}

TEST(Lbfgs, OfNoUnknownsIsTheValueItself) {
  const LbfgsResult found = minimize_freely([](const Vector&, Vector&) { return 2.0; }, Vector(0));
  EXPECT_EQ(found.value, 2.0);
  EXPECT_EQ(found.status, LbfgsStatus::converged);
}

TEST(Lbfgs, NamesWhatDoesNotFit) {
  EXPECT_EQ(complaint([] { minimize(rosenbrock, Vector::Zero(2), Vector::Zero(1), Vector::Zero(2)); }),
            "minimize: start, lower and upper have lengths 2, 1 and 2, expected one length");
  EXPECT_EQ(complaint([] { minimize(rosenbrock, Vector::Zero(2), Vector::Ones(2), Vector::Zero(2)); }),
            "minimize: lower[0] = 1 and upper[0] = 0, expected lower <= upper");
  EXPECT_EQ(complaint([] { minimize_freely(rosenbrock, Vector::Zero(2), {.history = 0}); }),
            "minimize: history = 0, expected >= 1");
  EXPECT_EQ(complaint<NumericalError>(
                [] { minimize_freely([](const Vector&, Vector&) { return std::nan(""); }, Vector::Zero(1)); }),
            "minimize: the objective or its gradient is not finite at the start");
}

}  // namespace
}  // namespace condens::lbfgs_test
