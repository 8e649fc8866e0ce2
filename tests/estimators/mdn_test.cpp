// The mixture density network as a model: what it learns, what it says of bad data, how it is chosen and kept.

#include "condens/estimators/mixture_density_network.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "condens/core/errors.hpp"
#include "condens/core/random.hpp"
#include "estimators/mixture_density_network/input_scores.hpp"
#include "support/complaint.hpp"
#include "support/plain_mdn.hpp"

namespace condens::mdn_test {
namespace {

/// Two branches sin(x) + 1 and sin(x) - 1 whose spread is `spread`; further inputs play no part.
Dataset branches(Index n, Index d_x, double spread = 0.2, std::uint64_t seed = 1) {
  RandomStream random(seed);
  Matrix x(d_x, n);
  Matrix y(1, n);
  for (Index i = 0; i < n; ++i) {
    for (Index k = 0; k < d_x; ++k) x(k, i) = 2 * random.normal();
    const double center = random.uniform() < 0.5 ? -1.0 : 1.0;
    y(0, i) = center + (d_x > 0 ? std::sin(x(0, i)) : 0.0) + spread * random.normal();
  }
  return {.x = x, .y = y};
}

double mean_nll(const ConditionalDensity& model, const Dataset& data) {
  return -model.log_density(data.x, data.y).mean();
}

/// One small network.
MdnOptions small() {
  MdnOptions options;
  options.units = {4};
  options.layers = 1;
  options.n_members = 1;
  options.max_iterations = 60;
  return options;
}

bool warns(const ConditionalDensity& model, const std::string& text) {
  const auto& all = model.report().warnings;
  return std::any_of(all.begin(), all.end(), [&](const auto& w) { return w.find(text) != std::string::npos; });
}

TEST(Mdn, LearnsTwoBranches) {
  const Mdn model = Mdn::fit(branches(300, 1));
  const Dataset test = branches(2000, 1, 0.2, 9);
  // The entropy of the two branches, which overlap by nothing.
  const double least = std::log(2.0) + 0.5 * std::log(2 * std::numbers::pi * std::numbers::e) + std::log(0.2);
  EXPECT_LT(mean_nll(model, test), least + 0.25);
  EXPECT_GT(mean_nll(model, test), least - 0.05);
  EXPECT_EQ(model.predict(Matrix::Zero(1, 1))[0].n_components(), 16);  // 5 networks of 3, and the broad one
  const GaussianMixture law = model.predict(Matrix::Zero(1, 1))[0];
  EXPECT_GT(law.pdf(1.0), 5 * law.pdf(0.0));
  EXPECT_GT(law.pdf(-1.0), 5 * law.pdf(0.0));
}

TEST(Mdn, LawIsTheMeanOfItsNetworksAndTheBroadComponent) {
  MdnOptions options = small();
  options.n_members = 2;
  options.layers = 2;
  options.standardize = false;
  options.defensive_weight = 0.125;
  Dataset data = branches(60, 2);
  data.y = (Matrix(2, 60) << data.y, data.x.row(0)).finished();
  for (const MdnCovariance covariance : {MdnCovariance::diagonal, MdnCovariance::spherical}) {
    options.covariance = covariance;
    const Mdn model = Mdn::fit(data, options);
    const Standardizer moments = Standardizer::fit(data.y, Vector());
    for (Index i = 0; i < 5; ++i) {
      double density = 0;
      for (Index m = 0; m < 2; ++m) {
        density += 0.5 * std::exp(-plain::mdn_loss(model.shape(), model.state().parameters.col(m), data.x.col(i),
                                                   data.y.col(i)));
      }
      double broad = 1;
      for (Index k = 0; k < 2; ++k) {
        const double sd = 2 * moments.scale()[k];
        const double z = (data.y(k, i) - moments.mean()[k]) / sd;
        broad *= std::exp(-0.5 * z * z) / (sd * std::sqrt(2 * std::numbers::pi));
      }
      const double expected = std::log(0.875 * density + 0.125 * broad);
      EXPECT_NEAR(model.log_density(data.x.col(i), data.y.col(i))[0], expected, 1e-11 * (1 + std::abs(expected)));
    }
  }
}

TEST(Mdn, TrainingEndsWhereTheLossIsFlat) {
  MdnOptions options = small();
  options.validation_fraction = 0;
  options.regularization = {0.1};
  options.max_iterations = 2000;
  options.standardize = false;
  const Dataset data = branches(80, 1);
  const Mdn model = Mdn::fit(data, options);
  EXPECT_EQ(model.state().validation_nll.size(), 0);
  // Whether the last steps are called an end is for rounding to say (it differs between builds); the gradient tells.
  mdn::NetworkLoss loss(model.shape(), data.x, data.y, Vector::Ones(80), 0.1);
  Vector gradient;
  loss(model.state().parameters.col(0), gradient, 1);
  EXPECT_LT(gradient.cwiseAbs().maxCoeff(), 1e-3);
  EXPECT_NEAR(loss.mean_loss(model.state().parameters.col(0), 1), model.state().train_nll[0], 1e-12);
}

TEST(Mdn, OfSeveralStartsTheBestStays) {
  MdnOptions options = small();
  options.n_starts = 4;
  const Mdn validated = Mdn::fit(branches(80, 1), options);
  const Matrix held_out = validated.report().details.at("validation_nll_of_starts").as_matrix();
  EXPECT_EQ(held_out.rows(), 4);
  EXPECT_GT(held_out.maxCoeff(), held_out.minCoeff());
  EXPECT_EQ(validated.state().validation_nll[0], held_out.minCoeff());
  options.validation_fraction = 0;
  options.regularization = {0};
  const Mdn all = Mdn::fit(branches(80, 1), options);
  EXPECT_EQ(all.state().train_nll[0], all.report().details.at("train_nll_of_starts").as_matrix().minCoeff());
}

TEST(Mdn, EarlyStoppingHelpsWhereThereIsMuchToOverfit) {
  const Dataset data = branches(60, 6, 0.5);
  const Dataset test = branches(1000, 6, 0.5, 9);
  MdnOptions options;
  options.n_members = 1;
  options.regularization = {0};
  const double stopped = mean_nll(Mdn::fit(data, options), test);
  options.validation_fraction = 0;
  EXPECT_LT(stopped, mean_nll(Mdn::fit(data, options), test) - 0.5);
}

TEST(Mdn, CandidatesAreComparedOnHeldOutRows) {
  MdnOptions options = small();
  options.n_components = {1, 2};
  options.units = {2, 4};
  options.regularization = {0.001, 0.1};
  options.cv = {3};
  const Mdn model = Mdn::fit(branches(100, 1), options);
  const Document& table = model.report().details.at("candidates");
  const Vector score = table.at("score").as_vector();
  ASSERT_EQ(score.size(), 8);
  Index best = 0;
  score.minCoeff(&best);
  EXPECT_EQ(static_cast<double>(model.state().n_components), table.at("n_components").as_vector()[best]);
  EXPECT_EQ(static_cast<double>(model.state().units), table.at("units").as_vector()[best]);
  EXPECT_EQ(model.state().regularization, table.at("regularization").as_vector()[best]);
  EXPECT_EQ(model.state().n_components, 2);  // two branches
  EXPECT_GT(table.at("standard_error").as_vector().minCoeff(), 0);
}

TEST(Mdn, AdamLearnsTheSame) {
  const Dataset data = branches(600, 1);
  MdnOptions options;
  options.n_members = 1;
  options.adam_rows = 500;
  options.adam_passes = 60;
  options.batch_size = 32;
  options.learning_rate = 0.01;
  const Mdn model = Mdn::fit(data, options, {.threads = 1, .observer = {}});
  EXPECT_EQ(model.report().details.at("optimizer").as_string(), "adam");
  const double least = std::log(2.0) + 0.5 * std::log(2 * std::numbers::pi * std::numbers::e) + std::log(0.2);
  EXPECT_LT(mean_nll(model, branches(2000, 1, 0.2, 9)), least + 0.25);
  for (const int threads : {2, 7}) {
    EXPECT_EQ(Mdn::fit(data, options, {.threads = threads, .observer = {}}).state().parameters,
              model.state().parameters);
  }
}

TEST(Mdn, ThreadsDoNotChangeOneBit) {
  MdnOptions options = small();
  options.units = {2, 3};
  options.cv = {2};
  options.n_starts = 2;
  options.max_iterations = 15;
  const Dataset data = branches(2500, 1);  // three groups of blocks, for threads within a network
  const Mdn model = Mdn::fit(data, options, {.threads = 1, .observer = {}});
  for (const int threads : {2, 7}) {
    EXPECT_TRUE(Mdn::fit(data, options, {.threads = threads, .observer = {}}).to_document() == model.to_document());
  }
}

TEST(Mdn, AWeightIsThatManyCopiesAndZeroIsAbsence) {
  Dataset weighted = branches(40, 1);
  weighted.weights = Vector::Ones(40);
  weighted.weights[3] = 3;
  weighted.weights[7] = 0;
  std::vector<Index> rows;
  for (Index i = 40; i-- > 0;) {  // in another order
    for (Index r = 0; r < static_cast<Index>(weighted.weights[i]); ++r) rows.push_back(i);
  }
  Dataset copies = weighted.subset(rows);
  copies.weights.resize(0);
  const Dataset test = branches(30, 1, 0.2, 9);
  EXPECT_LT(
      (Mdn::fit(weighted, small()).log_density(test.x, test.y) - Mdn::fit(copies, small()).log_density(test.x, test.y))
          .cwiseAbs()
          .maxCoeff(),
      1e-9);
}

TEST(Mdn, WithoutInputsItIsAMixture) {
  const Mdn model = Mdn::fit(branches(200, 0), small());
  const GaussianMixture law = model.predict(Matrix(0, 1))[0];
  EXPECT_EQ(law.modes().cols(), 2);
  EXPECT_NEAR(law.cdf(0.0), 0.5, 0.15);
}

TEST(Mdn, ConstantInputsPlayNoPart) {
  Dataset data = branches(50, 2);
  Matrix x = data.x;
  x.row(1).setConstant(7.0);
  data.x = x;
  const Mdn model = Mdn::fit(data, small());
  EXPECT_TRUE(warns(model, "input 2 is constant"));
  EXPECT_EQ(model.log_density(Vector{{0.5, 7.0}}, Vector{{0.3}}),
            model.log_density(Vector{{0.5, -1e9}}, Vector{{0.3}}));
}

TEST(Mdn, TiedTargetsEndOnTheFloorAndItSaysSo) {
  Dataset data = branches(100, 1);
  data.y = data.y.array().round().matrix();
  MdnOptions options = small();
  options.n_components = {5};
  options.max_iterations = 300;
  options.validation_fraction = 0;
  options.regularization = {0};
  const Mdn model = Mdn::fit(data, options);
  EXPECT_TRUE(warns(model, "floor of their standard deviation"));
  EXPECT_GT(model.report().details.at("share_on_scale_floor").as_number(), 0.01);
  const GaussianMixtures laws = model.predict(data.x);
  const double spread = Standardizer::fit(data.y, Vector()).scale()[0];
  EXPECT_GE(laws.components().scales.minCoeff(), 0.03 * spread * (1 - 1e-12));
}

TEST(Mdn, SaysWhenThereAreFewerRowsThanNumbersToLearn) {
  EXPECT_FALSE(warns(Mdn::fit(branches(20, 1), small()), "different rows"));  // held back
  MdnOptions free = small();
  free.validation_fraction = 0;
  free.regularization = {0};
  EXPECT_TRUE(warns(Mdn::fit(branches(20, 1), free), "from 20 different rows"));
  EXPECT_FALSE(warns(Mdn::fit(branches(200, 1), free), "different rows"));
}

TEST(Mdn, TwoRowsOutliersAndRowsWithoutSpreadInX) {
  const Dataset two{.x = Matrix{{0.0, 1.0}}, .y = Matrix{{0.0, 1.0}}};
  EXPECT_TRUE(Mdn::fit(two).log_density(two.x, two.y).allFinite());
  Dataset outliers = branches(60, 2);
  Matrix x = outliers.x;
  Matrix y = outliers.y;
  x(0, 5) = 1e8;
  y(0, 9) = -1e8;
  outliers = {.x = x, .y = y};
  EXPECT_TRUE(Mdn::fit(outliers).log_density(x, y).allFinite());
  MdnOptions paper = MdnOptions::paper();
  paper.units = {5};
  EXPECT_TRUE(Mdn::fit(outliers, paper).log_density(x, y).allFinite());
  const Dataset same{.x = Matrix::Ones(1, 30), .y = branches(30, 0).y};
  EXPECT_TRUE(Mdn::fit(same, small()).log_density(same.x, same.y).allFinite());
  EXPECT_NE(complaint([] { Mdn::fit({.x = Matrix{{0.0}}, .y = Matrix{{3.0}}}); }).find("target 1 is constant"),
            std::string::npos);
}

TEST(Mdn, BeyondTheDataInputsStayAtTheEdge) {
  const Dataset data = branches(60, 1);
  const Mdn model = Mdn::fit(data, small());
  const double low = data.x.minCoeff();
  const double high = data.x.maxCoeff();
  const double edge = high + 0.25 * (high - low);
  const Vector y{{0.4}};
  EXPECT_NEAR(model.log_density(Vector{{edge + 1e-9}}, y)[0], model.log_density(Vector{{1e30}}, y)[0], 1e-12);
  EXPECT_GT(std::abs(model.log_density(Vector{{edge - 1.0}}, y)[0] - model.log_density(Vector{{1e30}}, y)[0]), 1e-9);
}

TEST(Mdn, PaperPresetIsOneLayerOfAChosenWidthWithoutDecay) {
  MdnOptions options = MdnOptions::paper();
  options.max_iterations = 20;
  const Mdn model = Mdn::fit(branches(60, 1), options);
  EXPECT_EQ(model.n_members(), 1);
  EXPECT_EQ(model.state().n_components, 3);
  EXPECT_EQ(model.state().regularization, 0);
  EXPECT_EQ(model.shape().layers, 1);
  EXPECT_EQ(model.report().details.at("candidates").at("units").as_vector(), (Vector{{5, 10, 20}}));
  EXPECT_EQ(model.n_parameters(), (1 + 1) * model.state().units + (model.state().units + 1) * 9);
}

TEST(Mdn, GivenFoldsAreTheRows) {
  MdnOptions options = small();
  options.regularization = {0.01, 1};
  options.max_iterations = 10;
  for (int i = 0; i < 40; ++i) options.cv.push_back(i % 2);
  options.cv.erase(options.cv.begin());
  EXPECT_EQ(Mdn::fit(branches(40, 1), options).report().details.at("candidates").at("score").as_vector().size(), 2);
  EXPECT_NE(complaint([&] { Mdn::fit(branches(30, 1), options); }), "");
}

TEST(Mdn, OfMoreFoldsThanRowsEachRowIsOne) {
  MdnOptions options = small();
  options.regularization = {0.01, 1.0};
  options.max_iterations = 10;
  options.cv = {50};
  const Mdn many = Mdn::fit(branches(7, 1), options);
  options.cv = {7};
  EXPECT_EQ(many.report().details.at("candidates"),
            Mdn::fit(branches(7, 1), options).report().details.at("candidates"));
}

TEST(Mdn, ItsSizeFollowsTheRowsWhereNoneIsGiven) {
  MdnOptions automatic;
  automatic.n_members = 1;
  automatic.adam_passes = 2;
  automatic.max_iterations = 2;
  automatic.adam_rows = 100;
  // Few rows: two layers of 15 units and three Gaussians; four times adam_rows: three of 64 and five; twenty times: of
  // 128.
  MdnOptions few = automatic;
  few.n_components = {3};
  few.units = {15};
  few.regularization = {0.01};
  few.layers = 2;
  few.scale_floor = 0.03;
  few.input_scores = MdnScores::none;
  MdnOptions many = automatic;
  many.n_components = {5};
  many.units = {64};
  many.regularization = {0.0025};
  many.layers = 3;
  many.scale_floor = 0.015;
  many.input_scores = MdnScores::normal;
  MdnOptions very_many = many;
  very_many.units = {128};
  very_many.regularization = {0.01 * (100.0 / 2000.0)};
  very_many.scale_floor = 0.03 * std::sqrt(100.0 / 2000.0);
  for (const auto& [rows, same] : {std::pair{Index{100}, few}, {Index{400}, many}, {Index{2000}, very_many}}) {
    const Dataset data = branches(rows, 1);
    const Mdn found = Mdn::fit(data, automatic);
    const Mdn expected = Mdn::fit(data, same);
    EXPECT_EQ(found.state().parameters, expected.state().parameters) << rows;
    EXPECT_EQ(found.log_density(data.x, data.y), expected.log_density(data.x, data.y)) << rows;
    // The number of layers is read from the number of parameters.
    const Mdn loaded = Mdn::from_document(found.to_document());
    EXPECT_EQ(loaded.shape().layers, same.layers);
    EXPECT_EQ(loaded.log_density(data.x, data.y), found.log_density(data.x, data.y));
  }
}

TEST(Mdn, BadOptionsAreNamed) {
  const Dataset data = branches(30, 1);
  const auto with = [&](auto MdnOptions::*member, auto value) {
    MdnOptions options = small();
    options.*member = value;
    return complaint([&] { Mdn::fit(data, options); });
  };
  EXPECT_EQ(
      with(&MdnOptions::units, std::vector<double>{64, 64}),
      "MixtureDensityNetwork: units has 64 twice, expected candidates that differ, of which one is chosen; several "
      "layers of 64 units are units = 64 with the option layers");
  EXPECT_EQ(with(&MdnOptions::n_components, std::vector<double>{2.5}),
            "MixtureDensityNetwork: n_components = 2.5, expected a list of whole numbers, each in [1, 1000]");
  EXPECT_EQ(with(&MdnOptions::cv, std::vector<double>{}),
            "MixtureDensityNetwork: cv is empty, expected a number of folds or the fold of every row");
  EXPECT_NE(with(&MdnOptions::scale_floor, -1.0).find("scale_floor"), std::string::npos);
  EXPECT_NE(with(&MdnOptions::validation_fraction, 1.0).find("validation_fraction"), std::string::npos);
}

TEST(Mdn, TrainingCanBeCancelled) {
  MdnOptions options;
  options.max_iterations = 100000;
  options.patience = 100000;
  const condens::Run run{.threads = 2, .observer = [](std::string_view task, double fraction) {
                           EXPECT_EQ(task, "training networks");
                           EXPECT_GE(fraction, 0.0);
                           EXPECT_LE(fraction, 1.0);
                           return false;
                         }};
  EXPECT_THROW(Mdn::fit(branches(200, 1), options, run), Cancelled);
}

TEST(Mdn, AFileThatDoesNotFitTogetherIsRefused) {
  Document document = Mdn::fit(branches(30, 1), small()).to_document();
  EXPECT_NO_THROW(Mdn::from_document(document));
  for (const auto& [key, value] : {std::pair<std::string, Document>{"units", 5},
                                   {"units", std::int64_t{1} << 62},
                                   {"n_components", 0},
                                   {"scale_floor", 0.0},
                                   {"x_low", Vector(Vector::Zero(2))}}) {
    Document broken = document;
    broken.set(key, value);
    EXPECT_THROW(Mdn::from_document(broken), FormatError) << key;
  }
  MdnOptions scored = small();
  scored.input_scores = MdnScores::normal;
  document = Mdn::fit(branches(30, 1), scored).to_document();
  EXPECT_NO_THROW(Mdn::from_document(document));
  for (const auto& [key, value] : {std::pair<std::string, Document>{"score_inputs", Vector(Vector::Ones(1))},
                                   {"score_inputs", Vector(Vector::Constant(1, -1.0))},
                                   {"score_inputs", Vector(Vector::Constant(1, 0.5))},
                                   {"score_inputs", Vector(0)},
                                   {"score_knots", Matrix(0, 1)},
                                   {"score_values", Matrix(Matrix::Zero(3, 1))}}) {
    Document broken = document;
    broken.set(key, value);
    EXPECT_THROW(Mdn::from_document(broken), FormatError) << key;
  }
}

TEST(Mdn, ScoresAreNormalQuantilesOfTheRanks) {
  // Input 0: three values, the middle one twice; input 1: two values, which a score would only shift and scale.
  Matrix x(2, 4);
  x << 5, 1, 1, -2, 0, 1, 0, 1;
  const mdn::InputScores scores = mdn::InputScores::fit(x, Vector::Ones(4));
  ASSERT_EQ(scores.inputs, Vector(Vector::Zero(1)));
  Matrix at(2, 5);
  at << -9, -2, 1, 3, 9, 0, 0, 0, 0, 0;
  const Matrix out = scores.append(at);
  EXPECT_EQ(out.topRows(2), at);
  const double outer = 1.1503493803760079;  // the normal quantile of 7/8
  const Vector expected{{-outer, -outer, 0, 0.5 * outer, outer}};
  EXPECT_LT((out.row(2).transpose() - expected).cwiseAbs().maxCoeff(), 1e-12);
}

TEST(Mdn, ScoresOfManyValuesAreNearThoseOfEveryRank) {
  RandomStream random(3);
  const Index n = 5000;
  Matrix x(1, n);
  for (Index i = 0; i < n; ++i) x(0, i) = std::exp(2 * random.normal());
  const mdn::InputScores scores = mdn::InputScores::fit(x, Vector::Ones(n));
  EXPECT_EQ(scores.knots.rows(), 64);
  const Matrix out = scores.append(x);
  std::vector<std::pair<double, double>> pairs;
  for (Index i = 0; i < n; ++i) pairs.emplace_back(x(0, i), out(1, i));
  std::sort(pairs.begin(), pairs.end());
  for (Index i = 0; i < n; ++i) {
    const double rank = (static_cast<double>(i) + 0.5) / static_cast<double>(n);
    const double level = 0.5 * std::erfc(-pairs[static_cast<std::size_t>(i)].second / std::numbers::sqrt2);
    EXPECT_NEAR(level, rank, 1.0 / 64);
  }
  const auto by_score = [](const auto& a, const auto& b) { return a.second < b.second; };
  EXPECT_TRUE(std::is_sorted(pairs.begin(), pairs.end(), by_score));
}

TEST(Mdn, WithScoresAWeightIsThatManyCopies) {
  Dataset weighted = branches(40, 2);
  weighted.weights = Vector::Ones(40);
  weighted.weights[3] = 3;
  std::vector<Index> rows = {3, 3};
  for (Index i = 0; i < 40; ++i) rows.push_back(i);
  const Matrix copies = weighted.x(Eigen::all, rows);
  const auto of_weights = mdn::InputScores::fit(weighted.x, weighted.weights);
  const auto of_copies = mdn::InputScores::fit(copies, Vector::Ones(42));
  EXPECT_EQ(of_weights.knots, of_copies.knots);
  EXPECT_LT((of_weights.values - of_copies.values).cwiseAbs().maxCoeff(), 1e-12);
}

}  // namespace
}  // namespace condens::mdn_test
