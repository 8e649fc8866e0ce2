#include "condens/optim/orthogonal_regression.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "condens/core/random.hpp"
#include "support/complaint.hpp"
#include "support/normals.hpp"

namespace condens::orthogonal_regression_test {
namespace {

struct Problem {
  Matrix phi;
  Vector t;
};

Problem problem(Index rows, Index columns, std::uint64_t seed) {
  RandomStream random(seed);
  Problem out{normals(rows, columns, random).cwiseAbs(), normals(rows, 1, random).cwiseAbs()};
  return out;
}

OrthogonalRegression regress(const Problem& p, RegressionPenalty penalty) {
  OrthogonalRegression out(p.t, penalty);
  for (Index j = 0; j < p.phi.cols(); ++j) EXPECT_TRUE(out.add(p.phi.col(j)));
  return out;
}

/// J by refitting g without every row in turn, with W of all rows (errata D7).
double refitted(const Problem& p, double lambda) {
  const Index n = p.phi.cols();
  const Eigen::HouseholderQR<Matrix> qr(p.phi);
  Matrix w = qr.householderQ() * Matrix::Identity(p.t.size(), n);
  const Matrix r = qr.matrixQR().topRows(n).triangularView<Eigen::Upper>();
  w *= r.diagonal().asDiagonal();  // unit upper triangle in Phi = W A
  double sum = 0;
  for (Index k = 0; k < p.t.size(); ++k) {
    Matrix others = w;
    others.row(k).setZero();
    const Matrix normal = others.transpose() * others + lambda * Matrix::Identity(n, n);
    const Vector g = normal.ldlt().solve(others.transpose() * p.t);
    sum += std::pow(p.t[k] - w.row(k).dot(g), 2);
  }
  return sum / static_cast<double>(p.t.size());
}

TEST(OrthogonalRegression, ItsCriterionIsThatOfRefittingWithoutEachRow) {
  for (const double lambda : {0.0, 1e-3, 1.0}) {
    for (const Index columns : {1, 2, 5}) {
      const Problem p = problem(30, columns, 1);
      EXPECT_NEAR(regress(p, {lambda, false}).criterion(), refitted(p, lambda), 1e-12) << columns << ' ' << lambda;
    }
  }
}

TEST(OrthogonalRegression, BeginsWithTheMeanSquareOfTheTarget) {
  const Problem p = problem(30, 1, 2);
  EXPECT_NEAR(OrthogonalRegression(p.t, {}).criterion(), p.t.squaredNorm() / 30, 1e-15);
}

TEST(OrthogonalRegression, WithoutPenaltyItIsLeastSquares) {
  const Problem p = problem(30, 4, 3);
  const OrthogonalRegression found = regress(p, {});
  const Vector expected = p.phi.colPivHouseholderQr().solve(p.t);
  EXPECT_LE((found.coefficients() - expected).cwiseAbs().maxCoeff(), 1e-12);
  EXPECT_LE((found.residuals() - (p.t - p.phi * expected)).cwiseAbs().maxCoeff(), 1e-12);
  EXPECT_LE((found.gram() - p.phi.transpose() * p.phi).cwiseAbs().maxCoeff(), 1e-12);
  EXPECT_LE((found.correlations() - p.phi.transpose() * p.t).cwiseAbs().maxCoeff(), 1e-12);
}

TEST(OrthogonalRegression, ATrialIsTheStageThatFollows) {
  const Problem p = problem(25, 5, 4);
  for (const RegressionPenalty penalty : {RegressionPenalty{0, true}, {1e-2, true}, {1e-2, false}}) {
    OrthogonalRegression state(p.t, penalty);
    for (Index j = 0; j < 5; ++j) {
      const Vector all = state.criteria_with(p.phi.rightCols(5 - j));
      for (Index k = j; k < 5; ++k) {
        EXPECT_NEAR(state.criterion_with(p.phi.col(k)), all[k - j], 1e-12);
        Vector w = p.phi.col(k);  // in two parts
        OrthogonalRegression earlier(p.t, penalty);
        if (j > 0) earlier.add(p.phi.col(0));
        earlier.orthogonalize(w, 0);
        state.orthogonalize(w, earlier.n_columns());
        EXPECT_NEAR(state.criterion_with_orthogonal(w, p.phi.col(k).squaredNorm()), all[k - j], 1e-12);
      }
      state.add(p.phi.col(j));
      EXPECT_NEAR(state.criterion(), all[0], 1e-12);
    }
  }
}

TEST(OrthogonalRegression, TheGradientIsThatOfDifferences) {
  const Problem p = problem(12, 4, 5);
  for (const RegressionPenalty penalty : {RegressionPenalty{0, true}, {0.1, true}, {0.3, false}}) {
    OrthogonalRegression state(p.t, penalty);
    for (Index j = 0; j < 4; ++j) {
      Vector gradient;
      EXPECT_EQ(state.criterion_with(p.phi.col(j), gradient), state.criterion_with(p.phi.col(j)));
      for (Index k = 0; k < 12; ++k) {
        const double h = 1e-6;
        Vector up = p.phi.col(j);
        Vector down = p.phi.col(j);
        up[k] += h;
        down[k] -= h;
        const double slope = (state.criterion_with(up) - state.criterion_with(down)) / (2 * h);
        EXPECT_NEAR(gradient[k], slope, 1e-7) << j;
      }
      state.add(p.phi.col(j));
    }
  }
}

TEST(OrthogonalRegression, ARelativePenaltyKnowsNoUnits) {
  const Problem p = problem(20, 3, 6);
  const Problem small{1e-9 * p.phi, 1e-7 * p.t};
  EXPECT_NEAR(regress(small, {1e-3, true}).criterion() / 1e-14, regress(p, {1e-3, true}).criterion(), 1e-12);
  EXPECT_NE(regress(small, {1e-3, false}).criterion() / 1e-14, regress(p, {1e-3, false}).criterion());
}

TEST(OrthogonalRegression, ARowOfWeightTwoIsAPairThatLeavesTogether) {
  // Without row k and its copy: refit plain least squares.
  const Problem p = problem(15, 2, 7);
  Vector weights = Vector::Ones(15);
  weights[3] = 2;
  const Vector root = weights.cwiseSqrt();
  OrthogonalRegression weighted(root.cwiseProduct(p.t), {}, 16.0);
  for (Index j = 0; j < 2; ++j) weighted.add(root.cwiseProduct(p.phi.col(j)));
  double expected = 0;
  for (Index k = 0; k < 15; ++k) {
    Vector left = weights;
    left[k] = 0;
    const Matrix normal = p.phi.transpose() * left.asDiagonal() * p.phi;
    const Vector beta = normal.ldlt().solve(p.phi.transpose() * left.asDiagonal() * p.t);
    expected += weights[k] * std::pow(p.t[k] - p.phi.row(k).dot(beta), 2) / 16;
  }
  EXPECT_NEAR(weighted.criterion(), expected, 1e-12);
}

TEST(OrthogonalRegression, ACombinationOfColumnsContributesNothing) {
  const Problem p = problem(20, 3, 8);
  for (const RegressionPenalty penalty : {RegressionPenalty{0, true}, {1e-3, false}}) {
    OrthogonalRegression state = regress(p, penalty);
    const double before = state.criterion();
    for (const Vector& column : {Vector(p.phi.col(0) + 2 * p.phi.col(2)), Vector(Vector::Zero(20))}) {
      Vector gradient;
      EXPECT_EQ(state.criterion_with(column), before);
      EXPECT_EQ(state.criterion_with(column, gradient), before);
      EXPECT_EQ(gradient, Vector::Zero(20));
      EXPECT_FALSE(state.add(column));
    }
    EXPECT_EQ(state.n_columns(), 3);
  }
}

TEST(OrthogonalRegression, AKernelOfOneRowIsJudgedByItsPenalty) {
  const Problem p = problem(20, 1, 9);
  const Vector one = Vector::Unit(20, 4);
  OrthogonalRegression free = regress(p, {});
  EXPECT_EQ(free.criterion_with(one), std::numeric_limits<double>::infinity());
  EXPECT_EQ(free.criteria_with(one)[0], std::numeric_limits<double>::infinity());
  // That row's leave-one-out residual tends to the one it had.
  OrthogonalRegression target(p.t, {1e-9, true});
  EXPECT_NEAR(target.criterion_with(one), target.criterion(), 1e-6);
  EXPECT_TRUE(free.add(one));
  EXPECT_EQ(free.criterion(), std::numeric_limits<double>::infinity());
}

TEST(OrthogonalRegression, AColumnMayHaveARegulariserOfItsOwn) {
  const Problem p = problem(20, 3, 10);
  const OrthogonalRegression expected = regress(p, {0.5, false});
  OrthogonalRegression state(p.t, {});
  for (Index j = 0; j < 3; ++j) {
    const double trial = state.criterion_with(p.phi.col(j), {0.5, false});
    EXPECT_TRUE(state.add(p.phi.col(j), {0.5, false}));
    EXPECT_NEAR(state.criterion(), trial, 1e-14);
  }
  EXPECT_EQ(state.criterion(), expected.criterion());
  EXPECT_EQ(state.coefficients(), expected.coefficients());
  EXPECT_EQ(state.penalties(), Vector::Constant(3, 0.5));
}

TEST(OfrLoo, IsThePathOfTheRegressionOnDensities) {
  RandomStream random(11);
  const Matrix x = normals(2, 30, random);
  const Matrix centers = normals(2, 4, random);
  const Matrix scales = (0.5 * normals(2, 4, random)).array().exp();
  const Vector t = normals(30, 1, random).cwiseAbs();
  Problem p{Matrix(30, 4), t};
  for (Index l = 0; l < 4; ++l) {
    for (Index k = 0; k < 30; ++k) {
      const Vector z = (x.col(k) - centers.col(l)).cwiseQuotient(scales.col(l));
      p.phi(k, l) = std::exp(-0.5 * z.squaredNorm()) / (2 * std::numbers::pi * scales.col(l).prod());
    }
  }
  const Vector path = ofr_loo(centers, scales, x, t, 1e-6);
  for (Index n = 1; n <= 4; ++n) {
    EXPECT_NEAR(path[n - 1], refitted({p.phi.leftCols(n), t}, 1e-6), 1e-12) << n;
  }
}

TEST(OfrLoo, RefusesWhatDoesNotFit) {
  const Matrix x = Matrix::Random(2, 5);
  const Matrix c = Matrix::Random(2, 3);
  const Matrix s = Matrix::Ones(2, 3);
  const Vector t = Vector::Ones(5);
  const auto said = [](const auto&... arguments) { return complaint([&] { ofr_loo(arguments...); }); };
  EXPECT_EQ(said(Matrix(Matrix::Ones(3, 3)), s, x, t, 0.0),
            "ofr_loo: centers have 3 coordinates, expected 2, those of the points");
  EXPECT_EQ(said(c, Matrix(Matrix::Ones(2, 2)), x, t, 0.0),
            "ofr_loo: scales are 2 of 2 numbers, expected 3 of 2, those of the centers");
  EXPECT_EQ(said(c, s, x, Vector(Vector::Ones(4)), 0.0),
            "ofr_loo: target has 4 numbers, expected 5, one for each point");
  EXPECT_EQ(said(c, s, x, Vector(Vector::Constant(5, std::nan(""))), 0.0),
            "ofr_loo: centers, scales, points or target hold NaN or infinity");
  EXPECT_EQ(said(c, Matrix(-s), x, t, 0.0), "ofr_loo: scales hold -1, expected numbers > 0");
  EXPECT_EQ(said(c, s, x, t, -1.0), "ofr_loo: regularization = -1, expected a number >= 0");
}

}  // namespace
}  // namespace condens::orthogonal_regression_test
