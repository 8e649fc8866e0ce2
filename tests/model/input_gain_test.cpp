// What the inputs are worth: on rows of the fit, on rows left out, and what is said where it is nothing.

#include "model/input_gain.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "condens/registry.hpp"
#include "support/normals.hpp"

namespace condens::input_gain_test {
namespace {

/// y follows the first input with strength `slope`.
Dataset line(Index n, double slope, std::uint64_t seed) {
  RandomStream random(seed);
  const Matrix x = normals(2, n, random);
  return {.x = x, .y = Matrix(slope * x.row(0) + normals(1, n, random))};
}

Document quick() {
  return Document::Object{{"bandwidth", Document::Array{0.5, 2.0, 8.0}},
                          {"bandwidth_y", 0.3},
                          {"regularization", Document::Array{0.01, 0.1}},
                          {"n_centers", 40},
                          {"refine", false},
                          {"metric", "none"}};
}

std::unique_ptr<ConditionalDensity> fit(const Dataset& data, const std::string& model = "lscde",
                                        const Document& options = quick(), const Run& run = {}) {
  return fit_model(find_model(model), data, "", options, run);
}

std::string warnings(const ConditionalDensity& model) {
  std::string out;
  for (const std::string& text : model.report().warnings) out += text + "\n";
  return out;
}

TEST(InputGain, IsTheMeanOfWhatTheDefinitionSays) {
  Dataset data = line(90, 1.0, 1);
  data.weights = Vector::LinSpaced(90, 0.5, 2.0);
  for (const char* name : {"lscde", "gp"}) {  // laws that share components, and laws that do not
    const auto model = find_model(name).fit(data, "", name == std::string("lscde") ? quick() : Document(), {});
    const GaussianMixtures laws = model->predict(data.x);
    const Vector shares = data.weights / data.weights.sum();
    const Dataset test = line(20, 1.0, 2);
    const GaussianMixture average = average_of_some(*model, data);
    for (Index i = 0; i < test.size(); ++i) {
      double density = 0;
      for (Index j = 0; j < data.size(); ++j) density += shares[j] * laws[j].pdf(test.y(0, i));
      EXPECT_NEAR(average.log_pdf(test.y(0, i)), std::log(density), 1e-10);
    }
  }
  const Vector gains{{1.0, 2.0, 6.0}};
  const InputGain gain = input_gain(gains, Vector{{1.0, 2.0, 1.0}});
  EXPECT_DOUBLE_EQ(gain.mean, 2.75);
  EXPECT_NEAR(gain.standard_error,
              std::sqrt(std::pow(0.25 * 1.75, 2) + std::pow(0.5 * 0.75, 2) + std::pow(0.25 * 3.25, 2)), 1e-12);
}

TEST(InputGain, OfADependenceIsItsInformation) {
  // y = 2 x1 + noise: the mutual information of a Gaussian pair, log(1 + 4) / 2 = 0.805 nats.
  const auto model = fit(line(800, 2.0, 1));
  const Document& gain = model->report().details.at("gain_of_inputs");
  const Document& held_out = gain.at("held_out");
  EXPECT_NEAR(held_out.at("mean").as_number(), 0.5 * std::log(5.0), 0.25);
  EXPECT_LT(held_out.at("standard_error").as_number(), 0.1);
  EXPECT_EQ(held_out.at("n_rows").as_integer(), 400);
  EXPECT_EQ(held_out.at("n_rows_fitted").as_integer(), 400);
  EXPECT_EQ(gain.at("fitted").at("n_rows").as_integer(), 800);
  EXPECT_EQ(warnings(*model).find("inputs"), std::string::npos) << warnings(*model);
}

TEST(InputGain, OfNothingIsSaid) {
  const auto model = fit(line(800, 0.0, 1));
  EXPECT_NE(warnings(*model).find("inputs"), std::string::npos) << warnings(*model);
  // A law that is the same everywhere gains exactly nothing.
  Document wide = quick();
  wide.set("bandwidth", 1e6);
  const auto flat = fit(line(400, 2.0, 1), "lscde", wide);
  EXPECT_NEAR(flat->report().details.at("gain_of_inputs").at("fitted").at("mean").as_number(), 0.0, 1e-9);
  EXPECT_NE(warnings(*flat).find("hardly depends on the inputs"), std::string::npos) << warnings(*flat);
}

TEST(InputGain, IsHeldOutWhereAModelRemembers) {
  // Widths far too small for pure noise: what gains on its own rows loses on others.
  Document narrow = quick();
  narrow.set("bandwidth", 0.05).set("n_centers", 300).set("regularization", 1e-4);
  const auto model = fit(line(300, 0.0, 1), "lscde", narrow);
  const Document& gain = model->report().details.at("gain_of_inputs");
  EXPECT_GT(gain.at("fitted").at("mean").as_number(), 0.2);
  EXPECT_LT(gain.at("held_out").at("mean").as_number(), 0.0);
  EXPECT_NE(warnings(*model).find("no better than chance"), std::string::npos) << warnings(*model);
}

TEST(InputGain, KnowsWhatIsTooSmallOrHasNoInputs) {
  const auto small = fit(line(120, 2.0, 1));
  EXPECT_EQ(small->report().details.at("gain_of_inputs").find("held_out"), nullptr);
  Dataset density = line(120, 2.0, 1);
  density.x = Matrix(0, 120);
  EXPECT_EQ(fit(density)->report().details.find("gain_of_inputs"), nullptr);
  Dataset constant = line(120, 2.0, 1);
  constant.x = Matrix::Ones(2, 120);
  EXPECT_EQ(fit(constant)->report().details.find("gain_of_inputs"), nullptr);
}

TEST(InputGain, IsThatOfAModelWithWhatWasChosen) {
  // Of 13 inputs one matters: with the chosen bandwidth but without the learned widths, a fit to half of the rows would
  // find next to nothing.
  RandomStream random(5);
  const Matrix x = normals(13, 300, random);
  const Dataset data{.x = x, .y = Matrix(2 * x.row(0) + normals(1, 300, random))};
  Document options = quick();
  options.set("bandwidth", Document(std::vector<double>{0.5, 1.0})).set("metric", "auto");
  const auto model = fit(data, "lscde", options);
  EXPECT_EQ(model->report().details.at("metric").as_string(), "nw");
  const Document& gain = model->report().details.at("gain_of_inputs").at("held_out");
  EXPECT_GT(gain.at("mean").as_number(), 0.4);
}

TEST(InputGain, DependsNeitherOnThreadsNorOnTheOrderOfRows) {
  const Dataset data = line(260, 1.0, 1);
  const auto one = fit(data, "lscde", quick(), {.threads = 1, .observer = {}});
  const auto three = fit(data, "lscde", quick(), {.threads = 3, .observer = {}});
  EXPECT_TRUE(save_density(*one) == save_density(*three));
  // The model does not change by being checked.
  const auto plain = find_model("lscde").fit(data, "", quick(), {});
  EXPECT_EQ(plain->log_density(data.x, data.y), one->log_density(data.x, data.y));
}

TEST(InputGain, OfAPoolComesFromItsOwnFolds) {
  const Document options = Document::Object{
      {"models", Document::Array{"lscde", "marginal"}}, {"options", Document::Object{{"lscde", quick()}}}, {"cv", 3}};
  const auto model = fit(line(240, 2.0, 1), "pool", options);
  const Document& held_out = model->report().details.at("gain_of_inputs").at("held_out");
  EXPECT_NEAR(held_out.at("mean").as_number(), 0.5 * std::log(5.0), 0.3);
  EXPECT_EQ(held_out.at("n_rows").as_integer(), 240);
  EXPECT_EQ(held_out.find("n_rows_fitted"), nullptr);  // no fit beside those of the folds
}

}  // namespace
}  // namespace condens::input_gain_test
