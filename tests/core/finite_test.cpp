#include "core/finite.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace condens::finite_test {
namespace {

TEST(FindNotFinite, NamesThePlace) {
  const double infinity = std::numeric_limits<double>::infinity();
  Document good =
      Document::Object{{"a", 1.5}, {"b", Matrix(Matrix::Ones(2, 2))}, {"c", Document(std::vector<double>{1, 2})}};
  EXPECT_EQ(find_not_finite(good), "");
  EXPECT_EQ(find_not_finite(Document(std::nan(""))), " is NaN");
  const auto with = [&](Document part) { return find_not_finite(Document(good).set("report", std::move(part))); };
  EXPECT_EQ(with(infinity), "report is infinite");
  EXPECT_EQ(with(Document::Object{{"path", Vector{{1.0, std::nan("")}}}}), "report.path[1] is NaN");
  EXPECT_EQ(with(Document::Array{Document(1.0), Document(Document::Object{{"x", -infinity}})}),
            "report[1].x is infinite");
}

}  // namespace
}  // namespace condens::finite_test
