// A race on a sample of a table whose rows are elsewhere, and members that are fitted to all of it.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "condens/data/folds.hpp"
#include "condens/estimators/auto.hpp"
#include "condens/model/subset_density.hpp"
#include "condens/registry.hpp"
#include "support/complaint.hpp"
#include "support/cut_tables.hpp"
#include "support/sanitized.hpp"

namespace condens::auto_of_tables_test {
namespace {

using cut_tables::Bytes;
using cut_tables::largest_difference;
using cut_tables::rows_of;

constexpr Index many = most_rows_at_once + 1500;

std::unique_ptr<ConditionalDensity> of_table(RowSums& table, const Document& options) {
  return fit_by_sums(find_model("auto"), table, "", options, 0, {});
}

Index rows_known(const PoolMember& member) { return member.model->report().details.at("n_rows").as_integer(); }

/// Mixtures of Gaussians in the place of two of the candidates, of which one is no sum over rows; the others fail.
InnerModel stand_in(const std::string& name) {
  if (name != "forest" && name != "lscde") {
    const auto fail = [](const Dataset&, const Document&, const Run&) -> std::unique_ptr<ConditionalDensity> {
      throw std::invalid_argument("no candidate here");
    };
    return {{}, fail};
  }
  const bool sums = name == "lscde";
  const ModelInfo& gmm = find_model("gmm");
  const Document options(Document::Object{{"n_components", Document(std::vector<double>{sums ? 2.0 : 3.0})},
                                          {"starts", Index{1}},
                                          {"covariance", Document(sums ? "full" : "diagonal")}});
  InnerModel out{{}, [&gmm, options](const Dataset& data, const Document&, const Run& run) {
                   return gmm.fit(data, "", options, run);
                 }};
  if (sums) {
    out.fit_by_sums = [&gmm, options](RowSums& table, const Document&, const Run& run) {
      return detail::fit_table(gmm, table, "", options, run);
    };
  }
  return out;
}

TEST(AutoOfTables, ATableThatMayRaceIsFittedAsInMemory) {
  const Dataset data = rows_of(many, 1);
  AutoOptions options;
  options.sample_rows = many;
  Bytes table(data, 6'000);
  EXPECT_EQ(AutoDensity::fit(table, options, stand_in).to_document(),
            AutoDensity::fit(data, options, stand_in).to_document());
  EXPECT_EQ(table.passes, 2);  // its extent, and its rows
}

TEST(AutoOfTables, SumsOverRowsAreFittedToAllOfThem) {
  const Dataset data = select_inputs(rows_of(many, 2), {});
  const Dataset fresh = select_inputs(rows_of(300, 3), {});
  const Document options(Document::Object{{"budget", 1e6}, {"sample_rows", Index{2001}}});
  Bytes table(data, 6'000);
  const auto found = of_table(table, options);
  const auto& pool = dynamic_cast<const PooledDensity&>(*found);
  ASSERT_FALSE(pool.members().empty());
  for (const PoolMember& member : pool.members()) {
    EXPECT_EQ(rows_known(member), many) << member.model->model_name();
    if (sanitized) continue;  // another fit to all rows for each
    Bytes again(data, 6'000);
    const ModelInfo& info = find_model(member.model->model_name());
    const auto alone = fit_by_sums(info, again, "", Document::Object{{"seed", Index{0}}}, 0, {});
    EXPECT_LT(largest_difference(*member.model, *alone, fresh), 1e-12) << info.name;
  }
  for (const std::string& text : found->report().warnings)
    EXPECT_EQ(text.find("rows these members"), text.npos) << text;
  EXPECT_EQ(found->report().details.at("n_rows").as_integer(), many);
  EXPECT_EQ(found->report().details.at("n_rows_sampled").as_integer(), 2001);
}

TEST(AutoOfTables, OtherMembersStayAsTheSampleMadeThem) {
  const Dataset data = rows_of(many, 4);
  AutoOptions options;
  options.sample_rows = 2500;
  options.budget = 1e6;
  Bytes table(data, 6'000);
  const AutoDensity found = AutoDensity::fit(table, options, stand_in);
  ASSERT_EQ(found.members().size(), 2U);
  EXPECT_EQ(rows_known(found.members()[0]), 1999);  // four fifths of the sample, but for a fold of one row more
  EXPECT_EQ(rows_known(found.members()[1]), many);
  EXPECT_EQ(found.report().warnings.back(),
            "of the table's 16500 rows these members know fewer (their number in brackets): forest (1999)");
  options.budget = 1e-3;
  const AutoDensity hasty = AutoDensity::fit(table, options, stand_in);
  const std::string& told = hasty.report().warnings.back();
  EXPECT_NE(told.find("lscde (1000; all would take 1 s)"), told.npos) << told;
}

TEST(AutoOfTables, AreTheSameBitsForAnyNumberOfThreads) {
  const Dataset data = rows_of(many, 5);
  AutoOptions options;
  options.sample_rows = 2500;
  Document first;
  for (const int threads : {1, 2, 7}) {
    if (sanitized && threads == 2) continue;
    Bytes table(data, 6'000, threads);
    const Document own = AutoDensity::fit(table, options, stand_in, {.threads = threads, .observer = {}}).to_document();
    if (first.is_null()) first = own;
    EXPECT_EQ(own, first) << threads;
  }
}

TEST(AutoOfTables, FoldsByHandAndSmallSamplesAreRefused) {
  const Dataset data = rows_of(300, 6);
  Bytes table(data, 100);
  const auto said = [&](const char* name, const Document& value) {
    return complaint([&] { of_table(table, Document::Object{{name, value}}); });
  };
  EXPECT_EQ(said("cv", Document(std::vector<double>{0, 1, 0})),
            "AutoCDE: cv has 3 numbers, expected a number of folds: rows that are not in memory get theirs by their "
            "places");
  EXPECT_EQ(said("sample_rows", Index{2000}), "AutoCDE: sample_rows = 2000, expected a whole number >= 2001");
}

}  // namespace
}  // namespace condens::auto_of_tables_test
