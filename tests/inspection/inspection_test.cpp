// Effects, importance, Shapley values and comparisons against plain sums, identities and limits.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "condens/inspection/effects.hpp"
#include "condens/inspection/importance.hpp"
#include "condens/inspection/shapley.hpp"
#include "support/complaint.hpp"
#include "support/gaussian_model.hpp"
#include "support/registered_models.hpp"

namespace condens::tests::inspection_test {
namespace {

/// y | x ~ N(m(x), s(x)^2), three inputs of which the last plays no part.
KnownModel additive_model() {
  return {3, 1, [](const VectorView& x) {
            return GaussianMixture(Vector::Ones(1), Matrix::Constant(1, 1, 2.0 * x[0] + std::sin(x[1])),
                                   Matrix::Constant(1, 1, std::exp(0.3 * x[0])));
          }};
}
/// The same with an interaction.
KnownModel entangled_model() {
  return {4, 1, [](const VectorView& x) {
            return GaussianMixture(Vector::Ones(1), Matrix::Constant(1, 1, x[0] * x[1] + x[2] * x[0]),
                                   Matrix::Constant(1, 1, 1.0 + x[3] * x[3] + 0.2 * x[1] * x[1]));
          }};
}

Matrix rows_of(Index d, Index n, std::uint64_t seed = 1) {
  RandomStream random(seed);
  Matrix out(d, n);
  for (double& value : out.reshaped()) value = random.normal();
  return out;
}

std::vector<InspectedInput> single_inputs(Index d) {
  std::vector<InspectedInput> out;
  for (Index k = 0; k < d; ++k) out.push_back({"x" + std::to_string(k + 1), {k}});
  return out;
}

const std::vector<Functional> mean_and_std = parse_functionals("mean,std");

Dataset without_targets(Matrix x) { return {.x = std::move(x), .y = Matrix(0, 0)}; }

TEST(Functional, SaysWhatTheDistributionsSay) {
  const KnownModel model = branching_model();
  const TargetDistributions laws = Inspected{model}.predict(Matrix{{0.0, 1.0}}, {});
  const Vector y{{0.3, -0.2}};
  const auto of = [&](const char* text) { return Functional::parse(text).of(laws, y, {}); };
  EXPECT_EQ(of("mean"), laws.mean().row(0).transpose());
  EXPECT_EQ(of("sd"), laws.variance().row(0).transpose().cwiseSqrt());
  EXPECT_EQ(of("median"), laws.median());
  EXPECT_EQ(of("quantile:0.9"), laws.quantile(Vector::Constant(1, 0.9)).row(0).transpose());
  const Matrix ends = laws.interval(0.8);
  EXPECT_EQ(of("width:.8"), (ends.row(1) - ends.row(0)).transpose());
  EXPECT_EQ(of("above:0.5"), laws.sf(Vector::Constant(2, 0.5)));
  EXPECT_EQ(of("log-score"), laws.log_pdf(y.transpose()));
  const Matrix q = laws.quantile(Vector{{0.1, 0.5, 0.9}});
  for (Index i = 0; i < 2; ++i) {
    EXPECT_NEAR(of("asymmetry")[i], (q(2, i) + q(0, i) - 2 * q(1, i)) / (q(2, i) - q(0, i)), 1e-12);
  }
  EXPECT_EQ(Functional::parse("quantile:.90").text(), "quantile:0.9");
}

TEST(Functional, RefusesOtherTexts) {
  const auto said = [](const char* text) { return complaint([&] { parse_functionals(text); }); };
  EXPECT_EQ(said("mode"),
            "of = 'mode', expected one of mean, std, median, quantile:p, width:p, asymmetry, above:v, log-score");
  EXPECT_EQ(said(""), "of = '', expected one of mean, std, median, quantile:p, width:p, asymmetry, above:v, log-score");
  EXPECT_EQ(said("mean:2"), "of = 'mean:2', expected 'mean' without a number");
  EXPECT_EQ(said("mean,quantile:1"),
            "of = 'quantile:1', expected quantile:p with a probability p between 0 and 1, as quantile:0.9");
  EXPECT_EQ(said("width"), "of = 'width', expected width:p with a probability p between 0 and 1, as width:0.9");
  EXPECT_EQ(said("above:inf"), "of = 'above:inf', expected above:v with a number v, as above:10");
}

TEST(Effects, OfAnAdditiveMeanAreItsTerm) {
  const KnownModel model = additive_model();
  const Dataset data = without_targets(rows_of(3, 400));
  for (const EffectKind kind : {EffectKind::local, EffectKind::dependence}) {
    const Effect found = effect({model}, mean_and_std, {"x2", {1}}, data, {.kind = kind, .points = 15, .max_rows = 0});
    ASSERT_GE(found.grid.size(), 15);
    const Vector sine = found.grid.array().sin();
    const Vector curve = found.values.row(0).transpose();
    EXPECT_LT(((curve.array() - curve[0]) - (sine.array() - sine[0])).abs().maxCoeff(), 1e-12);
    EXPECT_LT(found.values.row(1).cwiseAbs().maxCoeff(), 1e-12);
    EXPECT_LT(found.standard_errors.maxCoeff(), 1e-12);  // every row says the same
  }
}

TEST(Effects, AreThePlainSums) {
  const KnownModel model = entangled_model();
  const Dataset data = without_targets(rows_of(4, 60));
  const Index n = 60;
  const auto mean_at = [&](Vector x) { return x[0] * x[1] + x[2] * x[0]; };
  double base = 0;
  for (Index i = 0; i < n; ++i) base += mean_at(data.x.col(i)) / static_cast<double>(n);

  const Effect dependence = effect({model}, mean_and_std, {"x1", {0}}, data, {.kind = EffectKind::dependence});
  for (Index k = 0; k < dependence.grid.size(); ++k) {
    double sum = 0;
    for (Index i = 0; i < n; ++i) {
      Vector x = data.x.col(i);
      x[0] = dependence.grid[k];
      sum += mean_at(x);
    }
    EXPECT_NEAR(dependence.values(0, k) + base, sum / static_cast<double>(n), 1e-12);
  }

  const Effect local = effect({model}, mean_and_std, {"x1", {0}}, data, {.points = 5});
  ASSERT_EQ(local.grid.size(), 6);
  Vector curve = Vector::Zero(6);
  double middle = 0;
  for (Index k = 1; k < 6; ++k) {
    double sum = 0;
    double count = 0;
    for (Index i = 0; i < n; ++i) {
      const double value = data.x(0, i);
      const bool inside = value <= local.grid[k] && (value > local.grid[k - 1] || (k == 1 && value == local.grid[0]));
      if (!inside) continue;
      Vector right = data.x.col(i);
      Vector left = right;
      right[0] = local.grid[k];
      left[0] = local.grid[k - 1];
      sum += mean_at(right) - mean_at(left);
      ++count;
    }
    curve[k] = curve[k - 1] + sum / count;
    middle += count * (curve[k] + curve[k - 1]) / 2;
  }
  curve.array() -= middle / static_cast<double>(n);
  EXPECT_LT((local.values.row(0).transpose() - curve).cwiseAbs().maxCoeff(), 1e-12);
  EXPECT_NEAR(local.base[0], base, 1e-12);
  EXPECT_GT(local.standard_errors(0, 5), 0);
}

TEST(Effects, MoveAllIndicatorsOfACategoryAndMarksWithTheirNumber) {
  // x: three indicators, then a number and its mark.
  const KnownModel model(5, 1, [](const VectorView& x) {
    return GaussianMixture(Vector::Ones(1), Matrix::Constant(1, 1, x[1] + 2.0 * x[2] + x[3] + 10.0 * x[4]),
                           Matrix::Constant(1, 1, 1.0));
  });
  Matrix x = Matrix::Zero(5, 6);
  for (Index i = 0; i < 6; ++i) x(i % 3, i) = 1;
  x.row(3) << 1, 2, 3, 4, 5, 6;
  x(4, 5) = 1;
  const Effect levels =
      effect({model}, parse_functionals("mean"), {"c", {0, 1, 2}, {"a", "b", "c"}}, without_targets(x));
  EXPECT_EQ(levels.kind, EffectKind::dependence);
  const Vector steps = levels.values.row(0).transpose().array() - levels.values(0, 0);
  EXPECT_LT((steps - Vector{{0, 1, 2}}).cwiseAbs().maxCoeff(), 1e-12);
  const InspectedInput number{"n", {3, 4}, {}, {4}};
  const Effect local = effect({model}, parse_functionals("mean"), number, without_targets(x), {.points = 4});
  EXPECT_EQ(local.grid[local.grid.size() - 1], 5);  // the row in which it is missing has no value
  const Effect partial = effect({model}, parse_functionals("mean"), number, without_targets(x),
                                {.kind = EffectKind::dependence, .points = 3});
  EXPECT_NEAR(partial.base[0] + partial.values(0, 0), 1.0 + 1.0, 1e-12);  // the mark is off: mean level 1, number 1
}

TEST(Effects, ComplainOfWhatDoesNotFit) {
  const KnownModel model = additive_model();
  const Dataset data = without_targets(rows_of(3, 10));
  const auto said = [&](const InspectedInput& input, const Dataset& rows, const EffectOptions& options,
                        const std::string& of = "mean") {
    return complaint([&] { effect({model}, parse_functionals(of), input, rows, options); });
  };
  const InspectedInput first{"x1", {0}};
  EXPECT_EQ(said(first, without_targets(rows_of(2, 5)), {}),
            "effect: the rows have 2 inputs, expected 3 as in the fit");
  EXPECT_EQ(said(first, without_targets(Matrix(3, 0)), {}), "effect: there are no rows, expected at least one");
  EXPECT_EQ(said(first, data, {.points = 1}), "effect: points = 1, expected at least 2");
  EXPECT_EQ(said(first, data, {.max_rows = -1}), "effect: max_rows = -1, expected a number >= 0");
  EXPECT_EQ(said(first, without_targets(Matrix::Ones(3, 4)), {}),
            "effect: input 'x1' is always 1, expected at least two values");
  EXPECT_EQ(said({"c", {0}, {"a"}}, data, {}), "effect: input 'c' is always a, expected at least two levels");
  EXPECT_EQ(said({"d", {0, 1}}, data, {}), "effect: input 'd' is several numbers, expected one number or a category");
  EXPECT_EQ(said({"n", {0, 1}, {}, {1}}, without_targets(Matrix::Ones(3, 4)), {}),
            "effect: input 'n' is missing in all rows, expected at least two values");
  EXPECT_EQ(said(first, data, {}, "log-score"),
            "effect: of = 'log-score' needs the target of every row, there are 0 of 10");
  EXPECT_EQ(complaint([&] { effect({model}, {}, first, data); }),
            "effect: of is empty, expected at least one functional");
  EXPECT_EQ(complaint([&] {
              effect({model, nullptr, 1}, mean_and_std, first, data);
            }),
            "effect: target 1, expected 0 to 0");
}

TEST(Importance, OfAnInputThatPlaysNoPartIsZero) {
  const KnownModel model = additive_model();
  Dataset data{.x = rows_of(3, 500), .y = {}};
  data.y = draw(model, data.x, 5);
  const Importances found = permutation_importance(model, nullptr, single_inputs(3), data);
  EXPECT_EQ(found.inputs[2].log_score.value, 0);
  EXPECT_EQ(found.inputs[2].log_score.standard_error, 0);
  EXPECT_EQ(found.inputs[2].crps.value, 0);
  EXPECT_GT(found.inputs[0].log_score.value, found.inputs[1].log_score.value);
  EXPECT_GT(found.inputs[1].crps.value, 3 * found.inputs[1].crps.standard_error);
}

TEST(Importance, IsThePlainMeanOfWhatRowsLose) {
  const KnownModel model = additive_model();
  Dataset data{.x = rows_of(3, 40), .y = {}};
  data.y = draw(model, data.x, 5);
  const Importances found = permutation_importance(model, nullptr, single_inputs(3), data, {.n_repeats = 2, .seed = 7});
  const GaussianMixtures laws = model.predict(data.x);
  EXPECT_NEAR(found.log_score.value, -laws.log_pdf(data.y).mean(), 1e-12);
  EXPECT_NEAR(found.crps.value, laws.crps(data.y.row(0).transpose()).mean(), 1e-12);
  double nll[2];
  for (std::uint64_t r = 0; r < 2; ++r) {  // the second input: shuffles 3 and 4
    const std::vector<Index> order = RandomStream(7, 3 + r).permutation(40);
    Matrix x = data.x;
    x.row(1) = data.x(1, order);
    nll[r] = -model.predict(x).log_pdf(data.y).mean() + laws.log_pdf(data.y).mean();
  }
  EXPECT_NEAR(found.inputs[1].log_score.value, (nll[0] + nll[1]) / 2, 1e-12);
  EXPECT_NEAR(found.inputs[1].log_score.shuffle_error, std::abs(nll[0] - nll[1]) / 2, 1e-12);
}

TEST(Importance, ComplainsOfWhatDoesNotFit) {
  const KnownModel model = additive_model();
  const Dataset data{.x = rows_of(3, 10), .y = Matrix::Zero(1, 10)};
  const auto said = [&](const Dataset& rows, const ImportanceOptions& options) {
    return complaint([&] { permutation_importance(model, nullptr, single_inputs(3), rows, options); });
  };
  EXPECT_EQ(said(data, {.n_repeats = 0}), "permutation_importance: n_repeats = 0, expected at least 1");
  EXPECT_EQ(said(data, {.max_rows = -2}), "permutation_importance: max_rows = -2, expected a number >= 0");
  EXPECT_EQ(said({.x = rows_of(3, 10), .y = Matrix::Zero(2, 10)}, {}),
            "permutation_importance: the data have 2 targets, expected 1 as in the fit");
  EXPECT_NE(said({.x = rows_of(3, 10), .y = Matrix::Constant(1, 10, 1e160)}, {})
                .find("row 1 of 10 has log density -inf, which cannot be compared"),
            std::string::npos);
}

/// Shapley values from their definition: over all orders of the inputs.
Vector plain_shapley(const ConditionalDensity& model, const Functional& of, const Vector& row,
                     const Matrix& background) {
  std::vector<Index> order(static_cast<std::size_t>(row.size()));
  std::iota(order.begin(), order.end(), Index{0});
  const auto value = [&](const std::vector<bool>& taken) {
    Matrix x = background;
    for (Index k = 0; k < row.size(); ++k)
      if (taken[static_cast<std::size_t>(k)]) x.row(k).setConstant(row[k]);
    return of.of(Inspected{model}.predict(x, {}), Vector(), {}).mean();
  };
  Vector out = Vector::Zero(row.size());
  double orders = 0;
  do {
    std::vector<bool> taken(order.size(), false);
    double before = value(taken);
    for (const Index k : order) {
      taken[static_cast<std::size_t>(k)] = true;
      const double after = value(taken);
      out[k] += after - before;
      before = after;
    }
    ++orders;
  } while (std::next_permutation(order.begin(), order.end()));
  return out / orders;
}

TEST(Shapley, AreThePlainMeansOverAllOrders) {
  const KnownModel model = entangled_model();
  const Matrix background = rows_of(4, 7);
  const Vector row{{1.0, -0.5, 2.0, 0.3}};
  const Attribution found = shapley_values({model}, mean_and_std, single_inputs(4), row, Vector(), background);
  ASSERT_TRUE(found.exact);
  for (Index f = 0; f < 2; ++f) {
    const Vector plain = plain_shapley(model, mean_and_std[static_cast<std::size_t>(f)], row, background);
    EXPECT_LT((found.values.col(f) - plain).cwiseAbs().maxCoeff(), 1e-12);
    EXPECT_NEAR(found.values.col(f).sum(), found.prediction[f] - found.base[f], 1e-12);
  }
  EXPECT_NEAR(found.prediction[0], 1.0 * -0.5 + 2.0 * 1.0, 1e-12);

  const Attribution sampled = shapley_values({model}, mean_and_std, single_inputs(4), row, Vector(), background,
                                             {.most_exact = 0, .n_orders = 4000});
  EXPECT_FALSE(sampled.exact);
  for (Index f = 0; f < 2; ++f) {
    EXPECT_NEAR(sampled.values.col(f).sum(), found.prediction[f] - found.base[f], 1e-10);
    for (Index j = 0; j < 4; ++j) {
      EXPECT_LE(std::abs(sampled.values(j, f) - found.values(j, f)), 4 * sampled.standard_errors(j, f) + 1e-12);
      EXPECT_LT(sampled.standard_errors(j, f), 0.05);
    }
  }
}

TEST(Shapley, OfSumsAreExactWhateverTheOrders) {
  const KnownModel model = additive_model();
  const Matrix background = rows_of(3, 30);
  const Vector row{{1.0, 0.7, 5.0}};
  const Attribution found = shapley_values({model}, parse_functionals("mean"), single_inputs(3), row, Vector(),
                                           background, {.most_exact = 0, .n_orders = 2});
  EXPECT_NEAR(found.values(0, 0), 2.0 * (1.0 - background.row(0).mean()), 1e-12);
  EXPECT_NEAR(found.values(1, 0), std::sin(0.7) - background.row(1).array().sin().mean(), 1e-12);
  EXPECT_EQ(found.values(2, 0), 0);
  EXPECT_LT(found.standard_errors.maxCoeff(), 1e-12);
}

TEST(Shapley, ExplainTheLogScoreOfTheRow) {
  const KnownModel model = additive_model();
  const Vector row{{1.0, 0.7, 5.0}};
  const Attribution found = shapley_values({model}, parse_functionals("log-score"), single_inputs(3), row,
                                           Vector::Constant(1, 2.5), rows_of(3, 9));
  EXPECT_NEAR(found.prediction[0], model.log_density(row, Matrix::Constant(1, 1, 2.5))[0], 1e-12);
}

TEST(Comparison, SumsToTheDifference) {
  const KnownModel model = entangled_model();
  const Vector row{{1.0, -0.5, 2.0, 0.3}};
  const Vector other{{0.2, -0.5, -1.0, 0.9}};
  const Attribution found = compare_rows({model}, mean_and_std, single_inputs(4), row, other);
  ASSERT_EQ(found.of, (std::vector<std::string>{"mean", "std", "crps", "kolmogorov"}));
  for (Index f = 0; f < 4; ++f) EXPECT_NEAR(found.values.col(f).sum(), found.prediction[f] - found.base[f], 1e-12);
  EXPECT_TRUE((found.values.row(1).array() == 0).all());  // the same in both
  EXPECT_LT(std::abs(found.base[2]), 1e-20);
  const Vector plain = plain_shapley(model, mean_and_std[1], row, other);
  EXPECT_LT((found.values.col(1) - plain).cwiseAbs().maxCoeff(), 1e-12);
}

TEST(Comparison, DistancesAreThoseOfGaussians) {
  const auto law = [](double mean, double scale) {
    return TargetDistributions(
        GaussianMixtures::separate(Matrix::Constant(1, 1, mean), Matrix::Constant(1, 1, scale), Matrix::Zero(1, 1)),
        {});
  };
  // integral (F - G)^2 = E|X - Y| - E|X - X'| / 2 - E|Y - Y'| / 2; of Gaussians E|N(m, v)| is known.
  const auto folded = [](double m, double v) {
    return std::sqrt(2 * v / 3.14159265358979323846) * std::exp(-m * m / (2 * v)) + m * std::erf(m / std::sqrt(2 * v));
  };
  for (const auto& [mean, scale] : {std::pair{0.0, 1.0}, {0.5, 1.0}, {3.0, 2.0}, {20.0, 0.5}}) {
    const Matrix found = distances_to(law(mean, scale), law(0, 1));
    const double exact = folded(mean, 1 + scale * scale) - folded(0, 2) / 2 - folded(0, 2 * scale * scale) / 2;
    EXPECT_NEAR(found(0, 0), exact, 1e-5 * std::max(exact, 1e-3));
    if (scale == 1.0) {
      EXPECT_NEAR(found(1, 0), std::erf(mean / 2 / std::sqrt(2.0)), 1e-4);
    }
  }
  // Counts: F and G are steps.
  TargetSupport counts;
  counts.values = TargetValues::counts();
  const auto steps = [&](double mean) {
    return TargetDistributions(
        GaussianMixtures::separate(Matrix::Constant(1, 1, mean), Matrix::Constant(1, 1, 1.0), Matrix::Zero(1, 1)),
        counts);
  };
  const TargetDistributions one = steps(2.0);
  const TargetDistributions two = steps(4.0);
  double sum = 0;
  double most = 0;
  for (Index k = 0; k < 20; ++k) {
    const Vector at = Vector::Constant(1, static_cast<double>(k));
    const double difference = one.cdf(at)[0] - two.cdf(at)[0];
    sum += difference * difference;
    most = std::max(most, std::abs(difference));
  }
  const Matrix found = distances_to(two, one);
  EXPECT_NEAR(found(0, 0), sum, 1e-6);
  EXPECT_NEAR(found(1, 0), most, 1e-12);
}

TEST(Shapley, ComplainOfWhatDoesNotFit) {
  const KnownModel model = additive_model();
  const Vector row = Vector::Ones(3);
  const auto said = [&](const ShapleyOptions& options) {
    return complaint(
        [&] { shapley_values({model}, mean_and_std, single_inputs(3), row, Vector(), rows_of(3, 5), options); });
  };
  EXPECT_EQ(said({.most_exact = -1}), "shapley_values: most_exact = -1, expected a number >= 0");
  EXPECT_EQ(said({.n_orders = 1}), "shapley_values: n_orders = 1, expected at least 2");
  EXPECT_EQ(said({.max_background = -1}), "shapley_values: max_background = -1, expected a number >= 0");
  EXPECT_EQ(complaint([&] {
              shapley_values({model}, parse_functionals("log-score"), single_inputs(3), row, Vector(), rows_of(3, 5));
            }),
            "shapley_values: of = 'log-score' needs the target of every row, there are 0 of 1");
  EXPECT_EQ(
      complaint([&] { compare_rows({model}, parse_functionals("log-score"), single_inputs(3), row, row); }),
      "compare_rows: of = 'log-score' needs the target of one row, and there are two; expected another functional");
  EXPECT_EQ(complaint([&] {
              const TargetDistributions laws = Inspected{model}.predict(rows_of(3, 2), {});
              distances_to(laws, laws);
            }),
            "distances_to: there are 2 distributions to compare with, expected one");
}

TEST(Inspection, HasTheSameBitsForAnyNumberOfThreads) {
  const KnownModel model = entangled_model();
  Dataset data{.x = rows_of(4, 700), .y = {}};
  data.y = draw(model, data.x, 2);
  const auto all = [&](int threads) {
    const condens::Run run{.threads = threads, .observer = {}};
    const Effect local = effect({model}, mean_and_std, {"x1", {0}}, data, {}, run);
    const Importances found = permutation_importance(model, nullptr, single_inputs(4), data, {.n_repeats = 2}, run);
    const Attribution row = shapley_values({model}, mean_and_std, single_inputs(4), Vector(data.x.col(0)), Vector(),
                                           data.x, {.most_exact = 0}, run);
    Vector out(3);
    out << local.values.sum(), found.inputs[1].crps.value, row.values.sum() + row.standard_errors.sum();
    return out;
  };
  const Vector one = all(1);
  EXPECT_EQ(one, all(2));
  EXPECT_EQ(one, all(7));
}

TEST(Inspection, CanBeInterrupted) {
  const KnownModel model = entangled_model();
  Dataset data{.x = rows_of(4, 2000), .y = {}};
  data.y = draw(model, data.x, 2);
  const condens::Run run{.threads = 2, .observer = [](std::string_view, double) { return false; }};
  EXPECT_THROW(effect({model}, mean_and_std, {"x1", {0}}, data, {}, run), Cancelled);
  EXPECT_THROW(permutation_importance(model, nullptr, single_inputs(4), data, {}, run), Cancelled);
  EXPECT_THROW(
      shapley_values({model}, mean_and_std, single_inputs(4), Vector(data.x.col(0)), Vector(), data.x, {}, run),
      Cancelled);
}

class EveryModelIsExplained : public ::testing::TestWithParam<registered::Case> {};

TEST_P(EveryModelIsExplained, ByItsScoresAndAlongItsInputs) {
  const ModelInfo& info = find_model(GetParam().model);
  const Dataset data = registered::sample_data(60, 2, 1, 11);
  const auto model = info.fit(data, GetParam().preset, registered::quick_options(GetParam()), {});
  const Importances found = permutation_importance(*model, nullptr, single_inputs(2), data, {.n_repeats = 2});
  EXPECT_TRUE(std::isfinite(found.inputs[0].log_score.value));
  EXPECT_TRUE(std::isfinite(found.inputs[0].crps.standard_error));
  const Effect local =
      effect({*model}, parse_functionals("mean,std,quantile:0.9,asymmetry"), {"x1", {0}}, data, {.points = 4});
  EXPECT_TRUE(local.values.allFinite());
  const Attribution row =
      shapley_values({*model}, mean_and_std, single_inputs(2), Vector(data.x.col(0)), Vector(), data.x.leftCols(5));
  const double size = 1 + std::abs(row.prediction[0]);
  EXPECT_NEAR(row.values.col(0).sum(), row.prediction[0] - row.base[0], 1e-10 * size);
  const Attribution two =
      compare_rows({*model}, mean_and_std, single_inputs(2), Vector(data.x.col(0)), Vector(data.x.col(1)));
  EXPECT_NEAR(two.values.col(2).sum(), two.prediction[2] - two.base[2], 1e-10);
}

INSTANTIATE_TEST_SUITE_P(Registry, EveryModelIsExplained, ::testing::ValuesIn(registered::all_cases()));

}  // namespace
}  // namespace condens::tests::inspection_test
