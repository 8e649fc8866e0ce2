// SACDE and SALSCDE by sums over the rows of a table (estimators/sacde/passes.hpp): the same fit as of rows in memory,
// for any cut.

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "condens/core/random.hpp"
#include "condens/data/folds.hpp"
#include "condens/registry.hpp"
#include "model/selected_rows.hpp"
#include "model/table_passes.hpp"
#include "support/complaint.hpp"
#include "support/cut_tables.hpp"

namespace condens::sacde_of_tables_test {
namespace {

using cut_tables::Bytes;
using cut_tables::largest_difference;
using cut_tables::rows_of;

Document small_search() {
  Document out(Document::Object{});
  out.set("bandwidth", Document(std::vector<double>{0.4, 1.6}))
      .set("bandwidth_y", Document(std::vector<double>{0.2, 0.8}));
  out.set("regularization", Document(std::vector<double>{0.001, 0.01, 0.1}));
  return out.set("n_centers", Index{20}).set("first_regularization", Document(std::vector<double>{0.2}));
}

/// Rows of one category among the inputs, and one input that is constant.
Dataset rows_with_a_category(Index n) {
  const Dataset plain = rows_of(n, 18);
  RandomStream random(19);
  Matrix x = Matrix::Zero(5, n);
  Matrix y = plain.y;
  x.row(0) = plain.x.row(1);
  for (Index i = 0; i < n; ++i) {
    const double u = random.uniform();
    x(u < 0.3 ? 1 : (u < 0.8 ? 2 : 3), i) = 1;
    if (u < 0.3) y(0, i) += 2;
  }
  x.row(4).setConstant(7);
  return {.x = std::move(x), .y = std::move(y), .groups = {0, 1, 1, 1, 2}};
}

TEST(SacdeOfTables, OfGivenCentresAndPenaltyIsThatOfRowsInMemory) {
  const Dataset data = rows_with_a_category(700);
  Document options(Document::Object{});
  options.set("centers", Matrix{{0.2, 0.5, 0.8}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {7, 7, 7}, {3.0, 3.5, 2.5}});
  options.set("bandwidth", Document(std::vector<double>{0.7})).set("bandwidth_y", Document(std::vector<double>{0.4}));
  options.set("regularization", Document(std::vector<double>{0.3}))
      .set("first_regularization", Document(std::vector<double>{0.1}))
      .set("tolerance", 1e-12);
  const ModelInfo& info = find_model("sacde");
  for (const bool constant_group : {true, false}) {
    options.set("constant_group", constant_group);
    Bytes table(data, 77);
    const auto plain = info.fit(data, "", options, {});
    const auto found = fit_by_sums(info, table, "", options, 0, {});
    EXPECT_LT(largest_difference(*plain, *found, data), 1e-8) << constant_group;  // of solutions to a gap of 1e-12
    EXPECT_EQ(info.results_of(*plain).at("support"), info.results_of(*found).at("support"));
    EXPECT_EQ(found->report().warnings, plain->report().warnings);
    EXPECT_EQ(table.passes, 6);  // extent, two of moments, a sample, the sums of two fits
  }
}

TEST(SacdeOfTables, IsTheSameForAnyCut) {
  const Dataset data = rows_with_a_category(1200);
  const ModelInfo& info = find_model("sacde");
  Document options = small_search();
  const auto agree = [&](const std::string& preset) {
    Bytes cut(data, 500);
    Bytes whole(data, 1200);
    const auto a = fit_by_sums(info, cut, preset, options, 0, {});
    const auto b = fit_by_sums(info, whole, preset, options, 0, {});
    EXPECT_EQ(info.results_of(*a).at("support"), info.results_of(*b).at("support")) << preset;
    EXPECT_LT(largest_difference(*a, *b, data), 1e-10) << preset;
  };
  agree("recommended");
  options.set("scoring", "squared").set("screening", Index{1});
  agree("recommended");
  options.set("regularization", Document(std::vector<double>{0.1, 0.5})).set("screening", Index{0});
  options.set("standardize", false);
  agree("paper");
}

TEST(SacdeOfTables, SaysWhatATableCannotHave) {
  const Dataset data = rows_of(300, 20);
  const auto refused = [&](const std::string& name, const Document& value) {
    Document options = small_search();
    options.set(name, value);
    Bytes table(data, 100);
    return complaint([&] { fit_by_sums(find_model("sacde"), table, "", options, 0, {}); });
  };
  EXPECT_EQ(refused("stability_resamples", Index{10}),
            "SACDE: stability_resamples = 10 of a table that is not in memory, expected 0; half-samples are drawn from "
            "rows in memory");
  EXPECT_EQ(
      refused("cv", Document(std::vector<double>(300, 1.0))),
      "SACDE: cv has 300 numbers, expected a number of folds: rows that are not in memory get theirs by their places");
  Document many = small_search();
  const Dataset wide{.x = Matrix::Random(200, 300), .y = Matrix(data.y)};
  many.set("n_centers", Index{100});
  Bytes table(wide, 100);
  EXPECT_EQ(complaint([&] { fit_by_sums(find_model("sacde"), table, "", many, 0, {}); }),
            "SACDE: 200 inputs at 100 centers in 5 folds are too many for sums over the rows of a table; give a "
            "smaller n_centers, or screening, the number of inputs on which y depends most");
  many.set("screening", Index{3});
  Bytes screened(wide, 100);
  EXPECT_NO_THROW(fit_by_sums(find_model("sacde"), screened, "", many, 0, {}));
}

TEST(SacdeOfTables, OfManyRowsInMemoryIsThatOfTheirTable) {
  const Dataset data = rows_of(most_rows_at_once + 500, 21);
  const ModelInfo& info = find_model("sacde");
  Document options = small_search();
  Bytes table(data, 4001);
  const auto plain = info.fit(data, "", options, {});
  EXPECT_LT(largest_difference(*plain, *fit_by_sums(info, table, "", options, 0, {}), rows_of(200, 12)), 1e-10);
  // What only rows in memory can: another way to the same.
  options.set("stability_resamples", Index{2});
  EXPECT_NEAR(info.fit(data, "", options, {})->log_density(data.x, data.y).mean(),
              plain->log_density(data.x, data.y).mean(), 0.02);
}

Document both_stages() {
  Document out(Document::Object{});
  Document density =
      Document::Object{{"n_centers", Index{30}}, {"max_centers", Index{30}}, {"metric", "none"}, {"refine", false}};
  density.set("bandwidth", Document(std::vector<double>{0.5, 1}))
      .set("bandwidth_y", Document(std::vector<double>{0.3}));
  return out.set("selection", small_search()).set("options", std::move(density));
}

TEST(SalscdeOfTables, SelectsAndFitsAsOfRowsInMemory) {
  const Dataset large = rows_of(most_rows_at_once + 500, 22);
  const ModelInfo& info = find_model("salscde");
  Bytes table(large, 4001);
  const auto plain = info.fit(large, "", both_stages(), {});
  const auto found = fit_by_sums(info, table, "", both_stages(), 0, {});
  EXPECT_EQ(info.results_of(*plain).at("support"), info.results_of(*found).at("support"));
  EXPECT_LT(largest_difference(*plain, *found, rows_of(200, 12)), 1e-10);
  EXPECT_EQ(found->report().warnings, plain->report().warnings);
}

TEST(SalscdeOfTables, LeavesOutWhatIsNotSelected) {
  const Dataset data = rows_with_a_category(900);
  const ModelInfo& info = find_model("salscde");
  Document options = both_stages();
  Bytes table(data, 400);
  const auto found = fit_by_sums(info, table, "", options, 0, {});
  EXPECT_EQ(info.results_of(*found).at("support").as_vector()[4], 0);  // constant
  EXPECT_EQ(std::count(found->report().warnings.begin(), found->report().warnings.end(),
                       "input 5 is constant and plays no part"),
            1);
  // So large a penalty that nothing is: the marginal distribution.
  Document nothing = small_search();
  nothing.set("regularization", Document(std::vector<double>{1.0}));
  options.set("selection", nothing.set("first_regularization", Document(std::vector<double>{1.0})));
  Bytes again(data, 400);
  const auto marginal = fit_by_sums(info, again, "", options, 0, {});
  EXPECT_EQ(info.results_of(*marginal).at("support").as_vector().sum(), 0);
  EXPECT_EQ(marginal->report().warnings.back(),
            "no input was selected: the distribution is the marginal one, whatever the inputs");
  options.set("residual_level", 0.05);
  EXPECT_EQ(complaint([&] { fit_by_sums(info, again, "", options, 0, {}); }),
            "SALSCDE: residual_level = 0.05 of a table that is not in memory, expected 0; the tests of the residuals "
            "need all rows");
}

TEST(SelectedRows, APassOverThemIsThatOfTheRows) {
  const Dataset data = rows_with_a_category(50);
  Bytes table(data, 20);
  SelectedRows selected(table, {0, 2, 3});
  EXPECT_EQ(selected.groups(), (std::vector<Index>{0, 1, 1}));
  const Dataset own = table_passes::all_rows(selected);
  EXPECT_EQ(Matrix(own.x), Matrix(data.x(std::vector<Index>{0, 2, 3}, Eigen::all)));
  EXPECT_EQ(Matrix(own.y), Matrix(data.y));
  const Document pass =
      Document::Object{{"pass", "select"}, {"inputs", Vector{{0, 5}}}, {"inside", Document::Object{{"pass", "rows"}}}};
  EXPECT_EQ(complaint<FormatError>([&] { accumulate(pass, data, 0, {}); }),
            "a pass over the rows: the input 5, expected 0 to 4");
}

}  // namespace
}  // namespace condens::sacde_of_tables_test
