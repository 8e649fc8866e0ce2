// With widths, regularisers and centres given, data unstandardised and the paper's preset, a fit is the paper's
// closed formula on the numbers handed in, nothing added and nothing left out: not the constant input that the rows
// have here, nor the copies of rows.

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

#include "condens/estimators/epsilon_kde.hpp"
#include "condens/estimators/gaussian_process.hpp"
#include "condens/estimators/kernel_quantile_regression.hpp"
#include "condens/estimators/lscde.hpp"
#include "condens/estimators/nadaraya_watson.hpp"
#include "condens/estimators/parzen.hpp"
#include "condens/estimators/press.hpp"
#include "condens/estimators/ratio_kde.hpp"
#include "condens/estimators/sacde.hpp"
#include "support/normals.hpp"
#include "support/plain_kqr.hpp"
#include "support/plain_lscde.hpp"
#include "support/plain_nw.hpp"
#include "support/plain_parzen.hpp"
#include "support/plain_press.hpp"
#include "support/plain_sacde.hpp"

namespace condens::closed_formula_test {
namespace {

constexpr Index n = 26;
constexpr Index n_tests = 8;

/// Two inputs that matter and a constant one, in units of their own; the last six rows are copies of the first.
Dataset rows_with_copies() {
  RandomStream random(3);
  Matrix x(3, n);
  Matrix y(1, n);
  for (Index i = 0; i < n; ++i) {
    x.col(i) << 2 * random.normal(), 0.5 * random.normal() + 1, 5;
    y(0, i) = 3 * std::sin(x(0, i)) + 2 * x(1, i) + 0.4 * random.normal() + 10;
  }
  x.rightCols(6) = x.leftCols(6);
  y.rightCols(6) = y.leftCols(6);
  return {.x = x, .y = y, .weights = Vector::Ones(n)};
}

/// Points near the rows; the input that is constant there is another number at some of them.
Dataset test_points() {
  const Dataset rows = rows_with_copies();
  Matrix x = rows.x.leftCols(n_tests) + 0.3 * normals(3, n_tests, 5);
  x.row(2).head(4).setConstant(5);
  return {.x = x, .y = Matrix(rows.y.leftCols(n_tests) + 0.5 * normals(1, n_tests, 6))};
}

/// Ten rows as centres; what is constant in the rows need not be it in the centres.
Matrix given_centers() {
  const Dataset rows = rows_with_copies();
  Matrix out(4, 10);
  out << rows.x.leftCols(10), rows.y.leftCols(10);
  out.row(2) += 0.4 * normals(1, 10, 8);
  return out;
}

template <class Reference>
void expect_log_density(const ConditionalDensity& model, const Reference& reference, double tolerance) {
  const Dataset test = test_points();
  const Vector found = model.log_density(test.x, test.y);
  for (Index i = 0; i < n_tests; ++i) {
    const double expected = reference(Vector(test.x.col(i)), Vector(test.y.col(i)));
    EXPECT_NEAR(found[i], expected, tolerance * (1 + std::abs(expected))) << i;
  }
}

TEST(ClosedFormula, OfLscde) {
  const Dataset rows = rows_with_copies();
  LscdeOptions options = LscdeOptions::paper();
  options.bandwidth = {0.9};
  options.bandwidth_y = {0.7};
  options.regularization = {0.05};
  options.centers = given_centers();
  options.standardize = false;
  const plain::Lscde reference = plain::fit(rows.x, rows.y, rows.weights, options.centers.topRows(3),
                                            options.centers.bottomRows(1), 0.9, 0.7, 0.05);
  expect_log_density(
      Lscde::fit(rows, options), [&](const Vector& x, const Vector& y) { return reference.log_density(x, y); }, 1e-10);
}

TEST(ClosedFormula, OfNadarayaWatson) {
  const Dataset rows = rows_with_copies();
  NadarayaWatsonOptions options = NadarayaWatsonOptions::paper();
  options.bandwidth = {0.8};
  options.bandwidth_y = {0.6};
  options.common_bandwidth = false;
  options.n_centers = 0;
  options.standardize = false;
  const Matrix metric = Matrix::Identity(3, 3) / 0.8;
  expect_log_density(
      NadarayaWatson::fit(rows, options),
      [&](const Vector& x, const Vector& y) {
        return plain::nw_log_density(rows.x, rows.y, rows.weights, metric, 0.6, x, y);
      },
      1e-11);
}

TEST(ClosedFormula, OfEpsilonKde) {
  const Dataset rows = rows_with_copies();
  EpsilonKdeOptions options = EpsilonKdeOptions::paper();
  options.radius = {4.0};  // of squared distances
  options.bandwidth_y = {0.6};
  options.standardize = false;
  expect_log_density(
      EpsilonKde::fit(rows, options),
      [&](const Vector& x, const Vector& y) {
        double sum = 0;
        double count = 0;
        for (Index i = 0; i < n; ++i) {
          if ((rows.x.col(i) - x).squaredNorm() > 4) continue;
          sum += std::exp(plain::log_normal(y, rows.y.col(i), Vector::Constant(1, 0.6)));
          ++count;
        }
        return std::log(sum / count);
      },
      1e-11);
}

TEST(ClosedFormula, OfParzenAndTheRatioOfTwo) {
  const Dataset rows = rows_with_copies();
  Matrix joint(4, n);
  joint << rows.x, rows.y;
  const auto window = [&](const Matrix& points, double width, const Vector& at) {
    return plain::parzen_log_density(points, rows.weights, Vector::Constant(points.rows(), width), at);
  };
  const auto stacked = [](const Vector& x, const Vector& y) {
    Vector out(4);
    out << x, y;
    return out;
  };
  ParzenOptions parzen = ParzenOptions::paper();
  parzen.bandwidth = {0.7};
  parzen.standardize = false;
  expect_log_density(
      Parzen::fit(rows, parzen),
      [&](const Vector& x, const Vector& y) { return window(joint, 0.7, stacked(x, y)) - window(rows.x, 0.7, x); },
      1e-10);
  RatioKdeOptions ratio = RatioKdeOptions::paper();
  ratio.bandwidth = {0.7};
  ratio.bandwidth_denominator = {0.7};
  ratio.standardize = false;
  expect_log_density(
      RatioKde::fit(rows, ratio),
      [&](const Vector& x, const Vector& y) { return window(joint, 0.7, stacked(x, y)) - window(rows.x, 0.7, x); },
      1e-10);
}

TEST(ClosedFormula, OfTheGaussianProcess) {
  const Dataset rows = rows_with_copies();
  GaussianProcessOptions options = GaussianProcessOptions::paper();
  options.length_scales = {1.1};
  options.signal_variance = {90};
  options.noise_variance = {0.3};
  options.standardize = false;
  const auto kernel = [](const Vector& a, const Vector& b) {
    return 90 * std::exp(-0.5 * (a - b).squaredNorm() / 1.21);
  };
  Matrix k = 0.3 * Matrix::Identity(n, n);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) k(i, j) += kernel(rows.x.col(i), rows.x.col(j));
  }
  const Eigen::FullPivLU<Matrix> solver(k);
  expect_log_density(
      GaussianProcess::fit(rows, options),
      [&](const Vector& x, const Vector& y) {
        Vector to(n);
        for (Index i = 0; i < n; ++i) to[i] = kernel(x, rows.x.col(i));
        const Vector solved = solver.solve(to);
        const double variance = 90 + 0.3 - to.dot(solved);
        const double mean = solved.dot(rows.y.row(0).transpose());
        return plain::log_normal(y, Vector::Constant(1, mean), Vector::Constant(1, std::sqrt(variance)));
      },
      1e-9);
}

/// The minimum of the convex problem by some ten thousand steps of proximal gradient.
Matrix plain_minimum(const plain::Sacde& problem, double lambda) {
  const Matrix gram = problem.gram();
  const Matrix linear = problem.linear();
  const double step = 1 / gram.norm();
  Matrix a = Matrix::Zero(linear.rows(), linear.cols());
  for (int iteration = 0; iteration < 40000; ++iteration) {
    const Matrix slope = (gram * a.reshaped()).reshaped(a.rows(), a.cols()) - linear;
    a = (a - step * slope).cwiseMax(0.0);
    for (Index g = 0; g < a.cols(); ++g) {
      const double norm = a.col(g).norm();
      if (norm > 0) a.col(g) *= std::max(0.0, 1 - step * lambda / norm);
    }
  }
  return a;
}

TEST(ClosedFormula, OfSacde) {
  const Dataset rows = rows_with_copies();
  SacdeOptions options = SacdeOptions::paper();
  options.bandwidth = {0.9};
  options.bandwidth_y = {0.7};
  options.tolerance = 1e-12;
  options.centers = given_centers();
  options.centers.row(2).setConstant(5);
  options.standardize = false;
  const plain::Sacde problem{.x = rows.x,
                             .y = rows.y,
                             .w = rows.weights,
                             .u = options.centers.topRows(3),
                             .v = options.centers.bottomRows(1),
                             .s_x = 0.9,
                             .s_y = 0.7};
  for (const double share : {0.9, 0.1}) {
    const double lambda = share * problem.linear().colwise().norm().maxCoeff();
    options.regularization = {lambda};
    const Sacde model = Sacde::fit(rows, options);
    const Matrix expected = plain_minimum(problem, lambda);
    EXPECT_LE(problem.objective(model.coefficients(), lambda), problem.objective(expected, lambda) + 1e-10);
    EXPECT_TRUE(share < 0.9 || model.support() == (Vector{{0, 0, 1}})) << "errata S7: a constant input enters first";
    const auto density = [&](const Vector& x, const Vector& y) {
      return std::log(problem.density(model.coefficients(), x, y));
    };
    expect_log_density(model, density, 1e-10);
  }
}

TEST(ClosedFormula, OfKernelQuantileRegression) {
  const Dataset rows = rows_with_copies();
  KqrOptions options = KqrOptions::paper();
  options.quantile_levels = {0.25, 0.5, 0.75};
  options.bandwidth = {0.9};
  options.regularization = {0.1};
  options.spread = {0.8};
  options.bandwidth_y_floor = {0.1};
  options.standardize = false;
  const Kqr model = Kqr::fit(rows, options);
  ASSERT_EQ(model.state().coefficients.rows(), n);
  plain::QuantileProblem problem{
      .kernel = Matrix(n, n), .y = rows.y.row(0).transpose(), .weights = rows.weights, .level = 0, .penalty = 0.1};
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) {
      problem.kernel(i, j) = std::exp(-0.5 * (rows.x.col(i) - rows.x.col(j)).squaredNorm() / 0.81);
    }
  }
  for (Index level = 0; level < 3; ++level) {
    problem.level = options.quantile_levels[static_cast<std::size_t>(level)];
    const double least = plain::least_by_exchange(problem);
    EXPECT_NEAR(problem.objective(model.state().coefficients.col(level), model.state().intercepts[level]), least,
                1e-7 * least);
  }
}

/// Its map is searched; at the weights that were found the law is eq. 25.
TEST(ClosedFormula, OfPredictiveStates) {
  const Dataset rows = rows_with_copies();
  PressOptions options = PressOptions::paper();
  options.n_states = {3};
  options.bandwidth_y = {0.7};
  options.holdout = 0;
  options.max_iterations = 30;
  options.standardize = false;
  const Press model = Press::fit(rows, options);
  const Matrix w = model.state_weights(rows.x);
  expect_log_density(
      model,
      [&](const Vector& x, const Vector& y) {
        const Matrix at = model.state_weights(x);
        std::vector<double> terms;
        for (Index j = 0; j < w.rows(); ++j) {
          for (Index i = 0; i < n; ++i) {
            terms.push_back(std::log(at(j, 0)) + std::log(w(j, i) / w.row(j).sum()) +
                            plain::log_normal(y, rows.y.col(i), Vector::Constant(1, 0.7)));
          }
        }
        return plain::press_log_sum(terms);
      },
      1e-9);
}

}  // namespace
}  // namespace condens::closed_formula_test
