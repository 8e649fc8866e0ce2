// Pools of tables whose rows are elsewhere: members that are sums over rows, fitted without each fold by a view of the
// table (model/rows_without_fold.hpp).

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "condens/core/random.hpp"
#include "condens/data/folds.hpp"
#include "condens/estimators/pool.hpp"
#include "condens/registry.hpp"
#include "model/rows_without_fold.hpp"
#include "model/table_passes.hpp"
#include "support/complaint.hpp"
#include "support/cut_tables.hpp"
#include "support/sanitized.hpp"

namespace condens::pool_of_tables_test {
namespace {

using cut_tables::Bytes;
using cut_tables::largest_difference;
using cut_tables::rows_of;

const condens::Run one_thread{.threads = 1, .observer = {}};

Document numbers(const std::vector<double>& values) { return Document(values); }

/// A pool of quick members.
Document options_of(const std::vector<std::string>& models, double cv) {
  Document own(Document::Object{});
  for (const std::string& name : models) {
    if (name == "lscde") {
      own.set(name, Document::Object{{"n_centers", Index{20}},
                                     {"metric", "none"},
                                     {"refine", false},
                                     {"bandwidth", numbers({0.5})},
                                     {"bandwidth_y", numbers({0.3})},
                                     {"regularization", numbers({0.01})},
                                     {"max_centers", Index{20}}});
    }
    if (name == "gmm") {
      own.set(name,
              Document::Object{{"n_components", numbers({2})}, {"starts", Index{1}}, {"max_iterations", Index{10}}});
    }
    if (name == "marginal") own.set(name, Document::Object{{"width_rows", Index{500}}});
  }
  Document out(Document::Object{{"models", Document(models)}, {"options", std::move(own)}});
  return out.set("cv", numbers({cv}));
}

std::unique_ptr<ConditionalDensity> in_memory(const Dataset& data, const Document& options) {
  return find_model("pool").fit(data, "", options, {});
}

std::unique_ptr<ConditionalDensity> of_table(RowSums& table, const Document& options) {
  return fit_by_sums(find_model("pool"), table, "", options, 0, {});
}

// --- a table without one of its folds ------------------------------------------------------------

TEST(RowsWithoutFold, AreTheOtherRowsAtTheirPlacesHoweverTheTableIsCut) {
  RandomStream random(1);
  for (const Index n : {2, 3, 7, 20, 61}) {
    for (const bool weighted : {false, true}) {
      Dataset data = rows_of(n, 2);
      if (weighted) data.weights = Vector::NullaryExpr(n, [&] { return 0.1 + random.uniform() * 0.5; });
      const Vector counted = counted_weights(data.weights);
      for (Index folds = 2; folds <= std::min<Index>(n, 6); ++folds) {
        const Index seed = 5 + n;
        const std::vector<Index> fold = folds_of_places(0, n, folds, static_cast<std::uint64_t>(seed));
        for (Index k = 0; k < folds; ++k) {
          const std::vector<Index> left = rows_of_fold(fold, k).train;
          for (const Index rows_of_block : {Index{1}, Index{2}, Index{5}, n}) {
            Bytes table(data, rows_of_block);
            RowsWithoutFold view(table, {.folds = folds, .seed = seed, .fold = k});
            const Dataset found = table_passes::all_rows(view);
            EXPECT_EQ(Matrix(found.x), Matrix(data.x(Eigen::all, left)));
            EXPECT_EQ(Matrix(found.y), Matrix(data.y(Eigen::all, left)));
            if (weighted) {
              EXPECT_LT((found.weights - counted(left)).cwiseAbs().maxCoeff(), 1e-14);
            } else {
              EXPECT_EQ(found.weights.size(), 0);
            }
            // Places are those among the rows that are left.
            const table_passes::Sample sample = table_passes::sample_of(view, 4, 3);
            const std::vector<Index> places = sample_of_places(std::ssize(left), 4, 3);
            EXPECT_EQ(sample.places, places);
            EXPECT_EQ(Matrix(sample.rows.y), Matrix(found.y(Eigen::all, places)));
            EXPECT_EQ(table_passes::extent_of(view).rows, std::ssize(left));
          }
        }
      }
    }
  }
}

TEST(RowsWithoutFold, ABlockWithoutRowsAddsNothing) {
  const Dataset data = rows_of(2, 2);
  const auto pass = [&](Index k) {
    return Document(Document::Object{{"pass", "without fold"},
                                     {"folds", Index{2}},
                                     {"seed", Index{0}},
                                     {"fold", k},
                                     {"weight_factor", 1.0},
                                     {"inside", Document::Object{{"pass", "extent"}}}});
  };
  const Index own = folds_of_places(0, 1, 2, 0).front();
  const Document none = accumulate(pass(own), data.subset({0}), 0, one_thread);
  const Document one = accumulate(pass(own), data.subset({1}), 1, one_thread);
  EXPECT_EQ(none, Document(Document::Object{}));
  EXPECT_EQ(merge_states(none, one), one);
  EXPECT_EQ(merge_states(one, none), one);
  EXPECT_EQ(merge_states(none, none), none);
  EXPECT_EQ(accumulate(pass(own), data, 0, one_thread), one);
}

TEST(RowsWithoutFold, PartsOfThePassAreChecked) {
  const Dataset data = rows_of(9, 2);
  const Document pass(Document::Object{{"pass", "without fold"},
                                       {"folds", Index{3}},
                                       {"seed", Index{0}},
                                       {"fold", Index{1}},
                                       {"weight_factor", 1.0},
                                       {"inside", Document::Object{{"pass", "extent"}}}});
  EXPECT_NO_THROW(accumulate(pass, data, 4, one_thread));
  const auto said = [&](std::string_view name, Document value) {
    return complaint<FormatError>(
        [&] { accumulate(Document(pass).set(std::string(name), std::move(value)), data, 4, one_thread); });
  };
  const std::string begin = "a pass over the rows: ";
  EXPECT_EQ(said("fold", Index{3}), begin + "'fold' is 3, expected 0 to 2");
  EXPECT_EQ(said("fold", Index{-1}), begin + "'fold' is -1, expected 0 to 2");
  EXPECT_EQ(said("folds", Index{1}), begin + "'folds' is 1, expected 2 to 10000");
  EXPECT_EQ(said("folds", Index{10001}), begin + "'folds' is 10001, expected 2 to 10000");
  EXPECT_EQ(said("weight_factor", 0.0), begin + "'weight_factor' is 0, expected a number > 0");
  EXPECT_NE(said("seed", "none"), "");
  EXPECT_NE(said("inside", Index{1}), "");
  EXPECT_NE(said("inside", Document::Object{}), "");
  EXPECT_NE(said("inside", Document::Object{{"pass", "none"}}), "");
}

// --- pools ----------------------------------------------------------------------------------------

void expect_same_report(const ConditionalDensity& found, const ConditionalDensity& expected) {
  const auto& a = dynamic_cast<const PooledDensity&>(found);
  const auto& b = dynamic_cast<const PooledDensity&>(expected);
  EXPECT_EQ(a.member_names(), b.member_names());
  EXPECT_LT((a.member_weights() - b.member_weights()).cwiseAbs().maxCoeff(), 1e-9);
  EXPECT_LT((a.member_scores() - b.member_scores()).cwiseAbs().maxCoeff(), 1e-10);
  EXPECT_LT((a.defensive().mean - b.defensive().mean).cwiseAbs().maxCoeff(), 1e-12);
  const auto gain = [](const PooledDensity& own) {
    return own.report().details.at("gain_of_inputs").at("held_out").at("mean").as_number();
  };
  EXPECT_NEAR(gain(a), gain(b), 1e-10);
  EXPECT_EQ(a.report().details.at("n_rows"), b.report().details.at("n_rows"));
  EXPECT_EQ(a.report().warnings, b.report().warnings);
  const auto note = [](const PooledDensity& own) {
    const Document* said = own.report().details.find("score_note");
    return said == nullptr ? Document() : *said;
  };
  EXPECT_EQ(note(a), note(b));
}

/// The table's, in blocks of so many rows.
std::unique_ptr<ConditionalDensity> expect_pool_of_rows_in_memory(const Dataset& data, const Document& options,
                                                                  Index rows_of_block) {
  const auto expected = in_memory(data, options);
  Bytes table(data, rows_of_block);
  auto found = of_table(table, options);
  EXPECT_LT(largest_difference(*expected, *found, rows_of(300, 2)), 1e-10);
  expect_same_report(*found, *expected);
  return found;
}

TEST(PoolOfTables, AnyCutGivesThePoolOfRowsInMemory) {
  // Of twelve folds there are more rows left than are fetched, of three fewer.
  const Dataset data = rows_of(most_rows_at_once + 1500, 1);
  const Dataset fresh = rows_of(300, 2);
  for (const double cv : {12.0, 3.0}) {
    if (sanitized && cv == 12) continue;  // as AreTheSameBitsForAnyNumberOfThreads has them
    const Document options = options_of({"lscde", "gmm"}, cv);
    const auto expected = in_memory(data, options);
    ASSERT_GT(dynamic_cast<const PooledDensity&>(*expected).member_weights().head(2).minCoeff(), 0);
    for (const Index rows_of_block : cv == 3 ? std::vector<Index>{5'003} : std::vector<Index>{16'500, 1'777}) {
      Bytes table(data, rows_of_block);
      const auto found = of_table(table, options);
      EXPECT_LT(largest_difference(*expected, *found, fresh), 1e-10) << cv << ' ' << rows_of_block;
      expect_same_report(*found, *expected);
    }
  }
}

TEST(PoolOfTables, AMemberOfTheTargetAloneTellsItsOwnRowsApart) {
  const Dataset data = rows_of(most_rows_at_once + 1500, 3);
  const Document options = options_of({"marginal", "gmm"}, 2);
  expect_pool_of_rows_in_memory(data, options, 4'000);
}

TEST(PoolOfTables, OfVeryManyRowsASampleScores) {
  const Dataset data = rows_of(100'500, 4);
  const Document options = options_of({"gmm"}, 2);
  expect_pool_of_rows_in_memory(data, options, 40'000);
}

TEST(PoolOfTables, FewValuesOfTheTargetAreScoredByCells) {
  Dataset data = rows_of(most_rows_at_once + 100, 5);
  data.y = Matrix((data.y.array() * 4).round() / 4);
  const Document options = options_of({"gmm"}, 2);
  const auto found = expect_pool_of_rows_in_memory(data, options, 4'000);
  EXPECT_NE(found->report().details.find("score_note"), nullptr);
}

TEST(PoolOfTables, AreTheSameBitsForAnyNumberOfThreads) {
  const Dataset data = rows_of(most_rows_at_once + 1500, 6);
  const Document options = options_of({"lscde", "gmm"}, 12);
  Document first;
  for (const int threads : {1, 2, 7}) {
    if (sanitized && threads == 2) continue;
    Bytes table(data, 6'000, threads);
    const Document found =
        fit_by_sums(find_model("pool"), table, "", options, 0, {.threads = threads, .observer = {}})->to_document();
    if (first.is_null()) first = found;
    EXPECT_EQ(found, first) << threads;
  }
}

TEST(PoolOfTables, CanBeCancelled) {
  const Dataset data = rows_of(500, 7);
  Bytes table(data, 100);
  const condens::Run stop{.threads = 1, .observer = [](std::string_view, double) { return false; }};
  EXPECT_THROW(fit_by_sums(find_model("pool"), table, "", options_of({"lscde", "gmm"}, 3), 0, stop), Cancelled);
}

TEST(PoolOfTables, AMemberThatCannotTakeTheRowsIsLeftOut) {
  const Dataset data = rows_of(400, 8);
  Document options = options_of({"lscde", "gmm"}, 3);
  options.set("options",
              Document::Object{{"lscde", Document::Object{{"centers", Matrix(Matrix::Zero(2, 1))}}},
                               {"gmm", Document::Object{{"n_components", numbers({2})}, {"starts", Index{1}}}}});
  Bytes table(data, 90);
  const auto found = of_table(table, options);
  ASSERT_FALSE(found->report().warnings.empty());
  EXPECT_TRUE(found->report().warnings.front().starts_with("lscde is left out: ")) << found->report().warnings.front();
}

TEST(PoolOfTables, WhatNeedsAllRowsIsRefused) {
  const Dataset data = rows_of(300, 9);
  Bytes table(data, 100);
  const auto said = [&](const Document& options) { return complaint([&] { of_table(table, options); }); };
  const std::string needed = said(options_of({"gmm", "nw"}, 5));
  EXPECT_TRUE(
      needed.starts_with("Pooled: models has 'nw', which is no sum over rows and needs all of them in memory; "
                         "expected some of marginal, lscde, "))
      << needed;
  EXPECT_TRUE(needed.ends_with(", gmm, or a sample of the rows")) << needed;
  EXPECT_NE(said(Document(Document::Object{})), "");  // the usual members
  EXPECT_EQ(said(options_of({"gmm", "pool"}, 5)), "Pooled: models has 'pool', expected no other pool");
  EXPECT_EQ(said(options_of({"gmm"}, 301)), "Pooled: cv = 301, expected 2 to 300 folds");
  EXPECT_EQ(said(options_of({"gmm"}, 0)), "Pooled: cv = 0, expected 2 to 300 folds");
  EXPECT_EQ(said(options_of({"gmm"}, 5).set("cv", numbers({0, 1, 0}))),
            "Pooled: cv has 3 numbers, expected a number of folds: rows that are not in memory get theirs by their "
            "places");
  // Who has a finder of their own hears of it, too.
  const MemberFinder find = [](const std::string&) { return InnerModel{}; };
  EXPECT_EQ(complaint([&] { Pool::fit(table, {.models = {"own"}}, find); }),
            "Pooled: models has 'own', which is no sum over rows");
}

}  // namespace
}  // namespace condens::pool_of_tables_test
