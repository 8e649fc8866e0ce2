// The Gaussian process against its textbook formulas with an explicit inverse.

#include "condens/estimators/gaussian_process.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>
#include <functional>
#include <numbers>

#include "condens/core/random.hpp"
#include "condens/estimators/gaussian_process/likelihood.hpp"
#include "support/complaint.hpp"
#include "support/normals.hpp"

namespace condens::gaussian_process_test {
namespace {

using gp::Hyperparameters;

/// y follows the first input, the second plays no part; further targets are other functions.
Dataset sine(Index n, Index d_x, Index d_y, double noise, std::uint64_t seed = 1) {
  RandomStream random(seed);
  Matrix x(d_x, n);
  Matrix y(d_y, n);
  for (Index i = 0; i < n; ++i) {
    for (Index k = 0; k < d_x; ++k) x(k, i) = random.normal();
    for (Index t = 0; t < d_y; ++t) {
      y(t, i) = (d_x > 0 ? std::sin((1.0 + 0.5 * static_cast<double>(t)) * x(0, i)) : 0.0) + noise * random.normal();
    }
  }
  return {.x = x, .y = y};
}

double plain_kernel(const Vector& a, const Vector& b, const Hyperparameters& at) {
  return at.signal_variance * std::exp(-0.5 * (a - b).cwiseQuotient(at.length_scales).squaredNorm());
}

Matrix plain_covariance(const Matrix& x, const Vector& weights, const Hyperparameters& at) {
  Matrix out(x.cols(), x.cols());
  for (Index i = 0; i < x.cols(); ++i) {
    for (Index j = 0; j < x.cols(); ++j) out(i, j) = plain_kernel(x.col(i), x.col(j), at);
    out(i, i) += at.noise_variance / weights[i];
  }
  return out;
}

/// Of y_i ~ N(f_i, s_n^2) and f ~ N(0, k(X, X)), by inverse and determinant.
double plain_negative_log_likelihood(const Matrix& x, const Vector& y, const Hyperparameters& at) {
  const Matrix covariance = plain_covariance(x, Vector::Ones(y.size()), at);
  return 0.5 * y.dot(covariance.inverse() * y) + 0.5 * std::log(covariance.determinant()) +
         0.5 * static_cast<double>(y.size()) * std::log(2 * std::numbers::pi);
}

const Hyperparameters example{Vector{{0.7, 1.3}}, 0.8, 0.3};

TEST(GaussianProcessLikelihood, EqualsThatByInverseAndDeterminant) {
  const Dataset data = sine(30, 2, 1, 0.3);
  const Vector y = data.y.row(0).transpose();
  const double expected = plain_negative_log_likelihood(data.x, y, example);
  const auto found = gp::negative_log_likelihood(data.x, y, Vector::Ones(30), example, 1);
  EXPECT_NEAR(found.negative_log, expected, 1e-11 * std::abs(expected));
}

TEST(GaussianProcessLikelihood, WeightsEqualRepeatedRows) {
  const Dataset data = sine(20, 2, 1, 0.3);
  Vector weights(20);
  std::vector<Index> rows;
  for (Index i = 0; i < 20; ++i) {
    weights[i] = static_cast<double>(1 + i % 3);
    for (Index r = 0; r <= i % 3; ++r) rows.push_back(i);
  }
  const Dataset repeated = data.subset(rows);
  const auto a = gp::negative_log_likelihood(data.x, data.y.row(0).transpose(), weights, example, 1);
  const auto b =
      gp::negative_log_likelihood(repeated.x, repeated.y.row(0).transpose(), Vector::Ones(repeated.size()), example, 1);
  EXPECT_NEAR(a.negative_log, b.negative_log, 1e-11 * std::abs(b.negative_log));
  EXPECT_LT((a.length_scales - b.length_scales).norm(), 1e-10);
  EXPECT_NEAR(a.signal_variance, b.signal_variance, 1e-10);
  EXPECT_NEAR(a.noise_variance, b.noise_variance, 1e-10);
}

TEST(GaussianProcessLikelihood, GradientAgreesWithDifferencesForAnyThreads) {
  const Dataset data = sine(150, 3, 1, 0.3);  // three blocks of columns
  const Vector y = data.y.row(0).transpose();
  Vector weights = Vector::Ones(150);
  weights[7] = 2.5;
  weights[100] = 0.4;
  const auto at = [](const Vector& log) {
    return Hyperparameters{log.head(3).array().exp(), std::exp(log[3]), std::exp(log[4])};
  };
  const Vector here{{-0.3, 0.2, 0.9, 0.1, -1.2}};
  const auto found = gp::negative_log_likelihood(data.x, y, weights, at(here), 1);
  Vector gradient(5);
  gradient << found.length_scales, found.signal_variance, found.noise_variance;
  for (Index k = 0; k < 5; ++k) {
    const double h = 1e-5;
    const auto value = [&](double step) {
      Vector moved = here;
      moved[k] += step;
      return gp::negative_log_likelihood(data.x, y, weights, at(moved), 1).negative_log;
    };
    EXPECT_NEAR(gradient[k], (value(h) - value(-h)) / (2 * h), 1e-6 * (1 + std::abs(gradient[k]))) << k;
  }
  for (const int threads : {2, 7}) {
    const auto again = gp::negative_log_likelihood(data.x, y, weights, at(here), threads);
    EXPECT_EQ(again.negative_log, found.negative_log);
    EXPECT_EQ(again.length_scales, found.length_scales);
    EXPECT_EQ(again.noise_variance, found.noise_variance);
  }
}

TEST(GaussianProcessLikelihood, AMatrixThatIsNotPositiveDefiniteGetsTheSmallestJitterThatHelps) {
  const Matrix x = Matrix::Zero(1, 40);  // forty copies of one input, and hardly any noise
  const Hyperparameters at{Vector::Ones(1), 1.0, 1e-20};
  const gp::Factor factor = gp::factorize(x, Vector::Ones(40), at, 1);
  EXPECT_GT(factor.jitter, 0);
  EXPECT_LE(factor.jitter, 1e-8);
  EXPECT_EQ(gp::factorize(x, Vector::Ones(40), {Vector::Ones(1), 1.0, 0.1}, 1).jitter, 0);
}

TEST(GaussianProcessLikelihood, NoRowsAreRefused) {
  const Hyperparameters at{.length_scales = Vector::Ones(2), .signal_variance = 1.0, .noise_variance = 0.1};
  const auto said = [&](const Vector& weights) {
    return complaint([&] { gp::factorize(Matrix(2, 0), weights, at, 1); });
  };
  EXPECT_EQ(said(Vector(0)), "GaussianProcess: 0 rows and 0 weights, expected one for each of at least one row");
  EXPECT_THROW(gp::negative_log_likelihood(Matrix(2, 0), Vector(0), Vector(0), at, 1), std::invalid_argument);
  EXPECT_THROW(gp::factorize(Matrix::Zero(2, 3), Vector::Ones(2), at, 1), std::invalid_argument);
}

TEST(GaussianProcessLikelihood, NoMatrixKeepsTheSearchForAJitterGoing) {
  const Matrix x = Matrix::Zero(1, 3);
  const Vector weights{{1.0, 1e300, 1.0}};
  for (const double signal : {1e-310, 1e-300, 1.0}) {  // a share of the first is zero
    const Hyperparameters at{Vector::Ones(1), signal, 1e-320};
    try {
      EXPECT_TRUE(gp::factorize(x, weights, at, 1).lower.allFinite());
    } catch (const NumericalError& error) {
      EXPECT_NE(std::string(error.what()).find("not positive definite"), std::string::npos);
    }
  }
}

GaussianProcessOptions given(const Hyperparameters& at) {
  GaussianProcessOptions options;
  options.length_scales.assign(at.length_scales.begin(), at.length_scales.end());
  options.signal_variance = {at.signal_variance};
  options.noise_variance = {at.noise_variance};
  options.defensive_weight = 0;
  options.standardize = false;
  return options;
}

TEST(GaussianProcess, WithGivenHyperparametersItIsTheTextbooksFormula) {
  Dataset data = sine(40, 2, 2, 0.3);
  data.weights = Vector::Ones(40);
  data.weights[3] = 3;
  const GaussianProcess model = GaussianProcess::fit(data, given(example));
  EXPECT_EQ(model.state().signal_variance, Vector::Constant(2, 0.8));
  EXPECT_EQ(model.state().length_scales.col(1), example.length_scales);
  const Dataset test = sine(15, 2, 2, 0.3, 5);
  const GaussianMixtures laws = model.predict(test.x);
  const Matrix mean = laws.mean();
  const Matrix variance = laws.variance();
  const Matrix inverse = plain_covariance(data.x, data.weights, example).inverse();
  for (Index i = 0; i < test.size(); ++i) {
    Vector k(40);
    for (Index j = 0; j < 40; ++j) k[j] = plain_kernel(test.x.col(i), data.x.col(j), example);
    for (Index t = 0; t < 2; ++t) {
      EXPECT_NEAR(mean(t, i), k.dot(inverse * data.y.row(t).transpose()), 1e-11);
      EXPECT_NEAR(variance(t, i), 0.8 - k.dot(inverse * k) + 0.3, 1e-11);
    }
  }
  EXPECT_EQ(laws.n_components(), 1);
}

TEST(GaussianProcess, FarAwayItIsThePriorAndWithoutNoiseItInterpolates) {
  const Dataset data = sine(25, 1, 1, 0.0);
  auto options = given({Vector{{0.8}}, 0.9, 1e-9});
  const GaussianProcess model = GaussianProcess::fit(data, options);
  const GaussianMixtures far = model.predict(Matrix{{1e3, -1e200}});
  for (Index i = 0; i < 2; ++i) {
    EXPECT_EQ(far.mean()(0, i), 0.0);
    EXPECT_DOUBLE_EQ(far.variance()(0, i), 0.9 + 1e-9);
  }
  const GaussianMixtures at_data = model.predict(data.x);
  EXPECT_LT((at_data.mean() - data.y).cwiseAbs().maxCoeff(), 1e-4);
  EXPECT_LT(at_data.variance().maxCoeff(), 1e-7);
}

TEST(GaussianProcess, FindsWhichInputsMatterAndAStationaryPoint) {
  const Dataset data = sine(200, 3, 1, 0.2);
  const GaussianProcess model = GaussianProcess::fit(data);
  const Vector importances = model.feature_importances();
  EXPECT_NEAR(importances.sum(), 1.0, 1e-12);
  EXPECT_GT(importances[0], 0.8);
  // sd 0.2 of the noise, on the standardised scale.
  const double spread = std::sqrt((data.y.array() - data.y.mean()).square().sum() / 199);
  EXPECT_NEAR(std::sqrt(model.state().noise_variance[0]) * spread, 0.2, 0.03);
  // Small moves of any hyper-parameter do not raise the likelihood.
  GaussianProcessOptions options;
  const auto likelihood = [&](const Vector& factors) {
    const Vector lengths = model.state().length_scales.col(0).cwiseProduct(factors.head(3));
    options.length_scales.assign(lengths.begin(), lengths.end());
    options.signal_variance = {model.state().signal_variance[0] * factors[3]};
    options.noise_variance = {model.state().noise_variance[0] * factors[4]};
    return GaussianProcess::fit(data, options).log_marginal_likelihood()[0];
  };
  const double best = likelihood(Vector::Ones(5));
  EXPECT_NEAR(best, model.log_marginal_likelihood()[0], 1e-8);
  for (Index k = 0; k < 5; ++k) {
    for (const double factor : {0.9, 1.1}) {
      Vector factors = Vector::Ones(5);
      factors[k] = factor;
      EXPECT_LT(likelihood(factors), best + 1e-3) << k;
    }
  }
}

TEST(GaussianProcess, OneLengthScaleForAllWhenIsotropic) {
  GaussianProcessOptions options = GaussianProcessOptions::paper();
  const GaussianProcess model = GaussianProcess::fit(sine(80, 3, 1, 0.2), options);
  EXPECT_EQ(model.state().length_scales(0, 0), model.state().length_scales(1, 0));
  EXPECT_EQ(model.state().length_scales(0, 0), model.state().length_scales(2, 0));
  const GaussianProcess ard = GaussianProcess::fit(sine(80, 3, 1, 0.2));
  EXPECT_GT(ard.log_marginal_likelihood()[0], model.log_marginal_likelihood()[0] + 1);
}

TEST(GaussianProcess, SeveralTargetsAreSeparateProcesses) {
  const Dataset data = sine(60, 2, 2, 0.2);
  const GaussianProcess both = GaussianProcess::fit(data);
  for (Index t = 0; t < 2; ++t) {
    const GaussianProcess one = GaussianProcess::fit({.x = data.x, .y = data.y.row(t)});
    EXPECT_EQ(both.state().length_scales.col(t), one.state().length_scales.col(0));
    EXPECT_EQ(both.state().noise_variance[t], one.state().noise_variance[0]);
    EXPECT_EQ(both.predict(data.x).mean().row(t), one.predict(data.x).mean().row(0));
  }
}

TEST(GaussianProcess, WithoutInputsItIsTheMarginalGaussian) {
  const Dataset data = sine(150, 0, 1, 1.5);
  GaussianProcessOptions options;
  options.defensive_weight = 0;
  const GaussianMixtures law = GaussianProcess::fit(data, options).predict(Matrix(0, 1));
  const double mean = data.y.mean();
  const double variance = (data.y.array() - mean).square().mean();
  EXPECT_NEAR(law.mean()(0, 0), mean, 1e-3);
  EXPECT_NEAR(law.variance()(0, 0), variance, 0.01 * variance);
}

TEST(GaussianProcess, ConstantInputsAndRepeatedRowsPlayTheirPart) {
  Dataset data = sine(60, 2, 1, 0.2);
  Matrix x = data.x;
  x.row(1).setConstant(4.0);
  data.x = x;
  std::vector<Index> twice;
  for (Index i = 0; i < 120; ++i) twice.push_back(i / 2);
  for (const Dataset& rows : {data, data.subset(twice)}) {
    const GaussianProcess model = GaussianProcess::fit(rows);
    EXPECT_EQ(model.feature_importances()[1], 0.0);
    EXPECT_TRUE(model.log_density(data.x, data.y).allFinite());
    EXPECT_EQ(model.report().warnings.front(), "input 2 is constant and plays no part");
  }
}

TEST(GaussianProcess, CopiesWeightsAndOrderGiveTheSameBits) {
  const Dataset data = sine(40, 2, 1, 0.2);
  Dataset weighted = data;
  weighted.weights = Vector::Constant(40, 2.0);
  std::vector<Index> twice;
  for (Index i = 0; i < 80; ++i) twice.push_back(39 - i % 40);
  const Vector expected = GaussianProcess::fit(weighted).log_density(data.x, data.y);
  EXPECT_EQ(GaussianProcess::fit(data.subset(twice)).log_density(data.x, data.y), expected);
}

TEST(GaussianProcess, MoreRowsThanAllowedAreASampleAndItIsSaid) {
  const Dataset data = sine(300, 1, 1, 0.2);
  GaussianProcessOptions options;
  options.max_rows = 100;
  options.many_rows = GaussianProcessRows::subset;
  const GaussianProcess model = GaussianProcess::fit(data, options);
  EXPECT_EQ(model.report().details.at("n_process_rows").as_integer(), 100);
  EXPECT_EQ(model.report().warnings.front(),
            "the process is made of 100 of the 300 different rows, drawn at random; many_rows = inducing lets it learn "
            "from all, and max_rows makes it of more, at cubic cost");
}

TEST(GaussianProcess, StartsOnAPartOfTheRowsThenAllForAnyThreads) {
  const Dataset data = sine(320, 2, 1, 0.2);  // more than the starts use
  GaussianProcessOptions options;
  options.n_starts = 2;
  options.length_scales = {0.7};
  options.signal_variance = {1.0};
  const GaussianProcess model = GaussianProcess::fit(data, options, {.threads = 1, .observer = {}});
  const Document one = model.to_document();
  for (const int threads : {2, 7}) {
    EXPECT_TRUE(GaussianProcess::fit(data, options, {.threads = threads, .observer = {}}).to_document() == one);
  }
  EXPECT_EQ(model.report().details.at("scores_of_starts").as_matrix().rows(), 2);
  EXPECT_EQ(model.report().status, "ok");
  const GaussianProcess loaded = GaussianProcess::from_document(one);
  EXPECT_EQ(loaded.log_density(data.x, data.y), model.log_density(data.x, data.y));
}

TEST(GaussianProcess, ObserverSeesProgressAndCancels) {
  std::vector<double> seen;
  const condens::Run run{.threads = 2, .observer = [&](std::string_view, double fraction) {
                           seen.push_back(fraction);
                           return seen.size() < 2;
                         }};
  EXPECT_THROW(GaussianProcess::fit(sine(800, 3, 2, 0.2), {}, run), Cancelled);
  ASSERT_EQ(seen.size(), 2U);
  EXPECT_LE(seen[0], seen[1]);
}

struct BadCall {
  std::function<void(Dataset&, GaussianProcessOptions&)> spoil;
  std::string_view words;
};

TEST(GaussianProcess, SaysWhatIsWrong) {
  const std::vector<BadCall> calls = {
      {[](Dataset& d, GaussianProcessOptions&) { d.y = Matrix::Constant(1, 50, 2.0); },
       "GaussianProcess: target 1 is constant"},
      {[](Dataset&, GaussianProcessOptions& o) {
         o.length_scales = {1, 2, 3};
       },
       "GaussianProcess: length_scales has 3 numbers, expected one, or one for each of the 2 inputs"},
      {[](Dataset&, GaussianProcessOptions& o) {
         o.signal_variance = {1, 2};
       },
       "signal_variance has 2 numbers"},
      {[](Dataset&, GaussianProcessOptions& o) {
         o.noise_variance = {1, 2};
       },
       "noise_variance has 2 numbers"},
      {[](Dataset&, GaussianProcessOptions& o) { o.noise_variance = {-1}; }, "noise_variance = -1, expected"},
      {[](Dataset&, GaussianProcessOptions& o) { o.n_starts = 0; }, "n_starts = 0, expected"},
      {[](Dataset&, GaussianProcessOptions& o) { o.max_rows = 0; }, "max_rows = 0, expected"},
  };
  for (const BadCall& call : calls) {
    Dataset data = sine(50, 2, 1, 0.2);
    GaussianProcessOptions options;
    call.spoil(data, options);
    const std::string said = complaint([&] { GaussianProcess::fit(data, options); });
    EXPECT_NE(said.find(call.words), std::string::npos) << call.words << ": " << said;
  }
}

TEST(GaussianProcess, ADamagedFileIsNoModel) {
  const Document document = GaussianProcess::fit(sine(20, 1, 1, 0.2), given({Vector{{1.0}}, 1.0, 0.1})).to_document();
  EXPECT_NO_THROW(GaussianProcess::from_document(document));
  const std::vector<std::pair<std::string, Document>> damages = {{"length_scales", Matrix(Matrix::Zero(1, 1))},
                                                                 {"signal_variance", Matrix(Matrix::Ones(2, 1))},
                                                                 {"noise_variance", Matrix(-Matrix::Ones(1, 1))},
                                                                 {"weights", Matrix(Matrix::Zero(20, 1))},
                                                                 {"x", Matrix(Matrix::Zero(1, 19))}};
  for (const auto& [key, value] : damages) {
    Document damaged = document;
    damaged.set(key, value);
    EXPECT_THROW(GaussianProcess::from_document(damaged), FormatError) << key;
  }
}

}  // namespace
}  // namespace condens::gaussian_process_test
