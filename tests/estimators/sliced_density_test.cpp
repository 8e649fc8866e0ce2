// The model `sliced`, and with it what every projected density and every choice of the number
// of directions promises: against plain loops of fits.

#include "condens/estimators/sliced.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "condens/core/random.hpp"
#include "condens/data/folds.hpp"
#include "condens/estimators/lscde.hpp"
#include "condens/io/document_format.hpp"
#include "condens/registry.hpp"
#include "support/complaint.hpp"

namespace condens::sliced_density_test {
namespace {

/// y follows x1 - x3 (counting from 1) and spreads with x2; inputs on different scales.
Dataset sample(Index n, std::uint64_t seed = 1, Index d_x = 4) {
  RandomStream random(seed);
  Matrix x(d_x, n);
  Matrix y(1, n);
  for (Index i = 0; i < n; ++i) {
    for (Index k = 0; k < d_x; ++k) x(k, i) = random.normal();
    y(0, i) = x(0, i) - x(2, i) + 0.3 * std::exp(0.5 * x(1, i)) * random.normal();
  }
  x.row(0) *= 10.0;
  return {.x = x, .y = y};
}

Document small_grid() {
  Document out;
  out.set("bandwidth", Document(std::vector<double>{0.4, 1.2})).set("bandwidth_y", Document(std::vector<double>{0.3}));
  out.set("regularization", Document(std::vector<double>{0.01, 0.3})).set("refine", false).set("metric", "none");
  return out.set("n_centers", 25);
}

Document outer(std::vector<double> n_components = {}) {
  Document out;
  out.set("options", small_grid()).set("cv", Document(std::vector<double>{3}));
  return out.set("n_components", Document(n_components));
}

SlicedDensity fit(const Dataset& data, const Document& options, int threads = 1) {
  const auto model = find_model("sliced").fit(data, "recommended", options, {.threads = threads, .observer = {}});
  return dynamic_cast<const SlicedDensity&>(*model);
}

Lscde plain_inner(const Dataset& data, std::vector<double> cv = {3}) {
  LscdeOptions options;
  set_options(options, "LSCDE", small_grid());
  options.cv = cv;
  return Lscde::fit(data, options);
}

/// (x - mean) / sd with the moments of `of`.
Matrix plain_standardized(const Matrix& x, const Matrix& of) {
  Matrix out = x;
  for (Index k = 0; k < x.rows(); ++k) {
    const double mean = of.row(k).mean();
    const double sd = std::sqrt((of.row(k).array() - mean).square().sum() / static_cast<double>(of.cols() - 1));
    out.row(k) = (x.row(k).array() - mean) / sd;
  }
  return out;
}

TEST(SlicedDensity, IsTheInnerModelOfTheDirections) {
  const Dataset data = sample(70);
  const SlicedDensity model = fit(data, outer({2}));
  const Matrix s = plain_standardized(data.x, data.x);
  const Matrix w = sliced_basis({.x = s, .y = data.y}, SlicedMethod::sir, 10).components.topRows(2);
  EXPECT_LT((model.components() - w).norm(), 1e-12);
  EXPECT_LT((model.transform(data.x) - w * s).norm(), 1e-11);
  const Dataset test = sample(30, 2);
  const Matrix z = w * plain_standardized(test.x, data.x);
  const Vector expected = plain_inner({.x = Matrix(w * s), .y = data.y}).log_density(z, test.y);
  EXPECT_LT((model.log_density(test.x, test.y) - expected).cwiseAbs().maxCoeff(), 1e-8);
  EXPECT_EQ(model.report().details.find("candidates"), nullptr) << "nothing was chosen";
  EXPECT_EQ(model.report().details.at("n_components").as_integer(), 2);
}

TEST(SlicedDensity, ScoresEveryNumberOfDirectionsOnRowsThatNothingHasSeen) {
  const Dataset data = sample(72);
  const std::vector<Index> fold = assign_folds(72, 3, 0);
  const double sd = std::sqrt((data.y.array() - data.y.mean()).square().sum() / 71.0);
  for (const Scoring scoring : {Scoring::nll, Scoring::squared}) {
    Document options = outer({1, 3});
    options.set("scoring", choice_names<Scoring>[static_cast<std::size_t>(scoring)]);
    options.set("options", small_grid().set("bandwidth", 0.7).set("regularization", 0.1));
    const SlicedDensity model = fit(data, options);
    const Document& found = model.report().details.at("candidates");
    EXPECT_EQ(found.at("n_components").as_vector(), (Vector{{1, 3}}));
    for (Index c = 0; c < 2; ++c) {
      const Index d = 1 + 2 * c;
      Vector means(3);
      for (Index k = 0; k < 3; ++k) {
        std::vector<Index> train;
        std::vector<Index> test;
        for (Index i = 0; i < 72; ++i) (fold[static_cast<std::size_t>(i)] == k ? test : train).push_back(i);
        const Matrix x = data.x(Eigen::all, train);
        const Matrix s = plain_standardized(x, x);
        const Matrix y = data.y(Eigen::all, train);
        const Matrix w = sliced_basis({.x = s, .y = y}, SlicedMethod::sir, 10).components.topRows(d);
        LscdeOptions inner;
        set_options(inner, "LSCDE", options.at("options"));
        const Lscde lscde = Lscde::fit({.x = Matrix(w * s), .y = y}, inner);
        const Matrix z = w * plain_standardized(data.x(Eigen::all, test), x);
        const GaussianMixtures laws = lscde.predict(z);
        double sum = 0;
        for (std::size_t i = 0; i < test.size(); ++i) {
          const GaussianMixture law = laws[static_cast<Index>(i)];
          const double at = data.y(0, test[i]);
          sum += scoring == Scoring::nll ? -law.log_pdf(at) - std::log(sd) : 0.5 * sd * law.squared_loss(at);
        }
        means[k] = sum / static_cast<double>(test.size());
      }
      EXPECT_NEAR(found.at("score").as_vector()[c], means.mean(), 1e-8);
      EXPECT_NEAR(found.at("standard_error").as_vector()[c],
                  std::sqrt((means.array() - means.mean()).square().sum() / 6.0), 1e-8);
    }
  }
}

TEST(SlicedDensity, KeepsTheFewestDirectionsWithinOneStandardErrorOrTheBest) {
  const Dataset data = sample(100);
  Document options = outer();
  const SlicedDensity simple = fit(data, options);
  const SlicedDensity best = fit(data, options.set("selection_rule", "minimum"));
  const Document& found = best.report().details.at("candidates");
  EXPECT_TRUE(found == simple.report().details.at("candidates"));
  EXPECT_EQ(found.at("n_components").as_vector(), (Vector{{1, 2, 3, 4}})) << "no more than inputs";
  const Vector score = found.at("score").as_vector();
  Index least = 0;
  score.minCoeff(&least);
  EXPECT_EQ(best.n_components(), least + 1);
  const double most = score[least] + found.at("standard_error").as_vector()[least];
  Index first = 0;
  while (score[first] > most) ++first;
  EXPECT_EQ(simple.n_components(), first + 1);
  EXPECT_EQ(simple.report().details.at("score").as_number(), score[first]);

  const Vector change = best.report().details.at("dimensions").at("subspace_change").as_vector();
  EXPECT_TRUE((change.array() >= 0).all() && (change.array() <= 1).all());
  EXPECT_LT(change[0], 0.2) << "one direction is plain to see";
  EXPECT_LT(change[3], 1e-7) << "all of x is all of x";
}

TEST(SlicedDensity, AsManyDirectionsAsInputsAreTheInnerModel) {
  const Dataset data = sample(60);
  const Dataset test = sample(20, 2);
  const SlicedDensity model = fit(data, outer({7}));
  EXPECT_EQ(model.components(), Matrix::Identity(4, 4));
  ASSERT_FALSE(model.report().warnings.empty());
  EXPECT_EQ(model.report().warnings.back(),
            "n_components = 4, as many as inputs: nothing is reduced, the inner model sees all of them");
  const Vector expected = plain_inner(data).log_density(test.x, test.y);
  EXPECT_LT((model.log_density(test.x, test.y) - expected).cwiseAbs().maxCoeff(), 1e-8);

  const SlicedDensity one = fit({.x = Matrix(data.x.row(0)), .y = data.y}, outer());
  EXPECT_EQ(one.components(), Matrix::Ones(1, 1));
  const SlicedDensity none = fit({.x = Matrix(0, 60), .y = data.y}, outer());
  EXPECT_EQ(none.n_components(), 0);
  EXPECT_EQ(none.transform(Matrix(0, 5)).cols(), 5);
  for (const std::string& warning : none.report().warnings) EXPECT_EQ(warning.find("n_components"), std::string::npos);
}

TEST(SlicedDensity, SaysWhereThereAreFewerDirections) {
  // Two values of y are two slices, which have one direction.
  Dataset data = sample(60);
  Matrix y = data.y;
  for (Index i = 0; i < 60; ++i) y(0, i) = y(0, i) > 0 ? 1.0 : -1.0;
  data.y = y;
  Document options;
  options.set("model", "ekde").set("n_components", 3);
  const SlicedDensity model = fit(data, options);
  EXPECT_EQ(model.n_components(), 1);
  EXPECT_EQ(model.report().warnings.back(), "n_components = 3, of which only 1 can be found");

  data.x = Matrix::Constant(4, 60, 2.0);
  const SlicedDensity constant = fit(data, options);
  EXPECT_EQ(constant.n_components(), 0);
  const Vector same = constant.log_density(Matrix{{0, 9}, {0, 9}, {0, 9}, {0, 9}}, Matrix::Zero(1, 2));
  EXPECT_EQ(same[0], same[1]);
}

TEST(SlicedDensity, ConstantInputsPlayNoPartAndWarningsNameComponents) {
  const Dataset data = sample(60);
  Matrix x(5, 60);
  x << data.x.topRows(2), Matrix::Constant(1, 60, 3.0), data.x.bottomRows(2);
  const SlicedDensity model = fit({.x = x, .y = data.y}, outer({2}));
  ASSERT_FALSE(model.report().warnings.empty());
  EXPECT_EQ(model.report().warnings.front(), "input 3 is constant and plays no part");
  EXPECT_LT(model.components().col(2).norm(), 1e-12);
  x.row(2).setConstant(-1e9);
  EXPECT_EQ(model.log_density(x, data.y).array().isFinite().count(), 60);
  // As all inputs, the constant one is a component that is constant.
  const SlicedDensity all = fit({.x = x, .y = data.y}, outer({5}));
  ASSERT_GE(all.report().warnings.size(), 2U);
  EXPECT_EQ(all.report().warnings[1], "component 3 is constant and plays no part");
}

TEST(SlicedDensity, WeightZeroIsAbsenceAndUnlabeledInputsAreProjected) {
  Dataset data = sample(80);
  data.weights = Vector::Ones(80);
  data.weights.tail(20).setZero();
  const Dataset left{.x = Matrix(data.x.leftCols(60)), .y = Matrix(data.y.leftCols(60))};
  const Dataset test = sample(20, 2);
  for (const std::vector<double>& n_components : {std::vector<double>{2}, {}}) {
    EXPECT_LT((fit(data, outer(n_components)).log_density(test.x, test.y) -
               fit(left, outer(n_components)).log_density(test.x, test.y))
                  .cwiseAbs()
                  .maxCoeff(),
              1e-9);
  }
  Dataset more = left;
  more.x_unlabeled = sample(50, 3).x;
  const SlicedDensity model = fit(more, outer({2}));
  const Dataset z{.x = model.transform(more.x), .y = more.y, .x_unlabeled = model.transform(more.x_unlabeled)};
  const Vector expected = plain_inner(z).log_density(model.transform(test.x), test.y);
  EXPECT_EQ(model.log_density(test.x, test.y), expected);
  EXPECT_NE(model.log_density(test.x, test.y), fit(left, outer({2})).log_density(test.x, test.y));
}

TEST(SlicedDensity, GivenCentersOfAllInputsAreProjected) {
  const Dataset data = sample(60);
  Matrix centers(5, 10);
  centers << data.x.leftCols(10), data.y.leftCols(10);
  Document options = outer({2});
  options.set("options", small_grid().set("centers", centers));
  const SlicedDensity model = fit(data, options);
  const auto& inner = dynamic_cast<const Lscde&>(model.inner());
  EXPECT_LT((inner.x_scale().inverse_transform(inner.state().centers_x) - model.transform(data.x.leftCols(10))).norm(),
            1e-12);
  EXPECT_LT((inner.y_scale().inverse_transform(inner.state().centers_y) - data.y.leftCols(10)).norm(), 1e-12);
}

TEST(SlicedDensity, WithoutStandardisationLoadingsAreOfTheData) {
  const Dataset data = sample(60);
  const SlicedDensity model = fit(data, outer({1}).set("standardize", false));
  EXPECT_LT((model.transform(data.x) - model.components() * data.x).norm(), 1e-10);
}

TEST(SlicedDensity, HoldsAnyModelAndThreadsDoNotChangeOneBit) {
  const Dataset data = sample(60);
  for (const char* name : {"ekde", "nw", "gp"}) {
    Document options;
    options.set("model", name).set("n_components", Document(std::vector<double>{1, 2}));
    options.set("method", "save").set("n_slices", 4);
    const auto reference = save_density(fit(data, options, 1));
    for (const int threads : {2, 7}) EXPECT_TRUE(save_density(fit(data, options, threads)) == reference) << name;
    EXPECT_EQ(reference.at("parameters").at("inner").at("model").as_string(), name);
  }
}

TEST(SlicedDensity, FileKeepsEveryBitAndRefusesWhatDoesNotFit) {
  const SlicedDensity model = fit(sample(60), outer({2}));
  const Document saved = save_density(model);
  const Document again = document_from_json(document_to_json(saved), "model");
  EXPECT_TRUE(save_density(*load_density(again)) == saved);
  const auto refused = [&](std::string_view key, Document value) {
    Document parameters = saved.at("parameters");
    parameters.set(key, std::move(value));
    const Document spoiled(Document::Object{{"model", "sliced"}, {"parameters", std::move(parameters)}});
    return complaint<FormatError>([&] { load_density(spoiled); });
  };
  const Matrix w = model.components();
  EXPECT_EQ(refused("components", Matrix(w.topRows(1))),
            "components are 1 x 4, expected 2 x 4: the inner model's inputs by the inputs");
  EXPECT_EQ(refused("components", Matrix(w.leftCols(3))),
            "components are 2 x 3, expected 2 x 4: the inner model's inputs by the inputs");
  EXPECT_EQ(refused("components", Matrix(2.0 * w)), "the rows of components are not orthonormal");
  EXPECT_EQ(refused("components", Matrix(w * std::numeric_limits<double>::quiet_NaN())),
            "the rows of components are not orthonormal");
  EXPECT_NE(refused("components", "none"), "");
  EXPECT_NE(refused("x_scale", Standardizer::identity(3).to_document()), "");
  EXPECT_NE(refused("inner", Document::Object{{"model", "nosuch"}}), "");
  EXPECT_NE(refused("options", Document::Object{{"cv", "five"}}), "");
  EXPECT_NE(refused("inner", save_density(fit(sample(60), outer({1}))).at("parameters").at("inner")), "");
}

TEST(SlicedDensity, ObserverSeesProgressAndCancels) {
  std::vector<double> seen;
  const condens::Run run{.threads = 2, .observer = [&](std::string_view task, double fraction) {
                           EXPECT_EQ(task, "finding directions");
                           seen.push_back(fraction);
                           return seen.size() < 2;
                         }};
  EXPECT_THROW(find_model("sliced").fit(sample(500, 1, 8), "recommended", {}, run), Cancelled);
  ASSERT_EQ(seen.size(), 2U);
  EXPECT_LE(seen[0], seen[1]);
  EXPECT_LT(seen[1], 1.0);
}

TEST(SlicedDensity, SaysWhatIsWrong) {
  const Dataset data = sample(40);
  const auto said = [&](std::string_view name, Document value) {
    Document options = outer({1});
    options.set(name, std::move(value));
    return complaint([&] { fit(data, options); });
  };
  EXPECT_EQ(said("n_components", 1.5), "Sliced: n_components = 1.5, expected a list of whole numbers, each >= 1");
  EXPECT_EQ(said("n_components", 0), "Sliced: n_components = 0, expected a list of whole numbers, each >= 1");
  EXPECT_EQ(said("n_slices", 1), "Sliced: n_slices = 1, expected a whole number >= 2");
  EXPECT_EQ(said("method", "phd"), "Sliced: method = 'phd', expected one of sir, save, mave, kdr");
  EXPECT_EQ(said("model", "sliced"), "Sliced: model = 'sliced', expected another model");
  EXPECT_EQ(said("model", "forward"), "Sliced: model = 'forward', expected another model");
  EXPECT_EQ(said("model_preset", "papr"), "LSCDE: preset = 'papr', expected recommended or paper");
  EXPECT_EQ(said("options", Document::Object{{"seed", 5}}),
            "Sliced: options: 'seed' is an option of Sliced itself; give it there");
  EXPECT_EQ(said("options", Document::Object{{"centers", Matrix(Matrix::Zero(3, 2))}}),
            "Sliced: centers have 3 numbers each, expected 5: 4 of x and 1 of y");
  EXPECT_EQ(said("cv", Document(std::vector<double>{})),
            "Sliced: cv is empty, expected a number of folds or the fold of every row");
  Dataset bad = data;
  bad.y = Matrix::Constant(1, 40, 2.0);
  EXPECT_EQ(complaint([&] { fit(bad, outer({1})); }),
            "Sliced: target 1 is constant (2 in every row); a distribution without spread has no density");
  bad.y = Matrix::Constant(1, 39, 2.0);
  EXPECT_EQ(complaint([&] { fit(bad, outer({1})); }),
            "Sliced: x has 40 rows and y has 39, expected as many inputs as targets");
}

TEST(SlicedDensity, WithoutAnyDensityThereIsNoModel) {
  const InnerModel never{.options = {}, .fit = [](const Dataset&, const Document&, const condens::Run&) {
                           throw NumericalError("no density");
                           return std::unique_ptr<ConditionalDensity>();
                         }};
  EXPECT_EQ(complaint<NumericalError>([&] { SlicedDensity::fit(sample(40), {}, never); }),
            "Sliced: the inner model finds no density, whatever n_components");
}

}  // namespace
}  // namespace condens::sliced_density_test
