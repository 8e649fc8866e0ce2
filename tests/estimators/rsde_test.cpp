// RSDE against eqs. 12-17 of the paper, written as matrices of all pairs.

#include "condens/estimators/rsde.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "condens/optim/simplex_qp.hpp"
#include "support/complaint.hpp"
#include "support/plain_kernels.hpp"
#include "support/two_bumps.hpp"

namespace condens::rsde_test {
namespace {

/// The numbers handed in, nothing added.
RsdeOptions closed_form(double bandwidth) {
  return {.bandwidth = {bandwidth}, .target = TargetDensity::paper, .defensive_weight = 0, .standardize = false};
}

/// The weight of every data point.
Vector weights_of_points(const Rsde& model, const Matrix& y) {
  Vector out = Vector::Zero(y.cols());
  const Matrix means = model.kernel_means();
  for (Index l = 0; l < model.n_kernels(); ++l) out[nearest_column(y, means.col(l))] += model.kernel_weights()[l];
  return out;
}

/// b'g - min g of the programme 13.
double plain_gap(const Matrix& g, const Vector& p, const Vector& b) {
  const Vector gradient = g * b - p;
  return b.dot(gradient) - gradient.minCoeff();
}

TEST(Rsde, ItsWeightsMinimiseTheIntegratedSquaredError) {
  for (const Index d : {1, 2, 5}) {
    for (const TargetDensity target : {TargetDensity::paper, TargetDensity::loo}) {
      const Dataset data = two_bumps(150, d);
      RsdeOptions options = closed_form(0.6);
      options.target = target;
      const Rsde model = Rsde::fit(data, options);
      const Matrix g = plain_kernels(data.y, 0.6 * std::sqrt(2.0));
      const Vector p = plain_parzen(data.y, 0.6, target == TargetDensity::loo);
      const Vector b = weights_of_points(model, data.y);
      EXPECT_NEAR(b.sum(), 1.0, 1e-12);
      EXPECT_LE(plain_gap(g, p, b), 1e-12 * p.maxCoeff());
      const Document& certificate = model.report().details.at("certificate");
      EXPECT_NEAR(certificate.at("objective").as_number(), 0.5 * b.dot(g * b) - b.dot(p), 1e-12 * p.maxCoeff());
      EXPECT_LE(certificate.at("gap").as_number(), 1e-12 * p.maxCoeff());
      EXPECT_LT(model.n_kernels(), 90) << "sparse";
      EXPECT_EQ(model.kernel_scales(), Matrix::Constant(d, model.n_kernels(), 0.6));
    }
  }
}

TEST(Rsde, KernelsOnDemandGiveWhatTheDenseMatrixGives) {
  const Dataset data = two_bumps(200, 2);
  const SimplexQp dense =
      solve_simplex_qp(plain_kernels(data.y, 0.5 * std::sqrt(2.0)), plain_parzen(data.y, 0.5, false));
  const Vector b = weights_of_points(Rsde::fit(data, closed_form(0.5)), data.y);
  EXPECT_LE((b - dense.solution).cwiseAbs().maxCoeff(), 1e-7);
}

TEST(Rsde, AgainstItsOwnParzenWindowNothingIsSparse) {
  // Errata D4: with the expectation under the window itself and equal widths b = 1/N has no error.
  const Dataset data = two_bumps(30, 2);
  RsdeOptions options = closed_form(0.2);
  options.target_bandwidth = {0.2};
  const Rsde model = Rsde::fit(data, options);
  EXPECT_EQ(model.n_kernels(), 30);
  EXPECT_LE((model.kernel_weights().array() - 1.0 / 30).abs().maxCoeff(), 1e-9);
}

TEST(Rsde, AgainstAWindowTheWidthIsThatOfBoth) {
  const Dataset data = two_bumps(60, 2);
  RsdeOptions options = closed_form(0.5);
  options.target_bandwidth = {0.3};
  const Vector b = weights_of_points(Rsde::fit(data, options), data.y);
  const Vector p = plain_parzen(data.y, std::hypot(0.5, 0.3), false);
  EXPECT_LE(plain_gap(plain_kernels(data.y, 0.5 * std::sqrt(2.0)), p, b), 1e-13);
}

TEST(Rsde, MultiplicativeUpdatesComeNear) {
  const Dataset data = two_bumps(100, 1);
  RsdeOptions options = closed_form(0.5);
  const Rsde exact = Rsde::fit(data, options);
  options.solver = RsdeSolver::multiplicative;
  double before = std::numeric_limits<double>::infinity();
  for (const Index iterations : {10, 100, 1000}) {
    options.iterations = iterations;
    const Rsde model = Rsde::fit(data, options);
    const Document& certificate = model.report().details.at("certificate");
    const double above =
        certificate.at("objective").as_number() - exact.report().details.at("certificate").at("objective").as_number();
    EXPECT_GE(above, 0.0);
    EXPECT_LE(above, certificate.at("gap").as_number());
    EXPECT_LT(above, before);
    EXPECT_GT(model.n_kernels(), exact.n_kernels());
    EXPECT_EQ(certificate.at("iterations").as_number(), static_cast<double>(iterations));
    before = above;
  }
  const Index unpruned = Rsde::fit(data, options).n_kernels();
  options.pruning = 0.05;
  const Rsde pruned = Rsde::fit(data, options);
  EXPECT_LT(pruned.n_kernels(), unpruned);
  EXPECT_GE(pruned.kernel_weights().minCoeff(), 0.05 * pruned.kernel_weights().maxCoeff());
  EXPECT_NEAR(pruned.kernel_weights().sum(), 1.0, 1e-14);
}

TEST(Rsde, CandidatesScoreWhatAFitOnTheOtherFoldsScores) {
  Dataset data = two_bumps(60, 2);
  data.weights = Vector::Ones(60);
  data.weights[5] = 3;
  std::vector<double> fold;
  for (Index i = 0; i < 60; ++i) fold.push_back(static_cast<double>(i % 3));
  for (const Scoring scoring : {Scoring::nll, Scoring::squared}) {
    RsdeOptions options = closed_form(0.5);
    options.bandwidth = {0.4, 0.8};
    options.cv = fold;
    options.scoring = scoring;
    options.refine = false;
    const Rsde model = Rsde::fit(data, options);
    const Vector scores = model.report().details.at("candidates").at("score").as_vector();
    for (Index c = 0; c < 2; ++c) {
      const double width = options.bandwidth[static_cast<std::size_t>(c)];
      double expected = 0;
      for (Index k = 0; k < 3; ++k) {
        std::vector<Index> train;
        std::vector<Index> test;
        for (Index i = 0; i < 60; ++i) (i % 3 == k ? test : train).push_back(i);
        const Dataset held_out = data.subset(test);
        const Rsde part = Rsde::fit(data.subset(train), closed_form(width));
        const Vector log_p = part.log_density(held_out.x, held_out.y);
        const Matrix all = plain_kernels(part.kernel_means(), width * std::sqrt(2.0));
        const double square = part.kernel_weights().dot(all * part.kernel_weights());
        for (Index i = 0; i < held_out.size(); ++i) {
          const double score = scoring == Scoring::nll ? -log_p[i] : 0.5 * square - std::exp(log_p[i]);
          expected += held_out.weights[i] * score / data.weights.sum();
        }
      }
      EXPECT_NEAR(scores[c], expected, 1e-9);
    }
    EXPECT_EQ(model.state().bandwidth, scores[0] <= scores[1] ? 0.4 : 0.8);
  }
}

TEST(Rsde, WithoutCandidatesItSearchesAroundTheParzenWindow) {
  const Rsde model = Rsde::fit(two_bumps(80, 1));
  const Document& candidates = model.report().details.at("candidates");
  EXPECT_EQ(candidates.at("bandwidth").as_vector().size(), 9);
  EXPECT_EQ(candidates.at("score").as_vector().minCoeff(), model.report().details.at("score").as_number());
  RsdeOptions options;
  options.refine = false;
  EXPECT_EQ(Rsde::fit(two_bumps(80, 1), options).report().details.at("candidates").at("score").as_vector().size(), 7);
}

TEST(Rsde, ADensityOfInputsAndTargetsIsConditioned) {
  Dataset data = two_bumps(100, 2);
  data.x = data.y.row(0);
  data.y = Matrix(data.y.row(1));
  const Rsde model = Rsde::fit(data);
  EXPECT_EQ(model.n_inputs(), 1);
  EXPECT_NEAR(model.predict(Matrix::Constant(1, 1, 3.0)).mean()(0, 0), 3.0, 0.5);
  EXPECT_NEAR(model.predict(Matrix::Constant(1, 1, -1.0)).mean()(0, 0), 0.0, 0.7);
}

TEST(Rsde, BadOptionsAndDataAreNamed) {
  const Dataset data = two_bumps(20, 1);
  const auto said = [&](const RsdeOptions& options) { return complaint([&] { Rsde::fit(data, options); }); };
  EXPECT_EQ(said({.bandwidth = {0.0}}), "RSDE: bandwidth = 0, expected a list of numbers, each > 0");
  EXPECT_EQ(said({.target_bandwidth = {0.1, 0.2}}), "RSDE: target_bandwidth has 2 numbers, expected none or one");
  EXPECT_EQ(said({.cv = {}}), "RSDE: cv is empty, expected a number of folds or the fold of every row");
  EXPECT_NE(said({.cv = {1}}).find("folds"), std::string::npos);
  EXPECT_EQ(complaint([&] { Rsde::fit({.x = Matrix(0, 3), .y = Matrix::Ones(1, 3)}); }),
            "RSDE: target 1 is constant (1 in every row); a distribution without spread has no density");
  const Matrix many = Eigen::RowVectorXd::LinSpaced(10001, 0.0, 1.0);
  EXPECT_EQ(complaint([&] { Rsde::fit({.x = Matrix(0, 10001), .y = many}, {.solver = RsdeSolver::multiplicative}); }),
            "RSDE: solver = multiplicative with 10001 rows, expected at most 10000: it needs the matrix of all pairs");
}

}  // namespace
}  // namespace condens::rsde_test
