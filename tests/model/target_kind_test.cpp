// Kinds of targets: how they are named and told, what is refused, and what every model promises of them.

#include "condens/model/target_kind.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "condens/core/errors.hpp"
#include "condens/io/model_file.hpp"
#include "condens/metrics/scores.hpp"
#include "support/complaint.hpp"
#include "support/registered_models.hpp"
#include "support/sanitized.hpp"

namespace condens::target_kind_test {
namespace {

std::string place_of(Index row) { return "row " + std::to_string(row + 1); }

TEST(TargetKind, IsReadAndWritten) {
  for (const char* text :
       {"auto", "real", "positive", "bounded:0,1", "bounded:-2.5,7", "count", "ordinal", "with-atoms"})
    EXPECT_EQ(TargetKind::parse(text).text(), text);
  EXPECT_EQ(complaint([] { TargetKind::parse("integer"); }),
            "target_kind = 'integer', expected one of auto, real, positive, bounded:LOW,HIGH, count, ordinal, "
            "with-atoms");
  for (const char* text : {"bounded:1,0", "bounded:1", "bounded:a,b", "bounded:0,inf", "bounded:0,0"}) {
    EXPECT_EQ(complaint([&] { TargetKind::parse(text); }),
              message("target_kind = '", text, "', expected two numbers, the lower one first, as in bounded:0,1"));
  }
  EXPECT_EQ(complaint([] { TargetKind::parse("bounded:-1e200,0"); }),
            "target_kind = 'bounded:-1e200,0', expected ends of at most 1e+102 in absolute value: change the unit");
}

Vector drawn(Index n, const std::function<double(RandomStream&)>& draw) {
  RandomStream random(3);
  Vector out(n);
  for (double& value : out) value = draw(random);
  return out;
}

std::string looks(const Vector& y) { return TargetKind::of(y).text(); }

TEST(TargetKind, IsToldByTheValues) {
  const Vector normal = drawn(500, [](RandomStream& r) { return r.normal(); });
  EXPECT_EQ(looks(normal), "real");
  EXPECT_EQ(looks((normal.array() + 30.0).matrix()), "real");  // far from zero
  EXPECT_EQ(looks(normal.array().exp().matrix()), "positive");
  EXPECT_EQ(looks(drawn(500, [](RandomStream& r) { return r.uniform(); })), "bounded:0,1");
  EXPECT_EQ(looks(drawn(500, [](RandomStream& r) { return std::floor(std::exp(2.0 + r.normal())); })), "count");
  EXPECT_EQ(looks(drawn(500, [](RandomStream& r) { return r.uniform() < 0.9 ? 0.0 : 1.0; })), "ordinal");
  EXPECT_EQ(looks(drawn(500, [](RandomStream& r) { return 3.0 + static_cast<double>(r.below(5)); })), "ordinal");
  EXPECT_EQ(looks(drawn(500, [](RandomStream& r) { return 0.5 * static_cast<double>(r.below(5)); })), "ordinal");
  EXPECT_EQ(looks(drawn(500, [](RandomStream& r) { return r.uniform() < 0.7 ? 0.0 : std::exp(r.normal()); })),
            "with-atoms");
  EXPECT_EQ(looks(drawn(500, [](RandomStream& r) { return std::min(1.0, r.normal()); })), "with-atoms");
  EXPECT_EQ(looks(Vector{{1.0, 1.0, 0.0, 0.0}}), "ordinal");
  EXPECT_EQ(looks(drawn(500, [](RandomStream& r) { return std::round(71.0 + 12.0 * r.normal()); })), "real");
  // Dollars are whole, and no counts; rounded numbers have no atoms.
  EXPECT_EQ(looks(drawn(500, [](RandomStream& r) { return std::floor(std::exp(9.0 + r.normal())); })), "positive");
  EXPECT_EQ(looks(drawn(500, [](RandomStream& r) { return std::round(10.0 * r.normal()) / 10.0; })), "real");
}

TEST(TargetKind, SaysWhy) {
  const Vector claims = drawn(1000, [](RandomStream& r) { return r.uniform() < 0.7 ? 0.0 : std::exp(r.normal()); });
  const auto zeros = (claims.array() == 0.0).count();
  EXPECT_EQ(reason_for(TargetKind::of(claims), claims), message("0 in ", zeros, " of 1000 rows"));
  EXPECT_EQ(reason_for({TargetName::count}, Vector{{0.0, 2.0, 7.0}}), "whole numbers from 0 to 7");
  EXPECT_EQ(reason_for({TargetName::ordinal}, Vector{{1.0, 2.0, 2.0}}), "only 2 different values");
  EXPECT_EQ(reason_for({TargetName::positive}, Vector{{0.5, 2.0}}), "all values are above zero, from 0.5 to 2");
  EXPECT_EQ(reason_for({TargetName::bounded, 0.0, 1.0}, Vector{{0.5, 0.2}}), "all values lie between 0 and 1");
  EXPECT_EQ(reason_for({}, Vector{{0.5, 0.2}}), "numbers from 0.2 to 0.5");
}

std::string refusal(const char* kind, const Vector& y) {
  const Dataset data{.x = Matrix::Zero(1, y.size()), .y = Matrix(y.transpose())};
  return complaint([&] { TargetEncoder(data, TargetKind::parse(kind), 0, place_of); });
}

TEST(TargetKind, RefusesValuesOfOtherKinds) {
  EXPECT_EQ(refusal("positive", Vector{{1.0, 2.0, -0.5}}),
            "target_kind = 'positive': row 3: the target is -0.5, expected a number > 0");
  EXPECT_EQ(refusal("positive", Vector{{1.0, 0.0, 2.5}}),
            "target_kind = 'positive': row 2: the target is 0, expected a number > 0; 'with-atoms' gives zero a "
            "probability of its own");
  EXPECT_EQ(refusal("bounded:0,1", Vector{{0.4, 1.5}}),
            "target_kind = 'bounded:0,1': row 2: the target is 1.5, expected a number < 1");
  EXPECT_EQ(refusal("bounded:0,1", Vector{{-0.4, 0.5}}),
            "target_kind = 'bounded:0,1': row 1: the target is -0.4, expected a number > 0");
  EXPECT_EQ(refusal("count", Vector{{1.0, 2.5}}),
            "target_kind = 'count': row 2: the target is 2.5, expected a whole number >= 0");
  EXPECT_EQ(refusal("count", Vector{{1.0, -1.0}}),
            "target_kind = 'count': row 2: the target is -1, expected a whole number >= 0");
  EXPECT_EQ(
      refusal("ordinal", Vector::LinSpaced(9, 0.0, 1.0)),
      "target_kind = 'ordinal': the target has 9 different values in 9 rows, expected at least 2 that come again; "
      "for other numbers use 'real', 'positive' or 'count'");
  EXPECT_EQ(
      refusal("with-atoms", Vector::LinSpaced(90, 0.0, 1.0)),
      "target_kind = 'with-atoms': no value of the target comes again in 10 rows and ten times as often as others "
      "do; expected one that does, or another kind, such as 'real'");
  EXPECT_EQ(refusal("bounded:0,1", Vector{{0.0, 1.0, 0.0}}),
            "target_kind = 'bounded:0,1': every value of the target is an atom; use 'ordinal'");
  EXPECT_EQ(refusal("bounded:0,1", Vector{{0.0, 0.5, 0.5}}),
            "target_kind = 'bounded:0,1': beside its atoms the target is always 0.5; use 'ordinal'");
  const Dataset two{.x = Matrix::Zero(1, 3), .y = Matrix::Ones(2, 3)};
  EXPECT_EQ(complaint([&] { TargetEncoder(two, {TargetName::positive}, 0, place_of); }),
            "target_kind = 'positive', expected 'real': there are 2 targets, and only a single one can be of another "
            "kind");
  EXPECT_EQ(complaint([&] {
              require_possible({.values = TargetValues::listed({1.0, 2.5})}, Vector{{1.0, 2.0}}, place_of);
            }),
            "row 2: the target is 2, expected one of the values of the fit: 1, 2.5");
  const Dataset huge{.x = Matrix::Zero(1, 3), .y = Matrix{{1e200, 2e200, 3e200}}};
  EXPECT_EQ(complaint([&] {
              TargetEncoder(huge, {TargetName::bounded, 0, 1e201}, 0, place_of);
            }),
            "target_kind = 'bounded:0,1e+201': the target has an end at 1e+201, expected at most 1e+105 in absolute "
            "value: change the unit");
}

/// Draws of a target of the kind given one input.
Dataset data_of(const std::string& kind, Index n, std::uint64_t seed = 7) {
  RandomStream random(seed);
  Matrix x(1, n);
  Matrix y(1, n);
  for (Index i = 0; i < n; ++i) {
    const double at = x(0, i) = random.normal();
    const double z = 0.6 * at + 0.5 * random.normal();
    const double u = random.uniform();
    y(0, i) = kind == "positive"      ? std::exp(z)
              : kind == "bounded:0,1" ? 1.0 / (1.0 + std::exp(-z))
              : kind == "count"       ? std::floor(std::exp(1.0 + z))
              : kind == "ordinal"     ? std::clamp(std::round(z), -1.0, 1.0)
                                      : (u < 1.0 / (1.0 + std::exp(-at)) ? 0.0 : std::exp(z));
  }
  return {.x = x, .y = y};
}

const std::vector<std::string> kinds = {"positive", "bounded:0,1", "count", "ordinal", "with-atoms"};

Model model_of(const ModelInfo& info, const std::string& kind, const Dataset& data, const Document& options,
               int threads = 0) {
  TargetModel fitted =
      fit_target(info, {TargetKind::parse(kind)}, data, "", options, place_of, {.threads = threads, .observer = {}});
  return {Encoder::generic(data), std::move(fitted.density), std::move(fitted.target)};
}

Model model_of(const ModelInfo& info, const std::string& kind, const Dataset& data) {
  return model_of(info, kind, data, registered::quick_options({info.name, ""}));
}

class EveryModelOfAKind : public ::testing::TestWithParam<std::string> {};

TEST_P(EveryModelOfAKind, HasDistributionsThatGoThroughFiles) {
  const ModelInfo& info = find_model(GetParam());
  for (const std::string& kind : kinds) {
    const Dataset data = data_of(kind, 80);
    const Model model = model_of(info, kind, data);
    ASSERT_TRUE(model.target.has_value());
    EXPECT_EQ(model.target->kind().text(), kind);
    const TargetDistributions laws = model.target->predict(*model.density, data.x);
    EXPECT_TRUE(laws.log_pdf(data.y).allFinite()) << kind;
    const Vector y = data.y.row(0).transpose();
    EXPECT_LT((laws.cdf(y) + laws.sf(y) - Vector::Ones(80)).cwiseAbs().maxCoeff(), 1e-12) << kind;
    // Integrals, which take most of the time: of some rows.
    const Index count = sanitized ? 4 : 20;
    const TargetDistributions some = laws.slice(0, count);
    const Vector crps = some.crps(y.head(count));
    EXPECT_TRUE(crps.allFinite() && crps.minCoeff() >= -1e-9) << kind;
    EXPECT_TRUE(some.mean().allFinite()) << kind;
    if (kind == "ordinal") {
      Vector total = Vector::Zero(80);
      for (const double value : {-1.0, 0.0, 1.0}) total += laws.mass_at(Vector::Constant(80, value));
      EXPECT_LT((total - Vector::Ones(80)).cwiseAbs().maxCoeff(), 1e-12);
    }
    EXPECT_TRUE(kind != "positive" || laws.cdf(Vector::Zero(80)) == Vector::Zero(80));
    const std::string bytes = to_cbor(model);
    for (const std::string& file : {to_json(model), bytes}) {
      const Model again = parse_model(file, "m");
      EXPECT_EQ(to_cbor(again), bytes);
      EXPECT_EQ(again.target->predict(*again.density, data.x).log_pdf(data.y), laws.log_pdf(data.y)) << kind;
    }
  }
}

std::vector<std::string> model_names() {
  std::vector<std::string> out;
  for (const ModelInfo& info : models()) out.push_back(info.name);
  return out;
}

INSTANTIATE_TEST_SUITE_P(Models, EveryModelOfAKind, ::testing::ValuesIn(model_names()),
                         [](const auto& test) { return test.param; });

TEST(TargetKind, IsTheSameBitsForAnyNumberOfThreads) {
  for (const std::string& kind : kinds) {
    const Dataset data = data_of(kind, 120);
    const Document options = Document::Object{{"n_rounds", 12}, {"min_samples_leaf", 5}};
    const auto bytes = [&](int threads) {
      return to_cbor(model_of(find_model("boost"), kind, data, options, threads));
    };
    const std::string single = bytes(1);
    for (const int threads : {2, 7}) EXPECT_EQ(bytes(threads), single);
  }
}

/// Weight zero is absence: such a row makes no atom, and no value.
TEST(TargetKind, RowsOfWeightZeroTellNothing) {
  Dataset data = data_of("bounded:0,1", 60);
  Matrix y = data.y;
  y(0, 7) = 1.0;
  y(0, 8) = 0.25;
  data.y = y;
  data.weights = Vector::Ones(60);
  data.weights[7] = 0.0;
  data.weights[8] = 1e-300;
  std::vector<Index> rows;
  for (Index i = 0; i < 60; ++i) {
    if (i != 7 && i != 8) rows.push_back(i);
  }
  for (const char* kind : {"bounded:0,1", "auto", "with-atoms"}) {
    const auto fit = [&](const Dataset& own) {
      return fit_target(find_model("gmm"), {.kind = TargetKind::parse(kind)}, own, "", {}, place_of, {});
    };
    if (std::string_view(kind) == "with-atoms") {  // as the rows without them
      EXPECT_EQ(complaint([&] { fit(data); }), complaint([&] { fit(data.subset(rows)); }));
      continue;
    }
    const TargetModel model = fit(data);
    EXPECT_TRUE(std::ranges::any_of(model.density->report().warnings, [](const std::string& warning) {
      return warning.find("1 row has a weight so far below the largest") != std::string::npos;
    }));
    const TargetModel without = fit(data.subset(rows));
    if (!model.target) continue;
    EXPECT_EQ(model.target->support().to_document(), without.target->support().to_document());
    EXPECT_EQ(model.target->log_density(*model.density, data.x, data.y.col(0).replicate(1, 60)),
              without.target->log_density(*without.density, data.x, data.y.col(0).replicate(1, 60)));
  }
  data.weights[3] = -1.0;
  EXPECT_NE(complaint([&] {
              fit_target(find_model("gmm"), {.kind = TargetKind::parse("bounded:0,1")}, data, "", {}, place_of, {});
            }).find("weights: row 4"),
            std::string::npos);
}

TEST(TargetKind, OfARealTargetIsThePlainFit) {
  const Dataset data = data_of("positive", 60);
  const TargetModel plain = fit_target(find_model("gp"), {}, data, "", {}, place_of, {});
  EXPECT_FALSE(plain.target.has_value());
  EXPECT_EQ(plain.density->to_document(), fit_model(find_model("gp"), data, "", {}, {})->to_document());
}

/// Better than the same model that takes the target for any real number, where that can be compared: by CRPS.
TEST(TargetKind, PaysInHeldOutScores) {
  for (const std::string& kind : kinds) {
    const Dataset train = data_of(kind, 600);
    const Dataset test = data_of(kind, 600, 8);
    const ModelInfo& info = find_model("boost");
    const Model own = model_of(info, kind, train);
    const Scores with = score(*own.density, own.target, test);
    const Scores without = score(*info.fit(train, "", registered::quick_options({"boost", ""}), {}), test);
    EXPECT_LT(with.targets[0].crps.value, without.targets[0].crps.value + 1e-3) << kind;
    EXPECT_FALSE(with.squared_loss.has_value());
    EXPECT_GT(with.targets[0].kolmogorov_smirnov.p_value, 1e-4) << kind;
    EXPECT_GE(with.targets[0].coverage[2].central.value, 0.85) << kind;  // 90 %: of values it may be more
  }
}

TEST(TargetKind, AtomsHaveProbabilitiesThatFollowTheInputs) {
  const Dataset train = data_of("with-atoms", 2000);
  const Model model = model_of(find_model("boost"), "with-atoms", train);
  EXPECT_EQ(model.target->support().atoms, std::vector<double>{0.0});
  const Matrix x{{-2.0, 0.0, 2.0}};
  const Vector found = model.target->predict(*model.density, x).mass_at(Vector::Zero(3));
  for (Index i = 0; i < 3; ++i) EXPECT_NEAR(found[i], 1.0 / (1.0 + std::exp(-x(0, i))), 0.12) << i;
}

TEST(TargetKind, WeightsAndFoldsFollowTheRows) {
  Dataset data = data_of("with-atoms", 200);
  data.weights = Vector::Ones(200);
  std::vector<double> folds(200);
  for (std::size_t i = 0; i < folds.size(); ++i) folds[i] = static_cast<double>(i % 2);
  Document options;
  options.set("cv", Document(folds));
  const TargetModel fitted =
      fit_target(find_model("lscde"), {{TargetName::with_atoms}}, data, "", options, place_of, {});
  EXPECT_EQ(fitted.density->report().n_rows(), (data.y.array() != 0.0).count());
}

TEST(TargetKind, ScoresDrawThePitBetweenTheEnds) {
  const Dataset data = data_of("count", 300);
  const Model model = model_of(find_model("boost"), "count", data);
  const Scores found = score(*model.density, model.target, data);
  const TargetDistributions laws = model.target->predict(*model.density, data.x);
  const Vector y = data.y.row(0).transpose();
  EXPECT_TRUE(((found.targets[0].pit - laws.cdf_below(y)).array() >= 0.0).all());
  EXPECT_TRUE(((laws.cdf(y) - found.targets[0].pit).array() >= 0.0).all());
  EXPECT_NEAR(found.nll.value, -laws.log_pdf(data.y).mean(), 1e-13);
  EXPECT_DOUBLE_EQ(found.energy_score->value, found.targets[0].crps.value);
}

TEST(TargetKind, RefusesFilesThatDoNotFitTogether) {
  const auto refused = [](const Document& target, Index n_inputs) {
    return complaint<FormatError>([&] { load_target(target, n_inputs); });
  };
  const Document target = model_of(find_model("gp"), "with-atoms", data_of("with-atoms", 80)).target->to_document();
  EXPECT_EQ(refused(target, 1), "");
  EXPECT_EQ(refused(target, 2), "the probabilities of atoms have 1 inputs, the density has 2");
  Document without = target;
  without.set("atoms", Document());
  EXPECT_EQ(refused(without, 1), "the target has 1 atoms and probabilities of 0");
  Document classes = target.at("atoms");
  classes.set("model", "neural");
  Document damaged = target;
  damaged.set("atoms", classes);
  EXPECT_EQ(refused(damaged, 1), "probabilities of classes by 'neural', which this version lacks");
  Document more = model_of(find_model("gp"), "positive", data_of("positive", 80)).target->to_document();
  more.set("atoms", target.at("atoms"));
  EXPECT_EQ(refused(more, 1), "the target has 0 atoms and probabilities of 1");
}

}  // namespace
}  // namespace condens::target_kind_test
