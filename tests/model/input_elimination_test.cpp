// Inputs that leave the directions: by loops, and of every model that reduces its inputs.

#include "model/input_elimination.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "condens/core/random.hpp"
#include "condens/registry.hpp"
#include "support/normals.hpp"

namespace condens::input_elimination_test {
namespace {

using reduction::eliminate_inputs;
using reduction::elimination_sizes;
using reduction::EliminationParts;

const Run one_thread{.threads = 1, .observer = {}};

TEST(InputElimination, OneLeavesAtATimeOrATenth) {
  EXPECT_EQ(elimination_sizes(5, 2), (std::vector<Index>{2, 3, 4, 5}));
  EXPECT_EQ(elimination_sizes(2, 2), (std::vector<Index>{2}));
  EXPECT_EQ(elimination_sizes(30, 26), (std::vector<Index>{26, 27, 30}));
}

Index loaded(const Matrix& w) { return (w.cwiseAbs().colwise().sum().array() > 0).count(); }

/// Scores by the number of inputs: those of fold k, with the noise of the fold.
struct Scores {
  std::vector<double> of_inputs;  // from one on
  Vector noise = Vector{{0.0, 0.1, -0.1}};
  double difference_noise = 0.0;
};

Matrix run(const Scores& scores, const Matrix& w, SelectionRule rule, FitReport& report) {
  const EliminationParts parts{
      .folds = 3,
      .first = [&](Index, const Run&) { return w; },
      .search = [&](Index, const std::vector<Index>&, const Matrix& start, const Run&) { return start; },
      .score =
          [&](Index fold, const Matrix& own, const Run&) {
            const auto inputs = static_cast<std::size_t>(loaded(own));
            const double sign = inputs % 2 == 0 ? 1.0 : -1.0;
            return scores.of_inputs[inputs - 1] + scores.noise[fold] +
                   sign * scores.difference_noise * scores.noise[fold];
          }};
  Task task(one_thread, "", 4.0);
  return eliminate_inputs(parts, rule, one_thread, task, report);
}

TEST(InputElimination, SmallestColumnsLeaveAndTheScoreSaysHowMany) {
  const Matrix w{{0.1, 0.8, 0.0, -0.5, 0.3}};
  FitReport report;
  const Scores scores{.of_inputs = {2.0, 1.0, 1.05, 1.2}};
  const Matrix found = run(scores, w / w.norm(), SelectionRule::minimum, report);
  // Two stay: 0.8 and -0.5, of length one; the third was never there.
  EXPECT_LT((found - Matrix{{0.0, 0.8, 0.0, -0.5, 0.0}} / std::sqrt(0.89)).norm(), 1e-12);
  EXPECT_EQ(found(0, 0), 0.0);
  EXPECT_EQ(found(0, 4), 0.0);
  EXPECT_EQ(report.details.at("n_inputs_used").as_integer(), 2);
  const Document& table = report.details.at("elimination");
  EXPECT_EQ(table.at("n_inputs").as_vector(), Vector(Vector{{4, 3, 2, 1}}));
  EXPECT_LT((table.at("score").as_vector() - Vector{{1.2, 1.05, 1.0, 2.0}}).norm(), 1e-12);
  EXPECT_LT((table.at("standard_error").as_vector().array() - 0.1 / std::sqrt(3.0)).abs().maxCoeff(), 1e-12);
}

TEST(InputElimination, FewestWithinAStandardErrorOfTheDifference) {
  const Matrix w{{0.1, 0.8, 0.2, -0.5}};
  FitReport report;
  // The best has three inputs; two are worse by 0.05, with a standard error of the difference of 0.1 / sqrt(3).
  Scores scores{.of_inputs = {2.0, 1.05, 1.0, 1.2}, .difference_noise = 0.5};
  EXPECT_EQ(loaded(run(scores, w / w.norm(), SelectionRule::one_standard_error, report)), 2);
  EXPECT_EQ(loaded(run(scores, w / w.norm(), SelectionRule::minimum, report)), 3);
  scores.difference_noise = 0.0;  // then the difference is certain
  EXPECT_EQ(loaded(run(scores, w / w.norm(), SelectionRule::one_standard_error, report)), 3);
}

TEST(InputElimination, NeverFewerInputsThanDirections) {
  const Matrix w = Matrix::Identity(2, 4);
  FitReport report;
  Scores scores{.of_inputs = {0.0, 1.0, 1.0, 1.0}};
  EXPECT_EQ(loaded(run(scores, w, SelectionRule::minimum, report)), 2);
}

/// y follows x1 + x2 (counting from 1), of eight.
Dataset planted(Index n, std::uint64_t seed = 3) {
  RandomStream random(seed);
  const Matrix x = normals(8, n, random);
  const Matrix y = 2 * (x.row(0) + x.row(1)).array().tanh().matrix() + 0.3 * normals(1, n, random);
  return {.x = x, .y = y};
}

TEST(InputElimination, IrrelevantInputsHaveExactlyZeroLoadings) {
  const Dataset data = planted(140);
  for (const std::string& name : models_that("reduces_inputs")) {
    Document options = Document::Object{{"n_components", 1}, {"sparse", true}};
    if (name != "sliced") {
      options.set("bandwidth", 0.6).set("bandwidth_y", 0.3).set("regularization", 0.01).set("n_centers", 40);
    }
    if (name != "lsce") options.set("model", "ekde");
    const auto fit = [&](int threads) {
      return find_model(name).fit(data, "", options, {.threads = threads, .observer = {}});
    };
    const auto model = fit(1);
    const Matrix& w = dynamic_cast<const ProjectedDensity&>(*model).components();
    EXPECT_EQ(w.rightCols(6), Matrix(Matrix::Zero(1, 6))) << name;
    EXPECT_NEAR(std::abs(w(0, 0)), std::sqrt(0.5), 0.1) << name;
    EXPECT_NEAR(w.norm(), 1.0, 1e-9) << name;
    EXPECT_EQ(model->report().details.at("n_inputs_used").as_integer(), 2) << name;
    EXPECT_TRUE(save_density(*fit(3)) == save_density(*model)) << name;
    EXPECT_TRUE(save_density(*load_density(save_density(*model))) == save_density(*model)) << name;
  }
}

}  // namespace
}  // namespace condens::input_elimination_test
