// Products of H of many inputs: those in single precision are taken only where nothing depends on their last digits.

#include <gtest/gtest.h>

#include <cmath>

#include "condens/core/random.hpp"
#include "estimators/sacde/operator.hpp"
#include "estimators/sacde/passes.hpp"

namespace condens::sacde_operator_test {
namespace {

using sacde::Feature;
using sacde::Problem;
using sacde::Quadratics;

constexpr double width_x = 0.6;
constexpr double width_y = 0.3;

/// Inputs that vary, one of them with four values, then the constant group; two folds.
Problem some_problem(Index n, Index inputs, Index centers) {
  RandomStream random(7);
  Matrix x(inputs, n);
  for (double& value : x.reshaped()) value = random.normal();
  for (double& value : x.row(2)) value = std::floor(4 * random.uniform());
  Problem out;
  out.y = Matrix(1, n);
  for (Index i = 0; i < n; ++i) out.y(0, i) = x(0, i) + 0.3 * random.normal();
  for (Index g = 0; g < inputs; ++g) out.features.emplace_back(x.row(g).transpose(), x.row(g).leftCols(centers));
  out.features.emplace_back(Matrix(n, 0), Matrix(0, centers));
  out.centers_y = out.y.leftCols(centers);
  out.center_fold.assign(static_cast<std::size_t>(centers), -1);
  out.weights = Vector(n);
  for (double& weight : out.weights) weight = 0.5 + random.uniform();
  out.fold_begin = {0, n / 3, n};
  out.penalty_weights = Matrix::Ones(inputs + 1, 3);
  return out;
}

class SacdeProducts : public testing::Test {
 protected:
  static constexpr Index inputs = 24;
  static constexpr Index centers = 30;

  SacdeProducts() {
    RandomStream random(8);
    for (Index k = 0; k < problem_.problems(); ++k) {
      Matrix a = Matrix::Zero(centers, inputs + 1);
      for (Index b = 0; b < centers; b += 3) {
        for (const Index g : {Index{0}, Index{4}, inputs}) a(b, g) = random.uniform() / 30;
      }
      coefficients_.push_back(std::move(a));
      exact_.push_back(quadratics_[k].product(coefficients_.back()));
      pulls_.push_back(group_correlations(quadratics_[k].linear(), exact_.back()));
    }
  }

  std::vector<Matrix> products(const std::vector<Vector>& bounds, int threads) const {
    std::vector<const Matrix*> a;
    for (const Matrix& own : coefficients_) a.push_back(&own);
    std::vector<Matrix> q;
    quadratics_.products({0, 1, 2}, a, bounds, q, threads);
    return q;
  }

  /// Whether the columns of a group are those in double precision.
  bool is_exact(const std::vector<Matrix>& q, Index g) const {
    for (std::size_t k = 0; k < q.size(); ++k) {
      if ((q[k].col(g) - exact_[k].col(g)).cwiseAbs().maxCoeff() > 1e-14) return false;
    }
    return true;
  }

  const Problem problem_ = some_problem(150, inputs, centers);
  const Quadratics quadratics_{problem_, sacde::kernel_sums(problem_, width_x, {width_y}, false, 1), width_y, 1e-11};
  std::vector<Matrix> coefficients_;
  std::vector<Matrix> exact_;
  std::vector<Vector> pulls_;
};

TEST_F(SacdeProducts, FarBelowTheirBoundsAreRough) {
  std::vector<Vector> bounds;
  for (const Vector& own : pulls_) bounds.emplace_back(own.array() + 0.1);
  const std::vector<Matrix> q = products(bounds, 1);
  for (Index g = 0; g <= inputs; ++g) {
    const bool has_coefficients = g == 0 || g == 4 || g == inputs;
    EXPECT_EQ(is_exact(q, g), has_coefficients) << g;
    for (std::size_t k = 0; k < q.size(); ++k) {
      EXPECT_LE((q[k].col(g) - exact_[k].col(g)).norm(), 1e-5 * exact_[k].col(g).norm()) << g;
    }
  }
}

TEST_F(SacdeProducts, NearTheirBoundsAreExact) {
  for (const double share : {0.5, 1 - 1e-3, 1 - 1e-5, 1 - 1e-7, 1 + 1e-7}) {
    std::vector<Vector> bounds;
    for (const Vector& own : pulls_) bounds.emplace_back(share * own);
    const std::vector<Matrix> q = products(bounds, 1);
    for (Index g = 0; g <= inputs; ++g) EXPECT_TRUE(is_exact(q, g)) << share << ' ' << g;
  }
}

TEST_F(SacdeProducts, WithoutABoundOrInOneProblemOnlyAreExact) {
  std::vector<Vector> bounds(3, Vector::Constant(inputs + 1, infinity));
  std::vector<Matrix> q = products(bounds, 1);
  for (Index g = 0; g <= inputs; ++g) EXPECT_TRUE(is_exact(q, g)) << g;
  for (Vector& own : bounds) own.setConstant(10);
  bounds[1][5] = pulls_[1][5];
  bounds[2][6] = 0;
  q = products(bounds, 1);
  EXPECT_TRUE(is_exact(q, 5));
  EXPECT_TRUE(is_exact(q, 6));
  EXPECT_FALSE(is_exact(q, 7));
}

TEST_F(SacdeProducts, DoNotDependOnThreads) {
  std::vector<Vector> bounds;
  for (const Vector& own : pulls_) bounds.emplace_back(1.1 * own);
  const std::vector<Matrix> q = products(bounds, 1);
  for (const int threads : {2, 7}) {
    const std::vector<Matrix> other = products(bounds, threads);
    for (std::size_t k = 0; k < q.size(); ++k) EXPECT_EQ(q[k], other[k]) << threads;
  }
}

}  // namespace
}  // namespace condens::sacde_operator_test
