// The forest against its formulas written out: splits by trying all, the distribution by walking through saved nodes,
// scores by the trees that did not see a row.

#include "condens/estimators/forest.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "condens/core/random.hpp"
#include "condens/io/document_format.hpp"
#include "estimators/forest/atoms.hpp"
#include "estimators/forest/growing.hpp"
#include "estimators/forest/smoothing.hpp"
#include "model/preparation.hpp"
#include "support/complaint.hpp"
#include "support/registered_models.hpp"

namespace condens::forest_test {
namespace {

using forest::GrownTree;

double normal_pdf(double y, double mean, double scale) {
  const double z = (y - mean) / scale;
  return std::exp(-0.5 * z * z) / (scale * std::sqrt(2 * std::numbers::pi));
}

/// Two numbers and a category of four levels (three indicators), n rows.
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
    y(0, i) = shift[static_cast<std::size_t>(level)] + (x(0, i) > 0.3 ? 1.0 : 0.0) + 0.2 * random.normal();
  }
  return {.x = x, .y = y, .groups = {0, 1, 2, 2, 2}};
}

forest::GrowingData growing_data(const Dataset& data) {
  return {trees::bin_inputs(data, 256, 1), data.y, Vector::Ones(data.size())};
}

double squares(const Dataset& data, const std::vector<Index>& rows) {
  if (rows.empty()) return 0;
  double mean = 0;
  for (const Index i : rows) mean += data.y(0, i) / static_cast<double>(rows.size());
  double out = 0;
  for (const Index i : rows) out += (data.y(0, i) - mean) * (data.y(0, i) - mean);
  return out;
}

/// The least sum of squares that one split of `rows` leaves, each side of `least` rows or more: every threshold of the
/// numbers and every set of levels.
double best_by_trying(const Dataset& data, const std::vector<Index>& rows, std::size_t least) {
  double best = squares(data, rows);
  const auto attempt = [&](const auto& goes_left) {
    std::vector<Index> left;
    std::vector<Index> right;
    for (const Index i : rows) (goes_left(i) ? left : right).push_back(i);
    if (left.size() >= least && right.size() >= least)
      best = std::min(best, squares(data, left) + squares(data, right));
  };
  for (Index k = 0; k < 2; ++k) {
    for (const Index at : rows) attempt([&](Index i) { return data.x(k, i) <= data.x(k, at); });
  }
  for (int set = 0; set < 16; ++set) {
    attempt([&](Index i) {
      const int level = data.x(2, i) == 1 ? 1 : data.x(3, i) == 1 ? 2 : data.x(4, i) == 1 ? 3 : 0;
      return (set >> level & 1) == 1;
    });
  }
  return best;
}

TEST(ForestTree, EverySplitIsTheBestOfAll) {
  const Dataset data = mixed_data(60, 1);
  const forest::GrowingData growing = growing_data(data);
  const GrownTree tree = forest::grow_tree(
      growing, {.criterion = ForestCriterion::variance, .min_samples_leaf = 4, .max_features = 1, .rows = 45},
      RandomStream(1, 1));
  const auto rows_of = [&](const GrownTree::Node& node) {
    return std::vector<Index>(tree.rows.begin() + node.begin, tree.rows.begin() + node.end);
  };
  ASSERT_EQ(tree.rows.size(), 45U);
  int splits = 0;
  for (const GrownTree::Node& node : tree.nodes) {
    if (node.input < 0) continue;
    const auto left = rows_of(tree.nodes[static_cast<std::size_t>(node.left)]);
    const auto right = rows_of(tree.nodes[static_cast<std::size_t>(node.left + 1)]);
    EXPECT_GE(std::min(left.size(), right.size()), 4U);
    // Levels are put in order at the root: below it the best of all sets may be another one.
    const double found = squares(data, left) + squares(data, right);
    const double best = best_by_trying(data, rows_of(node), 4);
    if (&node == tree.nodes.data()) {
      EXPECT_NEAR(found, best, 1e-10);
    }
    EXPECT_LT(found, squares(data, rows_of(node)));
    ++splits;
  }
  EXPECT_GE(splits, 3);
}

TEST(ForestTree, RowsAreDrawnWithoutReplacement) {
  const Dataset data = mixed_data(40, 2);
  const forest::GrowingData growing = growing_data(data);
  std::vector<int> times(40, 0);
  for (std::uint64_t t = 0; t < 200; ++t) {
    const GrownTree tree = forest::grow_tree(
        growing, {.criterion = ForestCriterion::variance, .min_samples_leaf = 4, .max_features = 1, .rows = 10},
        RandomStream(0, t));
    for (const Index i : tree.rows) ++times[static_cast<std::size_t>(i)];
    EXPECT_EQ(std::count(tree.in_bag.begin(), tree.in_bag.end(), true), 10);
  }
  EXPECT_EQ(std::accumulate(times.begin(), times.end(), 0), 2000);
  // 50 expected, standard deviation 6.1; beyond five of them with a chance of 1e-6 for all rows together.
  EXPECT_GT(*std::min_element(times.begin(), times.end()), 19);
  EXPECT_LT(*std::max_element(times.begin(), times.end()), 81);
}

TEST(ForestTree, DistributionsAreToldApartWhereMeansAreNot) {
  RandomStream random(3);
  Matrix x(2, 400);
  Matrix y(1, 400);
  for (Index i = 0; i < 400; ++i) {
    x.col(i) << random.uniform(), random.uniform();
    y(0, i) = (x(0, i) < 0.5 ? 1.0 : 0.2) * (random.uniform() < 0.5 ? -1 : 1);
  }
  const forest::GrowingData growing = growing_data({.x = x, .y = y});
  for (const ForestCriterion criterion : {ForestCriterion::density, ForestCriterion::distribution}) {
    const GrownTree tree = forest::grow_tree(
        growing, {.criterion = criterion, .min_samples_leaf = 100, .max_features = 1, .rows = 390}, RandomStream(1, 1));
    EXPECT_EQ(tree.nodes.front().input, 0);
    EXPECT_NEAR(tree.nodes.front().threshold, 0.5, 0.02);
  }
}

TEST(ForestAtoms, AreTheValuesWhereTheseAreFew) {
  const Matrix y{{3, 1, 2, 1, 3}};
  const forest::Atoms atoms = forest::make_atoms(y, Vector::Ones(5), 3);
  EXPECT_EQ(atoms.means, (Matrix{{1, 2, 3}}));
  EXPECT_EQ(atoms.spreads, Matrix::Zero(1, 3));
  EXPECT_EQ(atoms.row, (std::vector<Index>{2, 0, 1, 0, 2}));
}

TEST(ForestAtoms, KeepMeanAndVariance) {
  RandomStream random(4);
  Matrix y(2, 500);
  Vector weights(500);
  for (double& value : y.reshaped()) value = std::pow(random.normal(), 3);
  for (double& weight : weights) weight = random.uniform() + 0.1;
  const forest::Atoms atoms = forest::make_atoms(y, weights, 60);
  ASSERT_EQ(atoms.means.cols(), 60);
  Vector of_atom = Vector::Zero(60);
  for (Index i = 0; i < 500; ++i) of_atom[atoms.row[static_cast<std::size_t>(i)]] += weights[i];
  EXPECT_LT((atoms.means * of_atom - y * weights).cwiseAbs().maxCoeff(), 1e-10);
  const Matrix second = atoms.means.cwiseAbs2() + atoms.spreads.cwiseAbs2();
  EXPECT_LT((second * of_atom - y.cwiseAbs2() * weights).cwiseAbs().maxCoeff(), 1e-8);
}

TEST(ForestSmoothing, JoinedComponentsMoveLittle) {
  RandomStream random(5);
  Matrix atoms(1, 300);
  for (double& value : atoms.reshaped()) value = random.normal();
  std::sort(atoms.data(), atoms.data() + 300);
  const Matrix spreads = Matrix::Constant(1, 300, 0.002);
  Vector shares(300);
  for (double& share : shares) share = random.uniform();
  shares /= shares.sum();
  const Defensive defensive{1e-3, Vector::Zero(1), Vector::Constant(1, 2.0)};
  const forest::Smoothing smoothing(atoms, spreads, defensive);
  for (const forest::Width width : {forest::Width{0.1, 0}, forest::Width{0.1, 1}, forest::Width{1, 0.5}}) {
    const GaussianMixtures mixtures = smoothing.mixtures(shares, width);
    EXPECT_LT(mixtures.n_components(), width.bandwidth < 0.5 ? 150 : 30);
    double difference = 0;
    for (double y = -8; y < 8; y += 0.01) {
      const Vector exact = smoothing.log_pdf(shares, Vector::Constant(1, y), {width});
      difference += 0.005 * std::abs(mixtures[0].pdf(y) - std::exp(exact[0]));
    }
    EXPECT_LT(difference, 1e-4) << width.bandwidth;
  }
}

ForestOptions plain(Index n_trees) {
  return {.n_trees = n_trees,
          .min_samples_leaf = {3},
          .max_features = {0.7},
          .bandwidth_y = {0.3},
          .sensitivity = {0},
          .defensive_weight = 0,
          .standardize = false};
}

TEST(Forest, IsTheFormulaOfItsSavedTrees) {
  const Dataset data = registered::sample_data(90, 3, 1, 6);
  const Forest model = Forest::fit(data, plain(7));
  const ForestState& state = model.state();
  const Dataset test = registered::sample_data(20, 3, 1, 7);
  const Vector found = model.log_density(test.x, test.y);
  for (Index i = 0; i < test.size(); ++i) {
    double density = 0;
    for (const double root : state.roots) {
      auto node = static_cast<Index>(root);
      while (state.nodes(0, node) >= 0) {
        const bool right = test.x(static_cast<Index>(state.nodes(0, node)), i) > state.nodes(1, node);
        node = static_cast<Index>(state.nodes(2, node)) + (right ? 1 : 0);
      }
      const auto leaf = static_cast<Index>(state.nodes(2, node));
      double shares = 0;
      for (auto k = static_cast<Index>(state.leaves[leaf]); k < static_cast<Index>(state.leaves[leaf + 1]); ++k) {
        const auto atom = static_cast<Index>(state.entry_atoms[k]);
        density += state.entry_weights[k] * normal_pdf(test.y(0, i), state.atoms(0, atom), 0.3) / 7;
        shares += state.entry_weights[k];
      }
      EXPECT_NEAR(shares, 1.0, 1e-12);
    }
    // Shares are kept to seven digits, and neighbours within a fifth of the width are joined.
    EXPECT_NEAR(std::exp(found[i]), density, 1e-4) << i;
  }
}

TEST(Forest, ItsScoreIsThatOfTreesThatDidNotSeeTheRow) {
  const Dataset data = preparation::merge_copies(registered::sample_data(60, 2, 1, 8));  // in the order of the fit
  ForestOptions options = plain(11);
  options.seed = 5;
  const Forest model = Forest::fit(data, options);
  const forest::GrowingData growing = growing_data(data);
  double sum = 0;
  Index count = 0;
  std::vector<GrownTree> trees;
  for (std::uint64_t t = 0; t < 11; ++t) {
    trees.push_back(forest::grow_tree(
        growing, {.criterion = ForestCriterion::variance, .min_samples_leaf = 3, .max_features = 0.7, .rows = 38},
        RandomStream(5, 1000 + t)));
  }
  for (Index i = 0; i < 60; ++i) {
    double density = 0;
    int unseen = 0;
    for (const GrownTree& tree : trees) {
      if (tree.in_bag[static_cast<std::size_t>(i)]) continue;
      const GrownTree::Node* node = tree.nodes.data();
      while (node->input >= 0) {
        node = &tree.nodes[static_cast<std::size_t>(node->left + (data.x(node->input, i) > node->threshold ? 1 : 0))];
      }
      for (Index k = node->begin; k < node->end; ++k) {
        density += normal_pdf(data.y(0, i), data.y(0, tree.rows[static_cast<std::size_t>(k)]), 0.3) /
                   static_cast<double>(node->end - node->begin);
      }
      ++unseen;
    }
    if (unseen == 0) continue;
    sum -= std::log(density / unseen);
    ++count;
  }
  ASSERT_TRUE(model.report().score().has_value());
  EXPECT_NEAR(model.report().score()->value, sum / static_cast<double>(count), 1e-6);
}

TEST(Forest, ShufflingTellsWhatMatters) {
  const Dataset data = mixed_data(600, 9);
  const Vector found = Forest::fit(data, {.n_trees = 40}).feature_importances();
  EXPECT_NEAR(found.sum(), 1.0, 1e-12);
  EXPECT_GT(found[0], 0.1);
  EXPECT_LT(found[1], 0.02);
  EXPECT_GT(found.tail(3).sum(), 0.5);
  EXPECT_EQ(found[2], found[3]) << "indicators share";
}

TEST(Forest, LevelsThatItHasNotSeenAndGroupsOfNumbers) {
  Dataset data = mixed_data(200, 10);
  const Forest model = Forest::fit(data, {.n_trees = 10});
  EXPECT_EQ(model.state().positions.cols(), 10);
  Matrix x = data.x;
  x(2, 0) = 0.25;  // no indicator any more
  data.x = x;
  const Forest numbers = Forest::fit(data, {.n_trees = 10});
  EXPECT_EQ(numbers.state().positions.size(), 0);
  EXPECT_TRUE(numbers.log_density(data.x, data.y).allFinite());
  Matrix odd = data.x.leftCols(2);
  odd.bottomRows(3).setConstant(1);  // several levels at a time
  EXPECT_TRUE(model.log_density(odd, data.y.leftCols(2)).allFinite());
}

TEST(Forest, ManyRowsOfFewValuesAndFewRowsOfATree) {
  const Dataset data = mixed_data(3000, 11);
  ForestOptions options{.n_trees = 10, .max_rows = 200, .max_bins = 8, .n_atoms = 20, .tuning_rows = 300};
  const Forest model = Forest::fit(data, options, {.threads = 2, .observer = {}});
  EXPECT_EQ(model.state().atoms.cols(), 20);
  std::vector<double> thresholds;
  for (Index k = 0; k < model.state().nodes.cols(); ++k) {
    if (model.state().nodes(0, k) == 0) thresholds.push_back(model.state().nodes(1, k));
  }
  std::sort(thresholds.begin(), thresholds.end());
  EXPECT_LE(std::unique(thresholds.begin(), thresholds.end()) - thresholds.begin(), 7);
  EXPECT_LT(-model.log_density(data.x, data.y).mean(), 0.9);
}

TEST(Forest, AWeightOfSharesCountsRows) {
  Dataset data = mixed_data(200, 12);
  data.weights = Vector::Constant(200, 1e-3);
  const Forest shares = Forest::fit(data, {.n_trees = 5});
  data.weights = {};
  const Forest plain_rows = Forest::fit(data, {.n_trees = 5});
  EXPECT_LT((shares.log_density(data.x, data.y) - plain_rows.log_density(data.x, data.y)).cwiseAbs().maxCoeff(), 1e-6);
}

TEST(Forest, DamagedFilesAreRefused) {
  const Forest model = Forest::fit(mixed_data(50, 13), {.n_trees = 3});
  const Document saved = save_density(model);
  const auto refused = [&](const char* name, const Document& part) {
    Document parameters = saved.at("parameters");
    Document changed = saved;
    changed.set("parameters", parameters.set(name, part));
    return complaint<FormatError>([&] { load_density(changed); });
  };
  const ForestState& state = model.state();
  Matrix nodes = state.nodes;
  nodes(2, 0) = 0;
  EXPECT_NE(refused("nodes", nodes).find("a child is 0, expected a whole number from 1"), std::string::npos);
  nodes = state.nodes;
  nodes(0, 0) = 3;
  EXPECT_NE(refused("nodes", nodes).find("an input is 3, expected a whole number from -1 to 2"), std::string::npos);
  Vector atoms = state.entry_atoms;
  atoms[0] = static_cast<double>(state.atoms.cols());
  EXPECT_NE(refused("entry_atoms", atoms).find("an atom is "), std::string::npos);
  Vector weights = state.entry_weights;
  weights[0] = 2;
  EXPECT_NE(refused("entry_weights", weights).find("a share of a leaf is above 1"), std::string::npos);
  Vector leaves = state.leaves;
  leaves[1] = leaves[0];
  EXPECT_NE(refused("leaves", leaves).find("a leaf is empty"), std::string::npos);
  Vector roots = state.roots;
  roots[1] = 0.5;
  EXPECT_NE(refused("roots", roots).find("a root is 0.5"), std::string::npos);
  EXPECT_NE(refused("positions", Matrix(5, 2)).find("positions"), std::string::npos);
  EXPECT_NE(refused("positions", Matrix(0, 0)).find("a category has no positions"), std::string::npos);
  Vector groups = state.groups;
  groups[0] = 1;
  EXPECT_NE(refused("groups", groups).find("a group is 1"), std::string::npos);
}

TEST(Forest, EmptyListsAreNamed) {
  const Dataset data = mixed_data(20, 14);
  const auto complaint_of = [&](const ForestOptions& options) {
    return complaint([&] { Forest::fit(data, options); });
  };
  EXPECT_EQ(complaint_of({.min_samples_leaf = {}}),
            "ConditionalForest: min_samples_leaf is empty, expected at least one number >= 1");
  EXPECT_EQ(complaint_of({.max_features = {}}),
            "ConditionalForest: max_features is empty, expected at least one number in [0, 1]");
  EXPECT_EQ(complaint_of({.bandwidth_y = {}}),
            "ConditionalForest: bandwidth_y is empty, expected at least one number > 0");
  EXPECT_EQ(complaint_of({.sensitivity = {}}),
            "ConditionalForest: sensitivity is empty, expected at least one number in [0, 1]");
}

}  // namespace
}  // namespace condens::forest_test
