#include "condens/data/standardizer.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "condens/core/errors.hpp"
#include "condens/core/random.hpp"
#include "support/normals.hpp"

namespace condens::standardizer_test {
namespace {

constexpr double rounding = 1e-13;  // some hundred additions of numbers near 1

TEST(Standardizer, MomentsAreTheTextbookOnes) {
  const Matrix data = Matrix{{1, 2, 3, 6}, {-1, 0, 0, 1}};
  const Standardizer s = Standardizer::fit(data, Vector());
  EXPECT_NEAR(s.mean()[0], 3, rounding);
  EXPECT_NEAR(s.mean()[1], 0, rounding);
  EXPECT_NEAR(s.scale()[0], std::sqrt(14.0 / 3), rounding);
  EXPECT_NEAR(s.scale()[1], std::sqrt(2.0 / 3), rounding);
}

TEST(Standardizer, TransformsToMeanZeroAndVarianceOneAndBack) {
  const Matrix data = (normals(3, 100, 1).array() * 1e3 + 5).matrix();
  const Standardizer s = Standardizer::fit(data, Vector());
  const Matrix z = s.transform(data);
  for (Index i = 0; i < 3; ++i) {
    EXPECT_NEAR(z.row(i).mean(), 0, rounding);
    EXPECT_NEAR(z.row(i).squaredNorm() / 99, 1, rounding);
  }
  EXPECT_LT((s.inverse_transform(z) - data).cwiseAbs().maxCoeff(), 1e3 * rounding);
}

TEST(Standardizer, WholeWeightsEqualRepeatedRows) {
  const Matrix data = normals(2, 4, 2);
  const Vector weights{{2.0, 1.0, 0.0, 3.0}};
  const Matrix repeated = data(Eigen::all, std::vector<Index>{0, 0, 1, 3, 3, 3});
  const Standardizer a = Standardizer::fit(data, weights);
  const Standardizer b = Standardizer::fit(repeated, Vector());
  EXPECT_LT((a.mean() - b.mean()).norm(), rounding);
  EXPECT_LT((a.scale() - b.scale()).norm(), rounding);
}

TEST(Standardizer, SmallWeightsCountOnlyRelatively) {
  const Matrix data = normals(1, 5, 3);
  const Vector weights{{0.1, 0.2, 0.3, 0.05, 0.1}};
  const Standardizer a = Standardizer::fit(data, weights);
  const Standardizer b = Standardizer::fit(data, weights / 8);
  EXPECT_NEAR(a.scale()[0], b.scale()[0], rounding);
  const Standardizer equal = Standardizer::fit(data, Vector::Constant(5, 0.01));
  EXPECT_NEAR(equal.scale()[0], Standardizer::fit(data, Vector()).scale()[0], rounding);
}

TEST(Standardizer, ConstantRowBecomesZeroWhateverItsValue) {
  const Matrix data = Matrix{{0.1, 0.1, 0.1}, {1, 2, 3}};
  const Standardizer s = Standardizer::fit(data, Vector());
  EXPECT_TRUE(s.is_constant(0));
  EXPECT_FALSE(s.is_constant(1));
  EXPECT_EQ(s.mean()[0], 0.1);
  EXPECT_EQ(s.transform(Matrix{{7}, {2}})(0, 0), 0);
  EXPECT_EQ(s.inverse_transform(Matrix{{7}, {0}})(0, 0), 0.1);
  const Matrix constant_where_weighted = Matrix{{5, 9, 5}};
  EXPECT_TRUE(Standardizer::fit(constant_where_weighted, Vector{{1.0, 0.0, 1.0}}).is_constant(0));
  EXPECT_TRUE(Standardizer::fit(Matrix{{5}}, Vector()).is_constant(0));
}

TEST(Standardizer, SurvivesExtremeMagnitudes) {
  for (const double size : {1e-300, 1e300, 1.7e308}) {
    const Matrix data = Matrix{{-size, size, -size, size}};
    const Standardizer s = Standardizer::fit(data, Vector());
    EXPECT_EQ(s.mean()[0], 0) << size;
    if (size < 1e308) {  // beyond, the deviation itself exceeds double
      EXPECT_NEAR(s.scale()[0] / size, std::sqrt(4.0 / 3), rounding);
    }
  }
  EXPECT_EQ(Standardizer::fit(Matrix{{5e-324, 5e-324}}, Vector()).mean()[0], 5e-324);
  const Matrix far = (normals(1, 50, 4).array() + 1e9).matrix();  // textbook sums of squares would lose every digit
  const Matrix near = (far.array() - 1e9).matrix();
  EXPECT_NEAR(Standardizer::fit(far, Vector()).scale()[0], Standardizer::fit(near, Vector()).scale()[0], 1e-7);
}

TEST(Standardizer, BitsDoNotDependOnAlignment) {
  const Matrix data = normals(5, 33, 5);
  Matrix shifted(6, 33);
  shifted.bottomRows(5) = data;
  const Standardizer a = Standardizer::fit(data, Vector());
  const Standardizer b = Standardizer::fit(shifted.bottomRows(5), Vector());
  EXPECT_EQ(a.to_document(), b.to_document());
}

TEST(Standardizer, IdentityLeavesData) {
  const Matrix data = normals(2, 3, 6);
  EXPECT_EQ(Standardizer::identity(2).transform(data), data);
  EXPECT_EQ(Standardizer::identity(2).inverse_transform(data), data);
}

TEST(Standardizer, RoundTripsThroughADocument) {
  const Standardizer s = Standardizer::fit(normals(3, 7, 7), Vector());
  EXPECT_EQ(Standardizer::from_document(s.to_document()).to_document(), s.to_document());
  Document bad = s.to_document();
  bad.set("scale", Vector{{1.0, 2.0}});
  EXPECT_THROW(Standardizer::from_document(bad), FormatError);
  bad.set("scale", Vector{{1.0, 2.0, -1.0}});
  EXPECT_THROW(Standardizer::from_document(bad), FormatError);
}

TEST(Standardizer, RefusesWrongShapes) {
  const Matrix data = normals(2, 3, 8);
  EXPECT_THROW(Standardizer::fit(data, Vector::Ones(2)), std::invalid_argument);
  EXPECT_THROW(Standardizer::fit(data, Vector::Zero(3)), std::invalid_argument);
  EXPECT_THROW(Standardizer::fit(Matrix(2, 0), Vector()), std::invalid_argument);
  EXPECT_THROW(Standardizer::identity(3).transform(data), std::invalid_argument);
  EXPECT_THROW(Standardizer::identity(3).inverse_transform(data), std::invalid_argument);
}

TEST(Standardizer, RescaledDividesByTheFactors) {
  const Matrix data{{1, 2, 4}, {5, 5, 5}, {0, 1, -1}};
  const Standardizer plain = Standardizer::fit(data, Vector());
  const Standardizer scaled = plain.rescaled(Vector{{2, 3, 0.5}});
  const Matrix expected = Vector{{0.5, 1, 2}}.asDiagonal() * plain.transform(data);
  EXPECT_LE((scaled.transform(data) - expected).cwiseAbs().maxCoeff(), 1e-15);
  EXPECT_LE((scaled.inverse_transform(scaled.transform(data)) - data).cwiseAbs().maxCoeff(), 1e-15);
  EXPECT_TRUE(scaled.is_constant(1));
}

TEST(Standardizer, WhatLiesBeyondAllNumbersLiesFar) {
  const Standardizer s = Standardizer::fit(1e-70 * normals(1, 20, 3), Vector());
  const Matrix far = s.transform(Matrix{{1e300, -1e300, 0.0}});
  EXPECT_EQ(far(0, 0), 1e120);
  EXPECT_EQ(far(0, 1), -1e120);
  EXPECT_LT(std::abs(far(0, 2)), 10);
}

}  // namespace
}  // namespace condens::standardizer_test
