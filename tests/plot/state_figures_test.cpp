#include "condens/plot/state_figures.hpp"

#include <gtest/gtest.h>

#include "condens/core/random.hpp"
#include "condens/estimators/press.hpp"
#include "support/complaint.hpp"
#include "support/xml.hpp"

namespace condens::plot::state_figures_test {
namespace {

using condens::tests::xml_problem;

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// Two targets that take `states` levels, far apart.
Dataset sample(int states) {
  RandomStream random(1);
  Matrix x(2, 90);
  Matrix y(2, 90);
  for (double& value : x.reshaped()) value = random.uniform();
  for (Index i = 0; i < 90; ++i) {
    const double level = std::floor(states * x(0, i));
    y.col(i) << level + 0.1 * random.normal(), 10 * level + random.normal();
  }
  return {.x = x, .y = y};
}

Press fitted(int states, const Dataset& data) {
  PressOptions options;
  options.n_states = {static_cast<double>(states)};
  options.regularization = {1e-3};
  return Press::fit(data, options);
}

TEST(StateFigures, DensitiesNameTheStatesAndTheirShares) {
  const Dataset data = sample(2);
  const std::string svg = state_densities(fitted(2, data), {{}, {"a<b", "height"}}, 1);
  EXPECT_EQ(xml_problem(svg), "");
  EXPECT_TRUE(has(svg, "Density of height in each state"));
  EXPECT_TRUE(has(svg, "state 2 ("));
  // A target that is never negative has no curve below zero.
  const std::string minus = ">\xE2\x88\x92";
  const Dataset shifted{.x = data.x, .y = Matrix(data.y.array() - 5.0)};
  const Press model = fitted(2, shifted);
  EXPECT_TRUE(has(state_densities(model, {}, 1), minus));
  EXPECT_FALSE(has(state_densities(model, {}, 1, {}, Extent{0.0, 6.0}), minus));
  EXPECT_EQ(complaint([&] { state_densities(fitted(2, data), {}, 2); }), "state_densities: target 2, expected 0 to 1");
}

TEST(StateFigures, WeightsFollowOneInput) {
  const Dataset data = sample(2);
  const Press model = fitted(2, data);
  const std::string svg =
      state_weights(model, {.input = 1, .range = {0, 1}, .at = Vector{{0.5, 0.5}}}, {{"a", "age"}, {}});
  EXPECT_EQ(xml_problem(svg), "");
  EXPECT_TRUE(has(svg, "Weight of each state as age moves"));
  EXPECT_TRUE(has(svg, ">At a = 0.5.<"));  // where the other input stands
  EXPECT_EQ(complaint([&] {
              state_weights(model, {.input = 2, .at = Vector{{0.5, 0.5}}});
            }),
            "state_weights: input 2, expected 0 to 1");
  EXPECT_EQ(complaint([&] { state_weights(model, {.input = 1, .at = Vector{{0.5}}}); }),
            "state_weights: at holds 1 values, expected 2, one for each input");
}

TEST(StateFigures, ASimplexNeedsThreeStates) {
  const Dataset data = sample(3);
  const std::string svg = state_simplex(fitted(3, data), data, {{}, {"height"}}, {.max_points = 50});
  EXPECT_EQ(xml_problem(svg), "");
  EXPECT_TRUE(has(svg, "Weights of the states, in the colour of height"));
  EXPECT_TRUE(has(svg, "state 3: mean "));
  const Dataset two = sample(2);
  EXPECT_EQ(complaint([&] { state_simplex(fitted(2, two), two); }),
            "state_simplex: the model has 2 states, expected 3");
}

TEST(StateFigures, TransitionsAreThoseOfTheRowsInTheirOrder) {
  Dataset data = sample(2);
  Matrix x = data.x;
  for (Index i = 0; i < x.cols(); ++i) x(0, i) = i % 2 == 0 ? 0.1 : 0.9;  // one state after the other
  Matrix y = data.y;
  y.row(0) = (x.row(0).array() > 0.5).cast<double>() + 0.01 * y.row(0).array();
  y.row(1) = 10 * y.row(0);
  data = {.x = x, .y = y};
  const Press model = fitted(2, data);
  const std::string svg = state_transitions(model, data);
  EXPECT_EQ(xml_problem(svg), "");
  EXPECT_TRUE(has(svg, "Chance of the next state"));
  EXPECT_TRUE(has(svg, ">100 %<"));
  EXPECT_EQ(complaint([&] { state_transitions(model, data.subset({0})); }),
            "transition_matrix: steps = 1, expected a whole number from 1 to 0 for 1 rows");
}

TEST(StateFigures, TheSmoothingMatrixIsOrderedAndThinned) {
  const Dataset data = sample(2);
  const Press model = fitted(2, data);
  const std::string svg = smoothing_matrix(model, data, {{}, {"height"}}, {.max_points = 40});
  EXPECT_EQ(xml_problem(svg), "");
  EXPECT_TRUE(has(svg, "row of the fit, by mean of height"));
  Dataset one{.x = data.x.topRows(1), .y = data.y.topRows(1)};
  EXPECT_TRUE(has(smoothing_matrix(fitted(2, one), one, {{"time"}, {}}), "row predicted, by time"));
  EXPECT_EQ(complaint([&] { smoothing_matrix(model, one); }),
            "smoothing_matrix: the data have 1 inputs and 1 targets, expected 2 and 2 as in the fit");
}

}  // namespace
}  // namespace condens::plot::state_figures_test
