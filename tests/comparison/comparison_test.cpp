// Comparisons against the loop written out, on any number of threads, with models that fail and with
// trials that are known before.

#include "condens/comparison/comparison.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <limits>
#include <mutex>
#include <set>
#include <thread>

#include "condens/core/errors.hpp"
#include "condens/metrics/scores.hpp"
#include "condens/registry.hpp"
#include "data/splits.hpp"
#include "support/complaint.hpp"
#include "trial_models.hpp"

namespace condens::tests::comparison_test {
namespace {

Document quick_lscde() {
  Document out;
  out.set("bandwidth", Document(std::vector<double>{0.5})).set("bandwidth_y", Document(std::vector<double>{0.3}));
  return out.set("regularization", Document(std::vector<double>{0.1})).set("n_centers", 20).set("metric", "none");
}

std::vector<Contestant> three_models() {
  return {contestant("few", find_model("lscde"), "", quick_lscde()), plain_contestant("wide", 2.0, 0.01),
          contestant("gp", find_model("gp"), "paper", Document(Document::Object{}))};
}

TEST(CompareModels, EqualsTheLoopWrittenOut) {
  const Dataset data = line_with_noise(41);
  const ComparisonOptions options{.repeats = 3, .test_fraction = 0.4, .seed = 5};
  const std::vector<Contestant> models = three_models();
  const Comparison found = compare_models(data, models, options, {.threads = 2, .observer = {}});
  EXPECT_EQ(found.labels, (std::vector<std::string>{"few", "wide", "gp"}));
  const std::vector<Split> splits = random_splits(41, 3, 0.4, 5);
  for (std::size_t r = 0; r < 3; ++r) {
    const Dataset train = data.subset(splits[r].train);
    const Dataset test = data.subset(splits[r].test);
    const double spread = std::sqrt((train.y.array() - train.y.mean()).square().sum() / double(train.size() - 1));
    for (std::size_t k = 0; k < 3; ++k) {
      const auto model = models[k].fit(train, 5 + static_cast<Index>(r), {.threads = 1, .observer = {}}).density;
      const Scores scores = score(*model, test, {.levels = {0.9}});
      const Trial& trial = found.trials[k][r];
      EXPECT_EQ(trial.nll, scores.nll.value);
      EXPECT_NEAR(trial.nll, -model->log_density(test.x, test.y).mean(), 1e-12);
      EXPECT_NEAR(trial.nll_standardized, trial.nll - std::log(spread), 0.02);  // the scale may divide by n
      EXPECT_EQ(trial.squared_loss, scores.squared_loss->value);
      EXPECT_EQ(trial.crps, scores.targets.front().crps.value);
      EXPECT_EQ(trial.coverage, scores.targets.front().coverage.front().central.value);
      EXPECT_GE(trial.seconds, 0.0);
      EXPECT_EQ(trial.failure, "");
    }
  }
}

TEST(CompareModels, ThreadsDoNotChangeABit) {
  const Dataset data = line_with_noise(40);
  const ComparisonOptions options{.repeats = 4};
  const Comparison one = compare_models(data, three_models(), options, {.threads = 1, .observer = {}});
  for (const int threads : {2, 7, 20}) {
    const Comparison more = compare_models(data, three_models(), options, {.threads = threads, .observer = {}});
    EXPECT_TRUE(same_scores(one, more)) << threads;
  }
}

TEST(CompareModels, MeansOverSeveralTargets) {
  RandomStream random(3);
  Matrix y(2, 30);
  for (Index i = 0; i < y.size(); ++i) y.data()[i] = random.normal();
  const Dataset data{.x = Matrix(0, 30), .y = y};
  const Contestant model = contestant("gmm", find_model("gmm"), "", Document(Document::Object{}));
  const Comparison found = compare_models(data, {model}, {.repeats = 1});
  const Split split = random_splits(30, 1, 0.5, 0).front();
  const auto density = model.fit(data.subset(split.train), 0, {}).density;
  const Scores scores = score(*density, data.subset(split.test));
  EXPECT_NEAR(found.trials[0][0].crps, (scores.targets[0].crps.value + scores.targets[1].crps.value) / 2, 1e-14);
}

TEST(CompareModels, InTheOrderOfTimeFitsSeeThePastAlone) {
  const Dataset data = line_with_noise(40);
  std::mutex lock;
  std::set<Index> sizes;
  Contestant model = plain_contestant("plain", 1.0);
  model.fit = [&, fit = model.fit](const Dataset& train, Index seed, const condens::Run& run) {
    const std::scoped_lock guard(lock);
    sizes.insert(train.size());
    EXPECT_EQ(train.y, data.y.leftCols(train.size()));
    return fit(train, seed, run);
  };
  const ComparisonOptions options{.cv = SplitOrder::time, .repeats = 3, .test_fraction = 0.3};
  const Comparison found = compare_models(data, {model}, options);
  EXPECT_EQ(sizes, (std::set<Index>{28, 32, 36}));
  const Split last = time_splits(40, 3, 0.3).back();
  const auto density = plain_contestant("plain", 1.0).fit(data.subset(last.train), 2, {}).density;
  EXPECT_EQ(found.trials[0][2].nll, score(*density, data.subset(last.test)).nll.value);
}

TEST(CompareModels, OfATargetKindAreTheLoopWrittenOut) {
  RandomStream random(4);
  Matrix x(1, 120);
  Matrix y(1, 120);
  for (Index i = 0; i < x.cols(); ++i) {
    x(0, i) = random.uniform();
    y(0, i) = std::floor(6.0 * x(0, i) * random.uniform());
  }
  const Dataset data{.x = x, .y = y};
  const TargetKind count = TargetKind::parse("count");
  const Document none(Document::Object{});
  const std::vector<Contestant> models{contestant("boost", find_model("boost"), "", none, count),
                                       contestant("gmm", find_model("gmm"), "", none, count)};
  EXPECT_NE(models[0].identity, contestant("boost", find_model("boost"), "", none).identity);
  const Comparison found = compare_models(data, models, {.repeats = 2});
  const std::vector<Split> splits = random_splits(120, 2, 0.5, 0);
  for (std::size_t r = 0; r < 2; ++r) {
    const TargetRequest request{.kind = count};
    Document seeded;
    seeded.set("seed", static_cast<Index>(r));
    const TargetModel fitted = fit_target(find_model("boost"), request, data.subset(splits[r].train), "", seeded,
                                          [](Index) { return std::string(); }, {});
    const Dataset test = data.subset(splits[r].test);
    const TargetDistributions laws = fitted.target->predict(*fitted.density, test.x);
    double sum = 0.0;
    for (Index i = 0; i < test.size(); ++i) {
      sum -= std::log(laws.cdf(Vector::Constant(test.size(), test.y(0, i)))[i] -
                      laws.cdf_below(Vector::Constant(test.size(), test.y(0, i)))[i]);
    }
    const Trial& trial = found.trials[0][r];
    EXPECT_NEAR(trial.nll, sum / static_cast<double>(test.size()), 1e-8);
    EXPECT_TRUE(std::isnan(trial.squared_loss));
    EXPECT_TRUE(std::isnan(trial.nll_standardized));
    EXPECT_GT(trial.crps, 0.0);
    EXPECT_EQ(trial.failure, "");
  }
}

TEST(CompareModels, SeedOfEachSplit) {
  std::mutex lock;
  std::multiset<Index> seeds;
  Contestant model = plain_contestant("plain", 1.0);
  model.fit = [&, fit = model.fit](const Dataset& data, Index seed, const condens::Run& run) {
    const std::scoped_lock guard(lock);
    seeds.insert(seed);
    return fit(data, seed, run);
  };
  compare_models(line_with_noise(20), {model}, {.repeats = 3, .seed = 7});
  EXPECT_EQ(seeds, (std::multiset<Index>{7, 8, 9}));
}

TEST(CompareModels, AModelOfTheRegistryTakesTheSeedUnlessOneIsSet) {
  const Dataset data = line_with_noise(60);
  Document options = quick_lscde();
  const auto coefficients = [&](const Document& given, Index seed) {
    const ModelInfo& info = find_model("lscde");
    return contestant("a", info, "", given).fit(data, seed, {}).density->options().at("seed").as_integer();
  };
  EXPECT_EQ(coefficients(options, 3), 3);
  EXPECT_EQ(coefficients(options.set("seed", 11), 3), 11);
  EXPECT_NE(contestant("a", find_model("nw"), "", Document(Document::Object{})).identity,
            contestant("a", find_model("nw"), "paper", Document(Document::Object{})).identity);
}

TEST(CompareModels, AFailureCostsItsSplitOnly) {
  const std::vector<Contestant> models{failing_contestant<NumericalError>("odd", false),
                                       failing_contestant<std::invalid_argument>("never", true),
                                       plain_contestant("plain", 1.0)};
  const Comparison found = compare_models(line_with_noise(20), models, {.repeats = 3});
  EXPECT_EQ(found.trials[0][1].failure, "odd cannot");
  EXPECT_TRUE(std::isnan(found.trials[0][1].nll));
  for (const std::size_t r : {0U, 2U}) EXPECT_TRUE(std::isfinite(found.trials[0][r].nll));
  for (const Trial& trial : found.trials[1]) EXPECT_EQ(trial.failure, "never cannot");
  for (const Trial& trial : found.trials[2]) EXPECT_EQ(trial.failure, "");
}

TEST(CompareModels, ThrowsWhatTheFirstDidWhereAllFail) {
  const std::vector<Contestant> models{failing_contestant<NumericalError>("first", true),
                                       failing_contestant<std::invalid_argument>("second", true)};
  const auto compare = [&] {
    compare_models(line_with_noise(20), models, {.repeats = 2}, {.threads = 3, .observer = {}});
  };
  EXPECT_EQ(complaint<NumericalError>(compare), "first cannot");
}

TEST(CompareModels, TakesKnownTrialsFromTheBook) {
  const Dataset data = line_with_noise(20);
  std::vector<Contestant> models{plain_contestant("a", 1.0), failing_contestant<NumericalError>("b", false)};
  MemoryBook book;
  const Comparison whole = compare_models(data, models, {.repeats = 3}, {}, &book);
  EXPECT_EQ(book.trials.size(), 5U);  // failures are tried again
  EXPECT_EQ(book.find(1, 1), nullptr);

  MemoryBook some;
  for (const auto& [place, trial] : book.trials) {
    if (place.second != 2) some.trials[place] = trial;
  }
  some.trials[{0, 0}].nll = -4.0;  // shows that it was not computed anew
  const Comparison rest = compare_models(data, models, {.repeats = 3}, {}, &some);
  EXPECT_EQ(rest.trials[0][0].nll, -4.0);
  EXPECT_EQ(rest.trials[0][2].nll, whole.trials[0][2].nll);
  EXPECT_EQ(rest.trials[1][1].failure, "b cannot");

  models[0].fit = models[1].fit = [](const Dataset&, Index, const condens::Run&) -> FittedContestant {
    throw NumericalError("nothing is left to fit");
  };
  MemoryBook full = book;
  full.trials[{1, 1}] = full.trials[{1, 0}];
  EXPECT_EQ(compare_models(data, models, {.repeats = 3}, {}, &full).trials[0][1].nll, whole.trials[0][1].nll);
}

TEST(CompareModels, CancelledWithWhatEndedInTheBook) {
  Contestant endless = plain_contestant("endless", 1.0);
  endless.fit = [](const Dataset&, Index, const condens::Run& run) -> FittedContestant {
    while (run.observer("endless", 0.5)) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    throw Cancelled();
  };
  for (const int threads : {1, 3}) {
    MemoryBook book;
    const std::vector<Contestant> models{plain_contestant("a", 1.0), endless};
    const condens::Run run{.threads = threads, .observer = [](std::string_view, double) { return false; }};
    EXPECT_THROW(compare_models(line_with_noise(20), models, {.repeats = 4}, run, &book), Cancelled);
    EXPECT_EQ(book.find(1, 0), nullptr);
    EXPECT_LE(book.trials.size(), threads == 1 ? 1U : 4U);
  }
}

TEST(CompareModels, RefusesInWords) {
  const Dataset data = line_with_noise(20);
  const Contestant a = plain_contestant("a", 1.0);
  const auto refusal = [&](const std::vector<Contestant>& models, const ComparisonOptions& options,
                           const Dataset& rows) { return complaint([&] { compare_models(rows, models, options); }); };
  EXPECT_EQ(refusal({}, {}, data), "compare: there are no models, expected at least one");
  EXPECT_EQ(refusal({a, a}, {}, data), "compare: two models are called 'a', expected different labels");
  EXPECT_NE(refusal({a}, {.repeats = 0}, data).find("compare: repeats = 0"), std::string::npos);
  EXPECT_NE(refusal({a}, {.test_fraction = 1}, data).find("compare: test_fraction = 1"), std::string::npos);
  EXPECT_NE(refusal({a}, {.seed = -1}, data).find("compare: seed = -1"), std::string::npos);
  EXPECT_NE(refusal({a}, {}, line_with_noise(1)).find("n = 1"), std::string::npos);
  Dataset broken = data;
  broken.y = Matrix::Constant(1, 20, std::numeric_limits<double>::quiet_NaN());
  EXPECT_NE(refusal({a}, {}, broken).find("compare: y: row 1"), std::string::npos);
  EXPECT_NE(complaint([] { contestant("a", find_model("nw"), "best", Document(Document::Object{})); }).find("'best'"),
            std::string::npos);
  Document typo;
  typo.set("bandwith", 1.0);
  EXPECT_NE(complaint([&] { contestant("a", find_model("lscde"), "", typo); }).find("bandwidth"), std::string::npos);
  Document folds;
  folds.set("cv", Document::Array{0, 1, 0, 1});
  EXPECT_EQ(
      complaint([&] { contestant("a", find_model("lscde"), "", folds); }),
      "compare: a: cv has the fold of every row, expected a number of folds: every split of a comparison fits some "
      "of the rows");
}

}  // namespace
}  // namespace condens::tests::comparison_test
