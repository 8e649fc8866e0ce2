#include "condens/plot/figures.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "condens/plot/page.hpp"
#include "support/complaint.hpp"
#include "support/gaussian_model.hpp"
#include "support/xml.hpp"

namespace condens::plot::figures_test {
namespace {

using condens::tests::branching_model;
using condens::tests::count;
using condens::tests::draw;
using condens::tests::gaussian_model;
using condens::tests::KnownModel;
using condens::tests::xml_problem;

/// Well-formed, finite, of a bearable size.
void expect_sound(const std::string& svg) {
  EXPECT_EQ(xml_problem(svg), "");
  EXPECT_EQ(svg.rfind("<svg ", 0), 0U);
  EXPECT_LT(svg.size(), 1000000U);
  // Numbers that are not finite would stand in an attribute: ="nan, =" inf, Lnan, -inf ... An image holds any letters.
  std::string text = svg;
  for (std::size_t at; (at = text.find("base64,")) != std::string::npos;) text.erase(at, text.find('"', at) - at);
  for (const char* bad : {"nan ", "nan\"", "inf ", "inf\"", "nanL", "infL", "NaN"})
    EXPECT_EQ(text.find(bad), std::string::npos) << bad;
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

Dataset branching_data(Index n) {
  Dataset data{Vector::LinSpaced(n, -1.0, 3.0).transpose(), {}};
  data.y = draw(branching_model(), data.x, 2);
  return data;
}

const Names awkward{{"a<b> & \"c\""}, {"M\xC3\xBCll 'd' <e>"}};

TEST(Figures, DensityMap) {
  const std::string svg = density_map(branching_model(), branching_data(100), awkward);
  expect_sound(svg);
  EXPECT_TRUE(has(svg, "a&lt;b&gt; &amp; &quot;c&quot;"));
  EXPECT_TRUE(has(svg, "M\xC3\xBCll &#39;d&#39; &lt;e&gt;"));
  EXPECT_TRUE(has(svg, "data:image/png;base64,"));
  EXPECT_TRUE(has(svg, "90 % interval"));
  EXPECT_EQ(count(svg, "<circle"), 101U);  // the data and the legend
  EXPECT_FALSE(has(svg, "true density"));
}

TEST(Figures, DensityMapThinsPointsAndDrawsTheTruth) {
  MapOptions options{.max_points = 10};
  options.truth = [](double x, double y) { return std::exp(-x * x - y * y); };
  const std::string svg = density_map(branching_model(), branching_data(100), {}, options);
  expect_sound(svg);
  EXPECT_EQ(count(svg, "<circle"), 11U);
  EXPECT_TRUE(has(svg, "true density"));
  EXPECT_TRUE(has(svg, ">x1<") && has(svg, ">y1<"));
}

TEST(Figures, OneInputOfSeveralAndOneTargetOfTwo) {
  const KnownModel model(2, 2, [](const VectorView& x) {
    return GaussianMixture(Vector::Ones(1), Matrix{{x[0]}, {x[1]}}, Matrix::Ones(2, 1));
  });
  Dataset data{Matrix::Random(2, 30), Matrix::Random(2, 30)};
  const Names names{{"first", "second"}, {"up", "down"}};
  const std::string map = density_map(model, data, names, {.input = 1, .target = 1});
  expect_sound(map);
  EXPECT_TRUE(has(map, "down") && has(map, ">second<") && !has(map, ">first<"));
  EXPECT_TRUE(has(map, "At first = "));
  EXPECT_GT(count(map, "<circle"), 1U);
  const std::string lines = slices(model, data, names, {.target = 1});
  expect_sound(lines);
  EXPECT_TRUE(has(lines, ">first<") && has(lines, ">second<") && has(lines, ">10 %<") &&
              has(lines, ">90 % quantile of the input<"));
  const std::string joint = joint_map(model, data, names);
  expect_sound(joint);
  EXPECT_TRUE(has(joint, "up") && has(joint, "50 % region"));
}

TEST(Figures, SlicesOfOneInputNameItsValues) {
  Dataset data{Matrix{{0.0, 1.0, 2.0, 3.0, 4.0}}, Matrix{{0.0, 2.0, 4.0, 6.0, 8.0}}};
  const std::string svg = slices(gaussian_model(), data, awkward, {.levels = {0.25, 0.5}});
  expect_sound(svg);
  EXPECT_TRUE(has(svg, "at 1 (25 % quantile)") && has(svg, "at 2 (50 % quantile)"));
}

TEST(Figures, SlicesTakeOtherNamesOfTheirLevels) {
  const KnownModel model(2, 1, [](const VectorView& x) {
    return GaussianMixture(Vector::Ones(1), Matrix{{x[0] + x[1]}}, Matrix::Ones(1, 1));
  });
  const Dataset data{Matrix{{0, 1, 9}, {0, 2, 4}}, Matrix{{0, 3, 13}}};
  const Names names{{"first", "second"}, {"y"}};
  const std::string svg =
      slices(model, data, names, {.levels = {0.25, 0.5, 0.75}, .level_names = {"low", "median", "high"}});
  expect_sound(svg);
  EXPECT_TRUE(has(svg, ">low<") && has(svg, ">median<") && has(svg, ">high<") && !has(svg, "quantile"));
  EXPECT_TRUE(has(svg, ">0.5<") && has(svg, ">5<"));  // half way to the ends
  EXPECT_EQ(complaint([&] { slices(model, data, names, {.level_names = {"low"}}); }),
            "slices: 1 level_names for 3 levels, expected one for each, or none");
}

TEST(Figures, NoRowsHaveNoMedians) {
  EXPECT_THROW(median_inputs({Matrix(2, 0), Matrix(1, 0)}), std::invalid_argument);
  EXPECT_EQ(median_inputs({Matrix(0, 3), Matrix::Ones(1, 3)}).size(), 0);
}

TEST(Figures, DensityWithoutInputs) {
  const KnownModel model(0, 1, [](const VectorView&) {
    return GaussianMixture(Vector{{0.5, 0.5}}, Matrix{{-2.0, 3.0}}, Matrix{{1.0, 0.5}});
  });
  const Dataset data{Matrix(0, 200), draw(model, Matrix(0, 200), 4)};
  const std::string svg = density_curve(model, data, awkward);
  expect_sound(svg);
  EXPECT_TRUE(has(svg, "M\xC3\xBCll") && has(svg, "components"));
  EXPECT_THROW(density_map(model, data), std::invalid_argument);
  EXPECT_THROW(slices(model, data), std::invalid_argument);
}

TEST(Figures, JointDensityWithoutInputsShowsDataAndMeans) {
  const KnownModel model(0, 2, [](const VectorView&) {
    return GaussianMixture(Vector{{0.5, 0.5}}, Matrix{{-2.0, 3.0}, {0.0, 1.0}}, Matrix::Ones(2, 2));
  });
  const Dataset data{Matrix(0, 50), draw(model, Matrix(0, 50), 4)};
  const std::string svg = joint_map(model, data);
  expect_sound(svg);
  EXPECT_TRUE(has(svg, "means of the components"));
  EXPECT_EQ(count(svg, "<circle"), 50U + 2U + 2U);  // rows, means, and one of each in the legend
}

TEST(Figures, TargetsTwoByTwo) {
  const KnownModel model(0, 3, [](const VectorView&) {
    return GaussianMixture(Vector{{0.5, 0.5}}, Matrix{{-2.0, 3.0}, {0.0, 1.0}, {5.0, 5.0}}, Matrix::Ones(3, 2));
  });
  const Dataset data{Matrix(0, 50), draw(model, Matrix(0, 50), 4)};
  const std::string svg = pair_map(model, data, {{}, {"up", "down", "along"}});
  expect_sound(svg);
  EXPECT_EQ(count(svg, "<circle"), 3U * 50U + 1U);  // and the legend
  EXPECT_EQ(count(svg, "<image"), 3U);
  EXPECT_TRUE(has(svg, ">up<") && has(svg, ">down<") && has(svg, ">along<"));
  EXPECT_THROW(pair_map(gaussian_model(), data), std::invalid_argument);
}

TEST(Figures, Calibration) {
  const Scores scores = score(branching_model(), branching_data(150));
  const std::string pit = pit_histogram(scores.targets[0].pit, Vector(), "a < b");
  expect_sound(pit);
  EXPECT_TRUE(has(pit, "a &lt; b"));
  const std::string coverage = coverage_plot(scores.targets[0], Vector(), "a < b");
  expect_sound(coverage);
  EXPECT_TRUE(has(coverage, "highest-density regions"));
  EXPECT_EQ(count(coverage, "<circle"), 9U);  // four levels, two kinds, the legend
  // One row: no standard error, no bars.
  const Scores single = score(branching_model(), branching_data(150).subset({7}));
  expect_sound(coverage_plot(single.targets[0], Vector(), "y"));
  expect_sound(pit_histogram(single.targets[0].pit, Vector(), "y"));
  EXPECT_THROW(pit_histogram(Vector{{1.5}}, Vector(), "y"), std::invalid_argument);
}

TEST(Figures, TuningMarksItsMinimum) {
  TuningTable table{"nll",
                    "regularization",
                    "bandwidth",
                    Vector{{0.01, 0.1, 1.0}},
                    Vector{{0.5, 1.0, 2.0}},
                    Matrix{{3.0, 2.0, 4.0}, {2.5, 1.0, 3.5}, {9e9, std::numeric_limits<double>::infinity(), 4.5}}};
  const std::string inside = tuning_surface(table);
  expect_sound(inside);
  EXPECT_TRUE(has(inside, "minimum 1.000 at bandwidth = 1, regularization = 0.1<"));
  EXPECT_TRUE(has(inside, "failed"));
  table.score(0, 1) = 0.5;
  EXPECT_TRUE(has(tuning_surface(table), "regularization = 0.01 (edge of the grid)"));
  table.score.setConstant(2.0);
  expect_sound(tuning_surface(table));
  table.score.setConstant(std::nan(""));
  EXPECT_THROW(tuning_surface(table), std::invalid_argument);
  table.score.resize(2, 3);
  EXPECT_THROW(tuning_surface(table), std::invalid_argument);
}

TEST(Figures, TuningOfOneListIsALine) {
  const TuningTable row{"nll",
                        "",
                        "bandwidth",
                        Vector{{1.0}},
                        Vector{{0.5, 1.0, 2.0}},
                        Matrix{{3.0, std::numeric_limits<double>::infinity(), 4.0}},
                        Matrix{{0.1, 0.1, std::nan("")}}};
  expect_sound(tuning_surface(row));
  EXPECT_TRUE(has(tuning_surface(row), "bandwidth"));
  const TuningTable column{"nll", "regularization", "", Vector{{0.5, 1.0}}, Vector{{1.0}}, Matrix{{3.0}, {4.0}}};
  expect_sound(tuning_surface(column));
  EXPECT_TRUE(has(tuning_surface(column), "regularization"));
}

TEST(Figures, ConstantAndExtremeDataDoNotBreakThem) {
  const double values[] = {0.0, 7.0, -1e12, 1e-12};
  for (const double value : values) {
    const Dataset data{Matrix::Constant(1, 5, value), Matrix::Constant(1, 5, value)};
    expect_sound(density_map(gaussian_model(1.0), data));
    expect_sound(slices(gaussian_model(1.0), data));
  }
  // A law far away from the data, and one as narrow as a needle.
  const Dataset data{Matrix{{0.0, 1.0}}, Matrix{{0.0, 1.0}}};
  expect_sound(density_map(gaussian_model(1e8), data));
  expect_sound(slices(gaussian_model(1e8), data));
  expect_sound(density_map(gaussian_model(1.0, 1e-9), data));
  const KnownModel needle(0, 1, [](const VectorView&) {
    return GaussianMixture(Vector::Ones(1), Matrix::Zero(1, 1), Matrix::Constant(1, 1, 1e-9));
  });
  expect_sound(density_curve(needle, Dataset{Matrix(0, 3), Matrix::Zero(1, 3)}));
}

TEST(Figures, SayWhatIsWrong) {
  const Dataset data = branching_data(5);
  EXPECT_THROW(density_map(gaussian_model(), Dataset{}), std::invalid_argument);
  EXPECT_THROW(density_map(gaussian_model(), data, {}, {.input = 1}), std::invalid_argument);
  EXPECT_THROW(density_map(gaussian_model(), data, {}, {.target = 1}), std::invalid_argument);
  EXPECT_THROW(density_map(gaussian_model(), data, {}, {.at = Vector::Zero(2)}), std::invalid_argument);
  EXPECT_THROW(density_map(gaussian_model(), data, {}, {.interval = 1.0}), std::invalid_argument);
  EXPECT_THROW(slices(gaussian_model(), data, {}, {.levels = {}}), std::invalid_argument);
  EXPECT_THROW(slices(gaussian_model(), data, {}, {.inputs = {3}}), std::invalid_argument);
  EXPECT_THROW(slices(gaussian_model(), Dataset{Matrix::Zero(2, 3), Matrix::Zero(1, 3)}), std::invalid_argument);
  EXPECT_THROW(joint_map(gaussian_model(), data), std::invalid_argument);
  EXPECT_THROW(density_curve(gaussian_model(), data), std::invalid_argument);
}

TEST(Figures, ThreadsDoNotMatter) {
  const Dataset data = branching_data(50);
  const std::string one = density_map(branching_model(), data, {}, {}, {.threads = 1, .observer = {}});
  EXPECT_EQ(density_map(branching_model(), data, {}, {}, {.threads = 7, .observer = {}}), one);
}

TEST(Page, IsSelfContainedAndEscaped) {
  const std::string svg = density_map(branching_model(), branching_data(20), awkward);
  const std::string html = page("<script>alert(1)</script>", {{"a & b", "1 < 2"}}, {{"First <1>", svg, "what & how"}});
  const std::string xml = html.substr(html.find("<html"));
  const std::size_t meta = xml.find("<style>");
  const std::size_t end = xml.find("</style>");
  EXPECT_EQ(xml_problem(xml.substr(0, meta) + xml.substr(end + 8)), "");
  EXPECT_FALSE(has(html, "<script"));
  EXPECT_TRUE(has(html, "&lt;script&gt;") && has(html, "a &amp; b") && has(html, "1 &lt; 2"));
  EXPECT_TRUE(has(html, "First &lt;1&gt;") && has(html, "what &amp; how"));
  // Nothing is fetched: the only addresses are the names of the SVG namespaces.
  EXPECT_EQ(count(html, "http"), count(html, "http://www.w3.org/"));
  EXPECT_FALSE(has(html, "@import") || has(html, "url("));
}

}  // namespace
}  // namespace condens::plot::figures_test
