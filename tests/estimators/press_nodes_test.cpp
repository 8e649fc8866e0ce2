// Samples moved to nodes: means stay, and the density errs by less than the stated bound.

#include "condens/estimators/press/nodes.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "condens/core/random.hpp"
#include "support/normals.hpp"
#include "support/sanitized.hpp"

namespace condens::press_nodes_test {
namespace {

Vector random_masses(Index n, std::uint64_t seed) {
  RandomStream random(seed);
  Vector out(n);
  for (double& value : out) value = random.uniform();
  return out / out.sum();
}

double kernel_density(const Matrix& centers, const Vector& mass, double width, const Vector& y) {
  double out = 0;
  for (Index b = 0; b < centers.cols(); ++b) {
    out += mass[b] * std::exp(-0.5 * (y - centers.col(b)).squaredNorm() / (width * width));
  }
  return out / std::pow(std::sqrt(2 * std::numbers::pi) * width, static_cast<double>(y.size()));
}

Vector node_masses(const PressNodes& nodes, const Vector& mass) {
  Vector out = Vector::Zero(nodes.size());
  nodes.spread(mass, 0, out);
  return out;
}

TEST(PressNodes, KeepMassAndMean) {
  for (const Index d : {1, 2, 3}) {
    const Matrix y = normals(d, 400, 3);
    const PressNodes nodes = make_nodes(y, 0.8);
    EXPECT_LT(nodes.size(), 400);
    const Vector mass = random_masses(400, 5);
    const Vector moved = node_masses(nodes, mass);
    EXPECT_NEAR(moved.sum(), 1.0, 1e-12);
    EXPECT_GE(nodes.share.minCoeff(), 0.0);
    EXPECT_LT((nodes.centers * moved - y * mass).norm(), 1e-12);
    const Vector first = nodes.collect(nodes.centers.row(0).transpose(), 0, 400);
    EXPECT_LT((first - y.row(0).transpose()).norm(), 1e-11);
  }
}

TEST(PressNodes, TheDensityErrsByLessThanTheBound) {
  const double width = 0.3;
  for (const double tolerance : {0.3, 0.05, 0.01}) {
    const Matrix y = normals(1, 500, 3);
    const Vector mass = random_masses(500, 5);
    const PressNodes nodes = make_nodes(y, node_spacing(tolerance, 1, width));
    EXPECT_LT(nodes.size(), 250);
    const Vector moved = node_masses(nodes, mass);
    double error = 0;
    const double step = 0.01;
    for (double t = -6; t < 6; t += step) {
      const Vector at = Vector::Constant(1, t);
      error += step * std::abs(kernel_density(y, mass, width, at) - kernel_density(nodes.centers, moved, width, at));
    }
    EXPECT_LT(error, tolerance);
    EXPECT_GT(error, 1e-3 * tolerance);  // something was compressed
  }
}

TEST(PressNodes, InTwoDimensionsToo) {
  const double width = 0.5;
  const double tolerance = 0.1;
  const Index n = sanitized ? 500 : 3000;
  const Matrix y = normals(2, n, 3);
  const Vector mass = random_masses(n, 5);
  const PressNodes nodes = make_nodes(y, node_spacing(tolerance, 2, width));
  EXPECT_LT(nodes.size(), 1000);
  const Vector moved = node_masses(nodes, mass);
  double error = 0;
  const double step = 0.25;
  for (double s = -5; s < 5; s += step) {
    for (double t = -5; t < 5; t += step) {
      const Vector at{{s, t}};
      error +=
          step * step * std::abs(kernel_density(y, mass, width, at) - kernel_density(nodes.centers, moved, width, at));
    }
  }
  EXPECT_LT(error, tolerance);
}

TEST(PressNodes, FewDifferentValuesAreTheNodes) {
  Matrix y(1, 9);
  y << 3, 1, 2, 2, 1, 3, 1, 2, 1e8;
  const PressNodes nodes = make_nodes(y, 0.5);
  EXPECT_EQ(nodes.size(), 4);
  const Vector back = nodes.collect(nodes.centers.row(0).transpose(), 0, 9);
  EXPECT_EQ(back, y.row(0).transpose());
}

TEST(PressNodes, WithoutSpacingEverySampleIsItsNode) {
  const Matrix y = normals(2, 30, 1);
  EXPECT_EQ(make_nodes(y, 0).centers, y);
  EXPECT_EQ(make_nodes(y, 1e-9).centers, y);  // cells would have more corners
  EXPECT_EQ(make_nodes(normals(6, 30, 1), 1.0).size(), 30);
}

}  // namespace
}  // namespace condens::press_nodes_test
