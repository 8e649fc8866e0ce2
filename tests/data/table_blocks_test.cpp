#include "condens/data/table_blocks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "condens/core/random.hpp"
#include "condens/io/document_format.hpp"
#include "data/middle_numbers.hpp"
#include "support/complaint.hpp"

namespace condens::table_blocks_test {
namespace {

using Numbers = std::vector<double>;
using Texts = std::vector<std::string>;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// Rows [begin, end) as a file in blocks gives them: a column is of numbers where all that are there in the block are.
Table part_of(const Table& table, Index begin, Index end) {
  Table out(table.source());
  for (const Column& column : table.columns()) {
    Numbers numbers;
    Texts texts;
    bool numeric = true;
    for (Index row = begin; row < end; ++row) {
      texts.push_back(column.is_missing(row) ? "" : column.level(row));
      const auto number = parse_number(texts.back());
      numbers.push_back(number.value_or(nan));
      numeric = numeric && (number || texts.back().empty());
    }
    if (numeric)
      out.add({column.name, std::move(numbers)});
    else
      out.add({column.name, std::move(texts)});
  }
  std::vector<Index> lines;
  for (Index row = begin; row < end; ++row) lines.push_back(table.line(row));
  out.set_lines(std::move(lines));
  return out;
}

class CutTable final : public TableBlocks {
 public:
  CutTable(const Table& table, Index rows) : table_(table), rows_(rows) {}
  Table header() const override { return part_of(table_, 0, 0); }
  void read(const std::function<void(const Table& block)>& visit) override {
    for (Index at = 0; at < table_.rows(); at += rows_) visit(part_of(table_, at, std::min(table_.rows(), at + rows_)));
  }

 private:
  const Table& table_;
  Index rows_;
};

/// Numbers, dates, levels (few, many, rare and in digits), weights and a target; `gaps` are missing values of each.
Table mixed_table(Index rows, bool gaps) {
  RandomStream random(7);
  const Texts colours{"red", "green", "blue"};
  Numbers size, code, weight, y;
  Texts colour, street, sold, seen;
  std::vector<Index> lines;
  for (Index i = 0; i < rows; ++i) {
    const auto missing = [&] { return gaps && random.below(9) == 0; };
    size.push_back(missing() ? nan : random.normal());
    code.push_back(static_cast<double>(random.below(4)));
    weight.push_back(random.below(5) == 0 ? 0.0 : random.uniform());
    y.push_back(gaps && random.below(15) == 0 ? nan : random.normal());
    colour.push_back(missing() ? "" : colours[static_cast<std::size_t>(random.below(3))]);
    street.push_back("street " + std::to_string(random.below(random.below(2) == 0 ? 3 : 40)));
    sold.push_back(missing() ? ""
                             : "2024-0" + std::to_string(1 + random.below(3)) + "-1" + std::to_string(random.below(9)));
    seen.push_back("2024-01-01T0" + std::to_string(random.below(9)) + ":30");
    lines.push_back(2 + 3 * i);
  }
  Table out("mixed.csv");
  out.add({"sold", std::move(sold)});
  out.add({"size", std::move(size)});
  out.add({"colour", std::move(colour)});
  out.add({"code", std::move(code)});
  out.add({"street", std::move(street)});
  out.add({"seen", std::move(seen)});
  out.add({"weight", std::move(weight)});
  out.add({"y", std::move(y)});
  out.set_lines(std::move(lines));
  return out;
}

std::string text_of(const Encoder& encoder) { return document_to_json(encoder.to_document(), "encoder"); }

/// Blocks side by side.
Dataset joined(EncodedBlocks& blocks) {
  std::vector<Dataset> parts;
  blocks.read([&](const Dataset& block) { parts.push_back(block); });
  Index n = 0;
  for (const Dataset& part : parts) n += part.size();
  Matrix x(parts.front().x.rows(), n), y(parts.front().y.rows(), n);
  Vector weights(parts.front().weights.size() == 0 ? 0 : n);
  Index at = 0;
  for (const Dataset& part : parts) {
    x.middleCols(at, part.size()) = part.x;
    y.middleCols(at, part.size()) = part.y;
    if (weights.size() > 0) weights.segment(at, part.size()) = part.weights;
    at += part.size();
  }
  Dataset out{.x = std::move(x), .y = std::move(y)};
  out.weights = std::move(weights);
  out.groups = parts.front().groups;
  return out;
}

Dataset with_weight(const Dataset& data) {
  std::vector<Index> rows;
  for (Index i = 0; i < data.size(); ++i) {
    if (data.weights.size() == 0 || data.weights[i] > 0) rows.push_back(i);
  }
  return data.subset(rows);
}

/// The same encoder and the same numbers, to the bit, however the table is cut.
void expect_as_whole(const Table& table, const EncoderOptions& options) {
  const Encoder whole = Encoder::fit(table, options);
  const Dataset expected = with_weight(whole.encode_training(table, options.drop_missing));
  for (const Index rows : {Index{1}, Index{17}, table.rows()}) {
    CutTable cut(table, rows);
    EncodedBlocks blocks(cut, options);
    EXPECT_EQ(text_of(blocks.encoder()), text_of(whole)) << "in blocks of " << rows;
    EXPECT_EQ(blocks.size() + blocks.dropped(), table.rows());
    const Dataset found = joined(blocks);
    EXPECT_EQ(Matrix(found.x), Matrix(expected.x)) << "in blocks of " << rows;
    EXPECT_EQ(Matrix(found.y), Matrix(expected.y));
    EXPECT_EQ(found.weights, expected.weights);
    EXPECT_EQ(found.groups, expected.groups);
  }
}

TEST(EncodedBlocks, AreTheWholeTable) {
  const Table table = mixed_table(300, false);
  expect_as_whole(table, {.targets = {"y"}});
  expect_as_whole(table, {.targets = {"y"}, .weight = "weight", .categorical = {"code", "seen"}, .seed = 3});
  expect_as_whole(table, {.targets = {"y", "size"}, .inputs = Texts{"street", "sold"}, .weight = "weight"});
  expect_as_whole(table, {.targets = {"y"}, .many_levels = ManyLevels::indicators, .rare_levels = 6});
  expect_as_whole(table, {.targets = {"y", "size"}, .inputs = Texts{}});
}

TEST(EncodedBlocks, AreTheWholeTableWithMissingValues) {
  const Table table = mixed_table(300, true);
  expect_as_whole(table, {.targets = {"y"}, .weight = "weight", .drop_missing = true});
  // Without gaps in y: Encoder::fit takes medians of inputs over rows without a target, too.
  Table complete = part_of(mixed_table(400, true), 0, 400);
  std::vector<Index> rows;
  for (Index row = 0; row < complete.rows(); ++row) {
    if (!complete.at("y", "target").is_missing(row)) rows.push_back(row);
  }
  Table kept("mixed.csv");
  for (const Column& column : complete.columns()) {
    Numbers numbers;
    Texts texts;
    for (const Index row : rows) {
      if (column.is_numeric())
        numbers.push_back(column.numbers()[static_cast<std::size_t>(row)]);
      else
        texts.push_back(column.texts()[static_cast<std::size_t>(row)]);
    }
    if (column.is_numeric())
      kept.add({column.name, std::move(numbers)});
    else
      kept.add({column.name, std::move(texts)});
  }
  expect_as_whole(kept, {.targets = {"y"}, .weight = "weight", .missing = MissingInputs::indicator});
  expect_as_whole(kept,
                  {.targets = {"y"}, .inputs = Texts{"size", "sold", "colour"}, .missing = MissingInputs::indicator});
}

std::string complaint_of(const Table& table, const EncoderOptions& options, Index rows = 2) {
  return complaint([&] {
    CutTable cut(table, rows);
    EncodedBlocks(cut, options);
  });
}

Table with_column(const Column& column) {
  Table out("t.csv");
  out.add(column);
  Numbers y(static_cast<std::size_t>(column.size()));
  for (std::size_t i = 0; i < y.size(); ++i) y[i] = static_cast<double>(i);
  out.add({"y", std::move(y)});
  std::vector<Index> lines;
  for (Index i = 0; i < column.size(); ++i) lines.push_back(2 + i);
  out.set_lines(std::move(lines));
  return out;
}

/// What is wrong is said as of the whole table, with its place.
void expect_same_complaint(const Column& column, const EncoderOptions& options = {.targets = {"y"}}) {
  const Table table = with_column(column);
  const std::string expected = complaint([&] { Encoder::fit(table, options); });
  EXPECT_NE(expected, "");
  for (const Index rows : {Index{1}, Index{2}, Index{100}}) EXPECT_EQ(complaint_of(table, options, rows), expected);
}

TEST(EncodedBlocks, RefuseWhatTheWholeTableRefuses) {
  expect_same_complaint({"x", Texts{"1", "2", "three", "4", "five"}});
  expect_same_complaint({"x", Texts{"1", "2", "2024-01-01", "4"}});
  expect_same_complaint({"x", Texts{"1,5", "2,5", "3,5"}});
  Texts dates(30, "2024-01-01");
  dates[20] = "soon";
  expect_same_complaint({"x", dates});
  dates[20] = "7";
  expect_same_complaint({"x", dates});
  expect_same_complaint({"x", Numbers{1, 2, std::numeric_limits<double>::infinity(), 3}});
  expect_same_complaint({"x", Numbers{nan, nan, nan}}, {.targets = {"y"}, .drop_missing = true});
  expect_same_complaint({"x", Numbers{1, 2, 3}}, {.targets = {"z"}});
  expect_same_complaint({"x", Numbers{1, 2, 3}}, {.targets = {"y"}, .rare_levels = -1});
  expect_same_complaint({"w", Numbers{0, 0, 0}}, {.targets = {"y"}, .weight = "w"});
  expect_same_complaint({"w", Numbers{1, -1, 0}}, {.targets = {"y"}, .weight = "w"});
}

TEST(EncodedBlocks, SayWhereAValueIsMissing) {
  EXPECT_EQ(complaint_of(with_column({"x", Numbers{1, 2, 3, nan, 4}}), {.targets = {"y"}}),
            "t.csv: 1 row has missing values: line 5 (the first in column 'x'); fill them in, drop such rows "
            "(--drop-missing), or keep them (--missing model or --missing indicator)");
  EXPECT_EQ(
      complaint_of(with_column({"x", Numbers{nan, nan}}), {.targets = {"y"}, .missing = MissingInputs::indicator}),
      "input 'x' is missing in every row, expected a value in some; leave it out");
}

TEST(EncodedBlocks, RefuseNamesOfRowsAndWhatNeedsAllRows) {
  Texts names;
  for (int i = 0; i < 100'002; ++i) names.push_back("n" + std::to_string(i));
  EXPECT_EQ(complaint_of(with_column({"id", std::move(names)}), {.targets = {"y"}}, 1000),
            "column 'id' has more than 100000 levels, as names of rows do; leave it out");
  EXPECT_EQ(complaint_of(with_column({"x", Numbers{1, nan}}), {.targets = {"y"}, .missing = MissingInputs::model}),
            "missing = model, expected error or indicator for a table that is read in blocks");
  Table taken = with_column({"x", Numbers{1, nan, 2}});
  taken.add({"x missing", Numbers{1, 2, 3}});
  EXPECT_EQ(complaint_of(taken, {.targets = {"y"}, .missing = MissingInputs::indicator}),
            complaint([&] { Encoder::fit(taken, {.targets = {"y"}, .missing = MissingInputs::indicator}); }));
}

/// A row more from the fifth reading on.
class ChangingTable final : public TableBlocks {
 public:
  Table header() const override { return with_column({"x", Numbers{}}); }
  void read(const std::function<void(const Table& block)>& visit) override {
    visit(with_column({"x", Numbers(readings_++ < MiddleNumbers::readings ? 15 : 16, 2.5)}));
  }

 private:
  int readings_ = 0;
};

TEST(EncodedBlocks, NoticeThatTheTableHasChanged) {
  ChangingTable table;
  EncodedBlocks blocks(table, {.targets = {"y"}});
  EXPECT_EQ(complaint([&] { blocks.read([](const Dataset&) {}); }),
            "the table has changed while it was read; expected one that stays as it is");
}

TEST(MiddleNumbers, AreThoseOfSortedNumbers) {
  RandomStream random(1);
  for (const Index n : {Index{1}, Index{2}, Index{3}, Index{10}, Index{1001}, Index{5000}}) {
    for (const double scale : {1.0, 1e-300, 1e300, 0.0}) {
      Numbers values;
      for (Index i = 0; i < n; ++i) values.push_back(scale * (random.below(4) == 0 ? 0.5 : random.normal()));
      MiddleNumbers middle;
      for (int reading = 0; reading < MiddleNumbers::readings; ++reading) {
        for (const double value : values) middle.add(value);
        middle.end_reading();
      }
      std::sort(values.begin(), values.end());
      EXPECT_EQ(middle.lower(), values[static_cast<std::size_t>((n - 1) / 2)]);
      EXPECT_EQ(middle.upper(), values[static_cast<std::size_t>(n / 2)]);
    }
  }
}

TEST(MiddleNumbers, NoticeOtherNumbers) {
  MiddleNumbers middle;
  for (const double value : {1.0, 2.0, 3.0}) middle.add(value);
  middle.end_reading();
  middle.add(-5.0);
  EXPECT_EQ(complaint([&] { middle.end_reading(); }),
            "the table has changed while it was read; expected one that stays as it is");
}

}  // namespace
}  // namespace condens::table_blocks_test
