// Cross-conformal intervals and regions against the definitions, row by row and point by point; and groups.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "condens/core/errors.hpp"
#include "condens/core/random.hpp"
#include "condens/data/folds.hpp"
#include "condens/io/model_file.hpp"
#include "condens/model/conformal.hpp"
#include "condens/registry.hpp"
#include "support/complaint.hpp"
#include "support/registered_models.hpp"
#include "support/sanitized.hpp"

namespace condens::cross_conformal_test {
namespace {

std::string place_of(Index row) { return "row " + std::to_string(row + 1); }

/// Two branches of different weight, spread that grows with x; or counts of them.
Dataset draw(Index n, bool counts, std::uint64_t seed) {
  RandomStream random(seed);
  Matrix x(1, n);
  Matrix y(1, n);
  for (Index i = 0; i < n; ++i) {
    x(0, i) = random.normal();
    const double branch = random.uniform() < 0.7 ? 0.0 : 3.0;
    const double z = branch + x(0, i) + 0.5 * std::exp(0.4 * x(0, i)) * random.normal();
    y(0, i) = counts ? std::floor(std::exp(0.6 * z)) : z;
  }
  return {.x = x, .y = y};
}

const Document two_components = Document::Object{{"n_components", Document(std::vector<double>{2})}};

TargetModel fit_cross(const Dataset& data, CrossConformal cross, Index folds, const std::string& kind = "real",
                      int threads = 0) {
  const TargetRequest request{.kind = TargetKind::parse(kind), .cross = cross, .cross_folds = folds};
  return fit_target(find_model("gmm"), request, data, "", two_components, place_of, {threads, {}});
}

/// The scores and the laws of a fold as numbers, whatever the kind of target.
struct Plain {
  const FoldModel& fold;
  Matrix x;

  template <class Body>
  auto with(const Body& body) const {
    if (fold.target) return body(fold.target->predict(*fold.density, x));
    return body(fold.density->predict(x));
  }
  double central(double y) const {
    const Vector at{{y}};
    if (fold.target) {
      const TargetDistributions law = fold.target->predict(*fold.density, x);
      return std::clamp(1.0 - 2.0 * std::min(law.cdf(at)[0], 1.0 - law.cdf_below(at)[0]), 0.0, 1.0);
    }
    const GaussianMixture law = fold.density->predict(x)[0];
    return std::clamp(1.0 - 2.0 * std::min(law.cdf(y), law.sf(y)), 0.0, 1.0);
  }
  double highest(double y) const {
    return with([&](const auto& law) { return std::min(1.0, law.highest_density_mass(Vector{{y}})[0]); });
  }
  Interval interval(double mass) const {
    const Vector rest{{0.5 * (1.0 - std::min(1.0, mass + 1e-9))}};
    return with([&](const auto& law) {
      return Interval{law.quantile_each(rest)[0], law.upper_quantile_each(rest)[0]};
    });
  }
};

class CrossConformal_ : public ::testing::TestWithParam<std::string> {
 protected:
  bool counts() const { return GetParam() == "count"; }
};

TEST_P(CrossConformal_, ScoresEachRowByTheModelThatHasNotSeenIt) {
  const Dataset data = draw(40, counts(), 1);
  const TargetModel model = fit_cross(data, CrossConformal::cv_plus, 4, GetParam());
  const Conformal& conformal = *model.conformal;
  EXPECT_FALSE(conformal.is_split());
  EXPECT_EQ(conformal.n_rows(), 40);
  EXPECT_EQ(conformal.n_left_out(), 0);
  ASSERT_EQ(conformal.models().size(), 4U);
  std::vector<Index> sizes(4, 0);
  for (Index i = 0; i < 40; ++i) {
    const Index fold = conformal.scored().folds[static_cast<std::size_t>(i)];
    ++sizes[static_cast<std::size_t>(fold)];
    const Plain plain{conformal.models()[static_cast<std::size_t>(fold)], data.x.middleCols(i, 1)};
    EXPECT_NEAR(conformal.scored().central[i], plain.central(data.y(0, i)), 1e-9);
    EXPECT_NEAR(conformal.scored().highest[i], plain.highest(data.y(0, i)), 1e-9);
  }
  EXPECT_EQ(sizes, std::vector<Index>(4, 10));
  // The model of a fold is that of a fit to the other rows, all its choices made again.
  std::vector<Index> others;
  for (Index i = 0; i < 40; ++i) {
    if (conformal.scored().folds[static_cast<std::size_t>(i)] != 2) others.push_back(i);
  }
  const TargetModel again = fit_target(find_model("gmm"), {TargetKind::parse(GetParam())}, data.subset(others), "",
                                       two_components, place_of, {});
  EXPECT_EQ(again.density->predict(data.x).weights(), conformal.models()[2].density->predict(data.x).weights());
  // And the model itself is fitted to all rows.
  const TargetModel whole =
      fit_target(find_model("gmm"), {TargetKind::parse(GetParam())}, data, "", two_components, place_of, {});
  EXPECT_EQ(save_density(*whole.density), save_density(*model.density));
}

TEST_P(CrossConformal_, IntervalsAreThoseOfTheDefinition) {
  const Dataset data = draw(40, counts(), 2);
  const Dataset fresh = draw(5, counts(), 3);
  for (const auto cross : {CrossConformal::cv_plus, CrossConformal::jackknife_plus}) {
    const TargetModel model = fit_cross(data, cross, 5, GetParam());
    const Conformal& conformal = *model.conformal;
    ASSERT_EQ(std::ssize(conformal.models()), cross == CrossConformal::cv_plus ? 5 : 40);
    for (const double level : {0.3, 0.8, 0.95}) {
      const Matrix found = conformal.cross_intervals(level, fresh.x, {});
      const auto m = static_cast<std::size_t>(std::floor((1.0 - level) * 41.0 + 1e-9));
      for (Index j = 0; j < fresh.size(); ++j) {
        std::vector<double> lower;
        std::vector<double> upper;
        for (Index i = 0; i < 40; ++i) {
          const auto fold = static_cast<std::size_t>(conformal.scored().folds[static_cast<std::size_t>(i)]);
          const Interval own =
              Plain{conformal.models()[fold], fresh.x.middleCols(j, 1)}.interval(conformal.scored().central[i]);
          lower.push_back(own.lower);
          upper.push_back(own.upper);
        }
        std::sort(lower.begin(), lower.end());
        std::sort(upper.begin(), upper.end(), std::greater<>());
        EXPECT_NEAR(found(0, j), std::min(lower[m - 1], upper[m - 1]), 1e-8) << level;
        EXPECT_NEAR(found(1, j), std::max(lower[m - 1], upper[m - 1]), 1e-8) << level;
      }
    }
  }
}

TEST_P(CrossConformal_, RegionsHoldTheValuesOfALargePValue) {
  const Dataset data = draw(40, counts(), 4);
  const Dataset fresh = draw(3, counts(), 5);
  const TargetModel model = fit_cross(data, CrossConformal::cv_plus, 5, GetParam());
  const Conformal& conformal = *model.conformal;
  int inside = 0;
  std::vector<double> points;
  for (int k = 0; k < (counts() ? 20 : 80); ++k) points.push_back(counts() ? k : -5.0 + 0.1463 * k);
  const Index n_points = std::ssize(points);
  std::vector<Matrix> highest;  // scores of each row by each fold: points x folds
  std::vector<Matrix> middle;
  for (Index j = 0; j < fresh.size(); ++j) {
    highest.emplace_back(n_points, 5);
    middle.emplace_back(n_points, 5);
    for (Index fold = 0; fold < 5; ++fold) {
      const Plain plain{conformal.models()[static_cast<std::size_t>(fold)], fresh.x.middleCols(j, 1)};
      for (Index k = 0; k < n_points; ++k) {
        highest.back()(k, fold) = plain.highest(points[static_cast<std::size_t>(k)]);
        middle.back()(k, fold) = plain.central(points[static_cast<std::size_t>(k)]);
      }
    }
  }
  for (const double level : {0.4, 0.8, 0.9}) {
    const auto regions = conformal.cross_regions(level, fresh.x, {});
    const Matrix intervals = conformal.cross_intervals(level, fresh.x, {});
    for (Index j = 0; j < fresh.size(); ++j) {
      for (Index k = 0; k < n_points; ++k) {
        const double y = points[static_cast<std::size_t>(k)];
        Index at_least = 0;  // #{i: R_i >= s(y)}, and the same of central scores
        Index central = 0;
        Index unsure = 0;
        for (Index i = 0; i < 40; ++i) {
          const Index fold = conformal.scored().folds[static_cast<std::size_t>(i)];
          const double score = highest[static_cast<std::size_t>(j)](k, fold);
          at_least += conformal.scored().highest[i] + 1e-9 >= score ? 1 : 0;
          unsure += std::abs(conformal.scored().highest[i] - score) < 1e-7 && !counts() ? 1 : 0;
          central += conformal.scored().central[i] + 1e-9 >= middle[static_cast<std::size_t>(j)](k, fold) ? 1 : 0;
        }
        const double p_value = (1.0 + static_cast<double>(at_least)) / 41.0;
        const auto& parts = regions[static_cast<std::size_t>(j)];
        const bool held = std::any_of(parts.begin(), parts.end(),
                                      [&](const Interval& own) { return own.lower <= y && y <= own.upper; });
        EXPECT_TRUE(unsure > 0 || held == (p_value > 1.0 - level + 1e-9)) << y << " at " << level;
        inside += held ? 1 : 0;
        // The interval of CV+ holds every value of a large p-value.
        if ((1.0 + static_cast<double>(central)) / 41.0 > 1.0 - level + 1e-9) {
          EXPECT_LE(intervals(0, j) - 1e-9, y);
          EXPECT_GE(intervals(1, j) + 1e-9, y);
        }
      }
      for (std::size_t k = 1; k < regions[static_cast<std::size_t>(j)].size(); ++k) {
        EXPECT_LT(regions[static_cast<std::size_t>(j)][k - 1].upper, regions[static_cast<std::size_t>(j)][k].lower);
      }
    }
  }
  EXPECT_GT(inside, 20);
}

INSTANTIATE_TEST_SUITE_P(Kinds, CrossConformal_, ::testing::Values("real", "count"));

TEST(CrossConformal, CoversAboutAsAsked) {
  constexpr int n_tables = repetitions(60);
  constexpr double level = 0.8;
  Vector held(n_tables);
  Vector held_by_region(n_tables);
  for (int r = 0; r < n_tables; ++r) {
    const Dataset data = draw(50, false, static_cast<std::uint64_t>(2 * r + 1));
    const Dataset fresh = draw(20, false, static_cast<std::uint64_t>(2 * r + 2));
    const TargetModel model = fit_cross(data, CrossConformal::cv_plus, 5);
    const Matrix ends = model.conformal->cross_intervals(level, fresh.x, {});
    const auto regions = model.conformal->cross_regions(level, fresh.x, {});
    held[r] = held_by_region[r] = 0.0;
    for (Index j = 0; j < 20; ++j) {
      const double y = fresh.y(0, j);
      held[r] += ends(0, j) <= y && y <= ends(1, j) ? 0.05 : 0.0;
      const auto& parts = regions[static_cast<std::size_t>(j)];
      held_by_region[r] +=
          std::any_of(parts.begin(), parts.end(), [&](const Interval& own) { return own.lower <= y && y <= own.upper; })
              ? 0.05
              : 0.0;
    }
  }
  if (sanitized) return;
  for (const Vector& found : {held, held_by_region}) {
    const double error = std::sqrt((found.array() - found.mean()).square().mean() / n_tables);
    EXPECT_GT(found.mean(), level - 4.0 * error);
    EXPECT_LT(found.mean(), level + 0.06 + 4.0 * error);
  }
}

TEST(CrossConformal, IsTheSameForAnyNumberOfThreadsAndThroughFiles) {
  const Dataset data = draw(40, true, 6);
  const TargetModel one = fit_cross(data, CrossConformal::cv_plus, 4, "count", 1);
  const Document saved = save_conformal(*one.conformal);
  for (const int threads : {2, 7}) {
    const TargetModel other = fit_cross(data, CrossConformal::cv_plus, 4, "count", threads);
    EXPECT_EQ(save_conformal(*other.conformal), saved);
    EXPECT_EQ(other.conformal->cross_intervals(0.8, data.x, {threads, {}}),
              one.conformal->cross_intervals(0.8, data.x, {1, {}}));
  }
  const Model whole{Encoder::generic(data),
                    std::shared_ptr<const ConditionalDensity>(load_density(save_density(*one.density))), one.target,
                    one.conformal};
  const Model read = parse_model(to_json(whole), "m");
  EXPECT_EQ(to_cbor(read), to_cbor(whole));
  EXPECT_EQ(read.conformal->cross_intervals(0.8, data.x, {}), one.conformal->cross_intervals(0.8, data.x, {}));
  EXPECT_NE(to_json(whole).find("\"version\": 3"), std::string::npos) << to_json(whole).substr(0, 100);
}

TEST(CrossConformal, PromisesNothingOfTooFewRows) {
  const Dataset data = draw(15, false, 7);
  const TargetModel model = fit_cross(data, CrossConformal::cv_plus, 3);
  const Matrix ends = model.conformal->cross_intervals(0.95, data.x.leftCols(2), {});
  EXPECT_EQ(ends(0, 0), -infinity);
  EXPECT_EQ(ends(1, 1), infinity);
  const auto regions = model.conformal->cross_regions(0.95, data.x.leftCols(2), {});
  ASSERT_EQ(regions[0].size(), 1U);
  EXPECT_EQ(regions[0][0].upper, infinity);
}

TEST(CrossConformal, EveryModelGivesIntervals) {
  const Dataset data = registered::sample_data(40, 1, 1, 3);
  for (const ModelInfo& info : models()) {
    const TargetRequest request{.kind = {}, .cross = CrossConformal::cv_plus, .cross_folds = 2};
    const TargetModel model =
        fit_target(info, request, data, "", registered::quick_options({info.name, ""}), place_of, {});
    const Matrix ends = model.conformal->cross_intervals(0.8, data.x.leftCols(3), {});
    EXPECT_TRUE((ends.row(0).array() <= ends.row(1).array()).all()) << info.name;
  }
}

TEST(CrossConformal, SaysWhatDoesNotFit) {
  const Dataset data = draw(12, false, 8);
  const auto refused = [&](Index folds, double share = 0.0) {
    return complaint([&] {
      fit_target(find_model("gp"),
                 {.kind = {}, .calibration_share = share, .cross = CrossConformal::cv_plus, .cross_folds = folds}, data,
                 "", {}, place_of, {});
    });
  };
  EXPECT_EQ(
      refused(1),
      "conformal: folds = 1 of 12 rows, expected at least 2, at most a row each, and 2 rows or more outside of each");
  EXPECT_EQ(
      refused(13),
      "conformal: folds = 13 of 12 rows, expected at least 2, at most a row each, and 2 rows or more outside of each");
  EXPECT_EQ(refused(3, 0.2), "conformal: share = 0.2 with folds, expected 0");
  Dataset constant = data;
  Matrix y = Matrix::Zero(1, 12);
  y(0, 3) = 1.0;  // without its fold there is no spread
  constant.y = y;
  EXPECT_NE(complaint([&] {
              fit_target(find_model("gp"), {.kind = {}, .cross = CrossConformal::jackknife_plus}, constant, "", {},
                         place_of, {});
            }).find("conformal: without fold "),
            std::string::npos);
  const ScoredRows rows{.central = Vector{{0.5, 0.5}}, .highest = Vector{{0.5, 0.5}}, .folds = {0, 1}};
  EXPECT_EQ(complaint([&] { Conformal{rows}; }), "Conformal: the folds do not fit their models");
  ScoredRows misplaced = rows;
  misplaced.folds = {};
  misplaced.groups = {0, 0};
  EXPECT_EQ(complaint([&] { Conformal{misplaced}; }), "Conformal: the rows do not fit the groups");
  misplaced.groups = {};
  misplaced.rows = {1};
  EXPECT_EQ(complaint([&] { Conformal{misplaced}; }), "Conformal: the rows' numbers do not fit");
  misplaced.rows = {};
  misplaced.x = Matrix(1, 3);
  EXPECT_EQ(complaint([&] { Conformal{misplaced}; }), "Conformal: the inputs are not those of the rows");
  const TargetModel model = fit_cross(data, CrossConformal::cv_plus, 3);
  EXPECT_EQ(
      complaint([&] { model.conformal->masses(RegionKind::central, 0.9, data.x); }),
      "Conformal: weights for covariate shift of intervals by 3 folds, expected those by rows left out: conformal "
      "without a method");
  EXPECT_EQ(
      complaint([&] { model.conformal->central_mass(0.9); }),
      "Conformal: the intervals are by folds, of which each has a mass of its own: expected a model with rows left "
      "out and without groups");
  const auto damaged = [&](const std::string& key, const Matrix& value) {
    Document document = save_conformal(*model.conformal);
    document.set(key, value);
    return complaint<FormatError>([&] { load_conformal(document, 1); });
  };
  EXPECT_EQ(damaged("folds", Vector::Constant(12, 0.5)), "calibration rows: 0.5 is no whole number >= 0");
  EXPECT_EQ(damaged("folds", Vector::Constant(12, 3.0)), "calibration rows: the folds do not fit their models");
  EXPECT_EQ(damaged("x", Matrix::Zero(2, 12)), "calibration rows of 2 inputs, the density has 1");
  EXPECT_EQ(complaint<FormatError>([&] { load_conformal(save_conformal(*model.conformal), 2); }),
            "the model of a fold has 1 inputs and 1 targets, expected 2 and 1");
}

// --- groups ------------------------------------------------------------------------------------------------------

Table grouped_table(Index n, std::uint64_t seed) {
  RandomStream random(seed);
  std::vector<double> x;
  std::vector<double> grade;
  std::vector<double> y;
  std::vector<std::string> city;
  const std::vector<std::string> cities = {"Bern", "Oslo", "Rome"};
  for (Index i = 0; i < n; ++i) {
    const Index c = random.uniform() < 0.05 ? 2 : random.below(2);
    x.push_back(random.normal());
    grade.push_back(static_cast<double>(random.below(3)));
    city.push_back(cities[static_cast<std::size_t>(c)]);
    y.push_back(x.back() + (c == 0 ? 0.2 : 2.0) * random.normal());
  }
  Table out;
  out.add({"x", x});
  out.add({"grade", grade});
  out.add({"city", city});
  out.add({"y", y});
  return out;
}

TEST(RowGroups, AreToldFromEncodedInputs) {
  const Table table = grouped_table(200, 1);
  const Encoder encoder = Encoder::fit(table, {.targets = {"y"}});
  const Dataset data = encoder.encode(table);
  const RowGroups cities = RowGroups::of("groups", encoder, "city", data.x);
  EXPECT_EQ(cities.names(), (std::vector<std::string>{"Bern", "Oslo", "Rome"}));
  EXPECT_EQ(cities.size(), 4);
  EXPECT_EQ(cities.name(3), "(other)");
  const std::vector<Index> found = cities.groups_of(data.x);
  for (Index i = 0; i < 200; ++i) {
    EXPECT_EQ(cities.name(found[static_cast<std::size_t>(i)]),
              table.find("city")->texts()[static_cast<std::size_t>(i)]);
  }
  const RowGroups some = cities.only({false, true, false, true});
  EXPECT_EQ(some.names(), std::vector<std::string>{"Oslo"});
  EXPECT_EQ(RowGroups::from_document(some.to_document(), 5).groups_of(data.x), some.groups_of(data.x));
  const RowGroups grades = RowGroups::of("groups", encoder, "grade", data.x);
  EXPECT_EQ(grades.names(), (std::vector<std::string>{"0", "1", "2"}));
  EXPECT_EQ(grades.groups_of(Matrix::Constant(5, 1, 7.0)), std::vector<Index>{3});

  EXPECT_EQ(complaint([&] { RowGroups::of("groups", encoder, "town", data.x); }),
            "groups = 'town', expected one of the inputs x, grade, city");
  EXPECT_EQ(
      complaint([&] { RowGroups::of("groups", encoder, "x", data.x); }),
      "groups = 'x': it has more than 20 different values, expected a category, or a number of 20 values or fewer");
  EXPECT_EQ(complaint<FormatError>([&] { RowGroups::from_document(some.to_document(), 2); }), "groups: input 2 of 2");
  Document bad = some.to_document();
  bad.set("keys", Matrix(Matrix::Zero(3, 2)));
  EXPECT_EQ(complaint<FormatError>([&] { RowGroups::from_document(bad, 5); }),
            "groups: as many keys as names were expected, each with a number for every input");
}

TEST(RowGroups, RefuseDatesAndLevelsThatAreStatistics) {
  Table table;
  std::vector<std::string> many;
  std::vector<std::string> days;
  std::vector<double> y;
  for (int i = 0; i < 60; ++i) {
    many.push_back("level " + std::to_string(i % 30));
    days.push_back("2024-01-" + std::string(i % 28 < 9 ? "0" : "") + std::to_string(i % 28 + 1));
    y.push_back(i % 7);
  }
  table.add({"many", many});
  table.add({"day", days});
  table.add({"y", y});
  const Encoder encoder = Encoder::fit(table, {.targets = {"y"}});
  const Matrix x = encoder.encode_inputs(table);
  EXPECT_EQ(
      complaint([&] { RowGroups::of("groups", encoder, "many", x); }),
      "groups = 'many': its 30 levels are given by statistics of the target, expected indicators, by many_levels = "
      "'indicators'");
  EXPECT_EQ(complaint([&] { RowGroups::of("groups", encoder, "day", x); }),
            "groups = 'day': its values are dates, expected a category, or a number of 20 values or fewer");
}

TEST(Groups, TakeTheScoresOfTheirOwnRows) {
  const Table table = grouped_table(160, 2);
  const Encoder encoder = Encoder::fit(table, {.targets = {"y"}});
  const Dataset data = encoder.encode(table);
  for (const auto cross : {CrossConformal::none, CrossConformal::cv_plus}) {
    TargetRequest request{.kind = {}, .cross = cross, .cross_folds = 4};
    request.calibration_share = cross == CrossConformal::none ? 0.5 : 0.0;
    request.groups = RowGroups::of("groups", encoder, "city", data.x);
    const TargetModel model =
        fit_target(find_model("gp"), request, data, "", Document::Object{{"n_starts", 1}}, place_of, {});
    const Conformal& conformal = *model.conformal;
    ASSERT_TRUE(conformal.groups().has_value());
    EXPECT_EQ(conformal.groups()->names(), (std::vector<std::string>{"Bern", "Oslo"}));  // Rome is too small
    const std::vector<Index> of_all = conformal.groups()->groups_of(data.x);
    Index counted = 0;
    for (Index g = 0; g < 3; ++g) {
      std::vector<double> own;
      for (Index i = 0; i < conformal.n_rows(); ++i) {
        const Index row = conformal.scored().rows[static_cast<std::size_t>(i)];
        if (of_all[static_cast<std::size_t>(row)] == g) own.push_back(conformal.scored().central[i]);
      }
      std::sort(own.begin(), own.end());
      counted += std::ssize(own);
      EXPECT_EQ(conformal.n_rows_of_group(g), std::ssize(own));
      const auto rank = static_cast<std::size_t>(std::ceil(0.9 * static_cast<double>(own.size() + 1)));
      EXPECT_NEAR(conformal.mass(RegionKind::central, 0.9, g), rank > own.size() ? 1.0 : own[rank - 1], 2e-9);
    }
    EXPECT_EQ(counted, conformal.n_rows());
    const Model whole{encoder, std::shared_ptr<const ConditionalDensity>(load_density(save_density(*model.density))),
                      model.target, model.conformal};
    EXPECT_EQ(to_cbor(parse_model(to_json(whole), "m")), to_cbor(whole));
    // Wide in Oslo, narrow in Bern, although the model knows one spread only.
    const GaussianMixtures laws = model.density->predict(data.x);
    const Matrix ends = conformal_intervals(conformal, laws, 0.9, data.x, std::nullopt, {});
    Vector width = Vector::Zero(2);
    Vector count = Vector::Zero(2);
    for (Index i = 0; i < data.size(); ++i) {
      const Index g = of_all[static_cast<std::size_t>(i)];
      if (g < 2) width[g] += ends(1, i) - ends(0, i);
      if (g < 2) count[g] += 1.0;
    }
    EXPECT_GT(width[1] / count[1], 3.0 * width[0] / count[0]);
  }
}

}  // namespace
}  // namespace condens::cross_conformal_test
