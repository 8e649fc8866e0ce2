// Intervals with a guarantee: ranks of scores, and coverage by simulation of models that are wrong.

#include "condens/model/conformal.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "condens/core/errors.hpp"
#include "condens/core/random.hpp"
#include "condens/io/model_file.hpp"
#include "condens/registry.hpp"
#include "support/complaint.hpp"
#include "support/registered_models.hpp"
#include "support/sanitized.hpp"

namespace condens::conformal_test {
namespace {

std::string place_of(Index row) { return "row " + std::to_string(row + 1); }

TEST(Conformal, TakesTheScoreOfItsRank) {
  const Conformal nine(Vector{{0.9, 0.1, 0.2, 0.8, 0.3, 0.7, 0.4, 0.6, 0.5}}, Vector::LinSpaced(9, 0.0, 0.8));
  EXPECT_NEAR(nine.central_mass(0.5), 0.5, 2e-9);   // rank 5 of 9
  EXPECT_NEAR(nine.central_mass(0.51), 0.6, 2e-9);  // rank 6
  EXPECT_NEAR(nine.central_mass(0.9), 0.9, 2e-9);   // rank 9
  EXPECT_EQ(nine.central_mass(0.91), 1.0);          // there is no tenth
  EXPECT_NEAR(nine.highest_mass(0.9), 0.8, 2e-9);
  EXPECT_NEAR(nine.central_mass(0.01), 0.1, 2e-9);
  EXPECT_EQ(nine.n_rows(), 9);
}

TEST(Conformal, ScoresAreTheSmallestMassThatHoldsY) {
  const Vector found = central_scores(Vector{{0.5, 0.05, 0.99, 1.0, 0.7}}, Vector{{0.5, 0.95, 0.01, 0.0, 0.8}});
  const Vector expected{{0.0, 0.9, 0.98, 1.0, 0.0}};  // the last has a probability of its own: it is a median
  for (Index i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], 1e-12);
}

TEST(Conformal, SaysWhatDoesNotFit) {
  EXPECT_EQ(complaint([] { Conformal(Vector{{1.5}}, Vector{{0.5}}); }),
            "Conformal: 1 and 1 scores, expected as many of both, at least one, in [0, 1]");
  const Conformal one(Vector{{0.5}}, Vector{{0.5}});
  EXPECT_EQ(complaint([&] { one.central_mass(1.0); }), "Conformal: level = 1, expected a probability in (0, 1)");
  const Document document = one.to_document();
  EXPECT_EQ(Conformal::from_document(document).to_document(), document);
  const Document bad = Document::Object{{"central", Vector{{0.5}}}, {"highest", Vector{{2.0}}}};
  EXPECT_EQ(complaint<FormatError>([&] { Conformal::from_document(bad); }),
            "the scores of the calibration rows are not as many numbers in [0, 1] of both kinds");
}

/// Skewed and with a changing spread, or counts of it.
Dataset draw(Index n, bool counts, std::uint64_t seed) {
  RandomStream random(seed);
  Matrix x(1, n);
  Matrix y(1, n);
  for (Index i = 0; i < n; ++i) {
    x(0, i) = random.normal();
    const double z = std::exp(0.7 * x(0, i) + 0.8 * random.normal());
    y(0, i) = counts ? std::floor(2.0 * z) : z;
  }
  return {.x = x, .y = y};
}

/// The promise is over calibrations and new rows: with m calibration rows, from `level` to level + 1 / (m + 1).
void expect_coverage(const std::string& kind, bool counts) {
  const int n_tables = repetitions(kind == "real" ? 150 : 50);  // for a map there are five fits more
  constexpr Index n_new = 20;
  constexpr double level = 0.8;
  const ModelInfo& info = find_model("gmm");
  const Document options = Document::Object{{"n_components", Document(std::vector<double>{1})}, {"covariance", "full"}};
  Vector held(n_tables);
  Vector held_by_region(n_tables);
  Index calibration = 0;
  for (int r = 0; r < n_tables; ++r) {
    const Dataset data = draw(60, counts, static_cast<std::uint64_t>(2 * r + 1));
    const Dataset test = draw(n_new, counts, static_cast<std::uint64_t>(2 * r + 2));
    const TargetModel model = fit_target(info, {TargetKind::parse(kind), 0.4}, data, "", options, place_of, {});
    calibration = model.conformal->n_rows();
    const Vector y = test.y.row(0).transpose();
    const auto count = [&](const auto& laws) {
      const Matrix ends = intervals_of_mass(laws, model.conformal->central_mass(level), {});
      held[r] = ((y.array() >= ends.row(0).transpose().array()) && (y.array() <= ends.row(1).transpose().array()))
                    .cast<double>()
                    .mean();
      held_by_region[r] =
          (laws.highest_density_mass(y).array() <= model.conformal->highest_mass(level)).template cast<double>().mean();
    };
    if (model.target)
      count(model.target->predict(*model.density, test.x));
    else
      count(model.density->predict(test.x));
  }
  EXPECT_EQ(calibration, 24);
  if (sanitized) return;
  for (const Vector& found : {held, held_by_region}) {
    const double error = std::sqrt((found.array() - found.mean()).square().mean() / n_tables);
    EXPECT_GT(found.mean(), level - 4.0 * error) << kind;  // 4 standard errors: 3 in 100,000
    EXPECT_LT(found.mean(), level + 1.0 / 25.0 + 4.0 * error + (counts ? 0.1 : 0.0)) << kind;  // counts have ties
  }
}

TEST(Conformal, CoversAsPromisedWhereTheModelIsWrong) { expect_coverage("real", false); }
TEST(Conformal, CoversAsPromisedOfPositiveTargets) { expect_coverage("positive", false); }
TEST(Conformal, CoversAsPromisedOfCounts) { expect_coverage("count", true); }

TEST(Conformal, EveryModelCanBeCalibrated) {
  const Dataset data = registered::sample_data(80, 1, 1, 3);
  for (const ModelInfo& info : models()) {
    const TargetModel model =
        fit_target(info, {{}, 0.25}, data, "", registered::quick_options({info.name, ""}), place_of, {});
    ASSERT_TRUE(model.conformal.has_value()) << info.name;
    EXPECT_EQ(model.conformal->n_rows(), 20);
    const Model whole{Encoder::generic(data),
                      std::shared_ptr<const ConditionalDensity>(load_density(save_density(*model.density))),
                      model.target, model.conformal};
    EXPECT_EQ(to_cbor(parse_model(to_json(whole), "m")), to_cbor(whole)) << info.name;
  }
}

TEST(Conformal, TheRowsLeftOutAreThoseOfTheSeed) {
  const Dataset data = registered::sample_data(60, 1, 1, 3);
  const auto document = [&](int seed, int threads) {
    const TargetModel model = fit_target(find_model("lscde"), {{}, 0.3}, data, "", Document::Object{{"seed", seed}},
                                         place_of, {.threads = threads, .observer = {}});
    return model.conformal->to_document();
  };
  EXPECT_EQ(document(1, 1), document(1, 7));
  EXPECT_EQ(document(1, 1), document(1, 2));
  EXPECT_FALSE(document(1, 1) == document(2, 1));
}

TEST(Conformal, RefusesWhatItCannotPromise) {
  const auto refused = [](const Dataset& data, double share, const std::string& kind = "real") {
    return complaint([&] {
      fit_target(find_model("gp"), {TargetKind::parse(kind), share}, data, "", {}, place_of, {});
    });
  };
  const Dataset data = registered::sample_data(20, 1, 1, 3);
  EXPECT_EQ(refused(data, 1.0), "conformal: share = 1, expected a number in (0, 1)");
  EXPECT_EQ(
      refused(data, 0.01),
      "conformal: share = 0.01 of 20 rows leaves 0 for calibration and 20 for the fit, expected at least 1 and 2");
  Dataset weighted = data;
  weighted.weights = Vector::Ones(20);
  EXPECT_EQ(refused(weighted, 0.2), "conformal: the rows have weights, expected none: the guarantee counts rows");
  EXPECT_EQ(refused(registered::sample_data(20, 1, 2, 3), 0.2), "conformal: there are 2 targets, expected one");
  EXPECT_NE(refused(data, 0.2, "count").find("expected a whole number >= 0"), std::string::npos);
}

}  // namespace
}  // namespace condens::conformal_test
