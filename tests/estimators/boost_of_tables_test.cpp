// Boosted trees of rows that are elsewhere: the model that the same rows in memory give, whatever the cut, the threads
// and what workers have kept.

#include <gtest/gtest.h>

#include <cmath>

#include "condens/core/errors.hpp"
#include "condens/core/random.hpp"
#include "condens/estimators/boost.hpp"
#include "condens/io/document_format.hpp"
#include "condens/registry.hpp"
#include "support/cut_tables.hpp"
#include "support/sanitized.hpp"

namespace condens {
namespace {

using cut_tables::largest_difference;

/// Two numbers, a category of six levels by five indicators, a number of few values; of one target, or two.
Dataset mixed_rows(Index n, Index n_targets, std::uint64_t seed) {
  RandomStream random(seed);
  Matrix x = Matrix::Zero(8, n);
  Matrix y(n_targets, n);
  for (Index i = 0; i < n; ++i) {
    x(0, i) = 100 + random.normal();
    x(1, i) = random.uniform();
    const Index level = random.below(6);
    if (level > 0) x(1 + level, i) = 1;
    x(7, i) = static_cast<double>(random.below(4));
    const double spread = 0.2 + x(1, i) + (level == 3 ? 0.5 : 0.0);
    const double mean = std::sin(2 * (x(0, i) - 100)) + (level % 2 == 0 ? 0.7 : -0.3) + 0.2 * x(7, i);
    for (Index t = 0; t < n_targets; ++t) y(t, i) = 5 + mean * (t == 0 ? 1 : -2) + spread * random.normal();
  }
  return {.x = std::move(x), .y = std::move(y), .groups = {0, 1, 2, 2, 2, 2, 2, 3}};
}

BoostOptions quick_options() {
  BoostOptions out;
  out.n_rounds = 20;
  out.learning_rate = 0.3;
  out.n_folds = 3;
  out.max_depth = 4;
  out.max_bins = 32;
  return out;
}

void expect_equal(const Dataset& rows, const BoostOptions& options, Index rows_of_block) {
  const Boost here = Boost::fit(rows, options, condens::Run{});
  cut_tables::Bytes table(rows, rows_of_block);
  const Boost there = Boost::fit(table, options, condens::Run{});
  ASSERT_EQ(there.state().n_rounds, here.state().n_rounds);
  ASSERT_EQ(there.state().nodes.cols(), here.state().nodes.cols());
  EXPECT_LT(largest_difference(here, there, rows), 1e-10);
  const auto score = [](const Boost& model) { return model.report().details.at("score").as_number(); };
  if (options.n_folds > 0) {
    EXPECT_NEAR(score(there), score(here), 1e-11);
  }
  EXPECT_LT((there.feature_importances() - here.feature_importances()).cwiseAbs().maxCoeff(), 1e-9);
}

TEST(BoostOfTables, IsThatOfRowsInMemoryForAnyCut) {
  const Dataset rows = mixed_rows(15'500, 1, 1);
  for (const Index rows_of_block : {15'500, 6'000, 977}) {
    if (sanitized && rows_of_block != 977) continue;  // in most parts
    expect_equal(rows, quick_options(), rows_of_block);
  }
}

TEST(BoostOfTables, OfSeveralTargets) {
  BoostOptions options = quick_options();
  options.n_rounds = 10;
  expect_equal(mixed_rows(15'200, 2, 2), options, 5'000);
}

TEST(BoostOfTables, OfRowsAndInputsThatAreDrawn) {
  BoostOptions options = quick_options();
  options.subsample = 0.4;
  options.max_features = 0.5;
  expect_equal(mixed_rows(15'200, 1, 3), options, 4'000);
  options.subsample = 1;
  options.max_rows = 3'000;
  expect_equal(mixed_rows(15'200, 1, 4), options, 4'000);
}

TEST(BoostOfTables, WithoutFoldsAndWithWeights) {
  BoostOptions options = quick_options();
  options.n_folds = 0;
  Dataset rows = mixed_rows(15'200, 1, 5);
  expect_equal(rows, options, 7'000);
  RandomStream random(6);
  rows.weights = Vector(rows.size());
  for (double& weight : rows.weights) weight = 0.1 + random.uniform();
  expect_equal(rows, quick_options(), 7'000);
}

TEST(BoostOfTables, HasTheSameBitsForAnyNumberOfThreads) {
  const Dataset rows = mixed_rows(15'200, 1, 7);
  std::vector<std::string> bytes;
  for (const int threads : {1, 2, 7}) {
    if (sanitized && threads == 2) continue;
    cut_tables::Bytes table(rows, 4'000, threads);
    const Boost model = Boost::fit(table, quick_options(), condens::Run{.threads = threads, .observer = {}});
    bytes.push_back(document_to_cbor(model.to_document()));
    EXPECT_TRUE(bytes.back() == bytes.front()) << threads;
  }
}

/// Workers that lose what they keep: each fifth pass is done by a process that knows nothing, as the number of the fit
/// tells.
class Forgetful final : public RowSums {
 public:
  explicit Forgetful(RowSums& table) : RowSums(table.n_inputs(), table.n_targets(), table.groups()), table_(table) {}
  Document total(const Document& pass) override {
    if (pass.at("pass").as_string() != "boost") return table_.total(pass);
    Document sent = pass;
    if (++passes_ % 5 == 0) ++lost_;
    sent.set("fit", pass.at("fit").as_integer() + lost_);
    Document out = table_.total(sent);
    if (out.at("sum").at("unknown").as_matrix()(0, 0) > 0) ++unknown;
    return out;
  }
  Index unknown = 0;

 private:
  RowSums& table_;
  Index passes_ = 0;
  Index lost_ = 0;
};

TEST(BoostOfTables, IsTheSameWhereWorkersForget) {
  const Dataset rows = mixed_rows(15'200, 1, 8);
  cut_tables::Bytes table(rows, 4'000);
  const Boost undisturbed = Boost::fit(table, quick_options(), condens::Run{});
  Forgetful forgetful(table);
  const Boost disturbed = Boost::fit(forgetful, quick_options(), condens::Run{});
  EXPECT_GE(forgetful.unknown, 2);  // after which every pass tells more
  EXPECT_TRUE(document_to_cbor(disturbed.to_document()) == document_to_cbor(undisturbed.to_document()));
}

/// An engine that has lost an answer: before each third pass it asks the one before once more.
class Repeating final : public RowSums {
 public:
  explicit Repeating(RowSums& table) : RowSums(table.n_inputs(), table.n_targets(), table.groups()), table_(table) {}
  Document total(const Document& pass) override {
    const bool trees = pass.at("pass").as_string() == "boost";
    if (trees && !before_.is_null() && ++passes_ % 3 == 0) table_.total(before_);
    if (trees) before_ = pass;
    return table_.total(pass);
  }

 private:
  RowSums& table_;
  Document before_;
  Index passes_ = 0;
};

TEST(BoostOfTables, IsTheSameWherePassesAreRepeated) {
  const Dataset rows = mixed_rows(15'200, 1, 10);
  for (const double subsample : {1.0, 0.5}) {
    BoostOptions options = quick_options();
    options.subsample = subsample;
    cut_tables::Bytes table(rows, 4'000);
    const Boost undisturbed = Boost::fit(table, options, condens::Run{});
    Repeating repeating(table);
    const Boost disturbed = Boost::fit(repeating, options, condens::Run{});
    EXPECT_TRUE(document_to_cbor(disturbed.to_document()) == document_to_cbor(undisturbed.to_document())) << subsample;
  }
}

TEST(BoostOfTables, RefusesWhatNeedsRowsInMemory) {
  const Dataset rows = mixed_rows(15'200, 1, 9);
  cut_tables::Bytes table(rows, 8'000);
  BoostOptions options = quick_options();
  options.likelihood = BoostLikelihood::normal;
  EXPECT_THROW(Boost::fit(table, options), std::invalid_argument);
  options = quick_options();
  options.max_depth = 10;
  options.n_folds = 100;
  options.max_bins = 2'000;
  EXPECT_THROW(Boost::fit(table, options), std::invalid_argument);
}

}  // namespace
}  // namespace condens
