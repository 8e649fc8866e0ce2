// What figures of densities must say of what they show: where the other inputs stand, what an axis leaves out, how many
// rows there are.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "condens/plot/figures.hpp"
#include "condens/plot/line_chart.hpp"
#include "condens/plot/page.hpp"
#include "condens/plot/relevance_figures.hpp"
#include "support/gaussian_model.hpp"
#include "support/xml.hpp"

namespace condens::plot::honest_figures_test {
namespace {

using tests::count;
using tests::gaussian_model;
using tests::KnownModel;
using tests::xml_problem;

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// The values of an attribute, in the order of the text.
std::vector<double> attributes(const std::string& svg, const std::string& name) {
  std::vector<double> out;
  const std::string start = " " + name + "=\"";
  for (std::size_t at = svg.find(start); at != std::string::npos; at = svg.find(start, at + 1))
    out.push_back(std::stod(svg.substr(at + start.size())));
  return out;
}

/// The texts with these attributes.
std::vector<std::string> texts(const std::string& svg, const std::string& attributes) {
  std::vector<std::string> out;
  for (std::size_t at = svg.find(attributes); at != std::string::npos; at = svg.find(attributes, at + 1)) {
    const std::size_t start = svg.find('>', at) + 1;
    out.push_back(svg.substr(start, svg.find('<', start) - start));
  }
  return out;
}

/// What stands below: texts of the size of captions.
std::vector<std::string> caption(const std::string& svg) { return texts(svg, "font-size=\"9.5\""); }

std::vector<std::string> x_labels(const std::string& svg) {
  return texts(svg, "font-size=\"10.5\" text-anchor=\"middle\"");
}

std::string joined(const std::vector<std::string>& lines) {
  std::string out;
  for (const std::string& line : lines) out += line + " ";
  return out;
}

/// y is normal around the sum of the inputs.
KnownModel sum_model(Index inputs, double scale = 1.0) {
  return {inputs, 1, [=](const VectorView& x) {
            return GaussianMixture(Vector::Ones(1), Matrix::Constant(1, 1, x.sum()), Matrix::Constant(1, 1, scale));
          }};
}

/// Rows of inputs from a lattice without structure, all different.
Matrix lattice_inputs(Index inputs, Index n) {
  Matrix x(inputs, n);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < inputs; ++j)
      x(j, i) = std::fmod(static_cast<double>(i + 1) * std::sqrt(2.0 + 3.0 * static_cast<double>(j)), 1.0);
  return x;
}

/// y is the sum of the inputs.
Dataset summed(const Matrix& x) { return {x, x.colwise().sum()}; }

Dataset lattice(Index inputs, Index n) { return summed(lattice_inputs(inputs, n)); }

TEST(HonestFigures, TheAxisCoversTheDistributionNotOnlyTheData) {
  const Dataset data{Vector::LinSpaced(50, -1.0, 1.0).transpose(), Vector::LinSpaced(50, -2.0, 2.0).transpose()};
  const std::string svg = density_map(gaussian_model(2.0, 0.6), data);
  EXPECT_TRUE(has(svg, ">3<") && has(svg,
                                     ">\xE2\x88\x92"
                                     "3<"));  // 2 + 2.58 * 0.6 = 3.5
}

TEST(HonestFigures, NothingIsClaimedBelowZeroWhereTheDataAreNot) {
  const Dataset data{Vector::LinSpaced(50, 0.0, 1.0).transpose(), Vector::LinSpaced(50, 0.0, 2.0).transpose()};
  const KnownModel model = gaussian_model(2.0, 1.0);
  const std::string minus = ">\xE2\x88\x92";
  for (const std::string& svg : {density_map(model, data), slices(model, data)}) {
    EXPECT_FALSE(has(svg, minus));
    EXPECT_TRUE(has(joined(caption(svg)), "% of the probability lies below 0.")) << joined(caption(svg));
  }
  // Data that are negative have an axis that is.
  const Dataset shifted{data.x, Vector::LinSpaced(50, -0.5, 1.5).transpose()};
  EXPECT_TRUE(has(density_map(model, shifted), minus));
}

TEST(HonestFigures, FarValuesOfFewRowsDoNotSqueezeTheRest) {
  const Matrix x = lattice_inputs(1, 2000);
  Matrix y = x;
  y(0, 7) = 1e6;
  const std::string svg = density_map(sum_model(1, 0.1), {x, y});
  EXPECT_TRUE(has(joined(caption(svg)), "1 row lies beyond the axis."));
  EXPECT_FALSE(has(svg,
                   "\xC3\x97"
                   "10"));  // no tick in the hundred thousands
}

TEST(HonestFigures, SayWhereTheOtherInputsStand) {
  Matrix x = lattice_inputs(4, 60);
  x.row(1).setConstant(7.0);
  x.bottomRows(2).setZero();
  x.row(2).head(40).setOnes();
  x.row(3).tail(20).setOnes();
  const Dataset data = summed(x);
  const KnownModel model = sum_model(4);
  // The last two rows are categories of two levels: one indicator each.
  const Names names{{}, {"y"}, {{"dose", 1}, {"sex", 2, 1, {"F", "M"}}, {"smoke", 3, 1, {"no", "yes"}}, {"time", 0}}};
  const std::string map = density_map(model, data, names, {.input = 3});
  EXPECT_EQ(xml_problem(map), "");
  EXPECT_TRUE(has(map, ">time<"));
  EXPECT_TRUE(has(joined(caption(map)), "At dose = 7, sex = M, smoke = no;")) << joined(caption(map));
  const std::string panels = slices(model, data, names);
  EXPECT_EQ(xml_problem(panels), "");
  EXPECT_TRUE(has(joined(caption(panels)), "dose = 7, sex = M, smoke = no, time = "));
  // Panels in the order of the columns, levels by their names.
  EXPECT_LT(panels.find(">dose<"), panels.find(">sex<"));
  EXPECT_LT(panels.find(">smoke<"), panels.find(">time<"));
  EXPECT_TRUE(has(panels, ">F<") && has(panels, ">M<"));
  const std::string remarked = slices(model, data, names, {.inputs = {0, 1}, .remark = "Not drawn: smoke."});
  EXPECT_TRUE(has(joined(caption(remarked)), "Not drawn: smoke."));
}

TEST(HonestFigures, CaptionAndLegendTakeATenthOfTheHeight) {
  const Dataset data = lattice(60, 200);
  Names names{{}, {"y"}};
  for (Index j = 0; j < 60; ++j) names.inputs.push_back("a_rather_long_name_" + std::to_string(j));
  const KnownModel model = sum_model(60);
  for (const std::string& svg : {density_map(model, data, names), slices(model, data, names, {.inputs = {0}}),
                                 slices(model, data, names, {.inputs = {0, 1, 2}})}) {
    const double height = attributes(svg, "height").front();
    const auto lines = caption(svg);
    EXPECT_GE(lines.size(), 1U);
    EXPECT_LE(12.0 * static_cast<double>(lines.size()) + 18.0, 0.1 * height);
    EXPECT_TRUE(has(joined(lines), " more")) << joined(lines);
  }
}

TEST(HonestFigures, ColumnsMustBeThoseOfTheModel) {
  const Dataset data = lattice(2, 20);
  EXPECT_THROW(slices(sum_model(2), data, {{}, {}, {{"a", 0}}}), std::invalid_argument);
  EXPECT_THROW(slices(sum_model(2), data, {{}, {}, {{"a", 0}, {"b", 2}}}), std::invalid_argument);
  EXPECT_THROW(slices(sum_model(2), data, {{}, {}, {{"a", 0, 2, {"p", "q"}}}}), std::invalid_argument);
}

TEST(HonestFigures, AnInputOfZeroAndOneIsTwoLevels) {
  Matrix x = lattice_inputs(2, 300);
  x.row(0) = (x.row(0).array() > 0.9).cast<double>().eval();
  const Dataset data = summed(x);
  const Names names{{"flag", "age"}, {"y"}};
  const std::string map = density_map(sum_model(2), data, names);
  EXPECT_EQ(x_labels(map), (std::vector<std::string>{"0", "1"}));  // no numbers between
  const std::string panels = slices(sum_model(2), data, names, {.inputs = {0}});
  EXPECT_TRUE(has(panels, "flag = 0") && has(panels, "flag = 1"));  // its three quantiles are 0, 0, 0 or 1
  EXPECT_FALSE(has(panels, "quantile"));
  // Six values are a continuum.
  for (Index i = 0; i < 300; ++i) x(0, i) = static_cast<double>(i % 6);
  EXPECT_TRUE(has(slices(sum_model(2), summed(x), names, {.inputs = {0}}), "quantile"));
}

TEST(HonestFigures, NamesOfManyLevelsDoNotCollide) {
  const Index n = 300;
  for (const Index levels : {3, 22, 90}) {
    Matrix x = Matrix::Zero(levels, n);
    InputColumn column{"dest", 0, levels};
    for (Index k = 0; k < levels; ++k) column.levels.push_back("L" + std::to_string(100 + k));
    for (Index i = 0; i < n; ++i) x(i % levels, i) = 1.0;
    const Dataset data{x, Vector::LinSpaced(n, -1.0, 1.0).transpose()};
    const std::string svg = density_map(sum_model(levels), data, {{}, {"y"}, {column}});
    EXPECT_EQ(xml_problem(svg), "");
    const std::size_t upright = count(svg, "rotate(-90") - 2;  // labels of y and of the colour bar
    const std::size_t named = count(svg, ">L1");
    EXPECT_EQ(upright, levels == 3 ? 0U : named);
    EXPECT_EQ(named, levels == 90 ? 30U : static_cast<std::size_t>(levels));
    EXPECT_EQ(has(joined(caption(svg)), "One of 3 levels is named."), levels == 90);
  }
}

TEST(HonestFigures, ManyRowsAreThinnedFaintAndCounted) {
  const std::string few = density_map(sum_model(1), lattice(1, 100));
  const std::string many = density_map(sum_model(1), lattice(1, 10000));
  EXPECT_TRUE(has(many, "1,500 of 10,000 rows"));
  EXPECT_TRUE(has(few, ">data<"));
  EXPECT_EQ(count(many, "<circle"), 1501U);
  EXPECT_EQ(attributes(few, "fill-opacity"), std::vector<double>{0.8});
  EXPECT_LT(attributes(many, "fill-opacity").front(), 0.4);
  EXPECT_EQ(attributes(many, "fill-opacity").size(), 1U);  // the mark in the legend is not faint
  // Below the curves: the mean is drawn after the points.
  EXPECT_GT(many.rfind("stroke-width=\"2\""), many.rfind("<circle"));
}

TEST(HonestFigures, RowsFadeWithTheirDistanceFromTheSection) {
  const Dataset data = lattice(3, 400);
  const std::string svg = density_map(sum_model(3), data, {}, {.input = 1});
  const std::vector<double> shades = attributes(svg, "fill-opacity");
  EXPECT_GE(shades.size(), 4U);
  EXPECT_TRUE(std::is_sorted(shades.begin(), shades.end()));  // the nearest on top
  EXPECT_LT(count(svg, "<circle"), 401U);
  EXPECT_TRUE(has(joined(caption(svg)), "rows are paler"));
  // Rows at the section itself are not fainter than those of a single input.
  const Dataset at_section{Matrix::Ones(3, 400), data.y};
  EXPECT_EQ(attributes(density_map(sum_model(3), at_section, {}, {.input = 1}), "fill-opacity"),
            attributes(density_map(sum_model(1), {data.x.row(0), data.y}), "fill-opacity"));
}

TEST(HonestFigures, OfManyRowsThoseOfTheSectionStandOut) {
  // One in 25 of 6,000 rows stands at the section, four are beside it.
  const Index n = 6000;
  Matrix x(3, n);
  Matrix y(1, n);
  for (Index i = 0; i < n; ++i) {
    x(0, i) = static_cast<double>(i / 25);
    x(1, i) = static_cast<double>(i % 5);
    x(2, i) = static_cast<double>(i / 5 % 5);
    y(0, i) = x(1, i) + x(2, i);
  }
  const std::string svg = density_map(sum_model(3), {x, y}, {}, {.input = 0, .at = Vector{{0.0, 1.0, 2.0}}});
  const std::vector<double> shades = attributes(svg, "fill-opacity");
  ASSERT_EQ(shades.size(), 2U);
  EXPECT_LE(shades.front(), 0.25 * shades.back());
}

TEST(HonestFigures, APeakDoesNotFlattenTheOtherPanels) {
  const KnownModel model(2, 1, [](const VectorView& x) {
    return GaussianMixture(Vector::Ones(1), Matrix::Zero(1, 1), Matrix::Constant(1, 1, x[0] < -1.0 ? 0.01 : 1.0));
  });
  const Dataset data = lattice(2, 300);
  const Dataset wide{6.0 * (data.x.array() - data.x.mean()).matrix(), data.y};
  const std::string svg = slices(model, wide, {{"first", "second"}, {"y"}}, {});
  EXPECT_TRUE(has(svg, ">40<"));   // the axis of the peak
  EXPECT_TRUE(has(svg, ">0.4<"));  // and that of the others
}

TEST(HonestFigures, SlicesEndWhereTheirCurvesCanNoLongerBeToldFromZero) {
  const KnownModel model(1, 1, [](const VectorView&) {
    return GaussianMixture(Vector{{0.94, 0.06}}, Matrix::Zero(1, 2), Matrix{{0.05, 5.0}});
  });
  const Dataset data{Vector::LinSpaced(50, 0.0, 1.0).transpose(), Vector::LinSpaced(50, -0.1, 0.1).transpose()};
  const std::string svg = slices(model, data);
  for (const std::string& label : x_labels(svg)) EXPECT_FALSE(label == "5" || label == "2" || label == "1") << label;
  // What is not drawn is told: 3 % of the probability at either side.
  EXPECT_TRUE(has(joined(caption(svg)), "% of the probability lies above 0.")) << joined(caption(svg));
}

TEST(HonestFigures, ManyLinesAreToldApart) {
  LineChart chart{.title = "t", .x_label = "x", .y_label = "y"};
  for (int k = 0; k < 8; ++k) {
    chart.series.push_back({.name = "s" + std::to_string(k), .x = Vector{{0.0, 1.0}}, .y = Vector{{0.0, 1.0 + k}}});
  }
  EXPECT_TRUE(has(line_chart(chart), "stroke-dasharray=\"7 4\""));
  chart.series.pop_back();
  EXPECT_FALSE(has(line_chart(chart), "stroke-dasharray"));
}

TEST(HonestFigures, WhereTheDataEndIsMarked) {
  const Dataset data{Vector::LinSpaced(50, 0.0, 1.0).transpose(), Vector::LinSpaced(50, 3.0, 5.0).transpose()};
  const std::string svg = slices(gaussian_model(8.0, 1.0), data);
  EXPECT_TRUE(has(svg, "beyond the data"));
  EXPECT_EQ(count(svg, "fill=\"#f0f0f0\""), 3U);  // to the left, to the right, and in the legend
}

TEST(HonestFigures, CalibrationOfManyRowsShowsTheDifference) {
  for (const Index n : {4000, 5000}) {
    const bool difference = n > difference_rows;
    const Dataset data{Matrix::Zero(1, n), Vector::LinSpaced(n, -2.0, 2.0).transpose()};
    const Scores scores = score(gaussian_model(1.0, 1.1), data, {.highest_density = false});
    const std::string pit = pit_histogram(scores.targets[0].pit, Vector(), "y");
    EXPECT_EQ(xml_problem(pit), "");
    EXPECT_EQ(has(pit, "relative frequency, less 1"), difference);
    const std::string coverage = coverage_plot(scores.targets[0], Vector(), "y");
    EXPECT_EQ(xml_problem(coverage), "");
    EXPECT_EQ(has(coverage, "covered less promised"), difference);
    EXPECT_EQ(has(coverage, ">1.0<") && has(coverage, ">0.8<") && count(coverage, ">0.8<") > 1, !difference);
  }
}

TEST(HonestFigures, MembersHaveTheirWeights) {
  const std::string svg = member_bars({{"gp", 0.6, "0.6, nll 1.2"}, {"a<b", 0.4, "0.4"}});
  EXPECT_EQ(xml_problem(svg), "");
  EXPECT_TRUE(has(svg, ">gp<") && has(svg, "a&lt;b") && has(svg, "0.6, nll 1.2"));
  EXPECT_THROW(member_bars({}), std::invalid_argument);
  EXPECT_THROW(member_bars({{"a", 1.5, ""}}), std::invalid_argument);
}

TEST(HonestFigures, APageDoesNotScaleItsFigures) {
  // Figures of different widths scaled to one width have letters of different sizes.
  const std::string html = page("t", {}, {});
  EXPECT_FALSE(has(html, "block; width: 100%"));
  EXPECT_TRUE(has(html, "max-width: 100%"));
}

}  // namespace
}  // namespace condens::plot::honest_figures_test
