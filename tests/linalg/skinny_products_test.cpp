// Products with few columns equal the matrix product, and do not depend on alignment.

#include "linalg/skinny_products.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "support/normals.hpp"

namespace condens::skinny_products_test {
namespace {

TEST(SkinnyProducts, EqualTheMatrixProduct) {
  for (const Index length : {0, 1, 7, 31, 32, 40, 45, 200}) {
    for (const Index columns : {1, 4, 5, 6, 11}) {
      for (const Index n : {0, 1, 3, 4, 9, 34}) {
        const Matrix x = normals(length, n, 1);
        const Matrix b = normals(length, columns, 2);
        const Matrix g = normals(columns, n, 3);
        Matrix scores = Matrix::Constant(columns, n, 0.5);
        add_transposed_product(b, x, scores);
        Matrix slopes = Matrix::Constant(length, columns, 0.5);
        add_product_with_transpose(x, g, slopes);
        // Sums of at most 200 products of size one.
        EXPECT_LT((scores.array() - 0.5 - Matrix(b.transpose() * x).array()).abs().sum(), 1e-10);
        EXPECT_LT((slopes.array() - 0.5 - Matrix(x * g.transpose()).array()).abs().sum(), 1e-10);
      }
    }
  }
}

TEST(SkinnyProducts, HaveTheSameBitsForEveryAlignment) {
  const Matrix x = normals(100, 17, 1);
  const Matrix b = normals(100, 6, 2);
  std::vector<double> shifted(static_cast<std::size_t>(x.size() + 1));
  Eigen::Map<Matrix> unaligned(shifted.data() + 1, 100, 17);
  unaligned = x;
  Matrix first = Matrix::Zero(6, 17);
  Matrix second = Matrix::Zero(6, 17);
  add_transposed_product(b, x, first);
  add_transposed_product(b, unaligned, second);
  EXPECT_EQ(first, second);
  Matrix slopes = Matrix::Zero(100, 6);
  Matrix others = Matrix::Zero(100, 6);
  add_product_with_transpose(x, first, slopes);
  add_product_with_transpose(unaligned, first, others);
  EXPECT_EQ(slopes, others);
}

}  // namespace
}  // namespace condens::skinny_products_test
