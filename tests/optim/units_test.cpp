// Units decide nothing: every optimiser takes the same steps whatever its objective is measured in. By a power of two
// all numbers keep their digits, by a thousandth their roundings differ.

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <vector>

#include "condens/core/random.hpp"
#include "condens/optim/lbfgs.hpp"
#include "condens/optim/mnqp.hpp"
#include "condens/optim/simplex_qp.hpp"
#include "optim/boosting_search.hpp"
#include "optim/grassmann.hpp"
#include "optim/mixture_proportions.hpp"
#include "optim/nonnegative_group_lasso.hpp"
#include "optim/nonnegative_qp.hpp"
#include "optim/owlqn.hpp"
#include "optim/proximal_group_lasso.hpp"
#include "optim/quantile_regression.hpp"
#include "support/normals.hpp"

namespace condens::units_test {
namespace {

constexpr double units[] = {0x1p-40, 0x1p40, 1e-3, 1e6};

bool keeps_digits(double unit) {
  int exponent = 0;
  return std::frexp(unit, &exponent) == 0.5;
}

/// Rounding of the units apart, which a search of some hundred steps carries along.
void expect_same(const Matrix& found, const Matrix& expected, double unit) {
  ASSERT_EQ(found.rows(), expected.rows()) << unit;
  ASSERT_EQ(found.cols(), expected.cols()) << unit;
  if (keeps_digits(unit)) {
    EXPECT_EQ(found, expected) << unit;
  } else {
    EXPECT_LT((found - expected).norm(), 1e-7 * (1 + expected.norm())) << unit;
  }
}

/// Every point that a search asks for, one a column.
template <class Search>
Matrix points_of(const Search& search, double unit) {
  std::vector<Vector> seen;
  const auto objective = [&](const Vector& x, Vector& gradient) {
    seen.push_back(x);
    const double a = 1 - x[0];
    const double b = x[1] - x[0] * x[0];
    const double c = x[2] - 0.5;
    gradient = unit * Vector{{-2 * a - 40 * x[0] * b, 20 * b, 4 * c * c * c}};
    return unit * (0.3 + a * a + 10 * b * b + c * c * c * c);
  };
  search(objective);
  Matrix out(3, std::ssize(seen));
  for (Index k = 0; k < out.cols(); ++k) out.col(k) = seen[static_cast<std::size_t>(k)];
  return out;
}

template <class Search>
void expect_same_points(const Search& search) {
  const Matrix expected = points_of([&](const Objective& f) { search(f, 1.0); }, 1.0);
  EXPECT_GT(expected.cols(), 10);
  for (const double unit : units) {
    expect_same(points_of([&](const Objective& f) { search(f, unit); }, unit), expected, unit);
  }
}

TEST(Units, OfQuasiNewtonSteps) {
  const Vector start{{-1.2, 1.0, 2.0}};
  expect_same_points([&](const Objective& f, double) { minimize(f, start, Vector{{-2, -2, -2}}, Vector{{2, 2, 2}}); });
  expect_same_points([&](const Objective& f, double) { minimize_l1(f, start, Vector::Zero(3)); });
  expect_same_points([&](const Objective& f, double unit) { minimize_l1(f, start, unit * Vector{{0.1, 0.0, 0.2}}); });
}

TEST(Units, OfAnObjectiveMayBeGiven) {
  // In thousandths of the value at the start the same tolerance is met later.
  const auto iterations = [](double unit) {
    Index out = 0;
    points_of(
        [&](const Objective& f) {
          out = minimize_l1(f, Vector{{-1.2, 1.0, 2.0}}, Vector::Zero(3), {.unit = unit, .gradient_tolerance = 1e-3})
                    .iterations;
        },
        1.0);
    return out;
  };
  EXPECT_GT(iterations(1e-3), iterations(1.0));
}

TEST(Units, OfASearchOfSubspaces) {
  const Matrix factor = normals(6, 6, 3);
  const Matrix form = factor * factor.transpose();
  const Matrix start = orthonormal_rows(normals(2, 6, 4));
  for (const bool lifted : {true, false}) {
    const auto found = [&](double unit) {
      const SubspaceObjective f = [&](const Matrix& w, Matrix& gradient) {
        gradient = 2 * unit * w * form;
        return unit * ((w * form).cwiseProduct(w).sum() - 20);
      };
      return lifted ? minimize_lifted(f, start) : descend_geodesics(f, start);
    };
    const SubspaceResult expected = found(1);
    for (const double unit : units) {
      const SubspaceResult own = found(unit);
      EXPECT_EQ(own.status, expected.status);
      EXPECT_TRUE(!keeps_digits(unit) || own.evaluations == expected.evaluations) << unit;
      EXPECT_LT(principal_angles(own.w, expected.w).maxCoeff(), 1e-6) << unit;
    }
  }
}

TEST(Units, OfABoostingSearch) {
  const auto found = [](double unit) {
    const BatchObjective f = [unit](const MatrixView& points, Eigen::Ref<Vector> values) {
      values = unit * (points.array() - 0.3).square().colwise().sum().transpose().matrix();
    };
    return boosting_search(f, Vector::Zero(3), Vector::Ones(3), {.population = 9, .generations = 3, .iterations = 40})
        .x;
  };
  for (const double unit : units) expect_same(found(unit), found(1), unit);
}

TEST(Units, OfQuadraticPrograms) {
  const Matrix factor = normals(12, 12, 5);
  const Matrix q = (factor * factor.transpose()).cwiseAbs();
  const Matrix form = factor * factor.transpose() + 0.1 * Matrix::Identity(12, 12);
  const Vector v = normals(12, 1, 6);
  for (const double unit : units) {
    const Matrix scaled = unit * form;
    const Vector scaled_v = unit * v;
    const NonnegativeQp found = solve_nonnegative_qp(scaled, scaled_v, Vector::Zero(12));
    const NonnegativeQp expected = solve_nonnegative_qp(form, v, Vector::Zero(12));
    expect_same(found.solution, expected.solution, unit);
    EXPECT_EQ(found.iterations, expected.iterations);
    const SimplexQp simplex = solve_simplex_qp(scaled, scaled_v);
    expect_same(simplex.solution, solve_simplex_qp(form, v).solution, unit);
    EXPECT_EQ(simplex.iterations, solve_simplex_qp(form, v).iterations);
    expect_same(mnqp(unit * q, scaled_v, 50, MnqpStep::repaired).solution, mnqp(q, v, 50, MnqpStep::repaired).solution,
                unit);
  }
}

TEST(Units, OfTheGroupLasso) {
  const Matrix factor = normals(12, 20, 5).cwiseAbs();
  const Matrix gram = factor * factor.transpose() / 20;
  const Matrix linear = (factor * normals(20, 1, 6).cwiseAbs()).reshaped(3, 4) / 20;
  const Vector weights = Vector::Ones(4);
  const auto solved = [&](double unit) {
    const DenseGroupQuadratic problem(unit * gram, unit * linear);
    NonnegativeGroupLasso solver(problem, weights, 1e-8);
    solver.solve(0.3 * solver.lambda_max());
    return Matrix(solver.coefficients());
  };
  const auto iterated = [&](double unit) {
    const DenseGroupQuadratic problem(unit * gram, unit * linear);
    return proximal_group_lasso(problem, weights, 0.1 * unit, largest_eigenvalue(problem), {.iterations = 200});
  };
  for (const double unit : units) {
    expect_same(solved(unit), solved(1), unit);
    expect_same(iterated(unit).coefficients, iterated(1).coefficients, unit);
    EXPECT_EQ(iterated(unit).iterations, iterated(1).iterations);
  }
}

/// y in other units: the penalty of eq. P falls with them, coefficients rise.
TEST(Units, OfQuantileRegression) {
  const Index n = 40;
  const Matrix x = normals(1, n, 2);
  const Vector y = x.row(0).transpose().array().sin().matrix() + 0.3 * normals(n, 1, 3);
  Matrix kernel(n, n);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) kernel(i, j) = std::exp(-0.5 * std::pow(x(0, i) - x(0, j), 2));
  }
  const Vector weights = Vector::Ones(n);
  const auto solved = [&](double unit) {
    const Vector scaled = unit * y;
    return QuantileRegression(kernel, scaled, weights).solve(0.3, 0.1 / unit);
  };
  const QuantileFit expected = solved(1);
  for (const double unit : units) {
    const QuantileFit found = solved(unit);
    expect_same(found.coefficients / unit, expected.coefficients, unit);
    EXPECT_LT(found.relative_gap, 1e-9) << unit;
    EXPECT_TRUE(!keeps_digits(unit) || found.newton_steps + found.pivots == expected.newton_steps + expected.pivots);
  }
}

/// Densities in other units are all multiplied by one number.
TEST(Units, OfMixtureProportions) {
  const Matrix log_density = normals(3, 50, 7);
  const MixtureProportions expected = mixture_proportions(log_density, Vector());
  for (const double unit : units) {
    const Matrix moved = log_density.array() + std::log(unit);
    const MixtureProportions found = mixture_proportions(moved, Vector());
    EXPECT_LT((found.weights - expected.weights).norm(), 1e-8);
    const Vector weights = Vector::Constant(50, unit);
    EXPECT_LT((mixture_proportions(log_density, weights).weights - expected.weights).norm(), 1e-8);
  }
}

}  // namespace
}  // namespace condens::units_test
