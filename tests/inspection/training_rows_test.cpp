// Which training rows made a distribution: against the kernels' formulas written out, and against the distributions.

#include <gtest/gtest.h>

#include <cmath>

#include "condens/estimators/epsilon_kde.hpp"
#include "condens/estimators/forest.hpp"
#include "condens/estimators/forward_selection.hpp"
#include "condens/estimators/nadaraya_watson.hpp"
#include "condens/estimators/parzen.hpp"
#include "condens/estimators/ratio_kde.hpp"
#include "condens/inspection/training_rows.hpp"
#include "condens/registry.hpp"
#include "support/complaint.hpp"
#include "support/registered_models.hpp"

namespace condens::tests::training_rows_test {
namespace {

constexpr Index all = 1'000'000;

/// Weights of every row at one x.
Vector dense(const RowWeights& found, Index n) {
  Vector out = Vector::Zero(n);
  for (std::size_t k = 0; k < found.rows.size(); ++k) out[found.rows[k]] = found.weights[static_cast<Index>(k)];
  return out;
}

Vector weights_at(const ConditionalDensity& model, const Vector& x, const Dataset& training) {
  const auto found = training_row_weights(model, nullptr, nullptr, x, training, all);
  EXPECT_EQ(found.size(), 1U);
  EXPECT_EQ(found.front().others, 0);
  return dense(found.front(), training.size());
}

Dataset data_with_copies() {
  Dataset out = registered::sample_data(80, 2, 1, 4);
  Matrix x = out.x;
  Matrix y = out.y;
  x.col(7) = x.col(3);
  y.col(7) = y.col(3);
  Vector weights = Vector::Ones(80);
  weights[5] = 0;
  weights[3] = 3;
  return {.x = x, .y = y, .weights = weights};
}

/// w_i k(T (x - x_i)), normalised.
Vector plain_kernel_weights(const Vector& x, const Dataset& data, const Vector& widths, const Standardizer& scale) {
  Vector out(data.size());
  for (Index i = 0; i < data.size(); ++i) {
    const Vector z = (x - Vector(data.x.col(i))).cwiseQuotient(scale.scale()).cwiseQuotient(widths);
    out[i] = data.weights[i] * std::exp(-0.5 * z.squaredNorm());
  }
  return out / out.sum();
}

TEST(TrainingRows, OfKernelsAreTheirWeights) {
  const Dataset data = data_with_copies();
  const Vector x{{0.3, -0.4}};
  const auto nw =
      NadarayaWatson::fit(data, {.metric = NwMetricChoice::isotropic, .bandwidth = {0.5}, .bandwidth_y = {0.4}});
  const Vector half = Vector::Constant(2, 0.5);
  const Vector plain = plain_kernel_weights(x, data, half, nw.x_scale());
  EXPECT_LT((weights_at(nw, x, data) - plain).cwiseAbs().maxCoeff(), 1e-12);

  const auto parzen = Parzen::fit(data, {.shape = ParzenShapeChoice::isotropic, .bandwidth = {0.5}});
  const Vector of_parzen = weights_at(parzen, x, data);
  EXPECT_LT((of_parzen - plain).cwiseAbs().maxCoeff(), 1e-12);  // copies merged: 3 to 1 all the same
  EXPECT_NEAR(of_parzen[3], 3 * of_parzen[7], 1e-15);
  EXPECT_EQ(of_parzen[5], 0);

  for (const RatioWidths widths : {RatioWidths::equal, RatioWidths::separate}) {
    RatioKdeOptions options{.widths = widths, .bandwidth = {0.5}};
    if (widths == RatioWidths::equal) options.bandwidth_y = {0.4};
    const auto ratio = RatioKde::fit(data, options);
    EXPECT_LT((weights_at(ratio, x, data) - plain).cwiseAbs().maxCoeff(), 1e-12);
  }

  const auto ekde = EpsilonKde::fit(data, {.radius = {0.8}, .bandwidth_y = {0.4}});
  Vector near = Vector::Zero(80);
  for (Index i = 0; i < 80; ++i) {
    const Vector z = (x - Vector(data.x.col(i))).cwiseQuotient(ekde.x_scale().scale());
    const double bound = ekde.options().at("radius_of").as_string() == "distance" ? 0.8 * 0.8 : 0.8;
    if (z.squaredNorm() < bound) near[i] = data.weights[i];
  }
  near /= near.sum();
  EXPECT_LT((weights_at(ekde, x, data) - near).cwiseAbs().maxCoeff(), 1e-12);
}

TEST(TrainingRows, GiveTheMeanOfTheDistribution) {
  const Dataset data = data_with_copies();
  const Vector x{{0.3, -0.4}};
  const double defensive = 1e-3;
  Dataset storage;
  const Dataset& counted = rows_that_count(data, storage);
  const double broad = counted.y.row(0).dot(counted.weights.transpose()) / counted.weights.sum();
  for (const char* name : {"nw", "ekde", "rkde", "parzen", "forest"}) {
    Document options = registered::quick_options({name, "recommended"});
    const auto model = find_model(name).fit(data, "recommended", options, {});
    const Vector weights = weights_at(*model, x, data);
    EXPECT_NEAR(weights.sum(), 1, 1e-12) << name;
    EXPECT_GE(weights.minCoeff(), 0) << name;
    const double mean = (1 - defensive) * data.y.row(0).dot(weights.transpose()) + defensive * broad;
    // A forest leaves out shares below 1e-6 and stores leaves in single precision.
    EXPECT_NEAR(mean, model->predict(x).mean()(0, 0), 1e-5) << name;
    EXPECT_TRUE(find_model(name).can("weighs_training_rows"));
  }
  EXPECT_FALSE(find_model("lscde").can("weighs_training_rows"));
}

TEST(TrainingRows, AreTheHeaviestAndWhatIsLeft) {
  const Dataset data = data_with_copies();
  const auto model = NadarayaWatson::fit(data, {.metric = NwMetricChoice::isotropic, .bandwidth = {0.5}});
  const Matrix x{{0.3, -2.0}, {-0.4, 1.0}};
  const auto some = training_row_weights(model, nullptr, nullptr, x, data, 5);
  for (Index i = 0; i < 2; ++i) {
    const Vector whole = weights_at(model, x.col(i), data);
    const RowWeights& own = some[static_cast<std::size_t>(i)];
    ASSERT_EQ(own.rows.size(), 5U);
    EXPECT_EQ(own.weights[0], whole.maxCoeff());
    EXPECT_TRUE(std::is_sorted(own.weights.begin(), own.weights.end(), std::greater<>()));
    EXPECT_NEAR(own.weights.sum() + own.others, 1, 1e-12);
  }
}

TEST(TrainingRows, HaveTheSameBitsForAnyNumberOfThreads) {
  const Dataset data = data_with_copies();
  for (const char* name : {"nw", "forest"}) {
    const auto model = find_model(name).fit(data, "", registered::quick_options({name, ""}), {});
    const auto at = [&](int threads) {
      const condens::Run run{.threads = threads, .observer = {}};
      return dense(training_row_weights(*model, nullptr, nullptr, Vector{{0.1, 0.2}}, data, all, run).front(), 80);
    };
    EXPECT_EQ(at(1), at(2));
    EXPECT_EQ(at(1), at(7));
  }
}

TEST(TrainingRows, SeeThroughASelectionOfInputs) {
  const Dataset data = registered::sample_data(60, 2, 1, 4);
  const auto model = find_model("forward").fit(data, "", Document::Object{{"model", "nw"}}, {});
  EXPECT_NEAR(weights_at(*model, Vector{{0.1, 0.2}}, data).sum(), 1, 1e-12);
}

TEST(TrainingRows, OfOtherKindsAreThoseOfTheCode) {
  Dataset data = registered::sample_data(150, 1, 1, 9);
  Matrix counts = data.y;
  Matrix claims = data.y;
  for (Index i = 0; i < 150; ++i) {
    counts(0, i) = std::floor(std::exp(0.5 * data.y(0, i)) * 2);
    claims(0, i) = i % 3 == 0 ? 0.0 : std::exp(data.y(0, i));
  }
  const PlaceOfRow place = [](Index row) { return std::to_string(row + 1); };
  for (const char* name : {"parzen", "forest"}) {
    for (const auto& [kind, y] : {std::pair{"count", counts}, {"with-atoms", claims}}) {
      for (const double share : {0.0, 0.3}) {
        const Dataset own{.x = data.x, .y = y};
        const TargetRequest request{TargetKind::parse(kind), share};
        const TargetModel model =
            fit_target(find_model(name), request, own, "", registered::quick_options({name, ""}), place, {});
        const Conformal* conformal = model.conformal ? &*model.conformal : nullptr;
        const Vector x = Vector::Constant(1, 0.2);
        const auto found = training_row_weights(*model.density, &*model.target, conformal, x, own, all);
        const Vector weights = dense(found.front(), 150);
        EXPECT_NEAR(weights.sum(), 1, 1e-12) << name << kind;
        for (Index i = 0; kind == std::string("with-atoms") && i < 150; i += 3) EXPECT_EQ(weights[i], 0);
        if (share > 0) {
          EXPECT_GE((weights.array() == 0).count(), 45);
        }
      }
    }
  }
}

TEST(TrainingRows, ComplainOfOtherModelsAndOtherData) {
  const Dataset data = registered::sample_data(60, 2, 1, 4);
  const Vector x{{0.1, 0.2}};
  const auto nw = NadarayaWatson::fit(data, {.metric = NwMetricChoice::isotropic, .bandwidth = {0.5}});
  const auto said = [&](const ConditionalDensity& model, const Dataset& training, const Vector& at, Index most) {
    return complaint([&] { training_row_weights(model, nullptr, nullptr, at, training, most); });
  };
  EXPECT_EQ(said(nw, data, x, 0), "training_row_weights: most = 0, expected at least 1");
  EXPECT_EQ(said(nw, data, Vector::Ones(3), 5),
            "training_row_weights: the rows have 3 inputs, expected 2 as in the fit");
  EXPECT_EQ(said(nw, data, Vector{{0.0, std::nan("")}}, 5), "training_row_weights: x has a number that is not finite");
  EXPECT_EQ(said(nw, registered::sample_data(60, 3, 1, 4), x, 5),
            "training_row_weights: the training data have 3 inputs and 1 targets, expected 2 and 1 as in the fit");
  EXPECT_EQ(said(nw, registered::sample_data(59, 2, 1, 4), x, 5),
            "NadarayaWatson: the 59 rows of the training data have another mean or spread than those of the fit, "
            "expected the data of the fit, unchanged");
  const auto given = NadarayaWatson::fit(data, {.metric = NwMetricChoice::isotropic,
                                                .bandwidth = {0.5},
                                                .bandwidth_y = {0.4},
                                                .centers = Matrix{{1, 2}, {1, 2}, {1, 2}}});
  EXPECT_EQ(said(given, data, x, 5),
            "NadarayaWatson: kernel 1 of 2 stands at no row of the training data, expected the data of the fit, "
            "unchanged");
  const auto gp = find_model("gp").fit(data, "", {}, {});
  EXPECT_EQ(said(*gp, data, x, 5),
            "training_row_weights: gp is not made of training rows, expected one of nw, ekde, rkde, parzen, forest, or "
            "a selection or projection of inputs around one of them");
}

}  // namespace
}  // namespace condens::tests::training_rows_test
