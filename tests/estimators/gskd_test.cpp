#include "condens/estimators/gskd.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "condens/core/errors.hpp"
#include "condens/core/random.hpp"
#include "condens/io/document_format.hpp"
#include "condens/optim/orthogonal_regression.hpp"
#include "condens/registry.hpp"
#include "estimators/parzen/width.hpp"
#include "support/complaint.hpp"
#include "support/normals.hpp"

namespace condens::gskd_test {
namespace {

/// Two clusters in `d` columns.
Dataset clusters(Index n, Index d, std::uint64_t seed = 1) {
  RandomStream random(seed);
  Matrix y = normals(d, n, random);
  for (Index i = 0; i < n; ++i) {
    if (random.uniform() < 0.4) y.col(i) = (0.5 * y.col(i)).array() + 4.0;
  }
  return {.x = Matrix(0, n), .y = y};
}

double detail(const ConditionalDensity& model, std::string_view name) {
  return model.report().details.at(name).as_number();
}

double distance_to_window(const ConditionalDensity& model) {
  return model.report().details.at("certificate").at("distance_to_window").as_number();
}

Vector path(const ConditionalDensity& model) { return model.report().details.at("criterion").as_vector(); }

GskdOptions quick_paper() {
  GskdOptions out = GskdOptions::paper();
  out.population = 8;
  out.generations = 3;
  out.search_iterations = 40;
  out.standardize = false;
  out.target_bandwidth = {0.4};
  return out;
}

/// The kernels of the search alone, all that it finds.
GskdOptions plain_search() {
  GskdOptions out;
  out.target = GskdTarget::loo;
  out.selection = GskdSizes::stop;
  out.polish = GskdPolish::none;
  out.stop_tolerance = 0.05;
  return out;
}

TEST(Gskd, FindsClusters) {
  const Dataset data = clusters(400, 2);
  const Gskd model = Gskd::fit(data);
  const Dataset test = clusters(400, 2, 2);
  const double found = -model.log_density(test.x, test.y).mean();
  double truth = 0;
  for (Index i = 0; i < 400; ++i) {
    const double wide = 0.6 * std::exp(-0.5 * test.y.col(i).squaredNorm());
    const double narrow = 0.4 * 4 * std::exp(-2.0 * (test.y.col(i).array() - 4).matrix().squaredNorm());
    truth -= std::log((wide + narrow) / 6.283185307179586) / 400;
  }
  EXPECT_LT(found, truth + 0.1);
  EXPECT_LE(model.n_kernels(), 20);
  EXPECT_NEAR(model.kernel_weights().sum(), 1.0, 1e-12);
}

TEST(Gskd, JFallsAndIsThatOfTheRegression) {
  for (const bool paper : {false, true}) {
    GskdOptions options = quick_paper();
    options.nonnegative = !paper;
    options.weights = WeightSolver::exact;
    const Dataset data = clusters(80, 2);
    const Gskd model = Gskd::fit(data, options);
    const Vector found = path(model);
    ASSERT_GT(found.size(), 1);
    for (Index k = 1; k < found.size(); ++k) EXPECT_LT(found[k], found[k - 1]);
    const Vector target = parzen_density(data.y, Vector(), Vector::Constant(2, 0.4), false);
    EXPECT_NEAR(found[0], target.squaredNorm() / 80, 1e-12 * found[0]);
    if (model.n_kernels() == static_cast<Index>(detail(model, "n_kernels_before_weights"))) {
      const Vector all = ofr_loo(model.kernel_means(), model.kernel_scales(), data.y, target, options.regularization);
      EXPECT_NEAR(all[all.size() - 1], found[found.size() - 1], 1e-9 * found[0]);
    }
  }
}

TEST(Gskd, OneKernelFitsOneGaussian) {
  // Of a window whose kernels all stand close together one kernel is left.
  RandomStream random(3);
  const Dataset data{.x = Matrix(0, 100), .y = 0.05 * normals(2, 100, random)};
  GskdOptions options = plain_search();
  options.standardize = false;
  options.target_bandwidth = {1.0};
  options.target = GskdTarget::paper;
  options.highest_width = 2;
  options.regularization = 0;
  options.max_kernels = 1;
  options.defensive_weight = 0;
  const Gskd model = Gskd::fit(data, options);
  EXPECT_EQ(model.n_kernels(), 1);
  EXPECT_LT((model.kernel_scales().array() - std::sqrt(1 + 0.05 * 0.05)).abs().maxCoeff(), 2e-3);
  EXPECT_LT((model.kernel_means() - data.y.rowwise().mean()).cwiseAbs().maxCoeff(), 5e-3);
  EXPECT_LT(distance_to_window(model), 1e-4);
}

TEST(Gskd, EvaluationsAreThePapersFormula) {
  const GskdOptions options = quick_paper();
  const Gskd model = Gskd::fit(clusters(60, 1), options);
  const double each = 3 * (8 + 2 * 40) - (3 - 1);
  const double kernels = detail(model, "n_kernels_before_weights");
  EXPECT_EQ(detail(model, "evaluations_of_kernels"), kernels * each);
  EXPECT_EQ(detail(model, "evaluations"), (kernels + 1) * each);
}

TEST(Gskd, GradientNeedsFewerEvaluationsForALowerJ) {
  GskdOptions options = quick_paper();
  options.max_kernels = 3;
  options.population = 10;
  options.generations = 5;
  options.search_iterations = 100;
  const Dataset data = clusters(150, 3);
  const Gskd boosting = Gskd::fit(data, options);
  options.search = GskdSearch::gradient;
  const Gskd gradient = Gskd::fit(data, options);
  EXPECT_LE(path(gradient)[3], path(boosting)[3]);
  EXPECT_LT(5 * detail(gradient, "evaluations"), detail(boosting, "evaluations"));
}

TEST(Gskd, WeightsAreCopiesAndOrderDoesNotMatter) {
  const Dataset data = clusters(60, 2);
  Dataset weighted = data;
  weighted.weights = Vector::Ones(60);
  weighted.weights.head(20).setConstant(2.0);
  weighted.weights.tail(5).setZero();
  Matrix twice(2, 75);
  twice << data.y.leftCols(20), data.y.leftCols(55);
  const Dataset copies{.x = Matrix(0, 75), .y = twice};
  GskdOptions options;
  options.standardize = false;
  for (const bool paper : {false, true}) {
    if (paper) options = quick_paper();
    options.merge_copies = true;
    const Vector expected = Gskd::fit(weighted, options).log_density(data.x, data.y);
    EXPECT_LT((Gskd::fit(copies, options).log_density(data.x, data.y) - expected).cwiseAbs().maxCoeff(), 1e-7) << paper;
  }
}

TEST(Gskd, ThreadsDoNotChangeOneBit) {
  for (GskdOptions options : {GskdOptions{}, quick_paper()}) {
    options.max_kernels = 4;
    options.fit_rows = 100;
    const Dataset data = clusters(150, 2);
    const Document expected = Gskd::fit(data, options, {.threads = 1, .observer = {}}).to_document();
    for (const int threads : {2, 7}) {
      EXPECT_TRUE(Gskd::fit(data, options, {.threads = threads, .observer = {}}).to_document() == expected);
    }
  }
}

TEST(Gskd, CompressesAWindowThatIsLargerThanItsFit) {
  const Dataset data = clusters(3000, 2);
  GskdOptions options = plain_search();
  options.standardize = false;
  options.target_bandwidth = {0.3};
  options.fit_rows = 500;
  options.defensive_weight = 0;
  options.stop_tolerance = 0.02;
  for (const GskdTarget target : {GskdTarget::paper, GskdTarget::loo}) {
    options.target = target;
    const Gskd model = Gskd::fit(data, options);
    EXPECT_EQ(detail(model, "n_rows_fitted"), 500);
    const Vector window = parzen_density(data.y, Vector(), Vector::Constant(2, 0.3), target == GskdTarget::loo);
    const Vector found = model.log_density(data.x, data.y).array().exp();
    const double distance = (window - found).cwiseAbs().sum() / window.sum();
    EXPECT_LT(distance, 0.2);
    EXPECT_NEAR(distance, distance_to_window(model), 0.05);
  }
}

TEST(Gskd, PolishNeverLowersTheLikelihoodAndKeepsADensity) {
  for (const Index d : {1, 2, 4}) {
    const Dataset data = clusters(150, d);
    GskdOptions options = plain_search();
    options.standardize = false;
    options.defensive_weight = 0;
    const Gskd found = Gskd::fit(data, options);
    const double before = found.log_density(data.x, data.y).mean();
    double last = before;
    options.polish = GskdPolish::em;
    for (const GmmCovariance shape : {GmmCovariance::diagonal, GmmCovariance::full}) {
      options.covariance = shape;
      last = before;
      for (const Index iterations : {1, 2, 5, 50}) {
        options.polish_iterations = iterations;
        const Gskd model = Gskd::fit(data, options);
        const double now = model.log_density(data.x, data.y).mean();
        EXPECT_GE(now, last - 1e-12) << d << ' ' << iterations;
        EXPECT_NEAR(now, detail(model, "log_likelihood"), 1e-9);
        EXPECT_NEAR(before, detail(model, "log_likelihood_before"), 1e-9);
        EXPECT_NEAR(model.kernel_weights().sum(), 1.0, 1e-12);
        EXPECT_GT(model.kernel_weights().minCoeff(), 0.0);
        EXPECT_GE(model.kernel_scales().minCoeff(), (1 - 1e-9) * model.state().target_bandwidth.minCoeff());
        last = now;
      }
      EXPECT_GT(last, before + 0.01) << d;
    }
  }
}

TEST(Gskd, FitsTheEmpiricalDistributionFunction) {
  for (const Index d : {1, 2}) {
    Dataset data = clusters(300, d);
    data.weights = normals(300, 1, 4).cwiseAbs().array() + 0.5;
    GskdOptions options = plain_search();
    options.target = GskdTarget::cdf;
    options.stop_tolerance = 0;
    options.standardize = false;
    options.merge_copies = false;
    options.defensive_weight = 0;
    const Gskd model = Gskd::fit(data, options);
    Vector expected(300);
    Vector found = Vector::Zero(300);
    for (Index k = 0; k < 300; ++k) {
      double below = 0;
      for (Index j = 0; j < 300; ++j) {
        bool all = true;
        for (Index i = 0; i < d; ++i) all = all && data.y(i, j) < data.y(i, k);
        if (all) below += data.weights[j];
      }
      expected[k] = below / data.weights.sum();
      for (Index l = 0; l < model.n_kernels(); ++l) {
        double own = model.kernel_weights()[l];
        for (Index i = 0; i < d; ++i) {
          const double u = (data.y(i, k) - model.kernel_means()(i, l)) / model.kernel_scales()(i, l);
          own *= 0.5 * std::erfc(-u / std::sqrt(2.0));
        }
        found[k] += own;
      }
    }
    EXPECT_NEAR(path(model)[0], data.weights.dot(expected.cwiseAbs2()) / data.weights.sum(), 1e-12);
    const double distance = data.weights.dot((found - expected).cwiseAbs()) / data.weights.dot(expected);
    EXPECT_LT(distance, 0.1);
    EXPECT_NEAR(distance, model.report().details.at("certificate").at("distance_to_cdf").as_number(), 1e-9);
  }
}

TEST(Gskd, OnePolishedKernelIsTheGaussianOfTheMoments) {
  const Dataset data = clusters(80, 3);
  GskdOptions options = plain_search();
  options.max_kernels = 1;
  options.polish = GskdPolish::em;
  options.covariance = GmmCovariance::full;
  const Gskd model = Gskd::fit(data, options);
  const Vector mean = data.y.rowwise().mean();
  const Matrix rest = data.y.colwise() - mean;
  EXPECT_LT((model.kernel_means() - mean).cwiseAbs().maxCoeff(), 1e-9);
  EXPECT_LT((model.kernel_covariances() - (rest * rest.transpose() / 80).reshaped()).cwiseAbs().maxCoeff(), 1e-9);
}

TEST(Gskd, PolishIsTakenWhereHeldOutLikelihoodIsBetterForIt) {
  // Six narrow kernels of any covariances fit thirty rows too well, and a thousand well.
  GskdOptions options = plain_search();
  options.target = GskdTarget::paper;
  options.target_bandwidth = {0.4};
  options.lowest_width = 0.02;
  options.stop_tolerance = 0;
  options.max_kernels = 6;
  options.covariance = GmmCovariance::full;
  const auto loss = [&](GskdPolish polish, Index n) {
    options.polish = polish;
    const Dataset test = clusters(2000, 2, 2);
    return -Gskd::fit(clusters(n, 2), options).log_density(test.x, test.y).mean();
  };
  EXPECT_GT(loss(GskdPolish::em, 30), loss(GskdPolish::none, 30) + 0.5);
  EXPECT_EQ(loss(GskdPolish::automatic, 30), loss(GskdPolish::none, 30));
  EXPECT_LT(loss(GskdPolish::em, 1000), loss(GskdPolish::none, 1000) - 0.3);
  EXPECT_EQ(loss(GskdPolish::automatic, 1000), loss(GskdPolish::em, 1000));
}

TEST(Gskd, TheChoiceIsTheBestCandidateAndItsFit) {
  const Dataset data = clusters(120, 2);
  GskdOptions options;
  options.covariance = GmmCovariance::diagonal;
  const Gskd model = Gskd::fit(data, options);
  const Document& details = model.report().details;
  const Document& table = details.at("candidates");
  const Vector score = table.at("score").as_vector();
  Index best = 0;
  score.minCoeff(&best);
  const auto column = [&](const char* name) { return table.at(name).as_vector()[best]; };
  EXPECT_EQ(details.at("target").as_string(), column("loo") == 1 ? "loo" : "paper");
  EXPECT_EQ(details.at("polish").as_string(), column("em") == 1 ? "em" : "none");
  EXPECT_EQ(table.at("full").as_vector().sum(), 0);
  EXPECT_EQ(details.at("score").as_number(), score[best]);
  EXPECT_EQ(details.at("score_standard_error").as_number(), column("standard_error"));
  EXPECT_EQ(model.report().chosen("polish")->as_string(), details.at("polish").as_string());
  options.target = column("loo") == 1 ? GskdTarget::loo : GskdTarget::paper;
  options.selection = GskdSizes::stop;
  options.max_kernels = static_cast<Index>(column("n_kernels"));
  options.polish = column("em") == 1 ? GskdPolish::em : GskdPolish::none;
  EXPECT_EQ(Gskd::fit(data, options).log_density(data.x, data.y), model.log_density(data.x, data.y));
}

TEST(Gskd, AnyCovariancesAreTakenWhereTheyAreBetterByMoreThanTheirStandardError) {
  const auto shape_of = [](const Dataset& data) {
    return Gskd::fit(data).report().details.at("covariance").as_string();
  };
  Matrix y = normals(2, 200, 7);
  EXPECT_EQ(shape_of({.x = Matrix(0, 200), .y = y}), "diagonal");
  y.row(1) += 3.0 * y.row(0);
  EXPECT_EQ(shape_of({.x = Matrix(0, 200), .y = y}), "full");
}

TEST(Gskd, ComparesNothingOfTooFewRows) {
  const Dataset data = clusters(9, 2);
  const Gskd model = Gskd::fit(data);
  EXPECT_EQ(model.report().details.find("candidates"), nullptr);
  EXPECT_EQ(model.n_kernels(), 1);
  EXPECT_LT((model.kernel_means() - data.y.rowwise().mean()).cwiseAbs().maxCoeff(), 1e-9);
}

TEST(Gskd, ChoosesItsBandwidthByLikelihood) {
  const Dataset data = clusters(80, 2);
  GskdOptions options;
  options.standardize = false;
  const Gskd model = Gskd::fit(data, options);
  Vector spread = (data.y.colwise() - data.y.rowwise().mean()).cwiseAbs2().rowwise().mean().cwiseSqrt();
  const Vector expected =
      parzen_likelihood_width(spread.cwiseInverse().asDiagonal() * data.y, Vector::Ones(80)) * spread;
  EXPECT_LT((model.state().target_bandwidth - expected).cwiseAbs().maxCoeff(), 1e-6);
  const Gskd standardized = Gskd::fit(data);
  EXPECT_EQ(standardized.state().target_bandwidth[0], standardized.state().target_bandwidth[1]);
  EXPECT_EQ(detail(standardized, "target_bandwidth"), standardized.state().target_bandwidth[0]);
}

TEST(Gskd, AnEmptyModelIsOneGaussian) {
  // The points are so far apart that without its own kernel the window vanishes at each.
  const Dataset data{.x = Matrix(0, 3), .y = Matrix{{-100.0, 0.0, 100.0}}};
  GskdOptions options = plain_search();
  options.standardize = false;
  options.target_bandwidth = {0.5};
  const Gskd model = Gskd::fit(data, options);
  EXPECT_EQ(model.n_kernels(), 1);
  EXPECT_NEAR(model.kernel_means()(0, 0), 0.0, 1e-12);
  EXPECT_NEAR(model.kernel_scales()(0, 0), std::sqrt(20000.0 / 3 + 0.25), 1e-9);
  ASSERT_EQ(model.report().warnings.size(), 1U);
  EXPECT_EQ(model.report().warnings[0],
            "no kernel lowers the leave-one-out error of the Parzen window; the density is one Gaussian with its mean "
            "and spread");
}

TEST(Gskd, SaysWhenItWasCutShort) {
  GskdOptions options = plain_search();
  options.max_kernels = 1;
  const Gskd model = Gskd::fit(clusters(100, 1), options);
  ASSERT_EQ(model.report().warnings.size(), 1U);
  EXPECT_EQ(model.report().warnings[0],
            "max_kernels = 1 ended the search for kernels; the leave-one-out error was still falling");
}

TEST(Gskd, WorksOnAwkwardData) {
  const auto finite = [](const Dataset& data, const GskdOptions& options = {}) {
    const Gskd model = Gskd::fit(data, options);
    EXPECT_TRUE(model.log_density(data.x, data.y).allFinite());
    EXPECT_TRUE(model.log_density(data.x, (2.0 * data.y).array() + 1).allFinite());
  };
  GskdOptions options = quick_paper();
  for (const GskdOptions& own : {GskdOptions{}, options}) {
    Matrix y = clusters(40, 2).y;
    y.rightCols(20) = y.leftCols(20).eval();  // duplicates
    finite({.x = Matrix(0, 40), .y = y}, own);
    y(0, 3) = 1e8;  // an outlier
    finite({.x = Matrix(0, 40), .y = y}, own);
    finite(clusters(5, 8), own);  // fewer points than dimensions
    finite(clusters(2, 1), own);
    Dataset constant = clusters(40, 1);
    constant.x = Matrix::Constant(1, 40, 3.0);  // a column without spread
    finite(constant, own);
  }
  const Dataset one{.x = Matrix(0, 1), .y = Matrix::Constant(1, 1, 2.0)};
  EXPECT_EQ(complaint([&] { Gskd::fit(one, options); }),
            "Gskd: target 1 is constant (2 in every row); a distribution without spread has no density");
}

TEST(Gskd, ConditionsOnInputs) {
  RandomStream random(5);
  Matrix x = normals(1, 300, random);
  const Dataset data{.x = x, .y = (2.0 * (x.array() > 0).cast<double>()).matrix() + 0.3 * normals(1, 300, random)};
  const Gskd model = Gskd::fit(data);
  const Vector mean = model.predict(Matrix{{-1.0, 1.0}}).mean().row(0).transpose();
  EXPECT_NEAR(mean[0], 0.0, 0.25);
  EXPECT_NEAR(mean[1], 2.0, 0.25);
}

TEST(Gskd, SaysWhatIsWrong) {
  const Dataset data = clusters(30, 2);
  const auto with = [&](const Dataset& own, const GskdOptions& options) {
    return complaint([&] { Gskd::fit(own, options); });
  };
  GskdOptions options;
  options.target_bandwidth = {0.1, 0.2, 0.3};
  EXPECT_EQ(with(data, options),
            "Gskd: target_bandwidth has 3 numbers, expected none (by leave-one-out likelihood), one, or one for each "
            "of the 2 columns");
  options = {};
  options.max_kernels = 0;
  EXPECT_NE(with(data, options).find("Gskd: max_kernels = 0"), std::string::npos);
  options = {};
  options.stop_tolerance = 1;
  EXPECT_NE(with(data, options).find("Gskd: stop_tolerance = 1"), std::string::npos);
  options = {};
  options.lowest_width = 0;
  EXPECT_NE(with(data, options).find("Gskd: lowest_width = 0"), std::string::npos);
}

TEST(Gskd, ADocumentThatDoesNotFitIsRefused) {
  const Gskd model = Gskd::fit(clusters(40, 2));
  Document document = model.to_document();
  document.set("target_bandwidth", Vector(Vector::Ones(3)));
  EXPECT_EQ(complaint<FormatError>([&] { Gskd::from_document(document); }),
            "Gskd: target_bandwidth has length 3 along n_columns, expected 2");
}

TEST(Gskd, CanBeCancelled) {
  const Observer stop = [](std::string_view, double) { return false; };
  EXPECT_THROW(Gskd::fit(clusters(300, 2), quick_paper(), {.threads = 1, .observer = stop}), Cancelled);
}

}  // namespace
}  // namespace condens::gskd_test
