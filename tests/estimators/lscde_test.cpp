// LSCDE against the paper's formulas written as plain loops (support/plain_lscde.hpp).

#include "condens/estimators/lscde.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <numbers>

#include "condens/core/random.hpp"
#include "condens/data/folds.hpp"
#include "condens/registry.hpp"
#include "estimators/lscde/selection.hpp"
#include "support/plain_lscde.hpp"
#include "support/sanitized.hpp"

namespace condens::lscde_test {

using lscde::Problem;
using lscde::score_candidates;
using lscde::WidthGroup;

namespace {

/// y has two branches over x, and a spread that grows with x.
Dataset two_branches(Index n, Index d_x, Index d_y, std::uint64_t seed = 1) {
  RandomStream random(seed);
  Matrix x(d_x, n);
  Matrix y(d_y, n);
  for (Index i = 0; i < n; ++i) {
    for (Index k = 0; k < d_x; ++k) x(k, i) = random.normal();
    const double branch = random.uniform() < 0.5 ? -1.0 : 1.0;
    for (Index k = 0; k < d_y; ++k) {
      const double first = d_x > 0 ? x(0, i) : 0.0;
      y(k, i) = branch + 0.5 * first + 0.2 * std::exp(0.3 * first) * random.normal();
    }
  }
  return {.x = x, .y = y};
}

/// The paper's closed formula on the numbers handed in.
LscdeOptions closed_form(const Matrix& centers) {
  LscdeOptions options = LscdeOptions::paper();
  options.standardize = false;
  options.centers = centers;
  options.bandwidth = {0.7};
  options.bandwidth_y = {0.4};
  options.regularization = {0.05};
  return options;
}

Matrix joint(const Dataset& data, Index count) {
  Matrix out(data.x.rows() + data.y.rows(), count);
  out << data.x.leftCols(count), data.y.leftCols(count);
  return out;
}

void expect_equal_log_densities(const Lscde& model, const plain::Lscde& reference, const Dataset& test) {
  const Vector found = model.log_density(test.x, test.y);
  for (Index i = 0; i < test.size(); ++i) {
    const double expected = reference.log_density(test.x.col(i), test.y.col(i));
    // Sums of some tens of terms in another order: a few hundred units in the last place.
    EXPECT_NEAR(found[i], expected, 1e-12 * (1 + std::abs(expected))) << "row " << i;
  }
}

TEST(Lscde, EqualsThePapersFormulaInEveryDimension) {
  for (const auto& [d_x, d_y] : {std::pair{1, 1}, {3, 1}, {9, 1}, {2, 2}, {1, 3}, {0, 1}, {0, 2}}) {
    const Dataset data = two_branches(60, d_x, d_y);
    const auto options = closed_form(joint(data, 20));
    const Lscde model = Lscde::fit(data, options);
    const auto reference = plain::fit(data.x, data.y, Vector::Ones(60), options.centers.topRows(d_x),
                                      options.centers.bottomRows(d_y), 0.7, 0.4, 0.05);
    EXPECT_LT((model.state().coefficients - reference.alpha).norm(), 1e-12 * reference.alpha.norm());
    expect_equal_log_densities(model, reference, two_branches(40, d_x, d_y, 9));
  }
}

TEST(Lscde, ThePenaltyCanBeOfTheRatiosNorm) {
  const Dataset data = two_branches(60, 2, 1);
  auto options = closed_form(joint(data, 8));
  options.penalty = LscdePenalty::function;
  Matrix norm(8, 8);
  for (Index l = 0; l < 8; ++l) {
    for (Index m = 0; m < 8; ++m) {
      const Vector apart = options.centers.col(l) - options.centers.col(m);
      norm(l, m) = std::exp(-apart.head(2).squaredNorm() / (2 * 0.49) - apart[2] * apart[2] / (2 * 0.16));
    }
    norm(l, l) += 1e-6;
  }
  for (const double lambda : {0.05, 5.0}) {
    options.regularization = {lambda};
    const Lscde model = Lscde::fit(data, options);
    const auto reference = plain::fit(data.x, data.y, Vector::Ones(60), options.centers.topRows(2),
                                      options.centers.bottomRows(1), 0.7, 0.4, lambda, Matrix(), norm);
    EXPECT_LT((model.state().coefficients - reference.alpha).norm(), 1e-9 * reference.alpha.norm());
    expect_equal_log_densities(model, reference, two_branches(40, 2, 1, 9));
  }
}

TEST(Lscde, ThePenaltyOfTheNormIsCrossValidatedToo) {
  const Dataset data = two_branches(80, 1, 1);
  LscdeOptions options = LscdeOptions::paper();
  options.penalty = LscdePenalty::function;
  const Lscde model = Lscde::fit(data, options);
  options.bandwidth = {model.state().bandwidth};
  options.regularization = {model.state().regularization};
  EXPECT_LT((Lscde::fit(data, options).state().coefficients - model.state().coefficients).norm(), 1e-12);
  options.penalty = LscdePenalty::coefficients;
  EXPECT_GT((Lscde::fit(data, options).state().coefficients - model.state().coefficients).norm(), 1e-3);
}

TEST(Lscde, UnlabeledInputsEnterOnlyTheGramMatrix) {
  Dataset data = two_branches(50, 2, 1);
  data.x_unlabeled = two_branches(70, 2, 1, 5).x;
  const auto options = closed_form(joint(data, 15));
  const auto reference = plain::fit(data.x, data.y, Vector::Ones(50), options.centers.topRows(2),
                                    options.centers.bottomRows(1), 0.7, 0.4, 0.05, data.x_unlabeled);
  const Lscde model = Lscde::fit(data, options);
  EXPECT_LT((model.state().coefficients - reference.alpha).norm(), 1e-12 * reference.alpha.norm());
  data.x_unlabeled = Matrix();
  EXPECT_GT((Lscde::fit(data, options).state().coefficients - reference.alpha).norm(), 1e-4 * reference.alpha.norm());
}

TEST(Lscde, WeightsEqualRepeatedRows) {
  const Dataset plain_data = two_branches(40, 2, 1);
  Dataset weighted = plain_data;
  weighted.weights = Vector::Ones(40);
  std::vector<Index> rows;
  for (Index i = 0; i < 40; ++i) {
    weighted.weights[i] = static_cast<double>(i % 4);  // zeros, too
    for (Index r = 0; r < i % 4; ++r) rows.push_back(i);
  }
  for (const bool standardize : {false, true}) {
    auto options = closed_form(joint(plain_data, 15));
    options.standardize = standardize;
    options.defensive_weight = 0.01;
    const Dataset test = two_branches(30, 2, 1, 3);
    const Vector a = Lscde::fit(weighted, options).log_density(test.x, test.y);
    const Vector b = Lscde::fit(plain_data.subset(rows), options).log_density(test.x, test.y);
    EXPECT_LT((a - b).cwiseAbs().maxCoeff(), 1e-11);
  }
}

/// Every candidate's score from scratch: one fit per cell and fold, one row at a time.
double plain_score(const Dataset& data, const std::vector<Index>& fold, Index folds, const Matrix& centers,
                   const std::vector<Index>& center_fold, const LscdeOptions& options, double s_x, double s_y,
                   double lambda) {
  double total = 0;
  for (Index k = 0; k < folds; ++k) {
    std::vector<Index> train, test, active;
    for (Index i = 0; i < data.size(); ++i) (fold[i] == k ? test : train).push_back(i);
    for (Index l = 0; l < centers.cols(); ++l) {
      if (center_fold[l] != k) active.push_back(l);
    }
    const Matrix c = centers(Eigen::all, active);
    auto model = plain::fit(data.x(Eigen::all, train), data.y(Eigen::all, train), Vector::Ones(train.size()),
                            c.topRows(data.x.rows()), c.bottomRows(data.y.rows()), s_x, s_y, lambda);
    model.defensive = options.defensive_weight;
    model.defensive_mean = data.y.rowwise().mean();
    model.defensive_scale =
        2 * ((data.y.colwise() - model.defensive_mean).rowwise().squaredNorm() / static_cast<double>(data.size() - 1))
                .cwiseSqrt();
    double sum = 0;
    for (const Index i : test) {
      sum += options.scoring == Scoring::nll ? -model.log_density(data.x.col(i), data.y.col(i))
                                             : plain::squared_error(model, data.x.col(i), data.y(0, i));
    }
    total += sum / static_cast<double>(test.size());
  }
  return total / static_cast<double>(folds);
}

class LscdeSelection : public ::testing::TestWithParam<std::tuple<bool, Scoring, double>> {};

TEST_P(LscdeSelection, ScoresEqualTheSameComputedFromScratch) {
  const auto& [mask, scoring, defensive] = GetParam();
  const Index n = 41;
  const Dataset data = two_branches(n, 2, 1);
  const auto fold = assign_folds(n, 3, 11);
  LscdeOptions options;
  options.metric = LscdeMetric::none;
  options.standardize = false;
  options.refine = false;
  options.n_centers = n;  // all samples are centres, so that a centre's fold is known
  options.mask_centers = mask;
  options.scoring = scoring;
  options.defensive_weight = defensive;
  options.bandwidth = {0.02, 0.3, 2.0};  // 0.02: kernels underflow between samples
  options.bandwidth_y = {0.15, 0.6};
  options.regularization = {1e-3, 1.0};
  options.cv.assign(fold.begin(), fold.end());
  const Lscde model = Lscde::fit(data, options);

  const Document& candidates = model.report().details.at("candidates");
  const Vector widths = candidates.at("bandwidth").as_vector();
  const Vector widths_y = candidates.at("bandwidth_y").as_vector();
  const Vector penalties = candidates.at("regularization").as_vector();
  const Vector scores = candidates.at("score").as_vector();
  ASSERT_EQ(scores.size(), 12);
  const std::vector<Index> center_fold = mask ? fold : std::vector<Index>(n, -1);
  double best = std::numeric_limits<double>::infinity();
  for (Index c = 0; c < scores.size(); ++c) {
    if (sanitized && c % 5 != 0) continue;  // of every width and penalty one
    const double expected =
        plain_score(data, fold, 3, joint(data, n), center_fold, options, widths[c], widths_y[c], penalties[c]);
    // A held-out log density far out depends on tiny coefficients: relative, not absolute, agreement.
    EXPECT_NEAR(scores[c], expected, 1e-9 * (1 + std::abs(expected)))
        << widths[c] << ", " << widths_y[c] << ", " << penalties[c];
    best = std::min(best, expected);
  }
  if (sanitized) return;
  EXPECT_NEAR(model.report().details.at("score").as_number(), best, 1e-9 * (1 + std::abs(best)));
}

INSTANTIATE_TEST_SUITE_P(Variants, LscdeSelection,
                         ::testing::Combine(::testing::Bool(), ::testing::Values(Scoring::nll, Scoring::squared),
                                            ::testing::Values(0.0, 0.01)));

TEST(Lscde, NonnegativeCoefficientsAreNoWorseThanClippedOnes) {
  const Dataset data = two_branches(80, 1, 1);
  auto options = closed_form(joint(data, 40));
  options.regularization = {1e-4};
  const Vector clipped = Lscde::fit(data, options).state().coefficients;
  options.coefficients = LscdeCoefficients::nonnegative;
  const Vector exact = Lscde::fit(data, options).state().coefficients;
  const Matrix centers = options.centers;
  const auto objective = [&](const Vector& alpha) {
    // 0.5 a'(H + lambda)a - h'a from its plain ingredients.
    double value = 0.5 * 1e-4 * alpha.squaredNorm();
    for (Index i = 0; i < data.size(); ++i) {
      Vector phi(40);
      for (Index l = 0; l < 40; ++l) {
        phi[l] = std::exp(-std::pow(data.x(0, i) - centers(0, l), 2) / (2 * 0.49));
        value -= alpha[l] * phi[l] * std::exp(-std::pow(data.y(0, i) - centers(1, l), 2) / (2 * 0.16)) / 80;
      }
      for (Index l = 0; l < 40; ++l) {
        for (Index m = 0; m < 40; ++m) {
          value += 0.5 * alpha[l] * alpha[m] * phi[l] * phi[m] * std::sqrt(std::numbers::pi) * 0.4 *
                   std::exp(-std::pow(centers(1, l) - centers(1, m), 2) / (4 * 0.16)) / 80;
        }
      }
    }
    return value;
  };
  EXPECT_GE(exact.minCoeff(), 0.0);
  EXPECT_LT(objective(exact), objective(clipped) - 1e-6);
}

TEST(Lscde, WidthsOfInputsAreSoughtBeyondTheEndOfTheirList) {
  RandomStream random(1);
  Dataset data{.x = Matrix(1, 400), .y = Matrix(1, 400)};
  Matrix x(1, 400);
  Matrix y(1, 400);
  for (Index i = 0; i < 400; ++i) {
    x(0, i) = random.uniform();
    y(0, i) = std::sin(40 * x(0, i)) + 0.1 * random.normal();
  }
  data.x = x;
  data.y = y;
  LscdeOptions options;
  options.bandwidth = {0.8, 0.2};  // in no order
  options.bandwidth_y = {0.2, 0.4};
  options.regularization = {0.01};
  const Lscde beyond = Lscde::fit(data, options);
  EXPECT_LT(beyond.state().bandwidth, 0.1);
  EXPECT_TRUE(beyond.report().warnings.size() <= 1);  // of bandwidth_y at most, whose list is kept
  options.refine = false;
  const Lscde within = Lscde::fit(data, options);
  EXPECT_EQ(within.state().bandwidth, 0.2);
  EXPECT_LT(beyond.report().details.at("score").as_number(), within.report().details.at("score").as_number() - 0.2);
}

/// A narrow ridge that few kernels cannot follow.
Dataset ridge(Index n, std::uint64_t seed) {
  RandomStream random(seed);
  Matrix x(1, n);
  Matrix y(1, n);
  for (Index i = 0; i < n; ++i) {
    x(0, i) = 4 * random.uniform();
    y(0, i) = std::sin(4 * x(0, i)) + 0.05 * random.normal();
  }
  return {.x = x, .y = y};
}

TEST(Lscde, CentersDoubleAsLongAsRowsLeftOutGain) {
  const Dataset data = ridge(500, 3);
  const Dataset test = ridge(500, 4);
  const LscdeOptions few{.n_centers = 8, .max_centers = 15};
  const Lscde small = Lscde::fit(data, few);
  EXPECT_EQ(small.state().coefficients.size(), 8);
  EXPECT_EQ(small.report().details.find("scores_of_more_centers"), nullptr);
  LscdeOptions many = few;
  many.max_centers = 1000;
  const Lscde large = Lscde::fit(data, many);
  EXPECT_EQ(large.state().coefficients.size(), 64);  // 128 are more than a quarter of the rows
  EXPECT_GT(large.log_density(test.x, test.y).mean(), small.log_density(test.x, test.y).mean() + 0.3);
  const Vector scores = large.report().details.at("scores_of_more_centers").as_vector();
  for (Index k = 1; k < scores.size(); ++k) EXPECT_LT(scores[k], scores[k - 1]);
}

TEST(Lscde, FoldsThatOnlyTrainLeaveTheScoresOfTheOthersAsTheyAre) {
  const Dataset data = two_branches(90, 2, 1);
  Problem problem;
  problem.x = data.x;
  problem.y = data.y;
  problem.weights = Vector::Ones(90);
  problem.x_unlabeled.resize(2, 0);
  problem.centers_x = data.x.leftCols(20);
  problem.centers_y = data.y.leftCols(20);
  problem.fold_begin = {0, 30, 90};
  problem.center_fold.assign(20, 0);
  std::fill(problem.center_fold.begin() + 10, problem.center_fold.end(), 1);
  problem.coefficients = LscdeCoefficients::clipped;
  problem.scoring = Scoring::nll;
  Task task({}, "scoring", 1);
  const std::vector<WidthGroup> groups = {{0.5, {0.3, 0.6}}, {1.0, {0.4}}};
  const auto both = score_candidates(problem, groups, {0.1, 0.01}, task);
  problem.unscored_folds = 1;
  const auto first = score_candidates(problem, groups, {0.1, 0.01}, task);
  ASSERT_EQ(first.size(), both.size());
  for (std::size_t k = 0; k < first.size(); ++k) {
    EXPECT_EQ(first[k].score, both[k].folds[0]);
    EXPECT_EQ(first[k].standard_error, 0.0);
  }
}

TEST(Lscde, ThreadsDoNotChangeOneBit) {
  for (const Index n : {300, 14000}) {  // 14,000 rows: all threads work inside one width
    const Dataset data = two_branches(n, 2, 1);
    LscdeOptions options;
    options.refine = false;
    options.bandwidth = {0.2, 0.8};
    options.bandwidth_y = {0.3, 0.6};
    options.regularization = {0.01, 0.1};
    if (n > 1000) {
      options.metric = LscdeMetric::none;
      options.bandwidth = {0.8};
      options.bandwidth_y = {0.3};
      options.n_centers = 300;  // 4,200,000 distances
      options.max_centers = 300;
    }
    const Document one = Lscde::fit(data, options, {.threads = 1, .observer = {}}).to_document();
    for (const int threads : {2, 7}) {
      if ((n > 1000 || sanitized) && threads == 2) continue;  // as above, and it takes long
      EXPECT_TRUE(Lscde::fit(data, options, {.threads = threads, .observer = {}}).to_document() == one)
          << n << " rows, " << threads << " threads";
    }
  }
}

TEST(Lscde, ObserverSeesProgressAndCancels) {
  const Dataset data = two_branches(20000, 3, 1);
  std::vector<double> seen;
  const condens::Run run{.threads = 2, .observer = [&](std::string_view, double fraction) {
                           seen.push_back(fraction);
                           return seen.size() < 3;
                         }};
  EXPECT_THROW(Lscde::fit(data, {}, run), Cancelled);
  ASSERT_EQ(seen.size(), 3U);
  EXPECT_LE(seen[0], seen[1]);
  EXPECT_LE(seen[2], 1.0);
}

TEST(Lscde, ReportsAnEdgeOfTheGridAndConstantInputs) {
  Dataset data = two_branches(100, 2, 1);
  Matrix x = data.x;
  x.row(1).setConstant(3.0);
  data.x = std::move(x);
  LscdeOptions options = LscdeOptions::paper();
  options.bandwidth = {5, 10};
  const auto warnings = Lscde::fit(data, options).report().warnings;
  ASSERT_GE(warnings.size(), 2U);
  EXPECT_EQ(warnings[0], "input 2 is constant and plays no part");
  EXPECT_NE(warnings[1].find("bandwidth 5 is the smallest candidate"), std::string::npos);
}

TEST(Lscde, FewerRowsThanCentersUsesThemAll) {
  const Dataset data = two_branches(30, 1, 1);
  EXPECT_EQ(Lscde::fit(data).state().coefficients.size(), 30);
}

struct BadCall {
  std::string_view what;
  std::function<void(Dataset&, LscdeOptions&)> spoil;
  std::string_view words;
};

TEST(Lscde, SaysWhatIsWrong) {
  const std::vector<BadCall> calls = {
      {"constant target", [](Dataset& d, LscdeOptions&) { d.y = Matrix::Constant(1, 50, 2.0); },
       "target 1 is constant (2 in every row)"},
      {"no target", [](Dataset& d, LscdeOptions&) { d.y = Matrix(0, 50); }, "target"},
      {"NaN", [](Dataset& d, LscdeOptions&) { d.x = Matrix::Constant(2, 50, std::nan("")); }, "NaN"},
      {"negative weight",
       [](Dataset& d, LscdeOptions&) {
         d.weights = Vector::Ones(50);
         d.weights[3] = -1;
       },
       "weight"},
      {"no weight", [](Dataset& d, LscdeOptions&) { d.weights = Vector::Zero(50); }, "weight"},
      {"empty candidates", [](Dataset&, LscdeOptions& o) { o.bandwidth = {}; }, "bandwidth is empty"},
      {"negative bandwidth", [](Dataset&, LscdeOptions& o) { o.bandwidth = {-1}; },
       "bandwidth = -1, expected a list of numbers, each > 0"},
      {"regularization 0", [](Dataset&, LscdeOptions& o) { o.regularization = {0}; }, "regularization = 0"},
      {"too many folds", [](Dataset&, LscdeOptions& o) { o.cv = {51}; }, "fold"},
      {"one fold", [](Dataset&, LscdeOptions& o) { o.cv = {1}; }, "fold"},
      {"centers of another dimension", [](Dataset&, LscdeOptions& o) { o.centers = Matrix::Zero(2, 4); },
       "centers have 2 numbers each, expected 3"},
      {"defensive weight 1", [](Dataset&, LscdeOptions& o) { o.defensive_weight = 1; }, "in [0, 1)"},
  };
  for (const BadCall& call : calls) {
    Dataset data = two_branches(50, 2, 1);
    LscdeOptions options;
    call.spoil(data, options);
    try {
      Lscde::fit(data, options);
      ADD_FAILURE() << call.what << ": no error";
    } catch (const std::invalid_argument& error) {
      EXPECT_NE(std::string_view(error.what()).find(call.words), std::string_view::npos)
          << call.what << ": " << error.what();
    }
  }
}

TEST(Lscde, CentersOutOfReachAreAnError) {
  const Dataset data = two_branches(50, 1, 1);
  auto options = closed_form(Matrix::Constant(2, 3, 1e6));
  EXPECT_THROW(Lscde::fit(data, options), NumericalError);
  options.bandwidth = {0.7, 0.8};
  EXPECT_THROW(Lscde::fit(data, options), NumericalError);
}

}  // namespace
}  // namespace condens::lscde_test
