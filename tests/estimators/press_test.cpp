// PRESS as a model: its laws are eq. 25, its states are found, its warnings are said.

#include "condens/estimators/press.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "condens/core/errors.hpp"
#include "condens/core/random.hpp"
#include "support/complaint.hpp"
#include "support/normals.hpp"
#include "support/plain_press.hpp"

namespace condens::press_test {
namespace {

/// Eq. 7: 1 for 0.5 < x < 0.75, else 0, with noise; further inputs play no part.
Dataset step(Index n, Index d_x, double noise, std::uint64_t seed = 1) {
  RandomStream random(seed);
  Matrix x(d_x, n);
  Matrix y(1, n);
  for (Index i = 0; i < n; ++i) {
    for (Index k = 0; k < d_x; ++k) x(k, i) = random.uniform();
    y(0, i) = (x(0, i) > 0.5 ? 1.0 : 0.0) + noise * random.normal();
  }
  return {.x = x, .y = y};
}

/// A still beginning, a fall, a swing: like the motorcycle data.
Dataset crash(Index n, std::uint64_t seed = 1) {
  RandomStream random(seed);
  Matrix x(1, n);
  Matrix y(1, n);
  for (Index i = 0; i < n; ++i) {
    const double t = 60 * random.uniform();
    x(0, i) = t;
    y(0, i) = t < 14   ? 1.0 * random.normal()
              : t < 26 ? -80 + 20 * random.normal()
              : t < 40 ? 30 + 20 * random.normal()
                       : 8 * random.normal();
  }
  return {.x = x, .y = y};
}

/// One candidate of everything, and few steps.
PressOptions quick(double states, PressCriterion criterion = PressCriterion::loocv) {
  PressOptions out;
  out.n_states = {states};
  out.criterion = criterion;
  out.regularization = {1e-3};
  out.n_starts = 2;
  out.max_iterations = 60;
  return out;
}

double mean_log_density(const Press& model, const Dataset& rows) { return model.log_density(rows.x, rows.y).mean(); }

TEST(Press, OneStateIsTheMarginalDensity) {
  const Dataset rows = step(80, 2, 0.3);
  PressOptions options = quick(1, PressCriterion::likelihood);
  options.defensive_weight = 0;
  const Press model = Press::fit(rows, options);
  const GaussianMixtures laws = model.predict(normals(2, 3, 4));
  for (Index i = 0; i < 3; ++i) EXPECT_NEAR(laws[i].mean()[0], rows.y.mean(), 1e-9);
  EXPECT_EQ(laws[0].pdf(0.4), laws[2].pdf(0.4));
  EXPECT_EQ(model.coefficients(), Matrix::Zero(3, 1));
  EXPECT_NEAR(model.degrees_of_freedom(), 1.0, 1e-12);
  EXPECT_EQ(model.standard_errors().size(), 0);
}

TEST(Press, LawsAreMixturesOfTheStatesKernelDensities) {
  const Dataset rows = step(60, 2, 0.3);
  PressOptions options = quick(3);
  options.compression_tolerance = 0;
  options.defensive_weight = 0;
  const Press model = Press::fit(rows, options);
  const double scale = std::sqrt((rows.y.array() - rows.y.mean()).square().sum() / 59);
  const Matrix w = model.state_weights(rows.x);
  const Matrix points = normals(2, 4, 9);
  const Matrix at = model.state_weights(points);
  for (Index p = 0; p < 4; ++p) {
    double density = 0;
    double mean = 0;
    for (Index j = 0; j < model.n_states(); ++j) {
      const double h = model.state().bandwidths[j] * scale;
      double state = 0;
      for (Index i = 0; i < 60; ++i) {
        const double z = (0.7 - rows.y(0, i)) / h;
        state += w(j, i) / w.row(j).sum() * std::exp(-0.5 * z * z) / (std::sqrt(2 * std::numbers::pi) * h);
      }
      density += at(j, p) * state;
      mean += at(j, p) * rows.y.row(0).dot(w.row(j)) / w.row(j).sum();
      EXPECT_NEAR(model.state_means()(0, j), rows.y.row(0).dot(w.row(j)) / w.row(j).sum(), 1e-10);
      EXPECT_NEAR(model.state_sizes()[j], w.row(j).sum(), 1e-9);
      EXPECT_NEAR(model.state_inputs()(1, j), rows.x.row(1).dot(w.row(j)) / w.row(j).sum(), 1e-10);
    }
    const GaussianMixture law = model.predict(points.col(p))[0];
    EXPECT_NEAR(law.pdf(0.7), density, 1e-9 * density);
    EXPECT_NEAR(law.mean()[0], mean, 1e-10);  // errata P11
  }
}

TEST(Press, WithoutCompressionNoSampleIsDropped) {
  Dataset rows = step(60, 1, 0.05);
  Index last = 0;
  rows.x.row(0).maxCoeff(&last);
  Matrix y = rows.y;
  y(0, last) = 3;  // what the first state knows of it is a tiny share of its mass
  rows.y = y;
  PressOptions options = quick(2, PressCriterion::mse);
  options.regularization = {1e-7};
  options.max_iterations = 300;
  options.bandwidth_y = {0.05};
  options.compression_tolerance = 0;
  options.defensive_weight = 0;
  options.standardize = false;
  const Press model = Press::fit(rows, options);
  const Matrix w = model.state_weights(rows.x);
  ASSERT_LT(w(0, last) / w.row(0).sum(), 1e-12);
  const Matrix far = Matrix::Constant(1, 1, -3);
  const Matrix at = model.state_weights(far);
  std::vector<double> terms;
  for (Index j = 0; j < 2; ++j) {
    for (Index i = 0; i < 60; ++i) {
      const double z = (3 - rows.y(0, i)) / 0.05;
      terms.push_back(std::log(at(j, 0)) + std::log(w(j, i) / w.row(j).sum()) - 0.5 * z * z -
                      std::log(std::sqrt(2 * std::numbers::pi) * 0.05));
    }
  }
  const double expected = plain::press_log_sum(terms);  // eq. 25
  EXPECT_NEAR(model.log_density(far, Matrix::Constant(1, 1, 3))[0], expected, 1e-9 * std::abs(expected));
}

TEST(Press, WithoutADefensiveWeightWidthsAreThoseOfTheLikelihoodItself) {
  Matrix y(1, 21);
  for (Index i = 0; i < 20; ++i) y(0, i) = -1 + 2 * static_cast<double>(i) / 19;
  y(0, 20) = 8;
  const Dataset rows{.x = normals(1, 21, 4), .y = y, .weights = Vector::Ones(21)};
  PressOptions options = quick(1, PressCriterion::likelihood);
  options.compression_tolerance = 0;
  options.defensive_weight = 0;
  options.standardize = false;
  const Press model = Press::fit(rows, options);
  const auto likelihood = [&](double width) {
    double out = 0;
    for (Index i = 0; i < 21; ++i) {
      out -= plain::press_log_density_left_out(Matrix::Zero(2, 1), rows.x, rows.y, rows.weights, width, i) / 21;
    }
    return out;
  };
  const double found = model.state().bandwidths[0];
  EXPECT_NEAR(model.report().details.at("leave_one_out_nll").as_number(), likelihood(found), 1e-10);
  EXPECT_LT(likelihood(found), likelihood(1.01 * found));
  EXPECT_LT(likelihood(found), likelihood(found / 1.01));
}

TEST(Press, LawsMixTheDensitiesOfTheStates) {
  const Dataset rows = step(60, 2, 0.3);
  const Press model = Press::fit(rows, quick(2));
  const GaussianMixtures states = model.state_densities();
  ASSERT_EQ(states.size(), 2);
  const Matrix x = normals(2, 3, 9);
  const Matrix w = model.state_weights(x);
  for (Index i = 0; i < 3; ++i) {
    const double mixed = w(0, i) * states[0].pdf(0.4) + w(1, i) * states[1].pdf(0.4);
    EXPECT_NEAR(model.predict(x.col(i))[0].pdf(0.4), mixed, 1e-12);
  }
}

TEST(Press, SmoothingMatrixGivesTheMeans) {
  const Dataset rows = step(60, 2, 0.3);
  PressOptions options = quick(2);
  options.defensive_weight = 0;
  const Press model = Press::fit(rows, options);
  const Matrix s = model.smoothing_matrix(rows.x);
  EXPECT_LT((s.rowwise().sum() - Vector::Ones(60)).norm(), 1e-10);
  EXPECT_LT((s - s.transpose()).norm(), 1e-12);
  EXPECT_NEAR(s.trace(), model.degrees_of_freedom(), 1e-10);
  EXPECT_LT((s * rows.y.transpose() - model.predict(rows.x).mean().transpose()).norm(), 1e-9);
}

TEST(Press, StatesThatHoldNoRowsAreLeftOut) {
  const Press model = Press::fit(step(60, 2, 0.3), quick(3));
  EXPECT_EQ(model.n_states(), 2);
  EXPECT_GT(model.state_sizes().minCoeff(), 1.0);
  EXPECT_EQ(model.coefficients().cols(), 2);
  EXPECT_EQ(model.report().details.at("n_states").as_number(), 2);
  EXPECT_EQ(model.report().warnings.back(), "1 of 3 states held no rows and was left out; fewer n_states would do");
}

TEST(Press, WidthsDoNotFallBelowHalfAStepOfRoundedTargets) {
  Dataset rows = step(80, 2, 0.3);
  rows.y = Matrix((rows.y.array() * 4).round() / 2);
  const Press model = Press::fit(rows, quick(2));
  const double scale = std::sqrt((rows.y.array() - rows.y.mean()).square().sum() / 79);
  EXPECT_NEAR(model.state().bandwidths.minCoeff() * scale, 0.25, 1e-6);
  EXPECT_EQ(model.report().warnings.back(),
            "the learned width of a state stands at its floor, half the smallest step of y; y has ties, and the log "
            "score depends on how far they are smoothed");
}

TEST(Press, CompressionKeepsItsWord) {
  const Dataset rows = step(300, 1, 0.3);
  PressOptions options = quick(3);
  options.bandwidth_y = {0.3};
  options.compression_tolerance = 0;
  const Press exact = Press::fit(rows, options);
  const GaussianMixture law = exact.predict(rows.x.leftCols(1))[0];
  for (const double tolerance : {0.2, 0.01}) {
    options.compression_tolerance = tolerance;
    const GaussianMixture small = Press::fit(rows, options).predict(rows.x.leftCols(1))[0];
    EXPECT_LT(small.n_components(), law.n_components() / 2);
    EXPECT_NEAR(small.mean()[0], law.mean()[0], 1e-9);
    double error = 0;
    for (double y = -2; y < 3; y += 0.01) error += 0.01 * std::abs(small.pdf(y) - law.pdf(y));
    EXPECT_LT(error, tolerance);
  }
}

TEST(Press, StatesFindTheStep) {
  const Dataset rows = step(100, 1, 0.1);
  const Press model = Press::fit(rows, quick(2));
  const Matrix w = model.state_weights(Matrix{{0.2, 0.9}});
  EXPECT_GT(w(0, 0), 0.98);
  EXPECT_GT(w(1, 1), 0.98);
  EXPECT_NEAR(model.state_levels()(0, 0), 0, 0.1);
  EXPECT_NEAR(model.state_levels()(0, 1), 1, 0.1);
  const Vector entropy = model.entropy(Matrix{{0.2, 0.5}});
  EXPECT_LT(entropy[0], 0.15);
  EXPECT_GT(entropy[1], entropy[0]);
  EXPECT_LE(entropy.maxCoeff(), 1.0);
}

TEST(Press, StatesAreInTheOrderOfTheirMeans) {
  const Press model = Press::fit(crash(120), quick(4));
  for (Index j = 1; j < 4; ++j) EXPECT_LT(model.state_means()(0, j - 1), model.state_means()(0, j));
  EXPECT_LT(model.coefficients().rowwise().sum().norm(), 1e-10);
  EXPECT_NEAR(model.state_weights(Matrix{{3.0, 30.0}}).sum(), 2.0, 1e-12);
}

TEST(Press, AicFindsSeveralStatesOfASwing) {
  PressOptions options = quick(1);
  options.n_states = {1, 2, 3, 4, 5, 6};
  options.selection = PressSelection::aic;
  options.regularization = {1e-4};
  const Press model = Press::fit(crash(130), options);
  EXPECT_GE(model.n_states(), 3);
  EXPECT_GT(model.degrees_of_freedom(), 2);
  EXPECT_LE(model.degrees_of_freedom(), static_cast<double>(model.n_states()));
  const Document& path = model.report().details.at("path");
  EXPECT_EQ(path.at("degrees_of_freedom").as_vector().size(), 6);
  EXPECT_NEAR(path.at("degrees_of_freedom").as_vector()[0], 1.0, 1e-12);
  EXPECT_EQ(model.report().details.at("candidates").at("score").as_vector().size(), 6);
}

TEST(Press, HeldOutRowsPreferStatesToNone) {
  PressOptions options = quick(1, PressCriterion::likelihood);
  options.n_states = {1, 3};
  options.cv = {3};
  options.regularization = {1e-4};
  const Press model = Press::fit(crash(120), options);
  EXPECT_EQ(model.n_states(), 3);
  const Vector score = model.report().details.at("candidates").at("score").as_vector();
  EXPECT_LT(score[1], score[0]);
}

TEST(Press, TheLikelihoodGivesStatesTheirOwnSpread) {
  const Dataset rows = crash(150);
  const Dataset fresh = crash(300, 2);
  const Press squares = Press::fit(rows, quick(4));
  const Press likelihood = Press::fit(rows, quick(4, PressCriterion::likelihood));
  EXPECT_GT(mean_log_density(likelihood, fresh), mean_log_density(squares, fresh));
  EXPECT_LT(likelihood.state().bandwidths.minCoeff(), 0.3 * likelihood.state().bandwidths.maxCoeff());
}

TEST(Press, CorrectedLevelsGiveTheLeastSquaresMean) {
  const Dataset rows = step(100, 1, 0.3);
  PressOptions options = quick(2);
  options.regularization = {0.05};  // mixed rows
  options.defensive_weight = 0;
  const Press plain = Press::fit(rows, options);
  options.corrected_levels = true;
  const Press corrected = Press::fit(rows, options);
  // Errata P3: the means are drawn to the centre.
  EXPECT_LT(plain.state_levels()(0, 0), plain.state_means()(0, 0) - 0.05);
  EXPECT_GT(plain.state_levels()(0, 1), plain.state_means()(0, 1) + 0.05);
  const Matrix mean = corrected.predict(rows.x).mean();
  EXPECT_LT((mean - corrected.state_levels() * corrected.state_weights(rows.x)).norm(), 1e-9);
  EXPECT_LT((rows.y - mean).squaredNorm(), (rows.y - plain.predict(rows.x).mean()).squaredNorm());
}

TEST(Press, TheLassoDropsInputsExactly) {
  const Dataset rows = step(120, 5, 0.2);
  PressOptions options = quick(2);
  options.regularization = {0};
  options.lasso = {0.03};
  const Press model = Press::fit(rows, options);
  const Matrix& beta = model.coefficients();
  EXPECT_TRUE((beta.row(1).array() != 0).any());
  for (Index k = 2; k <= 5; ++k) EXPECT_EQ(beta.row(k), Matrix::Zero(1, 2));
  EXPECT_EQ(model.report().details.at("n_inputs_used").as_integer(), 1);

  options.lasso = {0, 0.03, 0.3};
  options.selection = PressSelection::aic;
  const Press path = Press::fit(rows, options);
  EXPECT_EQ(path.report().details.at("candidates").at("lasso").as_vector(), Vector({{0, 0.03, 0.3}}));
  Index best = 0;
  path.report().details.at("candidates").at("score").as_vector().minCoeff(&best);
  EXPECT_EQ(path.report().details.at("lasso").as_number(), options.lasso[static_cast<std::size_t>(best)]);
}

TEST(Press, StandardErrorsShrinkWithTheRootOfTheRows) {
  Dataset rows = step(100, 2, 0.5);
  PressOptions options = quick(2, PressCriterion::mse);
  options.max_iterations = 300;
  const Press once = Press::fit(rows, options);
  rows.weights = Vector::Constant(100, 4.0);
  const Press often = Press::fit(rows, options);
  ASSERT_EQ(once.standard_errors().rows(), 3);
  ASSERT_EQ(once.standard_errors().cols(), 2);
  EXPECT_GT(once.standard_errors().minCoeff(), 0);
  EXPECT_LT((once.standard_errors() - 2 * often.standard_errors()).norm(), 0.02 * once.standard_errors().norm());
  // Of two states with coefficients b and -b both are equally sure, and the input that matters stands out.
  EXPECT_LT((once.standard_errors().col(0) - once.standard_errors().col(1)).norm(), 1e-6);
  EXPECT_GT(std::abs(once.coefficients()(1, 0)) / once.standard_errors()(1, 0), 3);
  EXPECT_LT(std::abs(once.coefficients()(2, 0)) / once.standard_errors()(2, 0), 3);
}

TEST(Press, WeightsAreCopies) {
  Dataset rows = crash(60);
  std::vector<Index> copies;
  rows.weights = Vector::Ones(60);
  for (Index i = 0; i < 60; ++i) {
    copies.push_back(i);
    if (i % 3 == 0) copies.push_back(i);
    if (i % 3 == 0) rows.weights[i] = 2;
  }
  Dataset repeated = rows.subset(copies);
  repeated.weights = Vector();
  const PressOptions options = quick(3, PressCriterion::likelihood);
  const Vector a = Press::fit(rows, options).log_density(rows.x, rows.y);
  const Vector b = Press::fit(repeated, options).log_density(rows.x, rows.y);
  EXPECT_LT((a - b).cwiseAbs().maxCoeff(), 1e-4);  // rows in another order, a search of 60 steps
}

TEST(Press, SeveralTargetsShareTheStates) {
  RandomStream random(3);
  Dataset rows = step(90, 1, 0.2);
  Matrix y(2, 90);
  y.row(0) = rows.y.row(0);
  y.row(1) = -3 * rows.y.row(0) + 0.1 * normals(1, 90, random);
  rows.y = y;
  for (const PressCriterion criterion : {PressCriterion::loocv, PressCriterion::likelihood}) {
    const Press model = Press::fit(rows, quick(2, criterion));
    EXPECT_EQ(model.state_means().rows(), 2);
    EXPECT_LT(model.state_means()(1, 1), model.state_means()(1, 0));
    EXPECT_TRUE(model.log_density(rows.x, rows.y).allFinite());
  }
}

TEST(Press, HiddenLayersBendTheMap) {
  RandomStream random(3);
  Matrix x(2, 160);
  Matrix y(1, 160);
  for (Index i = 0; i < 160; ++i) {
    x(0, i) = random.normal();
    x(1, i) = random.normal();
    y(0, i) = (x(0, i) * x(1, i) > 0 ? 1.0 : -1.0) + 0.1 * random.normal();
  }
  const Dataset rows{.x = x, .y = y};
  PressOptions options = quick(2);
  options.max_iterations = 300;
  const double linear = Press::fit(rows, options).report().details.at("mse").as_number();
  options.hidden = {6};
  const Press bent = Press::fit(rows, options);
  EXPECT_LT(bent.report().details.at("mse").as_number(), 0.5 * linear);
  EXPECT_EQ(bent.coefficients().size(), 0);
  EXPECT_EQ(Press::from_document(bent.to_document()).log_density(rows.x, rows.y), bent.log_density(rows.x, rows.y));
}

TEST(Press, HeldOutRowsStopTheSearch) {
  const Dataset rows = step(100, 8, 0.5);
  PressOptions options = quick(4);
  options.regularization = {0};
  options.holdout = 0.2;
  options.patience = 3;
  options.max_iterations = 300;
  const Press stopped = Press::fit(rows, options);
  options.holdout = 0;
  const Press full = Press::fit(rows, options);
  EXPECT_LT(stopped.report().details.at("iterations").as_integer(),
            full.report().details.at("iterations").as_integer());
  EXPECT_GT(stopped.report().details.at("mse").as_number(), full.report().details.at("mse").as_number());
}

TEST(Press, BatchesLeadToTheMinimumOfAllRows) {
  const Dataset rows = step(900, 2, 0.3);
  for (const PressCriterion criterion : {PressCriterion::loocv, PressCriterion::likelihood}) {
    PressOptions options = quick(2, criterion);
    options.max_iterations = 300;
    options.batch_size = 0;
    const Press whole = Press::fit(rows, options);
    options.batch_size = 50;  // then 56, 225 and all
    const Press batches = Press::fit(rows, options);
    EXPECT_NEAR(mean_log_density(batches, rows), mean_log_density(whole, rows), 1e-4);
    EXPECT_LT((batches.coefficients() - whole.coefficients()).norm(), 1e-2 * whole.coefficients().norm());
  }
}

TEST(Press, SeparableStatesAreSaid) {
  const Dataset rows = step(40, 1, 0.0001);
  PressOptions options = quick(2, PressCriterion::mse);
  options.regularization = {0};
  options.max_iterations = 300;
  const auto said = [&](const Press& model) {
    for (const std::string& warning : model.report().warnings) {
      if (warning.find("run off") != std::string::npos) return true;
    }
    return false;
  };
  EXPECT_TRUE(said(Press::fit(rows, options)));
  options.regularization = {1e-3};
  EXPECT_FALSE(said(Press::fit(rows, options)));
}

TEST(Press, WorksOnBadRows) {
  Dataset rows = step(30, 2, 0.3);
  Matrix x = rows.x;
  Matrix y = rows.y;
  x.row(1).setConstant(3.0);
  y(0, 4) = 1e8;
  x(0, 7) = -1e8;
  rows.x = x;
  rows.y = y;
  for (const PressCriterion criterion : {PressCriterion::loocv, PressCriterion::likelihood}) {
    const Press model = Press::fit(rows, quick(3, criterion));
    EXPECT_TRUE(model.log_density(rows.x, rows.y).allFinite());
    EXPECT_EQ(model.report().warnings.front(), "input 2 is constant and plays no part");
  }
  for (const Index n : {2, 3}) {
    const Dataset few = step(n, 4, 0.3, 5);
    EXPECT_TRUE(Press::fit(few, quick(2)).log_density(few.x, few.y).allFinite()) << n;
    EXPECT_TRUE(Press::fit(few).log_density(few.x, few.y).allFinite()) << n;
    EXPECT_TRUE(Press::fit(few, PressOptions::paper()).predict(few.x).mean().allFinite()) << n;
  }
}

TEST(Press, MoreStatesThanRowsAreRefused) {
  const Dataset rows = step(5, 1, 0.3);
  EXPECT_EQ(complaint([&] { Press::fit(rows, quick(6)); }), "PRESS: n_states = 6, expected at most the 5 rows");
  PressOptions options = quick(2);
  options.n_states = {2, 9};
  options.selection = PressSelection::aic;
  EXPECT_EQ(Press::fit(rows, options).report().warnings.front(), "n_states above the 5 rows were not tried");
}

TEST(Press, WhatDoesNotFitIsNamed) {
  const Dataset rows = step(20, 1, 0.3);
  const auto said = [&](const auto& change) {
    PressOptions options = quick(2);
    change(options);
    return complaint([&] { Press::fit(rows, options); });
  };
  EXPECT_NE(said([](PressOptions& o) { o.n_states = {}; }).find("n_states is empty"), std::string::npos);
  EXPECT_NE(said([](PressOptions& o) { o.n_states = {2.5}; }).find("expected a list of whole numbers"),
            std::string::npos);
  EXPECT_NE(said([](PressOptions& o) { o.n_states = {2, 1e19}; }).find("n_states = 1e+19"), std::string::npos);
  EXPECT_NE(said([](PressOptions& o) { o.n_states = {0}; }).find("n_states"), std::string::npos);
  EXPECT_NE(said([](PressOptions& o) { o.hidden = {1.5}; }).find("hidden = "), std::string::npos);
  EXPECT_NE(said([](PressOptions& o) { o.regularization = {}; }).find("regularization is empty"), std::string::npos);
  EXPECT_NE(said([](PressOptions& o) { o.regularization = {-1}; }).find("regularization"), std::string::npos);
  EXPECT_NE(said([](PressOptions& o) {
              o.bandwidth_y = {0.1, 0.2, 0.3};
            }).find("bandwidth_y has 3 numbers"),
            std::string::npos);
  EXPECT_NE(said([](PressOptions& o) {
              o.bandwidth_y = {0.1, 0.2};
              o.common_bandwidth = true;
            }).find("common_bandwidth = true"),
            std::string::npos);
  const Press model = Press::fit(rows, quick(2));
  EXPECT_NE(complaint([&] { model.state_weights(Matrix::Zero(2, 1)); }).find("x has 2 rows"), std::string::npos);
  EXPECT_NE(complaint([&] { model.entropy(Matrix::Constant(1, 1, std::nan(""))); }).find("NaN"), std::string::npos);
}

TEST(Press, AlteredDocumentsAreRefused) {
  const Document whole = Press::fit(step(20, 1, 0.3), quick(2)).to_document();
  for (const auto& [key, value] : {std::pair<std::string, Document>{"theta", Vector(Vector::Zero(3))},
                                   {"component_shares", Matrix(Matrix::Zero(2, 2))},
                                   {"component_widths", Vector(Vector::Zero(0))},
                                   {"state_means", Matrix(Matrix::Zero(1, 3))},
                                   {"n_states", 0}}) {
    Document altered = whole;
    altered.set(key, value);
    EXPECT_NE(complaint<FormatError>([&] { Press::from_document(altered); }), "") << key;
  }
}

TEST(Press, CanBeCancelled) {
  int calls = 0;
  const condens::Run run{.threads = 1, .observer = [&](std::string_view, double) { return ++calls < 2; }};
  PressOptions options = PressOptions::paper();
  EXPECT_THROW(Press::fit(step(3000, 5, 0.3), options, run), Cancelled);
}

}  // namespace
}  // namespace condens::press_test
