// SA-LSCDE: the selection of SA-CDE, and LSCDE on what it selects.

#include "condens/estimators/salscde.hpp"

#include <gtest/gtest.h>

#include "condens/core/random.hpp"
#include "condens/registry.hpp"
#include "support/complaint.hpp"

namespace condens::salscde_test {
namespace {

/// y follows input 1 (counting from 0); the others say nothing.
Dataset one_of(Index inputs, Index n, std::uint64_t seed = 1) {
  RandomStream random(seed);
  Matrix x(inputs, n);
  Matrix y(1, n);
  for (Index i = 0; i < n; ++i) {
    for (Index k = 0; k < inputs; ++k) x(k, i) = random.normal();
    y(0, i) = 1.5 * x(1, i) + 0.3 * random.normal();
  }
  return {.x = x, .y = y};
}

SalscdeOptions quick() {
  SalscdeOptions out;
  out.selection.bandwidth = {0.5};
  out.selection.bandwidth_y = {0.4};
  out.selection.regularization = {0.6, 0.3, 0.1};
  out.selection.n_centers = 30;
  out.options.bandwidth = {0.3, 0.8};
  out.options.bandwidth_y = {0.3};
  out.options.regularization = {0.01};
  out.options.refine = false;
  out.options.n_centers = 30;
  out.cv = {3};
  return out;
}

TEST(Salscde, IsLscdeOnTheInputsThatSacdeSelects) {
  const Dataset data = one_of(4, 100);
  SalscdeOptions options = quick();
  options.seed = 3;
  const Salscde model = Salscde::fit(data, options);
  SacdeOptions first = options.selection;
  first.cv = options.cv;
  first.seed = 3;
  const Sacde selection = Sacde::fit(data, first);
  EXPECT_EQ(model.support(), selection.support());
  EXPECT_EQ(model.support()[1], 1.0);
  EXPECT_LT(model.support().sum(), 4.0);
  EXPECT_EQ(model.feature_importances(), selection.feature_importances());
  LscdeOptions second = options.options;
  second.cv = options.cv;
  second.seed = 3;
  const Lscde lscde = Lscde::fit(select_inputs(data, model.rows()), second);
  const Dataset test = one_of(4, 30, 2);
  EXPECT_EQ(model.log_density(test.x, test.y), lscde.log_density(select_inputs(test, model.rows()).x, test.y));
  EXPECT_EQ(model.bandwidth(), lscde.state().bandwidth);
  EXPECT_EQ(model.coefficients(), lscde.state().coefficients);
  EXPECT_TRUE(save_density(*load_density(save_density(model))) == save_density(model));
}

TEST(Salscde, InThePaperBothStagesHaveTheSameCentresAndGrid) {
  const Dataset data = one_of(2, 60);
  SalscdeOptions options = SalscdeOptions::paper();
  EXPECT_EQ(options.options.bandwidth, options.selection.bandwidth);
  EXPECT_EQ(options.options.regularization, options.selection.regularization);
  EXPECT_EQ(options.options.n_centers, options.selection.n_centers);
  options.selection.n_centers = options.options.n_centers = 20;
  options.selection.bandwidth = options.options.bandwidth = {0.5};
  options.selection.regularization = options.options.regularization = {0.05};
  const Salscde model = Salscde::fit(data, options);
  ASSERT_EQ(model.support()[1], 1.0);
  const Sacde selection = Sacde::fit(data, options.selection);
  const Matrix centers = selection.x_scale().inverse_transform(selection.state().centers_x);
  // Back from the standardised scale of one stage or the other.
  EXPECT_LT((model.centers_x() - centers(model.rows(), Eigen::all)).cwiseAbs().maxCoeff(), 1e-14);
}

TEST(Salscde, GivenCentresLoseTheInputsThatAreNotSelected) {
  const Dataset data = one_of(3, 60);
  SalscdeOptions options = quick();
  options.selection.centers = Matrix(4, 25);
  options.selection.centers << data.x.leftCols(25), data.y.leftCols(25);
  const Salscde model = Salscde::fit(data, options);
  ASSERT_GT(model.rows().size(), 0U);
  const Matrix expected = data.x.leftCols(25)(model.rows(), Eigen::all);
  EXPECT_LT((model.centers_x() - expected).cwiseAbs().maxCoeff(), 1e-14);
  options.options.centers = Matrix::Zero(2, 25);
  EXPECT_NE(complaint([&] { Salscde::fit(data, options); }).find("SALSCDE: centers have 2 numbers each, expected 4"),
            std::string::npos);
}

TEST(Salscde, NothingSelectedIsTheMarginalDensityAndSaysSo) {
  Dataset data = one_of(3, 60);
  SalscdeOptions options = quick();
  options.selection.regularization = {2.0};  // twice the smallest penalty that selects nothing
  const Salscde model = Salscde::fit(data, options);
  EXPECT_EQ(model.support(), Vector::Zero(3));
  ASSERT_FALSE(model.report().warnings.empty());
  EXPECT_EQ(model.report().warnings.back(),
            "no input was selected: the distribution is the marginal one, whatever the inputs");
  LscdeOptions second = options.options;
  second.cv = options.cv;
  const Lscde marginal = Lscde::fit(select_inputs(data, {}), second);
  EXPECT_EQ(model.log_density(data.x, data.y), marginal.log_density(Matrix(0, 60), data.y));
}

TEST(Salscde, ConstantInputsNeverEnter) {
  Dataset data = one_of(3, 80);
  Matrix x(4, 80);
  x << Matrix::Constant(1, 80, 5.0), data.x;
  data.x = x;
  const Salscde model = Salscde::fit(data, quick());
  EXPECT_EQ(model.support()[0], 0.0);
  EXPECT_EQ(model.support()[2], 1.0);
  ASSERT_FALSE(model.report().warnings.empty());
  EXPECT_EQ(model.report().warnings.front(), "input 1 is constant and plays no part");
}

TEST(Salscde, SaysWhatIsWrong) {
  const Dataset data = one_of(2, 40);
  const auto said = [&](const Document& values) {
    return complaint([&] { find_model("salscde").fit(data, "", values, {}); });
  };
  const auto inside = [](std::string_view stage, std::string_view name, Document value) {
    return Document().set(stage, Document().set(name, std::move(value)));
  };
  EXPECT_NE(said(inside("selection", "tolerence", 1e-3)).find("SALSCDE: selection: unknown option 'tolerence'"),
            std::string::npos);
  EXPECT_NE(said(inside("selection", "tolerence", 1e-3)).find("did you mean 'tolerance'?"), std::string::npos);
  EXPECT_EQ(said(inside("options", "n_centers", 0)), "SALSCDE: options: n_centers = 0, expected a whole number >= 1");
  EXPECT_EQ(said(inside("options", "seed", 4)),
            "SALSCDE: options: scoring, cv and seed are options of both stages together; give them without 'options.'");
  EXPECT_EQ(said(inside("selection", "cv", Document(std::vector<double>{3}))),
            "SALSCDE: selection: scoring, cv and seed are options of both stages together; give them without "
            "'selection.'");
  EXPECT_EQ(said(Document().set("selection", 3)), "SALSCDE: selection = 3, expected options with their values");
  Dataset bad = data;
  bad.y = Matrix::Constant(1, 40, 1.0);
  EXPECT_NE(complaint([&] { Salscde::fit(bad); }).find("target 1 is constant"), std::string::npos);
  Document saved = save_density(Salscde::fit(data, quick())).at("parameters");
  saved.set("stability", Vector(Vector::Zero(1)));
  EXPECT_THROW(load_density(Document::Object{{"model", "salscde"}, {"parameters", saved}}), FormatError);
}

/// y follows input 1, and has the spread 0.1 + 0.5 of input 2, which is 0 or 1; the other inputs say nothing.
Dataset with_spread(Index inputs, Index n, std::uint64_t seed) {
  RandomStream random(seed);
  Matrix x(inputs, n);
  Matrix y(1, n);
  for (Index i = 0; i < n; ++i) {
    for (Index k = 0; k < inputs; ++k) x(k, i) = k == 2 ? static_cast<double>(random.below(2)) : random.normal();
    y(0, i) = 3 * x(1, i) + (0.1 + 0.5 * x(2, i)) * random.normal();
  }
  return {.x = x, .y = y};
}

TEST(Salscde, ResidualsTellOfAnInputThatMovesOnlyTheSpread) {
  const Dataset data = with_spread(40, 300, 5);
  SalscdeOptions options = quick();
  Vector expected = Vector::Zero(40);
  expected[1] = 1;
  const Salscde alone = Salscde::fit(data, options);
  EXPECT_EQ(alone.support(), expected);
  EXPECT_EQ(alone.report().details.find("residual_tests"), nullptr);
  options.residual_level = 0.01;
  const Salscde model = Salscde::fit(data, options);
  expected[2] = 1;
  EXPECT_EQ(model.support(), expected);
  const Document& tests = model.report().details.at("residual_tests");
  ASSERT_EQ(tests.at("inputs").as_vector(), Vector::Constant(1, 2.0));
  EXPECT_LT(tests.at("p_values").as_vector()[0], 1e-6);

  // On fresh rows the density gains by it.
  const Dataset test = with_spread(40, 300, 6);
  EXPECT_GT(model.log_density(test.x, test.y).mean(), alone.log_density(test.x, test.y).mean() + 0.1);
  for (const int threads : {2, 7}) {
    const Salscde more = Salscde::fit(data, options, {.threads = threads, .observer = {}});
    EXPECT_EQ(more.support(), model.support());
    EXPECT_EQ(more.report().details.at("residual_tests").at("p_values").as_vector(), tests.at("p_values").as_vector());
  }
}

TEST(Salscde, ResidualsAreThoseOfEveryTargetAndOfRowsThatCount) {
  Dataset data = with_spread(6, 200, 7);
  Matrix y(2, 200);
  RandomStream random(8);
  for (Index i = 0; i < 200; ++i) {
    y(0, i) = random.normal();
    y(1, i) = data.y(0, i);
  }
  data.y = y;
  data.weights = Vector::Ones(200);
  data.weights.head(20).setZero();
  SalscdeOptions options = quick();
  options.residual_level = 0.01;
  const Vector support = Salscde::fit(data, options).support();
  EXPECT_EQ(support[1], 1);
  EXPECT_EQ(support[2], 1);
}

TEST(Salscde, WithoutTheAdditiveStageInputsEnterByTheTests) {
  const Dataset data = with_spread(40, 300, 5);
  SalscdeOptions options = quick();
  options.start = SelectionStart::empty;
  EXPECT_EQ(complaint([&] { Salscde::fit(data, options); }),
            "SALSCDE: start = empty with residual_level = 0 selects nothing, expected residual_level > 0");
  options.residual_level = 0.01;
  const Salscde model = Salscde::fit(data, options);
  EXPECT_EQ(model.rows(), (std::vector<Index>{1, 2}));
  // The one that moves the mean first; beside it the other one shows.
  const Vector order = model.report().details.at("residual_tests").at("inputs").as_vector();
  ASSERT_EQ(order.size(), 2);
  EXPECT_EQ(order[0], 1);
  EXPECT_EQ(order[1], 2);
  EXPECT_EQ(model.feature_importances(), Vector::Zero(40));
  EXPECT_EQ(model.report().details.find("selection"), nullptr);
}

TEST(Salscde, LeastNormTakesTheInputsOfLargerNorms) {
  const Dataset data = one_of(6, 100);
  SalscdeOptions options = quick();
  options.selection.adaptive = false;
  options.selection.regularization = {0.02};
  SacdeOptions first = options.selection;
  first.cv = options.cv;
  const Vector norms = Sacde::fit(data, first).coefficients().colwise().norm();
  const double share = 0.5 * norms.minCoeff() / norms.maxCoeff() + 0.5 * 0.9;
  ASSERT_LT(norms.minCoeff(), share * norms.maxCoeff());
  options.least_norm = share;
  const Vector expected = (norms.array() > share * norms.maxCoeff()).cast<double>();
  EXPECT_EQ(Salscde::fit(data, options).support(), expected);
  EXPECT_LT(expected.sum(), 6);
  EXPECT_EQ(expected[1], 1);
}

TEST(Salscde, ResidualsOfNoiseAddNothing) {
  for (const std::uint64_t seed : {1, 2, 3, 4, 5}) {
    Dataset data = with_spread(40, 120, seed);
    data.y = Matrix(Matrix(data.y)(Eigen::all, RandomStream(seed).permutation(data.size())));
    SalscdeOptions options = quick();
    options.selection.regularization = {1};
    options.residual_level = 0.01;
    const Salscde model = Salscde::fit(data, options);
    EXPECT_EQ(model.report().details.at("residual_tests").at("inputs").as_vector().size(), 0) << seed;
    EXPECT_EQ(model.support().sum(), 0) << seed;
  }
}

TEST(Salscde, FewRowsHaveNoResiduals) {
  SalscdeOptions options = quick();
  options.residual_level = 0.01;
  EXPECT_EQ(Salscde::fit(one_of(2, 19), options).report().details.find("residual_tests"), nullptr);
  EXPECT_NE(Salscde::fit(one_of(2, 20), options).report().details.find("residual_tests"), nullptr);
}

}  // namespace
}  // namespace condens::salscde_test
