#include "linalg/ridge_systems.hpp"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <cmath>
#include <deque>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "condens/core/errors.hpp"
#include "condens/core/random.hpp"
#include "support/normals.hpp"

namespace condens::ridge_systems_test {
namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

using LongMatrix = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;
using LongVector = Eigen::Matrix<long double, Eigen::Dynamic, 1>;

/// Systems with the matrices that they point to (a deque never moves them).
struct Systems {
  std::deque<Matrix> grams;
  std::deque<Vector> rights;
  std::vector<RidgeSystem> list;

  void add(Matrix gram, Vector right, double ridge) {
    grams.push_back(std::move(gram));
    rights.push_back(std::move(right));
    list.push_back({&grams.back(), &rights.back(), ridge});
  }
};

/// A Gram matrix of rank at most b / 2 + 1, eigenvalues about 1; NaN above the diagonal, which must not be read.
Matrix gram_of_order(Index order, RandomStream& random) {
  const Index samples = order / 2 + 1;
  const Matrix features = normals(order, samples, random);
  Matrix gram = features * features.transpose() / static_cast<double>(samples);
  gram.triangularView<Eigen::StrictlyUpper>().setConstant(nan);
  return gram;
}

void add_random(Systems& systems, Index order, double ridge, RandomStream& random) {
  systems.add(gram_of_order(order, random), normals(order, 1, random), ridge);
}

LongVector reference(const RidgeSystem& system) {
  LongMatrix shifted = LongMatrix(system.gram->cast<long double>().selfadjointView<Eigen::Lower>());
  shifted.diagonal().array() += static_cast<long double>(system.ridge);
  return shifted.ldlt().solve(LongVector(system.right->cast<long double>()));
}

void expect_solved(const Systems& systems) {
  const Matrix solutions = solve_ridge_systems(systems.list);
  ASSERT_EQ(solutions.cols(), static_cast<Index>(systems.list.size()));
  for (std::size_t s = 0; s < systems.list.size(); ++s) {
    const RidgeSystem& system = systems.list[s];
    const Index order = system.right->size();
    const auto column = solutions.col(static_cast<Index>(s));
    ASSERT_TRUE((column.tail(solutions.rows() - order).array() == 0.0).all());
    if (order == 0) continue;
    const LongVector exact = reference(system);
    // Cholesky: error <= order * eps * condition (Higham 2002, theorem 10.4); trace / ridge + 1 bounds the condition.
    const double condition = system.gram->trace() / system.ridge + 1.0;
    const double error = static_cast<double>((column.head(order).cast<long double>() - exact).norm() / exact.norm());
    ASSERT_LE(error, static_cast<double>(order) * eps * condition) << "order " << order << ", ridge " << system.ridge;
  }
}

TEST(RidgeSystems, EqualTheReferenceForEveryOrder) {
  RandomStream random(1);
  std::vector<Index> orders{63, 64, 100, 199, 200, 201, 260};
  for (Index order = 1; order <= 40; ++order) orders.push_back(order);
  for (const Index order : orders) {
    Systems systems;
    for (const double ridge : {10.0, 1e-2, 1e-5}) add_random(systems, order, ridge, random);
    expect_solved(systems);
  }
}

TEST(RidgeSystems, SolveOneToManyAtOnce) {
  RandomStream random(2);
  for (std::size_t count = 0; count <= 25; ++count) {
    Systems systems;
    for (std::size_t s = 0; s < count; ++s) add_random(systems, 13, std::pow(10.0, random.normal()), random);
    expect_solved(systems);
  }
}

TEST(RidgeSystems, ShareAMatrixAmongManyRidges) {
  RandomStream random(3);
  Systems systems;
  add_random(systems, 37, 1.0, random);
  for (double ridge = 1e-6; ridge < 1e6; ridge *= 3.0) {
    systems.list.push_back({&systems.grams.front(), &systems.rights.front(), ridge});
  }
  expect_solved(systems);
}

TEST(RidgeSystems, MixOrders) {
  RandomStream random(4);
  for (const Index largest : {50, 230}) {
    Systems systems;
    for (const Index order : {7, 1, 8, 0, 33, 12, 50, 4, 21, 3}) add_random(systems, order, 0.1, random);
    add_random(systems, largest, 0.1, random);
    expect_solved(systems);
  }
}

TEST(RidgeSystems, DoNotInfluenceEachOther) {
  RandomStream random(5);
  Systems systems;
  for (const Index order : {30, 30, 29, 17, 30, 64, 5, 30, 100, 1, 64, 200, 30})
    add_random(systems, order, 0.01, random);
  const Matrix together = solve_ridge_systems(systems.list);
  for (std::size_t s = 0; s < systems.list.size(); ++s) {
    const Matrix alone = solve_ridge_systems({systems.list[s]});
    // To the bit, whatever shared the vector registers.
    ASSERT_EQ(Matrix(together.col(static_cast<Index>(s)).head(alone.rows())), alone) << s;
  }
}

TEST(RidgeSystems, KeepTinyComponents) {
  // The solution falls to 1e-30 of its largest component and below. An orthogonal
  // reduction of H would leave errors of 1e-16 there; Cholesky keeps each component.
  RandomStream random(6);
  for (const Index order : {6, 45, 100, 260}) {
    Matrix gram(order, order);
    for (double& value : gram.reshaped()) value = 1e-30 * random.uniform();
    for (Index i = 0; i < order; ++i) gram(i, i) = 1.0 + random.uniform();
    Systems systems;
    systems.add(gram, Vector::Unit(order, 0), 1e-3);
    systems.add(gram, Vector::Unit(order, order - 1), 1e-3);
    const Matrix solutions = solve_ridge_systems(systems.list);
    for (std::size_t s = 0; s < 2; ++s) {
      const LongVector exact = reference(systems.list[s]);
      for (Index i = 0; i < order; ++i) {
        ASSERT_LE(std::abs(solutions(i, static_cast<Index>(s)) / exact[i] - 1.0L), 1e-12L) << order << ", " << i;
      }
    }
  }
}

TEST(RidgeSystems, RefuseAMatrixThatIsNotPositiveDefinite) {
  RandomStream random(7);
  for (const Index order : {1, 2, 5, 64, 220}) {
    for (const int bad : {0, 3, 9}) {
      for (const double value : {-1.0, -0.25, nan}) {  // with the ridge: negative, exactly zero, not a number
        Systems systems;
        for (int s = 0; s < 10; ++s) add_random(systems, order, 0.25, random);
        Matrix& gram = systems.grams.at(static_cast<std::size_t>(bad));
        gram.row(order - 1).setZero();
        gram(order - 1, order - 1) = value;
        std::string complaint;
        try {
          solve_ridge_systems(systems.list);
        } catch (const NumericalError& error) {
          complaint = error.what();
        }
        EXPECT_EQ(complaint, "H + 0.25 I is not positive definite; give a larger regularization")
            << order << ", " << bad << ", " << value;
      }
    }
  }
}

}  // namespace
}  // namespace condens::ridge_systems_test
