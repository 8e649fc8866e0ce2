#include "condens/optim/mnqp.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "condens/core/random.hpp"
#include "condens/optim/simplex_qp.hpp"
#include "support/complaint.hpp"
#include "support/normals.hpp"

namespace condens::mnqp_test {
namespace {

struct Problem {
  Matrix b;
  Vector v;
};

/// B = Phi'Phi and v = Phi't of `n` positive columns, as eq. 39 has them.
Problem positive_problem(Index n, RandomStream& random) {
  const Matrix phi = normals(30, n, random).array().square();
  const Vector t = normals(30, 1, random).array().square();
  return {phi.transpose() * phi, phi.transpose() * t};
}

/// b_i = c_i max(v_i + h, 0) with h by bisection.
Vector plain_repaired_step(const Problem& p, const Vector& b) {
  const Vector c = b.cwiseQuotient(p.b * b);
  const auto at = [&](double h) -> Vector { return c.array() * (p.v.array() + h).max(0.0); };
  double low = -p.v.maxCoeff();
  double high = 1.0 / c.minCoeff() - p.v.minCoeff();
  for (int i = 0; i < 200; ++i) (at(0.5 * (low + high)).sum() < 1.0 ? low : high) = 0.5 * (low + high);
  return at(0.5 * (low + high));
}

TEST(Mnqp, ThePrintedStepTurnsNegative) {
  // Two kernels from (1/2, 1/2): v_2 + h < 0 (errata D1).
  const Problem p{(Matrix(2, 2) << 1.0, 0.2, 0.2, 1.0).finished(), Vector(Vector::Unit(2, 0) * 3.0)};
  const Mnqp printed = mnqp(p.b, p.v, 1, MnqpStep::printed);
  const double c = 0.5 / 0.6;
  const double h = (1 - 3 * c) / (2 * c);
  EXPECT_NEAR(printed.solution[0], c * (3 + h), 1e-14);
  EXPECT_NEAR(printed.solution[1], c * h, 1e-14);
  EXPECT_LT(printed.solution[1], 0.0);
  EXPECT_NEAR(printed.solution.sum(), 1.0, 1e-14) << "the sum is all that eqs. 42-44 keep";
  EXPECT_LE((mnqp(p.b, p.v, 1).solution - Vector::Unit(2, 0)).cwiseAbs().maxCoeff(), 1e-15);
}

TEST(Mnqp, TheStepsAreOneWhereThePrintedOneIsPositive) {
  const Problem p{Matrix::Identity(3, 3) + Matrix::Ones(3, 3), Vector::LinSpaced(3, 1.0, 1.2)};
  const Mnqp printed = mnqp(p.b, p.v, 5, MnqpStep::printed);
  ASSERT_GT(printed.solution.minCoeff(), 0.0);
  EXPECT_LE((printed.solution - mnqp(p.b, p.v, 5).solution).cwiseAbs().maxCoeff(), 1e-15);
}

TEST(Mnqp, OneRepairedStepIsThatOfTheDefinition) {
  RandomStream random(1);
  for (int repeat = 0; repeat < 20; ++repeat) {
    const Problem p = positive_problem(6, random);
    const Vector expected = plain_repaired_step(p, Vector::Constant(6, 1.0 / 6));
    EXPECT_LE((mnqp(p.b, p.v, 1).solution - expected).cwiseAbs().maxCoeff(), 1e-12);
  }
}

TEST(Mnqp, RepairedItNeverRisesAndTendsToTheMinimum) {
  RandomStream random(2);
  for (int repeat = 0; repeat < 10; ++repeat) {
    const Problem p = positive_problem(5, random);
    const Mnqp found = mnqp(p.b, p.v, 20000);
    for (Index l = 1; l < found.objective.size(); ++l) {
      ASSERT_LE(found.objective[l], found.objective[l - 1] + 1e-13 * std::abs(found.objective[l])) << l;
    }
    EXPECT_GE(found.solution.minCoeff(), 0.0);
    EXPECT_NEAR(found.solution.sum(), 1.0, 1e-13);
    const SimplexQp exact = solve_simplex_qp(p.b, p.v);
    const double last = found.objective[found.objective.size() - 1];
    EXPECT_LE(last - exact.objective, found.gap + 1e-12);
    EXPECT_NEAR(last, exact.objective, 1e-6 * std::abs(exact.objective));
  }
}

TEST(Mnqp, ReportsTheObjectiveOfEveryStep) {
  RandomStream random(3);
  const Problem p = positive_problem(4, random);
  const Mnqp found = mnqp(p.b, p.v, 7);
  ASSERT_EQ(found.objective.size(), 8);
  for (const Index steps : {0, 3, 7}) {
    const Vector b = mnqp(p.b, p.v, steps).solution;
    EXPECT_NEAR(found.objective[steps], 0.5 * b.dot(p.b * b) - p.v.dot(b), 1e-12);
  }
  EXPECT_EQ(mnqp(p.b, p.v, 0).solution, Vector::Constant(4, 0.25));
}

TEST(Mnqp, RefusesWhatItCannotStart) {
  const Matrix identity = Matrix::Identity(2, 2);
  const Vector v = Vector::Ones(2);
  const auto said = [](const Matrix& b, const Vector& right, Index steps) {
    return complaint([&] { mnqp(b, right, steps); });
  };
  EXPECT_EQ(said(Matrix(0, 0), Vector(0), 1), "mnqp: v is empty, expected at least one number");
  EXPECT_EQ(said(identity, Vector::Ones(3), 1), "mnqp: B is 2 x 2, expected 3 x 3, as v has 3 numbers");
  EXPECT_EQ(said(identity, Vector::Constant(2, std::nan("")), 1), "mnqp: B or v holds NaN or infinity");
  EXPECT_EQ(said(identity - 0.5 * Matrix::Ones(2, 2), v, 1), "mnqp: B has the entry -0.5, expected numbers >= 0");
  EXPECT_EQ(said(Matrix::Ones(2, 2) - identity, v, 1), "mnqp: B has a zero on its diagonal, expected numbers > 0");
  EXPECT_EQ(said(identity, v, -1), "mnqp: iterations = -1, expected a number >= 0");
}

}  // namespace
}  // namespace condens::mnqp_test
