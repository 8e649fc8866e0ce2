// Products of packed observations equal those of the numbers, and only what fits is packed.

#include "condens/linalg/packed_observations.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "condens/core/random.hpp"
#include "support/normals.hpp"

namespace condens::packed_observations_test {
namespace {

/// Every coordinate with its own offset, step and number of levels; coordinate 2 is constant.
Matrix grey(Index p, Index n) {
  RandomStream random(7);
  Matrix out(p, n);
  for (Index k = 0; k < p; ++k) {
    const double offset = 3 * random.normal();
    const double step = std::exp(2 * random.normal());
    const std::uint64_t levels = k % 3 == 0 ? 256 : 2 + static_cast<std::uint64_t>(k);
    for (Index i = 0; i < n; ++i) {
      out(k, i) = offset + (k == 2 ? 0.0 : step * static_cast<double>(random.below(levels)));
    }
  }
  return out;
}

TEST(PackedObservations, ProductsEqualThoseOfTheNumbers) {
  for (const Index p : {1, 3, 15, 16, 17, 40}) {
    for (const Index n : {1, 15, 16, 17, 50, 300}) {
      const Matrix x = grey(p, n);
      const auto packed = PackedObservations::pack(x);
      ASSERT_NE(packed, nullptr) << p << " " << n;
      for (const Index columns : {1, 3, 10, 12, 13, 30}) {
        const Matrix b = normals(p, columns, 2);
        for (const Range rows : {Range{0, n}, Range{n / 32 * 16, n}, Range{0, (n + 1) / 2}}) {
          const Matrix own = x.middleCols(rows.begin, rows.size());
          Matrix scores = Matrix::Constant(columns, rows.size(), 0.5);
          packed->add_transposed_product(b, rows, scores);
          const Matrix g = normals(columns, rows.size(), 3);
          Matrix slopes = Matrix::Constant(p, columns, 0.5);
          packed->add_product_with_transpose(rows, g, slopes);
          // Rounding of sums of up to 300 products of numbers up to some thousand times one.
          const double size = own.cwiseAbs().maxCoeff() * static_cast<double>(own.size());
          EXPECT_LT((scores.array() - 0.5 - Matrix(b.transpose() * own).array()).abs().maxCoeff(), 1e-14 * size);
          EXPECT_LT((slopes.array() - 0.5 - Matrix(own * g.transpose()).array()).abs().maxCoeff(), 1e-14 * size);
        }
      }
    }
  }
}

TEST(PackedObservations, StandardisedGreyLevelsArePackedAndNumbersAreNot) {
  Matrix x = grey(20, 500);
  x = ((x.colwise() - Vector(x.rowwise().mean())) / 3.7).eval();
  EXPECT_NE(PackedObservations::pack(x), nullptr);
  x(7, 123) += 1e-9;
  EXPECT_EQ(PackedObservations::pack(x), nullptr);
  EXPECT_EQ(PackedObservations::pack(normals(3, 300, 1)), nullptr);  // more than 256 levels
  EXPECT_EQ(PackedObservations::pack(normals(3, 20, 1)), nullptr);   // few, but not equally spaced
  EXPECT_EQ(PackedObservations::pack(Matrix(0, 20)), nullptr);
  EXPECT_EQ(PackedObservations::pack(Matrix(20, 0)), nullptr);
}

TEST(PackedObservations, FindTheStepWhereNoTwoLevelsAreNeighbours) {
  const Matrix x = (Matrix(1, 6) << 0.0, 6.0, 10.0, 255.0, 0.0, 6.0).finished();
  const auto packed = PackedObservations::pack(x);
  ASSERT_NE(packed, nullptr);
  Matrix out = Matrix::Zero(1, 6);
  packed->add_transposed_product(Matrix::Ones(1, 1), {0, 6}, out);
  EXPECT_EQ(out, x);
  EXPECT_EQ(PackedObservations::pack((Matrix(1, 3) << 0.0, 1.0, 256.0).finished()), nullptr);
}

TEST(PackedObservations, ThreadsChangeNoBit) {
  const Matrix x = grey(40, 700);
  const Matrix b = normals(40, 10, 2);
  Matrix first = Matrix::Zero(10, 700);
  Matrix second = first;
  PackedObservations::pack(x, 1)->add_transposed_product(b, {0, 700}, first);
  PackedObservations::pack(x, 7)->add_transposed_product(b, {0, 700}, second);
  EXPECT_EQ(first, second);
}

}  // namespace
}  // namespace condens::packed_observations_test
