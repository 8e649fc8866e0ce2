// Kernel quantile regression as a model: its quantiles by plain loops, the law between them, the
// choice of the candidates, and every message.

#include "condens/estimators/kernel_quantile_regression.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "condens/core/errors.hpp"
#include "condens/core/random.hpp"
#include "condens/data/folds.hpp"
#include "support/complaint.hpp"
#include "support/plain_kqr.hpp"

namespace condens::kqr_test {
namespace {

Dataset wave(Index n, Index d_x, std::uint64_t seed = 1) {
  RandomStream random(seed);
  Matrix x(d_x, n);
  Matrix y(1, n);
  for (Index i = 0; i < n; ++i) {
    for (Index k = 0; k < d_x; ++k) x(k, i) = random.normal();
    y(0, i) = (d_x > 0 ? std::sin(2 * x(0, i)) : 0.0) + 0.5 * random.normal();
  }
  return {.x = x, .y = y};
}

/// One candidate of everything: the numbers handed in, nothing added.
KqrOptions closed_form() {
  KqrOptions out;
  out.quantile_levels = {0.2, 0.5, 0.7};
  out.bandwidth = {0.8};
  out.regularization = {0.3};
  out.loss = KqrLoss::sum;
  out.spread = {0.6};
  out.bandwidth_y_floor = {0.05};
  out.defensive_weight = 0;
  out.standardize = false;
  return out;
}

Matrix plain_kernel(const Matrix& a, const Matrix& b, double width) {
  Matrix out(a.cols(), b.cols());
  for (Index i = 0; i < a.cols(); ++i) {
    for (Index j = 0; j < b.cols(); ++j) {
      out(i, j) = std::exp(-(a.col(i) - b.col(j)).squaredNorm() / (2 * width * width));
    }
  }
  return out;
}

TEST(Kqr, SolvesThePapersProblemAtEveryLevel) {
  const Dataset data = wave(40, 2);
  const KqrOptions options = closed_form();
  const Kqr model = Kqr::fit(data, options);
  const Matrix kernel = plain_kernel(data.x, data.x, 0.8);
  for (Index j = 0; j < 3; ++j) {
    const plain::QuantileProblem problem{.kernel = kernel,
                                         .y = data.y.row(0).transpose(),
                                         .weights = Vector::Ones(40),
                                         .level = options.quantile_levels[static_cast<std::size_t>(j)],
                                         .penalty = 0.3};
    const double least = plain::least_by_exchange(problem);
    EXPECT_NEAR(problem.objective(model.state().coefficients.col(j), model.state().intercepts[j]), least, 1e-6 * least);
    EXPECT_LE(model.state().relative_gaps[j], 1e-9);
  }
}

TEST(Kqr, QuantilesAreTheFunctionsPutInOrder) {
  const Dataset data = wave(30, 1);
  const Kqr model = Kqr::fit(data, closed_form());
  const Matrix x = wave(300, 1, 2).x;
  Matrix expected =
      (model.state().coefficients.transpose() * plain_kernel(data.x, x, 0.8)).colwise() + model.state().intercepts;
  for (Index i = 0; i < x.cols(); ++i) std::sort(expected.col(i).begin(), expected.col(i).end());
  const Matrix found = model.quantiles(x, {.threads = 1, .observer = {}});
  EXPECT_LT((found - expected).cwiseAbs().maxCoeff(), 1e-12);
  EXPECT_EQ(model.quantiles(x, {.threads = 7, .observer = {}}), found);
}

TEST(Kqr, QuantilesKeepTheirShareOfTheRows) {
  const Dataset data = wave(200, 1);
  KqrOptions options;
  options.regularization = {1e-3};
  options.bandwidth = {0.7};
  const Kqr model = Kqr::fit(data, options);
  const Matrix quantiles = model.quantiles(data.x);
  for (Index j = 0; j < quantiles.rows(); ++j) {
    const double level = model.quantile_levels()[static_cast<std::size_t>(j)];
    const double below = (data.y.row(0).array() < quantiles.row(j).array()).cast<double>().mean();
    EXPECT_NEAR(below, level, 0.1);  // elbows hold some ten rows of 200
  }
}

TEST(Kqr, TheLawHasOneComponentForEveryIntervalAndTail) {
  const Dataset data = wave(50, 1);
  const Kqr model = Kqr::fit(data, closed_form());
  const Matrix x = Matrix::Constant(1, 1, 0.3);
  const Vector q = model.quantiles(x).col(0);
  const GaussianMixture law = model.predict(x)[0];
  ASSERT_EQ(law.n_components(), 4);
  const auto normal_density = [](double z) { return std::exp(-z * z / 2) / std::sqrt(2 * std::numbers::pi); };
  const double z20 = -0.841621233572914;  // Phi^-1(0.2), (0.5), (0.7)
  const double z70 = 0.524400512708041;
  const double low = normal_density(z20) / 0.2;
  const double high = normal_density(z70) / 0.3;
  const double h_low = (q[1] - q[0]) / -z20;
  const double h_high = (q[2] - q[1]) / z70;
  const Vector weights{{0.2, 0.3, 0.2, 0.3}};
  const Vector means{{q[0] - (low + z20) * h_low, (q[0] + q[1]) / 2, (q[1] + q[2]) / 2, q[2] + (high - z70) * h_high}};
  const Vector scales{{std::max(0.05, std::sqrt(1 - z20 * low - low * low) * h_low), 0.6 * (q[1] - q[0]),
                       0.6 * (q[2] - q[1]), std::max(0.05, std::sqrt(1 + z70 * high - high * high) * h_high)}};
  EXPECT_LT((law.weights() - weights).cwiseAbs().maxCoeff(), 1e-12);
  EXPECT_LT((law.means().row(0).transpose() - means).cwiseAbs().maxCoeff(), 1e-9);
  EXPECT_LT((law.scales().row(0).transpose() - scales.cwiseMax(0.05)).cwiseAbs().maxCoeff(), 1e-9);
}

/// (phi(z), z) at z = Phi^-1(0.8).
constexpr double z80 = 0.841621233572914;
double normal_density(double z) { return std::exp(-z * z / 2) / std::sqrt(2 * std::numbers::pi); }

double pinball_loss(double level, const Matrix& y, const Matrix& quantiles) {
  double out = 0;
  for (Index i = 0; i < y.cols(); ++i) {
    const double r = y(0, i) - quantiles(0, i);
    out += (r > 0 ? level * r : (level - 1) * r) / static_cast<double>(y.cols());
  }
  return out;
}

TEST(Kqr, OneLevelAloneIsTheQuantileOfAGaussian) {
  const Dataset data = wave(50, 1);
  KqrOptions options = closed_form();
  options.quantile_levels = {0.5, 0.8};
  const Kqr both = Kqr::fit(data, options);
  options.quantile_levels = {0.8};
  const Kqr model = Kqr::fit(data, options);
  const Matrix q = model.quantiles(data.x);
  EXPECT_LT((q - both.quantiles(data.x).bottomRows(1)).cwiseAbs().maxCoeff(), 1e-7);
  const double scale = 0.6 * pinball_loss(0.8, data.y, q) / normal_density(z80);
  for (const Index i : {0, 7, 49}) {
    const GaussianMixture law = model.predict(data.x.col(i))[0];
    ASSERT_EQ(law.n_components(), 1);
    EXPECT_NEAR(law.means()(0, 0), q(0, i) - z80 * scale, 1e-9);
    EXPECT_NEAR(law.scales()(0, 0), scale, 1e-9);
    EXPECT_NEAR(law.cdf(q(0, i)), 0.8, 1e-9);
  }
  EXPECT_EQ(model.report().details.at("crossing_rate").as_number(), 0);
}

TEST(Kqr, OneLevelTakesItsWidthFromHeldOutRows) {
  const Dataset data = wave(40, 1);
  KqrOptions options = closed_form();
  options.quantile_levels = {0.8};
  options.spread = {0.6, 0.9, 1.3};
  const Kqr model = Kqr::fit(data, options);
  const std::vector<Index> fold = assign_folds(40, 5, 0);
  KqrOptions one = closed_form();
  one.quantile_levels = {0.8};
  Matrix q(1, 40);
  for (Index k = 0; k < 5; ++k) {
    std::vector<Index> train;
    std::vector<Index> test;
    for (Index i = 0; i < 40; ++i) (fold[static_cast<std::size_t>(i)] == k ? test : train).push_back(i);
    q(Eigen::all, test) = Kqr::fit(data.subset(train), one).quantiles(data.x(Eigen::all, test));
  }
  const double unit = pinball_loss(0.8, data.y, q) / normal_density(z80);
  double least = 1e300;
  double chosen = 0;
  for (const double spread : options.spread) {
    const double h = spread * unit;
    double nll = 0;
    for (Index i = 0; i < 40; ++i) {
      const double z = (data.y(0, i) - (q(0, i) - z80 * h)) / h;
      nll += (std::log(h) - std::log(normal_density(z))) / 40;
    }
    if (nll < least) {
      least = nll;
      chosen = h;
    }
  }
  EXPECT_NEAR(model.state().spread, chosen, 1e-7);
  EXPECT_NEAR(model.report().details.at("score").as_number(), least, 1e-7);
}

TEST(Kqr, AFloorThatPlaysNoPartIsTheWidest) {
  KqrOptions options = closed_form();
  options.quantile_levels = {0.1, 0.9};  // half a standard deviation of the interval is above all floors
  options.bandwidth = {0.8, 2.0};
  options.regularization = {10.0};
  options.bandwidth_y_floor = {0.01, 0.03, 0.1};
  options.cv = {4};
  EXPECT_EQ(Kqr::fit(wave(40, 1), options).state().bandwidth_y_floor, 0.1);
}

TEST(Kqr, OneLevelAtItsExtremesAndOfFewRows) {
  for (const double level : {1e-300, 1e-13, 0.5, 0.97, 1 - 1e-15}) {
    KqrOptions options;
    options.quantile_levels = {level};
    for (const Index n : {2, 3, 4, 5, 30}) {
      const Dataset data = wave(n, 1);
      const Kqr model = Kqr::fit(data, options);
      EXPECT_TRUE(model.log_density(data.x, data.y).allFinite()) << level << " of " << n;
      const Kqr loaded = Kqr::from_document(model.to_document());
      EXPECT_EQ(loaded.log_density(data.x, data.y), model.log_density(data.x, data.y));
    }
  }
}

TEST(Kqr, FewerRowsThanFoldsAreTheirOwnFolds) {
  for (const Index n : {2, 3, 4}) {
    const Kqr model = Kqr::fit(wave(n, 1));
    EXPECT_TRUE(std::isfinite(model.report().details.at("score").as_number())) << n;
  }
}

TEST(Kqr, ComparesCandidatesOnRowsThatTheyHaveNotSeen) {
  const Dataset data = wave(40, 1);
  KqrOptions options = closed_form();
  options.bandwidth = {0.5, 1.5};
  options.regularization = {0.1, 1.0};
  options.refine = false;
  options.scoring = KqrScoring::pinball;
  const Kqr model = Kqr::fit(data, options);
  const Document& found = model.report().details.at("candidates");
  const std::vector<Index> fold = assign_folds(40, 5, 0);
  Index row = 0;
  double least = 1e300;
  for (const double width : options.bandwidth) {
    for (const double penalty : options.regularization) {
      double score = 0;
      for (Index k = 0; k < 5; ++k) {
        std::vector<Index> train;
        std::vector<Index> test;
        for (Index i = 0; i < 40; ++i) (fold[static_cast<std::size_t>(i)] == k ? test : train).push_back(i);
        KqrOptions one = closed_form();
        one.bandwidth = {width};
        one.regularization = {penalty};
        const Dataset held_out = data.subset(test);
        const Matrix quantiles = Kqr::fit(data.subset(train), one).quantiles(held_out.x);
        for (Index i = 0; i < quantiles.cols(); ++i) {
          for (Index j = 0; j < 3; ++j) {
            const double r = held_out.y(0, i) - quantiles(j, i);
            const double level = one.quantile_levels[static_cast<std::size_t>(j)];
            score += (r > 0 ? level * r : (level - 1) * r) / (3 * 40);
          }
        }
      }
      EXPECT_NEAR(found.at("score").as_vector()[row], score, 1e-7);
      least = std::min(least, score);
      ++row;
    }
  }
  EXPECT_NEAR(model.report().details.at("score").as_number(), least, 1e-7);
}

TEST(Kqr, AMeanLossMeansTheSamePenaltyForAnyNumberOfRows) {
  const Dataset data = wave(40, 1);
  KqrOptions options = closed_form();
  const Kqr summed = Kqr::fit(data, options);
  options.loss = KqrLoss::mean;
  options.regularization = {0.3 / 40};
  const Kqr averaged = Kqr::fit(data, options);
  EXPECT_LT((summed.quantiles(data.x) - averaged.quantiles(data.x)).cwiseAbs().maxCoeff(), 1e-9);
  std::vector<Index> twice;
  for (Index i = 0; i < 80; ++i) twice.push_back(i % 40);
  const Kqr doubled = Kqr::fit(data.subset(twice), options);
  EXPECT_LT((doubled.quantiles(data.x) - averaged.quantiles(data.x)).cwiseAbs().maxCoeff(), 1e-6);
}

TEST(Kqr, AWeightOfTwoIsTwoCopiesAndZeroIsAbsence) {
  Dataset weighted = wave(30, 1);
  weighted.weights = Vector::Ones(30);
  weighted.weights.head(5).setConstant(2);
  weighted.weights.tail(3).setZero();
  std::vector<Index> rows;
  for (Index i = 0; i < 27; ++i) rows.push_back(i);
  for (Index i = 0; i < 5; ++i) rows.push_back(i);
  Dataset copies = wave(30, 1).subset(rows);
  KqrOptions options = closed_form();
  options.standardize = true;
  options.defensive_weight = 1e-3;
  const Dataset test = wave(20, 1, 2);
  const Vector a = Kqr::fit(weighted, options).log_density(test.x, test.y);
  const Vector b = Kqr::fit(copies, options).log_density(test.x, test.y);
  EXPECT_LT((a - b).cwiseAbs().maxCoeff(), 1e-6);
}

TEST(Kqr, WithoutInputsQuantilesAreEmpirical) {
  Dataset data = wave(11, 0);
  data.y = Matrix(Vector::LinSpaced(11, 0, 10).transpose());
  KqrOptions options;
  options.quantile_levels = {0.25, 0.5, 0.75};
  const Kqr model = Kqr::fit(data, options);
  EXPECT_LT((model.quantiles(Matrix(0, 1)).col(0) - Vector{{2, 5, 8}}).cwiseAbs().maxCoeff(), 1e-7);
  data.x = Matrix::Constant(1, 11, 4.0);
  const Kqr constant = Kqr::fit(data, options);
  EXPECT_LT((constant.quantiles(Matrix::Zero(1, 1)).col(0) - Vector{{2, 5, 8}}).cwiseAbs().maxCoeff(), 1e-7);
  EXPECT_NE(constant.report().warnings.front().find("input 1 is constant"), std::string::npos);
}

TEST(Kqr, QuantilesNeverCross) {
  KqrOptions options = closed_form();
  options.quantile_levels = KqrOptions().quantile_levels;
  options.regularization = {1e-4};
  options.bandwidth = {0.2};
  const Kqr model = Kqr::fit(wave(12, 1), options);
  EXPECT_GT(model.report().details.at("crossing_rate").as_number(), 0);
  const Matrix found = model.quantiles(wave(200, 1, 3).x);
  EXPECT_GE((found.bottomRows(18) - found.topRows(18)).minCoeff(), 0);
}

TEST(Kqr, TwoRowsAndTiesInTheTargetHaveALaw) {
  const Dataset two{.x = Matrix{{0.0, 1.0}}, .y = Matrix{{2.0, 3.0}}};
  KqrOptions options = closed_form();
  EXPECT_TRUE(std::isfinite(Kqr::fit(two, options).log_density(two.x, two.y)[0]));
  Dataset ties = wave(60, 1);
  ties.y = Matrix(ties.y.array().round());
  EXPECT_TRUE(Kqr::fit(ties, options).log_density(ties.x, ties.y).allFinite());
}

TEST(Kqr, OfManyRowsSomeAreDrawn) {
  KqrOptions options = closed_form();
  options.max_rows = 20;
  const Kqr model = Kqr::fit(wave(50, 1), options);
  EXPECT_EQ(model.x_scale().inverse_transform(model.state().x).cols(), 20);
  EXPECT_NE(model.report().warnings.front().find("20 of the 50 rows"), std::string::npos);
}

TEST(Kqr, MistakesAreNamed) {
  const Dataset data = wave(10, 1);
  const auto said = [&](const auto& change, const Dataset& rows) {
    KqrOptions options = closed_form();
    change(options);
    return complaint([&] { Kqr::fit(rows, options); });
  };
  const auto nothing = [](KqrOptions&) {};
  Dataset two_targets = data;
  two_targets.y = Matrix::Random(2, 10);
  EXPECT_NE(said(nothing, two_targets).find("KernelQuantileRegression: y has 2 columns, expected one"),
            std::string::npos);
  EXPECT_NE(said(
                [](KqrOptions& o) {
                  o.quantile_levels = {0.0, 0.5};
                },
                data)
                .find("quantile_levels"),
            std::string::npos);
  EXPECT_NE(said([](KqrOptions& o) { o.quantile_levels = {0.5, 1.0}; }, data).find("in (0, 1)"), std::string::npos);
  EXPECT_NE(said([](KqrOptions& o) { o.quantile_levels = {}; }, data).find("quantile_levels is empty"),
            std::string::npos);
  EXPECT_NE(said([](KqrOptions& o) { o.quantile_levels = {0.5, 0.4}; }, data).find("0.4 after 0.5"), std::string::npos);
  EXPECT_NE(said([](KqrOptions& o) { o.spread = {}; }, data).find("spread is empty"), std::string::npos);
  EXPECT_NE(said([](KqrOptions& o) { o.bandwidth_y_floor = {}; }, data).find("bandwidth_y_floor is empty"),
            std::string::npos);
  EXPECT_NE(said([](KqrOptions& o) { o.cv = {}; }, data).find("cv is empty"), std::string::npos);
  EXPECT_NE(said([](KqrOptions& o) { o.regularization = {0.0}; }, data).find("regularization"), std::string::npos);
  Dataset constant = data;
  constant.y = Matrix::Ones(1, 10);
  EXPECT_NE(said(nothing, constant).find("target 1 is constant"), std::string::npos);
  const Kqr model = Kqr::fit(data, closed_form());
  EXPECT_NE(complaint([&] { model.quantiles(Matrix::Zero(2, 1)); }).find("x has 2 rows"), std::string::npos);
  EXPECT_NE(complaint([&] { model.quantiles(Matrix::Constant(1, 1, NAN)); }).find("not finite"), std::string::npos);
}

TEST(Kqr, ExtremeLevelsAndPenaltiesGiveADistribution) {
  const Dataset data = wave(9, 1);
  const auto law_of = [&](const KqrOptions& options) { return Kqr::fit(data, options).predict(data.x)[4]; };
  KqrOptions options;
  options.bandwidth = {0.5, 2.0};
  const KqrOptions usual = options;
  options.quantile_levels = {1e-13, 0.5};
  EXPECT_TRUE(std::isfinite(law_of(options).log_pdf(0.3)));
  options = usual;
  for (const std::vector<double>& penalties : {std::vector{1e15}, {1e100, 1e-12, 3.0}, {1e-12}}) {
    options.regularization = penalties;
    EXPECT_TRUE(std::isfinite(law_of(options).log_pdf(0.3))) << penalties.front();
  }
  options.regularization = {1e-300};
  EXPECT_NE(complaint([&] { Kqr::fit(data, options); }).find("regularization = 1e-300"), std::string::npos);
}

TEST(Kqr, AlteredFilesAreRefused) {
  const Document saved = Kqr::fit(wave(10, 1), closed_form()).to_document();
  const auto refused = [&](std::string_view name, const Document& value) {
    Document altered = saved;
    altered.set(name, value);
    return complaint<FormatError>([&] { Kqr::from_document(altered); });
  };
  const std::string name = "KernelQuantileRegression: ";
  EXPECT_EQ(refused("intercepts", Vector{{1.0, 2.0}}), name + "intercepts has length 2 along n_levels, expected 3");
  EXPECT_EQ(refused("coefficients", Matrix(Matrix::Zero(9, 3))),
            name + "coefficients has length 9 along n_centers, expected 10");
  EXPECT_EQ(refused("bandwidth", 0.0), name + "bandwidth holds 0, expected finite numbers > 0");
  EXPECT_EQ(refused("x", Matrix(Matrix::Zero(2, 10))), name + "x has length 2 along n_inputs, expected 1");
  Document options = saved.at("options");
  const Document levels(std::vector<double>{0.5, 0.1, 0.9});
  EXPECT_EQ(refused("options", options.set("quantile_levels", levels)),
            name + "the levels of the quantiles do not fit their functions");
}

TEST(Kqr, CanBeCancelled) {
  const condens::Run run{.threads = 1, .observer = [](std::string_view, double) { return false; }};
  EXPECT_THROW(Kqr::fit(wave(60, 1), {}, run), Cancelled);
}

}  // namespace
}  // namespace condens::kqr_test
