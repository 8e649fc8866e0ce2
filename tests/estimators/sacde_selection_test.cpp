// What a SACDE fit chooses: widths and penalties by cross-validation, the second fit, stability.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <limits>
#include <map>

#include "condens/core/errors.hpp"
#include "condens/data/folds.hpp"
#include "condens/estimators/sacde.hpp"
#include "optim/nonnegative_group_lasso.hpp"
#include "support/planted_sacde.hpp"

namespace condens::sacde_selection_test {
namespace {

TEST(SacdeSelection, OfManyInputsAFewChooseTheWidths) {
  const Dataset data = planted(120, 12);
  SacdeOptions options;
  options.bandwidth = {0.5, 1};
  options.bandwidth_y = {0.2, 0.4};
  options.search_inputs = 3;
  const Sacde model = Sacde::fit(data, options);
  // By hand: the widths of three inputs, then all inputs at those.
  SacdeOptions few = options;
  few.search_inputs = 0;
  few.screening = 3;
  const Sacde narrow = Sacde::fit(data, few);
  SacdeOptions at = options;
  at.bandwidth = {narrow.state().bandwidth};
  at.bandwidth_y = {narrow.state().bandwidth_y};
  const Sacde by_hand = Sacde::fit(data, at);
  EXPECT_EQ(model.log_density(data.x, data.y), by_hand.log_density(data.x, data.y));
  EXPECT_EQ(model.support(), by_hand.support());
  const Document& details = model.report().details;
  EXPECT_TRUE(details.at("candidates") == narrow.report().details.at("candidates"));
  EXPECT_TRUE(details.at("fold_scores") == narrow.report().details.at("fold_scores"));
  EXPECT_TRUE(details.at("path") == by_hand.report().details.at("path"));
  // Of no more inputs than that all of them choose.
  options.search_inputs = 12;
  few = options;
  few.search_inputs = 0;
  EXPECT_EQ(Sacde::fit(data, options).log_density(data.x, data.y), Sacde::fit(data, few).log_density(data.x, data.y));
}

TEST(SacdeSelection, FindsThePlantedInputAndLeavesTheOthers) {
  for (const Index d_x : {1, 6, 20}) {
    const Dataset data = planted(120, d_x);
    SacdeOptions options;
    options.bandwidth = {0.8};
    options.bandwidth_y = {0.3};
    const Sacde model = Sacde::fit(data, options);
    EXPECT_EQ(model.support()[0], 1) << d_x;
    EXPECT_GT(model.feature_importances()[0], 0.8) << d_x;
    EXPECT_NEAR(model.feature_importances().sum(), 1, 1e-12);
    EXPECT_TRUE(model.report().warnings.empty()) << model.report().warnings.front();
    const Document& details = model.report().details;
    EXPECT_LE(details.at("certificate").at("relative_gap").as_number(), 1e-6);
    const Document& path = details.at("path");
    const Index length = path.at("regularization").as_vector().size();
    EXPECT_EQ(path.at("norms").as_matrix().cols(), length);
    EXPECT_EQ(path.at("norms").as_matrix().rows(), path.at("inputs").as_vector().size());
    EXPECT_EQ(path.at("score").as_vector().size(), length);
    EXPECT_EQ(path.at("inputs").as_vector()[0], 0);
    EXPECT_EQ(path.at("chosen").as_number(), model.state().regularization);
  }
}

TEST(SacdeSelection, CrossValidationIsThatOfSeparateFits) {
  const Dataset data = planted(60, 2);
  SacdeOptions options = fixed(joint(data, 10), 0.02);
  options.regularization = {0.2, 0.02};
  options.first_regularization = {0.03};
  options.constant_group = true;
  const auto fold = assign_folds(60, 3, 2);
  options.cv.assign(fold.begin(), fold.end());
  for (const auto& [scoring, adaptive] :
       {std::pair{Scoring::nll, false}, {Scoring::squared, false}, {Scoring::nll, true}}) {
    options.scoring = scoring;
    options.adaptive = adaptive;
    options.defensive_weight = 0;
    const Sacde model = Sacde::fit(data, options);
    const Vector score = model.report().details.at("path").at("score").as_vector();
    ASSERT_EQ(score.size(), 2);
    for (Index l = 0; l < 2; ++l) {
      double expected = 0;
      for (Index k = 0; k < 3; ++k) {
        std::vector<Index> train;
        std::vector<Index> test;
        for (Index i = 0; i < 60; ++i) (fold[static_cast<std::size_t>(i)] == k ? test : train).push_back(i);
        SacdeOptions one = options;
        one.regularization = {l == 0 ? 0.2 : 0.02};
        const Sacde part = Sacde::fit(data.subset(train), one);
        const Dataset held_out = data.subset(test);
        const Vector own = scoring == Scoring::nll ? Vector(-part.log_density(held_out.x, held_out.y))
                                                   : part.predict(held_out.x).squared_loss(held_out.y);
        expected += own.mean() / 3;
      }
      EXPECT_NEAR(score[l], expected, 1e-6) << l;
    }
  }
}

TEST(SacdeSelection, AFixedPenaltyHasTheSolutionOfThePath) {
  const Dataset data = planted(80, 8);
  SacdeOptions options;
  options.bandwidth = {0.8};
  options.bandwidth_y = {0.3};
  options.regularization = {0.7, 0.5, 0.3};
  options.tolerance = 1e-10;
  options.selection_rule = SelectionRule::minimum;
  const Sacde path = Sacde::fit(data, options);
  options.regularization = {path.state().regularization};
  options.first_regularization = {path.report().details.at("first_regularization").as_number()};
  options.regularization_scale = RegularizationScale::absolute;
  const Sacde cold = Sacde::fit(data, options);
  EXPECT_EQ(cold.support(), path.support());
  EXPECT_LT((cold.log_density(data.x, data.y) - path.log_density(data.x, data.y)).cwiseAbs().maxCoeff(), 1e-4);
}

/// The groups that have coefficients, and their norms.
std::map<Index, double> norms_of(const Matrix& a) {
  std::map<Index, double> out;
  for (Index g = 0; g < a.cols(); ++g) {
    if (a.col(g).norm() > 0) out[g] = a.col(g).norm();
  }
  return out;
}

TEST(SacdeSelection, TheSecondFitPenalisesByTheInverseNormsOfTheFirst) {
  const Dataset data = planted(80, 6);
  SacdeOptions options = fixed(joint(data, 12), 0.004);
  options.constant_group = true;
  options.adaptive = true;
  options.first_regularization = {0.02};
  const plain::Sacde plain = reference(data, options);
  const Matrix first = solve_plain(plain, 0.02);
  const auto norms = norms_of(first);
  ASSERT_TRUE(norms.size() > 2 && norms.size() < 7);  // the constant group, some inputs and not all

  // Over the coordinates of the groups that the first fit kept, the constant one last.
  std::vector<Index> coordinates;
  Vector weights(std::ssize(norms));
  for (Index i = 0; const auto& [group, norm] : norms) {
    for (Index b = 0; b < 12; ++b) coordinates.push_back(group * 12 + b);
    weights[i++] = group == plain.groups() - 1 ? 0 : 1 / norm;
  }
  const Matrix linear = plain.linear();
  const DenseGroupQuadratic problem(plain.gram()(coordinates, coordinates),
                                    linear.reshaped()(coordinates).reshaped(12, weights.size()));
  NonnegativeGroupLasso solver(problem, weights, 1e-12);
  solver.solve(0.004);
  Matrix expected = Matrix::Zero(12, plain.groups());
  expected.reshaped()(coordinates) = solver.coefficients().reshaped();

  const Sacde model = Sacde::fit(data, options);
  EXPECT_LT((model.coefficients() - expected.leftCols(6)).norm(), 1e-5 * expected.norm());
  EXPECT_LT((model.state().constant - expected.col(6)).norm(), 1e-5 * expected.norm());
  EXPECT_EQ(model.report().details.at("first_regularization").as_number(), 0.02);
  // One penalty for both fits where the first has none of its own.
  options.regularization = {0.02};
  const Sacde same = Sacde::fit(data, options);
  options.first_regularization = {};
  EXPECT_EQ(Sacde::fit(data, options).coefficients(), same.coefficients());
}

TEST(SacdeSelection, TheSecondFitDropsInputsOfNoUse) {
  const Dataset data = planted(150, 30);
  SacdeOptions options;
  options.bandwidth = {0.8};
  options.bandwidth_y = {0.3};
  options.selection_rule = SelectionRule::minimum;
  const Sacde twice = Sacde::fit(data, options);
  options.adaptive = false;
  const Sacde once = Sacde::fit(data, options);
  EXPECT_GT(once.support().sum(), 2);
  EXPECT_LT(twice.support().sum(), once.support().sum());
  EXPECT_TRUE((twice.support().array() <= once.support().array()).all());
  EXPECT_EQ(twice.support()[0], 1);
  EXPECT_LT(twice.report().details.at("score").as_number(), once.report().details.at("score").as_number());
}

TEST(SacdeSelection, OneStandardErrorNeverTakesASmallerPenaltyThanTheMinimum) {
  const Dataset data = planted(100, 6);
  SacdeOptions options;
  options.bandwidth = {0.8};
  options.bandwidth_y = {0.3};
  options.adaptive = false;
  const Sacde sparse = Sacde::fit(data, options);
  options.selection_rule = SelectionRule::minimum;
  const Sacde best = Sacde::fit(data, options);
  EXPECT_GT(sparse.state().regularization, best.state().regularization);
  const Document& details = sparse.report().details;
  const Document& best_details = best.report().details;
  EXPECT_LE(details.at("score").as_number(),
            best_details.at("score").as_number() + best_details.at("score_standard_error").as_number());
}

/// (bandwidth, bandwidth_y, regularization) -> score of every candidate that a fit tried.
std::map<std::array<double, 3>, double> candidate_scores(const Sacde& model) {
  const Document& candidates = model.report().details.at("candidates");
  const auto column = [&](const char* name) { return candidates.at(name).as_vector(); };
  std::map<std::array<double, 3>, double> out;
  for (Index i = 0; i < column("score").size(); ++i) {
    out[{column("bandwidth")[i], column("bandwidth_y")[i], column("regularization")[i]}] = column("score")[i];
  }
  return out;
}

TEST(SacdeSelection, StoppingEarlyLeavesOutWhatItSays) {
  const Dataset data = planted(120, 4);
  SacdeOptions options;
  options.bandwidth = {0.2, 2, 0.7};
  options.bandwidth_y = {0.1, 0.4};
  options.n_centers = 40;
  const auto early = candidate_scores(Sacde::fit(data, options));
  options.stop_early = false;
  const auto all = candidate_scores(Sacde::fit(data, options));
  ASSERT_EQ(all.size(), 6 * options.regularization.size());

  // The rule once more, over the scores of all candidates.
  std::map<std::array<double, 3>, double> expected;
  double best = std::numeric_limits<double>::infinity();
  for (const double s_x : {2.0, 0.7, 0.2}) {
    for (const double s_y : {0.4, 0.1}) {
      std::vector<double> path;
      for (const double lambda : options.regularization) {
        path.push_back(all.at({s_x, s_y, lambda}));
        expected[{s_x, s_y, lambda}] = path.back();
        const std::size_t n = path.size();
        if (n >= 4 && path[n - 1] > path[n - 2] && path[n - 2] > path[n - 3] && path[n - 3] > path[n - 4]) break;
        const double left = static_cast<double>(options.regularization.size() - n);
        if (n >= 3 && path[n - 1] > best && path[n - 1] - left * (path[n - 2] - path[n - 1]) > best) break;
      }
      best = std::min(best, *std::min_element(path.begin(), path.end()));
    }
  }
  EXPECT_LT(expected.size(), all.size());
  EXPECT_EQ(early, expected);
}

TEST(SacdeSelection, RoundingDoesNotStopAPathBeforeAnInputEnters) {
  // The largest penalties let nothing enter: scores are equal, and differ by rounding that looks like rising.
  Dataset data{.x = Matrix{{0, 0, 1, 2, -1, -1, 2, 2, 0, 0, 1, 2}, {1, 0, 1, 1, 1, 1, 0, 1, 1, 0, 1, 1}},
               .y = Matrix{{0.5, 0.2, 0.5, 2.4, -0.6, -0.9, 1.9, 2.2, 0.5, 0.2, 0.5, 2.4}}};
  const Vector weights = Vector{{3, 1, 1, 1, 1, 3, 3, 2, 1, 1, 1, 2}} / 8;
  SacdeOptions options;
  options.bandwidth = {0.4, 1.0};
  options.bandwidth_y = {0.3, 0.8};
  options.cv = {2};
  options.seed = 3;
  const auto log_density = [&](double unit) {
    data.weights = unit * weights;
    return Vector(Sacde::fit(data, options).log_density(data.x, data.y));
  };
  const Vector expected = log_density(1.0);
  for (const double unit : {1e-100, 0.3, 0.1, 1.0 / 3.0, 0.7, 1e-3}) {
    EXPECT_LT((log_density(unit) - expected).cwiseAbs().maxCoeff(), 1e-6) << unit;
  }
}

TEST(SacdeSelection, StabilityCountsSelections) {
  const Dataset data = planted(100, 5);
  SacdeOptions options;
  options.bandwidth = {0.8};
  options.bandwidth_y = {0.3};
  options.regularization = {0.1};
  options.first_regularization = {0.5};
  options.stability_resamples = 8;
  const Sacde model = Sacde::fit(data, options);
  ASSERT_EQ(model.stability().size(), 5);
  EXPECT_EQ(model.stability()[0], 1);
  EXPECT_LT(model.stability().tail(4).maxCoeff(), 1);
  options.regularization = {1e6};
  EXPECT_EQ(selection_stability(data, options, 3).sum(), 0);
  EXPECT_THROW(
      selection_stability(data, options, 3, {.threads = 1, .observer = [](std::string_view, double) { return false; }}),
      Cancelled);
}

}  // namespace
}  // namespace condens::sacde_selection_test
