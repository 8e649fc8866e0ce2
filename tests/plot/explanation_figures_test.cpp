#include "condens/plot/explanation_figures.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "support/complaint.hpp"
#include "support/xml.hpp"

namespace condens::plot::explanation_figures_test {
namespace {

const std::vector<std::string> two_inputs{"age", "a < b"};

TEST(AddedBars, ShowNamesLabelsAndErrors) {
  const std::string svg = added_bars(
      "What inputs add", two_inputs,
      {{"mean", Vector{{2.0, -1.0}}, Vector{{0.5, std::nan("")}}}, {"std", Vector{{0.0, 0.0}}}}, "A remark.");
  EXPECT_EQ(tests::xml_problem(svg), "");
  for (const char* word : {"What inputs add", "age", "a &lt; b", "mean", "std", "standard error", "A remark."}) {
    EXPECT_NE(svg.find(word), std::string::npos) << word;
  }
  EXPECT_NE(svg.find("#D55E00"), std::string::npos);  // what is below zero has another colour
  const std::string plain = added_bars("t", two_inputs, {{"mean", Vector{{2.0, 1.0}}}});
  EXPECT_EQ(plain.find("#D55E00"), std::string::npos);
  EXPECT_EQ(plain.find("standard error"), std::string::npos);
}

TEST(AddedBars, ComplainOfWhatDoesNotFit) {
  const auto said = [](const std::vector<std::string>& inputs, const std::vector<AddedColumn>& columns) {
    return complaint([&] { added_bars("t", inputs, columns); });
  };
  EXPECT_EQ(said({}, {{"mean", Vector()}}), "added_bars: there are no inputs, expected at least one");
  EXPECT_EQ(said(two_inputs, {}), "added_bars: there are 0 columns, expected 1 to 4");
  EXPECT_EQ(said(two_inputs, std::vector<AddedColumn>(5, {"m", Vector::Ones(2)})),
            "added_bars: there are 5 columns, expected 1 to 4");
  EXPECT_EQ(said(two_inputs, {{"mean", Vector::Ones(3)}}),
            "added_bars: 'mean' has 3 values and 0 errors, expected 2, or no errors");
  EXPECT_EQ(said(two_inputs, {{"mean", Vector::Ones(2), Vector::Ones(1)}}),
            "added_bars: 'mean' has 2 values and 1 errors, expected 2, or no errors");
  EXPECT_EQ(said(two_inputs, {{"mean", Vector{{1.0, std::numeric_limits<double>::infinity()}}}}),
            "added_bars: 'mean' has a value that is not finite");
}

TEST(EffectCurves, DrawMeansOfDependenceAndWhatLocalEffectsAdd) {
  Effect effect{.input = "age",
                .kind = EffectKind::dependence,
                .levels = {},
                .grid = Vector{{1.0, 2.0, 3.0}},
                .of = parse_functionals("quantile:0.1,quantile:0.9"),
                .base = Vector{{1000.0, 7000.0}},
                .values = Matrix{{-1.0, 0.0, 1.0}, {-2.0, 0.0, 2.0}},
                .standard_errors = Matrix::Zero(2, 3),
                .n_rows = 10};
  const std::string partial = effect_curves(effect, "cost");
  EXPECT_EQ(tests::xml_problem(partial), "");
  for (const char* word : {"Partial dependence on age", "quantile:0.1", "quantile:0.9", "cost", ">7000<"}) {
    EXPECT_NE(partial.find(word), std::string::npos) << word;
  }
  effect.kind = EffectKind::local;
  const std::string local = effect_curves(effect, "cost");
  EXPECT_NE(local.find("effect on cost"), std::string::npos);
  EXPECT_EQ(local.find(">7000<"), std::string::npos);  // no means
  effect.levels = {"low", "middle", "high"};
  const std::string levels = effect_curves(effect, "cost");
  EXPECT_EQ(tests::xml_problem(levels), "");
  EXPECT_NE(levels.find("middle"), std::string::npos);
}

}  // namespace
}  // namespace condens::plot::explanation_figures_test
