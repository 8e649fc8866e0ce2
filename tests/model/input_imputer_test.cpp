// Missing inputs: against a joint normal distribution, where conditional distributions have plain formulas, and by what
// holds for every model.

#include "condens/model/input_imputer.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "condens/estimators/gmm.hpp"
#include "condens/registry.hpp"
#include "support/complaint.hpp"
#include "support/registered_models.hpp"

namespace condens::input_imputer_test {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// x2 = 0.8 x1 + 0.6 e, a skewed input exp(x2), a count of {0, 1}, and y = x1 + x2 + 0.5 e. Inputs are missing, if at
/// all, by chance.
Dataset normal_rows(Index n, double share, std::uint64_t seed) {
  RandomStream random(seed);
  Matrix x(3, n);
  Matrix y(1, n);
  for (Index i = 0; i < n; ++i) {
    const double first = random.normal();
    const double second = 0.8 * first + 0.6 * random.normal();
    x.col(i) << first, std::exp(second), first + random.normal() > 1.0 ? 1.0 : 0.0;
    y(0, i) = first + second + 0.5 * random.normal();
  }
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < 3; ++j) {
      if (random.uniform() < share) x(j, i) = nan;
    }
  }
  return {.x = x, .y = y};
}

GaussianMixture mixture_of(const Dataset& columns, Index, const condens::Run& run) {
  GmmOptions options{.n_components = {1}, .covariance = GmmCovariance::full, .defensive_weight = 0.0};
  options.standardize = false;
  const Gmm model = Gmm::fit(columns, options, run);
  return {model.kernel_weights(),
          GaussianComponents::from_covariances(model.kernel_means(), model.kernel_covariances())};
}

TEST(InputImputer, AConstantInputTellsNothingAndStays) {
  Dataset data = normal_rows(300, 0.2, 2);
  Matrix more(4, 300);
  more << data.x, Matrix::Constant(1, 300, 7.0);
  more(3, 5) = nan;
  data.x = more;
  const auto [imputer, x] = InputImputer::fit(data, 0, mixture_of, {});
  EXPECT_TRUE((x.row(3).array() == 7.0).all());
  Matrix at(4, 2);
  at << 0.5, 0.5, nan, nan, 0.0, 0.0, 7.0, 8.0;  // the last was never there
  const Matrix draws = imputer->draws(at).x;
  EXPECT_TRUE(draws.allFinite());
  const double one = draws.row(1).head(InputImputer::n_draws).array().log().mean();
  const double other = draws.row(1).tail(InputImputer::n_draws).array().log().mean();
  EXPECT_NEAR(one, 0.4, 0.3);  // 0.8 x1, and little of x3
  EXPECT_NEAR(one, other, 0.3);
}

TEST(InputImputer, KeepsWhatIsThereAndDrawsValuesThatWere) {
  const Dataset data = normal_rows(500, 0.3, 1);
  const auto [imputer, x] = InputImputer::fit(data, 0, mixture_of, {});
  ASSERT_EQ(imputer->n_inputs(), 3);
  for (Index i = 0; i < data.size(); ++i) {
    for (Index j = 0; j < 3; ++j) {
      ASSERT_TRUE(std::isfinite(x(j, i)));
      if (!std::isnan(data.x(j, i))) {
        ASSERT_EQ(x(j, i), data.x(j, i));
      } else {
        ASSERT_TRUE((data.x.row(j).array() == x(j, i)).any()) << j << " " << x(j, i);
      }
    }
  }
}

// With y = x1 + x2 + e known too, completed rows have the moments of complete ones.
TEST(InputImputer, CompletedRowsHaveTheDependenceOfCompleteOnes) {
  const Dataset full = normal_rows(4000, 0.0, 2);
  const Dataset data = normal_rows(4000, 0.3, 2);
  const Matrix x = InputImputer::fit(data, 0, mixture_of, {}).x;
  const auto correlation = [](const Vector& a, const Vector& b) {
    const Vector u = a.array() - a.mean();
    const Vector v = b.array() - b.mean();
    return u.dot(v) / std::sqrt(u.squaredNorm() * v.squaredNorm());
  };
  const Vector y = full.y.row(0).transpose();
  // Standard errors of a correlation of 4,000 rows are below 0.016; the indicator has no Gaussian score, which costs
  // some of its dependence.
  const auto logs = [](const Matrix& of) { return Vector(of.row(1).transpose().array().log()); };
  EXPECT_NEAR(correlation(x.row(0), y), correlation(full.x.row(0), y), 0.02);
  EXPECT_NEAR(correlation(logs(x), y), correlation(logs(full.x), y), 0.02);
  EXPECT_NEAR(correlation(x.row(0), logs(x)), correlation(full.x.row(0), logs(full.x)), 0.02);
  EXPECT_NEAR(correlation(x.row(2), x.row(0)), correlation(full.x.row(2), full.x.row(0)), 0.06);
  EXPECT_NEAR(x.row(2).mean(), full.x.row(2).mean(), 0.02);
}

// x2 | x1 is log-normal about 0.8 x1.
TEST(InputImputer, DrawsFromTheConditionalDistribution) {
  const auto imputer = InputImputer::fit(normal_rows(4000, 0.2, 3), 0, mixture_of, {}).imputer;
  Matrix x{{1.0, 1.0, -0.5}, {nan, 2.0, nan}, {0.0, 1.0, nan}};
  const InputImputer::Draws draws = imputer->draws(x);
  EXPECT_EQ(draws.begin, (std::vector<Index>{0, 32, 33, 65}));
  EXPECT_EQ(Vector(draws.x.col(32)), Vector(x.col(1)));
  EXPECT_EQ(Vector(draws.x.row(0).head(32).transpose()), Vector::Ones(32));
  const Vector logs = draws.x.row(1).tail(32).array().log();
  EXPECT_NEAR(logs.mean(), -0.4, 0.1);
  EXPECT_NEAR(std::sqrt((logs.array() - logs.mean()).square().mean()), 0.6, 0.1);
  // The draws of a row are the same wherever it stands.
  EXPECT_EQ(imputer->draws(x.col(2)).x, Matrix(draws.x.rightCols(32)));
}

TEST(InputImputer, LevelsOfACategoryComeAsOftenAsTheyAre) {
  RandomStream random(4);
  Dataset data;
  Matrix x = Matrix::Zero(4, 3000);
  Matrix y(1, 3000);
  for (Index i = 0; i < 3000; ++i) {
    const Index level = random.uniform() < 0.6 ? 0 : random.uniform() < 0.8 ? 1 : 2;
    x(level, i) = 1.0;
    x(3, i) = static_cast<double>(level) + random.normal();
    y(0, i) = x(3, i) + random.normal();
    if (random.uniform() < 0.3) x.col(i).head(3).setConstant(nan);
  }
  data.x = x;
  data.y = y;
  data.groups = {0, 0, 0, 1};
  const Matrix completed = InputImputer::fit(data, 0, mixture_of, {}).x;
  EXPECT_EQ(Vector(completed.topRows(3).colwise().sum().transpose()), Vector::Ones(3000));
  const Vector share = completed.topRows(3).rowwise().mean();
  EXPECT_NEAR(share[0], 0.60, 0.03);  // the standard error of what is drawn is below 0.02
  EXPECT_NEAR(share[1], 0.32, 0.03);
  EXPECT_NEAR(share[2], 0.08, 0.03);
}

TEST(InputImputer, IsTheSameForAnyNumberOfThreadsAndFromAFile) {
  const Dataset data = normal_rows(300, 0.3, 5);
  const auto one = InputImputer::fit(data, 3, mixture_of, {.threads = 1, .observer = {}});
  const auto seven = InputImputer::fit(data, 3, mixture_of, {.threads = 7, .observer = {}});
  EXPECT_EQ(one.x, seven.x);
  EXPECT_EQ(one.imputer->to_document(), seven.imputer->to_document());
  const auto read = InputImputer::from_document(one.imputer->to_document());
  EXPECT_EQ(read->draws(data.x).x, one.imputer->draws(data.x).x);
}

TEST(InputImputer, RefusesWhatDoesNotFit) {
  Dataset data = normal_rows(50, 0.3, 6);
  Matrix x = data.x;
  x.row(1).setConstant(nan);
  data.x = x;
  EXPECT_EQ(complaint([&] { InputImputer::fit(data, 0, mixture_of, {}); }),
            "input 2 is missing in every row, expected a value in some; leave it out");
  Document document = InputImputer::fit(normal_rows(50, 0.3, 6), 0, mixture_of, {}).imputer->to_document();
  Document::Array quantiles = document.at("quantiles").as_array();
  quantiles.pop_back();
  Document shorter = document;
  EXPECT_EQ(complaint<FormatError>([&] { InputImputer::from_document(shorter.set("quantiles", quantiles)); }),
            "missing_inputs: 2 inputs with quantiles, 0 with groups and 3 in the mixture");
  quantiles.emplace_back(Vector{{2.0, 1.0}});
  EXPECT_EQ(complaint<FormatError>([&] { InputImputer::from_document(document.set("quantiles", quantiles)); }),
            "missing_inputs: quantiles of input 3 do not rise");
}

// p(y | x_o) of a joint density by hand: a product of kernels loses the factors of what is missing, a Gaussian is its
// own marginal.
TEST(MissingInputsOfJointDensities, AreIntegratedOut) {
  for (const std::string model : {"parzen", "gmm"}) {
    const ModelInfo& info = find_model(model);
    const Dataset full = registered::sample_data(200, 2, 1, 3);
    TargetRequest request;
    request.impute_inputs = true;
    const auto fitted = fit_target(info, request, full, "", {}, [](Index) { return ""; }, {}).density;
    const auto& joint = dynamic_cast<const JointDensity&>(*fitted);
    const Matrix x{{0.3, nan}, {nan, nan}};
    const GaussianMixtures laws = fitted->predict(x);
    const GaussianMixture all(joint.kernel_weights(),
                              GaussianComponents::from_covariances(joint.kernel_means(), joint.kernel_covariances()));
    const GaussianMixture pair = all.marginal(std::vector<Index>{0, 2});
    const double share = fitted->options().at("defensive_weight").as_number();
    const GaussianMixture broad(Vector::Ones(1), fitted->y_scale().mean(), 2.0 * fitted->y_scale().scale());
    for (const double y : {-2.0, 0.1, 1.5}) {
      const double given = pair.pdf(Vector{{0.3, y}}) / all.marginal(0).pdf(0.3);
      EXPECT_NEAR(laws[0].pdf(y), (1 - share) * given + share * broad.pdf(y), 1e-9) << model << y;
      EXPECT_NEAR(laws[1].pdf(y), (1 - share) * all.marginal(2).pdf(y) + share * broad.pdf(y), 1e-9) << model << y;
    }
  }
}

class MissingInputsOfEveryModel : public testing::TestWithParam<std::string> {};

TEST_P(MissingInputsOfEveryModel, AreAveragedOver) {
  const ModelInfo& info = find_model(GetParam());
  const Dataset full = registered::sample_data(120, 2, 1, 11);
  Dataset data = full;
  Matrix x = full.x;
  for (Index i = 0; i < x.cols(); i += 5) x(i % 2, i) = nan;
  data.x = x;
  TargetRequest request;
  request.impute_inputs = true;
  const Document options = registered::quick_options({GetParam(), ""});
  const PlaceOfRow place = [](Index row) { return message("row ", row); };
  const auto model = fit_target(info, request, data, "", options, place, {}).density;
  ASSERT_NE(model->imputer(), nullptr);
  const GaussianMixtures laws = model->predict(x);
  const Vector log_density = model->log_density(x, data.y);
  EXPECT_TRUE(log_density.allFinite());
  EXPECT_LT((laws.log_pdf(data.y) - log_density).cwiseAbs().maxCoeff(), 1e-8);
  // A complete row is what it is alone, beside others with and without gaps.
  EXPECT_NEAR(model->log_density(x.col(1), data.y.col(1))[0], log_density[1], 1e-11);  // sums in another order
  // Of others, the mean over the draws, unless the model integrates them out, or its members do. Of distributions of
  // many components, which do not share them, there are fewer draws.
  if (!info.can("is_density") && !info.can("has_members")) {
    const InputImputer::Draws draws = model->imputer()->draws(x.col(0));
    const GaussianMixtures all = model->predict(draws.x);
    const Index kept =
        all.has_shared_components() ? 32 : std::min<Index>(32, std::max<Index>(4, 2000 / all.n_components()));
    const Matrix y = data.y.col(0).replicate(1, kept);
    const Vector each = model->log_density(draws.x.leftCols(kept), y);
    EXPECT_NEAR(std::exp(log_density[0]), each.array().exp().mean(), 1e-8 * std::exp(log_density[0]));
  }
  const auto read = load_density(save_density(*model));
  EXPECT_EQ(read->log_density(x, data.y), log_density);
  EXPECT_EQ(model->log_density(x, data.y, {.threads = 7, .observer = {}}), log_density);
}

std::vector<std::string> all_names() {
  std::vector<std::string> out;
  for (const ModelInfo& info : models()) out.push_back(info.name);
  return out;
}

INSTANTIATE_TEST_SUITE_P(Registered, MissingInputsOfEveryModel, testing::ValuesIn(all_names()),
                         [](const auto& own) { return own.param; });

TEST(MissingInputs, AreRefusedByModelsThatWereFittedWithout) {
  const Dataset data = registered::sample_data(60, 2, 1, 1);
  const auto model = find_model("gp").fit(data, "", {}, {});
  EXPECT_EQ(complaint([&] {
              model->predict(Matrix{{0.0}, {nan}});
            }),
            "gp: x is nan in observation 1, dimension 2; expected finite numbers");
  const auto imputer = InputImputer::fit(normal_rows(50, 0.3, 6), 0, mixture_of, {}).imputer;
  const auto other = find_model("gp").fit(data, "", {}, {});
  EXPECT_EQ(complaint<FormatError>([&] { other->set_imputer(imputer); }),
            "missing_inputs: 3 inputs, the density has 2");
}

TEST(MissingInputs, AtomsAreAveragedOver) {
  Dataset data = normal_rows(400, 0.3, 8);
  Matrix y = data.y;
  for (Index i = 0; i < 400; ++i) {
    if (y(0, i) < 0.5) y(0, i) = 0.0;
  }
  data.y = y;
  TargetRequest request{TargetKind::parse("with-atoms")};
  request.impute_inputs = true;
  const TargetModel model = fit_target(find_model("gp"), request, data, "", {}, [](Index) { return ""; }, {});
  const TargetDistributions laws = model.target->predict(*model.density, data.x);
  const Matrix x = data.x;
  for (Index i = 0; i < 20; ++i) {
    const InputImputer::Draws draws = model.density->imputer()->draws(x.col(i));
    const Vector zero = model.target->atom_model()->log_probabilities(draws.x, {}).row(1).transpose();
    EXPECT_NEAR(laws.slice(i, 1).mass_at(Vector::Zero(1))[0], zero.array().exp().mean(), 1e-12);
  }
}

}  // namespace
}  // namespace condens::input_imputer_test
