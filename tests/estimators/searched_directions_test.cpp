// MAVE and KDR against plain formulas and planted directions, and as methods of the model `sliced`.

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>

#include "condens/core/random.hpp"
#include "condens/estimators/lscde.hpp"
#include "condens/estimators/sliced.hpp"
#include "condens/registry.hpp"
#include "estimators/sliced/kdr.hpp"
#include "estimators/sliced/mave.hpp"
#include "optim/grassmann.hpp"
#include "support/complaint.hpp"
#include "support/normals.hpp"

namespace condens::searched_directions_test {
namespace {

using reduction::KdrObjective;

/// y is a monotone or an even function of one direction of four inputs.
Dataset planted(Index n, bool even, std::uint64_t seed = 1) {
  const Matrix x = normals(4, n, seed);
  const Matrix noise = normals(1, n, seed + 1000);
  Matrix y(1, n);
  for (Index i = 0; i < n; ++i) {
    const double z = (x(0, i) - x(2, i)) / std::sqrt(2.0);
    y(0, i) = even ? z * z + 0.3 * noise(0, i) : 2 * std::sin(z) + 0.3 * noise(0, i);
  }
  return {.x = x, .y = y, .weights = Vector::Ones(n)};
}

const Matrix truth = Matrix{{1, 0, -1, 0}} / std::sqrt(2.0);

double angle(const Matrix& w) { return principal_angles(w, truth)[0]; }

void no_poll() {}

TEST(Kdr, IsTheFormulaOfThePaper) {
  const Dataset data = planted(30, false);
  const Matrix w = orthonormal_rows(normals(2, 4, 5));
  const double width = 0.8;
  const double eps = 0.05;
  const Index n = data.size();
  Matrix gram_z(n, n);
  Matrix gram_y(n, n);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) {
      gram_z(i, j) = std::exp(-(w * (data.x.col(i) - data.x.col(j))).squaredNorm() / (2 * width * width));
      gram_y(i, j) = std::exp(-(data.y.col(i) - data.y.col(j)).squaredNorm() / 2);
    }
  }
  const Matrix c = Matrix::Identity(n, n) - Matrix::Constant(n, n, 1.0 / static_cast<double>(n));
  const Matrix system = c * gram_z * c + static_cast<double>(n) * eps * Matrix::Identity(n, n);
  const double plain = eps * (c * gram_y * c * system.inverse()).trace();
  Matrix gradient;
  EXPECT_NEAR(KdrObjective(data, width, eps)(w, gradient), plain, 1e-12);
}

TEST(Kdr, GradientAgreesWithDifferences) {
  Dataset data = planted(25, false);
  for (Index i = 0; i < 25; i += 3) data.weights[i] = 2.5;
  const KdrObjective objective(data, 0.9, 0.02);
  const Matrix w = normals(2, 4, 7);
  Matrix gradient;
  objective(w, gradient);
  Matrix ignored;
  for (Index k = 0; k < w.size(); ++k) {
    constexpr double h = 1e-5;
    Matrix above = w;
    Matrix below = w;
    above.reshaped()[k] += h;
    below.reshaped()[k] -= h;
    const double difference = (objective(above, ignored) - objective(below, ignored)) / (2 * h);
    EXPECT_NEAR(gradient.reshaped()[k], difference, 1e-8) << k;
  }
}

TEST(Kdr, AWeightIsThatManyCopies) {
  Dataset weighted = planted(20, false);
  std::vector<Index> rows = {4, 4};
  for (Index i = 0; i < 20; ++i) rows.push_back(i);
  Dataset copies = weighted.subset(rows);
  weighted.weights[4] = 3;
  Matrix one;
  Matrix other;
  const Matrix w = normals(1, 4, 7);
  EXPECT_NEAR(KdrObjective(weighted, 1, 0.01)(w, one), KdrObjective(copies, 1, 0.01)(w, other), 1e-11);
  EXPECT_LT((one - other).cwiseAbs().maxCoeff(), 1e-11);
}

/// sum_j sum_i k_ij (y_i - a_j - b_j'W (x_i - x_j))^2 for the best a_j and b_j of `w`, by plain normal equations.
struct PlainMave {
  double value = 0;
  Matrix next;  // the best W for these, not orthonormal
};
PlainMave plain_mave(const Dataset& data, const Matrix& w) {
  const Index n = data.size();
  const Index d = w.rows();
  const Index d_x = w.cols();
  const double h = std::pow(static_cast<double>(n), -1.0 / static_cast<double>(d + 4)) * std::sqrt(double(d));
  PlainMave out;
  Matrix system = Matrix::Zero(d * d_x, d * d_x);
  Vector right = Vector::Zero(d * d_x);
  for (Index j = 0; j < n; ++j) {
    Vector k(n);
    Matrix design(n, d + 1);
    for (Index i = 0; i < n; ++i) {
      const Vector z = w * (data.x.col(i) - data.x.col(j));
      k[i] = std::exp(-z.squaredNorm() / (2 * h * h));
      design(i, 0) = 1;
      design.row(i).tail(d) = z.transpose();
    }
    k /= k.sum();
    const Matrix normal = design.transpose() * k.asDiagonal() * design;
    const Vector line = normal.inverse() * (design.transpose() * k.asDiagonal() * data.y.row(0).transpose());
    for (Index i = 0; i < n; ++i) {
      const Vector away = data.x.col(i) - data.x.col(j);
      Vector regressor(d * d_x);
      for (Index a = 0; a < d; ++a) regressor.segment(a * d_x, d_x) = line[a + 1] * away;
      system += k[i] * regressor * regressor.transpose();
      right += k[i] * (data.y(0, i) - line[0]) * regressor;
      out.value += k[i] * std::pow(data.y(0, i) - design.row(i).dot(line), 2);
    }
  }
  const Vector found = system.inverse() * right;
  out.next = found.reshaped(d_x, d).transpose();
  return out;
}

TEST(Mave, AStepIsTheLeastSquaresSolution) {
  const Dataset data = planted(60, false);
  const Matrix w = orthonormal_rows(truth + 0.5 * normals(1, 4, 3));
  const Matrix plain = orthonormal_rows(plain_mave(data, w).next);
  EXPECT_LT(principal_angles(reduction::mave_step(data, w), plain)[0], 1e-4);  // its ridge is 1e-6
}

TEST(Mave, LowersTheAverageVarianceAndFindsTheDirection) {
  const Dataset data = planted(200, false);
  const Matrix first = orthonormal_rows(truth + 0.8 * normals(1, 4, 3));
  const Matrix w = reduction::mave_directions(data, 1, no_poll);
  EXPECT_LT(plain_mave(data, w).value, plain_mave(data, first).value);
  EXPECT_LT(angle(w), 0.1);
  EXPECT_LT((w * w.transpose() - Matrix::Identity(1, 1)).norm(), 1e-12);
}

TEST(Mave, TooManyNumbersAreNamed) {
  const Dataset data{.x = normals(1001, 5, 1), .y = normals(1, 5, 2), .weights = Vector::Ones(5)};
  EXPECT_EQ(
      complaint([&] { reduction::mave_directions(data, 2, no_poll); }),
      "method = mave: 2 directions of 1001 inputs are 2002 numbers, expected at most 2000; choose fewer inputs or "
      "another method");
}

Document options(const std::string& method) {
  Document inner(Document::Object{});
  inner.set("metric", "none").set("refine", false);
  Document out(Document::Object{});
  return out.set("method", method).set("n_components", Document(std::vector<double>{1})).set("options", inner);
}

Matrix components_of(const Dataset& data, const Document& how, int threads = 1) {
  const auto model = find_model("sliced").fit(data, "recommended", how, {.threads = threads, .observer = {}});
  return dynamic_cast<const SlicedDensity&>(*model).components();
}

TEST(SearchedDirections, KdrAndMaveFindAnEvenFunction) {
  const Dataset data = planted(150, true);
  EXPECT_LT(angle(components_of(data, options("kdr"))), 0.15);
  EXPECT_LT(angle(components_of(data, options("mave"))), 0.15);
  EXPECT_GT(angle(components_of(data, options("sir"))), 0.5) << "the mean of x does not move with y";
}

TEST(SearchedDirections, ConstantInputsHaveNoPartAndThreadsDoNotChangeOneBit) {
  Dataset data = planted(80, false);
  Matrix x = data.x;
  x.row(3).setConstant(2.0);
  data.x = x;
  for (const std::string method : {"mave", "kdr"}) {
    const Matrix w = components_of(data, options(method));
    EXPECT_EQ(w(0, 3), 0.0) << method;
    EXPECT_NEAR(w.norm(), 1.0, 1e-12) << method;
    for (const int threads : {2, 7}) EXPECT_EQ(components_of(data, options(method), threads), w) << method;
  }
}

}  // namespace
}  // namespace condens::searched_directions_test
