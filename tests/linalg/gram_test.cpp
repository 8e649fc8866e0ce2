#include "linalg/gram.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "condens/core/random.hpp"
#include "support/normals.hpp"

namespace condens::gram_test {
namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();

TEST(AddGram, EqualsPlainSums) {
  for (const Index order : {0, 1, 5, 127, 128, 129, 300}) {
    const Index samples = 9;
    const Matrix features = normals(order, samples, 1);
    const Matrix before = normals(order, order, 2);
    Matrix gram = before;
    add_gram(features, gram, 1);
    for (Index j = 0; j < order; ++j) {
      for (Index i = 0; i < order; ++i) {
        double sum = before(i, j);
        double size = std::abs(sum);
        for (Index k = 0; k < samples && i >= j; ++k) {
          sum += features(i, k) * features(j, k);
          size += std::abs(features(i, k) * features(j, k));
        }
        // Sums of ten terms in two orders differ by at most twenty roundings; above the diagonal nothing is touched.
        ASSERT_LE(std::abs(gram(i, j) - sum), i >= j ? 20 * eps * size : 0.0) << order << ": " << i << ", " << j;
      }
    }
  }
}

TEST(AddGram, HasTheSameBitsForAnyNumberOfThreads) {
  const Matrix features = normals(300, 50, 3);
  Matrix one = Matrix::Zero(300, 300);
  add_gram(features, one, 1);
  for (const int threads : {2, 7}) {
    Matrix many = Matrix::Zero(300, 300);
    add_gram(features, many, threads);
    EXPECT_EQ(many, one);
  }
  Matrix panels = Matrix::Zero(300, 300);
  for (Index panel = gram_panels(300); panel-- > 0;) add_gram_panel(features, panels, panel);
  EXPECT_EQ(panels, one);
}

TEST(AddGram, TakesAPartOfTheSamples) {
  const Matrix features = normals(20, 30, 4);
  Matrix whole = Matrix::Zero(20, 20);
  add_gram(features.middleCols(10, 12), whole, 1);
  Matrix copied = Matrix::Zero(20, 20);
  add_gram(Matrix(features.middleCols(10, 12)), copied, 1);
  EXPECT_EQ(whole, copied);
}

TEST(AddGram, OfNoSamplesAddsNothing) {
  Matrix gram = normals(150, 150, 5);
  const Matrix before = gram;
  add_gram(Matrix(150, 0), gram, 2);
  EXPECT_EQ(gram, before);
}

TEST(SumsOfOthers, EqualPlainSums) {
  for (std::size_t count = 1; count <= 12; ++count) {
    std::vector<Matrix> parts;
    for (std::size_t k = 0; k < count; ++k) parts.push_back(normals(4, 3, k).cwiseAbs());
    std::vector<Matrix> sums = parts;
    replace_by_sums_of_others(sums);
    ASSERT_EQ(sums.size(), count);
    for (std::size_t k = 0; k < count; ++k) {
      Matrix expected = Matrix::Zero(4, 3);
      for (std::size_t other = 0; other < count; ++other) {
        if (other != k) expected += parts[other];
      }
      // Positive terms: at most 12 roundings each way.
      EXPECT_TRUE(((sums[k] - expected).array().abs() <= 24 * eps * expected.array()).all()) << count << ", " << k;
    }
  }
}

TEST(SumsOfOthers, KeepATinyContributionExactly) {
  // One fold holds 1, another 1e-30: without the first, exactly 1e-30 must be left.
  for (std::size_t large = 0; large < 5; ++large) {
    for (std::size_t tiny = 0; tiny < 5; ++tiny) {
      if (tiny == large) continue;
      std::vector<Matrix> parts(5, Matrix::Zero(1, 1));
      parts[large](0, 0) = 1.0;
      parts[tiny](0, 0) = 1e-30;
      replace_by_sums_of_others(parts);
      EXPECT_EQ(parts[large](0, 0), 1e-30);
      EXPECT_EQ(parts[tiny](0, 0), 1.0);
    }
  }
}

TEST(PivotedCholesky, ReproducesTheMatrixToTheTolerance) {
  // A Gaussian kernel matrix: its eigenvalues fall without end, so that the rank depends on the tolerance.
  constexpr Index order = 60;
  Matrix gram(order, order);
  for (Index i = 0; i < order; ++i) {
    for (Index j = 0; j < order; ++j) gram(i, j) = 3.0 * std::exp(-0.005 * static_cast<double>((i - j) * (i - j)));
  }
  Index last_rank = 0;
  for (const double tolerance : {1e-2, 1e-5, 1e-9, 1e-13}) {
    const Matrix factor = pivoted_cholesky(gram, tolerance);
    EXPECT_GT(factor.cols(), last_rank);
    EXPECT_LT(factor.cols(), order);
    last_rank = factor.cols();
    // What is left is positive semidefinite, so its diagonal bounds all of it; plus the roundings of `order` sums.
    EXPECT_LE((factor * factor.transpose() - gram).cwiseAbs().maxCoeff(), 3.0 * (tolerance + order * eps));
  }
}

TEST(PivotedCholesky, FindsTheRank) {
  for (const Index rank : {1, 2, 7, 30}) {
    const Matrix features = normals(30, rank, 6);
    const Matrix gram = features * features.transpose();
    const Matrix factor = pivoted_cholesky(gram, 1e-10);
    EXPECT_EQ(factor.cols(), rank);
    EXPECT_LE((factor * factor.transpose() - gram).cwiseAbs().maxCoeff(), 1e-10 * gram.diagonal().maxCoeff());
  }
}

TEST(PivotedCholesky, OfNothingAndOfZeros) {
  EXPECT_EQ(pivoted_cholesky(Matrix(0, 0), 1e-10).size(), 0);
  const Matrix zeros = Matrix::Zero(4, 4);
  const Matrix factor = pivoted_cholesky(zeros, 1e-10);
  EXPECT_EQ(factor.rows(), 4);
  EXPECT_EQ(factor.cols(), 0);
}

}  // namespace
}  // namespace condens::gram_test
