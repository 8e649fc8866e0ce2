#include "condens/plot/reduction_figures.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "condens/core/random.hpp"
#include "condens/registry.hpp"
#include "support/complaint.hpp"
#include "support/xml.hpp"

namespace condens::plot::reduction_figures_test {
namespace {

using condens::tests::count;
using condens::tests::xml_problem;

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

Dataset sample() {
  RandomStream random(1);
  Matrix x(4, 60);
  Matrix y(2, 60);
  for (double& value : x.reshaped()) value = random.normal();
  for (Index i = 0; i < 60; ++i) y.col(i) << x(0, i) + 0.2 * random.normal(), 100 * x(1, i) + random.normal();
  return {.x = x, .y = y};
}

std::unique_ptr<ConditionalDensity> reduced(const Dataset& data, int n_components) {
  return find_model("sliced").fit(data, "", Document::Object{{"n_components", n_components}, {"model", "ekde"}}, {});
}

const ProjectedDensity& projected(const std::unique_ptr<ConditionalDensity>& model) {
  return dynamic_cast<const ProjectedDensity&>(*model);
}

TEST(ReductionFigures, LoadingsAreNamedTheLargestFirst) {
  const std::vector<std::string> names{"a", "b", "c", "d"};
  EXPECT_EQ(loadings_text(Vector{{0.1, -0.8, 0.5, 0.0}}, names), "-0.8 b + 0.5 c + 0.1 a");
  EXPECT_EQ(loadings_text(Vector{{0.1, -0.8, 0.5, 0.0}}, names, 2), "-0.8 b + 0.5 c + ...");
  EXPECT_EQ(loadings_text(Vector{{0, 0, 1, 0}}, names), "1 c");
  EXPECT_EQ(loadings_text(Vector{{0.707107, -0.707107, 0, 0}}, names), "0.71 a - 0.71 b");
  EXPECT_EQ(complaint([&] { loadings_text(Vector{{1.0}}, names); }),
            "loadings_text: 1 loadings and 4 names, expected as many");
}

TEST(ReductionFigures, OneComponentIsAMapBehindThePoints) {
  Dataset data = sample();
  data.y = Matrix(data.y.topRows(1));
  const auto model = reduced(data, 1);
  const std::string svg = sufficient_summary(projected(model), data, {.inputs = {"<a>"}, .targets = {"height"}});
  EXPECT_EQ(xml_problem(svg), "");
  EXPECT_TRUE(has(svg, "height over one component"));
  EXPECT_TRUE(has(svg, "z1 = "));
  EXPECT_TRUE(has(svg, "&lt;a&gt;"));
  EXPECT_TRUE(has(svg, "90 % interval"));
  EXPECT_EQ(count(svg, "data:image/png;base64,"), 2U);  // the map and the colour bar
  EXPECT_GE(count(svg, "<circle") + count(svg, "<path"), 1U);
}

TEST(ReductionFigures, TwoComponentsAreColouredByTheTarget) {
  const Dataset data = sample();
  for (const int components : {2, 3}) {
    const auto model = reduced(data, components);
    for (const Index target : {0, 1}) {
      const std::string svg = sufficient_summary(projected(model), data, {.target = target, .max_points = 40});
      EXPECT_EQ(xml_problem(svg), "");
      EXPECT_TRUE(has(svg, target == 0 ? "y1 over" : "y2 over"));
      EXPECT_TRUE(has(svg, components == 2 ? "two components" : "the first two of 3 components"));
      EXPECT_TRUE(has(svg, "z2 = "));
      EXPECT_TRUE(has(svg, "median of the model"));
      EXPECT_EQ(count(svg, "<circle"), 41U);  // and the legend
    }
  }
}

TEST(ReductionFigures, EveryNumberOfComponentsHasAScore) {
  Document candidates;
  candidates.set("n_components", Vector{{1, 2, 5}}).set("standard_error", Vector{{0.1, 0.1, 0.0}});
  candidates.set("score", Vector{{0.5, 0.25, std::numeric_limits<double>::max()}});  // the last has no density
  const std::string svg = dimension_scores(candidates, 2);
  EXPECT_EQ(xml_problem(svg), "");
  EXPECT_TRUE(has(svg, "chosen: 2"));
  EXPECT_TRUE(has(svg, "number of components"));
  EXPECT_EQ(count(svg, "<circle"), 2U);
}

TEST(ReductionFigures, SayWhatIsMissing) {
  const Dataset data = sample();
  const auto model = reduced(data, 1);
  EXPECT_EQ(complaint([&] { sufficient_summary(projected(model), data, {.target = 2}); }),
            "sufficient_summary: target 2, expected 0 to 1");
  const Dataset none{.x = Matrix::Ones(4, 60), .y = data.y};
  const auto constant = reduced(none, 1);
  EXPECT_EQ(complaint([&] { sufficient_summary(projected(constant), none); }),
            "sufficient_summary: the model has no components, expected at least one");
}

}  // namespace
}  // namespace condens::plot::reduction_figures_test
