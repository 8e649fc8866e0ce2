#include "data/column_unit.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace condens::column_unit_test {
namespace {

TEST(ColumnUnit, EndsWhereLawsEnd) {
  const Vector values{{-1.0, 0.5, 0.5}};
  EXPECT_EQ(unit_problem(values, 0.9), "");
  EXPECT_EQ(unit_problem(1e102 * values, 0.9e102), "");
  EXPECT_EQ(unit_problem(1e103 * values, 0.9e103),
            "has values up to 1e+103 in absolute value, expected at most 1e+102: change the unit, or mend the outlier");
  EXPECT_EQ(unit_problem(1e-103 * values, 0.9e-103),
            "has a standard deviation of 9e-104, expected at least 1e-102: change the unit");
  EXPECT_EQ(unit_problem(Vector::Constant(3, 1e300), 0.0), "") << "a constant plays no part";
}

TEST(ColumnUnit, ATargetVariesByMoreThanRounding) {
  const double step = std::ldexp(1.0, -52);
  EXPECT_EQ(target_problem(Vector{{1.0, 1 + 20 * step}}, 14 * step), "");
  EXPECT_NE(target_problem(Vector{{1.0, 1 + step}}, 0.7 * step).find("is constant but for rounding"),
            std::string::npos);
  EXPECT_EQ(coarseness(-1.0, 0.5), 2 * step);
}

}  // namespace
}  // namespace condens::column_unit_test
