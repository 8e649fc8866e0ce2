// What every registered model promises, checked for each of them under each preset.
// A new model passes by being registered.

#include <gtest/gtest.h>

#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <cmath>
#include <set>
#include <vector>

#include "condens/io/document_format.hpp"
#include "condens/registry.hpp"
#include "support/complaint.hpp"
#include "support/registered_models.hpp"
#include "support/sanitized.hpp"

namespace condens::contract_test {
namespace {

using registered::all_cases;
using registered::Case;
using registered::quick_options;
using registered::sample_data;

class Contract : public ::testing::TestWithParam<Case> {
 protected:
  std::unique_ptr<ConditionalDensity> fit(const Dataset& data, int threads = 1) const {
    return find_model(GetParam().model)
        .fit(data, GetParam().preset, quick_options(GetParam()), {.threads = threads, .observer = {}});
  }

  /// `wanted`, or the one that the model can have.
  static Index targets(Index wanted) { return find_model(GetParam().model).can("takes_one_target") ? 1 : wanted; }
};

TEST_P(Contract, LawsIntegrateToOneAndQuantilesInvertTheirCdf) {
  const auto model = fit(sample_data(80, 1, 1, 1));
  const GaussianMixtures laws = model->predict(Matrix::Constant(1, 1, 0.7));
  const GaussianMixture law = laws[0];
  const double low = law.quantile(1e-9) - 1;
  const double high = law.upper_quantile(1e-9) + 1;
  double mass = 0;
  for (int piece = 0; piece < 50; ++piece) {
    const double h = (high - low) / 50;
    mass += boost::math::quadrature::gauss_kronrod<double, 31>::integrate(
        [&](double y) { return law.pdf(y); }, low + h * piece, low + h * (piece + 1), 10, 1e-12);
  }
  EXPECT_NEAR(mass, 1.0, 1e-8);  // 2e-9 lies outside
  for (const double p : {1e-12, 0.01, 0.3, 0.5, 0.9, 0.9999}) {
    EXPECT_NEAR(law.cdf(law.quantile(p)), p, 1e-11 * p + 1e-15);
  }
}

TEST_P(Contract, SamplesAgreeWithMeanAndVariance) {
  const Index d_y = targets(2);
  const auto model = fit(sample_data(80, 2, d_y, 1));
  const Index draws = 20000;
  const GaussianMixtures laws = model->predict(Matrix::Constant(2, 1, 0.4));
  const Matrix y = laws.sample(draws, 3);
  const Vector mean = laws.mean().col(0);
  const Vector variance = laws.variance().col(0);
  for (Index k = 0; k < d_y; ++k) {
    // Five standard errors: the seed is fixed, and another one would fail once in a million.
    EXPECT_NEAR(y.row(k).mean(), mean[k], 5 * std::sqrt(variance[k] / static_cast<double>(draws)));
    const double spread = (y.row(k).array() - mean[k]).square().mean();
    EXPECT_NEAR(spread, variance[k], 5 * variance[k] * std::sqrt(10.0 / static_cast<double>(draws)));
  }
}

TEST_P(Contract, LogDensityIsThatOfTheLaws) {
  for (const auto& [d_x, d_y] : {std::pair{1, 1}, {3, 1}, {2, 2}, {0, 1}}) {
    if (d_y != targets(d_y)) continue;
    const auto model = fit(sample_data(60, d_x, d_y, 1));
    const Dataset test = sample_data(300, d_x, d_y, 2);
    const Vector direct = model->log_density(test.x, test.y);
    const Vector by_laws = model->predict(test.x).log_pdf(test.y);
    EXPECT_TRUE(direct.allFinite());
    // The laws are moved to the user's scale, the densities are not: rounding of the move.
    EXPECT_LT((direct - by_laws).cwiseQuotient((direct.cwiseAbs().array() + 1).matrix()).cwiseAbs().maxCoeff(), 1e-10);
  }
}

TEST_P(Contract, SurvivesAFileToTheBit) {
  const auto model = fit(sample_data(60, 2, 1, 1));
  const Document saved = save_density(*model);
  const Dataset test = sample_data(20, 2, 1, 2);
  for (const Document& again :
       {document_from_json(document_to_json(saved), "model"), document_from_cbor(document_to_cbor(saved), "model")}) {
    EXPECT_TRUE(again == saved);
    EXPECT_EQ(load_density(again)->log_density(test.x, test.y), model->log_density(test.x, test.y));
  }
}

TEST_P(Contract, ThreadsAndAlignmentDoNotChangeOneBit) {
  const Dataset data = sample_data(70, 2, 1, 1);
  const auto model = fit(data, 1);
  const Document reference = save_density(*model);
  for (const int threads : {2, 7}) {
    if (sanitized && threads == 2) continue;
    EXPECT_TRUE(save_density(*fit(data, threads)) == reference) << threads;
  }

  const Dataset test = sample_data(1000, 2, 1, 2);
  const Vector expected = model->log_density(test.x, test.y, {.threads = 1, .observer = {}});
  for (const int threads : {2, 7}) {
    EXPECT_EQ(model->log_density(test.x, test.y, {.threads = threads, .observer = {}}), expected);
  }
  std::vector<double> shifted(static_cast<std::size_t>(test.x.size() + 1));
  Eigen::Map<Matrix> unaligned(shifted.data() + 1, 2, 1000);
  unaligned = test.x;
  EXPECT_EQ(model->log_density(unaligned, test.y), expected);
}

TEST_P(Contract, ShiftAndScaleMoveTheLawAlong) {
  Dataset data = sample_data(60, 2, 1, 1);
  const Dataset test = sample_data(30, 2, 1, 2);
  const Vector before = fit(data)->log_density(test.x, test.y);
  const auto move_x = [](const Matrix& x) -> Matrix {
    return (x.array().colwise() * Eigen::Array2d(1024.0, 1.0 / 256)).colwise() + Eigen::Array2d(64.0, -2.0);
  };
  data.x = move_x(data.x);
  data.y = (data.y.array() * 4096.0 + 512.0).matrix();
  const Vector after = fit(data)->log_density(move_x(test.x), (test.y.array() * 4096.0 + 512.0).matrix());
  // Standardised data are the same but for rounding of the shifted mean.
  EXPECT_LT((after.array() + std::log(4096.0) - before.array()).abs().maxCoeff(), 1e-7);
}

TEST_P(Contract, FarAwayInputsHaveFiniteLaws) {
  const auto model = fit(sample_data(60, 1, 1, 1));
  for (const double x : {1e3, -1e6, 1e100}) {
    const GaussianMixture law = model->predict(Matrix::Constant(1, 1, x))[0];
    EXPECT_TRUE(law.mean().allFinite()) << x;
    EXPECT_TRUE(std::isfinite(law.log_pdf(0.3))) << x;
  }
}

TEST_P(Contract, NoRowsAreNoLaws) {
  const auto model = fit(sample_data(60, 2, 1, 1));
  EXPECT_EQ(model->predict(Matrix(2, 0)).size(), 0);
  EXPECT_EQ(model->log_density(Matrix(2, 0), Matrix(1, 0)).size(), 0);
}

TEST_P(Contract, BadInputIsNamed) {
  const auto model = fit(sample_data(60, 2, 1, 1));
  const auto message_of = [](const auto& call) -> std::string {
    try {
      call();
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "no error";
  };
  Matrix x = Matrix::Zero(2, 3);
  EXPECT_NE(message_of([&] { model->predict(Matrix::Zero(3, 2)); }).find("x has 3 rows"), std::string::npos);
  EXPECT_NE(message_of([&] { model->log_density(x, Matrix::Zero(1, 2)); }).find("x has 3 observations"),
            std::string::npos);
  x(1, 2) = std::nan("");
  EXPECT_NE(message_of([&] { model->predict(x); }).find("observation 3, dimension 2"), std::string::npos);
  EXPECT_NE(message_of([&] {
              find_model(GetParam().model)
                  .fit(sample_data(60, 1, 1, 1), GetParam().preset, Document::Object{{"no_such_option", 1}}, {});
            }).find("unknown option 'no_such_option'"),
            std::string::npos);
}

TEST_P(Contract, TellsWhatTheInputsAreWorth) {
  const Dataset data = sample_data(70, 2, 1, 1);
  const ModelInfo& info = find_model(GetParam().model);
  const auto model =
      fit_model(info, data, GetParam().preset, quick_options(GetParam()), {.threads = 1, .observer = {}});
  const Document* gain = model->report().details.find("gain_of_inputs");
  ASSERT_NE(gain, nullptr);
  const Document& fitted = gain->at("fitted");
  EXPECT_EQ(fitted.at("n_rows").as_integer(), 70);
  // Against the definition: the average over all rows.
  const GaussianMixtures laws = model->predict(data.x);
  Vector average(70);
  for (Index i = 0; i < 70; ++i) {
    double sum = 0;
    for (Index j = 0; j < 70; ++j) sum += laws[j].pdf(data.y(0, i));
    average[i] = std::log(sum / 70);
  }
  EXPECT_NEAR(fitted.at("mean").as_number(), (model->log_density(data.x, data.y) - average).mean(), 1e-8);
  EXPECT_EQ(model->log_density(data.x, data.y), fit(data)->log_density(data.x, data.y));
}

TEST_P(Contract, CanBeBootstrapped) {
  const ModelInfo& info = find_model(GetParam().model);
  const Dataset data = sample_data(40, 1, 1, 1);
  const Dataset test = sample_data(10, 1, 1, 2);
  const auto fit_replicates = [&](int threads) {
    return fit_target(info, {.replicates = 2}, data, GetParam().preset, quick_options(GetParam()),
                      [](Index) { return ""; }, {.threads = threads, .observer = {}});
  };
  const TargetModel model = fit_replicates(1);
  ASSERT_EQ(model.replicates->size(), 2);
  const Document saved = model.replicates->to_document(*model.density);
  for (const int threads : {2, 7}) {
    const TargetModel same = fit_replicates(threads);
    EXPECT_TRUE(same.replicates->to_document(*same.density) == saved) << threads;
  }
  const Replicates again = load_replicates(document_from_json(document_to_json(saved)), *model.density, model.target);
  const Vector all_rows = model.density->log_density(test.x, test.y);
  for (Index r = 0; r < 2; ++r) {
    const auto replicate = model.replicates->density(*model.density, r);
    const Vector own = replicate->log_density(test.x, test.y);
    EXPECT_TRUE(own.allFinite());
    EXPECT_NE(own, all_rows);
    EXPECT_EQ(again.density(*model.density, r)->log_density(test.x, test.y), own);
  }
}

TEST_P(Contract, ScoresASingleCandidateWhereFoldsAreGiven) {
  const ModelInfo& info = find_model(GetParam().model);
  Document options = quick_options(GetParam());
  if (options.is_null()) options = Document(Document::Object{});
  const Document defaults = info.defaults(GetParam().preset);
  if (defaults.find("cv") == nullptr) return;
  for (const char* name : {"bandwidth", "bandwidth_y", "regularization", "radius", "spread", "bandwidth_y_floor"}) {
    const Document* list = defaults.find(name);
    if (list != nullptr && std::holds_alternative<Document::Array>(list->value())) options.set(name, 0.5);
  }
  for (const char* name : {"n_components", "hidden", "n_states"}) {
    const Document* list = defaults.find(name);
    if (list != nullptr && std::holds_alternative<Document::Array>(list->value())) options.set(name, 2);
  }
  const Dataset data = sample_data(40, 1, 1, 1);
  const Document alone = fit_model(info, data, GetParam().preset, options, {})->report().details;
  const Document asked = fit_model(info, data, GetParam().preset, options.set("cv", 4), {})->report().details;
  if (asked.find("candidates") != nullptr && asked.find("score") == nullptr) return;  // compared by BIC
  ASSERT_NE(asked.find("score"), nullptr) << (alone.find("score") != nullptr);
  EXPECT_GT(asked.at("score_standard_error").as_number(), 0.0);
}

TEST(ContractOfOneCandidate, ItsScoreIsThatOfTheFoldsLeftOut) {
  const Dataset data = sample_data(40, 1, 1, 1);
  std::vector<double> fold;
  for (Index i = 0; i < 40; ++i) fold.push_back(static_cast<double>(i % 4));
  Document options = Document::Object{{"bandwidth", 0.5}, {"bandwidth_y", 0.3}, {"regularization", 0.1}};
  const ModelInfo& info = find_model("lscde");
  EXPECT_EQ(fit_model(info, data, "", options, {})->report().details.find("score"), nullptr);
  double mean = 0;
  for (Index k = 0; k < 4; ++k) {
    std::vector<Index> train;
    std::vector<Index> test;
    for (Index i = 0; i < 40; ++i) (i % 4 == k ? test : train).push_back(i);
    const Dataset left_out = data.subset(test);
    mean -= info.fit(data.subset(train), "", options, {})->log_density(left_out.x, left_out.y).mean() / 4;
  }
  const double scale = Standardizer::fit(data.y, Vector()).scale()[0];
  const Document details = fit_model(info, data, "", options.set("cv", Document(fold)), {})->report().details;
  EXPECT_NEAR(details.at("score").as_number(), mean - std::log(scale), 1e-10);
  EXPECT_EQ(details.at("candidates").at("bandwidth").as_vector(), Vector{{0.5}});
  EXPECT_EQ(details.at("candidates").at("score").as_vector()[0], details.at("score").as_number());
}

TEST_P(Contract, TakesFewRows) {
  const Dataset four = sample_data(4, 1, 1, 1);  // fewer than there are folds
  if (GetParam().model == "press") return;       // whose states want rows
  EXPECT_TRUE(fit(four)->log_density(four.x, four.y).allFinite());
}

/// Values of an option that differ from `now` in kind, not in size.
std::vector<Document> other_values(const OptionInfo& option, const Document& now) {
  std::vector<Document> out;
  if (option.type == "boolean") out.emplace_back(!now.as_bool());
  for (const std::string& choice : option.choices) {
    if (now.as_string() != choice) out.emplace_back(choice);
  }
  const std::set<std::string> no_candidates = {"cv", "quantile_levels", "region", "groups"};
  if (option.type != "numbers" || no_candidates.contains(option.name)) return out;
  const double size = option.bounds.contain(1.0) ? 1.0 : 0.5;
  out.emplace_back(std::vector<double>{size});
  const double other = option.bounds.contain(2 * size) ? 2 * size : 0.5 * size;
  if (now.as_array().size() > 1) out.emplace_back(std::vector<double>{size, other});
  return out;
}

/// What is given wins over a preset: each option alone fits each preset. Only the checks before the work matter, so the
/// work is called off.
TEST(ContractOfPresets, WhatIsGivenWins) {
  const Dataset data = sample_data(30, 2, 1, 1);  // as many inputs as there are numbers in a list
  const condens::Run called_off{.threads = 1, .observer = [](std::string_view, double) { return false; }};
  for (const ModelInfo& info : models()) {
    for (const std::string& preset : info.presets) {
      const Document defaults = info.defaults(preset);
      for (const OptionInfo& option : info.options) {
        // It asks for candidates, which the recommended preset has none of.
        if (info.name == "nw" && preset == "recommended" && option.name == "common_bandwidth") continue;
        for (const Document& value : other_values(option, defaults.at(option.name))) {
          const Document given = Document::Object{{option.name, value}};
          try {
            const auto model = info.fit(data, preset, given, called_off);
            EXPECT_TRUE(model->options().at(option.name) == value) << info.name << " " << option.name;
          } catch (const Cancelled&) {       // NOLINT(bugprone-empty-catch): it had begun
          } catch (const NumericalError&) {  // NOLINT(bugprone-empty-catch): a bad value is no contradiction
          } catch (const std::invalid_argument& error) {
            ADD_FAILURE() << info.name << " (" << preset << "), " << option.name << ": " << error.what();
          }
        }
      }
    }
  }
}

TEST(ContractOfPresets, ListsGivenWinOverWhatAPresetSharesOrDraws) {
  const Dataset data = sample_data(30, 1, 1, 1);
  const auto used = [&](const char* model, const Document& given) {
    return find_model(model).fit(data, "paper", given, {.threads = 1, .observer = {}})->options();
  };
  const std::vector<double> widths = {0.3, 0.5};
  const Document states = used("press", Document::Object{{"bandwidth_y", Document(widths)}, {"max_iterations", 5}});
  EXPECT_EQ(states.at("n_states").as_numbers(), std::vector<double>{2});
  EXPECT_FALSE(states.at("common_bandwidth").as_bool());
  EXPECT_EQ(used("rkde", Document::Object{{"bandwidth_y", 0.5}}).at("widths").as_string(), "equal");
  EXPECT_TRUE(used("lsce", Document::Object{{"random_starts", 0}, {"max_steps", 2}}).at("informed_starts").as_bool());
  const Document separate = used("nw", Document::Object{{"common_bandwidth", false}});
  EXPECT_EQ(separate.at("bandwidth_y").as_numbers(), separate.at("bandwidth").as_numbers());
}

TEST(ContractOfPresets, WidthsGivenWinOverTheOneWidthOfThePaper) {
  const Dataset data = sample_data(30, 1, 1, 1);
  const auto model =
      find_model("nw").fit(data, "paper", Document::Object{{"bandwidth", 0.7}, {"bandwidth_y", 0.2}}, {});
  EXPECT_FALSE(model->options().at("common_bandwidth").as_bool());
  Document same = find_model("nw").defaults("paper");
  same.set("bandwidth", 0.7).set("bandwidth_y", 0.2).set("common_bandwidth", false);
  EXPECT_EQ(model->log_density(data.x, data.y),
            find_model("nw").fit(data, "paper", same, {})->log_density(data.x, data.y));
  // A contradiction that is given as such is still refused.
  same.set("common_bandwidth", true);
  EXPECT_THROW(find_model("nw").fit(data, "paper", same, {}), std::invalid_argument);
}

TEST(ContractOfOneTarget, SeveralAreRefused) {
  for (const ModelInfo& info : models()) {
    if (!info.can("takes_one_target")) continue;
    EXPECT_THROW(info.fit(sample_data(60, 1, 2, 1), "", {}, {}), std::invalid_argument) << info.name;
  }
}

INSTANTIATE_TEST_SUITE_P(EveryModel, Contract, ::testing::ValuesIn(all_cases()));

TEST(Registry, NamesWhatThereIs) {
  EXPECT_THROW(find_model("nosuch"), std::invalid_argument);
  try {
    find_model("nosuch");
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find("lscde"), std::string::npos);
  }
  EXPECT_THROW(find_model("lscde").defaults("nosuch"), std::invalid_argument);
  EXPECT_THROW(load_density(Document::Object{{"model", "nosuch"}, {"parameters", Document::Object{}}}), FormatError);
}

TEST(Registry, ListsOfCandidatesHaveEachOnce) {
  for (const ModelInfo& info : models()) {
    for (const OptionInfo& option : info.options) {
      if (option.type != "numbers" || option.text.find("candidates") == std::string::npos) continue;
      const double value = option.bounds.high <= 1 ? 0.5 : 1.0;
      Document options = Document::Object{{option.name, Document(std::vector<double>{value, value})}};
      if (option.name == "bandwidth_denominator") options.set("widths", "separate");
      const std::string said = complaint([&] { info.fit(sample_data(40, 2, 1, 3), "recommended", options, {}); });
      EXPECT_TRUE(said.find(" twice, ") != std::string::npos || said.find(" after ") != std::string::npos)
          << info.name << ' ' << option.name << ": " << said;
    }
  }
}

TEST(Registry, EveryOptionHasADefaultWithinItsBounds) {
  for (const ModelInfo& info : models()) {
    for (const std::string& preset : info.presets) {
      const Document defaults = info.defaults(preset);
      EXPECT_EQ(defaults.as_object().size(), info.options.size());
      for (const OptionInfo& option : info.options) {
        EXPECT_NE(defaults.find(option.name), nullptr) << option.name;
        EXPECT_GT(option.text.size(), 10U);
        EXPECT_EQ(option.text.back(), '.');
      }
    }
  }
}

}  // namespace
}  // namespace condens::contract_test
