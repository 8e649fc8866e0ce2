// Replicates of a fit by the bootstrap: their weights, what they agree with, their files; error bars from them.

#include "model/bootstrap.hpp"

#include <gtest/gtest.h>

#include <limits>

#include <Eigen/LU>
#include <cmath>

#include "condens/core/errors.hpp"
#include "condens/core/random.hpp"
#include "condens/estimators/lscde.hpp"
#include "condens/estimators/nadaraya_watson.hpp"
#include "condens/estimators/parzen.hpp"
#include "condens/io/document_format.hpp"
#include "condens/io/model_file.hpp"
#include "condens/model/bands.hpp"
#include "condens/registry.hpp"
#include "support/complaint.hpp"
#include "support/registered_models.hpp"

namespace condens::bootstrap_test {
namespace {

using registered::sample_data;

const Document lscde_options = Document::Object{
    {"bandwidth", 0.6}, {"bandwidth_y", 0.3}, {"regularization", 0.01}, {"n_centers", 20}, {"metric", "none"}};

std::string place_of(Index row) { return "row " + std::to_string(row + 1); }

Model fit(const std::string& name, const Dataset& data, const Document& options, Index replicates,
          const std::string& kind = "real", int threads = 1) {
  const TargetRequest request{.kind = TargetKind::parse(kind), .replicates = replicates};
  TargetModel fitted =
      fit_target(find_model(name), request, data, "", options, place_of, {.threads = threads, .observer = {}});
  return {Encoder::generic(data.x.rows(), data.y.rows()), std::move(fitted.density), std::move(fitted.target),
          std::move(fitted.conformal), std::move(fitted.replicates)};
}

TEST(Bootstrap, CopiesAreMultinomial) {
  constexpr Index n = 50;
  constexpr Index draws = 2000;
  Matrix copies(n, draws);
  for (Index r = 0; r < draws; ++r) copies.col(r) = bootstrap_copies(n, 3, r);
  EXPECT_TRUE((copies.colwise().sum().array() == n).all());
  EXPECT_GE(copies.minCoeff(), 0.0);
  // Mean 1 and variance 1 - 1/n, within five standard errors of 100,000 counts.
  const Eigen::ArrayXXd off = copies.array() - 1.0;
  EXPECT_NEAR(off.square().mean(), 1.0 - 1.0 / n, 5 * std::sqrt(2.5 / (n * draws)));
  EXPECT_NE(copies.col(0), copies.col(1));
  EXPECT_EQ(copies.col(7), bootstrap_copies(n, 3, 7));
}

/// The rows of a replicate, copied out.
Dataset copied_out(const Dataset& data, std::uint64_t seed, Index r) {
  const Vector copies = bootstrap_copies(data.size(), seed, r);
  std::vector<Index> rows;
  for (Index i = 0; i < data.size(); ++i) rows.insert(rows.end(), static_cast<std::size_t>(copies[i]), i);
  return data.subset(rows);
}

TEST(Bootstrap, LscdeSolvesTheReweightedSystem) {
  const Dataset data = sample_data(60, 1, 1, 4);
  const auto model = Lscde::fit(data, {.bandwidth = {0.6},
                                       .bandwidth_y = {0.3},
                                       .regularization = {0.01},
                                       .n_centers = 20,
                                       .metric = LscdeMetric::none});
  const LscdeState& state = model.state();
  const Dataset rows = copied_out(data, 0, 5);
  // H and h of the copied rows, written out.
  const Matrix x = model.x_scale().transform(rows.x);
  const Matrix y = model.y_scale().transform(rows.y);
  const Index b = state.coefficients.size();
  Matrix h_matrix = Matrix::Zero(b, b);
  Vector h = Vector::Zero(b);
  const auto bump = [](double d, double s) { return std::exp(-0.5 * d * d / (s * s)); };
  for (Index i = 0; i < rows.size(); ++i) {
    for (Index l = 0; l < b; ++l) {
      const double phi = bump(x(0, i) - state.centers_x(0, l), state.bandwidth);
      h[l] += phi * bump(y(0, i) - state.centers_y(0, l), state.bandwidth_y) / static_cast<double>(rows.size());
      for (Index k = 0; k < b; ++k) {
        const double v = std::sqrt(M_PI) * state.bandwidth_y *
                         bump(state.centers_y(0, k) - state.centers_y(0, l), std::sqrt(2.0) * state.bandwidth_y);
        h_matrix(k, l) +=
            v * phi * bump(x(0, i) - state.centers_x(0, k), state.bandwidth) / static_cast<double>(rows.size());
      }
    }
  }
  h_matrix.diagonal().array() += state.regularization;
  const Vector alpha = (h_matrix.inverse() * h).cwiseMax(0.0);

  const Model asked = fit("lscde", data, lscde_options, 8);
  ASSERT_EQ(save_density(*asked.density).at("parameters").at("coefficients").as_vector(), state.coefficients);
  const auto replicate = asked.replicates->density(*asked.density, 5);
  EXPECT_LT((dynamic_cast<const Lscde&>(*replicate).state().coefficients - alpha).cwiseAbs().maxCoeff(), 1e-9);
}

/// 80 rows with weights, one of them zero, and some without a target.
Dataset weighted_rows() {
  Dataset data = sample_data(80, 2, 1, 6);
  RandomStream random(7);
  Vector weights(80);
  for (double& weight : weights) weight = 0.5 + random.uniform();
  weights[3] = 0.0;
  data.weights = weights;
  data.x_unlabeled = sample_data(15, 2, 1, 9).x;
  return data;
}

TEST(Bootstrap, DerivativesOfLscdeAreThoseOfTheReweightedFit) {
  const Dataset data = weighted_rows();
  for (const auto& [coefficients, penalty] : {std::pair{LscdeCoefficients::clipped, LscdePenalty::coefficients},
                                              {LscdeCoefficients::nonnegative, LscdePenalty::coefficients},
                                              {LscdeCoefficients::clipped, LscdePenalty::function}}) {
    LscdeOptions options{.bandwidth = {0.6},
                         .bandwidth_y = {0.3},
                         .regularization = {0.01},
                         .n_centers = 20,
                         .metric = LscdeMetric::none};
    options.coefficients = coefficients;
    options.penalty = penalty;
    const auto model = Lscde::fit(data, options);
    RandomStream random(5);
    Vector direction(80);
    for (double& value : direction) value = random.normal();
    const auto moved = [&](double step) { return Vector(1.0 + step * direction.array()); };
    const auto refitted = [&](double step) {
      Dataset rows = data;
      rows.weights = data.weights.cwiseProduct(moved(step));
      return model.reweighted(rows, {});
    };
    Matrix copies(80, 3);
    copies << moved(0.0), moved(1e-3), moved(1e-4);
    const Matrix found = model.linearized(data, copies, {});
    EXPECT_LT((found.col(0) - model.state().coefficients).cwiseAbs().maxCoeff(), 1e-12);
    const double far = (found.col(1) - refitted(1e-3)).norm();
    const double near = (found.col(2) - refitted(1e-4)).norm();
    EXPECT_GT((found.col(1) - found.col(0)).norm(), 100 * far);
    EXPECT_LT(near, 0.02 * far);  // of second order: a hundredth
  }
}

TEST(Bootstrap, ByDerivativesHasTheErrorsOfRefits) {
  const Dataset data = sample_data(400, 1, 1, 4);
  const auto bands_by = [&](ReplicateMethod method, int threads) {
    const TargetRequest request{.kind = {}, .replicates = 400, .replicate_method = method};
    const TargetModel fitted = fit_target(find_model("lscde"), request, data, "", lscde_options, place_of,
                                          {.threads = threads, .observer = {}});
    const auto of = [](const GaussianMixtures& laws) {
      Vector out(6);
      out << laws.pdf(Matrix{{0.0, 0.5}}), laws.mean().row(0).transpose(), laws.cdf(Vector{{0.2, 0.2}});
      return out;
    };
    return bands(*fitted.density, *fitted.replicates, Matrix{{-0.3, 0.4}}, of, 0.9, BandMethod::normal);
  };
  const Bands refits = bands_by(ReplicateMethod::refit, 1);
  const Bands delta = bands_by(ReplicateMethod::delta, 1);
  // 20 rows a center: the two differ by what is of second order.
  EXPECT_LT((delta.standard_error.array() / refits.standard_error.array() - 1.0).abs().maxCoeff(), 0.15);
  for (const int threads : {2, 7}) EXPECT_EQ(bands_by(ReplicateMethod::delta, threads).low, delta.low);
}

TEST(Bootstrap, DerivativesAreOfModelsThatHaveThem) {
  const Dataset data = sample_data(60, 1, 1, 4);
  const TargetRequest request{.kind = {}, .replicates = 5, .replicate_method = ReplicateMethod::delta};
  for (const std::string name : {"nw", "gmm"}) {
    EXPECT_EQ(complaint([&] {
                fit_target(find_model(name), request, data, "", Document(Document::Object{}), place_of, {});
              }).find("bootstrap: method = 'delta' of " + name + ", expected 'refit'"),
              0U);
  }
  Dataset atoms = sample_data(200, 1, 1, 4);
  atoms.y = atoms.y.cwiseMax(0.0);
  TargetRequest kind = request;
  kind.kind = TargetKind::parse("with-atoms");
  const TargetModel fitted = fit_target(find_model("lscde"), kind, atoms, "", lscde_options, place_of, {});
  EXPECT_EQ(fitted.replicates->size(), 5);
}

TEST(Bootstrap, KernelEstimatesHaveTheCopiesAsWeights) {
  const Dataset data = sample_data(40, 1, 1, 4);
  for (const std::string name : {"nw", "parzen"}) {
    const Document options = name == "nw"
                                 ? Document::Object{{"bandwidth", 0.5}, {"bandwidth_y", 0.3}, {"defensive_weight", 0.0}}
                                 : Document::Object{{"bandwidth", 0.4}, {"defensive_weight", 0.0}};
    const Model model = fit(name, data, options, 4);
    const Vector copies = bootstrap_copies(40, 0, 2);
    // p(y|x) = sum_i c_i K_x K_y / sum_i c_i K_x, on the standardised scale.
    const double width_x = name == "nw" ? 0.5 : 0.4;
    const double width_y = name == "nw" ? 0.3 : 0.4;
    const Matrix x = model.density->x_scale().transform(data.x);
    const Matrix y = model.density->y_scale().transform(data.y);
    const auto normal = [](double d, double s) { return std::exp(-0.5 * d * d / (s * s)) / (s * std::sqrt(2 * M_PI)); };
    const double at_x = 0.2;
    const double at_y = -0.3;
    double above = 0;
    double below = 0;
    for (Index i = 0; i < 40; ++i) {
      const double k = copies[i] * normal(at_x - x(0, i), width_x);
      above += k * normal(at_y - y(0, i), width_y);
      below += k;
    }
    const double expected = above / below;
    const Matrix given_x = model.density->x_scale().inverse_transform(Matrix::Constant(1, 1, at_x));
    const Matrix given_y = model.density->y_scale().inverse_transform(Matrix::Constant(1, 1, at_y));
    const double found = std::exp(model.replicates->density(*model.density, 2)->log_density(given_x, given_y)[0]) *
                         model.density->y_scale().scale()[0];
    EXPECT_NEAR(found, expected, 1e-12) << name;
  }
}

TEST(Bootstrap, WeightsMultiplyAndWeightZeroIsAbsence) {
  Dataset data = sample_data(40, 1, 1, 4);
  data.weights = Vector::Ones(40);
  data.weights.tail(10).setZero();
  std::vector<Index> first(30);
  for (std::size_t i = 0; i < 30; ++i) first[i] = static_cast<Index>(i);
  Dataset rest = data.subset(first);
  rest.weights = Vector();
  const Document options = Document::Object{{"bandwidth", 0.4}};
  const Model with = fit("parzen", data, options, 3);
  const Model without = fit("parzen", rest, options, 3);
  for (Index r = 0; r < 3; ++r) {
    EXPECT_EQ(with.replicates->density(*with.density, r)->log_density(rest.x, rest.y),
              without.replicates->density(*without.density, r)->log_density(rest.x, rest.y));
  }
}

TEST(Bootstrap, SurvivesFilesOfEveryKind) {
  Dataset data = sample_data(60, 1, 1, 4);
  const Dataset test = sample_data(10, 1, 1, 5);
  data.y = Matrix(Matrix(data.y).cwiseMax(-0.5));  // an atom
  for (const auto& [name, kind] : {std::pair{"lscde", "real"}, {"gmm", "real"}, {"parzen", "with-atoms"}}) {
    const Document options = std::string(name) == "lscde" ? lscde_options : Document(Document::Object{});
    const Model model = fit(name, data, options, 3, kind);
    for (const std::string& file : {to_json(model), to_cbor(model)}) {
      const Model again = parse_model(file, "m");
      ASSERT_EQ(again.replicates->size(), 3);
      EXPECT_EQ(to_cbor(again), to_cbor(model)) << name;
      for (Index r = 0; r < 3; ++r) {
        const Model a = replicate_of(model, r);
        const Model b = replicate_of(again, r);
        EXPECT_EQ(b.density->log_density(test.x, test.y), a.density->log_density(test.x, test.y)) << name;
        EXPECT_EQ(a.target.has_value(), std::string(kind) != "real");
        if (a.target) {
          EXPECT_EQ(b.target->predict(*b.density, test.x).mean(), a.target->predict(*a.density, test.x).mean());
        }
      }
    }
    EXPECT_EQ(document_from_json(to_json(model)).at("version").as_integer(), 2);
  }
  const Model none = fit("lscde", data, lscde_options, 0);
  EXPECT_FALSE(none.replicates.has_value());
  EXPECT_EQ(document_from_json(to_json(none)).at("version").as_integer(), 1);
}

TEST(Bootstrap, RefusesPartsThatDoNotFit) {
  const Dataset data = sample_data(40, 1, 1, 4);
  const Model lscde = fit("lscde", data, lscde_options, 2);
  const Model parzen = fit("parzen", data, Document::Object{{"bandwidth", 0.4}}, 2);
  const Model gmm = fit("gmm", data, Document::Object{{"n_components", 2}}, 2);
  const auto reading = [](const Model& model, const Document& part) -> std::string {
    try {
      load_replicates(part, *model.density, model.target);
    } catch (const FormatError& error) {
      return error.what();
    }
    return "no error";
  };
  const Document copies = parzen.replicates->to_document(*parzen.density);
  EXPECT_EQ(copies.at("numbers").as_strings().front().size(), 40U);
  EXPECT_EQ(reading(gmm, copies), "replicates of another model");
  EXPECT_EQ(reading(lscde, copies), "LSCDE: the coefficients of a replicate do not fit the centers");
  EXPECT_EQ(reading(parzen, Document::Object{{"numbers", Document::Array{"\"\"", "\""}}}),
            "the replicates differ in length");
  EXPECT_EQ(reading(parzen, Document::Object{{"numbers", Document::Array{"\" "}}}),
            "the copies of a row are no number");
  EXPECT_EQ(reading(parzen, Document::Object{{"numbers", Document::Array{"\""}}}),
            "Parzen: the weights of a replicate do not fit the kernels");
  EXPECT_EQ(reading(parzen, Document::Object{{"numbers", Document::Array{}}}), "there is no replicate");
  Document other = gmm.replicates->to_document(*gmm.density);
  other.set("classes", Document::Array{});
  EXPECT_EQ(reading(gmm, other), "no error");  // none are none
  const Model wide = fit("gmm", sample_data(40, 2, 1, 4), Document::Object{{"n_components", 2}}, 2);
  EXPECT_EQ(reading(gmm, wide.replicates->to_document(*wide.density)),
            "a replicate has other inputs or targets than the model");
}

TEST(Bootstrap, SaysWhatIsWrong) {
  const Dataset data = sample_data(40, 1, 1, 4);
  EXPECT_EQ(complaint([&] { fit("parzen", data, Document::Object{}, -1); }),
            "bootstrap = -1, expected a number of replicates, 0 to 10000");
  EXPECT_EQ(complaint([&] { fit("parzen", data, Document::Object{}, 10'001); }),
            "bootstrap = 10001, expected a number of replicates, 0 to 10000");
  const Model model = fit("parzen", data, Document::Object{{"bandwidth", 0.4}}, 10);
  EXPECT_EQ(complaint([&] { model.replicates->density(*model.density, 10); }),
            "Replicates: replicate 10, expected 0 to 9");
  const auto mean = [](const GaussianMixtures& laws) -> Vector { return laws.mean().row(0).transpose(); };
  EXPECT_EQ(complaint([&] { bands(*model.density, *model.replicates, data.x, mean, 0.9); }),
            "bands: level = 0.9 of 10 replicates, expected at least 19 of them: fit with bootstrap = 19 or more, or "
            "take a lower level");
  EXPECT_EQ(complaint([&] { bands(*model.density, *model.replicates, data.x, mean, 1.0); }),
            "bands: level = 1, expected a probability in (0, 1)");
  Index calls = 0;
  const auto changing = [&](const GaussianMixtures&) -> Vector { return Vector::Zero(++calls); };
  EXPECT_EQ(complaint([&] { bands(*model.density, *model.replicates, data.x, changing, 0.5); }),
            "bands: the functional has 2 numbers of replicate 1 and 1 of the model, expected as many");
  EXPECT_EQ(complaint([&] { bands(Vector::Zero(2), Matrix::Zero(3, 20), 0.5); }),
            "bands: 2 estimates and replicates of 3, expected as many");
  const auto zeros = [](const TargetDistributions& laws) -> Vector { return Vector::Zero(laws.size()); };
  EXPECT_EQ(complaint([&] { bands(*model.density, model.target, *model.replicates, data.x, zeros, 0.5); }),
            "bands: the target is any real number, expected a functional of Gaussian mixtures");
  EXPECT_EQ(complaint([&] {
              replicate_of({model.encoder, model.density}, 0);
            }),
            "replicate_of: the model has no replicates, expected one that was fitted with a bootstrap");
}

TEST(Bootstrap, StandsMissingInputsAsTheModelDoes) {
  Dataset data = sample_data(80, 2, 1, 5);
  Matrix x = data.x;
  for (Index i = 0; i < x.cols(); i += 4) x(0, i) = std::numeric_limits<double>::quiet_NaN();
  data.x = x;
  for (const std::string model : {"parzen", "gp"}) {
    const TargetModel fitted =
        fit_target(find_model(model), {.impute_inputs = true, .replicates = 3}, data, "", Document(), place_of, {});
    for (Index r = 0; r < 3; ++r) {
      EXPECT_TRUE(fitted.replicates->density(*fitted.density, r)->log_density(x, data.y).allFinite()) << model;
    }
  }
}

TEST(Bootstrap, CanBeCancelled) {
  const Dataset data = sample_data(300, 1, 1, 4);
  const Observer stop = [](std::string_view task, double) { return task != "fitting bootstrap replicates"; };
  EXPECT_THROW(fit_target(find_model("gmm"), {.replicates = 200}, data, "", Document(), place_of,
                          {.threads = 1, .observer = stop}),
               Cancelled);
}

TEST(Bands, AreRanksOfTheReplicates) {
  Vector nineteen(19);
  for (Index r = 0; r < 19; ++r) nineteen[r] = static_cast<double>((7 * r) % 19 + 1);  // 1, ..., 19 in some order
  const Bands percentile = bands(Vector{{8.0}}, nineteen.transpose(), 0.9);
  EXPECT_DOUBLE_EQ(percentile.low[0], 1.0);  // rank 20 * 0.05
  EXPECT_DOUBLE_EQ(percentile.high[0], 19.0);
  EXPECT_NEAR(percentile.standard_error[0], std::sqrt(19.0 * 20.0 / 12.0), 1e-12);
  const Bands half = bands(Vector{{8.0}}, nineteen.transpose(), 0.55);  // rank 4.5
  EXPECT_NEAR(half.low[0], 4.5, 1e-9);
  EXPECT_NEAR(half.high[0], 15.5, 1e-9);
  const Bands basic = bands(Vector{{8.0}}, nineteen.transpose(), 0.9, BandMethod::basic);
  EXPECT_DOUBLE_EQ(basic.low[0], -3.0);
  EXPECT_DOUBLE_EQ(basic.high[0], 15.0);
  const Bands normal = bands(Vector{{8.0}}, nineteen.transpose(), 0.9, BandMethod::normal);
  EXPECT_NEAR(normal.high[0] - 8.0, 1.6448536269514722 * std::sqrt(19.0 * 20.0 / 12.0), 1e-9);
  EXPECT_NEAR(normal.low[0] + normal.high[0], 16.0, 1e-9);
}

TEST(Bands, StandardErrorsOfLscdeAreThoseOfTheSandwich) {
  // p = c' alpha / d' alpha at (x, y), c_l = phi_l psi_l, d_l = sqrt(2 pi) s_y phi_l. The influence of row i on
  // alpha = (H + lambda)^-1 h is (H + lambda)^-1 (h_i - H_i alpha), clipped coefficients stay at zero.
  const Dataset data = sample_data(400, 1, 1, 6);
  Document options = lscde_options;
  options.set("n_centers", 12).set("defensive_weight", 0.0).set("bandwidth", 0.8).set("bandwidth_y", 0.5);
  const Index count = 400;
  const Model model = fit("lscde", data, options, count);
  const auto& density = dynamic_cast<const Lscde&>(*model.density);
  const LscdeState& state = density.state();
  const Matrix x = density.x_scale().transform(data.x);
  const Matrix y = density.y_scale().transform(data.y);
  const Index b = state.coefficients.size();
  const auto bump = [](double d, double s) { return std::exp(-0.5 * d * d / (s * s)); };
  const auto phi = [&](double at) {
    Vector out(b);
    for (Index l = 0; l < b; ++l) out[l] = bump(at - state.centers_x(0, l), state.bandwidth);
    return out;
  };
  const auto psi = [&](double at) {
    Vector out(b);
    for (Index l = 0; l < b; ++l) out[l] = bump(at - state.centers_y(0, l), state.bandwidth_y);
    return out;
  };
  Matrix v(b, b);
  for (Index k = 0; k < b; ++k) {
    for (Index l = 0; l < b; ++l) {
      v(k, l) = std::sqrt(M_PI) * state.bandwidth_y *
                bump(state.centers_y(0, k) - state.centers_y(0, l), std::sqrt(2.0) * state.bandwidth_y);
    }
  }
  const Index n = data.size();
  Matrix big = Matrix::Identity(b, b) * state.regularization;
  Vector h = Vector::Zero(b);
  for (Index i = 0; i < n; ++i) {
    const Vector own = phi(x(0, i));
    big += v.cwiseProduct(own * own.transpose()) / static_cast<double>(n);
    h += own.cwiseProduct(psi(y(0, i))) / static_cast<double>(n);
  }
  const Matrix inverse = big.inverse();
  const Vector free = inverse * h;
  Matrix influence(b, n);
  for (Index i = 0; i < n; ++i) {
    const Vector own = phi(x(0, i));
    influence.col(i) = inverse * (own.cwiseProduct(psi(y(0, i))) - own.cwiseProduct(v * own.cwiseProduct(free)));
  }
  influence.colwise() -= Vector(influence.rowwise().mean());
  for (const auto& [at_x, at_y] : {std::pair{0.0, -0.8}, {0.0, 0.9}, {0.5, 1.0}, {-0.7, 0.0}}) {
    const Vector c = phi(at_x).cwiseProduct(psi(at_y));
    const Vector d = std::sqrt(2 * M_PI) * state.bandwidth_y * phi(at_x);
    const double below = d.dot(state.coefficients);
    const double p = c.dot(state.coefficients) / below;
    Vector slope = (c - p * d) / below;
    for (Index l = 0; l < b; ++l) {
      if (free[l] <= 0) slope[l] = 0;
    }
    const double sandwich = std::sqrt((slope.transpose() * influence).squaredNorm()) / static_cast<double>(n);
    const Matrix given_x = density.x_scale().inverse_transform(Matrix::Constant(1, 1, at_x));
    const Matrix given_y = density.y_scale().inverse_transform(Matrix::Constant(1, 1, at_y));
    const Bands found = bands(
        density, *model.replicates, given_x,
        [&](const GaussianMixtures& laws) -> Vector { return laws.pdf(given_y) * density.y_scale().scale()[0]; }, 0.9);
    // Monte Carlo error of a standard error from R replicates is 1 / sqrt(2 R) = 3.5 %, four of these; clipping, which
    // the sandwich takes as fixed, and curvature in alpha add some: together a quarter.
    EXPECT_NEAR(found.standard_error[0] / sandwich, 1.0, 0.25) << at_x << " " << at_y;
  }
}

TEST(Bands, StandardErrorsOfKernelEstimatesAreThoseOfTheirRatio) {
  // p = a / b, a = mean K_x K_y, b = mean K_x: the influence of row i is K_x(i) (K_y(i) - p) / b.
  const Dataset data = sample_data(500, 1, 1, 6);
  const Model model =
      fit("nw", data, Document::Object{{"bandwidth", 0.4}, {"bandwidth_y", 0.3}, {"defensive_weight", 0.0}}, 500);
  const Matrix x = model.density->x_scale().transform(data.x);
  const Matrix y = model.density->y_scale().transform(data.y);
  const auto normal = [](const Eigen::ArrayXd& d, double s) -> Eigen::ArrayXd {
    return (-0.5 * d.square() / (s * s)).exp() / (s * std::sqrt(2 * M_PI));
  };
  for (const auto& [at_x, at_y] : {std::pair{0.0, -0.8}, {0.5, 1.0}, {-1.0, 0.0}}) {
    const Eigen::ArrayXd k_x = normal(x.row(0).transpose().array() - at_x, 0.4);
    const Eigen::ArrayXd k_y = normal(y.row(0).transpose().array() - at_y, 0.3);
    const double p = (k_x * k_y).mean() / k_x.mean();
    const double expected = std::sqrt((k_x * (k_y - p) / k_x.mean()).square().sum()) / 500.0;
    const Matrix given_x = model.density->x_scale().inverse_transform(Matrix::Constant(1, 1, at_x));
    const Matrix given_y = model.density->y_scale().inverse_transform(Matrix::Constant(1, 1, at_y));
    const Bands found = bands(
        *model.density, *model.replicates, given_x,
        [&](const GaussianMixtures& laws) -> Vector { return laws.pdf(given_y) * model.density->y_scale().scale()[0]; },
        0.9);
    // 1 / sqrt(2 R) = 3.2 %, four of these.
    EXPECT_NEAR(found.standard_error[0] / expected, 1.0, 0.13) << at_x << " " << at_y;
  }
}

}  // namespace
}  // namespace condens::bootstrap_test
