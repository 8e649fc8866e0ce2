// The window of a table that is elsewhere: the sketch of its rows, the bound on what that changes, and its widths.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "condens/core/random.hpp"
#include "condens/data/folds.hpp"
#include "condens/estimators/parzen.hpp"
#include "condens/io/document_format.hpp"
#include "condens/registry.hpp"
#include "model/cells.hpp"
#include "support/complaint.hpp"
#include "support/cut_tables.hpp"
#include "support/normals.hpp"
#include "support/sanitized.hpp"

namespace condens::parzen_table_test {
namespace {

using cut_tables::largest_difference;

Dataset two_branches(Index n, Index d_x, Index d_y, std::uint64_t seed = 1) {
  RandomStream random(seed);
  Matrix x = normals(d_x, n, random);
  Matrix y(d_y, n);
  for (Index i = 0; i < n; ++i) {
    for (Index k = 0; k < d_y; ++k) {
      const double branch = random.uniform() < 0.5 ? -1.0 : 1.0;
      y(k, i) = branch + (d_x > 0 ? std::sin(2 * x(0, i)) : 0.0) + 0.2 * random.normal();
    }
  }
  return {.x = std::move(x), .y = std::move(y)};
}

Parzen fit_table(const Dataset& data, const ParzenOptions& options, Index rows_of_block = 1000, int threads = 1) {
  const Run run{.threads = threads, .observer = {}};
  BlocksInMemory table(data, rows_of_block, run);
  return Parzen::fit(table, options, run);
}

double detail(const Parzen& model, std::string_view name) { return model.report().details.at(name).as_number(); }

/// Half of the integral of |p - q| at each x over y of one or two columns, by a fine grid.
Vector total_variation(const Parzen& p, const Parzen& q, const Matrix& x, double reach, Index steps) {
  const Index d = p.n_targets();
  const Index points = d == 1 ? steps : steps * steps;
  const double step = 2 * reach / static_cast<double>(steps - 1);
  Matrix y(d, points);
  for (Index i = 0; i < points; ++i) {
    const Index line = i / steps;
    y(0, i) = -reach + step * static_cast<double>(i - line * steps);
    if (d == 2) y(1, i) = -reach + step * static_cast<double>(line);
  }
  Vector out(x.cols());
  for (Index j = 0; j < x.cols(); ++j) {
    const Matrix at = x.col(j).replicate(1, points);
    const Vector difference = p.log_density(at, y).array().exp() - q.log_density(at, y).array().exp();
    out[j] = 0.5 * difference.cwiseAbs().sum() * std::pow(step, static_cast<double>(d));
  }
  return out;
}

/// The same widths in memory and elsewhere.
ParzenOptions of_width(double width, Index cells) {
  return {.bandwidth = {width}, .sketch_cells = cells, .defensive_weight = 0.0, .standardize = false};
}

TEST(ParzenTable, AnyCutGivesTheSameSketch) {
  const Dataset data = two_branches(2000, 2, 1);
  const Dataset fresh = two_branches(100, 2, 1, 2);
  const ParzenOptions options{.width_rows = 300, .sketch_cells = 400};
  const Parzen whole = fit_table(data, options, 2000);
  EXPECT_LE(whole.n_kernels(), 400);
  EXPECT_GT(whole.n_kernels(), 40);
  EXPECT_EQ(detail(whole, "n_kernels"), static_cast<double>(whole.n_kernels()));
  EXPECT_EQ(detail(whole, "n_rows"), 2000);
  for (const Index rows_of_block : {1, 3, 7, 1000}) {
    const Parzen cut = fit_table(data, options, rows_of_block);
    EXPECT_EQ(cut.bandwidths(), whole.bandwidths());
    EXPECT_EQ(cut.n_kernels(), whole.n_kernels());
    EXPECT_LT(largest_difference(cut, whole, fresh), 1e-10) << rows_of_block;
  }
  for (const int threads : {2, 7}) {
    EXPECT_EQ(fit_table(data, options, 700, threads).to_document(), fit_table(data, options, 700).to_document());
  }
}

TEST(ParzenTable, TheBoundHoldsAndIsNotIdle) {
  for (const Index d_y : {1, 2}) {
    const Dataset data = two_branches(d_y == 1 ? 3000 : 1500, 0, d_y);
    for (const Index cells : {1000, 40, 5}) {
      const ParzenOptions options = of_width(0.2, cells);
      const Parzen sketch = fit_table(data, options);
      const Parzen all = Parzen::fit(data, options);
      const double bound = detail(sketch, "total_variation_bound");
      const double found = total_variation(sketch, all, Matrix(0, 1), 3.5, d_y == 1 ? 2001 : 141)[0];
      EXPECT_LE(found, bound) << d_y << ' ' << cells;
      if (bound < 1) {
        EXPECT_GT(found, 0.05 * bound) << d_y << ' ' << cells;
      }
      EXPECT_EQ(sketch.report().warnings.size(), bound > 0.01 ? 1U : 0U);
    }
  }
  // Edges of an eighth of a width, in cells of many rows: phi(1) / 12 / 64.
  const Parzen fine = fit_table(two_branches(3000, 0, 1), of_width(0.4, 500));
  EXPECT_EQ(detail(fine, "sketch_edge"), 0.125);
  EXPECT_NEAR(detail(fine, "total_variation_bound"), 0.000315, 0.00003);
}

TEST(ParzenTable, TheBoundIsToldInWords) {
  const Parzen model = fit_table(two_branches(3000, 0, 2), of_width(0.2, 20));
  ASSERT_EQ(model.report().warnings.size(), 1U);
  const std::string& told = model.report().warnings[0];
  const std::string before =
      message("the 3000 rows share ", model.n_kernels(), " kernels, in cells of ", detail(model, "sketch_edge"),
              " widths: the density may differ from that of a kernel at every row by ");
  ASSERT_EQ(told.substr(0, before.size()), before);
  std::size_t digits = 0;
  const double bound = std::stod(told.substr(before.size()), &digits);
  EXPECT_LE(digits, 4U);  // 0.xx
  EXPECT_GE(bound, detail(model, "total_variation_bound"));
  EXPECT_LT(bound, detail(model, "total_variation_bound") + 0.011);
  EXPECT_EQ(told.substr(before.size() + digits),
            " in total variation, of at most 1; more sketch_cells, a larger bandwidth or fewer columns make that less");
}

TEST(ParzenTable, ConditionalDensitiesDifferByTwiceTheBoundAtMost) {
  const Dataset data = two_branches(2500, 1, 1);
  const ParzenOptions options = of_width(0.3, 120);
  const Parzen sketch = fit_table(data, options);
  const Parzen all = Parzen::fit(data, options);
  // A mean over draws of x from the window of all rows.
  RandomStream random(5);
  Matrix x = data.x.leftCols(100);
  for (double& value : x.reshaped()) value += 0.3 * random.normal();
  const double found = total_variation(sketch, all, x, 5, 401).mean();
  EXPECT_LE(found, 2 * detail(sketch, "total_variation_bound"));
  EXPECT_GT(found, 0);
  const Parzen fine = fit_table(data, of_width(0.3, 2400));
  EXPECT_LT(detail(fine, "n_kernels"), 2400);
  EXPECT_LT(largest_difference(fine, all, two_branches(50, 1, 1, 3)), 0.02);
  EXPECT_EQ(fine.predict(x.leftCols(3)).size(), 3);
}

TEST(ParzenTable, AsManyRowsAsCellsStayWhereTheyAre) {
  const Dataset data = two_branches(1200, 1, 1);
  const Dataset fresh = two_branches(100, 1, 1, 2);
  const Parzen all = Parzen::fit(data, of_width(0.3, 1200));
  const Parzen found = fit_table(data, of_width(0.3, 1200), 77);
  EXPECT_EQ(found.n_kernels(), 1200);
  EXPECT_LT(largest_difference(found, all, fresh), 1e-12);
  EXPECT_EQ(found.report().details.find("total_variation_bound"), nullptr);
  EXPECT_EQ(fit_table(data, of_width(1e-90, 1200), 77).n_kernels(), 1200);
  EXPECT_EQ(fit_table(data, of_width(1e90, 1200), 77).n_kernels(), 1200);
}

TEST(ParzenTable, CopiesOfFewPointsAreExact) {
  const Dataset points = two_branches(25, 1, 1);
  const Dataset fresh = two_branches(100, 1, 1, 2);
  Dataset data{.x = points.x.replicate(1, 80), .y = points.y.replicate(1, 80)};
  for (const Index cells : {1000, 5000}) {
    const ParzenOptions options = of_width(0.3, cells);
    const Parzen sketch = fit_table(data, options, 33);
    EXPECT_EQ(sketch.n_kernels(), 25);
    EXPECT_LT(largest_difference(sketch, Parzen::fit(data, options), fresh), 1e-12);
    if (cells == 1000) {
      EXPECT_EQ(detail(sketch, "total_variation_bound"), 0);
    }
  }
  // Learned widths are those of so many points, not of so many rows: a sample shows that there are no others.
  const ParzenOptions learned{.width_rows = 500, .sketch_cells = 1000};
  EXPECT_NEAR(fit_table(data, learned).bandwidths()[0] / Parzen::fit(data, learned).bandwidths()[0], 1, 0.2);
}

TEST(ParzenTable, CopiesInALargeTableMoveNoWidth) {
  const Dataset few = two_branches(900, 2, 1, 31);
  const Index n = most_rows_at_once + 1000;
  Matrix x(2, n);
  Matrix y(1, n);
  for (Index i = 0; i < n; ++i) {  // most rows are copies of some, as where numbers are rounded
    x.col(i) = few.x.col(i % 900);
    y.col(i) = few.y.col(i % 900);
    if (i % 5 == 0) y(0, i) += static_cast<double>(i) * 1e-5;
  }
  const Dataset data{.x = std::move(x), .y = std::move(y)};
  for (const Index width_rows : {500, 1500}) {
    if (sanitized && width_rows != 500) continue;
    const ParzenOptions options{.width_rows = width_rows};
    EXPECT_LT(largest_difference(Parzen::fit(data, options, {}), fit_table(data, options), few), 1e-10) << width_rows;
  }
}

TEST(ParzenTable, WeightsAreCopies) {
  const Dataset data = two_branches(900, 1, 1);
  Dataset weighted = data;
  weighted.weights = Vector::Ones(900);
  weighted.weights.head(200).setConstant(2);
  weighted.weights.tail(100).setZero();
  Dataset copies;
  Matrix x(1, 1000);
  Matrix y(1, 1000);
  x << data.x.leftCols(800), data.x.leftCols(200);
  y << data.y.leftCols(800), data.y.leftCols(200);
  copies.x = x;
  copies.y = y;
  const Dataset fresh = two_branches(100, 1, 1, 2);
  const ParzenOptions options = of_width(0.3, 200);
  EXPECT_LT(largest_difference(fit_table(weighted, options), fit_table(copies, options), fresh), 1e-11);
  EXPECT_GT(largest_difference(fit_table(weighted, options), fit_table(data, options), fresh), 1e-3);
}

TEST(ParzenTable, WidthsAreThoseOfManyRowsInMemory) {
  const Dataset data = two_branches(most_rows_at_once + 2000, 1, 1);
  for (const ParzenOptions& options : {ParzenOptions{.width_rows = 600}, ParzenOptions{.cv = {5}, .width_rows = 600},
                                       ParzenOptions{.bandwidth = {0.1, 0.2, 0.4}, .width_rows = 600},
                                       ParzenOptions{.scoring = Scoring::squared, .width_rows = 600}}) {
    const Parzen here = Parzen::fit(data, options);
    const Parzen there = fit_table(data, options, 3333);
    EXPECT_EQ(detail(there, "n_rows_compared"), 600);
    EXPECT_EQ(detail(there, "score"), detail(here, "score"));
    EXPECT_EQ(there.bandwidths(), here.bandwidths());
    EXPECT_LT(largest_difference(there, here, two_branches(100, 1, 1, 2)), 1e-10);
  }
}

TEST(ParzenTable, ANumberThatTheSampleDoesNotHaveMovesNoWidth) {
  Dataset data = two_branches(most_rows_at_once + 1000, 0, 1);
  const ParzenOptions options{.width_rows = 500};
  const Parzen plain = Parzen::fit(data, options);
  const std::vector<Index> drawn = sample_of_places(data.size(), 500, 0);
  Index outside = 0;
  while (std::binary_search(drawn.begin(), drawn.end(), outside)) ++outside;
  Matrix y = data.y;
  y(0, outside) = 1e9;  // a mark of what is missing
  data.y = y;
  const Dataset fresh = two_branches(100, 0, 1, 2);
  const Parzen here = Parzen::fit(data, options);
  EXPECT_LT(largest_difference(plain, here, fresh), 0.01);
  EXPECT_LT(largest_difference(plain, fit_table(data, options), fresh), 0.01);
}

TEST(ParzenTable, WhatATableCannotGiveIsSaid) {
  const Dataset data = two_branches(most_rows_at_once + 5, 0, 1);
  const Parzen model = fit_table(data, {.bandwidth = {0.1, 0.4}, .width_rows = 0});
  EXPECT_EQ(model.report().warnings.front(),
            "width_rows = 0: of a table that is elsewhere 15000 of 15005 rows choose the widths; give width_rows for "
            "another number of them");
  const Dataset few = two_branches(50, 0, 1);
  const auto told = [&](const ParzenOptions& options) { return complaint([&] { fit_table(few, options); }); };
  EXPECT_EQ(told({.cv = {0, 1, 0}}),
            "Parzen: cv has 3 numbers, expected a number of folds: rows that are not in memory get theirs by their "
            "places");
  EXPECT_EQ(told({.cv = {70}}), "Parzen: cv = 70, expected 2 to 50 folds");
  EXPECT_EQ(told({.sketch_cells = 0}), "Parzen: sketch_cells = 0, expected a whole number >= 1");
  EXPECT_EQ(told({.shape = ParzenShapeChoice::diagonal, .bandwidth = {1, 2}}),
            "Parzen: bandwidth has 2 numbers, expected none (learned), one, or one for each of the 1 columns");
  for (const bool merge : {true, false}) {
    EXPECT_EQ(told({.width_rows = 1, .merge_copies = merge}),
              "Parzen: all 1 rows that choose the widths are equal, expected two that differ; give a larger "
              "width_rows, or bandwidth");
  }
}

TEST(ParzenTable, CellsAreThoseOfAllPointsForAnyCut) {
  RandomStream random(3);
  const Matrix points = 1000 * (normals(2, 500, random).array() + 8);
  const Vector weights = Vector::LinSpaced(500, 0.1, 2);
  for (const Index limit : {1, 2, 17, 100, 1000}) {
    const Cells whole = Cells::of(points, weights, limit);
    EXPECT_LE(whole.keys.cols(), limit);
    Cells cut = Cells::of(points.leftCols(13), weights.head(13), limit);
    for (Index i = 13; i < 500; ++i) {
      const Document part = Cells::of(points.col(i), weights.segment(i, 1), limit).to_document();
      cut = Cells::merged(cut, Cells::from_document(part));
    }
    EXPECT_EQ(cut.level, whole.level);
    EXPECT_EQ(cut.keys, whole.keys);
    EXPECT_LT((cut.weights - whole.weights).cwiseAbs().maxCoeff(), 1e-10);
    EXPECT_LT((cut.means - whole.means).cwiseAbs().maxCoeff(), 1e-12);
    EXPECT_LT((cut.squares - whole.squares).cwiseAbs().maxCoeff(), 1e-10);
    // Means and squares by their definition.
    std::map<std::pair<double, double>, std::vector<Index>> rows;
    const double edge = std::ldexp(1.0, static_cast<int>(whole.level));
    for (Index i = 0; i < 500; ++i) {
      rows[{std::floor(points(0, i) / edge), std::floor(points(1, i) / edge)}].push_back(i);
    }
    ASSERT_EQ(std::ssize(rows), whole.keys.cols());
    const Matrix places = whole.places();
    Index c = 0;
    for (const auto& [key, own] : rows) {
      const Vector share = weights(own) / weights(own).sum();
      const Vector mean = points(Eigen::all, own) * share;
      const double square = (points(Eigen::all, own).colwise() - mean).cwiseAbs2().colwise().sum() * weights(own);
      EXPECT_LT((places.col(c) - mean).cwiseAbs().maxCoeff(), 1e-9);
      EXPECT_NEAR(whole.squares[c] * edge * edge, square, 1e-8 * (1 + square));
      ++c;
    }
  }
}

TEST(ParzenTable, DamagedCellsAreRefused) {
  const Cells cells = Cells::of(Matrix{{0.5, 1.5, 7}, {2, 2.5, 0}}, Vector::Ones(3), 10);
  const Document good = cells.to_document();
  EXPECT_EQ(Cells::from_document(good).keys, (Matrix{{0, 1, 7}, {2, 2, 0}}));
  const auto refused = [&](std::string_view name, const Document& value) {
    Document bad = good;
    bad.set(name, value);
    return complaint<FormatError>([&] { Cells::from_document(bad); });
  };
  const std::string no_fit =
      "a pass over the rows: 'cells' have parts that do not fit together, or are more than their limit";
  for (const char* name : {"keys", "weights", "means", "squares"}) {
    EXPECT_EQ(refused(name, Matrix(2, 0)), no_fit) << name;
    EXPECT_EQ(refused(name, Matrix(Matrix::Ones(2, 2))), no_fit) << name;
  }
  EXPECT_EQ(refused("limit", Index{2}), no_fit);
  EXPECT_EQ(refused("level", Index{-1}), "a pass over the rows: 'cells' are of level -1, expected 0 to 64");
  EXPECT_EQ(refused("level", Index{65}), "a pass over the rows: 'cells' are of level 65, expected 0 to 64");
  const std::string keys = "a pass over the rows: 'cells' have keys that are no rising whole numbers from 0 to 2^52";
  EXPECT_EQ(refused("keys", Matrix{{0, 1, 1}, {2, 2, 2}}), keys);
  EXPECT_EQ(refused("keys", Matrix{{0, 1, 7}, {2, 2, -1}}), keys);
  EXPECT_EQ(refused("keys", Matrix{{0, 1, 7.5}, {2, 2, 0}}), keys);
  EXPECT_EQ(refused("keys", Matrix{{0, 1, 1e300}, {2, 2, 0}}), keys);
  const std::string range = "a pass over the rows: 'cells' have weights, means or squares out of their range";
  EXPECT_EQ(refused("weights", Vector{{1, 0, 1}}), range);
  EXPECT_EQ(refused("squares", Vector{{1, -1, 1}}), range);
  EXPECT_EQ(refused("means", Matrix{{0, 1, 2}, {0, 0, 0}}), range);

  const auto state = [](const Cells& own) { return Document(Document::Object{{"cells", own.to_document()}}); };
  EXPECT_EQ(merge_states(state(cells), state(cells)), state(Cells::merged(cells, cells)));
  Cells other = cells;
  other.limit = 11;
  EXPECT_THROW(merge_states(state(cells), state(other)), FormatError);
  EXPECT_THROW(merge_states(state(cells), state(Cells::of(Matrix{{0.5, 1.5}}, Vector::Ones(2), 10))), FormatError);
  EXPECT_THROW(scaled_state(state(cells), 2), FormatError);
}

TEST(ParzenTable, DamagedPassesAreRefused) {
  const Dataset data = two_branches(60, 1, 1);
  /// A table that remembers the last pass, or answers it with rows of one column.
  class Watched final : public RowSums {
   public:
    explicit Watched(const Dataset& rows) : RowSums(1, 1), blocks_(rows, 20, run_) {}
    Document total(const Document& pass) override {
      last = pass;
      if (!answer_narrow || pass.at("pass").as_string() != "parzen") return blocks_.total(pass);
      return Document::Object{{"cells", Cells::of(Matrix{{0.5, 1.5}}, Vector::Ones(2), 10).to_document()}};
    }
    Document last;
    bool answer_narrow = false;

   private:
    condens::Run run_{.threads = 1, .observer = {}};
    BlocksInMemory blocks_;
  };
  Watched table(data);
  Parzen::fit(table, of_width(0.3, 30), {});
  const Document pass = document_from_cbor(document_to_cbor(table.last));
  const auto refused = [&](std::string_view name, const Document& value) {
    Document bad = pass;
    bad.set(name, value);
    return complaint<FormatError>([&] { accumulate(bad, data, 0, {}); });
  };
  EXPECT_EQ(refused("low", Vector{{0}}), "a pass over the rows: 'low' is 1 x 1, expected 2 x 1");
  EXPECT_EQ(refused("edges", Vector{{1, 0}}), "a pass over the rows: 'edges' has 0, expected numbers > 0");
  EXPECT_EQ(refused("limit", Index{0}), "a pass over the rows: 'limit' is 0, expected 1 to 100000000");
  const std::string outside =
      "a pass over the rows: 'cells' do not cover the rows: expected rows within the ends that the table told before";
  EXPECT_EQ(refused("low", Vector{{0, 0}}), outside);
  EXPECT_EQ(refused("edges", Vector{{1, 1e-300}}), outside);
  table.answer_narrow = true;
  EXPECT_EQ(complaint<FormatError>([&] { Parzen::fit(table, of_width(0.3, 30), {}); }),
            "a pass over the rows: 'cells' are of 1 columns, expected 2");
}

}  // namespace
}  // namespace condens::parzen_table_test
