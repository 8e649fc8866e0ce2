#include "condens/data/dataset.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <stdexcept>
#include <string>

namespace condens::dataset_test {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

Dataset small() {
  return {.x = Matrix{{1, 2, 3}, {4, 5, 6}}, .y = Matrix{{7, 8, 9}}, .weights = Vector{{1.0, 0.0, 2.0}}};
}

std::string complaint(const Dataset& data) {
  try {
    data.check("Model::fit");
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

TEST(Dataset, AcceptsGoodData) {
  EXPECT_EQ(complaint(small()), "");
  EXPECT_EQ(complaint({.x = Matrix(0, 0), .y = Matrix{{1, 2}}}), "");
  EXPECT_EQ(complaint({.x = Matrix(0, 2), .y = Matrix{{1, 2}}}), "");
}

TEST(Dataset, NamesTheFirstBadPlace) {
  Dataset data = small();
  data.x = Matrix{{1, 2, 3}, {4, 5, nan}};
  EXPECT_EQ(complaint(data), "Model::fit: x: row 3 (counting from 1), input 2 is NaN; every value must be finite");
  data = small();
  data.y = Matrix{{7, -infinity, 9}};
  EXPECT_EQ(complaint(data),
            "Model::fit: y: row 2 (counting from 1), target 1 is infinite; every value must be finite");
  data = small();
  data.x_unlabeled = Matrix{{1}, {nan}};
  EXPECT_EQ(complaint(data),
            "Model::fit: x_unlabeled: row 1 (counting from 1), input 2 is NaN; every value must be finite");
}

TEST(Dataset, NamesWrongShapes) {
  EXPECT_EQ(complaint({.x = Matrix(1, 2), .y = Matrix(0, 2)}), "Model::fit: y has no target, expected at least one");
  EXPECT_EQ(complaint({.x = Matrix(1, 0), .y = Matrix(1, 0)}),
            "Model::fit: no rows, expected at least one observation");
  EXPECT_EQ(complaint({.x = Matrix::Zero(1, 3), .y = Matrix::Zero(1, 2)}),
            "Model::fit: x has 3 rows and y has 2, expected as many inputs as targets");
  Dataset data = small();
  data.x_unlabeled = Matrix::Zero(3, 1);
  EXPECT_EQ(complaint(data), "Model::fit: x_unlabeled has 3 inputs and x has 2, expected the same inputs");
}

TEST(Dataset, NamesBadWeights) {
  Dataset data = small();
  data.weights = Vector{{1.0, 2.0}};
  EXPECT_EQ(complaint(data), "Model::fit: 2 weights for 3 rows, expected one weight per row");
  data.weights = Vector{{1.0, -2.0, 1.0}};
  EXPECT_EQ(complaint(data), "Model::fit: weights: row 2 (counting from 1) is -2, expected a finite number >= 0");
  data.weights = Vector{{0.0, 0.0, 0.0}};
  EXPECT_EQ(complaint(data), "Model::fit: weights are all zero, expected at least one positive weight");
}

TEST(Dataset, KnowsWhichRowsAreOneInput) {
  Dataset data{.x = Matrix::Zero(4, 2), .y = Matrix{{1, 2}}};
  EXPECT_EQ(data.inputs(), (std::vector<std::vector<Index>>{{0}, {1}, {2}, {3}}));
  data.groups = {0, 1, 1, 2};
  EXPECT_EQ(complaint(data), "");
  EXPECT_EQ(data.inputs(), (std::vector<std::vector<Index>>{{0}, {1, 2}, {3}}));
  EXPECT_EQ(data.subset({1}).groups, data.groups);
  data.groups = {0, 1, 1};
  EXPECT_EQ(complaint(data), "Model::fit: groups has 3 entries, expected one for each of the 4 rows of x");
  data.groups = {0, 2, 2, 3};
  EXPECT_EQ(complaint(data),
            "Model::fit: groups: entry 2 (counting from 1) is 2, expected 0 or 1: inputs are numbered 0, 1, ... in the "
            "order of the rows of x");
  data.groups = {1, 1, 1, 1};
  EXPECT_EQ(
      complaint(data),
      "Model::fit: groups: entry 1 (counting from 1) is 1, expected 0: inputs are numbered 0, 1, ... in the order "
      "of the rows of x");
}

TEST(Dataset, BorrowsArraysAndSharesItsOwn) {
  const std::vector<double> numbers{1, 2, 3, 4, 5, 6};
  const Observations borrowed = Observations::borrow(numbers.data(), 2, 3);
  EXPECT_EQ(borrowed.data(), numbers.data());
  EXPECT_EQ(Matrix(borrowed), (Matrix{{1, 3, 5}, {2, 4, 6}}));
  Observations copy = Matrix{{7.0}};
  const Observations own = copy;
  EXPECT_EQ(own.data(), copy.data());
  copy = borrowed;
  EXPECT_EQ(copy.data(), numbers.data());
  EXPECT_EQ(Matrix(own), (Matrix{{7.0}}));  // outlives the one it came from
}

TEST(Dataset, SubsetTakesRowsInTheirOrder) {
  const Dataset part = small().subset({2, 0, 2});
  EXPECT_EQ(part.x, (Matrix{{3, 1, 3}, {6, 4, 6}}));
  EXPECT_EQ(part.y, (Matrix{{9, 7, 9}}));
  EXPECT_EQ(part.weights, (Vector{{2.0, 1.0, 2.0}}));
  const Dataset density = Dataset{.x = Matrix(0, 0), .y = Matrix{{1, 2}}}.subset({1});
  EXPECT_EQ(density.x.cols(), 1);
  EXPECT_EQ(density.weights.size(), 0);
  EXPECT_THROW(small().subset({3}), std::invalid_argument);
  EXPECT_THROW(small().subset({-1}), std::invalid_argument);
}

TEST(Dataset, CountsWeightsInAnyUnit) {
  const Vector shares{{0.3, 1.0, 0.5, 0.2}};  // 2 in all: shares of four rows
  const Vector counted = counted_weights(shares);
  EXPECT_LT((counted - 2 * shares).cwiseAbs().maxCoeff(), 1e-15);
  for (const int power : {-1, -20, -1000}) EXPECT_EQ(counted_weights(shares * std::ldexp(1.0, power)), counted);

  const Vector copies{{2.0, 1.0, 3.0, 1.0}};
  EXPECT_EQ(counted_weights(copies), copies);
  EXPECT_EQ(counted_weights(copies * 1024), copies * 1024);
  EXPECT_EQ(counted_weights(copies * std::ldexp(1.0, 1000)), copies * std::ldexp(1.0, 39));

  const double largest = std::numeric_limits<double>::max();
  const double least = std::numeric_limits<double>::denorm_min();
  EXPECT_EQ(counted_weights(Vector::Constant(3, least)), Vector::Ones(3));
  const Vector huge = counted_weights(Vector::Constant(3, largest));
  EXPECT_TRUE(huge.allFinite() && (huge.array() == huge[0]).all());
  EXPECT_EQ(counted_weights(Vector()).size(), 0);
}

TEST(Dataset, LeavesOutWeightsThatRoundingTakes) {
  Dataset data = small();
  data.weights = Vector{{1e300, 1e280, 3e299}};
  Dataset storage;
  EXPECT_EQ(rows_that_count(data, storage).y, (Matrix{{7, 9}}));
  EXPECT_EQ(count_rows(data), 2);
  EXPECT_EQ(complaint(data), "");
  data.weights = Vector{{1.0, 1e16, 1.0}};
  EXPECT_EQ(complaint(data),
            "Model::fit: weights: row 2 (counting from 1) has 1e+16, beside which all others are lost in rounding; "
            "expected weights within a factor of 1e15");
  data.weights = Vector{{0.0, 1e16, 0.0}};
  EXPECT_EQ(complaint(data), "") << "one row by the caller's own wish";
  data.weights = Vector{{2.0, 1.0, 3.0}};
  EXPECT_EQ(&rows_that_count(data, storage), &data);
}

}  // namespace
}  // namespace condens::dataset_test
