// PRESS by stochastic gradients, and bootstrap intervals of its coefficients.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "condens/core/random.hpp"
#include "condens/estimators/press.hpp"
#include "condens/model/states.hpp"
#include "condens/registry.hpp"
#include "support/complaint.hpp"
#include "support/normals.hpp"
#include "support/sanitized.hpp"

namespace condens::press_adam_test {
namespace {

/// Two states that follow x1 (counting from 1).
Dataset two_states(Index n, std::uint64_t seed = 1) {
  RandomStream random(seed);
  const Matrix x = normals(2, n, random);
  Matrix y(1, n);
  for (Index i = 0; i < n; ++i) {
    const bool second = random.uniform() < 1 / (1 + std::exp(-2 * x(0, i)));
    y(0, i) = (second ? 3.0 : 0.0) + 0.5 * random.normal();
  }
  return {.x = x, .y = y};
}

PressOptions options_of(PressCriterion criterion, PressOptimizer optimizer) {
  PressOptions out;
  out.n_states = {2};
  out.criterion = criterion;
  out.regularization = {1e-3};
  out.n_starts = 2;
  out.optimizer = optimizer;
  out.minibatch = 64;
  return out;
}

double nll(const Press& model) { return model.report().details.at("leave_one_out_nll").as_number(); }

TEST(PressAdam, ComesNearTheMinimumOfAllRows) {
  const Dataset rows = two_states(800);
  for (const PressCriterion criterion : {PressCriterion::likelihood, PressCriterion::gcv, PressCriterion::loo}) {
    const Press full = Press::fit(rows, options_of(criterion, PressOptimizer::lbfgs));
    const Press adam = Press::fit(rows, options_of(criterion, PressOptimizer::adam));
    // A standard error of the score is 0.03: a tenth of it.
    EXPECT_NEAR(nll(adam), nll(full), 3e-3) << static_cast<int>(criterion);
    const Matrix apart = (adam.coefficients() - full.coefficients()).cwiseQuotient(full.robust_standard_errors());
    EXPECT_LT(apart.cwiseAbs().maxCoeff(), 1.5) << static_cast<int>(criterion);  // within what the rows can tell
    EXPECT_EQ(adam.report().details.at("search").as_string(), "adam");
    EXPECT_EQ(adam.report().status, "ok");
  }
}

TEST(PressAdam, ThreadsDoNotChangeOneBitAndManyRowsStartOnABatch) {
  const Dataset rows = two_states(400);
  PressOptions options = options_of(PressCriterion::likelihood, PressOptimizer::adam);
  options.batch_size = 100;
  options.adam_passes = 5;
  const Press one = Press::fit(rows, options, {.threads = 1, .observer = {}});
  const Press three = Press::fit(rows, options, {.threads = 3, .observer = {}});
  EXPECT_TRUE(save_density(one) == save_density(three));
}

TEST(PressAdam, HeldOutRowsEndThePasses) {
  const Dataset rows = two_states(200);
  PressOptions options = options_of(PressCriterion::gcv, PressOptimizer::adam);
  options.holdout = 0.3;
  options.patience = 1;
  options.adam_passes = 200;
  EXPECT_LT(Press::fit(rows, options).report().details.at("iterations").as_integer(), 200);
}

TEST(PressAdam, MakesNoExactZeros) {
  PressOptions options = options_of(PressCriterion::gcv, PressOptimizer::adam);
  options.lasso = {0.0, 0.1};
  EXPECT_EQ(
      complaint([&] { Press::fit(two_states(50), options); }),
      "PRESS: lasso = 0.1 with optimizer = adam, whose steps make no coefficient exactly zero; expected optimizer "
      "= lbfgs");
}

TargetModel fit(const Dataset& data, const Document& options, Index replicates, const std::string& name = "press") {
  const TargetRequest request{.replicates = replicates, .worth_of_inputs = false};
  return fit_target(find_model(name), request, data, "", options, [](Index row) { return std::to_string(row); },
                    {.threads = 1, .observer = {}});
}

const HasStates& states_of(const ConditionalDensity& model) { return dynamic_cast<const HasStates&>(model); }

Document three_states() {
  return Document::Object{{"n_states", Document::Array{3}}, {"regularization", Document::Array{1e-2}}, {"n_starts", 1}};
}

/// Three states along x1.
Dataset stairs(Index n) {
  RandomStream random(2);
  const Matrix x = normals(2, n, random);
  Matrix y(1, n);
  for (Index i = 0; i < n; ++i) y(0, i) = 3 * std::round(std::tanh(x(0, i))) + 0.5 * random.normal();
  return {.x = 5 * x, .y = y};
}

/// Of each replicate the order of states that is nearest by the weights at the model's own points, among all orders;
/// scores of the states at rows are those of the coefficients that came out.
TEST(BootstrapCoefficients, StatesAreMatchedOneToOne) {
  const Dataset rows = stairs(120);
  constexpr Index count = 39;
  const TargetModel model = fit(rows, three_states(), count);
  const HasStates& states = states_of(*model.density);
  const BootstrapCoefficients found = coefficient_intervals(*model.density, *model.replicates, 0.95);
  ASSERT_EQ(std::ssize(found.matched) + found.n_without, count);
  Matrix points(2, 6);
  points << states.state_inputs(), states.state_representatives();
  const Matrix own = states.state_weights(points);
  const Matrix u = model.density->x_scale().transform(rows.x);
  std::size_t place = 0;
  for (Index r = 0; r < count; ++r) {
    const auto replicate = model.replicates->density(*model.density, r);
    if (states_of(*replicate).n_states() != 3) continue;
    const Matrix theirs = states_of(*replicate).state_weights(points);
    std::vector<Index> order{0, 1, 2};
    std::vector<Index> best;
    double least = infinity;
    do {
      const double distance = (own - Matrix(theirs(order, Eigen::all))).squaredNorm();
      if (distance < least) best = order;
      least = std::min(least, distance);
    } while (std::next_permutation(order.begin(), order.end()));
    const Matrix& matched = found.matched[place++];
    Matrix scores = (matched.bottomRows(2).transpose() * u).colwise() + Vector(matched.row(0).transpose());
    scores = scores.array().exp();
    const Matrix weights = scores.array().rowwise() / scores.colwise().sum().array();
    EXPECT_LT((weights - Matrix(states_of(*replicate).state_weights(rows.x)(best, Eigen::all))).norm(), 1e-9);
  }
  for (Index k = 0; k < 3; ++k) {
    for (Index j = 0; j < 3; ++j) {
      std::vector<double> entries;
      for (const Matrix& matched : found.matched) entries.push_back(matched(k, j));
      std::sort(entries.begin(), entries.end());
      EXPECT_GE(found.intervals.lower(k, j), entries.front());
      EXPECT_LE(found.intervals.upper(k, j), entries.back());
      EXPECT_LE(found.intervals.lower(k, j), states.coefficients()(k, j) + 1e-9);
    }
  }
}

/// Both estimate the same spread: of 100 replicates a standard deviation has an error of 7 %.
TEST(BootstrapCoefficients, StandardErrorsAreNearTheRobustOnes) {
  const Dataset rows = two_states(250);
  const Document options =
      Document::Object{{"n_states", Document::Array{2}}, {"regularization", Document::Array{1e-2}}, {"n_starts", 1}};
  const TargetModel model = fit(rows, options, repetitions(100));
  const BootstrapCoefficients found = coefficient_intervals(*model.density, *model.replicates, 0.9, BandMethod::normal);
  if (sanitized) return;
  const Matrix& robust = states_of(*model.density).robust_standard_errors();
  EXPECT_LT((found.standard_errors.array() / robust.array()).log().abs().maxCoeff(), std::log(1.5));
}

TEST(BootstrapCoefficients, SayWhatIsWrong) {
  const Dataset rows = two_states(60);
  const TargetModel parzen = fit(rows, Document::Object{}, 19, "parzen");
  EXPECT_EQ(complaint([&] { coefficient_intervals(*parzen.density, *parzen.replicates); }),
            "coefficient_intervals: parzen has no states, expected a model with them");
  const TargetModel few = fit(rows, three_states(), 3);
  EXPECT_NE(complaint([&] { coefficient_intervals(*few.density, *few.replicates); }).find("bands: level = 0.95 of "),
            std::string::npos);
}

}  // namespace
}  // namespace condens::press_adam_test
