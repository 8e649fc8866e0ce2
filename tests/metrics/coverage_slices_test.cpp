// Coverage by slices against counts by hand.

#include "condens/metrics/coverage_slices.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "condens/core/random.hpp"
#include "support/complaint.hpp"

namespace condens::coverage_slices_test {
namespace {

struct Sample {
  Encoder encoder;
  Dataset data;
  Matrix intervals;
  std::vector<std::string> cities;
};

Sample sample(Index n) {
  RandomStream random(1);
  std::vector<double> x;
  std::vector<double> grade;
  std::vector<double> y;
  std::vector<std::string> cities;
  for (Index i = 0; i < n; ++i) {
    x.push_back(random.normal());
    grade.push_back(static_cast<double>(random.below(2)));
    cities.push_back(i % 4 == 0 ? "Oslo" : i % 4 == 1 ? "Rome" : "Bern");
    y.push_back((cities.back() == "Oslo" ? 3.0 : 0.8) * random.normal());
  }
  Table table;
  table.add({"x", x});
  table.add({"grade", grade});
  table.add({"city", cities});
  table.add({"y", y});
  Encoder encoder = Encoder::fit(table, {.targets = {"y"}});
  Dataset data = encoder.encode(table);
  Matrix intervals(2, n);
  for (Index i = 0; i < n; ++i) intervals.col(i) << -1.64 - 0.1 * std::abs(x[static_cast<std::size_t>(i)]), 1.64;
  return {std::move(encoder), std::move(data), std::move(intervals), std::move(cities)};
}

TEST(CoverageSlices, CountTheRowsOfEach) {
  const Sample own = sample(200);
  const Vector y = own.data.y.row(0).transpose();
  const CoverageSlices found = coverage_slices(own.encoder, own.data, y, own.intervals, 0.9, true);
  EXPECT_TRUE(found.guaranteed);
  ASSERT_EQ(found.slices.size(), 5U + 2U + 3U + 5U);
  std::vector<Index> rows(4, 0);  // of x, grade, city, width
  for (const CoverageSlice& slice : found.slices) {
    const std::string& name = slice.input;
    rows[name == "x" ? 0 : name == "grade" ? 1 : name == "city" ? 2 : 3] += slice.rows;
    EXPECT_TRUE((name != "x" && name != "width") || slice.rows == 40) << name;
    const double share = slice.coverage.value;
    const double size = static_cast<double>(slice.rows);
    EXPECT_NEAR(slice.coverage.standard_error, std::sqrt(share * (1.0 - share) / size), 1e-12);
    EXPECT_NEAR(slice.z, (share - 0.9) / std::sqrt(0.09 / size), 1e-12);
    if (name != "city") continue;
    double held = 0;
    double count = 0;
    for (Index i = 0; i < 200; ++i) {
      if (own.cities[static_cast<std::size_t>(i)] != slice.part) continue;
      ++count;
      held += y[i] >= own.intervals(0, i) && y[i] <= own.intervals(1, i) ? 1 : 0;
    }
    EXPECT_EQ(size, count);
    EXPECT_NEAR(share, held / count, 1e-12);
  }
  EXPECT_EQ(rows, std::vector<Index>(4, 200));
  ASSERT_TRUE(found.worst.has_value());
  EXPECT_EQ(found.slices[*found.worst].part, "Oslo");
  const Document document = to_document(found);
  EXPECT_EQ(document.at("worst").at("part").as_string(), "Oslo");
  EXPECT_EQ(document.at("slices").as_array().size(), found.slices.size());
}

TEST(CoverageSlices, KnowWeightsMissingValuesAndInfiniteIntervals) {
  Sample own = sample(100);
  const Vector y = own.data.y.row(0).transpose();
  Matrix x = own.data.x;
  x(0, 7) = std::numeric_limits<double>::quiet_NaN();
  own.data.x = x;
  own.data.weights = Vector::Ones(100);
  own.data.weights.tail(50).setZero();
  own.intervals.row(1).setConstant(infinity);
  const CoverageSlices found = coverage_slices(own.encoder, own.data, y, own.intervals, 0.5, false);
  bool missing = false;
  for (const CoverageSlice& slice : found.slices) {
    missing = missing || slice.part == "missing";
    EXPECT_EQ(slice.width, infinity);
  }
  EXPECT_TRUE(missing);
  EXPECT_FALSE(found.worst.has_value());
  EXPECT_TRUE(to_document(found).at("worst").is_null());
  EXPECT_TRUE(to_document(found).at("slices").as_array().front().at("width").is_null());
}

TEST(CoverageSlices, SayWhatDoesNotFit) {
  const Sample own = sample(20);
  const Vector y = own.data.y.row(0).transpose();
  EXPECT_EQ(complaint([&] { coverage_slices(own.encoder, own.data, y, own.intervals, 1.0, true); }),
            "coverage_slices: level = 1, expected a probability in (0, 1)");
  EXPECT_EQ(complaint([&] { coverage_slices(own.encoder, own.data, y, own.intervals.leftCols(3), 0.9, true); }),
            "coverage_slices: 20 rows, 20 targets and 3 intervals, expected as many of each, at least one");
}

}  // namespace
}  // namespace condens::coverage_slices_test
