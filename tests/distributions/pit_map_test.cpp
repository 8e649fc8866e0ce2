// Calibration by the PIT: the map against its formula, distributions against R(F), PIT values after it.

#include "condens/distributions/pit_map.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "condens/core/errors.hpp"
#include "condens/core/random.hpp"
#include "condens/io/model_file.hpp"
#include "condens/registry.hpp"
#include "support/complaint.hpp"
#include "support/registered_models.hpp"

namespace condens::pit_map_test {
namespace {

std::string place_of(Index row) { return "row " + std::to_string(row + 1); }

/// PIT values of a model that is too wide and a little too low.
Vector pit_values(Index n, std::uint64_t seed) {
  RandomStream random(seed);
  Vector out(n);
  for (Index i = 0; i < n; ++i) out[i] = 0.5 * std::erfc(-(0.6 * random.normal() + 0.2) / std::sqrt(2.0));
  return out;
}

GaussianMixtures some_laws(bool shared) {
  const Matrix means{{0.0, 3.0, 3.5}};
  const Matrix scales{{1.0, 0.3, 2.0}};
  const Matrix weights{{0.5, 0.2}, {0.3, 0.7}, {0.2, 0.1}};
  if (shared) {
    return GaussianMixtures::shared(std::make_shared<const GaussianComponents>(GaussianComponents{means, scales}),
                                    weights.array().log());
  }
  Matrix twice(1, 6);
  twice << means, 2.0 * means;
  Matrix wide(1, 6);
  wide << scales, 3.0 * scales;
  return GaussianMixtures::separate(twice, wide, weights.array().log());
}

TEST(PitMap, IsTheShareOfValuesAtItsKnots) {
  const Vector pit = pit_values(343, 1);  // 2 * 7 intervals
  const PitMap map(pit, Vector::Ones(343));
  ASSERT_EQ(map.values().size(), 15);
  EXPECT_EQ(map.n_rows(), 343);
  for (Index b = 1; b <= 14; ++b) {
    Index count = 0;
    for (const double value : pit) count += value <= static_cast<double>(b) / 14.0 ? 1 : 0;
    EXPECT_NEAR(map.values()[b], (static_cast<double>(count) + static_cast<double>(b) / 14.0) / 344.0, 1e-15);
    EXPECT_GT(map.values()[b], map.values()[b - 1]);
  }
  EXPECT_EQ(map(0.0), 0.0);
  EXPECT_NEAR(map(1.0), 1.0, 1e-15);
  EXPECT_NEAR(map(1.5 / 14.0), 0.5 * (map.values()[1] + map.values()[2]), 1e-15);
}

TEST(PitMap, MakesTheDistributionFunctionThatItSays) {
  const PitMap map(pit_values(400, 2), Vector::Ones(400));
  for (const bool shared : {true, false}) {
    const GaussianMixtures laws = some_laws(shared);
    const GaussianMixtures found = map.apply(laws, {});
    EXPECT_EQ(found.has_shared_components(), shared);
    const Index bins = map.values().size() - 1;
    for (Index i = 0; i < 2; ++i) {
      double worst = 0.0;
      for (Index b = 1; b < bins; ++b) {
        const double y = laws[i].quantile(static_cast<double>(b) / static_cast<double>(bins));
        EXPECT_NEAR(found[i].cdf(y), map.values()[b], 1e-3) << shared << b;
      }
      for (double u = 0.005; u < 1.0; u += 0.005) {
        worst = std::max(worst, std::abs(found[i].cdf(laws[i].quantile(u)) - map(u)));
      }
      EXPECT_LT(worst, 0.01);
      EXPECT_NEAR(found[i].weights().sum(), 1.0, 1e-12);
      // Far out the density stays one: not less than the least slope of the map times the model's own.
      const double far = laws[i].mean()[0] + 30.0 * std::sqrt(laws[i].variance()[0]);
      EXPECT_GT(found[i].log_pdf(far), laws[i].log_pdf(far) - 7.0);
    }
    for (const int threads : {2, 7}) {
      EXPECT_EQ(map.apply(laws, {threads, {}}).log_weights(), map.apply(laws, {1, {}}).log_weights());
    }
    // A distribution does not depend on those beside it.
    const GaussianMixture alone = map.apply(laws.slice(1, 1), {})[0];
    for (double y = -5.0; y < 10.0; y += 0.7) EXPECT_NEAR(alone.cdf(y), found[1].cdf(y), 1e-12);
  }
}

TEST(PitMap, LeavesWhatIsCalibratedNearlyAsItIs) {
  const PitMap map(Vector::LinSpaced(999, 0.001, 0.999), Vector::Ones(999));
  const GaussianMixtures laws = some_laws(false);
  const GaussianMixtures found = map.apply(laws, {});
  for (double y = -5.0; y < 10.0; y += 0.3) EXPECT_NEAR(found[0].cdf(y), laws[0].cdf(y), 2e-3);
}

TEST(PitMap, SaysWhatDoesNotFit) {
  EXPECT_EQ(complaint([] { PitMap(Vector{{1.5}}, Vector{{1.0}}); }),
            "PitMap: 1 PIT values, expected at least one, all in [0, 1]");
  EXPECT_EQ(complaint([] { PitMap(Vector{{0.5}}, Vector{{0.0}}); }),
            "PitMap: spreads of 1 distributions, expected 1 numbers > 0");
  const PitMap map(pit_values(50, 3), Vector::Ones(50));
  EXPECT_EQ(PitMap::from_document(map.to_document()).to_document(), map.to_document());
  Document bad = map.to_document();
  bad.set("values", Vector{{0.0, 0.7, 0.6, 1.0}});
  EXPECT_EQ(complaint<FormatError>([&] { PitMap::from_document(bad); }),
            "calibration: the map of the distribution function does not rise from 0 to 1");
  const GaussianMixtures two = GaussianMixtures::separate(Matrix::Zero(2, 1), Matrix::Ones(2, 1), Matrix::Zero(1, 1));
  EXPECT_EQ(complaint([&] { map.apply(two, {}); }), "PitMap: distributions of 2 targets, expected one");
}

/// Skewed, or counts of it: one Gaussian is wrong.
Dataset draw(Index n, bool counts, std::uint64_t seed) {
  RandomStream random(seed);
  Matrix x(1, n);
  Matrix y(1, n);
  for (Index i = 0; i < n; ++i) {
    x(0, i) = random.normal();
    const double z = std::exp(0.3 * x(0, i) + 0.8 * random.normal());
    y(0, i) = counts ? std::floor(3.0 * z) : z;
  }
  return {.x = x, .y = y};
}

TEST(Calibrate, MakesPitValuesUniform) {
  const Dataset data = draw(1500, false, 1);
  const Dataset fresh = draw(2000, false, 2);
  Document options(Document::Object{});
  options.set("max_rows", Index{150}).set("many_rows", "subset").set("n_starts", Index{1});  // of more it takes long
  const TargetModel plain = fit_target(find_model("gp"), {.kind = {}}, data, "", options, place_of, {});
  const TargetModel model =
      fit_target(find_model("gp"), {.kind = {}, .pit_share = 0.4}, data, "", options, place_of, {});
  const auto distance = [&](const TargetModel& own) {  // of the PIT values from uniform ones
    Vector pit = own.density->predict(fresh.x).cdf(fresh.y.row(0).transpose());
    std::sort(pit.begin(), pit.end());
    return (pit - Vector::LinSpaced(2000, 0.00025, 0.99975)).cwiseAbs().maxCoeff();
  };
  EXPECT_GT(distance(plain), 0.12);
  EXPECT_LT(distance(model), 0.06);  // 600 rows and 2000: a standard deviation near 0.02
  const Vector of_plain = plain.density->log_density(fresh.x, fresh.y);
  const Vector of_model = model.density->log_density(fresh.x, fresh.y);
  EXPECT_GT(of_model.mean(), of_plain.mean() + 0.1);
  const Vector by_laws = model.density->predict(fresh.x).log_pdf(fresh.y);
  EXPECT_LT((by_laws - of_model).cwiseAbs().maxCoeff(), 1e-9);
}

TEST(Calibrate, GoesThroughFilesKindsReplicatesAndThreads) {
  for (const std::string kind : {"real", "positive", "count"}) {
    const Dataset data = draw(100, kind == "count", 3);
    Dataset positive = data;
    if (kind == "positive") positive.y = Matrix(data.y.array() + 0.01);
    Document options(Document::Object{});
    options.set("n_components", Document(std::vector<double>{1}));
    const auto fit = [&](int threads) {
      return fit_target(find_model("gmm"),
                        {.kind = TargetKind::parse(kind), .calibration_share = 0.3, .replicates = 2, .pit_share = 0.3},
                        positive, "", options, place_of, {threads, {}});
    };
    TargetModel model = fit(1);
    ASSERT_NE(model.density->calibration(), nullptr);
    EXPECT_EQ(model.density->calibration()->n_rows(), 21) << kind;  // of the 70 rows that are not for intervals
    const Document saved = save_density(*model.density);
    for (const int threads : {2, 7}) EXPECT_EQ(save_density(*fit(threads).density), saved);
    const Model whole{Encoder::generic(positive), std::move(model.density), model.target, model.conformal,
                      model.replicates};
    const Model read = parse_model(to_json(whole), "m");
    EXPECT_EQ(to_cbor(read), to_cbor(whole));
    EXPECT_EQ(read.density->predict(data.x).log_weights(), whole.density->predict(data.x).log_weights());
    EXPECT_NE(replicate_of(read, 1).density->calibration(), nullptr);
  }
}

TEST(Calibrate, EveryModelCanBe) {
  const Dataset data = registered::sample_data(100, 1, 1, 3);
  for (const ModelInfo& info : models()) {
    const TargetModel model = fit_target(info, {.kind = {}, .pit_share = 0.4}, data, "",
                                         registered::quick_options({info.name, ""}), place_of, {});
    const GaussianMixtures laws = model.density->predict(data.x.leftCols(5));
    EXPECT_TRUE(laws.mean().allFinite()) << info.name;
    EXPECT_EQ(load_density(save_density(*model.density))->predict(data.x.leftCols(5)).log_weights(), laws.log_weights())
        << info.name;
  }
}

TEST(Calibrate, RefusesWhatItCannot) {
  const auto refused = [](const Dataset& data, double share) {
    return complaint(
        [&] { fit_target(find_model("gp"), {.kind = {}, .pit_share = share}, data, "", {}, place_of, {}); });
  };
  const Dataset data = registered::sample_data(40, 1, 1, 3);
  EXPECT_EQ(refused(data, 1.0), "calibrate: share = 1, expected a number in (0, 1)");
  EXPECT_EQ(
      refused(data, 0.25),
      "calibrate: share = 0.25 of 40 rows leaves 10 for calibration and 30 for the fit, expected at least 20 and 2");
  EXPECT_EQ(refused(registered::sample_data(40, 1, 2, 3), 0.5), "calibrate: there are 2 targets, expected one");
  Dataset weighted = data;
  weighted.weights = Vector::Ones(40);
  EXPECT_EQ(refused(weighted, 0.5), "calibrate: the rows have weights, expected none");
}

}  // namespace
}  // namespace condens::pit_map_test
