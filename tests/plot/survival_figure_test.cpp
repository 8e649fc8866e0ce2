// The picture of survival functions: what it draws, and what it refuses.

#include "condens/plot/survival_figure.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "condens/core/errors.hpp"
#include "condens/core/random.hpp"
#include "condens/registry.hpp"
#include "support/complaint.hpp"
#include "support/xml.hpp"

namespace condens::tests::survival_figure_test {
namespace {

struct Drawn {
  std::unique_ptr<ConditionalDensity> model;
  Dataset data;
  Censoring limits;
};

Drawn example(Index d_x) {
  constexpr Index n = 60;
  RandomStream random(1);
  Matrix x(d_x, n);
  Matrix y(1, n);
  Censoring limits{Vector(n), Vector(n)};
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < d_x; ++j) x(j, i) = random.normal();
    y(0, i) = 3.0 + random.normal();
    limits.low[i] = y(0, i);
    limits.high[i] = i % 4 == 0 ? infinity : y(0, i);
  }
  Dataset data{.x = x, .y = y};
  return {find_model("nw").fit(data, "", Document(Document::Object{}), {}), data, limits};
}

bool has(const std::string& svg, const std::string& text) { return svg.find(text) != std::string::npos; }

TEST(SurvivalFigure, DrawsRowsTheirMeanAndKaplanMeier) {
  const Drawn own = example(1);
  const std::string svg = plot::survival_curves(*own.model, own.data, own.limits, {.target = "days"});
  for (const char* text : {"Survival of days", "mean over the rows", "Kaplan-Meier", ">row "})
    EXPECT_TRUE(has(svg, text)) << text;
  const std::string at =
      plot::survival_curves(*own.model, own.data, own.limits, {.at = Vector::Zero(1), .at_name = "x = 0"});
  EXPECT_TRUE(has(at, "x = 0"));
  EXPECT_FALSE(has(at, ">row "));
}

TEST(SurvivalFigure, DrawsDensitiesWithoutInputsAndIntervals) {
  Drawn own = example(0);
  EXPECT_TRUE(has(plot::survival_curves(*own.model, own.data, {}), ">model<"));
  own.limits.low[1] = -infinity;
  EXPECT_TRUE(has(plot::survival_curves(*own.model, own.data, own.limits), "Turnbull"));
}

TEST(SurvivalFigure, DrawsABandAroundEveryCurveOfTheModel) {
  for (const Index d_x : {0, 1}) {
    const Drawn own = example(d_x);
    const TargetRequest request{.kind = TargetKind::parse("real"), .replicates = 10, .censoring = own.limits};
    const TargetModel fitted =
        fit_target(find_model("gmm"), request, own.data, "", Document(Document::Object{{"n_components", 1}}),
                   [](Index row) { return message("row ", row); }, {});
    plot::SurvivalOptions options{.bands = {&*fitted.replicates, 0.8}};
    const std::string svg = plot::survival_curves(*fitted.density, own.data, own.limits, options);
    EXPECT_TRUE(has(svg, ", with 80 % bands"));
    EXPECT_EQ(count(svg, "opacity=\"0.18\""), d_x == 0 ? 1U : 4U);
    if (d_x == 0) continue;
    options.at = Vector::Zero(1);
    EXPECT_EQ(count(plot::survival_curves(*fitted.density, own.data, own.limits, options), "opacity=\"0.18\""), 2U);
  }
}

TEST(SurvivalFigure, RefusesDataOfAnotherModel) {
  const Drawn own = example(1);
  const std::string said = complaint([&] { plot::survival_curves(*own.model, example(2).data, {}); });
  EXPECT_TRUE(has(said, "the data have 2 inputs, expected 1")) << said;
}

}  // namespace
}  // namespace condens::tests::survival_figure_test
