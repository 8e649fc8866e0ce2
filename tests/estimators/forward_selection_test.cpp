// Forward selection against a plain loop of fits, and LSCDE's scores on subsets against the
// paper's formulas cell by cell (support/plain_lscde.hpp).

#include "condens/estimators/forward_selection.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "condens/core/random.hpp"
#include "condens/data/folds.hpp"
#include "condens/estimators/lscde.hpp"
#include "condens/io/document_format.hpp"
#include "condens/registry.hpp"
#include "support/complaint.hpp"
#include "support/plain_lscde.hpp"

namespace condens::forward_selection_test {
namespace {

/// y follows input 2 (counting from 0) and, less, input 0; the others say nothing.
Dataset two_of(Index inputs, Index n, std::uint64_t seed = 1) {
  RandomStream random(seed);
  Matrix x(inputs, n);
  Matrix y(1, n);
  for (Index i = 0; i < n; ++i) {
    for (Index k = 0; k < inputs; ++k) x(k, i) = random.normal();
    y(0, i) = 1.5 * x(2, i) + 0.8 * x(0, i) + 0.3 * random.normal();
  }
  return {.x = x, .y = y};
}

/// A small grid, so that fits are quick.
Document small_grid() {
  Document out;
  out.set("bandwidth", Document(std::vector<double>{0.3, 1.0})).set("bandwidth_y", Document(std::vector<double>{0.3}));
  out.set("regularization", Document(std::vector<double>{0.01, 0.3})).set("refine", false);
  return out.set("n_centers", 25);
}

Document forward_options(const Document& inner = small_grid()) {
  Document out;
  out.set("selection_rule", "minimum");
  return out.set("options", inner).set("cv", Document(std::vector<double>{3}));
}

ForwardSelection forward(const Dataset& data, const Document& options = forward_options(),
                         const Run& run = {.threads = 1, .observer = {}}) {
  const auto model = find_model("forward").fit(data, "recommended", options, run);
  return dynamic_cast<const ForwardSelection&>(*model);
}

struct Path {
  std::vector<Index> order;
  std::vector<double> scores;
};

/// The wrapper as one would write it: every subset fitted anew, one after the other.
template <class Score>
Path plain_forward(Index inputs, const Score& score) {
  Path path{{}, {score(std::vector<Index>{})}};
  while (std::ssize(path.order) < inputs) {
    double best = std::numeric_limits<double>::infinity();
    Index entering = -1;
    for (Index k = 0; k < inputs; ++k) {
      if (std::find(path.order.begin(), path.order.end(), k) != path.order.end()) continue;
      std::vector<Index> rows = path.order;
      rows.push_back(k);
      std::sort(rows.begin(), rows.end());
      const double own = score(rows);
      if (own < best) {
        best = own;
        entering = k;
      }
    }
    if (!(best < path.scores.back())) break;
    path.order.push_back(entering);
    path.scores.push_back(best);
  }
  return path;
}

std::vector<Index> order_of(const ForwardSelection& model) {
  std::vector<Index> out;
  for (Index rank = 1; rank <= model.state().ranking.size(); ++rank) {
    for (Index k = 0; k < model.state().ranking.size(); ++k) {
      if (model.state().ranking[k] == static_cast<double>(rank)) out.push_back(k);
    }
  }
  return out;
}

struct Variant {
  Scoring scoring;
  bool masked;
  bool kmeans;
  bool weighted;
};

class ForwardLscde : public ::testing::TestWithParam<Variant> {};

TEST_P(ForwardLscde, EqualsALoopOfFits) {
  const Variant variant = GetParam();
  Dataset data = two_of(4, 70);
  if (variant.weighted) {
    data.weights = Vector::Ones(70);
    for (Index i = 0; i < 70; ++i) data.weights[i] = static_cast<double>(i % 3);  // zeros, too
  }
  Document inner = small_grid();
  inner.set("mask_centers", variant.masked).set("center_selection", variant.kmeans ? "kmeans" : "random");
  LscdeOptions options;
  set_options(options, "LSCDE", inner);
  options.cv = {3};
  options.scoring = variant.scoring;
  const auto score = [&](const std::vector<Index>& rows) {
    return Lscde::fit(select_inputs(data, rows), options).report().details.at("score").as_number();
  };
  const Path expected = plain_forward(4, score);
  ASSERT_GE(expected.order.size(), 2U) << "the data are meant to have two inputs that matter";

  Document outer = forward_options(inner);
  outer.set("scoring", choice_names<Scoring>[static_cast<std::size_t>(variant.scoring)]);
  const ForwardSelection model = forward(data, outer, {.threads = 2, .observer = {}});
  EXPECT_EQ(order_of(model), expected.order);
  ASSERT_EQ(model.scores().size(), std::ssize(expected.scores));
  for (Index i = 0; i < model.scores().size(); ++i) {
    EXPECT_EQ(model.scores()[i], expected.scores[static_cast<std::size_t>(i)]) << "the same fits: the same bits";
  }
  std::vector<Index> rows = expected.order;
  std::sort(rows.begin(), rows.end());
  EXPECT_EQ(model.rows(), rows);
  const Dataset test = two_of(4, 30, 2);
  EXPECT_EQ(model.log_density(test.x, test.y),
            Lscde::fit(select_inputs(data, rows), options).log_density(select_inputs(test, rows).x, test.y));
}

INSTANTIATE_TEST_SUITE_P(Variants, ForwardLscde,
                         ::testing::Values(Variant{Scoring::nll, true, true, false},
                                           Variant{Scoring::nll, false, false, false},
                                           Variant{Scoring::squared, true, false, false},
                                           Variant{Scoring::nll, true, false, true}));

TEST(Forward, EqualsThePapersFormulasCellByCell) {
  const Index n = 36;
  const Dataset data = two_of(3, n);
  const std::vector<Index> fold = assign_folds(n, 3, 5);
  const Matrix centers = [&] {
    Matrix out(4, 12);
    out << data.x.leftCols(12), data.y.leftCols(12);
    return out;
  }();
  const std::vector<double> widths{0.5, 1.5};
  const std::vector<double> penalties{0.02, 0.5};
  const auto score = [&](const std::vector<Index>& rows) {
    double best = std::numeric_limits<double>::infinity();
    for (const double width : widths) {
      for (const double lambda : penalties) {
        double total = 0;
        for (Index k = 0; k < 3; ++k) {
          std::vector<Index> train;
          std::vector<Index> test;
          for (Index i = 0; i < n; ++i) (fold[static_cast<std::size_t>(i)] == k ? test : train).push_back(i);
          const Matrix x = data.x(rows, Eigen::all);
          const auto model =
              plain::fit(x(Eigen::all, train), data.y(Eigen::all, train), Vector::Ones(std::ssize(train)),
                         centers(rows, Eigen::all), centers.bottomRows(1), width, width, lambda);
          double sum = 0;
          for (const Index i : test) sum -= model.log_density(x.col(i), data.y.col(i));
          total += sum / static_cast<double>(test.size());
        }
        best = std::min(best, total / 3.0);
      }
    }
    return best;
  };
  const Path expected = plain_forward(3, score);
  Document inner;
  inner.set("bandwidth", Document(widths)).set("regularization", Document(penalties)).set("centers", centers);
  inner.set("standardize", false);
  Document outer;
  outer.set("options", inner).set("min_features", 0);
  outer.set("cv", Document(std::vector<double>(fold.begin(), fold.end())));
  const auto model = find_model("forward").fit(data, "paper", outer, {});
  const auto& found = dynamic_cast<const ForwardSelection&>(*model);
  EXPECT_EQ(order_of(found), expected.order);
  ASSERT_EQ(found.scores().size(), std::ssize(expected.scores));
  for (Index i = 0; i < found.scores().size(); ++i) {
    // Held-out log densities far out depend on tiny coefficients.
    EXPECT_NEAR(found.scores()[i], expected.scores[static_cast<std::size_t>(i)], 1e-9);
  }
}

TEST(Forward, ScoresFallStrictlyAndFindWhatMatters) {
  const ForwardSelection model = forward(two_of(6, 150));
  const Vector scores = model.scores();
  ASSERT_GE(scores.size(), 3);
  for (Index i = 1; i < scores.size(); ++i) EXPECT_LT(scores[i], scores[i - 1]);
  EXPECT_EQ(model.state().ranking[2], 1);
  EXPECT_EQ(model.state().ranking[0], 2);
  EXPECT_EQ(model.support()[2], 1);
  const Vector importance = model.feature_importances();
  EXPECT_NEAR(importance.sum(), 1.0, 1e-15);
  EXPECT_NEAR(importance[2], (scores[0] - scores[1]) / (scores[0] - scores[scores.size() - 1]), 1e-14);
}

TEST(Forward, OneStandardErrorKeepsTheFirstInputsThatAreAboutAsGood) {
  for (const std::uint64_t seed : {1, 2}) {
    const Dataset data = two_of(4, 80, seed);
    const ForwardSelection all = forward(data);
    Document rule = forward_options();
    const ForwardSelection model = forward(data, rule.set("selection_rule", "one_standard_error"));
    EXPECT_EQ(model.scores(), all.scores()) << "the path is the same";
    const Document::Array& steps = model.report().details.at("steps").as_array();
    const double limit = steps.back().at("score").as_number() + steps.back().at("standard_error").as_number();
    Index expected = 0;
    while (model.scores()[expected] > limit) ++expected;
    EXPECT_EQ(model.state().ranking.maxCoeff(), static_cast<double>(expected));
    EXPECT_EQ(model.support().sum(), static_cast<double>(expected));
    EXPECT_EQ(model.report().details.at("score").as_number(), model.scores()[expected]);
    EXPECT_NEAR(model.feature_importances().sum(), 1.0, 1e-15);
    const ForwardSelection three = forward(data, rule.set("min_features", 3));
    EXPECT_GE(three.support().sum(), 3.0);
  }
}

TEST(Forward, OfEqualInputsTheFirstEntersAndItsCopyNever) {
  Dataset data = two_of(3, 80);
  Matrix x(4, 80);
  x << data.x.row(2), data.x.row(1), data.x.row(2), data.x.row(0);
  data.x = x;
  const ForwardSelection model = forward(data);
  EXPECT_EQ(model.state().ranking[0], 1);
  EXPECT_EQ(model.state().ranking[3], 2);
  // A copy may enter only where it helps, as a change of the width would: with a finer grid it does not.
  Document only_one = forward_options();
  only_one.set("max_features", 1);
  EXPECT_EQ(forward(data, only_one).support(), (Vector{{1, 0, 0, 0}}));
}

TEST(Forward, IrrelevantInputsLeaveTheMarginalDensityAndSaySo) {
  Dataset data = two_of(3, 60);
  RandomStream random(7);
  Matrix y(1, 60);
  for (Index i = 0; i < 60; ++i) y(0, i) = random.normal();
  data.y = y;
  const ForwardSelection model = forward(data);
  EXPECT_EQ(model.support(), Vector::Zero(3));
  EXPECT_EQ(model.scores().size(), 1);
  ASSERT_FALSE(model.report().warnings.empty());
  EXPECT_EQ(model.report().warnings.back(),
            "no input was selected: the distribution is the marginal one, whatever the inputs");
  const Matrix two = Matrix{{0, 5}, {0, -3}, {0, 2}};
  const Vector same = model.log_density(two, Matrix::Zero(1, 2));
  EXPECT_EQ(same[0], same[1]);

  Document one = forward_options();
  one.set("min_features", 1);
  EXPECT_EQ(forward(data, one).support().sum(), 1) << "as in the paper: the empty set has no score";
  EXPECT_EQ(find_model("forward").defaults("paper").at("min_features").as_integer(), 1);
}

TEST(Forward, ConstantInputsNeverEnter) {
  Dataset data = two_of(3, 60);
  Matrix x(4, 60);
  x << Matrix::Constant(1, 60, 3.0), data.x;
  data.x = x;
  Document most = forward_options();
  most.set("min_features", 4);
  const ForwardSelection model = forward(data, most);
  EXPECT_EQ(model.support(), (Vector{{0, 1, 1, 1}}));
  ASSERT_FALSE(model.report().warnings.empty());
  EXPECT_EQ(model.report().warnings.front(), "input 1 is constant and plays no part");

  data.x = Matrix::Constant(1, 60, 3.0);
  EXPECT_EQ(forward(data).support(), Vector::Zero(1));
}

TEST(Forward, OneInputOrNone) {
  Dataset data = two_of(3, 60);
  const Dataset one = select_inputs(data, {2});
  EXPECT_EQ(forward(one).support(), Vector::Ones(1));
  const Dataset none = select_inputs(data, {});
  const ForwardSelection model = forward(none);
  EXPECT_EQ(model.support().size(), 0);
  LscdeOptions options;
  set_options(options, "LSCDE", small_grid());
  options.cv = {3};
  EXPECT_EQ(model.log_density(Matrix(0, 60), data.y), Lscde::fit(none, options).log_density(Matrix(0, 60), data.y));
  const Document saved = save_density(model);
  EXPECT_TRUE(save_density(*load_density(document_from_json(document_to_json(saved), "model"))) == saved);
}

TEST(Forward, IndicatorsOfOneInputEnterTogether) {
  // y depends on a category of three levels, of which two indicators matter.
  RandomStream random(3);
  const Index n = 120;
  Matrix x = Matrix::Zero(5, n);
  Matrix y(1, n);
  for (Index i = 0; i < n; ++i) {
    x(0, i) = random.normal();
    const Index level = i % 3;
    x(1 + level, i) = 1.0;
    x(4, i) = random.normal();
    y(0, i) = (level == 0 ? 2.0 : level == 1 ? -2.0 : 0.0) + 0.2 * random.normal();
  }
  Dataset data{.x = x, .y = y};
  data.groups = {0, 1, 1, 1, 2};
  Document outer = forward_options();
  outer.set("max_features", 1);
  const ForwardSelection model = forward(data, outer);
  EXPECT_EQ(model.state().ranking, (Vector{{0, 1, 1, 1, 0}}));
  EXPECT_LT((model.feature_importances() - Vector{{0, 1.0 / 3, 1.0 / 3, 1.0 / 3, 0}}).cwiseAbs().maxCoeff(), 1e-15);
  EXPECT_EQ(model.report().details.at("steps").as_array().back().at("inputs").as_numbers(),
            (std::vector<double>{1, 2, 3}));
}

TEST(Forward, MaxFeaturesStops) {
  Document outer = forward_options();
  outer.set("max_features", 1);
  const ForwardSelection model = forward(two_of(4, 80), outer);
  EXPECT_EQ(model.support(), (Vector{{0, 0, 1, 0}}));
}

TEST(Forward, AModelWithoutAScoreIsScoredOnHeldOutRows) {
  const Dataset data = two_of(3, 60);
  Document inner;
  inner.set("bandwidth", 0.5).set("bandwidth_y", 0.4).set("regularization", 0.1).set("n_centers", 20);
  for (const Scoring scoring : {Scoring::nll, Scoring::squared}) {
    LscdeOptions options;
    set_options(options, "LSCDE", inner);
    const std::vector<Index> fold = assign_folds(60, 4, 0);
    const double sd = std::sqrt((data.y.array() - data.y.mean()).square().sum() / 59.0);
    const auto score = [&](const std::vector<Index>& rows) {
      const Dataset subset = select_inputs(data, rows);
      double total = 0;
      for (Index k = 0; k < 4; ++k) {
        std::vector<Index> train;
        std::vector<Index> test;
        for (Index i = 0; i < 60; ++i) (fold[static_cast<std::size_t>(i)] == k ? test : train).push_back(i);
        const Dataset held_out = subset.subset(test);
        const Lscde model = Lscde::fit(subset.subset(train), options);
        const GaussianMixtures laws = model.predict(held_out.x);
        double sum = 0;
        for (Index i = 0; i < held_out.size(); ++i) {
          const GaussianMixture law = laws[i];
          const double y = held_out.y(0, i);
          // Scores of y in standard deviations, as LSCDE's own are.
          sum += scoring == Scoring::nll ? -law.log_pdf(y) - std::log(sd) : 0.5 * sd * law.squared_loss(y);
        }
        total += sum / static_cast<double>(held_out.size()) / 4.0;
      }
      return total;
    };
    const Path expected = plain_forward(3, score);
    Document outer;
    outer.set("options", inner).set("cv", Document(std::vector<double>{4}));
    outer.set("scoring", choice_names<Scoring>[static_cast<std::size_t>(scoring)]);
    const ForwardSelection model = forward(data, outer);
    EXPECT_EQ(order_of(model), expected.order);
    ASSERT_EQ(model.scores().size(), std::ssize(expected.scores));
    for (Index i = 0; i < model.scores().size(); ++i) {
      // The laws are moved to the scale of y by the reference: rounding of the move.
      EXPECT_NEAR(model.scores()[i], expected.scores[static_cast<std::size_t>(i)], 1e-11);
    }
  }
}

TEST(Forward, IsTheSameLoopAroundOtherModels) {
  const Dataset data = two_of(3, 60);
  const ModelInfo& info = find_model("ekde");
  const auto score = [&](const std::vector<Index>& rows) {
    return info.fit(select_inputs(data, rows), "paper", {}, {})->report().details.at("score").as_number();
  };
  const Path expected = plain_forward(3, score);
  ASSERT_GE(expected.order.size(), 1U);
  const auto model =
      find_model("forward").fit(data, "paper", Document::Object{{"model", "ekde"}, {"min_features", 0}}, {});
  const auto& found = dynamic_cast<const ForwardSelection&>(*model);
  EXPECT_EQ(order_of(found), expected.order);
  ASSERT_EQ(found.scores().size(), std::ssize(expected.scores));
  for (Index i = 0; i < found.scores().size(); ++i) {
    EXPECT_EQ(found.scores()[i], expected.scores[static_cast<std::size_t>(i)]);
  }
  // The likelihood of a Gaussian process is no score of held-out rows: it is scored on such.
  const auto gp = find_model("forward").fit(data, "", Document::Object{{"model", "gp"}, {"max_features", 1}}, {});
  EXPECT_EQ(dynamic_cast<const ForwardSelection&>(*gp).state().ranking[2], 1);
}

// NW-CDE chooses its widths by leaving one row out; section 3.1 scores subsets by cross-validation in folds.
TEST(Forward, AModelThatComparesInAnotherWayIsScoredByTheFoldsThatAreAskedFor) {
  const Dataset data = two_of(3, 60);
  const ModelInfo& info = find_model("nw");
  const double sd = std::sqrt((data.y.array() - data.y.mean()).square().sum() / 59.0);
  for (const Index folds : {2, 5, 10}) {
    const std::vector<Index> fold = assign_folds(60, folds, 0);
    const auto score = [&](const std::vector<Index>& rows) {
      const Dataset subset = select_inputs(data, rows);
      double total = 0;
      for (Index k = 0; k < folds; ++k) {
        std::vector<Index> train;
        std::vector<Index> test;
        for (Index i = 0; i < 60; ++i) (fold[static_cast<std::size_t>(i)] == k ? test : train).push_back(i);
        const Dataset out = subset.subset(test);
        const auto model = info.fit(subset.subset(train), "paper", {}, {});
        total -= (model->log_density(out.x, out.y).mean() + std::log(sd)) / static_cast<double>(folds);
      }
      return total;
    };
    const Path expected = plain_forward(3, score);
    const auto model = find_model("forward").fit(
        data, "paper", Document::Object{{"model", "nw"}, {"min_features", 0}, {"cv", static_cast<double>(folds)}}, {});
    const auto& found = dynamic_cast<const ForwardSelection&>(*model);
    EXPECT_EQ(order_of(found), expected.order) << folds;
    ASSERT_EQ(found.scores().size(), std::ssize(expected.scores)) << folds;
    for (Index i = 0; i < found.scores().size(); ++i) {
      EXPECT_NEAR(found.scores()[i], expected.scores[static_cast<std::size_t>(i)], 1e-11) << folds;
    }
  }
}

TEST(Forward, SubsetsAreScoredAlike) {
  // Without inputs only one candidate is left, so that LSCDE reports no score; with inputs it does.
  const Dataset data = two_of(3, 60);
  Document inner;
  inner.set("bandwidth", Document(std::vector<double>{0.3, 1})).set("bandwidth_y", 0.4).set("regularization", 0.1);
  inner.set("n_centers", 20).set("refine", false);
  const ForwardSelection both = forward(data, forward_options(inner));
  LscdeOptions options;
  set_options(options, "LSCDE", inner);
  options.cv = {3};
  const Lscde one = Lscde::fit(select_inputs(data, {2}), options);
  ASSERT_EQ(both.state().ranking[2], 1);
  EXPECT_NE(both.scores()[1], one.report().details.at("score").as_number()) << "scored on rows held out, as the first";
  // The same rows held out, but centres drawn from the others: about the same score, on the same scale.
  EXPECT_NEAR(both.scores()[1], one.report().details.at("score").as_number(), 0.2);
}

TEST(Forward, FileKeepsEveryBitAndRefusesWhatDoesNotFit) {
  const ForwardSelection model = forward(two_of(4, 80));
  const Document saved = save_density(model);
  EXPECT_TRUE(save_density(*load_density(saved)) == saved);
  const Dataset test = two_of(4, 20, 2);
  EXPECT_EQ(load_density(saved)->log_density(test.x, test.y), model.log_density(test.x, test.y));

  const auto spoiled = [&](std::string_view key, Document value) {
    Document parameters = saved.at("parameters");
    parameters.set(key, std::move(value));
    return Document(Document::Object{{"model", "forward"}, {"parameters", std::move(parameters)}});
  };
  EXPECT_THROW(load_density(spoiled("support", Vector(Vector::Zero(4)))), FormatError);
  EXPECT_THROW(load_density(spoiled("ranking", Vector(Vector::Zero(3)))), FormatError);
  EXPECT_THROW(load_density(spoiled("inner", Document::Object{{"model", "nosuch"}})), FormatError);
  EXPECT_THROW(load_density(spoiled("options", Document::Object{{"cv", "five"}})), FormatError);
  const ForwardSelection other = forward(select_inputs(two_of(3, 40), {2}));
  EXPECT_THROW(load_density(spoiled("inner", save_density(other).at("parameters").at("inner"))), FormatError);
  Document report = saved.at("parameters").at("report");
  Document details = report.at("details");
  details.set("steps", Document::Array{Document::Object{{"inputs", Document(std::vector<double>{9})}}});
  EXPECT_THROW(load_density(spoiled("report", report.set("details", details))), FormatError);
}

TEST(Forward, ObserverSeesProgressAndCancelsEveryThread) {
  const Dataset data = two_of(6, 400);
  std::vector<double> seen;
  const condens::Run run{.threads = 2, .observer = [&](std::string_view task, double fraction) {
                           EXPECT_EQ(task, "selecting inputs");
                           seen.push_back(fraction);
                           return seen.size() < 2;
                         }};
  Document outer;
  EXPECT_THROW(find_model("forward").fit(data, "recommended", outer, run), Cancelled);
  ASSERT_EQ(seen.size(), 2U);
  EXPECT_LE(seen[0], seen[1]);
  EXPECT_LT(seen[1], 1.0);
}

TEST(Forward, SaysWhatIsWrong) {
  const Dataset data = two_of(3, 40);
  const auto said = [&](std::string_view name, Document value) {
    Document options = forward_options();
    options.set(name, std::move(value));
    return complaint([&] { forward(data, options); });
  };
  EXPECT_NE(said("model", "lscdee").find("model = 'lscdee', expected one of lscde, "), std::string::npos);
  EXPECT_NE(said("model", "lscdee").find("did you mean 'lscde'?"), std::string::npos);
  EXPECT_EQ(said("model", "forward"), "ForwardSelection: model = 'forward', expected another model");
  EXPECT_EQ(said("model", 3), "ForwardSelection: model = 3, expected a text");
  EXPECT_EQ(said("model_preset", "papr"), "LSCDE: preset = 'papr', expected recommended or paper");
  EXPECT_EQ(said("options", 3), "ForwardSelection: options = 3, expected options with their values");
  EXPECT_EQ(said("options", Document::Object{{"n_centers", 0}}), "LSCDE: n_centers = 0, expected a whole number >= 1");
  EXPECT_NE(said("options", Document::Object{{"n_center", 5}}).find("LSCDE: unknown option 'n_center'"),
            std::string::npos);
  EXPECT_NE(said("options", Document::Object{{"n_center", 5}}).find("did you mean 'n_centers'?"), std::string::npos);
  EXPECT_EQ(said("options", Document::Object{{"cv", 5}}),
            "ForwardSelection: options: 'cv' is an option of ForwardSelection itself; give it there");
  EXPECT_EQ(said("options", Document::Object{{"centers", Matrix(Matrix::Zero(3, 2))}}),
            "ForwardSelection: centers have 3 numbers each, expected 4: 3 of x and 1 of y");
  EXPECT_EQ(said("cv", Document(std::vector<double>{})),
            "ForwardSelection: cv is empty, expected a number of folds or the fold of every row");
  EXPECT_NE(said("cv", Document(std::vector<double>{41})), "");
  EXPECT_EQ(said("max_features", -1), "ForwardSelection: max_features = -1, expected a whole number >= 0");
  EXPECT_EQ(said("options", small_grid().set("centers", Matrix(4, 0))), "") << "no centres are no given centres";
  Document both = forward_options();
  both.set("min_features", 3).set("max_features", 2);
  EXPECT_EQ(complaint([&] { forward(data, both); }),
            "ForwardSelection: min_features = 3, expected at most max_features = 2");
  Dataset bad = data;
  bad.y = Matrix::Constant(1, 40, 2.0);
  EXPECT_NE(complaint([&] { forward(bad); }).find("target 1 is constant"), std::string::npos);
  bad.y = Matrix::Constant(1, 39, 2.0);
  EXPECT_NE(complaint([&] { forward(bad); }).find("ForwardSelection: x has 40 rows and y has 39"), std::string::npos);
  EXPECT_THROW(find_model("forward").defaults("papr"), std::invalid_argument);
}

TEST(Forward, ASubsetWithoutADensityNeverEnters) {
  const Dataset data = two_of(3, 40);
  LscdeOptions lscde;
  set_options(lscde, "LSCDE", small_grid());
  lscde.cv = {3};
  const InnerModel inner{.options = {}, .fit = [&](const Dataset& subset, const Document&, const condens::Run&) {
                           // Any subset that has input 2 (the best one) fails.
                           for (Index k = 0; k < subset.x.rows(); ++k) {
                             if (subset.x(k, 0) == data.x(2, 0)) throw NumericalError("no density");
                           }
                           return std::make_unique<Lscde>(Lscde::fit(subset, lscde));
                         }};
  ForwardOptions options;
  options.min_features = 3;
  const ForwardSelection model = ForwardSelection::fit(data, options, inner);
  EXPECT_EQ(model.support(), (Vector{{1, 1, 0}}));
  const InnerModel never{.options = {}, .fit = [](const Dataset&, const Document&, const condens::Run&) {
                           throw NumericalError("no density");
                           return std::unique_ptr<ConditionalDensity>();
                         }};
  EXPECT_EQ(complaint<NumericalError>([&] { ForwardSelection::fit(data, options, never); }),
            "ForwardSelection: neither the density without inputs nor any input gives a density");
}

TEST(ForwardSelection, OfAJointDensityScoresTheTargetGivenTheInputs) {
  // -log p(x, y) of more columns is another quantity: by it no input would ever enter.
  const Dataset data = two_of(3, 90);
  const Document options = Document::Object{{"model", "parzen"}, {"cv", 3}, {"selection_rule", "minimum"}};
  const ForwardSelection found = forward(data, options);
  EXPECT_EQ(found.state().ranking[2], 1);
  const Vector scores = found.scores();
  ASSERT_GE(scores.size(), 2);
  // Without inputs y has log standard deviation 0 on its scale; with the strongest the rest has about half.
  EXPECT_NEAR(scores[0], 1.42, 0.15);
  EXPECT_LT(scores[1], scores[0] - 0.3);
}

}  // namespace
}  // namespace condens::forward_selection_test
