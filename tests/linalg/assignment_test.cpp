// The assignment problem against all permutations.

#include "linalg/assignment.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "support/complaint.hpp"
#include "support/normals.hpp"

namespace condens::assignment_test {
namespace {

double cost_of(const Matrix& cost, const std::vector<Index>& columns) {
  double out = 0;
  for (Index i = 0; i < cost.rows(); ++i) out += cost(i, columns[static_cast<std::size_t>(i)]);
  return out;
}

TEST(Assignment, IsTheBestOfAllPermutations) {
  for (Index n = 1; n <= 6; ++n) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      const Matrix cost = normals(n, n, seed);
      std::vector<Index> columns(static_cast<std::size_t>(n));
      std::iota(columns.begin(), columns.end(), Index{0});
      double least = cost_of(cost, columns);
      while (std::next_permutation(columns.begin(), columns.end())) least = std::min(least, cost_of(cost, columns));
      std::vector<Index> found = least_assignment(cost);
      EXPECT_NEAR(cost_of(cost, found), least, 1e-12) << n << " " << seed;
      std::sort(found.begin(), found.end());
      for (Index k = 0; k < n; ++k) EXPECT_EQ(found[static_cast<std::size_t>(k)], k);
    }
  }
  EXPECT_TRUE(least_assignment(Matrix(0, 0)).empty());
}

TEST(Assignment, SaysWhatIsWrong) {
  EXPECT_EQ(complaint([] { least_assignment(Matrix::Ones(2, 3)); }),
            "least_assignment: costs of 2 rows and 3 columns, expected a square matrix of finite numbers");
}

}  // namespace
}  // namespace condens::assignment_test
