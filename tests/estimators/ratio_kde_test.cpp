// Both readings of the ratio against two windows written as loops, what chooses the widths, and what is refused.

#include "condens/estimators/ratio_kde.hpp"

#include <gtest/gtest.h>

#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <cmath>

#include "condens/core/random.hpp"
#include "core/finite.hpp"
#include "support/complaint.hpp"
#include "support/normals.hpp"
#include "support/plain_parzen.hpp"

namespace condens::ratio_kde_test {
namespace {

/// A wave over the first input, another target beside it.
Dataset waves(Index n, Index d_x, Index d_y = 1, std::uint64_t seed = 1) {
  RandomStream random(seed);
  Matrix x = normals(d_x, n, random);
  Matrix y = 0.3 * normals(d_y, n, random);
  if (d_x > 0) y.row(0) += x.row(0).array().sin().matrix();
  return {.x = x, .y = y, .weights = Vector::LinSpaced(n, 0.5, 2.0)};
}

Matrix stacked(const Matrix& x, const Matrix& y) {
  Matrix z(x.rows() + y.rows(), y.cols());
  z.topRows(x.rows()) = x;
  z.bottomRows(y.rows()) = y;
  return z;
}

double detail(const RatioKde& model, std::string_view name) { return model.report().details.at(name).as_number(); }

/// Separate widths as they are given, data as they are.
RatioKdeOptions given(std::vector<double> numerator, std::vector<double> denominator) {
  RatioKdeOptions options = RatioKdeOptions::paper();
  options.shape = ParzenShapeChoice::diagonal;
  options.bandwidth = std::move(numerator);
  options.bandwidth_denominator = std::move(denominator);
  options.standardize = false;
  return options;
}

/// log p(x, y) / p(x), as section 3.4 has it.
double plain_log_ratio(const Dataset& data, const Vector& numerator, const Vector& denominator, const Vector& x,
                       const Vector& y) {
  return plain::parzen_log_density(stacked(data.x, data.y), data.weights, numerator, stacked(x, y).col(0)) -
         plain::parzen_log_density(data.x, data.weights, denominator, x);
}

TEST(RatioKde, EqualWidthsAreNadarayaWatsonWithAllSamples) {
  for (const auto& [d_x, d_y] : {std::pair{1, 1}, {2, 2}, {0, 1}}) {
    const Dataset data = waves(60, d_x, d_y);
    const Dataset test = waves(20, d_x, d_y, 2);
    const RatioKde model = RatioKde::fit(data);
    const NadarayaWatson same = NadarayaWatson::fit(data);
    EXPECT_EQ(model.log_density(test.x, test.y), same.log_density(test.x, test.y));
    EXPECT_EQ(model.bandwidths(), same.bandwidths());
    EXPECT_EQ(model.state().bandwidths_denominator, same.bandwidths());
    EXPECT_EQ(model.bandwidths_y(), Vector::Constant(d_y, same.state().bandwidth_y));
    EXPECT_EQ(detail(model, "score"), same.report().details.at("score").as_number());
    EXPECT_EQ(model.log_mass(test.x), Vector::Zero(20));
  }
}

TEST(RatioKde, SeparateWidthsAreTheNumeratorConditionedAndAMass) {
  for (const Index n : {30, 2100}) {  // few kernels, and so many that those out of reach are left out
    const Dataset data = waves(n, 2, 2);
    const Vector numerator{{0.4, 0.7, 0.2, 0.3}};
    const Vector denominator{{0.25, 0.5}};
    const RatioKde model = RatioKde::fit(data, given({0.4, 0.7, 0.2, 0.3}, {0.25, 0.5}));
    EXPECT_EQ(model.bandwidths(), numerator.head(2));
    EXPECT_EQ(model.bandwidths_y(), numerator.tail(2));
    EXPECT_EQ(model.state().bandwidths_denominator, denominator);
    const Dataset test = waves(10, 2, 2, 2);
    const Vector law = model.log_density(test.x, test.y);
    const Vector mass = model.log_mass(test.x);
    for (Index i = 0; i < 10; ++i) {
      const Vector x = test.x.col(i);
      const Vector y = test.y.col(i);
      EXPECT_NEAR(law[i], plain_log_ratio(data, numerator, numerator.head(2), x, y), 1e-9);
      EXPECT_NEAR(law[i] + mass[i], plain_log_ratio(data, numerator, denominator, x, y), 1e-9);
    }
  }
}

TEST(RatioKde, TheMassIsTheIntegralOfTheRatio) {
  const Dataset data = waves(25, 1);
  const RatioKde model = RatioKde::fit(data, given({0.6, 0.2}, {0.2}));
  for (const double at : {-1.0, 0.3, 2.5}) {
    const Vector x = Vector::Constant(1, at);
    const auto ratio = [&](double y) {
      return std::exp(plain_log_ratio(data, Vector{{0.6, 0.2}}, Vector{{0.2}}, x, Vector::Constant(1, y)));
    };
    const double mass = boost::math::quadrature::gauss_kronrod<double, 61>::integrate(ratio, -4.0, 4.0, 8, 1e-12);
    EXPECT_NEAR(std::exp(model.log_mass(x)[0]), mass, 1e-9 * mass);
    EXPECT_GT(std::abs(std::log(mass)), 0.01) << "the widths differ, and so the mass from one";
  }
}

TEST(RatioKde, ThePaperChoosesEachWidthByItsOwnLikelihood) {
  const Dataset data = waves(50, 2);
  RatioKdeOptions options = RatioKdeOptions::paper();
  options.standardize = false;
  const RatioKde model = RatioKde::fit(data, options);
  const auto best = [&](const Matrix& z) {
    double width = 0;
    double least = INFINITY;
    for (const double candidate : options.bandwidth) {
      const double score = plain::parzen_likelihood(z, data.weights, Vector::Constant(z.rows(), candidate));
      if (score < least) width = candidate;
      least = std::min(least, score);
    }
    return std::pair{width, least};
  };
  const auto [numerator, joint_score] = best(stacked(data.x, data.y));
  const auto [denominator, input_score] = best(data.x);
  EXPECT_EQ(model.bandwidths(), Vector::Constant(2, numerator));
  EXPECT_EQ(model.bandwidths_y(), Vector::Constant(1, numerator));
  EXPECT_EQ(model.state().bandwidths_denominator, Vector::Constant(2, denominator));
  const Document& details = model.report().details;
  EXPECT_NEAR(details.at("candidates").at("score").as_vector().minCoeff(), joint_score, 1e-12);
  EXPECT_NEAR(details.at("denominator").at("score").as_number(), input_score, 1e-12);
}

TEST(RatioKde, TheScoresLeaveARowOutOfBothDensities) {
  const Dataset data = waves(40, 2, 2);
  const Vector widths{{0.4, 0.7, 0.2, 0.3}};
  const RatioKde model = RatioKde::fit(data, given({0.4, 0.7, 0.2, 0.3}, {0.25}));
  Vector losses(40);
  Vector of_ratio(40);
  for (Index i = 0; i < 40; ++i) {
    const std::vector<bool> out = plain::left_out(i, 40, {});
    const Matrix z = stacked(data.x, data.y);
    losses[i] = plain::parzen_log_density(data.x, data.weights, widths.head(2), data.x.col(i), out) -
                plain::parzen_log_density(z, data.weights, widths, z.col(i), out);
    of_ratio[i] = plain::parzen_log_density(data.x, data.weights, Vector::Constant(2, 0.25), data.x.col(i), out) -
                  plain::parzen_log_density(z, data.weights, widths, z.col(i), out);
  }
  const Vector share = data.weights / data.weights.sum();
  const double mean = share.dot(losses);
  EXPECT_NEAR(detail(model, "score"), mean, 1e-10);
  const double error = std::sqrt((share.array() * (losses.array() - mean)).square().sum());
  EXPECT_NEAR(detail(model, "score_standard_error"), error, 1e-10);
  EXPECT_NEAR(detail(model, "ratio_score"), share.dot(of_ratio), 1e-10);
}

TEST(RatioKde, CandidatesOfEqualWidthsAreOfXAndYTogetherOrEach) {
  const Dataset data = waves(60, 1);
  RatioKdeOptions options{.shape = ParzenShapeChoice::isotropic, .bandwidth = {0.1, 0.3, 1.0}};
  const RatioKde common = RatioKde::fit(data, options);
  EXPECT_EQ(common.bandwidths(), common.bandwidths_y());
  EXPECT_EQ(common.report().details.at("candidates").at("score").as_vector().size(), 3);
  options.bandwidth_y = {0.2, 0.4};
  EXPECT_EQ(RatioKde::fit(data, options).report().details.at("candidates").at("score").as_vector().size(), 6);
}

TEST(RatioKde, FarFromAllSamplesTheNearestOneWins) {
  const Dataset data = waves(40, 1);
  Index last = 0;
  data.x.row(0).maxCoeff(&last);
  for (const RatioWidths widths : {RatioWidths::equal, RatioWidths::separate}) {
    const RatioKde model = RatioKde::fit(data, {.widths = widths, .bandwidth = {0.01}, .defensive_weight = 0.0});
    const double y = data.y(0, last);
    EXPECT_NEAR(model.predict(Matrix::Constant(1, 1, 1e4))[0].mean()[0], y, 1e-9);
  }
  const RatioKde model = RatioKde::fit(data, given({0.02, 0.02}, {0.01}));
  const Matrix x{{1e4, -1e20, 1e100, 1e300}};
  EXPECT_TRUE(model.log_mass(x).allFinite());
  // Of both sums the nearest sample's term is left.
  const double distance = 1e4 - data.x(0, last);
  const double expected = std::log(0.5) + 0.5 * distance * distance * (1 / 1e-4 - 1 / 4e-4);
  EXPECT_NEAR(model.log_mass(x.leftCols(1))[0] / expected, 1.0, 1e-12);
}

TEST(RatioKde, CopiesAreWeights) {
  Dataset weighted = waves(40, 1);
  weighted.weights = Vector::Ones(40);
  weighted.weights.head(10).setConstant(2);
  weighted.weights.tail(5).setZero();
  Matrix x(1, 45);
  Matrix y(1, 45);
  x << weighted.x.leftCols(35), weighted.x.leftCols(10);
  y << weighted.y.leftCols(35), weighted.y.leftCols(10);
  const Dataset test = waves(20, 1, 1, 2);
  for (RatioKdeOptions options : {RatioKdeOptions(), RatioKdeOptions::paper()}) {
    const RatioKde one = RatioKde::fit({.x = x, .y = y}, options);
    const RatioKde other = RatioKde::fit(weighted, options);
    EXPECT_LT((one.log_density(test.x, test.y) - other.log_density(test.x, test.y)).cwiseAbs().maxCoeff(), 1e-6);
    EXPECT_LT((one.log_mass(test.x) - other.log_mass(test.x)).cwiseAbs().maxCoeff(), 1e-6);
  }
}

TEST(RatioKde, AConstantInputPlaysNoPart) {
  const Dataset data = waves(40, 1);
  const Dataset test = waves(20, 1, 1, 2);
  const auto with_constant = [](const Matrix& x, double value) {
    Matrix out(2, x.cols());
    out << Matrix::Constant(1, x.cols(), value), x;
    return out;
  };
  for (const ParzenShapeChoice shape : {ParzenShapeChoice::isotropic, ParzenShapeChoice::diagonal}) {
    RatioKdeOptions options{.widths = RatioWidths::separate, .shape = shape};
    const RatioKde with =
        RatioKde::fit({.x = with_constant(data.x, 3.0), .y = data.y, .weights = data.weights}, options);
    const RatioKde without = RatioKde::fit(data, options);
    const Matrix x = with_constant(test.x, -8.0);
    EXPECT_EQ(with.report().warnings.front(), "input 1 is constant and plays no part");
    EXPECT_LT((with.log_density(x, test.y) - without.log_density(test.x, test.y)).cwiseAbs().maxCoeff(), 1e-9);
    EXPECT_LT((with.log_mass(x) - without.log_mass(test.x)).cwiseAbs().maxCoeff(), 1e-9);
    const RatioKde only = RatioKde::fit({.x = Matrix::Constant(1, 40, 3.0), .y = data.y}, options);
    EXPECT_EQ(only.log_mass(test.x), Vector::Zero(20));
  }
  const RatioKde none = RatioKde::fit(waves(40, 0), RatioKdeOptions::paper());
  EXPECT_EQ(none.log_mass(Matrix(0, 3)), Vector::Zero(3));
}

TEST(RatioKde, WhatIsGivenForEachInputStaysWithIt) {
  Dataset data = waves(40, 2);
  Matrix x = data.x;
  x.row(0).setConstant(5.0);
  data.x = x;
  const RatioKde model = RatioKde::fit(data, given({0.3, 0.4, 0.2}, {9.0, 0.6}));
  EXPECT_EQ(model.state().bandwidths_denominator, (Vector{{0.3, 0.6}}));
  const RatioKde one = RatioKde::fit(data, given({0.3}, {}));
  EXPECT_EQ(one.state().bandwidths_denominator, Vector::Constant(2, 0.3));
}

TEST(RatioKde, WarnsOfTheEdgeOfEitherDensity) {
  RatioKdeOptions options = RatioKdeOptions::paper();
  options.bandwidth = {0.3, 5.0};
  options.bandwidth_denominator = {2.0, 5.0};
  const RatioKde model = RatioKde::fit(waves(60, 1), options);
  ASSERT_EQ(model.report().warnings.size(), 2U);
  EXPECT_EQ(model.report().warnings[0].find("the chosen bandwidth 0.3 is the smallest"), 0U);
  EXPECT_EQ(model.report().warnings[1].find("denominator: the chosen bandwidth 2 is the smallest"), 0U);
}

TEST(RatioKde, OfManyRowsSomeChooseTheWidths) {
  const Dataset data = waves(120, 1);
  for (const RatioWidths widths : {RatioWidths::equal, RatioWidths::separate}) {
    const RatioKde model = RatioKde::fit(data, {.widths = widths, .width_rows = 50});
    EXPECT_EQ(detail(model, "n_rows_compared"), 50);
    EXPECT_EQ(detail(model, "n_rows"), 120);
  }
}

TEST(RatioKde, TheMassSurvivesAFileAndAnyNumberOfThreads) {
  const RatioKde model = RatioKde::fit(waves(300, 2), RatioKdeOptions::paper());
  const Matrix x = normals(2, 700, 3);
  const Vector mass = model.log_mass(x, {.threads = 1, .observer = {}});
  for (const int threads : {2, 7}) EXPECT_EQ(model.log_mass(x, {.threads = threads, .observer = {}}), mass);
  EXPECT_EQ(RatioKde::from_document(model.to_document()).log_mass(x), mass);
  EXPECT_EQ(model.log_mass(Matrix(2, 0)).size(), 0);
}

TEST(RatioKde, ABrokenDocumentIsRefused) {
  const RatioKde model = RatioKde::fit(waves(30, 2), RatioKdeOptions::paper());
  for (const Vector& widths : {Vector(Vector::Ones(1)), Vector{{1.0, 0.0}}, Vector{{1.0, -2.0}}}) {
    Document document = model.to_document();
    document.set("bandwidths_denominator", widths);
    const std::string text = complaint<FormatError>([&] { RatioKde::from_document(document); });
    EXPECT_TRUE(text.starts_with("RatioKDE: bandwidths_denominator h")) << text;  // has length ..., holds ...
  }
  Document document = model.to_document();
  document.set("law", RatioKde::fit(waves(30, 1), RatioKdeOptions::paper()).to_document().at("law"));
  EXPECT_EQ(complaint<FormatError>([&] { RatioKde::from_document(document); }),
            "RatioKDE: the parameters do not fit together");
}

TEST(RatioKde, NamesWhatIsWrong) {
  const Dataset data = waves(30, 2);
  const auto complaint_of = [&](const RatioKdeOptions& options) {
    return complaint([&] { RatioKde::fit(data, options); });
  };
  EXPECT_EQ(complaint_of({.widths = RatioWidths::separate, .bandwidth_y = {0.5}}),
            "RatioKDE: bandwidth_y has 1 numbers, expected none: with separate widths bandwidth is that of all columns "
            "of the numerator");
  EXPECT_EQ(complaint_of({.bandwidth_denominator = {0.5}}),
            "RatioKDE: bandwidth_denominator has 1 numbers, expected none: with equal widths it is bandwidth");
  EXPECT_EQ(complaint_of({.bandwidth_y = {0.5, 1.0}}),
            "RatioKDE: bandwidth_y has 2 candidates, expected at most one where bandwidth is learned");
  EXPECT_EQ(complaint_of({.shape = ParzenShapeChoice::diagonal, .bandwidth = {1, 2, 3}}),
            "RatioKDE: bandwidth has 3 numbers, expected none (learned), one, or one for each of the 2 columns");
  EXPECT_EQ(complaint_of(given({1, 2}, {})),
            "RatioKDE: bandwidth has 2 numbers, expected none (learned), one, or one for each of the 3 columns");
  EXPECT_EQ(complaint_of(given({1}, {1, 2, 3})),
            "RatioKDE: bandwidth_denominator has 3 numbers, expected none (learned), one, or one for each of the 2 "
            "columns");
  const Dataset constant{.x = data.x, .y = Matrix::Constant(1, 30, 2.0)};
  EXPECT_EQ(complaint([&] { RatioKde::fit(constant); }),
            "RatioKDE: target 1 is constant (2 in every row); a distribution without spread has no density");
  const RatioKde model = RatioKde::fit(data, RatioKdeOptions::paper());
  EXPECT_EQ(complaint([&] { model.log_mass(Matrix::Zero(3, 1)); }),
            "rkde: x has 3 rows (one per dimension), expected 2");
  EXPECT_EQ(complaint([&] { model.log_mass(Matrix::Constant(2, 1, std::nan(""))); }),
            "rkde: x has a number that is not finite");
}

TEST(RatioKde, ACandidateOfAnySizeHasAScore) {
  const Dataset data = waves(40, 2);
  for (RatioKdeOptions options : {RatioKdeOptions{}, RatioKdeOptions::paper()}) {
    options.shape = ParzenShapeChoice::isotropic;
    options.bandwidth = {1e-100, 0.4, 1e100};
    const RatioKde model = RatioKde::fit(data, options);
    EXPECT_EQ(model.bandwidths()[0], 0.4);
    EXPECT_EQ(find_not_finite(model.to_document()), "");
  }
}

}  // namespace
}  // namespace condens::ratio_kde_test
