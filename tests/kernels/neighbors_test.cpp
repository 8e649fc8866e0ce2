// Neighbours by a tree against every distance in a plain loop: the same rows, the same order, the same bits.

#include "condens/kernels/neighbors.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "linalg/vector_math.hpp"
#include "support/complaint.hpp"
#include "support/normals.hpp"

namespace condens::neighbors_test {
namespace {

Neighborhood plain_within(const Matrix& points, const Vector& x, double squared_radius) {
  Neighborhood out;
  for (Index i = 0; i < points.cols(); ++i) {
    double distance = 0;
    for (Index k = 0; k < points.rows(); ++k) {
      distance = multiply_add(points(k, i) - x[k], points(k, i) - x[k], distance);
    }
    if (!(distance <= squared_radius)) continue;
    out.rows.push_back(i);
    out.squared_distances.push_back(distance);
  }
  return out;
}

void expect_equal(const Neighborhood& found, const Neighborhood& expected) {
  EXPECT_EQ(found.rows, expected.rows);
  EXPECT_EQ(found.squared_distances, expected.squared_distances);
}

class NeighborsBySearch : public ::testing::TestWithParam<NeighborSearch> {};

TEST_P(NeighborsBySearch, FindsWhatAPlainLoopFinds) {
  for (const Index d : {1, 2, 3, 5, 9}) {
    const Matrix points = normals(d, 1500, 1);
    const Neighbors neighbors(points, GetParam());
    EXPECT_EQ(neighbors.uses_tree(), GetParam() == NeighborSearch::tree);
    const Matrix queries = normals(d, 20, 2);
    Neighborhood found;
    for (Index q = 0; q < queries.cols(); ++q) {
      for (const double radius : {0.01, 0.3, 1.0, 2.0, 100.0}) {  // from none to all
        neighbors.within(queries.col(q), radius * radius, found);
        expect_equal(found, plain_within(points, queries.col(q), radius * radius));
      }
    }
  }
}

TEST_P(NeighborsBySearch, KeepsTiesAtTheBoundaryAndDuplicates) {
  // A lattice, every point twice: distances are exact, and many equal the radius.
  Matrix points(2, 2 * 41 * 41);
  Index i = 0;
  for (int copy = 0; copy < 2; ++copy) {
    for (int a = -20; a <= 20; ++a) {
      for (int b = -20; b <= 20; ++b) points.col(i++) << a, b;
    }
  }
  const Neighbors neighbors(points, GetParam());
  Neighborhood found;
  neighbors.within(Vector::Zero(2), 25.0, found);
  EXPECT_EQ(found.rows.size(), 2U * 81U);  // lattice points in a disc of radius 5
  EXPECT_EQ(std::count(found.squared_distances.begin(), found.squared_distances.end(), 25.0), 2 * 12);
  expect_equal(found, plain_within(points, Vector::Zero(2), 25.0));
  neighbors.within(Vector::Zero(2), std::nextafter(25.0, 0.0), found);
  EXPECT_EQ(found.rows.size(), 2U * 69U);
  neighbors.nearest(Vector::Constant(2, 0.5), found);
  EXPECT_EQ(found.rows.size(), 8U);
  for (const double distance : found.squared_distances) EXPECT_EQ(distance, 0.5);
  // The same distance, and the same but for rounding.
  neighbors.nearest(Vector{{0.5, 0.5 + 1e-14}}, found);
  EXPECT_EQ(found.rows.size(), 8U);
  // 1/10 is no binary number: squares of distances round, in the tree and in the loop.
  const Neighbors tenths(0.1 * points, GetParam());
  for (const double radius : {0.1, 0.3, 0.5, 1.3}) {
    tenths.within(Vector::Zero(2), radius * radius, found);
    expect_equal(found, plain_within(0.1 * points, Vector::Zero(2), radius * radius));
  }
}

TEST_P(NeighborsBySearch, FindsTheNearestFromFarAway) {
  const Matrix points = normals(3, 1000, 3);
  const Neighbors neighbors(points, GetParam());
  Neighborhood found;
  for (const double x : {0.2, 40.0, -1e6}) {
    const Vector query = Vector::Constant(3, x);
    neighbors.nearest(query, found);
    const double smallest = neighbors.squared_distances_to(query).minCoeff();
    expect_equal(found, plain_within(points, query, smallest));
    EXPECT_EQ(found.rows.size(), 1U);
  }
  for (const double x : {1e100, 1e200}) {  // all distances round to one number, or overflow
    neighbors.nearest(Vector::Constant(3, x), found);
    EXPECT_EQ(found.rows.size(), 1000U) << x;
  }
  neighbors.within(Vector::Constant(3, 1e200), 1.0, found);
  EXPECT_TRUE(found.rows.empty());
}

TEST_P(NeighborsBySearch, WithoutDimensionsAllAreAtDistanceZero) {
  const Neighbors neighbors(Matrix(0, 5), GetParam());
  Neighborhood found;
  neighbors.within(Vector(0), 1e-9, found);
  EXPECT_EQ(found.rows.size(), 5U);
  neighbors.nearest(Vector(0), found);
  EXPECT_EQ(found.rows.size(), 5U);
}

INSTANTIATE_TEST_SUITE_P(Searches, NeighborsBySearch,
                         ::testing::Values(NeighborSearch::brute_force, NeighborSearch::tree));

TEST(Neighbors, ATreeServesManySamplesInFewDimensions) {
  EXPECT_FALSE(Neighbors(Matrix::Random(3, 100)).uses_tree());
  EXPECT_TRUE(Neighbors(Matrix::Random(3, 3000)).uses_tree());
  EXPECT_FALSE(Neighbors(Matrix::Random(20, 3000)).uses_tree());
  EXPECT_EQ(complaint([] { Neighbors(Matrix(2, 0)); }), "Neighbors: no points, expected at least one");
}

}  // namespace
}  // namespace condens::neighbors_test
