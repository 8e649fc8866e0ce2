// Boosted trees against their formulas written out: splits by trying all, scores by differences, the distribution by
// walking through saved nodes.

#include "condens/estimators/boost.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <numeric>
#include <set>

#include "condens/core/random.hpp"
#include "condens/io/document_format.hpp"
#include "estimators/boost/growing.hpp"
#include "estimators/boost/residuals.hpp"
#include "support/complaint.hpp"
#include "support/registered_models.hpp"

namespace condens::boost_test {
namespace {

using boosting::Derivatives;
using boosting::GrownTree;
using boosting::LeafFinder;
using boosting::Residuals;

double normal_pdf(double y, double mean, double scale) {
  const double z = (y - mean) / scale;
  return std::exp(-0.5 * z * z) / (scale * std::sqrt(2 * std::numbers::pi));
}

/// Two numbers and a category of four levels (three indicators), n rows; the spread follows the first number.
Dataset mixed_data(Index n, std::uint64_t seed) {
  RandomStream random(seed);
  Matrix x = Matrix::Zero(5, n);
  Matrix y(1, n);
  for (Index i = 0; i < n; ++i) {
    x(0, i) = random.normal();
    x(1, i) = std::round(2 * random.normal());
    const Index level = random.below(4);
    if (level > 0) x(1 + level, i) = 1;
    const std::array<double, 4> shift{0.5, -1.0, 2.0, 0.0};
    y(0, i) = shift[static_cast<std::size_t>(level)] + 0.3 * std::exp(0.7 * x(0, i)) * random.normal();
  }
  return {.x = x, .y = y, .groups = {0, 1, 2, 2, 2}};
}

struct Asked {
  std::vector<std::int32_t> rows;
  std::vector<Derivatives> own;
};

Asked random_derivatives(Index n, std::uint64_t seed) {
  RandomStream random(seed);
  Asked out;
  for (Index i = 0; i < n; ++i) {
    out.rows.push_back(static_cast<std::int32_t>(i));
    out.own.push_back({1, random.normal(), 0.5 + random.uniform(), random.normal()});
  }
  return out;
}

/// The greatest sum over two leaves of G^2 / (H + penalty) of both parameters, over all thresholds of the numbers and
/// all sets of levels.
double best_by_trying(const Dataset& data, const Asked& asked, double penalty, double l2, double information,
                      double least) {
  double best = 0;
  const auto worth = [&](const Derivatives& sum) {
    return sum.first * sum.first / (sum.information + penalty) +
           sum.second * sum.second / (information * (sum.weight + l2));
  };
  const auto attempt = [&](const auto& goes_left) {
    std::array<Derivatives, 2> sums{};
    for (std::size_t i = 0; i < asked.own.size(); ++i) {
      Derivatives& sum = sums[goes_left(static_cast<Index>(i)) ? 0 : 1];
      sum.weight += asked.own[i].weight;
      sum.first += asked.own[i].first;
      sum.information += asked.own[i].information;
      sum.second += asked.own[i].second;
    }
    if (sums[0].weight >= least && sums[1].weight >= least) best = std::max(best, worth(sums[0]) + worth(sums[1]));
  };
  for (Index k = 0; k < 2; ++k) {
    for (Index at = 0; at < data.size(); ++at) attempt([&](Index i) { return data.x(k, i) <= data.x(k, at); });
  }
  return best;
}

TEST(BoostTree, ARootSplitIsTheBestOfAll) {
  Dataset data = mixed_data(80, 1);
  data = {.x = Matrix(data.x.topRows(2)), .y = Matrix(data.y)};
  const std::vector<trees::BinnedInput> inputs = trees::bin_inputs(data, 256, 1);
  for (const double l2 : {0.0, 2.0}) {
    const Asked asked = random_derivatives(80, 2);
    double information = 0;
    for (const Derivatives& own : asked.own) information += own.information;
    const double penalty = l2 * information / 80;
    boosting::Grower grower(inputs, {.max_depth = 1, .min_samples_leaf = 5, .l2 = l2, .max_features = 1});
    RandomStream random(1);
    const GrownTree tree = grower.grow(asked.rows, asked.own, 1.7, random, 1);
    ASSERT_EQ(tree.steps.size(), 2U);
    const LeafFinder leaf_of(tree, inputs);
    double found = 0;
    for (const std::size_t leaf : {std::size_t{0}, std::size_t{1}}) {
      Derivatives sum;
      for (Index i = 0; i < 80; ++i) {
        if (leaf_of(i) != leaf) continue;
        const Derivatives& own = asked.own[static_cast<std::size_t>(i)];
        sum = {sum.weight + 1, sum.first + own.first, sum.information + own.information, sum.second + own.second};
      }
      EXPECT_NEAR(tree.steps[leaf][0], sum.first / (sum.information + penalty), 1e-12);
      EXPECT_NEAR(tree.steps[leaf][1], sum.second / (1.7 * (sum.weight + l2)), 1e-12);
      found += tree.steps[leaf][0] * sum.first + tree.steps[leaf][1] * sum.second;
    }
    EXPECT_NEAR(found, best_by_trying(data, asked, penalty, l2, 1.7, 5), 1e-10);
  }
}

TEST(BoostTree, SubtractedHistogramsGiveTheStepsOfTheRowsOfALeaf) {
  const Dataset data = mixed_data(400, 3);
  const std::vector<trees::BinnedInput> inputs = trees::bin_inputs(data, 64, 1);
  const Asked asked = random_derivatives(400, 4);
  boosting::Grower grower(inputs, {.max_depth = 5, .min_samples_leaf = 8, .l2 = 0, .max_features = 1});
  RandomStream random(1);
  for (int again = 0; again < 2; ++again) {  // in the memory of the first tree
    const GrownTree tree = grower.grow(asked.rows, asked.own, 2, random, 1);
    ASSERT_GT(tree.steps.size(), 10U);
    const LeafFinder leaf_of(tree, inputs);
    std::vector<Derivatives> sums(tree.steps.size());
    for (Index i = 0; i < 400; ++i) {
      Derivatives& sum = sums[leaf_of(i)];
      const Derivatives& own = asked.own[static_cast<std::size_t>(i)];
      sum = {sum.weight + 1, sum.first + own.first, sum.information + own.information, sum.second + own.second};
    }
    for (std::size_t leaf = 0; leaf < sums.size(); ++leaf) {
      EXPECT_GE(sums[leaf].weight, 8);
      EXPECT_NEAR(tree.steps[leaf][0], sums[leaf].first / sums[leaf].information, 1e-10);
      EXPECT_NEAR(tree.steps[leaf][1], sums[leaf].second / (2 * sums[leaf].weight), 1e-10);
    }
  }
}

TEST(BoostTree, RowsFindTheLeafThatSplitsLeadTo) {
  const Dataset data = mixed_data(600, 7);
  for (const bool category : {false, true}) {
    const Dataset numbers = {.x = Matrix(data.x.topRows(2)), .y = Matrix(data.y)};
    const std::vector<trees::BinnedInput> inputs = trees::bin_inputs(category ? data : numbers, 64, 1);
    const Asked asked = random_derivatives(600, 8);
    boosting::Grower grower(inputs, {.max_depth = 7, .min_samples_leaf = 3, .l2 = 0, .max_features = 1});
    RandomStream random(1);
    const GrownTree tree = grower.grow(asked.rows, asked.own, 2, random, 1);
    const LeafFinder leaf_of(tree, inputs);
    std::set<Index> depths;
    for (Index i = 0; i < 600; ++i) {
      std::size_t node = 0;
      Index depth = 0;
      for (; tree.nodes[node].input >= 0; ++depth) {
        const GrownTree::Node& own = tree.nodes[node];
        const auto input = static_cast<std::size_t>(own.input);
        const trees::Code code = inputs[input].codes[static_cast<std::size_t>(i)];
        const bool left = (tree.places[input].empty() ? code : tree.places[input][code]) <= own.code;
        node = static_cast<std::size_t>(own.next + (left ? 0 : 1));
      }
      depths.insert(depth);
      EXPECT_EQ(leaf_of(i), static_cast<std::size_t>(tree.nodes[node].next));
    }
    EXPECT_GT(depths.size(), 1U);
  }
  const LeafFinder root(GrownTree{.nodes = {{.next = 3}}}, {});
  EXPECT_EQ(root(0), 3U);
}

TEST(BoostTree, LevelsOfACategoryGoToAnySide) {
  const Dataset data = mixed_data(800, 5);
  const std::vector<trees::BinnedInput> inputs = trees::bin_inputs(data, 64, 1);
  Asked asked = random_derivatives(800, 6);
  const auto level = [&](Index i) { return inputs[2].codes[static_cast<std::size_t>(i)]; };
  for (Index i = 0; i < 800; ++i) {
    asked.own[static_cast<std::size_t>(i)].first += level(i) == 0 || level(i) == 2 ? 5 : -5;
  }
  boosting::Grower grower(inputs, {.max_depth = 1, .min_samples_leaf = 8, .l2 = 0, .max_features = 1});
  RandomStream random(1);
  const GrownTree tree = grower.grow(asked.rows, asked.own, 2, random, 1);
  EXPECT_EQ(tree.nodes.front().input, 2);
  const LeafFinder leaf_of(tree, inputs);
  for (Index i = 0; i < 800; ++i) {
    EXPECT_EQ(leaf_of(i), leaf_of(0) ^ std::size_t{(level(i) % 2 == 0) != (level(0) % 2 == 0)});
  }
}

TEST(BoostResiduals, TheScoreIsTheDerivativeOfTheLogDensity) {
  Residuals residuals{.weights = Vector{{0.2, 0.5, 0.3}},
                      .means = Matrix{{-1, 0.2, 2}, {0.5, -0.3, 0}},
                      .scales = Matrix{{0.4, 1, 2}, {0.7, 0.3, 1.5}}};
  RandomStream random(7);
  Matrix e(2, 50);
  for (double& value : e.reshaped()) value = 2 * random.normal();
  const Vector found = residuals.log_density(e);
  constexpr double h = 1e-5;
  for (Index i = 0; i < 50; ++i) {
    double density = 0;
    for (Index k = 0; k < 3; ++k) {
      density += residuals.weights[k] * normal_pdf(e(0, i), residuals.means(0, k), residuals.scales(0, k)) *
                 normal_pdf(e(1, i), residuals.means(1, k), residuals.scales(1, k));
    }
    EXPECT_NEAR(found[i], std::log(density), 1e-12);
  }
  for (Index t = 0; t < 2; ++t) {
    Matrix up = e;
    Matrix down = e;
    up.row(t).array() += h;
    down.row(t).array() -= h;
    const Vector slope = (residuals.log_density(up) - residuals.log_density(down)) / (2 * h);
    EXPECT_LT((residuals.score(e, t) + slope).cwiseAbs().maxCoeff(), 1e-7);  // rounding of the difference over h
  }
}

TEST(BoostResiduals, ExpectationMaximisationFindsTwoBranches) {
  RandomStream random(8);
  Matrix e(1, 4000);
  for (Index i = 0; i < 4000; ++i) e(0, i) = (random.uniform() < 0.3 ? 2.0 : -1.0) + 0.2 * random.normal();
  Residuals residuals = Residuals::around(e, 2);
  const Vector ones = Vector::Ones(4000);
  double before = residuals.log_density(e).mean();
  for (int step = 0; step < 20; ++step) {
    residuals.renew(e, ones, 5);
    const double now = residuals.log_density(e).mean();
    EXPECT_GT(now, before - 1e-3);  // two rows of the prior among four thousand
    before = now;
  }
  const Index high = residuals.means(0, 0) > residuals.means(0, 1) ? 0 : 1;
  EXPECT_NEAR(residuals.weights[high], 0.3, 0.03);
  EXPECT_NEAR(residuals.means(0, high), 2, 0.03);
  EXPECT_NEAR(residuals.means(0, 1 - high), -1, 0.03);
  EXPECT_NEAR(residuals.scales(0, high), 0.2, 0.04);
}

TEST(Boost, IsTheFormulaOfItsSavedTrees) {
  const Dataset data = mixed_data(300, 9);
  const Boost model = Boost::fit(data, {.n_rounds = 25, .n_folds = 3, .min_samples_leaf = 10, .defensive_weight = 0});
  const BoostState& state = model.state();
  ASSERT_EQ(state.roots.size(), 3 * state.n_rounds);
  const Dataset test = mixed_data(40, 10);
  const Matrix x = model.x_scale().transform(test.x);
  const Matrix y = model.y_scale().transform(test.y);
  const Vector found = model.log_density(test.x, test.y);
  for (Index i = 0; i < test.size(); ++i) {
    double m = 0;
    double log_s = 0;
    for (Index t = 0; t < state.roots.size(); ++t) {
      auto node = static_cast<Index>(state.roots[t]);
      while (state.nodes(0, node) >= 0) {
        const auto input = static_cast<Index>(state.nodes(0, node));
        double value = input < 2 ? x(input, i) : 0;
        for (Index row = 2; input == 2 && row < 5; ++row) value += test.x(row, i) * state.positions(row, t);
        node = static_cast<Index>(state.nodes(2, node)) + (value > state.nodes(1, node) ? 1 : 0);
      }
      const auto leaf = static_cast<Index>(state.nodes(2, node));
      m += state.steps(0, leaf) / 3;
      log_s += state.steps(1, leaf) / 3;
    }
    m += state.location[0];
    const double s = std::exp(state.log_scale[0] + log_s);
    ASSERT_GT(s, state.least_scale[0]);
    double density = 0;
    for (Index k = 0; k < state.weights.size(); ++k) {
      density += state.weights[k] * normal_pdf(y(0, i), m + s * state.means(0, k), s * state.scales(0, k));
    }
    EXPECT_NEAR(found[i], std::log(density) - std::log(model.y_scale().scale()[0]), 1e-9);
  }
}

TEST(Boost, FindsASpreadThatFollowsX) {
  const Dataset data = mixed_data(3000, 11);
  const Boost model = Boost::fit(data, {.n_rounds = 200, .n_folds = 3});
  const Dataset test = mixed_data(1000, 12);
  double truth = 0;
  const std::array<double, 4> shift{0.5, -1.0, 2.0, 0.0};
  for (Index i = 0; i < 1000; ++i) {
    std::size_t level = 0;
    for (std::size_t k = 1; k < 4; ++k) level = test.x(1 + static_cast<Index>(k), i) == 1 ? k : level;
    truth += std::log(normal_pdf(test.y(0, i), shift[level], 0.3 * std::exp(0.7 * test.x(0, i)))) / 1000;
  }
  const double found = model.log_density(test.x, test.y).mean();
  EXPECT_GT(found, truth - 0.1);
  ASSERT_TRUE(model.report().score().has_value());
  const double unit = std::log(model.y_scale().scale()[0]);
  EXPECT_NEAR(model.report().score()->value + unit, -found, 0.15) << "of rows left out";
}

TEST(Boost, WithoutFoldsItIsNaturalGradientBoosting) {
  // One round of stumps, written out: y - m and (e^2 - 1) / 2 by least squares, and a multiple that is a power of two.
  RandomStream random(13);
  Matrix x(1, 60);
  Matrix y(1, 60);
  for (Index i = 0; i < 60; ++i) {
    x(0, i) = random.normal();
    y(0, i) = (x(0, i) > 0.2 ? 1.0 : -0.5) + (x(0, i) > -0.4 ? 0.8 : 0.2) * random.normal();
  }
  BoostOptions options = BoostOptions::paper();
  options.n_rounds = 1;
  options.max_depth = 1;
  options.learning_rate = 0.5;
  options.standardize = false;
  const Boost model = Boost::fit({.x = x, .y = y}, options);
  const double m = y.mean();
  const double s = std::sqrt((y.array() - m).square().sum() / 59);
  const auto stump = [&](const Vector& response) {
    double best = -1;
    Vector out;
    for (Index at = 0; at < 60; ++at) {
      double left = 0;
      double right = 0;
      double count = 0;
      for (Index i = 0; i < 60; ++i) {
        (x(0, i) <= x(0, at) ? left : right) += response[i];
        count += x(0, i) <= x(0, at) ? 1 : 0;
      }
      if (count == 60) continue;
      const double gain = left * left / count + right * right / (60 - count);
      if (gain <= best) continue;
      best = gain;
      out = Vector(60);
      for (Index i = 0; i < 60; ++i) out[i] = x(0, i) <= x(0, at) ? left / count : right / (60 - count);
    }
    return out;
  };
  const Vector gap = (y.array() - m).matrix().transpose();
  const Vector by_mean = stump(gap);
  const Vector by_spread = stump(0.5 * ((gap / s).cwiseAbs2().array() - 1));
  const auto loss = [&](double multiple) {
    double out = 0;
    for (Index i = 0; i < 60; ++i) {
      const double log_s = std::log(s) + multiple * by_spread[i];
      const double e = (gap[i] - multiple * by_mean[i]) * std::exp(-log_s);
      out += log_s + 0.5 * e * e;
    }
    return out;
  };
  double best = 1;
  for (int power = -6; power < 9; ++power) {
    if (loss(std::ldexp(1, power)) < loss(best)) best = std::ldexp(1, power);
  }
  const Vector found = model.log_density(x, y);
  for (Index i = 0; i < 60; ++i) {
    const double location = m + 0.5 * best * by_mean[i];
    const double scale = s * std::exp(0.5 * best * by_spread[i]);
    EXPECT_NEAR(found[i], std::log(normal_pdf(y(0, i), location, scale)), 1e-10);
  }
}

TEST(Boost, SeveralTargetsShareTheirBranches) {
  RandomStream random(14);
  Matrix x(1, 1500);
  Matrix y(2, 1500);
  for (Index i = 0; i < 1500; ++i) {
    x(0, i) = random.normal();
    const double branch = random.uniform() < 0.5 ? -1 : 1;
    y.col(i) << x(0, i) + branch + 0.2 * random.normal(), std::abs(x(0, i)) + branch + 0.2 * random.normal();
  }
  const Boost model = Boost::fit({.x = x, .y = y}, {.n_rounds = 150, .n_folds = 3});
  EXPECT_EQ(model.state().targets.maxCoeff(), 1);
  const GaussianMixture law = model.predict(Matrix::Constant(1, 1, 0.5))[0];
  EXPECT_GT(law.pdf(Vector{{1.5, 1.5}}), 20 * law.pdf(Vector{{1.5, -0.5}}));
}

TEST(Boost, ShufflingTellsWhatMatters) {
  const Dataset data = mixed_data(1000, 15);
  const Vector found = Boost::fit(data, {.n_rounds = 80, .n_folds = 3}).feature_importances();
  EXPECT_NEAR(found.sum(), 1.0, 1e-12);
  EXPECT_GT(found[0], 0.1);
  EXPECT_LT(found[1], 0.05);
  EXPECT_GT(found.tail(3).sum(), 0.5);
  EXPECT_EQ(found[2], found[3]) << "indicators share";
}

TEST(Boost, ManyRowsOfATreeAreDrawn) {
  const Dataset data = mixed_data(2000, 16);
  BoostOptions options{.n_rounds = 60, .n_folds = 2, .max_rows = 300};
  const Boost few = Boost::fit(data, options);
  options.max_rows = 100'000;
  const Boost all = Boost::fit(data, options);
  EXPECT_NE(few.log_density(data.x, data.y), all.log_density(data.x, data.y));
  EXPECT_LT(std::abs((few.log_density(data.x, data.y) - all.log_density(data.x, data.y)).mean()), 0.3);
}

/// Enough rows for threads that share the inputs of a tree out, and for blocks of rows.
TEST(Boost, ThreadsWithinATreeDoNotChangeOneBit) {
  const Dataset data = mixed_data(40'000, 21);
  for (const BoostLikelihood likelihood : {BoostLikelihood::mixture, BoostLikelihood::normal}) {
    const BoostOptions options{.likelihood = likelihood, .n_rounds = 6, .n_folds = 2, .max_depth = 3};
    const Document expected = save_density(Boost::fit(data, options, {.threads = 1, .observer = {}}));
    for (const int threads : {2, 7}) {
      EXPECT_TRUE(save_density(Boost::fit(data, options, {.threads = threads, .observer = {}})) == expected) << threads;
    }
  }
}

TEST(Boost, TellsHowTheScoreFell) {
  const Dataset data = mixed_data(600, 17);
  const Boost model = Boost::fit(data, {.n_rounds = 100});
  const std::optional<Tuning> path = model.report().tuning();
  ASSERT_TRUE(path.has_value());
  EXPECT_EQ(path->names, std::vector<std::string>{"n_rounds"});
  EXPECT_EQ(path->candidates.front().values.front(), static_cast<double>(model.state().n_rounds));
  EXPECT_GT(path->candidates.size(), 5U);
  const std::string cut = Boost::fit(data, {.n_rounds = 5}).report().warnings.back();
  EXPECT_NE(cut.find("still falls after n_rounds = 5 rounds"), std::string::npos) << cut;
}

TEST(Boost, AWeightOfSharesCountsRows) {
  Dataset data = mixed_data(200, 18);
  const BoostOptions options{.n_rounds = 20};
  data.weights = Vector::Constant(200, 1e-3);
  const Boost shares = Boost::fit(data, options);
  data.weights = {};
  const Boost rows = Boost::fit(data, options);
  EXPECT_LT((shares.log_density(data.x, data.y) - rows.log_density(data.x, data.y)).cwiseAbs().maxCoeff(), 1e-6);
}

TEST(Boost, DamagedFilesAreRefused) {
  const Boost model = Boost::fit(mixed_data(80, 19), {.n_rounds = 5, .n_folds = 2, .min_samples_leaf = 5});
  const Document saved = save_density(model);
  const auto refused = [&](const char* name, const Document& part) {
    Document parameters = saved.at("parameters");
    Document changed = saved;
    changed.set("parameters", parameters.set(name, part));
    return complaint<FormatError>([&] { load_density(changed); });
  };
  const BoostState& state = model.state();
  Matrix nodes = state.nodes;
  nodes(2, 0) = 0;
  EXPECT_NE(refused("nodes", nodes).find("BoostedDensity: a child is 0, expected a whole number from 1"),
            std::string::npos);
  Vector targets = state.targets;
  targets[0] = 1;
  EXPECT_NE(refused("targets", targets).find("a target is 1"), std::string::npos);
  EXPECT_NE(refused("steps", Matrix(Matrix::Zero(3, state.steps.cols()))).find("steps have not two parts"),
            std::string::npos);
  Vector weights = state.weights;
  weights[0] += 0.5;
  EXPECT_NE(refused("weights", weights).find("weights are not positive with a sum of 1"), std::string::npos);
  EXPECT_NE(refused("least_scale", Vector(2 * state.greatest_scale)).find("the least scale is above the greatest"),
            std::string::npos);
  EXPECT_NE(refused("positions", Matrix(0, 0)).find("a category has no positions"), std::string::npos);
}

TEST(Boost, WhatCannotBeIsNamed) {
  const Dataset data = mixed_data(30, 20);
  EXPECT_EQ(complaint([&] { Boost::fit(data, {.n_folds = 1}); }),
            "BoostedDensity: n_folds = 1, expected at least 2, or 0 for one model of all rows");
  EXPECT_EQ(Boost::fit(data, {.n_rounds = 5, .n_folds = 0}).report().warnings.back().substr(0, 12), "n_folds = 0:");
}

}  // namespace
}  // namespace condens::boost_test
