// The Nadaraya-Watson density against plain loops (support/plain_nw.hpp), and what its
// search for widths finds.

#include "condens/estimators/nadaraya_watson.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "condens/core/errors.hpp"
#include "condens/core/random.hpp"
#include "condens/estimators/nadaraya_watson/leave_one_out.hpp"
#include "support/complaint.hpp"
#include "support/normals.hpp"
#include "support/plain_nw.hpp"

namespace condens::nadaraya_watson_test {
namespace {

/// y has two branches over the first input; the others are irrelevant.
Dataset two_branches(Index n, Index d_x, std::uint64_t seed = 1) {
  RandomStream random(seed);
  Matrix x = normals(d_x, n, random);
  Matrix y(1, n);
  for (Index i = 0; i < n; ++i) {
    const double branch = random.uniform() < 0.5 ? -1.0 : 1.0;
    y(0, i) = branch + (d_x > 0 ? std::sin(2 * x(0, i)) : 0.0) + 0.2 * random.normal();
  }
  return {.x = x, .y = y};
}

NadarayaWatsonOptions closed_form(const Matrix& centers) {
  NadarayaWatsonOptions options = NadarayaWatsonOptions::paper();
  options.standardize = false;
  options.centers = centers;
  options.bandwidth = {0.7};
  return options;
}

double detail(const ConditionalDensity& model, std::string_view name) {
  return model.report().details.at(name).as_number();
}

TEST(NadarayaWatson, EqualsThePapersFormula) {
  // Equation 25 with one sigma for x and y, on the numbers handed in.
  for (const Index d_x : {0, 1, 3}) {
    const Dataset data = two_branches(30, d_x);
    Matrix centers(d_x + 1, 12);
    centers << data.x.leftCols(12), data.y.leftCols(12);
    const NadarayaWatson model = NadarayaWatson::fit(data, closed_form(centers));
    const Dataset test = two_branches(20, d_x, 2);
    const Vector found = model.log_density(test.x, test.y);
    for (Index i = 0; i < 20; ++i) {
      const double expected =
          plain::nw_log_density(data.x.leftCols(12), data.y.leftCols(12), Vector::Ones(12),
                                Matrix::Identity(d_x, d_x) / 0.7, 0.7, test.x.col(i), test.y.col(i));
      EXPECT_NEAR(found[i], expected, 1e-12 * (1 + std::abs(expected)));
    }
  }
}

TEST(NadarayaWatson, OneCenterIsOneGaussian) {
  const Dataset data = two_branches(30, 1);
  NadarayaWatsonOptions options = closed_form(Matrix{{0.2}, {0.5}});
  const GaussianMixture law = NadarayaWatson::fit(data, options).predict(Matrix::Constant(1, 1, 3.0))[0];
  EXPECT_NEAR(law.mean()[0], 0.5, 1e-14);
  EXPECT_NEAR(law.variance()[0], 0.49, 1e-14);
}

TEST(NadarayaWatson, GivenWidthsPerInputAreUsedOnTheStandardisedScale) {
  const Dataset data = two_branches(40, 2);
  NadarayaWatsonOptions options;
  options.metric = NwMetricChoice::diagonal;
  options.bandwidth = {0.4, 2.0};
  options.bandwidth_y = {0.3};
  options.defensive_weight = 0;
  const NadarayaWatson model = NadarayaWatson::fit(data, options);
  EXPECT_EQ(model.bandwidths(), (Vector{{0.4, 2.0}}));
  const Standardizer sx = Standardizer::fit(data.x, Vector());
  const Standardizer sy = Standardizer::fit(data.y, Vector());
  const Vector x{{0.3, -0.8}};
  const Vector y{{0.7}};
  const Matrix t = Vector{{1 / 0.4, 1 / 2.0}}.asDiagonal();
  const double expected = plain::nw_log_density(sx.transform(data.x), sy.transform(data.y), Vector::Ones(40), t, 0.3,
                                                sx.transform(x), sy.transform(y)) -
                          std::log(sy.scale()[0]);
  EXPECT_NEAR(model.log_density(x, y)[0], expected, 1e-12);
  // 1 / h as shares: 2.5 and 0.5.
  EXPECT_NEAR(model.feature_importances()[0], 2.5 / 3, 1e-12);
}

TEST(NadarayaWatson, PaperTakesTheBestOfItsGridByLeaveOneOut) {
  const Dataset data = two_branches(60, 2);
  NadarayaWatsonOptions options = NadarayaWatsonOptions::paper();
  EXPECT_EQ(options.bandwidth.size(), 20U);
  EXPECT_DOUBLE_EQ(options.bandwidth.back(), 2.0);
  const NadarayaWatson model = NadarayaWatson::fit(data, options);
  const Matrix x = Standardizer::fit(data.x, Vector()).transform(data.x);
  const Matrix y = Standardizer::fit(data.y, Vector()).transform(data.y);
  const Document& candidates = model.report().details.at("candidates");
  const Vector score = candidates.at("score").as_vector();
  double best = std::numeric_limits<double>::infinity();
  double width = 0;
  for (std::size_t c = 0; c < options.bandwidth.size(); ++c) {
    const double sigma = options.bandwidth[c];
    double plain = 0;
    for (Index i = 0; i < 60; ++i) {
      plain -=
          plain::nw_log_density(x, y, Vector::Ones(60), Matrix::Identity(2, 2) / sigma, sigma, x.col(i), y.col(i), i);
    }
    plain /= 60;
    if (std::isfinite(plain)) {
      EXPECT_NEAR(score[static_cast<Index>(c)], plain, 1e-10 * std::abs(plain)) << sigma;
    }
    if (plain < best) {
      best = plain;
      width = sigma;
    }
  }
  EXPECT_EQ(model.bandwidths(), Vector::Constant(2, width));
  EXPECT_EQ(model.state().bandwidth_y, width);
  EXPECT_NEAR(detail(model, "score"), best, 1e-12);
}

TEST(NadarayaWatson, PaperUsesAHundredRandomRowsAndNothingElse) {
  const Dataset data = two_branches(250, 1);
  const NadarayaWatson model = NadarayaWatson::fit(data, NadarayaWatsonOptions::paper());
  EXPECT_EQ(model.state().centers_x.cols(), 100);
  EXPECT_EQ(detail(model, "n_rows_compared"), 100);
  NadarayaWatsonOptions other = NadarayaWatsonOptions::paper();
  other.seed = 1;
  EXPECT_NE(NadarayaWatson::fit(data, other).state().centers_x, model.state().centers_x);
}

TEST(NadarayaWatson, LearnedWidthsAreAStationaryPoint) {
  const Dataset data = two_branches(150, 3);
  for (const NwMetricChoice metric : {NwMetricChoice::isotropic, NwMetricChoice::diagonal, NwMetricChoice::full}) {
    NadarayaWatsonOptions options;
    options.metric = metric;
    options.standardize = false;
    const NadarayaWatson model = NadarayaWatson::fit(data, options);
    const Document& certificate = model.report().details.at("certificate");
    EXPECT_EQ(certificate.at("search").as_string(), "converged");
    EXPECT_LE(certificate.at("projected_gradient").as_number(), 1e-5);
    const NwLeaveOneOut likelihood(data.x, data.y, Vector(), Defensive::fit(1e-3, data));
    const bool full = metric == NwMetricChoice::full;
    const NwLikelihood found = full ? likelihood.of_matrix(model.metric_matrix(), model.state().bandwidth_y)
                                    : likelihood.of_widths(model.bandwidths(), model.state().bandwidth_y);
    EXPECT_NEAR(-found.value, detail(model, "score"), 1e-12);
    EXPECT_LE(std::abs(found.gradient_y), 1e-5);
    if (metric == NwMetricChoice::isotropic) {
      EXPECT_LE(std::abs(found.gradient.sum()), 1e-5);
    }
    if (full) {
      EXPECT_LE(found.gradient.cwiseAbs().maxCoeff(), 2e-5);
    }  // on the scale of standard deviations: 1e-5
  }
}

TEST(NadarayaWatson, LearnedWidthsTellRelevantInputsFromIrrelevantOnes) {
  const Dataset data = two_branches(300, 4);
  const NadarayaWatson model = NadarayaWatson::fit(data);
  EXPECT_GT(model.bandwidths()[0], 0.02);
  EXPECT_LT(model.bandwidths()[0], 0.4);
  EXPECT_NEAR(model.feature_importances().sum(), 1.0, 1e-14);
  EXPECT_GT(model.feature_importances()[0], 0.6);
  EXPECT_GT(detail(model, "gain_of_diagonal"), 5 * detail(model, "gain_of_diagonal_standard_error"));
  for (Index k = 0; k < 4; ++k) {
    if (model.bandwidths()[k] >= 20.0 * (1 - 1e-12)) {
      EXPECT_EQ(model.feature_importances()[k], 0.0);
    }
  }
  // More freedom, a higher likelihood.
  NadarayaWatsonOptions options;
  options.metric = NwMetricChoice::isotropic;
  const NadarayaWatson one_width = NadarayaWatson::fit(data, options);
  EXPECT_GT(detail(one_width, "score"), detail(model, "score") + 0.3);
  EXPECT_EQ(one_width.bandwidths(), Vector(Vector::Constant(4, one_width.bandwidths()[0])));
  const Dataset test = two_branches(1000, 4, 2);
  EXPECT_GT(model.log_density(test.x, test.y).mean(), one_width.log_density(test.x, test.y).mean() + 0.3);
}

TEST(NadarayaWatson, AFullMatrixFindsADirection) {
  // y depends on x_1 + x_2 only: distances along x_1 - x_2 should not count.
  RandomStream random(3);
  const Matrix x = normals(2, 300, random);
  const Matrix y = (2 * (x.row(0) + x.row(1)).array()).sin().matrix() + 0.2 * normals(1, 300, random);
  NadarayaWatsonOptions options;
  options.standardize = false;
  options.metric = NwMetricChoice::full;
  const Dataset data{.x = x, .y = y};
  const NadarayaWatson full = NadarayaWatson::fit(data, options);
  const double along = (full.metric_matrix() * Vector{{1, 1}}).norm();
  const double across = (full.metric_matrix() * Vector{{1, -1}}).norm();
  EXPECT_GT(along, 10 * across);
  options.metric = NwMetricChoice::diagonal;
  EXPECT_LT(detail(full, "score"), detail(NadarayaWatson::fit(data, options), "score") - 0.1);
}

TEST(NadarayaWatson, WithoutGainOneWidthServesAllInputs) {
  RandomStream random(4);
  const Matrix x = normals(6, 40, random);
  const Dataset data{.x = x, .y = Matrix(x.colwise().sum() + normals(1, 40, random))};
  const NadarayaWatson model = NadarayaWatson::fit(data);
  EXPECT_LE(detail(model, "gain_of_diagonal"), detail(model, "gain_of_diagonal_standard_error"));
  EXPECT_EQ(model.bandwidths(), Vector(Vector::Constant(6, model.bandwidths()[0])));
}

TEST(NadarayaWatson, IndicatorsOfOneInputShareAWidth) {
  Dataset data = two_branches(120, 3);
  data.groups = {0, 1, 1};
  NadarayaWatsonOptions options;
  options.metric = NwMetricChoice::diagonal;
  const Vector widths = NadarayaWatson::fit(data, options).bandwidths();
  EXPECT_DOUBLE_EQ(widths[1], widths[2]);  // on the scale of x, in units of each spread
  EXPECT_NE(widths[0], widths[1]);
}

TEST(NadarayaWatson, WeightsEqualRepeatedRows) {
  const Dataset data = two_branches(60, 2);
  Dataset weighted = data;
  weighted.weights = Vector::Ones(60);
  weighted.weights[3] = 2;
  weighted.weights[7] = 3;
  weighted.weights[9] = 0;
  std::vector<Index> rows;
  for (Index i = 0; i < 60; ++i) {
    if (i != 9) rows.push_back(i);
  }
  for (const Index i : {3, 7, 7}) rows.push_back(i);
  const Dataset test = two_branches(50, 2, 2);
  for (const NwMetricChoice metric : {NwMetricChoice::automatic, NwMetricChoice::diagonal}) {
    NadarayaWatsonOptions options;
    options.metric = metric;
    const Vector by_weight = NadarayaWatson::fit(weighted, options).log_density(test.x, test.y);
    const Vector by_copies = NadarayaWatson::fit(data.subset(rows), options).log_density(test.x, test.y);
    // The same search from the same likelihood, but for rounding.
    EXPECT_LE((by_weight - by_copies).cwiseAbs().maxCoeff(), 1e-7);
  }
}

TEST(NadarayaWatson, CopiesDoNotNarrowTheWidths) {
  // Every row twice: literally, each row predicts its copy, and the width in y vanishes.
  const Dataset data = two_branches(50, 1);
  std::vector<Index> twice;
  for (Index i = 0; i < 50; ++i) twice.insert(twice.end(), {i, i});
  const NadarayaWatson once = NadarayaWatson::fit(data);
  // Standard deviations of 100 rows differ from those of 50 by the divisor n - 1.
  const NadarayaWatson doubled = NadarayaWatson::fit(data.subset(twice));
  EXPECT_NEAR(doubled.state().bandwidth_y, once.state().bandwidth_y, 0.02 * once.state().bandwidth_y);
  NadarayaWatsonOptions literally;
  literally.merge_copies = false;
  const NadarayaWatson collapsed = NadarayaWatson::fit(data.subset(twice), literally);
  EXPECT_NEAR(collapsed.state().bandwidth_y, literally.bandwidth_y_floor, 1e-12);
  ASSERT_EQ(collapsed.report().warnings.size(), 1U);
  EXPECT_EQ(collapsed.report().warnings[0],
            "the learned bandwidth_y stands at its floor, 0.01 standard deviations of y; with ties in y the log score "
            "says little");
}

TEST(NadarayaWatson, TiesInYStopAtTheFloor) {
  Dataset data = two_branches(120, 1);
  data.y = Matrix(data.y.array().round());
  NadarayaWatsonOptions options;
  options.bandwidth_y_floor = 0.2;
  EXPECT_NEAR(NadarayaWatson::fit(data, options).state().bandwidth_y, 0.2, 1e-12);
}

TEST(NadarayaWatson, ConstantInputsPlayNoPart) {
  Dataset data = two_branches(100, 2);
  Matrix x = data.x;
  x.row(1).setConstant(0.1);
  data.x = std::move(x);
  for (const bool standardize : {true, false}) {
    NadarayaWatsonOptions options;
    options.metric = NwMetricChoice::diagonal;
    options.standardize = standardize;
    const NadarayaWatson model = NadarayaWatson::fit(data, options);
    EXPECT_EQ(model.feature_importances(), (Vector{{1, 0}}));
    EXPECT_EQ(model.report().warnings.size(), standardize ? 1U : 0U);
  }
}

TEST(NadarayaWatson, MoreStartsAreNoWorse) {
  const Dataset data = two_branches(60, 4);
  NadarayaWatsonOptions options;
  options.metric = NwMetricChoice::diagonal;
  const double one = detail(NadarayaWatson::fit(data, options), "score");
  options.starts = 5;
  EXPECT_LE(detail(NadarayaWatson::fit(data, options), "score"), one);
}

TEST(NadarayaWatson, ASubsetOfManyRowsLearnsTheWidths) {
  const Dataset data = two_branches(400, 2);
  NadarayaWatsonOptions options;
  options.metric_rows = 150;
  const NadarayaWatson model = NadarayaWatson::fit(data, options);
  EXPECT_EQ(detail(model, "n_rows_compared"), 150);
  EXPECT_EQ(model.state().centers_x.cols(), 400);
}

TEST(NadarayaWatson, WithoutInputsItIsAParzenWindow) {
  const Dataset data = two_branches(80, 0);
  const NadarayaWatson model = NadarayaWatson::fit(data);
  const double s = Standardizer::fit(data.y, Vector()).scale()[0];
  const NwLikelihood found = NwLeaveOneOut(Matrix(0, 80), data.y, Vector(), Defensive::fit(1e-3, data))
                                 .of_widths(Vector(0), model.state().bandwidth_y * s);
  EXPECT_LE(std::abs(found.gradient_y), 2e-5);
}

TEST(NadarayaWatson, ObserverSeesProgressAndCancels) {
  const Dataset data = two_branches(3000, 3);
  std::vector<double> seen;
  const condens::Run run{.threads = 2, .observer = [&](std::string_view, double fraction) {
                           seen.push_back(fraction);
                           return seen.size() < 3;
                         }};
  EXPECT_THROW(NadarayaWatson::fit(data, {}, run), Cancelled);
  ASSERT_EQ(seen.size(), 3U);
  EXPECT_LE(seen[0], seen[1]);
  EXPECT_LE(seen[2], 1.0);
}

TEST(NadarayaWatson, RefusesDocumentsThatDoNotFitTogether) {
  const Document good = NadarayaWatson::fit(two_branches(20, 2), closed_form({})).to_document();
  EXPECT_NO_THROW(NadarayaWatson::from_document(good));
  const auto refuses = [&](std::string_view name, const Document& value) {
    Document bad = good;
    bad.set(name, value);
    EXPECT_THROW(NadarayaWatson::from_document(bad), FormatError) << name;
  };
  refuses("bandwidth_y", 0.0);
  refuses("weights", Vector(Vector::Zero(20)));
  refuses("centers_x", Matrix(Matrix::Zero(2, 3)));
  refuses("metric", NwMetric{.widths = Vector::Ones(3), .importances = Vector::Ones(3)}.to_document());
  refuses("metric", NwMetric{.widths = Vector{{1, -1}}, .importances = Vector::Ones(2)}.to_document());
}

struct BadCall {
  std::string_view what;
  std::function<void(Dataset&, NadarayaWatsonOptions&)> spoil;
  std::string_view words;
};

TEST(NadarayaWatson, SaysWhatIsWrong) {
  using O = NadarayaWatsonOptions;
  const std::vector<BadCall> calls = {
      {"constant target", [](Dataset& d, O&) { d.y = Matrix::Constant(1, 50, 2.0); },
       "NadarayaWatson: target 1 is constant (2 in every row)"},
      {"NaN", [](Dataset& d, O&) { d.x = Matrix::Constant(2, 50, std::nan("")); }, "NaN"},
      {"three widths",
       [](Dataset&, O& o) {
         o.metric = NwMetricChoice::diagonal;
         o.bandwidth = {1, 2, 3};
       },
       "bandwidth has 3 numbers, expected none (learned), one, or one for each of the 2 inputs"},
      {"width of a full metric",
       [](Dataset&, O& o) {
         o.metric = NwMetricChoice::full;
         o.bandwidth = {1};
       },
       "bandwidth has 1 numbers, expected none: a full metric is learned"},
      {"common width of nothing", [](Dataset&, O& o) { o.common_bandwidth = true; },
       "common_bandwidth = true, expected with one width in x, bandwidth given and bandwidth_y not"},
      {"candidates without bandwidth_y",
       [](Dataset&, O& o) {
         o.bandwidth = {1, 2};
       },
       "bandwidth has 2 candidates and bandwidth_y none; expected bandwidth_y or common_bandwidth, too"},
      {"candidates of bandwidth_y alone",
       [](Dataset&, O& o) {
         o.bandwidth_y = {1, 2};
       },
       "bandwidth_y has 2 candidates, expected at most one where bandwidth is learned"},
      {"negative bandwidth", [](Dataset&, O& o) { o.bandwidth = {-1}; }, "bandwidth = -1"},
      {"no floor", [](Dataset&, O& o) { o.bandwidth_y_floor = 0; }, "bandwidth_y_floor = 0"},
      {"one center for a search", [](Dataset&, O& o) { o.n_centers = 1; },
       "leave-one-out likelihood: 1 rows, expected at least two"},
      {"centers of another dimension", [](Dataset&, O& o) { o.centers = Matrix::Zero(2, 4); },
       "centers have 2 numbers each, expected 3"},
      {"defensive weight 1", [](Dataset&, O& o) { o.defensive_weight = 1; }, "in [0, 1)"},
  };
  for (const BadCall& call : calls) {
    Dataset data = two_branches(50, 2);
    NadarayaWatsonOptions options;
    call.spoil(data, options);
    const std::string found = complaint([&] { NadarayaWatson::fit(data, options); });
    EXPECT_NE(found.find(call.words), std::string::npos) << call.what << ": " << found;
  }
}

}  // namespace
}  // namespace condens::nadaraya_watson_test
