// SKD against eqs. 23-39 of the paper, every candidate looked at.

#include "condens/estimators/skd.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "condens/optim/orthogonal_regression.hpp"
#include "core/finite.hpp"
#include "support/complaint.hpp"
#include "support/normals.hpp"
#include "support/plain_kernels.hpp"
#include "support/two_bumps.hpp"

namespace condens::skd_test {
namespace {

/// The numbers handed in, one regulariser, no kernel dropped after it was chosen.
SkdOptions closed_form(double bandwidth, double target_bandwidth) {
  return {.bandwidth = {bandwidth},
          .target_bandwidth = {target_bandwidth},
          .target = TargetDensity::paper,
          .local_regularization = false,
          .stop_tolerance = 0,
          .weights = WeightSolver::mnqp,
          .pruning = 0,
          .defensive_weight = 0,
          .standardize = false};
}

struct Selection {
  std::vector<Index> points;
  Vector path;  // J_n / J_0
};

/// Every stage evaluates J of every point.
Selection look_at_all(const Matrix& phi, const Vector& t, RegressionPenalty penalty, double tolerance) {
  OrthogonalRegression regression(t, penalty);
  std::vector<double> path = {1.0};
  Selection out;
  for (;;) {
    const Vector j = regression.criteria_with(phi);
    Index best = 0;
    const double least = j.minCoeff(&best);
    if (!(least < (1 - tolerance) * regression.criterion()) || !regression.add(phi.col(best))) break;
    out.points.push_back(best);
    path.push_back(regression.criterion() * static_cast<double>(t.size()) / t.squaredNorm());
  }
  out.path = Eigen::Map<const Vector>(path.data(), std::ssize(path));
  return out;
}

TEST(Skd, SelectsWhatLookingAtEveryCandidateSelects) {
  for (const Index d : {1, 2, 4}) {
    for (const RegressionPenalty penalty : {RegressionPenalty{0, true}, {1e-6, true}, {1e-3, true}, {1e-4, false}}) {
      for (const TargetDensity target : {TargetDensity::paper, TargetDensity::loo}) {
        const Dataset data = two_bumps(120, d);
        SkdOptions options = closed_form(0.8, 0.5);
        options.target = target;
        options.regularization = penalty.value;
        options.relative_regularization = penalty.relative;
        const Skd model = Skd::fit(data, options);
        const Selection plain = look_at_all(plain_kernels(data.y, 0.8),
                                            plain_parzen(data.y, 0.5, target == TargetDensity::loo), penalty, 0.0);
        const Vector path = model.report().details.at("loo_path").as_vector();
        ASSERT_EQ(path.size(), plain.path.size()) << d << ' ' << penalty.value;
        EXPECT_LE((path - plain.path).cwiseAbs().maxCoeff(), 1e-9);
        const Matrix means = model.kernel_means();
        Index l = 0;  // multiplicative updates may have taken some out
        for (const Index point : plain.points) {
          if (l < means.cols() && means.col(l) == data.y.col(point)) ++l;
        }
        EXPECT_EQ(l, means.cols()) << "the kernels are those points, in their order";
      }
    }
  }
}

TEST(Skd, LooksAtFewCandidatesOnly) {
  const Dataset data = two_bumps(400, 2);
  SkdOptions options = closed_form(0.8, 0.5);
  options.stop_tolerance = 0.05;
  const Document details = Skd::fit(data, options).report().details;
  const double stages = details.at("n_selected").as_number() + 1;
  EXPECT_LT(details.at("n_evaluations").as_number(), 0.5 * stages * 400);
}

TEST(Skd, ExactWeightsMinimiseTheErrorOnTheSimplex) {
  const Dataset data = two_bumps(150, 2);
  SkdOptions options = closed_form(0.8, 0.5);
  options.weights = WeightSolver::exact;
  const Skd model = Skd::fit(data, options);
  std::vector<Index> at;
  for (Index l = 0; l < model.n_kernels(); ++l) at.push_back(nearest_column(data.y, model.kernel_means().col(l)));
  const Matrix phi = plain_kernels(data.y, 0.8)(Eigen::all, at);
  const Vector t = plain_parzen(data.y, 0.5, false);
  const Vector gradient = phi.transpose() * (phi * model.kernel_weights() - t);
  EXPECT_LE(gradient.maxCoeff() - gradient.minCoeff(), 1e-11 * t.squaredNorm());
  EXPECT_NEAR(model.kernel_weights().sum(), 1.0, 1e-13);

  options.weights = WeightSolver::mnqp;
  const double objective = model.report().details.at("certificate").at("objective").as_number();
  EXPECT_GE(Skd::fit(data, options).report().details.at("certificate").at("objective").as_number(), objective);
}

TEST(Skd, EachKernelHasTheRegulariserThatTheReportNames) {
  const Dataset data = two_bumps(100, 1);
  SkdOptions options = closed_form(0.6, 0.4);
  options.local_regularization = true;
  const Skd model = Skd::fit(data, options);
  const Vector shares = model.report().details.at("regularizers").as_vector();
  const Vector path = model.report().details.at("loo_path").as_vector();
  ASSERT_EQ(shares.size(), model.n_kernels());
  EXPECT_GT(shares.maxCoeff(), 10 * shares.minCoeff());
  const Vector t = plain_parzen(data.y, 0.4, false);
  const Matrix phi = plain_kernels(data.y, 0.6);
  Matrix w(100, shares.size());
  OrthogonalRegression regression(t, {});
  for (Index l = 0; l < shares.size(); ++l) {
    const Vector column = phi.col(nearest_column(data.y, model.kernel_means().col(l)));
    Vector orthogonal = column;
    for (int round = 0; round < 2; ++round) {
      for (Index j = 0; j < l; ++j) orthogonal -= w.col(j).dot(orthogonal) / w.col(j).squaredNorm() * w.col(j);
    }
    w.col(l) = orthogonal;
    regression.add(column, {shares[l] * orthogonal.squaredNorm(), false});
    EXPECT_NEAR(regression.criterion() * 100 / t.squaredNorm(), path[l + 1], 1e-8);
  }
}

TEST(Skd, AnEmptyModelIsOneKernelAndAWarning) {
  // Errata D9: without a regulariser no kernel lowers J_0 where all points are far from each other.
  const Dataset data = {.x = Matrix(0, 20), .y = 10 * normals(10, 20, 1)};
  SkdOptions options = closed_form(1.1, 1.1);
  options.regularization = 0;
  const Skd model = Skd::fit(data, options);
  EXPECT_EQ(model.n_kernels(), 1);
  EXPECT_EQ(model.kernel_weights(), Vector::Ones(1));
  ASSERT_EQ(model.report().warnings.size(), 1U);
  EXPECT_EQ(model.report().warnings[0],
            "no kernel lowers the leave-one-out error of the target; the density is the one kernel that comes nearest");
}

TEST(Skd, StopsEarlierAndAtTheMost) {
  const Dataset data = two_bumps(200, 2);
  SkdOptions options = closed_form(0.7, 0.5);
  const auto selected = [&] { return Skd::fit(data, options).report().details.at("n_selected").as_number(); };
  const double all = selected();
  options.stop_tolerance = 0.1;
  const double fewer = selected();
  EXPECT_LT(fewer, all);
  options.max_kernels = 2;
  EXPECT_EQ(selected(), 2);
}

TEST(Skd, ARelativeRegulariserKnowsNoUnits) {
  const Dataset data = two_bumps(80, 2);
  const Dataset large{.x = data.x, .y = 1024.0 * data.y};
  SkdOptions options = closed_form(0.7, 0.5);
  const Skd model = Skd::fit(data, options);
  options.bandwidth = {1024 * 0.7};
  options.target_bandwidth = {1024 * 0.5};
  EXPECT_EQ(Skd::fit(large, options).kernel_means(), 1024.0 * model.kernel_means());
  options.relative_regularization = false;
  EXPECT_NE(Skd::fit(large, options).kernel_means().cols(), model.n_kernels());
}

TEST(Skd, BadOptionsAndDataAreNamed) {
  const Dataset data = two_bumps(20, 1);
  const auto said = [&](const SkdOptions& options) { return complaint([&] { Skd::fit(data, options); }); };
  EXPECT_EQ(said({.bandwidth = {-1.0}}), "SKD: bandwidth = -1, expected a list of numbers, each > 0");
  EXPECT_EQ(said({.bandwidth = {1e-310}}),
            "SKD: bandwidth = 1e-310, expected a list of numbers, each > 0, at least 1e-100");
  EXPECT_EQ(said({.regularization = 1e308}), "SKD: regularization = 1e+308, expected a number >= 0, at most 1e+100");
  EXPECT_EQ(said({.target_bandwidth = {0.1, 0.2}}), "SKD: target_bandwidth has 2 numbers, expected none or one");
  EXPECT_EQ(said({.max_kernels = 0}), "SKD: max_kernels = 0, expected a whole number >= 1");
  EXPECT_EQ(said({.stop_tolerance = 1}), "SKD: stop_tolerance = 1, expected a number in [0, 1)");
  EXPECT_EQ(said({.cv = {}}), "SKD: cv is empty, expected a number of folds or the fold of every row");
  EXPECT_EQ(complaint([&] { Skd::fit({.x = Matrix(0, 3), .y = Matrix::Ones(1, 3)}); }),
            "SKD: target 1 is constant (1 in every row); a distribution without spread has no density");
}

TEST(Skd, AHundredColumnsLeaveAModelThatCanBeSaved) {
  // All other points lie so far that the window without its own kernel is no number; its logarithm is.
  for (const auto& [n, d] : {std::pair<Index, Index>{100, 100}, {60, 30}}) {
    const Dataset data{.x = normals(d, n, 1), .y = normals(1, n, 2)};
    for (SkdOptions options : {SkdOptions{}, SkdOptions::paper()}) {
      options.cv = {2};
      const Skd model = Skd::fit(data, options);
      EXPECT_EQ(find_not_finite(model.to_document()), "");
      EXPECT_TRUE(model.log_density(data.x, data.y).allFinite());
      EXPECT_EQ(model.report().details.at("loo_path").as_vector()[0], 1.0);
    }
  }
}

}  // namespace
}  // namespace condens::skd_test
