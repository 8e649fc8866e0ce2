// Pools against the procedure written out: fits without folds one after the other, weights by plain
// expectation maximisation, laws as sums of densities.

#include "condens/estimators/pool.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <thread>

#include "condens/core/random.hpp"
#include "condens/io/document_format.hpp"
#include "condens/registry.hpp"
#include "support/complaint.hpp"
#include "support/gaussian_model.hpp"

namespace condens::pool_test {
namespace {

const Run one_thread{.threads = 1, .observer = {}};

Dataset branches(Index n, Index d_x = 1, Index d_y = 1, std::uint64_t seed = 1) {
  RandomStream random(seed);
  Matrix x(d_x, n);
  Matrix y(d_y, n);
  for (Index i = 0; i < n; ++i) {
    for (Index k = 0; k < d_x; ++k) x(k, i) = random.normal();
    for (Index k = 0; k < d_y; ++k) {
      y(k, i) = (random.uniform() < 0.5 ? -2.0 : 2.0) + (d_x > 0 ? x(0, i) : 0.0) + 0.4 * random.normal();
    }
  }
  return {.x = x, .y = y};
}

/// Given folds, quick members.
Document options_of(const std::vector<std::string>& models, Index n, double defensive_weight) {
  Document out;
  out.set("models", Document(models)).set("defensive_weight", defensive_weight).set("shrinkage", 0);
  std::vector<double> fold;
  for (Index i = 0; i < n; ++i) fold.push_back(static_cast<double>(i % 3));
  return out.set("cv", Document(fold));
}

std::unique_ptr<ConditionalDensity> fit(const std::string& model, const Dataset& data, const Document& options,
                                        const Run& run = one_thread) {
  return find_model(model).fit(data, "recommended", options, run);
}

Pool pool(const Dataset& data, const Document& options, const Run& run = one_thread) {
  return dynamic_cast<const Pool&>(*fit("pool", data, options, run));
}

double plain_broad(const Dataset& data, double y) {
  const double mean = data.y.row(0).mean();
  const double n = static_cast<double>(data.size());
  const double spread = 2 * std::sqrt((data.y.row(0).array() - mean).square().sum() / (n - 1));
  return std::exp(-0.5 * std::pow((y - mean) / spread, 2)) / (spread * std::sqrt(2 * M_PI));
}

TEST(Pool, EqualsTheProcedureWrittenOut) {
  const Index n = 60;
  const Dataset data = branches(n);
  const std::vector<std::string> models{"nw", "gp", "parzen"};
  const double e = 0.01;
  Matrix p(4, n);
  for (Index k = 0; k < 3; ++k) {
    std::vector<Index> train;
    std::vector<Index> test;
    for (Index i = 0; i < n; ++i) (i % 3 == k ? test : train).push_back(i);
    for (Index m = 0; m < 3; ++m) {
      const auto model = fit(models[static_cast<std::size_t>(m)], data.subset(train), {});
      const Dataset rows = data.subset(test);
      const Vector found = model->log_density(rows.x, rows.y);
      for (Index i = 0; i < found.size(); ++i) p(m, test[static_cast<std::size_t>(i)]) = std::exp(found[i]);
    }
  }
  for (Index i = 0; i < n; ++i) p(3, i) = plain_broad(data, data.y(0, i));
  // The share e belongs to the broad Gaussian, 1 - e is sought for.
  Vector w = Vector::Constant(4, 0.25);
  for (int step = 0; step < 5000; ++step) {
    Vector next = Vector::Zero(4);
    for (Index i = 0; i < n; ++i) {
      const Vector column = (1 - e) * p.col(i).array() + e * p(3, i);
      next += w.cwiseProduct(column) / w.dot(column);
    }
    w = next / static_cast<double>(n);
  }
  w = (1 - e) * w;
  w[3] += e;

  const Pool model = pool(data, options_of(models, n, e));
  EXPECT_EQ(model.member_names(), (std::vector<std::string>{"nw", "gp", "parzen", "broad"}));
  EXPECT_LT((model.member_weights() - w).cwiseAbs().maxCoeff(), 1e-5);
  const double log_spread = std::log(0.5) + std::log(model.defensive().scale[0]);
  for (Index m = 0; m < 3; ++m) {
    EXPECT_NEAR(model.member_scores()[m], -p.row(m).array().log().mean() - log_spread, 1e-10);
  }
  // The law: a sum of the laws of fits to all rows.
  const Dataset test = branches(20, 1, 1, 2);
  Vector expected = Vector::Zero(20);
  for (Index m = 0; m < 3; ++m) {
    const auto all = fit(models[static_cast<std::size_t>(m)], data, {});
    expected += model.member_weights()[m] * all->predict(test.x).pdf(test.y);
  }
  for (Index i = 0; i < 20; ++i) expected[i] += model.member_weights()[3] * plain_broad(data, test.y(0, i));
  EXPECT_LT((model.log_density(test.x, test.y).array().exp() / expected.array() - 1).abs().maxCoeff(), 1e-10);
  EXPECT_LT((model.predict(test.x).pdf(test.y).array() / expected.array() - 1).abs().maxCoeff(), 1e-10);
  for (const double y : {-3.0, 0.1, 5.0}) {
    double cdf = model.member_weights()[3] * 0.5 *
                 std::erfc(-(y - model.defensive().mean[0]) / model.defensive().scale[0] / std::sqrt(2.0));
    std::size_t kept = 0;
    for (Index m = 0; m < 3; ++m) {
      if (model.member_weights()[m] == 0) continue;
      cdf += model.member_weights()[m] * model.members()[kept++].model->predict(test.x.middleCols(0, 1))[0].cdf(y);
    }
    EXPECT_NEAR(model.predict(test.x.middleCols(0, 1))[0].cdf(y), cdf, 1e-12);
  }
}

TEST(Pool, OneMemberWithoutABroadGaussianIsThatModel) {
  const Dataset data = branches(40, 2, 2);
  const auto model = pool(data, options_of({"gmm"}, 40, 0));
  const auto alone = fit("gmm", data, {});
  const Dataset test = branches(30, 2, 2, 2);
  EXPECT_LT((model.log_density(test.x, test.y) - alone->log_density(test.x, test.y)).cwiseAbs().maxCoeff(), 1e-12);
  EXPECT_EQ(model.member_weights(), Vector::Ones(1));
  // Full covariances stay what they are.
  EXPECT_LT((model.predict(test.x).covariance() - alone->predict(test.x).covariance()).cwiseAbs().maxCoeff(), 1e-12);
}

TEST(Pool, MixesLawsWithAndWithoutCorrelationsAndWithoutInputs) {
  const Dataset data = branches(50, 1, 2);
  const auto model = pool(data, options_of({"gmm", "nw", "marginal"}, 50, 0.05));
  const Dataset test = branches(20, 1, 2, 2);
  const GaussianMixtures laws = model.predict(test.x);
  EXPECT_LT((laws.log_pdf(test.y) - model.log_density(test.x, test.y)).cwiseAbs().maxCoeff(), 1e-10);
  Matrix mean = model.defensive().weight * model.defensive().mean.replicate(1, 20);
  for (const PoolMember& member : model.members()) {
    mean += member.weight * member.model->predict(test.x.topRows(member.model->n_inputs())).mean();
  }
  EXPECT_LT((laws.mean() - mean).cwiseAbs().maxCoeff(), 1e-12);
  // No input at all is a case of it: all components are shared.
  const auto none = pool(branches(50, 0), options_of({"parzen", "gmm"}, 50, 0.05));
  EXPECT_TRUE(none.predict(Matrix(0, 3)).has_shared_components());
  EXPECT_EQ(none.predict(Matrix(0, 600)).size(), 600);
}

// --- members of known laws ---------------------------------------------------------------------

/// Finds members whose law of y given x is N(slope x, scale^2), named "slope scale"; "fails" throws, "zero" has
/// no density beyond a square root of 1e300.
MemberFinder known() {
  return [](const std::string& name) -> InnerModel {
    const auto fit = [name](const Dataset&, const Document&, const Run&) -> std::unique_ptr<ConditionalDensity> {
      if (name == "fails") throw NumericalError("nothing is left");
      if (name == "refuses") throw std::invalid_argument("Refuses: y has 1 target, expected 7");
      if (name == "zero") return std::make_unique<tests::KnownModel>(tests::gaussian_model(0.0, 1e-75));
      double slope = 0.0;
      double scale = 0.0;
      std::istringstream(name) >> slope >> scale;
      return std::make_unique<tests::KnownModel>(tests::gaussian_model(slope, scale));
    };
    return {{}, fit};
  };
}

Dataset line(Index n) {
  RandomStream random(3);
  Matrix x(1, n);
  Matrix y(1, n);
  for (Index i = 0; i < n; ++i) {
    x(0, i) = random.normal();
    y(0, i) = x(0, i) + 0.5 * random.normal();
  }
  return {.x = x, .y = y};
}

TEST(Pool, DropsMembersOfNoWeightAndTellsOfThem) {
  const Pool model =
      Pool::fit(line(200), {.models = {"1 0.5", "-1 0.5"}, .shrinkage = 0, .defensive_weight = 0}, known());
  EXPECT_EQ(model.member_weights(), (Vector{{1.0, 0.0}}));
  EXPECT_EQ(std::ssize(model.members()), 1);
  EXPECT_GT(model.member_scores()[1], model.member_scores()[0] + 1);
  EXPECT_NEAR(model.report().details.at("score").as_number(), model.member_scores()[0], 1e-12);
  EXPECT_LE(model.report().details.at("certificate").at("gap").as_number(), 1e-10);
}

TEST(Pool, ABroadGaussianTakesFarPointsAndAtLeastItsShare) {
  Dataset data = line(100);
  const Pool quiet = Pool::fit(data, {.models = {"1 0.5"}, .shrinkage = 0, .defensive_weight = 0.02}, known());
  EXPECT_NEAR(quiet.defensive().weight, 0.02, 1e-9);
  Matrix y = data.y;
  y.leftCols(8).array() += 40.0;
  data.y = y;
  const Pool far = Pool::fit(data, {.models = {"1 0.5"}, .shrinkage = 0, .defensive_weight = 0.02}, known());
  EXPECT_NEAR(far.defensive().weight, 0.08, 0.02);
  EXPECT_NEAR(far.defensive().weight + far.members()[0].weight, 1.0, 1e-12);
  EXPECT_LT(far.report().details.at("score").as_number(), far.member_scores()[0] - 10);
}

TEST(Pool, TakesAMemberWithoutADensity) {
  const Pool model = Pool::fit(line(50), {.models = {"zero", "1 0.5"}, .shrinkage = 0, .defensive_weight = 0}, known());
  EXPECT_EQ(model.member_weights(), (Vector{{0.0, 1.0}}));
  EXPECT_TRUE(std::isfinite(model.report().details.at("score").as_number()));
}

TEST(Pool, ShrinksTowardsEqualWeights) {
  // Two members that do not overlap: their weights are the shares of the rows, 3 : 1, and those that are added.
  Dataset data = line(40);
  Matrix y = Matrix::Zero(1, 40);
  for (Index i = 0; i < 40; ++i) y(0, i) = (i % 4 == 0 ? 1e3 : 2e3) * data.x(0, i);
  data.y = y;
  const std::vector<std::string> members{"2000 1e-3", "1000 1e-3"};
  for (const double c : {0.0, 2.0, 20.0}) {
    const Pool own = Pool::fit(data, {.models = members, .shrinkage = c, .defensive_weight = 0}, known());
    EXPECT_NEAR(own.member_weights()[1], (10.0 + c / 2) / (40.0 + c), 1e-6);
    // Weights as copies are rows, small ones are shares of the rows there are.
    data.weights = Vector::Constant(40, 2.0);
    const Pool twice = Pool::fit(data, {.models = members, .shrinkage = c, .defensive_weight = 0}, known());
    EXPECT_NEAR(twice.member_weights()[1], (20.0 + c / 2) / (80.0 + c), 1e-6);
    data.weights = Vector::Constant(40, 1e-3);
    const Pool small = Pool::fit(data, {.models = members, .shrinkage = c, .defensive_weight = 0}, known());
    EXPECT_NEAR(small.member_weights()[1], own.member_weights()[1], 1e-6);
    data.weights = Vector();
  }
}

TEST(Pool, NamesTheMemberThatIsBeingFitted) {
  std::vector<std::string> seen;
  const condens::Run run{.threads = 1, .observer = [&](std::string_view task, double) {
                           seen.emplace_back(task);
                           return true;
                         }};
  const MemberFinder slow = [](const std::string& name) -> InnerModel {
    const InnerModel quick = known()(name);
    const auto fit = [quick](const Dataset& data, const Document& options, const condens::Run& own) {
      std::this_thread::sleep_for(std::chrono::milliseconds(60));  // observers are called every 50
      own.observer("", 0.5);
      return quick.fit(data, options, own);
    };
    return {{}, fit};
  };
  Pool::fit(line(20), {.models = {"1 0.5", "0 1"}, .cv = {2}}, slow, run);
  for (const char* text : {"fitting the members: 1 0.5", "fitting the members: 0 1"}) {
    EXPECT_NE(std::find(seen.begin(), seen.end(), text), seen.end()) << text;
  }
}

TEST(Pool, LeavesOutMembersThatFail) {
  const Pool model = Pool::fit(line(50), {.models = {"fails", "1 0.5", "refuses"}}, known());
  EXPECT_EQ(model.member_names(), (std::vector<std::string>{"1 0.5", "broad"}));
  EXPECT_EQ(model.report().warnings,
            (std::vector<std::string>{"fails is left out: nothing is left",
                                      "refuses is left out: Refuses: y has 1 target, expected 7"}));
  const std::string all = complaint<NumericalError>([] {
    Pool::fit(line(50), {.models = {"fails", "refuses"}}, known());
  });
  EXPECT_NE(all.find("no member could be fitted: nothing is left; Refuses"), std::string::npos) << all;
}

// --- what data and options may be --------------------------------------------------------------

TEST(Pool, FoldsHoldCopiesTogether) {
  // With copies apart, a member that remembers rows would take all.
  Dataset data = branches(40);
  const Dataset copied{.x = Matrix(data.x.replicate(1, 2)), .y = Matrix(data.y.replicate(1, 2))};
  data.weights = Vector::Constant(40, 2.0);
  Document options;
  options.set("models", Document(std::vector<std::string>{"parzen", "gp"}));
  const Pool weighted = pool(data, options);
  const Pool twice = pool(copied, options);
  EXPECT_LT((weighted.member_weights() - twice.member_weights()).cwiseAbs().maxCoeff(), 1e-4);
}

TEST(Pool, TakesFewRowsAndRowsOfNoWeight) {
  const Dataset four = branches(4);
  Document options;
  options.set("models", Document(std::vector<std::string>{"nw", "marginal"}));
  const Pool small = pool(four, options);  // four folds of one row
  EXPECT_TRUE(small.log_density(four.x, four.y).allFinite());
  Dataset data = branches(30);
  Matrix x = Matrix::Zero(1, 33);
  Matrix y = Matrix::Constant(1, 33, 1e8);
  x.leftCols(30) = data.x;
  y.leftCols(30) = data.y;
  Dataset more{.x = x, .y = y, .weights = Vector::Ones(33)};
  more.weights.tail(3).setZero();
  data.weights = Vector::Ones(30);
  EXPECT_EQ(pool(more, options).log_density(data.x, data.y), pool(data, options).log_density(data.x, data.y));
}

TEST(Pool, GivesMembersTheirOptionsAndTheSeed) {
  const Dataset data = branches(40);
  Document options = options_of({"nw", "gmm"}, 40, 0);
  options.set("seed", 5);
  options.set("options", Document::Object{{"nw", Document::Object{{"bandwidth_y", 0.7}}}});
  const Pool model = pool(data, options);
  for (const PoolMember& member : model.members()) {
    const Document own = member.model->options();
    EXPECT_EQ(own.at("seed").as_integer(), 5);
    if (member.model->model_name() == "nw") {
      EXPECT_EQ(own.at("bandwidth_y").as_numbers(), std::vector<double>{0.7});
    }
  }
}

TEST(Pool, NamesWhatItCannotTake) {
  const Dataset data = branches(30);
  const auto message_of = [&](const Document& options) { return complaint([&] { pool(data, options); }); };
  const auto models = [](const std::vector<std::string>& names) {
    return Document(Document::Object{{"models", Document(names)}});
  };
  const auto with_options = [&](Document options) { return models({"nw"}).set("options", std::move(options)); };
  const std::vector<std::pair<Document, std::string>> wrong = {
      {models({}), "Pooled: models is empty"},
      {models({"nw", "nw"}), "Pooled: models has 'nw' twice"},
      {models({"nw", "nosuch"}), "model = 'nosuch', expected one of"},
      {models({"auto"}), "Pooled: models has 'auto', expected no other pool"},
      {models({"pool"}), "Pooled: models has 'pool', expected no other pool"},
      {Document::Object{{"models", 3}}, "Pooled: models = 3, expected a list of texts"},
      {models({"nw"}).set("model_preset", "nosuch"), "preset = 'nosuch'"},
      {with_options(Document::Object{{"gp", Document::Object{}}}), "options has 'gp', expected the name of one of"},
      {with_options(Document::Object{{"nw", Document::Object{{"bandwith", 1}}}}), "did you mean 'bandwidth'"},
      {with_options(Document::Object{{"nw", Document::Object{{"starts", 0}}}}), "Pooled: nw: starts = 0"},
      {with_options(Document::Object{{"nw", 3}}), "Pooled: options of nw"},
      {models({"nw"}).set("cv", 1), "cv = 1, expected at least 2 folds"},
      {models({"nw"}).set("cv", Document(std::vector<double>{})), "cv is empty"},
      {models({"nw"}).set("cv", Document(std::vector<double>{1, 2})), "2 fold numbers for 30 rows"},
      {models({"nw"}).set("shrinkage", -1), "shrinkage = -1, expected"},
      {models({"nw"}).set("defensive_weight", 1), "defensive_weight = 1, expected"},
  };
  for (const auto& [options, words] : wrong) {
    EXPECT_NE(message_of(options).find(words), std::string::npos) << words << ": " << message_of(options);
  }
  const Dataset constant{.x = data.x, .y = Matrix::Constant(1, 30, 3.0)};
  EXPECT_NE(complaint([&] { pool(constant, models({"nw"})); }).find("Pooled: "), std::string::npos);
  Matrix x = data.x;
  x(0, 4) = std::nan("");
  const Dataset broken{.x = x, .y = data.y};
  EXPECT_NE(complaint([&] { pool(broken, models({"nw"})); }).find("row 5"), std::string::npos);
}

TEST(Pool, RefusesAFileThatDoesNotFitTogether) {
  const Document saved = save_density(pool(branches(30), options_of({"nw", "gp"}, 30, 0.01).set("shrinkage", 2)));
  const auto changed = [&](const std::string& name, const Document& value) {
    Document parameters = saved.at("parameters");
    parameters.set(name, value);
    return complaint<FormatError>([&] {
      load_density(Document::Object{{"model", "pool"}, {"parameters", parameters}});
    });
  };
  EXPECT_NE(changed("weights", Vector(Vector::Ones(1))).find("weight for every member"), std::string::npos);
  EXPECT_NE(changed("weights", Vector(Vector{{0.9, 0.9}})).find("do not fit together"), std::string::npos);
  for (const std::int64_t inputs : {std::int64_t{3}, std::int64_t{1000000000}, std::int64_t{1} << 62}) {
    EXPECT_NE(changed("n_inputs", inputs).find("do not fit together"), std::string::npos) << inputs;
  }
  EXPECT_NE(
      changed("report",
              Document::Object{{"status", "ok"}, {"warnings", Document::Array{}}, {"details", Document::Object{}}})
          .find("members"),
      std::string::npos);
}

TEST(Pool, CanBeCancelled) {
  const condens::Run stop{.threads = 2, .observer = [](std::string_view, double) { return false; }};
  EXPECT_THROW(pool(branches(60), options_of({"nw", "gp"}, 60, 0.01), stop), Cancelled);
}

}  // namespace
}  // namespace condens::pool_test
