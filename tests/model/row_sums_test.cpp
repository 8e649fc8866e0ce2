// Fits of rows that are elsewhere: the same model as of rows in memory, for any cut of the table.

#include "condens/model/row_sums.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "condens/core/random.hpp"
#include "condens/data/folds.hpp"
#include "condens/io/document_format.hpp"
#include "condens/registry.hpp"
#include "model/projected_rows.hpp"
#include "model/table_passes.hpp"
#include "support/complaint.hpp"
#include "support/cut_tables.hpp"
#include "support/sanitized.hpp"

namespace condens::row_sums_test {

using cut_tables::Bytes;
using cut_tables::largest_difference;
using cut_tables::rows_of;

namespace {

/// The same rows as a table in blocks.
class TableOf final : public TableBlocks {
 public:
  TableOf(const Dataset& data, Index rows_of_block) : data_(data), rows_of_block_(rows_of_block) {}
  Table header() const override { return part({0, 0}); }
  void read(const std::function<void(const Table& block)>& visit) override {
    for (Index i = 0; i < block_count(data_.size(), rows_of_block_); ++i)
      visit(part(block_range(data_.size(), rows_of_block_, i)));
    ++readings;
  }
  int readings = 0;

 private:
  Table part(Range rows) const {
    Table out;
    const auto add = [&](const std::string& name, const auto& row) {
      const Vector values = row.segment(rows.begin, rows.end - rows.begin);
      out.add({name, std::vector<double>(values.begin(), values.end())});
    };
    add("a", data_.x.row(0));
    add("b", data_.x.row(1));
    add("y", data_.y.row(0));
    if (data_.weights.size() > 0) add("w", data_.weights);
    return out;
  }

  const Dataset& data_;
  Index rows_of_block_;
};

Document options_of(const std::string& model) {
  Document out(Document::Object{});
  if (model == "gmm") out.set("n_components", Document(std::vector<double>{2, 4})).set("starts", Index{2});
  // Widths of inputs are the longest search of a large table; it has a test of its own.
  if (model == "lscde") out.set("n_centers", Index{30}).set("max_centers", Index{60}).set("metric", "none");
  if (model == "sacde") out.set("n_centers", Index{20}).set("first_regularization", Document(std::vector<double>{0.2}));
  if (model == "salscde") out.set("selection", options_of("sacde")).set("options", options_of("lscde"));
  if (model == "lscde" || model == "lsce" || model == "sacde") {
    out.set("bandwidth", Document(std::vector<double>{0.4, 1.6}))
        .set("bandwidth_y", Document(std::vector<double>{0.2, 0.8}));
    out.set("regularization", Document(std::vector<double>{0.001, 0.01, 0.1}));
  }
  if (model == "lsce") {
    out.set("n_components", Document(std::vector<double>{1, 2})).set("max_search_rows", Index{800});
    out.set("n_centers", Index{40}).set("random_starts", Index{2}).set("max_steps", Index{30}).set("density", "same");
  }
  if (model == "parzen") out.set("width_rows", Index{500});
  if (model == "boost") out.set("n_rounds", Index{20});
  if (model == "mdn") {
    out.set("sample_rows", Index{50}).set("n_members", Index{2}).set("table_steps", Index{5});
    out.set("units", Document(std::vector<double>{4})).set("layers", Index{1});
  }
  if (model == "pool") {
    out.set("models", Document::Array{"lscde", "gmm"}).set("cv", Document(std::vector<double>{3}));
    out.set("options", Document::Object{{"lscde", options_of("lscde")}, {"gmm", options_of("gmm")}});
  }
  if (model == "auto") out.set("budget", sanitized ? 0.004 : 0.02).set("cv", Document(std::vector<double>{2}));
  if (model == "press") {
    out.set("sample_rows", Index{50}).set("table_steps", Index{3}).set("n_states", Document(std::vector<double>{2}));
    out.set("regularization", Document(std::vector<double>{0.01}));
  }
  return out;
}

class Mergeable : public testing::TestWithParam<std::string> {};

TEST_P(Mergeable, AnyCutOfALargeTableGivesTheModelOfRowsInMemory) {
  const Dataset data = rows_of(most_rows_at_once + 1000, 1);
  const Dataset fresh = rows_of(200, 2);
  const ModelInfo& info = find_model(GetParam());
  const Document options = options_of(info.name);
  if (sanitized && info.name == "auto") return;  // the test below has it, too, which takes half a minute
  const auto plain = info.fit(data, "", options, {});
  for (const Index rows_of_block : {Index{16000}, Index{997}}) {
    if (sanitized && rows_of_block != 997) continue;  // in most parts
    Bytes table(data, rows_of_block);
    const auto found = fit_by_sums(info, table, "", options, 0, {});
    EXPECT_LT(largest_difference(*plain, *found, fresh), 1e-10) << rows_of_block;
    EXPECT_GT(table.passes, info.name == "auto" ? 1 : 4);  // of auto all rows race
  }
}

TEST_P(Mergeable, WeightsCountAsTheyDoInMemory) {
  Dataset data = rows_of(most_rows_at_once + 1000, 13);
  RandomStream random(14);
  data.weights = Vector::NullaryExpr(data.size(), [&] { return 3 * random.uniform(); });
  for (Index i = 0; i < data.size(); i += 40) data.weights[i] = 0;
  const Dataset fresh = rows_of(200, 2);
  const ModelInfo& info = find_model(GetParam());
  Document options = options_of(info.name);
  if (info.name == "lscde") options.set("max_centers", Index{30});
  std::vector<std::unique_ptr<ConditionalDensity>> weighted;
  for (const double unit : {1.0, 1e-30}) {  // less than one copy of each row on average: as many as there are
    if (sanitized && unit == 1.0) continue;
    data.weights *= unit;
    Bytes table(data, 5001);
    weighted.push_back(fit_by_sums(info, table, "", options, 0, {}));
    EXPECT_LT(largest_difference(*info.fit(data, "", options, {}), *weighted.back(), fresh), 1e-10) << unit;
  }
  if (sanitized) return;
  Dataset alike = data;
  alike.weights = {};
  Bytes table(alike, 5001);
  const auto other = fit_by_sums(info, table, "", options, 0, {});
  for (const auto& found : weighted) EXPECT_GT(largest_difference(*other, *found, fresh), 1e-4);
}

TEST_P(Mergeable, WeightsOfASmallTableAreFetchedWithIt) {
  Dataset data = rows_of(300, 15);
  data.weights = Vector::LinSpaced(300, 0, 2);
  const ModelInfo& info = find_model(GetParam());
  Bytes table(data, 70);
  const auto found = fit_by_sums(info, table, "", options_of(info.name), 400, {});
  EXPECT_EQ(found->to_document(), fit_model(info, data, "", options_of(info.name), {})->to_document());
}

TEST_P(Mergeable, ThreadsOfABlockDoNotMatter) {
  const Dataset data = rows_of(1200, 3);
  const ModelInfo& info = find_model(GetParam());
  Document options = options_of(info.name);
  Document first;
  for (const int threads : {1, 2, 7}) {
    if (sanitized && threads == 2) continue;
    Bytes table(data, 450, threads);
    const Document found = fit_by_sums(info, table, "", options, 0, {})->to_document();
    if (first.is_null()) first = found;
    EXPECT_EQ(found, first) << threads;
  }
}

TEST_P(Mergeable, ASmallTableIsFetchedAndFittedAsInMemory) {
  const Dataset data = rows_of(400, 4);
  const ModelInfo& info = find_model(GetParam());
  Bytes table(data, 150);
  const auto found = fit_by_sums(info, table, "", options_of(info.name), 400, {});
  EXPECT_EQ(found->to_document(), fit_model(info, data, "", options_of(info.name), {})->to_document());
  EXPECT_EQ(table.passes, 2);  // how many there are, and all of them
}

TEST_P(Mergeable, ConstantColumnsAndTargetsAreToldOf) {
  Dataset data = rows_of(300, 5);
  Matrix x = data.x;
  x.row(1).setConstant(7);
  data.x = x;
  const ModelInfo& info = find_model(GetParam());
  Bytes table(data, 100);
  const auto found = fit_by_sums(info, table, "", options_of(info.name), 0, {});
  const std::vector<std::string>& told = found->report().warnings;
  ASSERT_EQ(std::count(told.begin(), told.end(), "input 2 is constant and plays no part"), 1);
  // LSCE tells of its search first, as it does of rows in memory, and a race of its budget.
  if (info.name != "lsce" && info.name != "auto") {
    EXPECT_EQ(told.front(), "input 2 is constant and plays no part");
  }
  data.y = Matrix(Matrix::Constant(1, 300, 2.5));
  Bytes flat(data, 100);
  const std::string stage = info.name == "salscde" ? "SACDE" : info.class_name;  // which looks at the rows first
  EXPECT_EQ(complaint([&] { fit_by_sums(info, flat, "", options_of(info.name), 0, {}); }),
            stage + ": target 1 is constant (2.5 in every row); a distribution without spread has no density");
}

INSTANTIATE_TEST_SUITE_P(Registered, Mergeable, testing::ValuesIn(models_that("sums_over_rows")),
                         [](const auto& own) { return own.param; });

TEST(RowSums, LscdeWithGivenCentresAndWidthsIsTheClosedFormula) {
  const Dataset data = rows_of(500, 6);
  Document options(Document::Object{});
  options.set("centers", Matrix{{1e6, 1e6 + 1, 1e6 - 1}, {0.2, 0.5, 0.8}, {3.0, 3.5, 2.5}});
  options.set("bandwidth", Document(std::vector<double>{0.7})).set("bandwidth_y", Document(std::vector<double>{0.4}));
  options.set("regularization", Document(std::vector<double>{0.01}));
  const ModelInfo& info = find_model("lscde");
  Bytes table(data, 77);
  EXPECT_LT(largest_difference(*fit_by_sums(info, table, "", options, 0, {}), *info.fit(data, "", options, {}), data),
            1e-11);
  EXPECT_EQ(table.passes, 5);  // extent, two of moments, a sample, statistics
}

TEST(RowSums, AMetricOfALargeTableIsTheSameForAnyCut) {
  const Dataset data = rows_of(most_rows_at_once + 500, 11);
  Document options = options_of("lscde");
  options.set("max_centers", Index{30}).set("refine", false);
  options.set("bandwidth", Document(std::vector<double>{0.5, 1}))
      .set("bandwidth_y", Document(std::vector<double>{0.2}));
  const ModelInfo& info = find_model("lscde");
  for (const char* metric : {"auto", "nw"}) {
    if (sanitized && metric != std::string("auto")) continue;  // which asks for the other
    options.set("metric", metric);
    Bytes table(data, 3001);
    const auto plain = info.fit(data, "", options, {});
    const auto found = fit_by_sums(info, table, "", options, 0, {});
    EXPECT_EQ(info.results_of(*plain).at("input_widths"), info.results_of(*found).at("input_widths")) << metric;
    EXPECT_LT(largest_difference(*plain, *found, rows_of(200, 12)), 1e-10) << metric;
  }
}

TEST(RowSums, LsceWithADensityOfItsOwnIsTheSameForAnyCut) {
  const Dataset data = rows_of(1500, 16);
  Document options = options_of("lsce");
  options.set("density", "refit").set("n_components", Document(std::vector<double>{1}));
  if (sanitized) options.set("max_steps", Index{5});
  const ModelInfo& info = find_model("lsce");
  Bytes cut(data, 700);
  Bytes whole(data, 1500);
  const auto a = fit_by_sums(info, cut, "", options, 0, {});
  const auto b = fit_by_sums(info, whole, "", options, 0, {});
  EXPECT_EQ(info.results_of(*a).at("components"), info.results_of(*b).at("components"));
  EXPECT_EQ(a->report().details.at("n_rows_searched").as_integer(), 800);
  EXPECT_LT(largest_difference(*a, *b, rows_of(200, 12)), 1e-10);
}

TEST(RowSums, APassOverProjectedRowsIsThatOfTheRows) {
  const Dataset data = rows_of(50, 17);
  FitReport report;
  Bytes table(data, 20);
  const table_passes::Extent extent = table_passes::extent_of(table);
  const auto scale = table_passes::Scale::of(table, extent, "test", true, report);
  const Matrix w{{0.6, 0.8}};
  ProjectedRows rows(table, scale, w, 2);
  const Dataset own = table_passes::all_rows(rows);
  const Dataset standardized = scale.standardized(data);
  EXPECT_LT((own.x - w * standardized.x / 2).cwiseAbs().maxCoeff(), 1e-14);
  EXPECT_EQ(Matrix(own.y), Matrix(standardized.y));
  Document pass = Document::Object{{"pass", "project"},
                                   {"scale", scale.to_document()},
                                   {"components", Matrix(Matrix::Ones(1, 3))},
                                   {"factor", 1.0},
                                   {"inside", Document::Object{{"pass", "rows"}}}};
  EXPECT_EQ(complaint<FormatError>([&] { accumulate(pass, data, 0, {}); }),
            "a pass over the rows: 'components' is 1 x 3, expected some x 2");
  pass.set("components", w).set("factor", 0.0);
  EXPECT_EQ(complaint<FormatError>([&] { accumulate(pass, data, 0, {}); }),
            "a pass over the rows: 'factor' is 0, expected a number > 0");
}

TEST(RowSums, LscdeLearnsFromFurtherRowsByItsSums) {
  const Dataset data = rows_of(600, 10);
  Document options(Document::Object{});
  options.set("centers", Matrix{{1e6, 1e6 + 1, 1e6 - 1}, {0.2, 0.5, 0.8}, {3.0, 3.5, 2.5}})
      .set("standardize", false)
      .set("defensive_weight", 0.0);
  options.set("bandwidth", Document(std::vector<double>{0.7})).set("bandwidth_y", Document(std::vector<double>{0.4}));
  options.set("regularization", Document(std::vector<double>{0.01}));
  const ModelInfo& info = find_model("lscde");
  std::vector<Index> first(200);
  std::iota(first.begin(), first.end(), Index{0});
  const auto begun = info.fit(data.subset(first), "", options, {});
  const auto* learner = capability<LearnsFromSums>(*begun);
  ASSERT_NE(learner, nullptr);
  const auto model_of = [&](Index begin, Index end, double older) {
    Document state = accumulate(learner->closing_pass(), data.subset(first), 0, {});
    std::vector<Index> rows;
    for (Index i = begin; i < end; ++i) rows.push_back(i);
    state = merge_states(scaled_state(state, older), accumulate(learner->closing_pass(), data.subset(rows), begin, {}));
    return learner->finished(state);
  };
  EXPECT_LT(largest_difference(*model_of(200, 600, 1), *info.fit(data, "", options, {}), data), 1e-10);
  Dataset weighted = data;
  weighted.weights = Vector::Constant(600, 4);
  weighted.weights.head(200).setConstant(1);
  EXPECT_LT(largest_difference(*model_of(200, 600, 0.25), *info.fit(weighted, "", options, {}), data), 1e-10);
  EXPECT_EQ(model_of(200, 600, 0.25)->report().details.at("n_rows").as_integer(), 450);
}

class Learning : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Registered, Learning, testing::ValuesIn(models_that("learns_from_sums")),
                         [](const auto& own) { return own.param; });

TEST_P(Learning, LearnsFromFurtherRowsWhereverTheyAreCut) {
  const Dataset data = rows_of(900, 16);
  const Dataset further = rows_of(700, 17);
  const auto model = fit_model(find_model(GetParam()), data, "", options_of(GetParam()), {});
  const auto* learner = capability<LearnsFromSums>(*model);
  ASSERT_NE(learner, nullptr);
  const Document pass = learner->closing_pass();
  Bytes whole(further, 700);
  Bytes cut(further, 33);
  const Document state = merge_states(accumulate(pass, data, 0, {}), whole.total(pass));
  const Document of_blocks = merge_states(accumulate(pass, data, 0, {}), cut.total(pass));
  const auto learned = learner->finished(state);
  EXPECT_LT(largest_difference(*learned, *learner->finished(of_blocks), data), 1e-10);
  EXPECT_GT(largest_difference(*learned, *model, data), 1e-4);
  EXPECT_EQ(learned->report().details.at("n_rows").as_integer(), 1600);
  for (const int threads : {2, 7}) {
    const Document own = merge_states(accumulate(pass, data, 0, {.threads = threads, .observer = {}}),
                                      accumulate(pass, further, 0, {.threads = threads, .observer = {}}));
    EXPECT_EQ(own, state);
  }
  // From a file, too, and again from what it has learned.
  const auto read = load_density(save_density(*learned));
  EXPECT_EQ(save_density(*capability<LearnsFromSums>(*read)->finished(state)),
            save_density(*capability<LearnsFromSums>(*learned)->finished(state)));
  EXPECT_THROW(learner->finished(Document::Object{{"sum", Document::Object{}}}), FormatError);
  EXPECT_THROW(learner->finished(scaled_state(state, 0)), NumericalError);
}

TEST(RowSums, ASampleIsTheSameForAnyCut) {
  const Dataset data = rows_of(1000, 7);
  Bytes whole(data, 1000);
  Bytes cut(data, 33);
  const table_passes::Sample a = table_passes::sample_of(whole, 50, 9);
  const table_passes::Sample b = table_passes::sample_of(cut, 50, 9);
  EXPECT_EQ(a.places, b.places);
  EXPECT_EQ(a.places, sample_of_places(1000, 50, 9));
  EXPECT_EQ(Matrix(a.rows.x), Matrix(data.x(Eigen::all, a.places)));
  EXPECT_EQ(Matrix(b.rows.y), Matrix(data.y(Eigen::all, a.places)));
}

TEST(RowSums, FoldsOfPlacesAreBalancedAndKnownToEveryPart) {
  const std::vector<Index> all = assign_folds(20000, 7, 3);
  for (Index k = 0; k < 7; ++k) EXPECT_NEAR(static_cast<double>(std::count(all.begin(), all.end(), k)), 20000 / 7.0, 1);
  const std::vector<Index> part = folds_of_places(12345, 100, 7, 3);
  EXPECT_TRUE(std::equal(part.begin(), part.end(), all.begin() + 12345));
  EXPECT_NE(all, assign_folds(20000, 7, 4));
}

TEST(RowSums, WhatAModelCannotDoIsSaid) {
  const Dataset data = rows_of(60, 8);
  Bytes table(data, 20);
  EXPECT_EQ(complaint([&] { fit_by_sums(find_model("kqr"), table, "", {}, 10, {}); }).substr(0, 82),
            "KernelQuantileRegression: is no sum over rows and needs all 60 of them in memory; ");
  Document options(Document::Object{});
  options.set("cv", Document(std::vector<double>{0, 1, 0}));
  Document many(Document::Object{});
  many.set("cv", Document(std::vector<double>{70}));
  for (const std::string name : {"lscde", "lsce"}) {
    const ModelInfo& info = find_model(name);
    EXPECT_EQ(
        complaint([&] { fit_by_sums(info, table, "", options, 0, {}); }),
        info.class_name +
            ": cv has 3 numbers, expected a number of folds: rows that are not in memory get theirs by their places");
    EXPECT_EQ(complaint([&] { fit_by_sums(info, table, "", many, 0, {}); }),
              info.class_name + ": cv = 70, expected 2 to 60 folds");
  }
  Document by_folds(Document::Object{});
  by_folds.set("selection", "cv");
  EXPECT_EQ(
      complaint([&] { fit_by_sums(find_model("gmm"), table, "", by_folds, 0, {}); }),
      "GMM: selection = cv needs the rows in memory, expected bic, or one number of components of one covariance");
  Document unknown(Document::Object{});
  unknown.set("pass", "none");
  EXPECT_THROW(accumulate(unknown, data, 0, {}), FormatError);
}

/// A document with every matrix changed.
Document changed_matrices(const Document& part, const std::function<Matrix(const Matrix&)>& change) {
  if (const auto* matrix = std::get_if<Matrix>(&part.value())) return change(*matrix);
  if (const auto* array = std::get_if<Document::Array>(&part.value())) {
    Document::Array out;
    for (const Document& own : *array) out.push_back(changed_matrices(own, change));
    return out;
  }
  if (!std::holds_alternative<Document::Object>(part.value())) return part;
  Document out = part;
  for (const auto& [key, own] : part.as_object()) out.set(key, changed_matrices(own, change));
  return out;
}

Matrix without_a_row(const Matrix& matrix) { return matrix.topRows(std::max<Index>(0, matrix.rows() - 1)); }

/// A table of which one answer has other matrices, or, before that, the question has. Without a damage it writes down
/// what it was asked.
class Damaged final : public RowSums {
 public:
  enum class What { nothing, answer, question };
  using Change = std::function<Matrix(const Matrix&)>;

  Damaged(const Dataset& data, What what, std::size_t pass = 0, Change change = without_a_row)
      : RowSums(data.x.rows(), data.y.rows()),
        blocks_(data, 20, run_),
        what_(what),
        pass_(pass),
        change_(std::move(change)) {}
  Document total(const Document& pass) override {
    kinds.push_back(kind_of(pass));
    if (what_ == What::nothing || kinds.size() != pass_ + 1) return blocks_.total(pass);
    if (what_ == What::question) return blocks_.total(changed_matrices(pass, change_));
    return changed_matrices(blocks_.total(pass), change_);
  }

  /// Of every pass so far: its name and those of the passes within it, with the names of their parts.
  std::vector<std::string> kinds;

 private:
  static std::string kind_of(const Document& pass) {
    std::string out = pass.at("pass").as_string();
    for (const auto& [key, own] : pass.as_object()) {
      out += ' ' + key;
      if (key == "inside") out += '(' + kind_of(own) + ')';
    }
    return out;
  }

  Run run_{.threads = 1, .observer = {}};
  BlocksInMemory blocks_;
  What what_;
  std::size_t pass_;
  Change change_;
};

TEST(RowSums, DamagedPassesAndStatesAreRefused) {
  const Dataset data = rows_of(60, 9);
  for (const std::string& model : models_that("sums_over_rows")) {
    Document options = options_of(model);
    if (model == "lscde") options.set("metric", "auto");
    Damaged whole(data, Damaged::What::nothing);
    fit_by_sums(find_model(model), whole, "", options, 0, {});
    std::set<std::string> seen;
    for (std::size_t pass = 0; pass < whole.kinds.size(); ++pass) {
      if (!seen.insert(whole.kinds[pass]).second) continue;  // steps of one optimiser ask the same again and again
      Damaged answer(data, Damaged::What::answer, pass);
      EXPECT_THROW(fit_by_sums(find_model(model), answer, "", options, 0, {}), FormatError)
          << model << ": " << whole.kinds[pass];
      Damaged question(data, Damaged::What::question, pass);
      try {  // a question may have no matrix
        fit_by_sums(find_model(model), question, "", options, 0, {});
      } catch (const FormatError&) {
      }
    }
  }
}

TEST(RowSums, DamagedNumbersAreRefusedOrGiveAModel) {
  const Dataset data = rows_of(60, 9);
  const auto constant = [](double value) {
    return [value](const Matrix& matrix) { return Matrix(Matrix::Constant(matrix.rows(), matrix.cols(), value)); };
  };
  const std::vector<Damaged::Change> changes = {constant(0), constant(-1), constant(1e300), constant(1e-300),
                                                [](const Matrix& matrix) { return Matrix(-matrix); }};
  Index refused = 0;
  for (const std::string& model : models_that("sums_over_rows")) {
    const Document options = options_of(model);
    Damaged whole(data, Damaged::What::nothing);
    fit_by_sums(find_model(model), whole, "", options, 0, {});
    std::set<std::string> seen;
    for (std::size_t pass = 0; pass < whole.kinds.size(); ++pass) {
      if (!seen.insert(whole.kinds[pass]).second) continue;
      for (const Damaged::Change& change : changes) {
        for (const Damaged::What what : {Damaged::What::answer, Damaged::What::question}) {
          Damaged table(data, what, pass, change);
          try {
            const auto found = fit_by_sums(find_model(model), table, "", options, 0, {});
            EXPECT_FALSE(found->log_density(data.x, data.y).hasNaN()) << model << ": " << whole.kinds[pass];
          } catch (const FormatError&) {
            ++refused;
          } catch (const NumericalError&) {
            ++refused;
          } catch (const std::invalid_argument&) {
            ++refused;
          }
        }
      }
    }
  }
  EXPECT_GT(refused, 100);
}

TEST(RowSums, PartsOfAPassAreChecked) {
  const Dataset data = rows_of(60, 9);
  const Document pass = Document::Object{{"pass", "sample"}, {"count", Index{0}}, {"seed", Index{0}}};
  EXPECT_EQ(complaint<FormatError>([&] { accumulate(pass, data, 0, {}); }),
            "a pass over the rows: 'count' is 0, expected 1 to 100000000");
  Document moments = Document::Object{{"pass", "moments"}, {"low", Vector{{1, 2}}}, {"high", Vector{{1, 2, 3}}}};
  EXPECT_EQ(complaint<FormatError>([&] { accumulate(moments, data, 0, {}); }),
            "a pass over the rows: 'low' is 2 x 1, expected 3 x 1");
  moments.set("low", Vector{{0, 0, 0}});
  EXPECT_EQ(complaint([&] { accumulate(moments, data, -3, {}); }),
            "accumulate: first_row = -3, expected the place of the block's first row, >= 0");
  const auto parts = [&](std::string_view name, const Document& value) {
    return Document(Document::Object{{std::string(name), value}});
  };
  EXPECT_EQ(complaint<FormatError>([&] { table_passes::width_of(parts("width_x", 0.0), "width_x"); }),
            "a pass over the rows: 'width_x' is 0, expected a number > 0");
  EXPECT_EQ(complaint<FormatError>([&] {
              table_passes::widths_of(parts("widths_y", Vector{{1, -2}}), "widths_y", 2);
            }),
            "a pass over the rows: 'widths_y' has -2, expected numbers > 0");
  EXPECT_EQ(complaint<FormatError>(
                [&] { table_passes::matrix_of(parts("means", Matrix(3, 0)), "means", 3, table_passes::any_size); }),
            "a pass over the rows: 'means' is 3 x 0, expected 3 x some");
  const Document scale = table_passes::Scale::of(Standardizer::identity(2), Standardizer::identity(1)).to_document();
  EXPECT_EQ(complaint<FormatError>([&] { table_passes::Scale::from_document(scale, 1, 1); }),
            "a pass over the rows: the scale 'x' is of 2 columns, expected 1");
}

TEST(RowSums, ATableInBlocksIsItsRowsInMemory) {
  Dataset data = rows_of(130, 4);
  data.weights = Vector::Ones(130);
  for (Index i = 0; i < 130; i += 9) data.weights[i] = 0;
  std::vector<Index> counted;
  for (Index i = 0; i < 130; ++i) {
    if (data.weights[i] > 0) counted.push_back(i);
  }
  const Dataset left = data.subset(counted);
  const condens::Run run{.threads = 1, .observer = {}};
  for (const std::string& model : models_that("sums_over_rows")) {
    TableOf table(data, 130);  // of one block: weight zero makes blocks shorter than those in memory
    EncodedBlocks rows(table, {.targets = {"y"}, .weight = "w"});
    const int before = table.readings;
    BlocksOfTable kept(rows, 1 << 20, run);
    const auto density = fit_by_sums(find_model(model), kept, "", options_of(model), 0, run);
    EXPECT_EQ(table.readings, before + 1) << model;
    BlocksOfTable read_again(rows, 100, run);
    const auto again = fit_by_sums(find_model(model), read_again, "", options_of(model), 0, run);
    EXPECT_GT(table.readings, before + (model == "auto" ? 2 : 3)) << model;  // that of auto asks for all rows
    BlocksInMemory in_memory(left, 130, run);
    const auto expected = fit_by_sums(find_model(model), in_memory, "", options_of(model), 0, run);
    EXPECT_EQ(largest_difference(*density, *expected, data), 0) << model;
    EXPECT_EQ(largest_difference(*again, *expected, data), 0) << model;
  }
}

TEST(RowSums, WeightsOfNoUseAreRefused) {
  const Document pass = Document::Object{{"pass", "extent"}};
  Dataset data = rows_of(3, 9);
  for (const double bad : {0.0, 1e-101, 2e12}) {
    data.weights = Vector{{1, bad, 1}};
    EXPECT_EQ(complaint([&] { accumulate(pass, data, 0, {}); }),
              message("fit: weights: row 2 (counting from 1) is ", bad,
                      ", expected 1e-100 to 1e+12 where rows are elsewhere"));
  }
  data.weights[1] = -1;
  EXPECT_EQ(
      complaint([&] { Bytes(data, 2); }),
      "BlocksInMemory: weights: there are 3 for 3 rows, or some are below zero or NaN; expected a weight >= 0 for "
      "every row, or none");
  EXPECT_EQ(complaint([&] { accumulate(pass, data, 0, {}); }),
            "fit: weights: row 2 (counting from 1) is -1, expected a finite number >= 0");
}

TEST(RowSums, BadRowsAreNamed) {
  Dataset data = rows_of(60, 9);
  Matrix y = data.y;
  y(0, 41) = std::nan("");
  data.y = y;
  Bytes table(data, 20);
  const std::string said = complaint([&] { fit_by_sums(find_model("gmm"), table, "", {}, 0, {}); });
  EXPECT_NE(said.find("row 2 "), std::string::npos) << said;  // of its block
}

TEST(RowSums, StatesOfDifferentPassesDoNotMerge) {
  const auto state = [](Index k) {
    return Document(Document::Object{{"sum", Document::Object{{"values", Vector(Vector::Zero(k))}}}});
  };
  EXPECT_EQ(merge_states(state(2), state(2)), state(2));
  EXPECT_THROW(merge_states(state(2), state(3)), FormatError);
  EXPECT_THROW(merge_states(state(2), Document::Object{{"low", Document::Object{}}}), FormatError);
  EXPECT_THROW(scaled_state(Document::Object{{"low", Document::Object{}}}, 2), FormatError);
  const auto several = [&](std::vector<Index> sizes) {
    Document::Array states;
    for (const Index k : sizes) states.push_back(state(k));
    return Document(Document::Object{{"each", std::move(states)}});
  };
  EXPECT_EQ(merge_states(several({2, 3}), several({2, 3})), several({2, 3}));
  EXPECT_THROW(merge_states(several({2, 3}), several({2})), FormatError);
  EXPECT_THROW(merge_states(several({2, 3}), several({2, 2})), FormatError);
  EXPECT_THROW(merge_states(several({2}), state(2)), FormatError);
}

}  // namespace
}  // namespace condens::row_sums_test
