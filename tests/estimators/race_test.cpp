// The race of auto: what laps cost and promise, who goes on, and the pool that comes of it, with models whose scores
// and costs are known.

#include "estimators/auto/race.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>

#include "condens/core/errors.hpp"
#include "condens/estimators/auto.hpp"
#include "core/work.hpp"
#include "support/gaussian_model.hpp"
#include "support/normals.hpp"

namespace condens::race_test {
namespace {

using race::Lap;
using race::Runner;

Runner runner(std::vector<Lap> laps) { return {.candidate = {}, .laps = std::move(laps)}; }

TEST(Race, CostsGoOnAsAPowerOfTheRows) {
  EXPECT_NEAR(race::expected_seconds(runner({{250, 2, 0, 0}}), 1000), 2 * std::pow(4, 2), 1e-9);
  EXPECT_NEAR(race::expected_seconds(runner({{250, 1, 0, 0}, {1000, 4, 0, 0}}), 10000), 40, 1e-9);
  // Neither faster than the power 1.2 nor slower than the square root.
  EXPECT_NEAR(race::expected_seconds(runner({{250, 1, 0, 0}, {1000, 64, 0, 0}}), 4000), 64 * std::pow(4, 1.2), 1e-9);
  EXPECT_NEAR(race::expected_seconds(runner({{250, 1, 0, 0}, {1000, 1, 0, 0}}), 4000), 2, 1e-9);
  // A model that reads 2,000 rows of more.
  Runner own = runner({{250, 1, 0, 0}, {1000, 4, 0, 0}});
  own.most_rows = 2000;
  EXPECT_NEAR(race::expected_seconds(own, 32000), 8 * std::pow(16, 0.75), 1e-9);
  own.laps.back().seconds = 64;  // the power 3, cut to 1.7
  EXPECT_NEAR(race::expected_seconds(own, 32000), 64 * std::pow(2, 1.7) * std::pow(16, 0.75), 1e-9);
  own.laps.back().seconds = 4;
  own.most_rows = 500;
  EXPECT_NEAR(race::expected_seconds(own, 16000), 4 * std::pow(16, 0.75), 1e-9);
}

TEST(Race, ScoresFallOnAsTheyFellAtMost) {
  EXPECT_TRUE(race::may_reach({{250, 1, 5, 0}}, -100, 1000));  // one lap says nothing
  // From 1 to 0.7 by four times the rows: 0.4 at sixteen times as many.
  EXPECT_TRUE(race::may_reach({{250, 1, 1.0, 0}, {1000, 1, 0.7, 0}}, 0.4001, 4000));
  EXPECT_FALSE(race::may_reach({{250, 1, 1.0, 0}, {1000, 1, 0.7, 0}}, 0.3999, 4000));
  EXPECT_FALSE(race::may_reach({{250, 1, 0.7, 0}, {1000, 1, 0.9, 0}}, 0.8, 1 << 30));  // it rises
}

TEST(Race, LapsAreShortOfAllRows) {
  EXPECT_EQ(race::steps_below(20000), (std::vector<Index>{250, 1000, 4000}));
  EXPECT_EQ(race::steps_below(1600), (std::vector<Index>{250, 1000}));
  EXPECT_EQ(race::steps_below(300), std::vector<Index>{});
}

TEST(Race, PlansWhatTheBudgetAllows) {
  const std::vector<Runner> two = {runner({{250, 1, 0, 0}, {1000, 4, 0, 0}}),
                                   runner({{250, 1, 0, 0}, {1000, 4, 0, 0}})};
  const std::vector<Index> steps =
      race::steps_below(64000);  // linear costs: 4,000 rows 16 s, 16,000 64 s, 64,000 256 s
  const auto plan = [&](double left) { return race::plan_laps(two, {1, 0}, steps, 64000, left); };
  EXPECT_EQ(plan(1025).rows, (std::vector<Index>{64000, 64000}));
  EXPECT_TRUE(plan(1025).last);
  EXPECT_EQ(plan(1023).rows, (std::vector<Index>{4000, 4000}));
  EXPECT_FALSE(plan(1023).last);
  // A third pays for one of them: the most valuable.
  EXPECT_EQ(plan(94).rows, (std::vector<Index>{0, 4000}));
  EXPECT_FALSE(plan(94).last);
  // Not even that: as far as all of it goes.
  EXPECT_EQ(plan(47).rows, (std::vector<Index>{4000, 4000}));
  EXPECT_EQ(plan(20).rows, (std::vector<Index>{0, 4000}));
  EXPECT_FALSE(plan(20).last);
  EXPECT_EQ(plan(1).rows, (std::vector<Index>{0, 0}));
  EXPECT_TRUE(plan(1).last);
  // The next step is too far for one that waited, which takes what it can.
  const std::vector<Runner> apart = {runner({{1000, 4, 0, 0}, {4000, 16, 0, 0}}), runner({{250, 1, 0, 0}})};
  const race::Plan end = race::plan_laps(apart, {0, 1}, steps, 64000, 20);
  EXPECT_EQ(end.rows, (std::vector<Index>{0, 1000}));
  EXPECT_TRUE(end.last);
}

TEST(Race, WhoeverImprovesThePoolMostStandsFirst) {
  std::vector<Runner> all;
  for (const auto& log_density : {Vector{{-1.0, -1.0, -9.0, -9.0}}, Vector{{-2.0, -2.0, -2.0, -2.0}},
                                  Vector{{-9.0, -9.0, -1.0, -1.0}}, Vector{{-9.0, -9.0, -9.0, -9.0}}}) {
    all.push_back(runner({{250, 1, -log_density.mean(), 0}}));
    all.back().candidate.held_out = log_density;
  }
  all.push_back(runner({{250, 1, 0, 0}}));  // failed
  all.back().candidate.failure = "no";
  const race::Standing found = race::standing(all, Vector::Ones(4));
  // Alone the second is best, then the halves; with both of these it is worth nothing.
  ASSERT_EQ(found.order.size(), 4U);
  EXPECT_EQ(found.order.front(), 1U);
  EXPECT_NEAR(found.gain[1], std::max(0.0, found.gain[1]), 1e-6);
  EXPECT_NEAR(found.gain[3], 0, 1e-6);
  EXPECT_EQ(found.gain[4], 0);
  EXPECT_GT(found.gain[0], 0.1);
}

// --- models with known scores and costs -----------------------------------------------------------

/// y ~ N(slope x, spread^2), whatever the data.
struct Known {
  double slope = 1;
  double spread = 1;    ///< at all rows
  double learning = 0;  ///< the spread is larger by this for every halving of the rows
  double seconds_of_row = 1e-3;
  Index fails_from = 1 << 30;
};

/// What was fitted, by name: the numbers of rows.
using Log = std::map<std::string, std::vector<Index>>;

MemberFinder known_models(const std::map<std::string, Known>& known, Log& log, Index rows) {
  return [&known, &log, rows](const std::string& name) -> InnerModel {
    const auto fit = [&known, &log, rows, name](const Dataset& data, const Document&,
                                                const Run&) -> std::unique_ptr<ConditionalDensity> {
      static std::mutex mutex;
      {
        const std::scoped_lock lock(mutex);
        log[name].push_back(data.size());
      }
      const auto found = known.find(name);
      const Known own = found == known.end() ? Known{.slope = 0, .spread = 3} : found->second;
      if (data.size() >= own.fails_from) throw NumericalError("too many");
      count_work(1e9 * own.seconds_of_row * static_cast<double>(data.size()));
      const double halvings = std::log2(static_cast<double>(rows) / static_cast<double>(data.size()));
      return std::make_unique<tests::KnownModel>(
          tests::gaussian_model(own.slope, own.spread + own.learning * halvings));
    };
    return {{}, fit, false};
  };
}

Dataset line_data(Index n) {
  Matrix x = normals(1, n, 1);
  Matrix y = x + normals(1, n, 2);
  return {.x = std::move(x), .y = std::move(y)};
}

Contender contender(const FitReport& report, const std::string& name) {
  for (const Contender& own : report.race()) {
    if (own.name == name) return own;
  }
  return {};
}

TEST(Race, TheGoodGoOnAndTheHopelessAreLeft) {
  constexpr Index n = 20000;
  const Dataset data = line_data(n);
  Log log;
  const std::map<std::string, Known> known = {{"mdn", {}}, {"gp", {.slope = 0.9, .spread = 1.0}}};
  const AutoDensity model =
      AutoDensity::fit(data, {.budget = 80}, known_models(known, log, n), {.threads = 2, .observer = {}});
  // The right model is fitted to a few rows, to those that race, and to all.
  EXPECT_EQ(log["mdn"].back(), n);
  EXPECT_EQ(log["mdn"].front(), 250);
  // One that knows nothing of x stays where that shows.
  EXPECT_LE(log["lscde"].back(), 1000);
  EXPECT_EQ(contender(model.report(), "lscde").fate, "would not reach the best at 16000 rows");
  EXPECT_EQ(contender(model.report(), "mdn").fate, "");
  const auto accounts = model.accounts();
  const auto mdn = std::find_if(accounts.begin(), accounts.end(), [](const auto& own) { return own.name == "mdn"; });
  EXPECT_GT(mdn->weight, 0.6);
}

TEST(Race, ALateDeveloperStaysInTheRace) {
  constexpr Index n = 20000;
  Log log;
  // Worse than the others on few rows, and best on all of them.
  const std::map<std::string, Known> known = {{"mdn", {.spread = 1.0, .learning = 0.35}}, {"gp", {.spread = 2.2}}};
  const AutoDensity model =
      AutoDensity::fit(line_data(n), {.budget = 300}, known_models(known, log, n), {.threads = 2, .observer = {}});
  EXPECT_EQ(log["mdn"].back(), n);
}

TEST(Race, TheBudgetEndsIt) {
  constexpr Index n = 20000;
  const Dataset data = line_data(n);
  const std::map<std::string, Known> known = {{"mdn", {.seconds_of_row = 0.1}}, {"gp", {}}};
  Log log;
  const AutoDensity model =
      AutoDensity::fit(data, {.budget = 1500}, known_models(known, log, n), {.threads = 1, .observer = {}});
  EXPECT_EQ(log["mdn"].back(), 4000);  // 16,000 would take 1,600 s
  EXPECT_GE(log["gp"].back(), 16000);
  EXPECT_NE(contender(model.report(), "mdn").fate.find("the budget is spent"), std::string::npos);
  bool told = false;
  for (const std::string& text : model.report().warnings) {
    told |= text.find("the budget of 1500 s is spent: fitted to fewer rows (their number in brackets): ") == 0 &&
            text.find("mdn (4000)") != std::string::npos;
  }
  EXPECT_TRUE(told);
  double seconds = 0;
  for (const Contender& own : model.report().race()) {
    for (const Lap& lap : own.laps) seconds += lap.seconds;
  }
  EXPECT_LT(seconds, 1500);
}

TEST(Race, OnesThatTakeLongWaitWhileOthersGoOn) {
  // A lap of the first takes more than a third of the budget, which pays for it once the others are done.
  const std::vector<Runner> two = {runner({{250, 5, 0, 0}, {1000, 20, 0, 0}}),
                                   runner({{250, 0.25, 9, 0}, {1000, 1, 9, 0}})};
  const std::vector<Index> steps = race::steps_below(8000);
  const race::Plan plan = race::plan_laps(two, {0, 1}, steps, 8000, 180);
  EXPECT_FALSE(plan.last);
  EXPECT_EQ(plan.rows, (std::vector<Index>{0, 4000}));
  constexpr Index n = 10000;
  Log log;
  const std::map<std::string, Known> known = {{"mdn", {.seconds_of_row = 0.01}}, {"gp", {.slope = 0.5}}};
  const AutoDensity model =
      AutoDensity::fit(line_data(n), {.budget = 110}, known_models(known, log, n), {.threads = 2, .observer = {}});
  EXPECT_EQ(log["mdn"], (std::vector<Index>{250, 1000, 4000}));
}

TEST(Race, ThoseThatCostLittleGoFirst) {
  // The first, worth most, would leave too little of a third of 60 s for the second.
  const std::vector<Runner> two = {runner({{250, 1, 0, 0}, {1000, 4, 0, 0}}),
                                   runner({{250, 1.25, 0, 0}, {1000, 1.25, 0, 0}})};
  const auto plan = [&](double left) {
    return race::plan_laps(two, {0, 1}, race::steps_below(64000), 64000, left).rows;
  };
  EXPECT_EQ(plan(60), (std::vector<Index>{4000, 4000}));
  EXPECT_EQ(plan(54), (std::vector<Index>{0, 4000}));
}

TEST(Race, ScoresByDensitiesWhereCellsAreKnown) {
  constexpr Index n = 5000;
  Matrix x(1, n);
  for (Index i = 0; i < n; ++i) x(0, i) = static_cast<double>(i % 50);
  const Dataset data{.x = x, .y = x};
  Log log;
  const std::map<std::string, Known> known = {
      {"mdn", {.spread = 0.01}}, {"gp", {.spread = 0.1}}, {"nw", {.spread = 2}}};
  const AutoDensity sure = AutoDensity::fit(data, {.budget = 300}, known_models(known, log, n), {});
  const auto weight = [](const AutoDensity& model, const std::string& name) {
    for (const auto& own : model.accounts()) {
      if (own.name == name) return own.weight;
    }
    return 0.0;
  };
  EXPECT_GT(weight(sure, "mdn"), 0.95);
  EXPECT_EQ(sure.report().details.find("score_note"), nullptr);
  for (std::size_t lap = 0; lap < 2; ++lap) {
    const auto score = [&](const std::string& name) { return contender(sure.report(), name).laps.at(lap).score; };
    EXPECT_NEAR(score("gp") - score("mdn"), std::log(10.0), 1e-9) << lap;
  }
  // Where none is sure, spikes are worth no more than cells.
  const std::map<std::string, Known> unsure = {{"mdn", {.spread = 0.4}}, {"gp", {.slope = 0}}};
  const AutoDensity by_cells = AutoDensity::fit(data, {.budget = 300}, known_models(unsure, log, n), {});
  EXPECT_NE(by_cells.report().details.find("score_note"), nullptr);
}

TEST(Race, AFitThatFailsLeavesTheOneBefore) {
  constexpr Index n = 20000;
  Log log;
  const std::map<std::string, Known> known = {{"mdn", {.fails_from = 4000}}, {"gp", {.fails_from = 1}}};
  const AutoDensity model =
      AutoDensity::fit(line_data(n), {.budget = 300}, known_models(known, log, n), {.threads = 2, .observer = {}});
  EXPECT_NE(contender(model.report(), "mdn").fate.find("rows: too many"), std::string::npos);
  EXPECT_EQ(contender(model.report(), "gp").fate, "too many");
  const auto& warnings = model.report().warnings;
  EXPECT_NE(std::find(warnings.begin(), warnings.end(), "gp is left out: too many"), warnings.end());
  for (const auto& own : model.accounts()) EXPECT_NE(own.name, "gp");
}

TEST(Race, WhatKnowsNearlyAllRowsIsNotFittedAgain) {
  constexpr Index n = 251'000;
  Log log;
  const std::map<std::string, Known> known = {{"mdn", {.seconds_of_row = 1e-4}}, {"gp", {.slope = 0}}};
  const AutoDensity model =
      AutoDensity::fit(line_data(n), {.budget = 200}, known_models(known, log, n), {.threads = 2, .observer = {}});
  EXPECT_GE(log["mdn"].back(), n - 5500);  // folds that leave about 5,000 out
  EXPECT_EQ(std::ssize(log["mdn"]), std::ssize(contender(model.report(), "mdn").laps));
  const std::vector<Runner> one = {runner({{1000, 1, 0, 0}, {4000, 4, 0, 0}})};
  EXPECT_FALSE(race::plan_laps(one, {0}, race::steps_below(64000), 64000, 65).last);
  EXPECT_TRUE(race::plan_laps(one, {0}, race::steps_below(64000), 64000, 65, false).last);
}

TEST(Race, IsTheSameForAnyNumberOfThreads) {
  constexpr Index n = 6000;
  const Dataset data = line_data(n);
  const std::map<std::string, Known> known = {
      {"mdn", {.spread = 1.05}}, {"gp", {.slope = 0.8}}, {"nw", {.slope = 1.2}}};
  std::vector<Document> reports;
  for (const int threads : {1, 2, 7}) {
    Log log;
    const AutoDensity model =
        AutoDensity::fit(data, {.seed = 3}, known_models(known, log, n), {.threads = threads, .observer = {}});
    reports.push_back(model.report().to_document());
  }
  EXPECT_EQ(reports[0], reports[1]);
  EXPECT_EQ(reports[0], reports[2]);
}

TEST(Race, FoldsThatAreGivenStayWhole) {
  constexpr Index n = 5000;
  const Dataset data = line_data(n);
  std::vector<double> fold(n);
  for (std::size_t i = 0; i < fold.size(); ++i) fold[i] = static_cast<double>(i % 4);
  Log log;
  const AutoDensity model = AutoDensity::fit(data, {.budget = 300, .cv = fold}, known_models({}, log, n), {});
  // A fold of 1,250 is left out, and the fits have at most the others.
  EXPECT_EQ(contender(model.report(), "forest").laps.back().n_rows, 3750);
}

TEST(Race, WritesWhatItReads) {
  FitReport report;
  EXPECT_TRUE(report.race().empty());
  report.set_race({{"gp", {{250, 0.5, 1.5, 0.25}, {1000, 2, 1.25, 0.125}}, "it fell"}, {"nw", {}, "no"}});
  const std::vector<Contender> found = FitReport::from_document(report.to_document()).race();
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].name, "gp");
  EXPECT_EQ(found[0].fate, "it fell");
  ASSERT_EQ(found[0].laps.size(), 2U);
  EXPECT_EQ(found[0].laps[1].n_rows, 1000);
  EXPECT_EQ(found[0].laps[1].seconds, 2);
  EXPECT_EQ(found[0].laps[1].score, 1.25);
  EXPECT_EQ(found[0].laps[1].standard_error, 0.125);
  EXPECT_TRUE(found[1].laps.empty());
}

TEST(Race, TheDefaultBudgetGrowsWithTheRows) {
  EXPECT_EQ(default_budget(0), 60);
  EXPECT_EQ(default_budget(10000), 110);
  EXPECT_EQ(default_budget(40000), 260);
  EXPECT_EQ(default_budget(1000000), 836);
}

}  // namespace
}  // namespace condens::race_test
