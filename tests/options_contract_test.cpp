// An option that is given is never ignored without a word: of every option of every model another legal value changes
// what was fitted, or the fit refuses it. What an option needs beside it to act is said below, and in its sentence.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "condens/core/errors.hpp"
#include "condens/core/random.hpp"
#include "condens/registry.hpp"

namespace condens::options_contract_test {
namespace {

constexpr Index n = 36;

/// Two branches over two inputs of three; the last rows are copies of the first, so that what is done to copies shows.
Dataset sample_data() {
  RandomStream random(3);
  Matrix x(3, n);
  Matrix y(1, n);
  for (Index i = 0; i < n; ++i) {
    x.col(i) << random.normal(), random.normal(), random.normal();
    const double branch = random.uniform() < 0.5 ? -1.0 : 1.0;
    y(0, i) = branch * (0.6 + 0.3 * std::abs(x(1, i))) + 0.5 * x(0, i) + 0.3 * random.normal();
  }
  x.rightCols(3) = x.leftCols(3);
  y.rightCols(3) = y.leftCols(3);
  return {.x = x, .y = y};
}

Document list(const std::vector<double>& values) { return Document(values); }

/// Options that shorten a long procedure.
Document quick_options(const std::string& model) {
  if (model == "lsce" || model == "lsmi")
    return Document::Object{{"random_starts", 2}, {"max_steps", 6}, {"n_centers", 12}, {"n_components", 1}};
  if (model == "sliced") return Document::Object{{"n_components", 1}};
  const Document::Object widths{{"bandwidth", list({0.4, 1})}, {"bandwidth_y", list({0.3, 0.8})}, {"n_centers", 12}};
  if (model == "sacde") return widths;
  if (model == "salscde") return Document::Object{{"selection", widths}};
  if (model == "press")
    return Document::Object{{"n_states", list({1, 2})}, {"regularization", 1e-3}, {"cv", 2}, {"n_starts", 2}};
  if (model == "gskd")
    return Document::Object{
        {"population", 6}, {"generations", 2}, {"search_iterations", 10}, {"candidates", 12}, {"starts", 2}};
  if (model == "pool") return Document::Object{{"models", Document::Array{"parzen", "ekde"}}, {"cv", 2}};
  if (model == "auto") return Document::Object{{"budget", 0.02}, {"cv", 2}};
  if (model == "kqr")
    return Document::Object{{"quantile_levels", list({0.2, 0.5, 0.8})},
                            {"bandwidth", list({0.5, 1})},
                            {"regularization", list({0.01, 0.1})}};
  if (model == "mdn") return Document::Object{{"max_iterations", 15}, {"n_members", 1}};
  if (model == "forest")
    return Document::Object{{"n_trees", 10}, {"min_samples_leaf", list({2, 5})}, {"max_features", list({0.5, 1})}};
  if (model == "boost") return Document::Object{{"n_rounds", 20}, {"min_samples_leaf", 3}};
  if (model == "forward") return Document::Object{{"model", "ekde"}, {"cv", 2}};
  return Document::Object{};
}

Document joined(Document a, const Document& b) {
  for (const auto& [name, value] : b.as_object()) a.set(name, value);
  return a;
}

/// Where an option need not show: what two targets, an interrupted search or a table elsewhere would show, and rules by
/// which the same candidate may win.
bool needs_more(const std::string& model, const std::string& option) {
  return option == "selection_rule" || option == "search_inputs" || option == "sketch_cells" ||
         (model == "auto" && option == "sample_rows") || (model == "mdn" && option == "covariance") ||
         (model == "lsce" && option == "keep_best") || (model == "lsmi" && option == "mask_centers") ||
         (model == "gskd" && option == "literal_best");
}

/// What an option needs beside it to act.
Document beside(const std::string& model, const std::string& preset, const std::string& option) {
  using Key = std::pair<std::string, std::string>;
  const auto one = [](const char* name, Document value) {
    return Document(Document::Object{{name, std::move(value)}});
  };
  const Document components = one("n_components", list({1, 2}));
  const Document adam = one("optimizer", "adam");
  const Document boosting = one("search", "boosting");
  const Document given_only = Document::Object{{"random_starts", 1}, {"informed_starts", false}};
  const Document updates = one("weights", "mnqp");
  const Document learned = Document::Object{{"bandwidth", list({})}, {"common_bandwidth", false}};
  const Document some_enter =
      Document::Object{{"bandwidth", 0.8},  {"bandwidth_y", 0.4},    {"n_centers", 12},
                       {"adaptive", false}, {"regularization", 0.3}, {"regularization_scale", "relative"}};
  const Document none_enters = Document::Object{{"bandwidth", 0.8}, {"bandwidth_y", 0.4}, {"regularization", 2}};
  const std::map<Key, Document> both = {
      {{"sacde", "adaptive"}, one("regularization", list({0.3, 0.1}))},
      {{"sacde", "stability_threshold"}, Document::Object{{"stability_resamples", 20}, {"stability_bound", 2}}},
      {{"salscde", "least_norm"}, one("selection", some_enter)},
      {{"salscde", "residual_level"}, one("selection", none_enters)},
      {{"press", "activation"}, one("hidden", list({3}))},
      {{"press", "smoothness"}, one("smoothness_weight", 1)},
      {{"press", "adam_passes"}, adam},
      {{"press", "minibatch"}, adam},
      {{"press", "learning_rate"}, adam},
      {{"press", "patience"}, Document::Object{{"criterion", "gcv"}, {"holdout", 0.3}, {"regularization", 0}}},
      {{"press", "table_steps"}, Document::Object{{"sample_rows", 20}, {"n_states", 2}, {"table_steps", 2}}},
      {{"mdn", "adam_passes"}, adam},
      {{"mdn", "batch_size"}, adam},
      {{"mdn", "learning_rate"}, adam},
      {{"mdn", "patience"}, one("validation_fraction", 0.3)},
      {{"mdn", "table_steps"}, one("sample_rows", 20)},
      {{"mdn", "adam_rows"}, one("optimizer", "auto")},
      {{"mdn", "residual"}, one("layers", 2)},
      {{"sliced", "search_rows"}, one("method", "mave")},
      {{"lsce", "start_directions"}, given_only},
      {{"lsmi", "start_directions"}, given_only},
      {{"gskd", "population"}, boosting},
      {{"gskd", "generations"}, boosting},
      {{"gskd", "search_iterations"}, boosting},
      {{"gskd", "candidates"}, one("search", "gradient")},
      {{"gskd", "starts"}, one("search", "gradient")},
      {{"gskd", "polish_iterations"}, one("polish", "em")},
      {{"gskd", "covariance"}, one("polish", "em")},
      {{"gskd", "n_folds"}, one("polish", "auto")},
      {{"gskd", "iterations"}, updates},
      {{"gskd", "pruning"}, updates},
      {{"skd", "iterations"}, updates},
      {{"skd", "pruning"}, updates},
      {{"rsde", "iterations"}, one("solver", "multiplicative")},
      {{"rsde", "pruning"}, one("solver", "multiplicative")},
      {{"gmm", "selection"}, components},
      {{"gmm", "cv"}, joined(components, one("selection", "cv"))},
      {{"gmm", "max_iterations"}, Document::Object{{"n_components", 3}, {"short_iterations", 1}}},
      {{"gmm", "short_iterations"}, Document::Object{{"n_components", 3}, {"starts", 3}, {"max_iterations", 1}}},
      {{"gmm", "region"}, one("initialization", "random")},
      {{"gmm", "initial_variance"}, one("initialization", "random")},
      {{"lscde", "max_centers"}, one("n_centers", 2)},
      {{"location_scale", "max_rows"}, one("mean", "gp")},
      {{"gp", "many_rows"}, one("max_rows", 20)},
      {{"boost", "n_components"}, one("n_folds", 3)},
      {{"boost", "patience"}, Document::Object{{"n_folds", 3}, {"n_rounds", 100}, {"learning_rate", 0.5}}}};
  const std::map<Key, Document> paper = {
      {{"sacde", "first_regularization"}, one("adaptive", true)},
      {{"lsce", "scoring"}, components},
      {{"lsce", "cv"}, components},
      {{"gp", "many_rows"}, one("max_rows", 20)},
      {{"nw", "metric"}, learned},
      {{"nw", "bandwidth_y_floor"}, learned},
      {{"nw", "starts"}, joined(learned, one("metric", "diagonal"))},
      {{"nw", "seed"}, one("n_centers", 12)},
      {{"rkde", "shape"}, one("bandwidth", list({}))},
      {{"rkde", "bandwidth_floor"}, one("bandwidth", list({}))},
      {{"rkde", "seed"}, Document::Object{{"bandwidth", list({})}, {"width_rows", 20}}},
      {{"press", "cv"}, one("selection", "cv")},
      {{"parzen", "seed"}, one("width_rows", 20)}};
  const auto find = [&](const std::map<Key, Document>& table) {
    const auto found = table.find({model, option});
    return found == table.end() ? Document(Document::Object{}) : found->second;
  };
  return preset == "paper" ? joined(find(both), find(paper)) : find(both);
}

/// Centres [x, y] for a matrix; other values by the name of the option.
std::vector<Document> named_alternatives(const std::string& model, const OptionInfo& option) {
  if (option.name == "groups") return {list({0, 0, 1}), list({0, 0, 0})};
  if (option.name == "start_directions") return {Matrix{{0.1}, {0.2}, {1.0}}};
  if (option.type == "matrix") {
    const Dataset data = sample_data();
    Matrix centers(4, 9);
    centers << data.x.leftCols(9), data.y.leftCols(9);
    return {centers};
  }
  if (option.name == "model") return {"parzen", "nw"};
  if (option.name == "model_preset") return {"paper", "recommended"};
  if (option.name == "models") return {Document::Array{"parzen", "gp"}, Document::Array{"nw"}};
  if (option.type == "options") {
    if (model == "salscde") return {Document::Object{{"defensive_weight", 0.2}, {"regularization", 0.3}}};
    return {Document::Object{{"defensive_weight", 0.2}}};
  }
  return {};
}

/// Legal values of an option but `now`, the likelier to show first.
std::vector<Document> alternatives(const std::string& model, const OptionInfo& option, const Document& now) {
  std::vector<Document> out = named_alternatives(model, option);
  const auto add = [&](const std::vector<double>& values) {
    const bool legal = std::all_of(values.begin(), values.end(), [&](double v) { return option.bounds.contain(v); });
    if (legal) out.push_back(list(values));
  };
  if (option.type == "boolean") out.push_back(!now.as_bool());
  for (const std::string& choice : option.choices) out.emplace_back(choice);
  if (option.type == "integer") {
    for (const std::int64_t value : {1, 2, 3, 5, 7, 20, 0}) {
      if (option.bounds.contain(static_cast<double>(value))) out.emplace_back(value);
    }
  }
  if (option.type == "number") {
    for (const double value : {2 * now.as_number(), 0.3, 0.01, 1.0, 0.0}) {
      if (option.bounds.contain(value)) out.emplace_back(value);
    }
  }
  if (option.type == "numbers") {
    for (const std::vector<double>& values :
         {std::vector{0.3}, {0.7}, {0.3, 0.7}, {2.0}, {3.0}, {1.0, 2.0}, {5.0, 10.0}}) {
      add(values);
    }
  }
  std::erase_if(out, [&](const Document& value) { return value == now; });
  return out;
}

/// Without the options that it repeats.
Document fitted_part(const Document& saved) {
  if (const auto* object = std::get_if<Document::Object>(&saved.value())) {
    Document::Object out;
    for (const auto& [name, value] : *object) {
      if (name != "options") out.emplace_back(name, fitted_part(value));
    }
    return out;
  }
  if (const auto* array = std::get_if<Document::Array>(&saved.value())) {
    Document::Array out;
    for (const Document& value : *array) out.push_back(fitted_part(value));
    return out;
  }
  return saved;
}

class OptionsContract : public ::testing::TestWithParam<std::string> {};

TEST_P(OptionsContract, AnotherValueChangesTheFitOrIsRefused) {
  const ModelInfo& info = find_model(GetParam());
  const Dataset data = sample_data();
  for (const std::string& preset : info.presets) {
    const Document defaults = info.defaults(preset);
    const auto fit = [&](const Document& options) {
      const auto model = info.fit(data, preset, options, {.threads = 1, .observer = {}});
      const Vector density = model->log_density(data.x, data.y.array() + 1);
      return Document(Document::Object{{"fitted", fitted_part(save_density(*model))}, {"density", density}});
    };
    std::vector<std::pair<Document, Document>> known;  // options and what they fit
    const auto base_of = [&](const Document& options) {
      for (const auto& [own, found] : known) {
        if (own == options) return found;
      }
      known.emplace_back(options, fit(options));
      return known.back().second;
    };
    for (const OptionInfo& option : info.options) {
      if (needs_more(info.name, option.name)) continue;
      Document base = joined(quick_options(info.name), beside(info.name, preset, option.name));
      const Document* set = base.find(option.name);
      const Document now = set == nullptr ? defaults.at(option.name) : *set;
      const Document expected = base_of(base);
      bool acts = false;
      bool all_refused = true;
      for (const Document& value : alternatives(info.name, option, now)) {
        try {
          acts = !(fit(base.set(option.name, value)) == expected);
          all_refused = false;
        } catch (const std::invalid_argument&) {
          continue;
        } catch (const NumericalError&) {
          acts = true;
        }
        if (acts) break;
      }
      EXPECT_TRUE(acts || all_refused) << preset << ": " << option.name << " changes nothing";
    }
  }
}

/// A broad Gaussian, twice the spread of y, has the density exp(-450) at sixty deviations; nothing else reaches there
/// but the outer intervals of quantiles.
TEST_P(OptionsContract, WithoutADefensiveWeightThereIsNoBroadGaussian) {
  const ModelInfo& info = find_model(GetParam());
  const Dataset data = sample_data();
  const auto is_it = [](const OptionInfo& option) { return option.name == "defensive_weight"; };
  if (info.name == "kqr") return;
  if (std::none_of(info.options.begin(), info.options.end(), is_it)) return;
  const double sd = std::sqrt((data.y.array() - data.y.mean()).square().mean());
  const auto at_sixty = [&](double weight) {
    const Document options = joined(quick_options(info.name), Document::Object{{"defensive_weight", weight}});
    const Matrix far = Matrix::Constant(1, 1, data.y.mean() + 60 * sd);
    return info.fit(data, "paper", options, {.threads = 1, .observer = {}})->log_density(data.x.leftCols(1), far)[0];
  };
  EXPECT_LT(at_sixty(0.0), -500);
  EXPECT_GT(at_sixty(1e-3), -480);
}

std::vector<std::string> all_models() {
  std::vector<std::string> out;
  for (const ModelInfo& info : models()) out.push_back(info.name);
  return out;
}

INSTANTIATE_TEST_SUITE_P(EveryModel, OptionsContract, ::testing::ValuesIn(all_models()),
                         [](const auto& model) { return model.param; });

}  // namespace
}  // namespace condens::options_contract_test
