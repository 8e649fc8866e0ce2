#include "condens/plot/line_chart.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "support/complaint.hpp"
#include "support/xml.hpp"

namespace condens::plot::line_chart_test {
namespace {

using condens::tests::count;
using condens::tests::xml_problem;

void expect_sound(const std::string& svg) {
  EXPECT_EQ(xml_problem(svg), "");
  for (const char* bad : {"nan", "inf\""}) EXPECT_EQ(svg.find(bad), std::string::npos) << bad;
}

LineChart two_curves() {
  return {.title = "Score",
          .x_label = "rows",
          .y_label = "loss",
          .series = {{.name = "first <a>", .x = Vector{{200.0, 1000.0, 5000.0}}, .y = Vector{{1.0, 0.5, 0.25}}},
                     {.name = "second",
                      .x = Vector{{200.0, 5000.0}},
                      .y = Vector{{2.0, 1.0}},
                      .error = Vector{{0.1, std::nan("")}},
                      .kind = LineKind::dashed}}};
}

TEST(LineChart, DrawsCurvesBarsAndLegend) {
  const std::string svg = line_chart(two_curves());
  expect_sound(svg);
  EXPECT_EQ(count(svg, "stroke-width=\"1.8\""), 4U);  // two curves, two entries in the legend
  EXPECT_EQ(count(svg, "<circle"), 5U);
  EXPECT_EQ(count(svg, "stroke-width=\"1.1\""), 1U);      // one bar: the other error is not a number
  EXPECT_EQ(count(svg, "stroke-dasharray=\"7 4\""), 2U);  // the curve and its entry in the legend
  EXPECT_NE(svg.find("first &lt;a&gt;"), std::string::npos);
  EXPECT_NE(svg.find(">rows<"), std::string::npos);
}

TEST(LineChart, ANumberMissingLeavesAGap) {
  LineChart chart = two_curves();
  chart.series.resize(1);
  chart.series[0].x = Vector{{1.0, 2.0, 3.0, 4.0, 5.0}};
  chart.series[0].y = Vector{{1.0, 2.0, std::numeric_limits<double>::quiet_NaN(), 4.0, 5.0}};
  const std::string svg = line_chart(chart);
  expect_sound(svg);
  EXPECT_EQ(count(svg, "stroke-width=\"1.8\""), 3U);  // two pieces, one entry in the legend
  EXPECT_EQ(count(svg, "<circle"), 4U);
}

TEST(LineChart, LogarithmicAxesAndRules) {
  LineChart chart = two_curves();
  chart.log_x = chart.log_y = true;
  chart.series[0].markers = chart.series[1].markers = false;
  chart.series[1].error = Vector{{5.0, 0.1}};  // reaches below zero: down to the frame
  chart.x_rule = Rule{500.0, "chosen"};
  chart.y_rule = Rule{0.1, "lower bound"};
  const std::string svg = line_chart(chart);
  expect_sound(svg);
  EXPECT_EQ(count(svg, "<circle"), 0U);
  EXPECT_NE(svg.find(">chosen<"), std::string::npos);
  EXPECT_NE(svg.find(">lower bound<"), std::string::npos);
  EXPECT_NE(svg.find(">1000<"), std::string::npos);
  chart.y_range = Extent{0.5, 2.0};
  expect_sound(line_chart(chart));
}

TEST(LineChart, OnePointIsAPicture) {
  const LineChart chart{.series = {{.name = "", .x = Vector{{1.0}}, .y = Vector{{2.0}}}}};
  const std::string svg = line_chart(chart);
  expect_sound(svg);
  EXPECT_EQ(count(svg, "<circle"), 1U);
}

TEST(LineChart, LogTicksArePowersOfTenOrFinerWhereTheseAreFew) {
  EXPECT_EQ(log_ticks({0.0, 3.0}).labels, (std::vector<std::string>{"1", "10", "100", "1000"}));
  EXPECT_EQ(log_ticks({std::log10(200.0), std::log10(5000.0)}).labels,
            (std::vector<std::string>{"200", "500", "1000", "2000", "5000"}));
  EXPECT_EQ(log_ticks({-2.0, -1.0}).labels, (std::vector<std::string>{"0.01", "0.02", "0.05", "0.1"}));
  EXPECT_EQ(log_ticks({-8.0, 8.0}).at.size(), 9U);
  const Ticks narrow = log_ticks({std::log10(1.2), std::log10(1.6)});  // neither 1, 2 nor 5 inside
  EXPECT_EQ(narrow.labels, (std::vector<std::string>{"1.2", "1.3", "1.4", "1.5", "1.6"}));
  EXPECT_NEAR(narrow.at[3], std::log10(1.5), 1e-12);
}

TEST(LineChart, RefusesWhatCannotBeDrawn) {
  LineChart chart = two_curves();
  chart.series[1].error.resize(1);
  EXPECT_NE(complaint([&] { line_chart(chart); }).find("series 'second' holds 2 x, 2 y and 1 errors"),
            std::string::npos);
  chart = two_curves();
  chart.series[0].x[1] = std::nan("");
  EXPECT_NE(complaint([&] { line_chart(chart); }).find("has x = nan, expected a finite number"), std::string::npos);
  chart = two_curves();
  chart.log_y = true;
  chart.series[0].y[2] = 0.0;
  EXPECT_NE(complaint([&] { line_chart(chart); }).find("has y = 0, expected one > 0"), std::string::npos);
  chart = two_curves();
  chart.y_rule = Rule{std::nan(""), "r"};
  EXPECT_NE(complaint([&] { line_chart(chart); }).find("rule 'r' at nan"), std::string::npos);
  chart = two_curves();
  chart.y_range = Extent{1.0, 1.0};
  EXPECT_NE(complaint([&] { line_chart(chart); }).find("y_range from 1 to 1"), std::string::npos);
  EXPECT_NE(complaint([] { line_chart(LineChart{}); }).find("no finite point"), std::string::npos);
  chart = two_curves();
  chart.series[0].low = Vector{{0.5, 0.25, 0.1}};
  EXPECT_NE(complaint([&] { line_chart(chart); }).find("holds 3 x and a band of 3 and 0 ends"), std::string::npos);
  chart.series[0].high = Vector{{1.5, 0.75, 0.4}};
  EXPECT_EQ(count(line_chart(chart), "opacity=\"0.18\""), 1U);
  chart.log_x = true;
  EXPECT_NE(complaint([&] { line_chart(chart); }).find("has a band, expected axes that are not logarithmic"),
            std::string::npos);
  EXPECT_NE(complaint([] { log_ticks({1.0, 1.0}); }).find("log_ticks: extent"), std::string::npos);
}

}  // namespace
}  // namespace condens::plot::line_chart_test
