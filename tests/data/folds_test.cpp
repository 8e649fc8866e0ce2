#include "condens/data/folds.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "support/complaint.hpp"

namespace condens::folds_test {
namespace {

TEST(Folds, AreBalancedForEveryN) {
  for (Index n = 5; n < 30; ++n) {
    const std::vector<Index> folds = assign_folds(n, 5, 1);
    std::vector<Index> sizes(5, 0);
    for (const Index fold : folds) ++sizes.at(static_cast<std::size_t>(fold));
    const auto [least, most] = std::minmax_element(sizes.begin(), sizes.end());
    EXPECT_LE(*most - *least, 1) << n;
  }
}

TEST(Folds, DependOnTheSeedOnly) {
  EXPECT_EQ(assign_folds(40, 4, 7), assign_folds(40, 4, 7));
  EXPECT_NE(assign_folds(40, 4, 7), assign_folds(40, 4, 8));
}

TEST(Folds, OfTimeAreBlocksOfNeighbours) {
  EXPECT_EQ(time_folds(7, 3), (std::vector<Index>{0, 0, 0, 1, 1, 2, 2}));
  EXPECT_EQ(complaint([] { time_folds(3, 5); }), "cv = 5 folds need at least 5 rows, found 3; give fewer folds");
}

TEST(Folds, RefuseMoreFoldsThanRows) {
  EXPECT_EQ(complaint([] { assign_folds(3, 5, 1); }), "cv = 5 folds need at least 5 rows, found 3; give fewer folds");
  EXPECT_EQ(complaint([] { assign_folds(3, 1, 1); }), "cv = 1, expected at least 2 folds");
}

TEST(Folds, GivenNumbersAreRelabelledInOrder) {
  EXPECT_EQ(check_folds({7, -1, 7, 3}, 4), (std::vector<Index>{2, 0, 2, 1}));
}

TEST(Folds, GivenNumbersAreChecked) {
  EXPECT_EQ(complaint([] { check_folds({1, 2}, 3); }), "cv: 2 fold numbers for 3 rows, expected one per row");
  EXPECT_EQ(complaint([] {
              check_folds({1, 1.5}, 2);
            }),
            "cv: row 2 (counting from 1) has fold number 1.5, expected a whole number");
  EXPECT_EQ(complaint([] {
              check_folds({1, std::nan("")}, 2);
            }),
            "cv: row 2 (counting from 1) has fold number nan, expected a whole number");
  EXPECT_EQ(complaint([] {
              check_folds({4, 4}, 2);
            }),
            "cv: all 2 rows have the same fold number, expected at least two folds");
}

}  // namespace
}  // namespace condens::folds_test
