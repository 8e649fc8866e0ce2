// SACDE against the paper's formulas written as plain loops (support/plain_sacde.hpp).

#include "condens/estimators/sacde.hpp"

#include <gtest/gtest.h>

#include "condens/core/errors.hpp"
#include "condens/core/random.hpp"
#include "condens/registry.hpp"
#include "optim/nonnegative_group_lasso.hpp"
#include "optim/proximal_group_lasso.hpp"
#include "support/complaint.hpp"
#include "support/planted_sacde.hpp"

namespace condens::sacde_test {
namespace {

TEST(Sacde, EqualsThePapersFormula) {
  for (const auto& [d_x, d_y] : {std::pair{1, 1}, {3, 1}, {2, 2}}) {
    for (const bool constant : {false, true}) {
      const Dataset data = planted(50, d_x, 1, d_y);
      auto options = fixed(joint(data, 12), 0.02);
      options.constant_group = constant;
      const auto plain = reference(data, options);
      const Matrix alpha = solve_plain(plain, 0.02);
      const Sacde model = Sacde::fit(data, options);
      Matrix found(12, plain.groups());
      found.leftCols(d_x) = model.coefficients();
      if (constant) found.rightCols(1) = model.state().constant;
      EXPECT_NEAR(plain.objective(found, 0.02), plain.objective(alpha, 0.02), 1e-11);
      EXPECT_LT((found - alpha).norm(), 1e-4 * alpha.norm());
      const Dataset test = planted(20, d_x, 2, d_y);
      const Vector density = model.log_density(test.x, test.y);
      for (Index i = 0; i < 20; ++i) {
        const double expected = std::log(plain.density(found, test.x.col(i), test.y.col(i)));
        if (std::isfinite(expected)) {
          EXPECT_NEAR(density[i], expected, 1e-10 * (1 + std::abs(expected)));
        }
      }
    }
  }
}

TEST(Sacde, TheObjectiveIsThePapersAndItsGradientThatOfDifferences) {
  const Dataset data = planted(30, 3);
  auto options = fixed(joint(data, 6), 0.05);
  for (const bool constant : {false, true}) {
    options.constant_group = constant;
    const auto plain = reference(data, options);
    RandomStream random(3);
    Matrix alpha(6, plain.groups());
    for (double& value : alpha.reshaped()) value = random.uniform();
    const auto at = [&](const Matrix& a) {
      return sacde_objective(a, data.x, data.y, options.centers, 0.7, 0.4, 0.05);
    };
    const SacdeObjective objective = at(alpha);
    EXPECT_NEAR(objective.value, plain.objective(alpha, 0.05), 1e-12 * std::abs(objective.value));
    for (Index i = 0; i < alpha.size(); ++i) {
      Matrix up = alpha;
      Matrix down = alpha;
      up.data()[i] += 1e-5;
      down.data()[i] -= 1e-5;
      EXPECT_NEAR(objective.gradient.data()[i], (at(up).value - at(down).value) / 2e-5, 1e-8);
    }
    const Matrix best = solve_plain(plain, 0.05);
    EXPECT_GE(objective.gap, objective.value - at(best).value);
    EXPECT_LT(at(best).gap, 1e-10);
    EXPECT_LT(at(best).kkt_residual, 1e-5);
  }
}

TEST(Sacde, MatrixFreeProductsEqualDenseOnes) {
  // 15 inputs of 100 centres are solved with H in memory, 16 without; the last lies far from its centres.
  const Dataset narrow = planted(120, 15);
  RandomStream random(5);
  Matrix x(16, 120);
  x.topRows(15) = narrow.x;
  for (Index i = 0; i < 120; ++i) x(15, i) = 1000 * random.normal();
  const Dataset wide{.x = std::move(x), .y = narrow.y};
  SacdeOptions options;
  options.bandwidth = {0.8};
  options.bandwidth_y = {0.4};
  options.regularization = {0.05};
  options.regularization_scale = RegularizationScale::absolute;
  options.constant_group = false;
  options.standardize = false;
  options.tolerance = 1e-11;
  options.centers = joint(narrow, 100);
  const Sacde dense = Sacde::fit(narrow, options);
  options.centers = joint(wide, 100);
  options.centers.row(15).setConstant(1e5);
  const Sacde free = Sacde::fit(wide, options);
  EXPECT_GT(dense.support().sum(), 0);
  EXPECT_EQ(free.support()[15], 0);
  EXPECT_EQ(free.support().head(15), dense.support());
  // Coefficients of centres next to each other are hardly determined; their sum is.
  EXPECT_LT((free.log_density(wide.x, wide.y) - dense.log_density(narrow.x, narrow.y)).cwiseAbs().maxCoeff(), 1e-3);
}

TEST(Sacde, FewDistinctValuesAreTheSameProblem) {
  // Genotypes, and the same moved by an amount that makes all rows distinct but changes nothing else.
  RandomStream random(4);
  Dataset data = planted(150, 20);
  Matrix genotype(20, 150);
  Matrix jittered(20, 150);
  for (Index i = 0; i < genotype.size(); ++i) {
    genotype.data()[i] = static_cast<double>(random.below(3));
    jittered.data()[i] = genotype.data()[i] + 1e-9 * random.normal();
  }
  Matrix y = data.y + 1.5 * genotype.row(4);
  SacdeOptions options;
  options.bandwidth = {0.8};
  options.bandwidth_y = {0.3};
  options.regularization = {0.8, 0.4};
  options.selection_rule = SelectionRule::minimum;
  options.tolerance = 1e-9;
  const Sacde few = Sacde::fit({.x = genotype, .y = y}, options);
  const Sacde many = Sacde::fit({.x = jittered, .y = y}, options);
  EXPECT_NEAR(few.state().regularization, many.state().regularization, 1e-7);
  EXPECT_EQ(few.support(), many.support());
  EXPECT_EQ(few.support()[4], 1);
  EXPECT_LT((few.log_density(genotype, y) - many.log_density(jittered, y)).cwiseAbs().maxCoeff(), 1e-3);
}

TEST(Sacde, WeightsEqualRepeatedRows) {
  const Dataset data = planted(40, 3);
  Dataset weighted = data;
  weighted.weights = Vector::Ones(40);
  std::vector<Index> rows;
  for (Index i = 0; i < 40; ++i) {
    weighted.weights[i] = static_cast<double>(i % 3);
    for (Index c = 0; c < i % 3; ++c) rows.push_back(i);
  }
  auto options = fixed(joint(data, 10), 0.02);
  options.constant_group = true;
  const Sacde by_weights = Sacde::fit(weighted, options);
  const Sacde by_copies = Sacde::fit(data.subset(rows), options);
  EXPECT_LT((by_weights.coefficients() - by_copies.coefficients()).norm(), 1e-5);
  EXPECT_LT((by_weights.log_density(data.x, data.y) - by_copies.log_density(data.x, data.y)).cwiseAbs().maxCoeff(),
            1e-5);
}

TEST(Sacde, IndicatorsOfOneCategoryEnterTogether) {
  RandomStream random(8);
  const Index n = 150;
  Matrix x = Matrix::Zero(5, n);
  Matrix y(1, n);
  for (Index i = 0; i < n; ++i) {
    const Index level = random.below(3);
    x(1 + level, i) = 1;
    x(0, i) = random.normal();
    x(4, i) = random.normal();
    y(0, i) = 2.0 * static_cast<double>(level) + 0.3 * random.normal();
  }
  const Dataset data{.x = x, .y = y, .groups = {0, 1, 1, 1, 2}};
  SacdeOptions options;
  options.bandwidth = {0.5};
  options.bandwidth_y = {0.3};
  const Sacde model = Sacde::fit(data, options);
  EXPECT_EQ(model.support(), (Vector(5) << 0, 1, 1, 1, 0).finished());
  EXPECT_EQ(model.coefficients().cols(), 3);
  EXPECT_NEAR(model.feature_importances()[1], 1.0 / 3, 1e-12);
  EXPECT_TRUE((model.report().details.at("path").at("inputs").as_vector().array() == 1).any());
}

TEST(Sacde, ContributionsSumToTheNumerator) {
  const Dataset data = planted(80, 3);
  SacdeOptions options;
  options.bandwidth = {0.8};
  options.bandwidth_y = {0.3};
  options.regularization = {0.1};
  options.defensive_weight = 0;
  const Sacde model = Sacde::fit(data, options);
  const Vector point = data.x.col(7);
  const Matrix y = Matrix(Vector::LinSpaced(400, -10, 10).transpose());
  Vector numerator = model.constant_contribution(y);
  for (Index d = 0; d < 3; ++d) numerator += model.contribution(d, point.segment(d, 1), y).row(0).transpose();
  const Vector density = model.predict(point).log_pdf_grid(y).col(0).array().exp();
  // The law is the numerator over its integral (eq. 20), here by the trapezium rule.
  const double integral = numerator.sum() * 20.0 / 399;
  EXPECT_LT((numerator / integral - density).cwiseAbs().maxCoeff(), 1e-9);
}

TEST(Sacde, NothingSelectedIsTheMarginalDensity) {
  const Dataset data = planted(60, 3);
  for (const bool constant : {false, true}) {
    auto options = fixed(joint(data, 20), 1e6);
    options.constant_group = constant;
    const Sacde model = Sacde::fit(data, options);
    EXPECT_EQ(model.support().sum(), 0);
    EXPECT_EQ(model.feature_importances().sum(), 0);
    ASSERT_EQ(model.report().warnings.size(), 1U);
    EXPECT_EQ(model.report().warnings[0],
              "no input was selected: the distribution is the marginal one, whatever the inputs");
    const Vector here = model.log_density(data.x, data.y);
    const Vector elsewhere = model.log_density(Matrix::Constant(3, 60, 7.0), data.y);
    EXPECT_LT((here - elsewhere).cwiseAbs().maxCoeff(), 1e-12);
    EXPECT_TRUE(here.allFinite());
    if (!constant) {
      EXPECT_NEAR(model.predict(data.x.leftCols(1)).mean()(0, 0), options.centers.row(3).mean(), 1e-12);
    }
  }
  // With several penalties, all too large, no score is finite.
  auto options = fixed(joint(data, 20), 1e6);
  options.regularization = {1e6, 1e7};
  const Sacde model = Sacde::fit(data, options);
  EXPECT_EQ(model.support().sum(), 0);
  EXPECT_EQ(model.report().details.at("candidates").at("score").as_vector()[0], std::numeric_limits<double>::max());
  EXPECT_EQ(model.report().details.find("score"), nullptr);
}

TEST(Sacde, HardDataWork) {
  SacdeOptions options;
  options.bandwidth = {0.5, 1};
  options.bandwidth_y = {0.3};
  options.regularization = {0.5, 0.2, 0.05};
  // Duplicated and perfectly correlated inputs, more inputs than rows, ties in y, duplicated rows.
  Dataset data = planted(30, 40);
  Matrix x = data.x;
  x.row(1) = x.row(0);
  x.row(2) = -3 * x.row(0);
  Matrix y = (2 * data.y.array()).round() / 2;
  x.col(3) = x.col(4);
  y.col(3) = y.col(4);
  const Sacde model = Sacde::fit({.x = x, .y = y}, options);
  EXPECT_EQ(model.report().status, "ok");
  EXPECT_TRUE(model.log_density(x, y).allFinite());
  EXPECT_GT(model.support().head(3).sum(), 0);
  // All inputs constant.
  const Sacde marginal = Sacde::fit({.x = Matrix::Ones(2, 30), .y = y}, options);
  EXPECT_EQ(marginal.report().warnings.size(), 3U);  // two inputs, nothing selected
  // Without standardisation a constant input plays no part either.
  options.standardize = false;
  EXPECT_EQ(Sacde::fit({.x = Matrix::Ones(2, 30), .y = y}, options).support().sum(), 0);
}

TEST(Sacde, ThreadsDoNotChangeOneBitOfALargeProblem) {
  const Dataset data = planted(60, 30);
  SacdeOptions options;
  options.bandwidth = {0.8};
  options.bandwidth_y = {0.3, 0.6};
  options.regularization = {0.6, 0.3};
  options.n_centers = 60;
  options.stability_resamples = 3;
  const auto fit = [&](int threads) {
    return save_density(Sacde::fit(data, options, {.threads = threads, .observer = {}}));
  };
  const Document one = fit(1);
  EXPECT_TRUE(fit(2) == one);
  EXPECT_TRUE(fit(7) == one);
}

TEST(Sacde, TheTruncatedIterationIsThePapers) {
  const Dataset data = planted(50, 2);
  auto options = fixed(joint(data, 12), 0.02);
  options.solver = SacdeSolver::truncated;
  const auto plain = reference(data, options);
  const DenseGroupQuadratic problem(plain.gram(), plain.linear());
  const Matrix expected =
      proximal_group_lasso(problem, Vector::Ones(2), 0.02, largest_eigenvalue(problem), {}).coefficients;
  const Sacde model = Sacde::fit(data, options);
  EXPECT_LT((model.coefficients() - expected).norm(), 1e-10);
  const double gap = model.report().details.at("certificate").at("relative_gap").as_number();
  EXPECT_GT(gap, 1e-6);  // far from converged: errata S4
}

TEST(Sacde, CanBeCancelled) {
  EXPECT_THROW(
      Sacde::fit(planted(60, 20), {}, {.threads = 1, .observer = [](std::string_view, double) { return false; }}),
      Cancelled);
}

TEST(Sacde, DamagedDocumentsAreRefused) {
  const Document good = Sacde::fit(planted(30, 2), fixed(joint(planted(30, 2), 5), 0.02)).to_document();
  const auto damaged = [&](const char* name, Document value) {
    Document copy = good;
    copy.set(name, std::move(value));
    return complaint<FormatError>([&] { Sacde::from_document(copy); });
  };
  const std::string indices = "SACDE: the parameters do not fit together";
  EXPECT_EQ(damaged("input_of_row", Vector(Vector::Zero(3))),
            "SACDE: input_of_row has length 3 along n_inputs, expected 2");
  EXPECT_EQ(damaged("input_of_row", Vector((Vector(2) << 0, 2).finished())), indices);
  EXPECT_EQ(damaged("constant", Vector(Vector::Zero(4))), "SACDE: centers_x has length 5 along n_centers, expected 4");
  EXPECT_EQ(damaged("coefficient", Vector(Vector::Constant(1, 1.0))),
            "SACDE: coefficient has length 1 along n_positive, expected 8");
  EXPECT_EQ(damaged("coefficient", Vector(-good.at("coefficient").as_vector())).substr(0, 24),
            "SACDE: coefficient holds");
  EXPECT_EQ(damaged("center", Vector(good.at("center").as_vector().array() + 100)), indices);
  EXPECT_EQ(damaged("input", Vector(good.at("input").as_vector().array() + 0.5)), indices);
  EXPECT_EQ(damaged("bandwidth", -1.0), "SACDE: bandwidth holds -1, expected finite numbers > 0");
}

TEST(Sacde, SaysWhatIsWrong) {
  const Dataset data = planted(20, 2);
  const auto say = [&](const char* name, Document value) {
    return complaint([&] { find_model("sacde").fit(data, "", Document::Object{{name, std::move(value)}}, {}); });
  };
  EXPECT_NE(say("bandwidth", Document::Array{}).find("SACDE: bandwidth is empty"), std::string::npos);
  EXPECT_NE(say("regularization", Document::Array{}).find("SACDE: regularization is empty"), std::string::npos);
  EXPECT_NE(say("cv", Document::Array{}).find("SACDE: cv is empty"), std::string::npos);
  EXPECT_NE(say("tolerance", 0.0).find("tolerance"), std::string::npos);
  EXPECT_NE(say("centers", Matrix(Matrix::Ones(2, 3))).find("SACDE: centers have 2 numbers each, expected 3"),
            std::string::npos);
  const Sacde model = Sacde::fit(data, fixed(joint(data, 5), 0.02));
  EXPECT_EQ(complaint([&] { model.contribution(2, Matrix(1, 1), Matrix(1, 1)); }), "SACDE: input = 2, expected 0 to 1");
  EXPECT_EQ(complaint([&] { model.contribution(0, Matrix(2, 1), Matrix(1, 1)); }),
            "SACDE: contribution of input 0: x has 2 rows, expected 1");
  EXPECT_EQ(complaint([&] { model.contribution(0, Matrix(1, 1), Matrix(2, 1)); }),
            "SACDE: contribution: y has 2 rows, expected 1");
  EXPECT_EQ(complaint([&] { model.constant_contribution(Matrix(2, 1)); }),
            "SACDE: contribution: y has 2 rows, expected 1");
  EXPECT_EQ(complaint([&] { selection_stability(data, {}, 3); }),
            "SACDE: stability needs one bandwidth, one regularization, at most one bandwidth_y and at most one "
            "first_regularization; got 5, 21, 5 and 0");
  EXPECT_EQ(complaint([&] { selection_stability(data, fixed(joint(data, 5), 0.1), 0); }),
            "SACDE: resamples = 0, expected at least 1");

  const Matrix centers = joint(data, 4);
  const auto objective = [&](const Matrix& alpha, const Matrix& x, const Matrix& y, const Matrix& c, double lambda) {
    return complaint([&] { sacde_objective(alpha, x, y, c, 1, 1, lambda); });
  };
  const Matrix alpha = Matrix::Ones(4, 2);
  EXPECT_EQ(objective(alpha, data.x, Matrix(0, 20), centers, 1), "sacde_objective: y is 0 x 20, expected rows of data");
  EXPECT_EQ(objective(alpha, data.x, data.y.leftCols(3), centers, 1),
            "sacde_objective: x has 20 rows of data and y has 3");
  EXPECT_EQ(objective(alpha, data.x, data.y, centers.topRows(2), 1),
            "sacde_objective: centers are 2 x 4, expected columns of 3 numbers");
  EXPECT_EQ(objective(Matrix::Ones(4, 4), data.x, data.y, centers, 1),
            "sacde_objective: alpha is 4 x 4, expected 4 x 2, or one column more");
  EXPECT_EQ(objective(-alpha, data.x, data.y, centers, 1),
            "sacde_objective: alpha has negative entries, expected >= 0");
  EXPECT_EQ(objective(alpha, data.x, data.y, centers, 0),
            "sacde_objective: bandwidth = 1, bandwidth_y = 1, regularization = 0, expected numbers > 0");
}

}  // namespace
}  // namespace condens::sacde_test
