// The leave-one-out likelihood against plain loops (support/plain_nw.hpp) and differences.

#include "condens/estimators/nadaraya_watson/leave_one_out.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "condens/core/errors.hpp"
#include "condens/core/random.hpp"
#include "support/complaint.hpp"
#include "support/normals.hpp"
#include "support/plain_nw.hpp"

namespace condens::nw_likelihood_test {
namespace {

struct Sample {
  Matrix x;
  Matrix y;
  Vector weights;
};

Sample sample(Index n, Index d_x, Index d_y, std::uint64_t seed = 1) {
  RandomStream random(seed);
  Sample out{normals(d_x, n, random), normals(d_y, n, random), Vector(n)};
  if (d_x > 0) out.y.row(0) += 0.8 * out.x.row(0);
  for (double& w : out.weights) w = 0.2 + random.uniform();
  return out;
}

Defensive defensive(const Sample& s, double weight) {
  return {weight, Vector::Constant(s.y.rows(), 0.1), Vector::Constant(s.y.rows(), 2.0)};
}

double plain_value(const Sample& s, const Matrix& t, double h_y, const Defensive& broad) {
  double out = 0;
  for (Index i = 0; i < s.y.cols(); ++i) {
    double density = std::exp(plain::nw_log_density(s.x, s.y, s.weights, t, h_y, s.x.col(i), s.y.col(i), i));
    if (broad.weight > 0) {
      density = (1 - broad.weight) * density +
                broad.weight * std::exp(plain::normal_log_density(s.y.col(i), broad.mean, broad.scale));
    }
    out += s.weights[i] * std::log(density);
  }
  return out / s.weights.sum();
}

TEST(NwLikelihood, EqualsPlainLoops) {
  for (const auto& [n, d_x, d_y] : {std::tuple{2, 1, 1}, {50, 3, 1}, {130, 2, 2}, {90, 0, 1}}) {
    for (const double weight : {0.0, 0.05}) {
      const Sample s = sample(n, d_x, d_y);
      const Defensive broad = defensive(s, weight);
      const NwLeaveOneOut likelihood(s.x, s.y, s.weights, broad);
      const Vector h = Vector::LinSpaced(d_x, 0.5, 1.2);
      const Matrix t = h.cwiseInverse().asDiagonal();
      EXPECT_NEAR(likelihood.of_widths(h, 0.4).value, plain_value(s, t, 0.4, broad), 1e-12) << n << ' ' << d_x;
      const Matrix w = normals(2, d_x, 7);
      EXPECT_NEAR(likelihood.of_matrix(w, 0.4).value, plain_value(s, w, 0.4, broad), 1e-12) << n << ' ' << d_x;
    }
  }
}

TEST(NwLikelihood, RowsAreTheirOwnLogDensities) {
  const Sample s = sample(40, 2, 1);
  const NwLikelihood found = NwLeaveOneOut(s.x, s.y, s.weights).of_widths(Vector::Constant(2, 0.8), 0.3);
  for (Index i = 0; i < 40; ++i) {
    EXPECT_NEAR(
        found.rows[i],
        plain::nw_log_density(s.x, s.y, s.weights, Matrix::Identity(2, 2) / 0.8, 0.3, s.x.col(i), s.y.col(i), i),
        1e-12);
  }
  EXPECT_NEAR(found.value, found.rows.dot(s.weights) / s.weights.sum(), 1e-14);
}

TEST(NwLikelihood, GradientsAreThoseOfDifferences) {
  for (const double weight : {0.0, 0.1}) {
    for (const Index d_y : {1, 2}) {
      const Sample s = sample(150, 3, d_y);
      const NwLeaveOneOut likelihood(s.x, s.y, s.weights, defensive(s, weight));
      const Vector h{{0.4, 0.9, 2.0}};
      const double h_y = 0.35;
      const double step = 1e-5;  // error of the difference: step^2, and 1e-16 / step
      const NwLikelihood here = likelihood.of_widths(h, h_y);
      for (Index k = 0; k < 3; ++k) {
        Vector up = h;
        Vector down = h;
        up[k] *= std::exp(step);
        down[k] *= std::exp(-step);
        const double difference =
            (likelihood.of_widths(up, h_y).value - likelihood.of_widths(down, h_y).value) / (2 * step);
        EXPECT_NEAR(here.gradient(k, 0), difference, 1e-6 * std::abs(difference) + 1e-9) << k;
      }
      const auto by_y = [&](double t) { return likelihood.of_widths(h, h_y * std::exp(t)).value; };
      EXPECT_NEAR(here.gradient_y, (by_y(step) - by_y(-step)) / (2 * step), 1e-6 * std::abs(here.gradient_y));

      const Matrix w = normals(2, 3, 5);
      const NwLikelihood mapped = likelihood.of_matrix(w, h_y);
      for (Index k = 0; k < w.size(); ++k) {
        Matrix up = w;
        Matrix down = w;
        up.reshaped()[k] += step;
        down.reshaped()[k] -= step;
        const double difference =
            (likelihood.of_matrix(up, h_y).value - likelihood.of_matrix(down, h_y).value) / (2 * step);
        EXPECT_NEAR(mapped.gradient.reshaped()[k], difference, 1e-6 * std::abs(difference) + 1e-9) << k;
      }
    }
  }
}

TEST(NwLikelihood, ADiagonalMatrixEqualsItsWidths) {
  const Sample s = sample(100, 3, 1);
  const NwLeaveOneOut likelihood(s.x, s.y, s.weights, defensive(s, 1e-3));
  const Vector h{{0.5, 1.0, 3.0}};
  const NwLikelihood widths = likelihood.of_widths(h, 0.3);
  const NwLikelihood matrix = likelihood.of_matrix(Matrix(h.cwiseInverse().asDiagonal()), 0.3);
  EXPECT_NEAR(matrix.value, widths.value, 1e-14);
  EXPECT_NEAR(matrix.gradient_y, widths.gradient_y, 1e-13);
  // d value / d log h_k = -W_kk d value / d W_kk.
  for (Index k = 0; k < 3; ++k) EXPECT_NEAR(-matrix.gradient(k, k) / h[k], widths.gradient(k, 0), 1e-12);
}

TEST(NwLikelihood, RotationsOfTheMappedInputsDoNotMatter) {
  const Sample s = sample(60, 2, 1);
  const NwLeaveOneOut likelihood(s.x, s.y, s.weights);
  const Matrix w = normals(2, 2, 3);
  const Matrix turn{{std::cos(0.7), -std::sin(0.7)}, {std::sin(0.7), std::cos(0.7)}};
  EXPECT_NEAR(likelihood.of_matrix(turn * w, 0.3).value, likelihood.of_matrix(w, 0.3).value, 1e-13);
}

TEST(NwLikelihood, InfiniteWidthsLeaveTheMarginalDensity) {
  const Sample s = sample(60, 2, 1);
  const NwLikelihood found =
      NwLeaveOneOut(s.x, s.y, s.weights).of_widths(Vector::Constant(2, std::numeric_limits<double>::infinity()), 0.4);
  EXPECT_NEAR(found.value, NwLeaveOneOut(Matrix(0, 60), s.y, s.weights).of_widths(Vector(0), 0.4).value, 1e-13);
  EXPECT_EQ(found.gradient, Matrix::Zero(2, 1));
}

TEST(NwLikelihood, OneHeavyRowEqualsItsCopiesThatLeaveTogether) {
  // A row leaves with its whole weight: as if all its copies left, which is what a sum without
  // every copy says. As neighbours of other rows, copies and weights are the same.
  const Sample s = sample(30, 2, 1);
  Sample heavy = s;
  heavy.weights.setOnes();
  heavy.weights[4] = 3.0;
  const Vector found = NwLeaveOneOut(heavy.x, heavy.y, heavy.weights).of_widths(Vector::Ones(2), 0.5).rows;
  Matrix x(2, 32);
  Matrix y(1, 32);
  x << s.x, s.x.col(4), s.x.col(4);
  y << s.y, s.y.col(4), s.y.col(4);
  const Vector copies = NwLeaveOneOut(x, y).of_widths(Vector::Ones(2), 0.5).rows;
  for (Index i = 0; i < 30; ++i) {
    if (i == 4) continue;
    EXPECT_NEAR(found[i], copies[i], 1e-13) << i;
  }
  EXPECT_GT(copies[4], found[4]) << "a copy that stays predicts the one that leaves";
}

TEST(NwLikelihood, ScaleOfWeightsAndPlaceOfDataDoNotMatter) {
  const Sample s = sample(80, 2, 1);
  const NwLikelihood here = NwLeaveOneOut(s.x, s.y, s.weights).of_widths(Vector::Ones(2), 0.4);
  const Matrix moved = s.x.array() + 1024.0;
  const NwLikelihood there = NwLeaveOneOut(moved, s.y, 1e-3 * s.weights).of_widths(Vector::Ones(2), 0.4);
  EXPECT_NEAR(there.value, here.value, 1e-11);
  EXPECT_LE((there.gradient - here.gradient).cwiseAbs().maxCoeff(), 1e-10);
}

double log_sum(const std::vector<double>& values) {
  double top = values.front();
  for (const double value : values) top = std::max(top, value);
  double total = 0;
  for (const double value : values) total += std::exp(value - top);
  return top + std::log(total);
}

TEST(NwLikelihood, RowsFarFromAllOthersCountAsTheyShould) {
  // Two rows 150 widths away from the rest: all kernels underflow, and yet the nearest rows predict them.
  Sample s = sample(40, 1, 1);
  s.weights.setOnes();
  s.x(0, 7) = 150.0;
  s.x(0, 8) = -150.0;
  const double h_y = 0.02;
  const NwLeaveOneOut likelihood(s.x, s.y, s.weights);
  const NwLikelihood found = likelihood.of_widths(Vector::Ones(1), h_y);
  for (const Index i : {7, 8}) {
    std::vector<double> above;
    std::vector<double> below;
    for (Index j = 0; j < 40; ++j) {
      if (j == i) continue;
      below.push_back(-0.5 * std::pow(s.x(0, i) - s.x(0, j), 2));
      above.push_back(below.back() - 0.5 * std::pow((s.y(0, i) - s.y(0, j)) / h_y, 2));
    }
    EXPECT_LT(log_sum(below), -750) << "its exponential is 0";
    const double expected = log_sum(above) - log_sum(below) - std::log(std::sqrt(2 * std::numbers::pi) * h_y);
    EXPECT_NEAR(found.rows[i], expected, 1e-9);  // differences of numbers of size 1e4
  }
  EXPECT_TRUE(found.gradient.allFinite());
  const double step = 1e-5;
  const auto by_x = [&](double t) { return likelihood.of_widths(Vector::Constant(1, std::exp(t)), h_y).value; };
  const double difference = (by_x(step) - by_x(-step)) / (2 * step);
  EXPECT_NEAR(found.gradient(0, 0), difference, 1e-6 * std::abs(difference));
}

TEST(NwLikelihood, ThreadsDoNotChangeOneBit) {
  const Sample s = sample(1500, 4, 1);
  const NwLeaveOneOut likelihood(s.x, s.y, s.weights, defensive(s, 1e-3));
  const NwLikelihood one = likelihood.of_widths(Vector::Ones(4), 0.3);
  for (const int threads : {2, 7}) {
    const NwLikelihood more = likelihood.of_widths(Vector::Ones(4), 0.3, threads);
    EXPECT_EQ(more.rows, one.rows);
    EXPECT_EQ(more.gradient, one.gradient);
    EXPECT_EQ(more.gradient_y, one.gradient_y);
  }
}

TEST(NwLikelihood, CanBeCancelled) {
  const Sample s = sample(300, 1, 1);
  EXPECT_THROW(NwLeaveOneOut(s.x, s.y).of_widths(Vector::Ones(1), 0.3, 1, [] { throw Cancelled(); }), Cancelled);
}

TEST(NwLikelihood, SaysWhatIsWrong) {
  const Sample s = sample(10, 2, 1);
  const NwLeaveOneOut good(s.x, s.y);
  const double nan = std::nan("");
  EXPECT_EQ(complaint([&] { NwLeaveOneOut(s.x.leftCols(1), s.y.leftCols(1)); }),
            "leave-one-out likelihood: 1 rows, expected at least two");
  EXPECT_EQ(complaint([&] { NwLeaveOneOut(s.x.leftCols(9), s.y); }),
            "leave-one-out likelihood: x has 9 rows and y 10, expected as many");
  EXPECT_EQ(complaint([&] { NwLeaveOneOut(s.x, Matrix(0, 10)); }),
            "leave-one-out likelihood: y has no columns, expected at least one");
  EXPECT_EQ(complaint([&] { NwLeaveOneOut(Matrix::Constant(2, 10, nan), s.y); }),
            "leave-one-out likelihood: x or y holds NaN or infinity");
  EXPECT_EQ(complaint([&] { NwLeaveOneOut(s.x, s.y, Vector::Ones(3)); }),
            "leave-one-out likelihood: 3 weights for 10 rows");
  EXPECT_EQ(complaint([&] { NwLeaveOneOut(s.x, s.y, Vector::Zero(10)); }),
            "leave-one-out likelihood: weights must be finite and > 0");
  EXPECT_EQ(complaint([&] { good.of_widths(Vector::Ones(3), 0.3); }), "leave-one-out likelihood: 3 widths, expected 2");
  EXPECT_EQ(complaint([&] { good.of_widths(Vector::Zero(2), 0.3); }), "leave-one-out likelihood: widths must be > 0");
  EXPECT_EQ(complaint([&] { good.of_widths(Vector::Constant(2, nan), 0.3); }),
            "leave-one-out likelihood: widths must be > 0");
  EXPECT_EQ(complaint([&] { good.of_matrix(Matrix::Ones(2, 3), 0.3); }),
            "leave-one-out likelihood: W has 3 columns, expected 2");
  EXPECT_EQ(complaint([&] { good.of_matrix(Matrix::Constant(2, 2, nan), 0.3); }),
            "leave-one-out likelihood: W holds NaN or infinity");
  EXPECT_EQ(complaint([&] { good.of_widths(Vector::Ones(2), 0.0); }),
            "leave-one-out likelihood: bandwidth_y = 0, expected > 0");
}

}  // namespace
}  // namespace condens::nw_likelihood_test
