#include "linalg/envelope_cholesky.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "linalg/cholesky.hpp"
#include "support/normals.hpp"

namespace condens::envelope_cholesky_test {
namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();
constexpr double negligible = 1e-16;

/// Kernels of neighbours `width` apart, and a ridge; some columns reach much further down.
Matrix banded(Index order, double width, bool with_long_columns) {
  Matrix out(order, order);
  for (Index i = 0; i < order; ++i) {
    for (Index j = 0; j < order; ++j) {
      const double distance = static_cast<double>(i - j) / width;
      out(i, j) = std::exp(-distance * distance);
    }
  }
  out.diagonal().array() += 0.5;
  for (Index j = 10; with_long_columns && j < order; j += 90) {
    const Index i = std::min(order - 1, j + 100);
    out(i, j) = out(j, i) = 0.3;
  }
  return out;
}

class EnvelopeOfOrder : public ::testing::TestWithParam<Index> {};

TEST_P(EnvelopeOfOrder, SolvesLikeTheFullFactor) {
  const Index n = GetParam();
  for (const bool with_long_columns : {false, true}) {
    const Matrix a = banded(n, 1.5, with_long_columns);
    const Envelope envelope = envelope_of(a.triangularView<Eigen::Lower>().toDenseMatrix(), negligible);
    const EnvelopeCholesky factor(a, envelope);
    ASSERT_TRUE(factor.ok());
    const Matrix right = normals(n, 3, 2);
    const Matrix full = Cholesky(a).solve(right);
    // The condition is below ten: eigenvalues from 0.2 to four.
    EXPECT_LE((factor.solve(right) - full).cwiseAbs().maxCoeff(), 1000 * eps * right.cwiseAbs().maxCoeff()) << n;
  }
}

INSTANTIATE_TEST_SUITE_P(Panels, EnvelopeOfOrder, ::testing::Values(1, 5, 63, 64, 65, 128, 300));

TEST(Envelope, EndsBehindTheLastRowThatIsNotNegligible) {
  Matrix a = Matrix::Identity(200, 200);
  a(150, 20) = 2e-16;
  a(190, 21) = 0.5e-16;
  a(199, 130) = 0.1;
  const Envelope envelope = envelope_of(a, negligible);
  EXPECT_EQ(envelope.ends, (std::vector<Index>{151, 151, 200, 200}));
}

TEST(Envelope, KnowsItsShareOfTheWork) {
  EXPECT_NEAR(envelope_of(Matrix::Ones(300, 300), negligible).share, 1, 1e-14);
  // Blocks of 64 of the diagonal alone: 8 of 64^3 / 3 for 512^3 / 3.
  EXPECT_NEAR(envelope_of(Matrix::Identity(512, 512), negligible).share, 1.0 / 64, 1e-14);
  EXPECT_LT(envelope_of(banded(600, 1.5, false), negligible).share, 0.1);
}

TEST(EnvelopeCholesky, TellsWhatIsNotDefinite) {
  Matrix a = banded(200, 1.5, false);
  a(150, 150) = -1;
  EXPECT_FALSE(EnvelopeCholesky(a, envelope_of(a, negligible)).ok());
}

}  // namespace
}  // namespace condens::envelope_cholesky_test
