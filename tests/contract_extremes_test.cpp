// What every registered model promises at the edges of its options, for weights of any size, and for files whose parts
// do not belong together: a clear refusal, or a distribution.

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "condens/core/errors.hpp"
#include "condens/core/random.hpp"
#include "condens/metrics/scores.hpp"
#include "condens/registry.hpp"
#include "support/complaint.hpp"

namespace condens::contract_extremes_test {
namespace {

/// Seven rows, nearly on a line.
Dataset small_table(Index d_x = 1) {
  RandomStream random(5);
  Matrix x(d_x, 7);
  for (Index k = 0; k < d_x; ++k) {
    for (Index i = 0; i < 7; ++i) x(k, i) = k == 0 ? static_cast<double>(i + 1) : random.normal();
  }
  return {.x = x, .y = Matrix{{1.5, 2.7, 2.9, 4.4, 5.1, 5.9, 7.3}}};
}

/// Options that shorten a long procedure; no promise hangs on them.
Document quick_options(const std::string& model) {
  const auto list = [](std::vector<double> values) { return Document(values); };
  const Document::Object grid{{"bandwidth", list({0.4, 1.0})}, {"bandwidth_y", list({0.3, 0.8})}};
  if (model == "sacde") return grid;
  if (model == "salscde") return Document::Object{{"selection", grid}};
  if (model == "lsce" || model == "lsmi") return Document::Object{{"random_starts", 1}, {"max_steps", 5}};
  if (model == "press")
    return Document::Object{{"n_states", list({1, 2})}, {"regularization", 1e-3}, {"n_starts", 1}, {"cv", 2}};
  if (model == "pool") return Document::Object{{"models", Document::Array{"parzen", "gp"}}, {"cv", 2}};
  if (model == "auto") return Document::Object{{"budget", 0.02}, {"cv", 2}};
  if (model == "mdn") return Document::Object{{"max_iterations", 20}, {"n_members", 2}};
  if (model == "kqr")
    return Document::Object{{"quantile_levels", list({0.1, 0.5, 0.9})},
                            {"bandwidth", list({0.5, 2.0})},
                            {"regularization", list({0.01, 0.1})}};
  return Document(Document::Object{});
}

constexpr int most_asked = 10;

/// A run that is cancelled when it has asked `most` times whether to go on, twenty times a second at most: what is
/// wanted a million times takes its time, and can be stopped.
Run patient_run(int most, int& asked) {
  return {.threads = 1, .observer = [most, &asked](std::string_view, double) { return ++asked < most; }};
}

/// The distributions at the rows of `data` hold one unit of mass, and every score is a number.
void expect_sound(const ConditionalDensity& model, const Dataset& data) {
  const GaussianMixtures laws = model.predict(data.x);
  EXPECT_TRUE(model.log_density(data.x, data.y).allFinite());
  EXPECT_TRUE(laws.mean().allFinite() && laws.variance().allFinite());
  for (Index i = 0; i < laws.size(); i += 3) {
    const GaussianMixture law = laws[i];
    EXPECT_NEAR(law.weights().sum(), 1.0, 1e-12);
    const double low = law.quantile(0.25);
    const double high = law.upper_quantile(0.25);
    // A quantile is known to the rounding of y, which is much of a distribution of no width.
    const double rounding = 4e-16 * std::max(std::abs(low), std::abs(high));
    const double steepest = law.pdf(low) + law.pdf(high) + 1 / law.scales().minCoeff();
    EXPECT_NEAR(law.cdf(high) - law.cdf(low), 0.5, 1e-9 + std::min(0.5, rounding * steepest));
  }
  const Scores scores = score(model, data);
  EXPECT_TRUE(std::isfinite(scores.nll.value) && std::isfinite(scores.squared_loss->value));
  EXPECT_TRUE(std::isfinite(scores.targets.front().crps.value));
}

/// Fits, and looks at the distributions; what may be thrown is what says what is wrong.
void fit_or_refuse(const ModelInfo& info, const std::string& preset, const Dataset& data, const Document& options) {
  int asked = 0;
  try {
    expect_sound(*info.fit(data, preset, options, patient_run(most_asked, asked)), data);
  } catch (const std::invalid_argument& error) {
    EXPECT_GT(std::string(error.what()).size(), 10U);
  } catch (const NumericalError& error) {
    EXPECT_GT(std::string(error.what()).size(), 10U);
  } catch (const Cancelled&) {
    EXPECT_EQ(asked, most_asked);
  }
}

class ContractAtExtremes : public ::testing::TestWithParam<std::string> {
 protected:
  static const ModelInfo& model() { return find_model(GetParam()); }
};

TEST_P(ContractAtExtremes, EveryWholeNumberHasAnEnd) {
  for (const OptionInfo& option : model().options) {
    const bool counts = option.type == "integer" || option.name == "cv" || option.name == "hidden" ||
                        option.name == "n_components" || option.name == "n_states";
    if (!counts) continue;
    EXPECT_TRUE(option.bounds.whole) << option.name;
    EXPECT_LE(option.bounds.high, largest_count) << option.name;
  }
}

TEST_P(ContractAtExtremes, AbsurdOptionsAreRefusedOrFitted) {
  const Dataset data = small_table();
  for (const OptionInfo& option : model().options) {
    const bool list = option.type == "numbers";
    if (!list && option.type != "integer" && option.type != "number" && option.type != "matrix") continue;
    for (const double value : {1e19, 1e100, 0x1p31, -1.0, 1e-310, 1e308, 0.0, 0.5, 1e-100, 1e15}) {
      SCOPED_TRACE(message(GetParam(), ": ", option.name, " = ", value));
      Document options = quick_options(GetParam());
      options.set(option.name, option.type == "matrix" ? Document(Matrix{{1, value}, {2, 3}}) : Document(value));
      fit_or_refuse(model(), "", data, options);
      if (!list) continue;
      options.set(option.name, Document(std::vector<double>{1, value}));
      fit_or_refuse(model(), "", data, options);
    }
  }
}

TEST_P(ContractAtExtremes, EmptyListsAreRefusedOrFitted) {
  const Dataset data = small_table();
  for (const OptionInfo& option : model().options) {
    SCOPED_TRACE(message(GetParam(), ": ", option.name));
    Document options = quick_options(GetParam());
    if (option.type == "numbers") options.set(option.name, Document(std::vector<double>{}));
    if (option.type == "texts") options.set(option.name, Document(std::vector<std::string>{}));
    if (option.type == "matrix") options.set(option.name, Matrix(0, 0));
    fit_or_refuse(model(), "", data, options);
    if (option.name != "cv") continue;
    const std::string said = complaint([&] { model().fit(data, "", options, {}); });
    EXPECT_NE(said.find("cv is empty, expected"), std::string::npos) << said;
  }
}

TEST_P(ContractAtExtremes, WeightsOfAnySizeAreRefusedOrFitted) {
  Dataset data = small_table();
  const auto one_of = [](double heavy) { return Vector{{1, 1, heavy, 1, 1, 1, 1}}; };
  for (const Vector& weights :
       {one_of(1e300), one_of(1e15), one_of(1e8), one_of(1e-300), one_of(1e-12), Vector(Vector::Constant(7, 1e308)),
        Vector(Vector::Constant(7, 1e-308)), Vector(Vector::Constant(7, 5e-324)),
        Vector{{1, 1e10, 0, 1e5, 1e-5, 1e3, 1}}, Vector{{1e308, 1e308, 1e308, 1e308, 1, 1, 1}}}) {
    SCOPED_TRACE(testing::Message() << GetParam() << ": weights " << weights.transpose());
    data.weights = weights;
    fit_or_refuse(model(), "", data, quick_options(GetParam()));
  }
}

TEST_P(ContractAtExtremes, AUnitOfWeightsIsNoOption) {
  Dataset data = small_table(2);
  data.weights = Vector{{0.3, 1, 0.5, 0.7, 1, 0.2, 0.9}};
  const Dataset given = data;
  const auto fit = [&](double unit) {
    data.weights = unit * given.weights;
    return model().fit(data, "", quick_options(GetParam()), {})->log_density(data.x, data.y);
  };
  const Vector shares = fit(1.0);  // less than one in the mean: shares of the rows
  for (const int power : {-1, -30, -1000}) EXPECT_EQ(fit(std::ldexp(1.0, power)), shares) << power;
  EXPECT_EQ(fit(0x1p500), fit(0x1p900)) << "more copies than count";
}

TEST_P(ContractAtExtremes, LostWeightsAreTold) {
  Dataset data = small_table();
  data.weights = Vector{{1, 1, 1e-300, 1, 1, 1, 1}};
  const auto fitted = model().fit(data, "", quick_options(GetParam()), {});
  const std::vector<std::string>& warnings = fitted->report().warnings;
  EXPECT_TRUE(std::any_of(warnings.begin(), warnings.end(), [](const std::string& warning) {
    return warning.find("1 row has a weight so far below the largest") != std::string::npos;
  }));
}

/// Options and weights that are legal, and far from any that anybody would choose.
TEST_P(ContractAtExtremes, LegalExtremesAreRefusedOrFitted) {
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    RandomStream random(seed);
    Document options = quick_options(GetParam());
    const auto draw = [&](const Bounds& bounds) {
      const double size = std::pow(10.0, 200 * random.uniform() - 100);
      const double value = bounds.whole ? std::floor(10 * random.uniform()) : random.uniform() < 0.7 ? size : -size;
      return std::clamp(value, bounds.low, std::nextafter(bounds.high, bounds.low));
    };
    for (const OptionInfo& option : model().options) {
      if (option.type != "integer" && option.type != "number" && option.type != "numbers") continue;
      if (random.uniform() < 0.6) continue;
      std::vector<double> values;
      const Index count = option.type == "numbers" ? 1 + random.below(3) : 1;
      for (Index i = 0; i < count; ++i) values.push_back(draw(option.bounds));
      options.set(option.name, option.type == "numbers" ? Document(values) : Document(values.front()));
    }
    Dataset data = small_table(1 + random.below(2));
    if (random.uniform() < 0.5) {
      data.weights = Vector(7);
      for (double& weight : data.weights) weight = std::pow(10.0, 600 * random.uniform() - 300);
    }
    SCOPED_TRACE(message(GetParam(), ", seed ", seed));
    const auto& presets = model().presets;
    fit_or_refuse(model(), presets[static_cast<std::size_t>(random.below(std::ssize(presets)))], data, options);
  }
}

/// Calls `visit` with a copy of `document` for every change of a matrix's shape and of a whole number in it.
void for_each_change(const Document& document, const std::string& place,
                     const std::function<void(const std::string&, const Document&)>& visit) {
  if (const auto* matrix = std::get_if<Matrix>(&document.value())) {
    const Index rows = matrix->rows();
    const Index cols = matrix->cols();
    for (const auto& [r, c] : {std::pair{Index{0}, cols}, {rows, Index{0}}, {rows + 1, cols}, {rows, cols + 1}}) {
      if (r == rows && c == cols) continue;
      Matrix changed = Matrix::Ones(r, c);
      changed.topLeftCorner(std::min(r, rows), std::min(c, cols)) =
          matrix->topLeftCorner(std::min(r, rows), std::min(c, cols));
      visit(message(place, " as ", r, " x ", c), changed);
    }
  } else if (std::holds_alternative<std::int64_t>(document.value())) {
    for (const std::int64_t number : {std::int64_t{-1}, std::int64_t{1000000000}, std::int64_t{1} << 62}) {
      visit(message(place, " = ", number), Document(number));
    }
  } else if (const auto* array = std::get_if<Document::Array>(&document.value())) {
    for (std::size_t i = 0; i < array->size(); ++i) {
      for_each_change((*array)[i], message(place, '[', i, ']'), [&](const std::string& what, const Document& changed) {
        Document::Array copy = *array;
        copy[i] = changed;
        visit(what, Document(std::move(copy)));
      });
    }
  } else if (const auto* object = std::get_if<Document::Object>(&document.value())) {
    for (const auto& [key, value] : *object) {
      for_each_change(value, place + "." + key, [&, &name = key](const std::string& what, const Document& changed) {
        Document copy = document;
        copy.set(name, changed);
        visit(what, copy);
      });
    }
  }
}

TEST_P(ContractAtExtremes, PartsOfAFileThatDoNotBelongTogetherAreRefused) {
  const Dataset data = small_table(2);
  const auto fitted = model().fit(data, "", quick_options(GetParam()), {});
  for_each_change(save_density(*fitted), "", [&](const std::string& what, const Document& changed) {
    SCOPED_TRACE(GetParam() + what);
    try {
      const auto model = load_density(changed);
      EXPECT_LE(model->n_inputs(), 1000000);
      if (model->n_inputs() == 2) model->log_density(data.x, data.y);  // what nobody reads may be anything
    } catch (const FormatError&) {
    } catch (const std::invalid_argument&) {
    }
  });
}

std::vector<std::string> all_models() {
  std::vector<std::string> out;
  for (const ModelInfo& info : models()) out.push_back(info.name);
  return out;
}

INSTANTIATE_TEST_SUITE_P(EveryModel, ContractAtExtremes, ::testing::ValuesIn(all_models()),
                         [](const auto& model) { return model.param; });

}  // namespace
}  // namespace condens::contract_extremes_test
