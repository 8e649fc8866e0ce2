// Location and scale: the law against that of what is left, what is left against fits without each row.

#include "condens/estimators/location_scale.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "condens/core/random.hpp"
#include "condens/io/document_format.hpp"
#include "condens/model/pooled_density.hpp"
#include "condens/registry.hpp"
#include "support/complaint.hpp"
#include "support/normals.hpp"
#include "support/plain_ridge.hpp"

namespace condens::location_scale_test {
namespace {

/// y on a line in x1, its spread growing with x_last from 0.2 to 2 or so; inputs and targets on different scales.
Dataset growing(Index n, Index d_x = 2, Index d_y = 1, std::uint64_t seed = 1) {
  RandomStream random(seed);
  Matrix x = normals(d_x, n, random);
  Matrix y(d_y, n);
  for (Index i = 0; i < n; ++i) {
    const double first = d_x > 0 ? x(0, i) : 0.0;
    const double last = d_x > 0 ? x(d_x - 1, i) : 0.0;
    const double common = random.normal();
    for (Index t = 0; t < d_y; ++t) {
      y(t, i) = 3.0 + 4.0 * first + 0.6 * std::exp(0.6 * last) * (common + (t > 0 ? random.normal() : 0.0));
    }
  }
  if (d_x > 0) x.row(0) *= 10.0;
  return {.x = x, .y = y};
}

/// A quick model inside, deterministic, the same for copies and weights.
Document quick(std::string_view mean = "linear", std::string_view scale = "linear") {
  Document inside;
  inside.set("metric", "isotropic").set("bandwidth", 0.7).set("bandwidth_y", 0.4);
  Document out;
  out.set("model", "nw").set("options", inside).set("mean", mean);
  return out.set("scale", scale).set("defensive_weight", 0.0);
}

LocationScaleDensity fit(const Dataset& data, const Document& options, int threads = 1) {
  const auto model =
      find_model("location_scale").fit(data, "recommended", options, {.threads = threads, .observer = {}});
  return dynamic_cast<const LocationScaleDensity&>(*model);
}

std::unique_ptr<ConditionalDensity> plain_inner(const Dataset& data) {
  return find_model("nw").fit(data, "recommended", quick().at("options"), {.threads = 1, .observer = {}});
}

Vector standardized(const Vector& values) {
  const double mean = values.mean();
  const double n = static_cast<double>(values.size());
  return (values.array() - mean) / std::sqrt((values.array() - mean).square().sum() / (n - 1));
}

TEST(LocationScale, LawIsThatOfWhatIsLeftMovedAndStretched) {
  const Dataset data = growing(60);
  const Dataset test = growing(40, 2, 1, 2);
  for (const char* mean : {"constant", "linear", "ridge", "gp"}) {
    for (const char* scale : {"constant", "ridge"}) {
      const LocationScaleDensity model = fit(data, quick(mean, scale));
      const Matrix m = model.location(test.x);
      const Matrix s = model.scale(test.x);
      const GaussianMixtures rest = model.residual_model().predict(test.x);
      const GaussianMixtures laws = model.predict(test.x);
      for (Index i = 0; i < 40; ++i) {
        const double e = (test.y(0, i) - m(0, i)) / s(0, i);
        EXPECT_NEAR(laws[i].log_pdf(test.y(0, i)), rest[i].log_pdf(e) - std::log(s(0, i)), 1e-9);
        EXPECT_NEAR(laws[i].quantile(0.3), m(0, i) + s(0, i) * rest[i].quantile(0.3), 1e-9);
      }
    }
  }
}

TEST(LocationScale, WhatIsLeftComesFromFitsWithoutTheRow) {
  const Index n = 40;
  const Dataset data = growing(n);
  const double lambda = 0.01;
  const LocationScaleDensity model = fit(data, quick().set("regularization", lambda));

  Matrix x(2, n);
  for (Index k = 0; k < 2; ++k) x.row(k) = standardized(data.x.row(k).transpose()).transpose();
  const Vector y = standardized(data.y.row(0).transpose());
  PlainRidge mean{x, y, Vector::Ones(n), Matrix(2, 0), 1.0, 1.0 / std::sqrt(2.0), lambda};
  const Vector r = mean.residuals_left_out();
  PlainRidge spread = mean;
  spread.y = r.cwiseAbs().array().log();
  const Vector log_scale = spread.y - spread.residuals_left_out();
  const Vector raw = r.array() / log_scale.array().exp();
  const double size = std::sqrt(raw.squaredNorm() / static_cast<double>(n));
  const double least = 1e-3 * std::sqrt(r.squaredNorm() / static_cast<double>(n));
  const double greatest = r.cwiseAbs().maxCoeff();
  const Vector e = r.array() / (size * log_scale.array().exp()).max(least).min(greatest);
  const double unit = std::sqrt((data.y.array() - data.y.mean()).square().sum() / (static_cast<double>(n) - 1));

  const Dataset test = growing(30, 2, 1, 2);
  Matrix inside = test.x;
  for (Index k = 0; k < 2; ++k) {
    const double centre = data.x.row(k).mean();
    const double width = std::sqrt((data.x.row(k).array() - centre).square().sum() / (static_cast<double>(n) - 1));
    inside.row(k) = (test.x.row(k).array() - centre) / width;
  }
  const Matrix m = model.location(test.x);
  const Matrix s = model.scale(test.x);
  const Vector beyond = x.rowwise().maxCoeff() + Vector::Ones(2);
  for (Index i = 0; i < 30; ++i) {
    if ((inside.col(i).cwiseAbs() - beyond).maxCoeff() > 0) continue;  // see BeyondTheRange...
    EXPECT_NEAR(m(0, i), data.y.mean() + unit * mean.at(inside.col(i)), 1e-9);
    const double expected = std::clamp(size * std::exp(spread.at(inside.col(i))), least, greatest);
    EXPECT_NEAR(s(0, i), unit * expected, 1e-9);
  }
  Dataset rest = data;
  rest.y = Matrix(e.transpose());
  const Vector expected = plain_inner(rest)->log_density(test.x, test.y);
  EXPECT_LT((model.residual_model().log_density(test.x, test.y) - expected).cwiseAbs().maxCoeff(), 1e-8);

  const Vector constant = y * static_cast<double>(n) / (static_cast<double>(n) - 1);
  EXPECT_NEAR(model.explained()[0], 1 - r.squaredNorm() / constant.squaredNorm(), 1e-10);
  EXPECT_NEAR(model.residual_scale()[0], unit * std::sqrt(r.squaredNorm() / static_cast<double>(n)), 1e-10);
  EXPECT_EQ(model.regularization()[0], lambda);
  EXPECT_GT(model.scale_gain()[0], 0.0);
  EXPECT_EQ(model.length_scales(), Matrix::Zero(2, 1));
}

TEST(LocationScale, WithoutTrendsItIsTheModelInsideALittleWider) {
  // The mean without row i: e_i is n / (n - 1) of the deviation.
  const Index n = 50;
  const Dataset data = growing(n);
  const LocationScaleDensity model = fit(data, quick("constant", "constant"));
  const auto alone = plain_inner(data);
  const Dataset test = growing(30, 2, 1, 2);
  const double shrink = 1 - 1 / static_cast<double>(n);
  const Matrix nearer = (data.y.mean() + (test.y.array() - data.y.mean()) * shrink).matrix();
  const Vector expected = alone->log_density(test.x, nearer).array() + std::log(shrink);
  EXPECT_LT((model.log_density(test.x, test.y) - expected).cwiseAbs().maxCoeff(), 1e-9);
  EXPECT_EQ(model.explained()[0], 0.0);
}

TEST(LocationScale, ABroadGaussianHasItsShare) {
  const Dataset data = growing(40);
  const LocationScaleDensity without = fit(data, quick());
  const LocationScaleDensity with = fit(data, quick().set("defensive_weight", 0.2));
  const Dataset test = growing(20, 2, 1, 2);
  const double mean = data.y.mean();
  const double spread = 2 * std::sqrt((data.y.array() - mean).square().sum() / 39);
  const Vector own = without.predict(test.x).pdf(test.y);
  const Vector all = with.predict(test.x).pdf(test.y);
  for (Index i = 0; i < 20; ++i) {
    const double z = (test.y(0, i) - mean) / spread;
    const double broad = std::exp(-0.5 * z * z) / (spread * std::sqrt(2 * std::numbers::pi));
    EXPECT_NEAR(all[i], 0.8 * own[i] + 0.2 * broad, 1e-12);
  }
  EXPECT_LT((with.log_density(test.x, test.y).array().exp() - all.array()).abs().maxCoeff(), 1e-12);
}

TEST(LocationScale, SpreadFollowsTheInputs) {
  const LocationScaleDensity model = fit(growing(250), quick("linear", "ridge"));
  Matrix x = Matrix::Zero(2, 2);
  x.row(1) << -1.0, 1.0;
  const Matrix s = model.scale(x);
  EXPECT_NEAR(std::log(s(0, 1) / s(0, 0)), 1.2, 0.3);
  EXPECT_NEAR(s(0, 0), 0.6 * std::exp(-0.6), 0.1);
  EXPECT_GT(model.explained()[0], 0.9);
  EXPECT_GT(model.scale_gain()[0], 0.05);
  EXPECT_EQ(model.scale_length_scales(), Matrix::Zero(2, 1));  // it is a line, and found to be one
}

TEST(LocationScale, TargetsHaveTrendsOfTheirOwnAndKeepTheirCovariances) {
  const Dataset data = growing(80, 2, 2);
  Document options = quick();
  options.set("model", "gmm").set("options", Document(Document::Object{}));
  const LocationScaleDensity model = fit(data, options);
  const Dataset test = growing(10, 2, 2, 2);
  const Matrix s = model.scale(test.x);
  const GaussianMixtures laws = model.predict(test.x);
  const GaussianMixtures rest = model.residual_model().predict(test.x);
  for (Index i = 0; i < 10; ++i) {
    const Matrix expected = s.col(i).asDiagonal() * rest[i].covariance() * s.col(i).asDiagonal();
    EXPECT_LT((laws[i].covariance() - expected).norm(), 1e-10 * expected.norm());
    EXPECT_GT(expected(0, 1), 0.0);
  }
  EXPECT_LT((laws.log_pdf(test.y) - model.log_density(test.x, test.y)).cwiseAbs().maxCoeff(), 1e-9);
  for (Index t = 0; t < 2; ++t) {
    const Dataset one{.x = data.x, .y = Matrix(data.y.row(t))};
    const LocationScaleDensity alone = fit(one, quick());
    EXPECT_LT((model.location(test.x).row(t) - alone.location(test.x)).norm(), 1e-9);
    EXPECT_LT((s.row(t) - alone.scale(test.x)).norm(), 1e-9);
  }
}

TEST(LocationScale, BeyondTheRangeOfTheInputsTrendsStayWhatTheyAre) {
  const Dataset data = growing(60);
  for (const char* kind : {"linear", "ridge", "gp"}) {
    const LocationScaleDensity model = fit(data, quick(kind, kind));
    Matrix far(2, 3);
    far << 1e3, 1e9, 1e100, 0.5, 0.5, 0.5;
    const Matrix m = model.location(far);
    const Matrix s = model.scale(far);
    EXPECT_EQ(m(0, 0), m(0, 2));
    EXPECT_EQ(s(0, 1), s(0, 2));
    // The line goes on for one standard deviation.
    const double top = data.x.row(0).maxCoeff();
    Matrix near(2, 2);
    near << top, top + 5.0, 0.5, 0.5;
    if (std::string(kind) == "linear") {
      EXPECT_NEAR(model.location(near)(0, 1) - model.location(near)(0, 0), 2.0, 0.2);
    }
  }
}

TEST(LocationScale, WeightsAreCopiesAndWeightZeroIsAbsence) {
  const Dataset data = growing(40);
  Dataset weighted = data;
  weighted.weights = Vector::Ones(40);
  weighted.weights[3] = 3;
  weighted.weights[7] = 2;
  weighted.weights[39] = 0;
  std::vector<Index> rows;
  for (Index i = 0; i < 39; ++i) rows.insert(rows.end(), i == 3 ? 3 : i == 7 ? 2 : 1, i);
  const Dataset test = growing(30, 2, 1, 2);
  for (const char* kind : {"linear", "ridge", "gp"}) {
    const Vector a = fit(weighted, quick(kind)).log_density(test.x, test.y);
    const Vector b = fit(data.subset(rows), quick(kind)).log_density(test.x, test.y);
    EXPECT_LT((a - b).cwiseAbs().maxCoeff(), 1e-9) << kind;
  }
}

TEST(LocationScale, FoldsOfRowsReachTheModelInside) {
  Dataset data = growing(30);
  data.weights = Vector::Ones(30);
  data.weights[5] = 0;
  std::vector<double> fold;
  for (Index i = 0; i < 30; ++i) fold.push_back(static_cast<double>(i % 3));
  Document inside;
  inside.set("cv", Document(fold)).set("n_centers", 10).set("metric", "none");
  Document options = quick().set("model", "lscde").set("options", inside);
  const LocationScaleDensity model = fit(data, options);
  EXPECT_EQ(model.residual_model().options().at("cv").as_numbers(), fold);
  EXPECT_EQ(model.report().details.at("n_rows").as_integer(), 29);
}

TEST(LocationScale, NoInputsConstantInputsAndTies) {
  const Dataset none = growing(30, 0);
  for (const char* kind : {"constant", "linear", "ridge", "gp"}) {
    const LocationScaleDensity model = fit(none, quick(kind, kind));
    const Document saved = save_density(model);
    const Document again = document_from_json(document_to_json(saved), "model");
    EXPECT_TRUE(save_density(*load_density(again)) == saved);
    EXPECT_NEAR(model.predict(Matrix(0, 1)).mean()(0, 0), none.y.mean(), 0.1);
    EXPECT_EQ(model.length_scales().size(), 0);
  }
  Dataset data = growing(30);
  Matrix x(3, 30);
  x << data.x, Matrix::Constant(1, 30, 7.0);
  data.x = x;
  data.y = (data.y.array() / 2).round().matrix();
  const LocationScaleDensity model = fit(data, quick("ridge", "ridge"));
  Matrix there = x;
  there.row(2).setConstant(1e5);
  EXPECT_EQ(model.location(there), model.location(x));
  EXPECT_TRUE(model.log_density(x, data.y).allFinite());
  ASSERT_EQ(model.report().warnings.size(), 1U);
  EXPECT_EQ(model.report().warnings.front(), "input 3 is constant and plays no part");
}

TEST(LocationScale, FewRowsAndOutliersHaveFiniteDensities) {
  Dataset far = growing(50);
  Matrix y = far.y;
  y(0, 10) = 1e8;
  far.y = y;
  for (const Dataset& data : {growing(2), growing(3, 5), far}) {
    const LocationScaleDensity model = fit(data, quick("ridge", "ridge"));
    EXPECT_TRUE(model.log_density(data.x, data.y).allFinite());
    const Matrix s = model.scale(data.x);
    EXPECT_GE(s.minCoeff(), 0.999e-3 * model.residual_scale()[0]);
    const double n = static_cast<double>(data.size());  // the greatest of n numbers, at most
    EXPECT_LE(s.maxCoeff(), std::sqrt(n) * model.residual_scale()[0] * (1 + 1e-9));
  }
  const LocationScaleDensity model = fit(far, quick("ridge", "ridge").set("scale_floor", 1.0));
  EXPECT_NEAR(model.scale(far.x).minCoeff() / model.residual_scale()[0], 1.0, 1e-12);
}

TEST(LocationScale, GivenCentersAreMovedToWhatIsLeft) {
  const Dataset data = growing(40);
  Matrix centers(3, 10);
  centers << data.x.leftCols(10), data.y.leftCols(10);
  Document inside;
  inside.set("centers", centers).set("metric", "none").set("standardize", false).set("defensive_weight", 0);
  inside.set("bandwidth", 1.0).set("bandwidth_y", 0.5).set("regularization", 0.1);
  const LocationScaleDensity model = fit(data, quick().set("model", "lscde").set("options", inside));
  const GaussianMixtures rest = model.residual_model().predict(data.x.leftCols(1));
  const Matrix expected =
      (data.y.leftCols(10) - model.location(data.x.leftCols(10))).cwiseQuotient(model.scale(data.x.leftCols(10)));
  const Matrix found = model.residual_model().to_document().at("centers_y").as_matrix();
  EXPECT_LT((found - expected).norm(), 1e-10);
}

TEST(LocationScale, FileKeepsEveryBitAndRefusesWhatDoesNotFit) {
  const Dataset data = growing(40, 2, 2);
  const Dataset test = growing(20, 2, 2, 2);
  for (const char* kind : {"linear", "ridge", "gp"}) {
    const LocationScaleDensity model = fit(data, quick(kind, kind));
    const Document saved = save_density(model);
    const Document again = document_from_json(document_to_json(saved), "model");
    EXPECT_TRUE(save_density(*load_density(again)) == saved);
    EXPECT_EQ(load_density(again)->log_density(test.x, test.y), model.log_density(test.x, test.y));
  }
  const Document saved = save_density(fit(data, quick()));
  const auto refused = [&](std::string_view key, Document value) {
    Document parameters = saved.at("parameters");
    parameters.set(key, std::move(value));
    const Document spoiled(Document::Object{{"model", "location_scale"}, {"parameters", std::move(parameters)}});
    return complaint<FormatError>([&] { load_density(spoiled); });
  };
  const std::string text =
      "LocationScale: the mean, the spread and the distribution of what is left do not fit together";
  EXPECT_EQ(refused("means", Document::Array{}), text);
  EXPECT_EQ(refused("low", Vector(Vector::Zero(3))), "LocationScale: low has length 3 along n_inputs, expected 2");
  EXPECT_EQ(refused("low", Vector(0)), "LocationScale: low has length 0 along n_inputs, expected 2");
  EXPECT_EQ(refused("high", Vector(Vector::Constant(2, std::nan("")))),
            "LocationScale: high holds nan, expected finite numbers");
  EXPECT_EQ(refused("high", Vector(Vector::Constant(2, -1e9))), text);
  EXPECT_EQ(refused("residual_scale", Vector(Vector::Zero(2))),
            "LocationScale: residual_scale holds 0, expected finite numbers > 0");
  EXPECT_EQ(refused("least_scale", Vector(Vector::Constant(2, 1e9))), text);
  EXPECT_EQ(refused("greatest_scale", Vector(Vector::Ones(1))),
            "LocationScale: greatest_scale has length 1 along n_targets, expected 2");
  EXPECT_EQ(refused("y_scale", Standardizer::identity(1).to_document()),
            "LocationScale: residual_scale has length 2 along n_targets, expected 1");
  EXPECT_EQ(refused("defensive_mean", Vector(Vector::Zero(1))), "the defensive component is not a distribution of y");
  EXPECT_EQ(refused("inner", save_density(*plain_inner(growing(30)))), text);
  EXPECT_NE(refused("x_scale", Standardizer::identity(3).to_document()), "");
  EXPECT_NE(refused("inner", Document::Object{{"model", "nosuch"}}), "");
  EXPECT_NE(refused("report", FitReport().to_document()), "");
  EXPECT_NE(refused("options", Document::Object{{"mean", "median"}}), "");
}

TEST(LocationScale, ThreadsDoNotChangeOneBit) {
  const Dataset data = growing(60, 2, 2);
  const Document reference = save_density(fit(data, quick("gp", "ridge")));
  for (const int threads : {2, 7}) {
    EXPECT_TRUE(save_density(fit(data, quick("gp", "ridge"), threads)) == reference);
  }
}

TEST(LocationScale, ReportTellsHowMeanAndSpreadWereFound) {
  Document options = quick("ridge", "constant");
  options.set("bandwidth", Document(std::vector<double>{1.0, 3.0})).set("regularization", 0.01);
  const FitReport report = fit(growing(40), options).report();
  const Document& mean = report.details.at("means").as_array().front();
  EXPECT_EQ(mean.at("kind").as_string(), "ridge");
  EXPECT_EQ(mean.at("candidates").at("bandwidth").as_vector(), (Vector{{1.0, 3.0}}));
  EXPECT_TRUE(report.details.at("candidates") == mean.at("candidates"));
  EXPECT_EQ(report.details.at("scales").as_array().front().at("kind").as_string(), "constant");
  EXPECT_NE(report.details.find("density"), nullptr);
  EXPECT_GT(report.details.at("bandwidth").as_vector()[0], 0.0);
  EXPECT_EQ(report.details.at("regularization").as_vector(), Vector::Constant(1, 0.01));
  EXPECT_EQ(fit(growing(40, 2, 2), options).report().details.find("candidates"), nullptr);
}

TEST(LocationScale, IsAMemberOfAPool) {
  const Dataset data = growing(60);
  Document options;
  options.set("models", Document(std::vector<std::string>{"nw", "location_scale"})).set("cv", 2);
  options.set("options", Document::Object{{"location_scale", quick("linear", "linear")}});
  const auto model = find_model("pool").fit(data, "recommended", options, {.threads = 1, .observer = {}});
  const auto& pool = dynamic_cast<const PooledDensity&>(*model);
  EXPECT_EQ(pool.member_names(), (std::vector<std::string>{"nw", "location_scale", "broad"}));
  EXPECT_LT(pool.member_scores()[1], pool.member_scores()[0]);
  const Document saved = save_density(*model);
  EXPECT_EQ(load_density(saved)->log_density(data.x, data.y), model->log_density(data.x, data.y));
}

TEST(LocationScale, ObserverSeesProgressAndCancels) {
  std::vector<std::string> seen;
  const condens::Run run{.threads = 1, .observer = [&](std::string_view task, double fraction) {
                           seen.emplace_back(task);
                           EXPECT_LE(fraction, 1.0);
                           return false;
                         }};
  EXPECT_THROW(find_model("location_scale").fit(growing(2000, 3), "recommended", {}, run), Cancelled);
  ASSERT_EQ(seen.size(), 1U);
  EXPECT_EQ(seen.front(), "fitting the mean");
}

TEST(LocationScale, SaysWhatIsWrong) {
  const Dataset data = growing(30);
  const auto said = [&](std::string_view name, Document value) {
    Document options = quick();
    options.set(name, std::move(value));
    return complaint([&] { fit(data, options); });
  };
  EXPECT_EQ(said("mean", "median"),
            "LocationScale: mean = 'median', expected one of constant, linear, ridge, gp, auto");
  EXPECT_EQ(said("scale_floor", 0), "LocationScale: scale_floor = 0, expected a number in (0, 1]");
  EXPECT_EQ(said("n_centers", 0), "LocationScale: n_centers = 0, expected a whole number >= 1");
  EXPECT_EQ(said("bandwidth", -1), "LocationScale: bandwidth = -1, expected a list of numbers, each > 0");
  EXPECT_EQ(said("model", "pool"), "LocationScale: model = 'pool', expected another model");
  EXPECT_EQ(said("model", "location_scale"), "LocationScale: model = 'location_scale', expected another model");
  EXPECT_EQ(said("model_preset", "papr"), "NadarayaWatson: preset = 'papr', expected recommended or paper");
  EXPECT_EQ(said("options", Document::Object{{"seed", 5}}),
            "LocationScale: options: 'seed' is an option of LocationScale itself; give it there");
  EXPECT_NE(said("options", Document::Object{{"nosuch", 5}}).find("LocationScale: options: unknown option 'nosuch'"),
            std::string::npos);
  EXPECT_EQ(said("options", Document::Object{{"centers", Matrix(Matrix::Zero(2, 2))}}),
            "LocationScale: centers have 2 numbers each, expected 3: 2 of x and 1 of y");
  Dataset bad = data;
  bad.y = Matrix::Constant(1, 30, 2.0);
  EXPECT_EQ(complaint([&] { fit(bad, quick()); }),
            "LocationScale: target 1 is constant (2 in every row); a distribution without spread has no density");
  Dataset exact = data;
  exact.y = Matrix(data.x.row(0) - 2.0 * data.x.row(1));
  EXPECT_EQ(
      complaint<NumericalError>([&] { fit(exact, quick().set("regularization", 1e-30)); }),
      "LocationScale: the mean goes through every row of target 1, to rounding; nothing is left that has a density");
  EXPECT_TRUE(fit(exact, quick()).log_density(exact.x, exact.y).allFinite());
}

}  // namespace
}  // namespace condens::location_scale_test
