// What many rows say of a Gaussian process through inducing points, by dense algebra with inverses.

#include "estimators/gaussian_process/inducing.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>
#include <numbers>

#include "condens/estimators/gaussian_process.hpp"
#include "support/complaint.hpp"
#include "support/normals.hpp"

namespace condens::inducing_test {
namespace {

using gp::Hyperparameters;
using gp::InducedProcess;

const Hyperparameters example{Vector{{0.9, 1.7}}, 1.3, 0.2};

/// A further target where two are wanted.
Dataset wave(Index n, std::uint64_t seed = 1, Index d_y = 1) {
  RandomStream random(seed);
  const Matrix x = normals(2, n, random);
  Matrix y(d_y, n);
  Vector weights(n);
  for (Index i = 0; i < n; ++i) {
    y(0, i) = std::sin(2 * x(0, i)) + 0.3 * x(1, i) + 0.4 * random.normal();
    if (d_y > 1) y(1, i) = std::cos(x(1, i)) + 0.1 * random.normal();
    weights[i] = i % 3 == 0 ? 2.0 : 1.0;
  }
  return {.x = x, .y = y, .weights = weights};
}

Matrix plain_kernel(const Matrix& a, const Matrix& b) {
  Matrix out(a.cols(), b.cols());
  for (Index i = 0; i < a.cols(); ++i) {
    for (Index j = 0; j < b.cols(); ++j) {
      const Vector z = (a.col(i) - b.col(j)).cwiseQuotient(example.length_scales);
      out(i, j) = example.signal_variance * std::exp(-0.5 * z.squaredNorm());
    }
  }
  return out;
}

/// Titsias (2009), eqs. 6 and 10, with the nugget of k(Z, Z).
struct Plain {
  Matrix prior;      // k(Z, Z)^-1
  Matrix posterior;  // (k(Z, Z) + k(Z, X) D^-1 k(X, Z))^-1
  Vector right;      // k(Z, X) D^-1 y

  Plain(const Matrix& points, const Dataset& rows) {
    Matrix own = plain_kernel(points, points);
    own.diagonal().array() += 1e-6 * example.signal_variance;
    const Matrix cross = plain_kernel(points, rows.x);
    const Vector precision = rows.weights / example.noise_variance;
    prior = own.inverse();
    posterior = Matrix(own + cross * precision.asDiagonal() * cross.transpose()).inverse();
    right = cross * precision.cwiseProduct(Vector(rows.y.row(0).transpose()));
  }
};

TEST(InducedProcess, EqualsTheFormulasWithInverses) {
  const Dataset rows = wave(60);
  const Matrix points = rows.x.leftCols(12);
  const InducedProcess process(points, rows, 0, example, 2);
  const Plain plain(points, rows);
  const Matrix x = wave(7, 2).x;
  Vector mean;
  Vector variance;
  process.predict(x, mean, variance);
  const Matrix cross = plain_kernel(points, x);
  for (Index i = 0; i < 7; ++i) {
    const Vector k = cross.col(i);
    EXPECT_NEAR(mean[i], k.dot(plain.posterior * plain.right), 1e-8);
    EXPECT_NEAR(variance[i], example.signal_variance - k.dot(plain.prior * k) + k.dot(plain.posterior * k), 1e-8);
  }
  EXPECT_LT((cross.transpose() * process.kernel_coefficients() - mean).cwiseAbs().maxCoeff(), 1e-9);
  double open = 0;
  for (Index i = 0; i < 60; ++i) {
    const Vector k = plain_kernel(points, rows.x.col(i));
    open += (1 - k.dot(plain.prior * k) / example.signal_variance) / 60;
  }
  EXPECT_NEAR(process.share_unexplained(), open, 1e-8);
}

TEST(InducedProcess, WithAllRowsAsPointsIsTheProcessItself) {
  const Dataset rows = wave(40);
  const InducedProcess process(rows.x, rows, 0, example, 1);
  Matrix covariance = plain_kernel(rows.x, rows.x);
  covariance.diagonal() += example.noise_variance * rows.weights.cwiseInverse();
  const Matrix x = wave(9, 2).x;
  const Matrix cross = plain_kernel(rows.x, x);
  Vector mean;
  Vector variance;
  process.predict(x, mean, variance);
  // The nugget of 1e-6 of the signal variance is what they differ by: against a noise of 0.2, and more where rows are
  // close.
  EXPECT_LT((mean - cross.transpose() * covariance.inverse() * rows.y.row(0).transpose()).cwiseAbs().maxCoeff(), 1e-3);
  const Vector exact =
      example.signal_variance - (cross.array() * (covariance.inverse() * cross).array()).colwise().sum().transpose();
  EXPECT_LT((variance - exact).cwiseAbs().maxCoeff(), 1e-3);
}

TEST(InducedProcess, KnowsWhatItWouldSayWithoutARow) {
  const Dataset rows = wave(30);
  const Matrix points = rows.x.leftCols(8);
  const gp::LeftOut found = InducedProcess(points, rows, 0, example, 1).left_out(rows, 0, 2);
  double score = 0;
  for (Index i = 0; i < 30; ++i) {
    std::vector<Index> others;
    for (Index j = 0; j < 30; ++j) {
      if (j != i) others.push_back(j);
    }
    Vector mean;
    Vector variance;
    InducedProcess(points, rows.subset(others), 0, example, 1).predict(rows.x.col(i), mean, variance);
    const double noise = example.noise_variance / rows.weights[i];
    EXPECT_NEAR(found.residuals[i], rows.y(0, i) - mean[0], 1e-9);
    EXPECT_NEAR(found.variances[i], variance[0] + noise, 1e-9);
    const double z = (rows.y(0, i) - mean[0]) / std::sqrt(variance[0] + noise);
    score += rows.weights[i] * 0.5 * (z * z + std::log(2 * std::numbers::pi * (variance[0] + noise)));
  }
  EXPECT_NEAR(found.score(rows.weights), score / rows.weights.sum(), 1e-9);
}

TEST(InducedProcess, HasTheSameBitsForAnyThreadsAndFromItsPackedFactor) {
  const Dataset rows = wave(5000);  // several chunks
  const Matrix points = rows.x.leftCols(140);
  const InducedProcess one(points, rows, 0, example, 1);
  for (const int threads : {2, 7}) {
    const InducedProcess other(points, rows, 0, example, threads);
    EXPECT_EQ(one.packed_factor(), other.packed_factor());
    EXPECT_EQ(one.coefficients(), other.coefficients());
  }
  const InducedProcess loaded(points, one.packed_factor(), one.coefficients(), example, 1);
  Vector mean;
  Vector variance;
  one.predict(rows.x.leftCols(3), mean, variance);
  Vector mean_loaded;
  Vector variance_loaded;
  loaded.predict(rows.x.leftCols(3), mean_loaded, variance_loaded);
  EXPECT_EQ(mean, mean_loaded);
  EXPECT_EQ(variance, variance_loaded);
}

GaussianProcessOptions few_rows(GaussianProcessRows many_rows) {
  return {.n_starts = 1, .max_rows = 40, .many_rows = many_rows};
}

TEST(GaussianProcess, OfManyRowsLearnsFromAll) {
  const Dataset rows = wave(600);
  const Dataset test = wave(400, 2);
  const GaussianProcess all = GaussianProcess::fit(rows, few_rows(GaussianProcessRows::inducing));
  const GaussianProcess some = GaussianProcess::fit(rows, few_rows(GaussianProcessRows::subset));
  EXPECT_GT(all.log_density(test.x, test.y).mean(), some.log_density(test.x, test.y).mean() + 0.02);
  EXPECT_TRUE(all.report().warnings.empty());
  EXPECT_GE(all.report().details.at("share_unexplained").as_vector()[0], 0.0);
  const Document document = all.to_document();
  EXPECT_EQ(GaussianProcess::from_document(document).log_density(test.x, test.y), all.log_density(test.x, test.y));
}

TEST(GaussianProcess, OfManyRowsIsTheSameForAnyThreadsAndSeveralTargets) {
  const Dataset rows = wave(130, 1, 2);  // two blocks; the widths are learned on neighbourhoods of up to 200 rows
  GaussianProcessOptions options = few_rows(GaussianProcessRows::inducing);
  options.max_rows = 20;
  const GaussianProcess one = GaussianProcess::fit(rows, options, {.threads = 1, .observer = {}});
  const Document document = one.to_document();
  for (const int threads : {2, 7}) {
    EXPECT_TRUE(GaussianProcess::fit(rows, options, {.threads = threads, .observer = {}}).to_document() == document);
  }
  EXPECT_EQ(one.report().details.at("share_unexplained").as_vector().size(), 2);
  EXPECT_EQ(GaussianProcess::from_document(document).log_density(rows.x, rows.y), one.log_density(rows.x, rows.y));
}

TEST(GaussianProcess, FilesOfInducingPointsAreChecked) {
  const GaussianProcess model = GaussianProcess::fit(wave(100), few_rows(GaussianProcessRows::inducing));
  const auto refused = [&](const char* part, const Matrix& value) {
    Document document = model.to_document();
    document.set(part, value);
    return complaint<FormatError>([&] { GaussianProcess::from_document(document); });
  };
  EXPECT_EQ(
      refused("inducing_factors", Matrix::Ones(819, 1)),
      "GaussianProcess: the factor of 40 inducing points has 819 numbers, expected 820 and as many coefficients as "
      "points");
  EXPECT_EQ(
      refused("inducing_coefficients", Matrix(0, 0)),
      "GaussianProcess: the factor of 40 inducing points has 820 numbers, expected 820 and as many coefficients as "
      "points");
  EXPECT_EQ(refused("inducing_factors", Matrix::Zero(820, 1)),
            "GaussianProcess: the factor of the inducing points is not positive on its diagonal");
}

}  // namespace
}  // namespace condens::inducing_test
