#include "condens/data/table_blocks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include "condens/core/errors.hpp"
#include "condens/core/random.hpp"
#include "condens/io/document_format.hpp"
#include "data/middle_numbers.hpp"
#include "data/table_columns.hpp"
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

std::vector<Index> rows_up_to(Index n) {
  std::vector<Index> out(static_cast<std::size_t>(n));
  std::iota(out.begin(), out.end(), Index{0});
  return out;
}

/// One reading of a table in three parts, which travel as bytes.
TableColumns read_in_parts(const Table& table, const TableColumns& columns) {
  const auto sent = [](const TableColumns& own) {
    return TableColumns::from_document(document_from_cbor(document_to_cbor(own.to_document())));
  };
  std::optional<TableColumns> merged;
  for (const auto& [begin, end] : {std::pair<Index, Index>{0, 90}, {90, 91}, {91, table.rows()}}) {
    TableColumns part = sent(columns);
    part.add(part_of(table, begin, end), rows_up_to(end - begin));
    if (merged)
      merged->merge(sent(part));
    else
      merged = sent(part);
  }
  return *merged;
}

TEST(TableColumns, OfPartsAreThoseOfTheWhole) {
  for (const bool gaps : {false, true}) {
    Table table = mixed_table(300, false);
    if (gaps) {  // but of inputs alone
      const Table other = mixed_table(300, true);
      Table holes("mixed.csv");
      for (const Column& column : table.columns())
        holes.add(column.name == "y" ? column : other.at(column.name, "column"));
      table = std::move(holes);
    }
    const EncoderOptions options{.targets = {"y"},
                                 .weight = "weight",
                                 .categorical = {"code"},
                                 .missing = gaps ? MissingInputs::indicator : MissingInputs::error,
                                 .many_levels = ManyLevels::indicators,
                                 .seed = 5};
    TableColumns columns(part_of(table, 0, 0), options);
    int readings = 0;
    for (; !columns.is_complete(); ++readings) {
      columns = read_in_parts(table, columns);
      columns.end_reading();
    }
    EXPECT_EQ(readings, MiddleNumbers::readings);
    EXPECT_EQ(text_of(columns.encoder()), text_of(Encoder::fit(table, options)));
  }
}

/// Levels that are dates in the first block, and other texts in later ones.
TEST(TableColumns, CountLevelsThatLookedLikeDates) {
  Texts values(10, "2024-01-01");
  for (int i = 0; i < 10; ++i) values.push_back(i % 2 == 0 ? "none" : "soon");
  const Table table = with_column({"x", values});
  const EncoderOptions options{.targets = {"y"}};
  CutTable cut(table, 5);
  EncodedBlocks blocks(cut, options);
  EXPECT_EQ(text_of(blocks.encoder()), text_of(Encoder::fit(table, options)));
}

TEST(TableColumns, DamagedDocumentsAreRefused) {
  const Table table = mixed_table(40, false);
  TableColumns columns(part_of(table, 0, 0), {.targets = {"y"}});
  columns.add(table, rows_up_to(40));
  const Document whole = columns.to_document();
  const auto without = [](const Document& document, std::string_view key) {
    Document::Object out;
    for (const auto& [name, value] : document.as_object()) {
      if (name != key) out.emplace_back(name, value);
    }
    return Document(out);
  };
  for (const auto& [name, value] : whole.as_object()) {
    EXPECT_THROW(TableColumns::from_document(without(whole, name)), FormatError) << name;
  }
  const Document column = whole.at("inputs").as_array().front();
  const auto with_first = [&](const Document& first) {
    Document out = whole;
    Document::Array inputs = whole.at("inputs").as_array();
    inputs.front() = first;
    return out.set("inputs", inputs);
  };
  for (const auto& [name, value] : column.as_object()) {
    EXPECT_THROW(TableColumns::from_document(with_first(without(column, name))), FormatError) << name;
  }
  for (const auto& [name, value] : std::vector<std::pair<std::string, Document>>{{"as", 7},
                                                                                 {"there", -1},
                                                                                 {"no_date", Document(Texts{"a"})},
                                                                                 {"range", Vector{{1.0}}},
                                                                                 {"calendar_low", Vector{{1.0}}},
                                                                                 {"level_rows", Vector{{1.0}}}}) {
    Document changed = column;
    EXPECT_THROW(TableColumns::from_document(with_first(changed.set(name, value))), FormatError) << name;
  }
  const Document middle = column.at("middle");
  Document part = middle.at("parts").as_array().front();
  part.set("digits", Vector{{70000.0}});
  part.set("rows", Vector{{1.0}});
  for (const Document& wrong : {Document(Document::Object{{"known", 9}, {"parts", middle.at("parts")}}),
                                Document(Document::Object{{"known", 0}, {"parts", Document::Array{part}}}),
                                Document(Document::Object{{"known", 0}, {"parts", Document::Array{part, part}}})}) {
    EXPECT_THROW(MiddleNumbers::from_document(wrong), FormatError);
  }
  const TableColumns narrow(part_of(table, 0, 0), {.targets = {"y"}, .inputs = Texts{"size"}});
  EXPECT_THROW(columns.merge(narrow), FormatError);
  TableColumns later = TableColumns::from_document(whole);
  later.end_reading();
  EXPECT_THROW(later.merge(columns), FormatError);
}

std::string complaint_of(const Table& table, const EncoderOptions& options, Index rows = 2) {
  return complaint([&] {
    CutTable cut(table, rows);
    EncodedBlocks(cut, options);
  });
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
