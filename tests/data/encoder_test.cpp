#include "condens/data/encoder.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>

#include "condens/core/errors.hpp"
#include "support/complaint.hpp"

namespace condens::encoder_test {
namespace {

using Numbers = std::vector<double>;
using Texts = std::vector<std::string>;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// Four people, lines 2 to 5 of people.csv.
Table people() {
  Table table("people.csv");
  table.add({"age", Numbers{20, 30, 50, 40}});
  table.add({"sex", Texts{"M", "F", "M", "M"}});
  table.add({"city", Texts{"Oslo", "Bern", "Rome", "Bern"}});
  table.add({"zip", Numbers{3, 1, 2, 1}});
  table.add({"w", Numbers{1, 0, 2, 1}});
  table.add({"income", Numbers{10, 20, 30, 40}});
  table.set_lines({2, 3, 4, 5});
  return table;
}

/// The same table with one column replaced.
Table people_with(const Column& column) {
  const Table original = people();
  Table table("people.csv");
  for (const Column& c : original.columns()) table.add(c.name == column.name ? column : c);
  table.set_lines({2, 3, 4, 5});
  return table;
}

std::string fit_complaint(const Table& table, const EncoderOptions& options) {
  return complaint([&] { Encoder::fit(table, options); });
}

const EncoderOptions usual{.targets = {"income"}, .weight = "w"};

TEST(Encoder, EncodesNumbersIndicatorsAndLevels) {
  const Encoder encoder = Encoder::fit(people(), usual);
  EXPECT_EQ(encoder.encoded_names(), (Texts{"age", "sex=M", "city=Bern", "city=Oslo", "city=Rome", "zip"}));
  EXPECT_EQ(encoder.groups(), (std::vector<std::vector<Index>>{{0}, {1}, {2, 3, 4}, {5}}));
  const Dataset data = encoder.encode(people());
  EXPECT_EQ(data.x, (Matrix{{20, 30, 50, 40}, {1, 0, 1, 1}, {0, 1, 0, 1}, {1, 0, 0, 0}, {0, 0, 1, 0}, {3, 1, 2, 1}}));
  EXPECT_EQ(data.y, (Matrix{{10, 20, 30, 40}}));
  EXPECT_EQ(data.weights, (Vector{{1.0, 0.0, 2.0, 1.0}}));
  EXPECT_EQ(data.groups, (std::vector<Index>{0, 1, 2, 2, 2, 3}));
  EXPECT_EQ(data.inputs(), encoder.groups());
}

TEST(Encoder, NumericColumnCanBeNamedCategorical) {
  const Encoder encoder =
      Encoder::fit(people(), {.targets = {"income"}, .inputs = Texts{"zip"}, .categorical = {"zip"}});
  EXPECT_EQ(encoder.encoded_names(), (Texts{"zip=1", "zip=2", "zip=3"}));
  EXPECT_EQ(encoder.encode(people()).x, (Matrix{{0, 1, 0, 1}, {0, 0, 1, 0}, {1, 0, 0, 0}}));
  Table as_text;
  as_text.add({"zip", Texts{"2", "3.0"}});  // the same levels where the column happens to be text
  EXPECT_EQ(encoder.encode_inputs(as_text), (Matrix{{0, 0}, {1, 0}, {0, 1}}));
}

TEST(Encoder, SeveralTargetsAndNoInputs) {
  const Encoder encoder = Encoder::fit(people(), {.targets = {"income", "age"}, .inputs = Texts{}});
  const Dataset data = encoder.encode(people());
  EXPECT_EQ(data.x.rows(), 0);
  EXPECT_EQ(data.x.cols(), 4);
  EXPECT_EQ(data.y, (Matrix{{10, 20, 30, 40}, {20, 30, 50, 40}}));
  EXPECT_EQ(data.weights.size(), 0);
}

TEST(Encoder, PredictionNeedsTheInputsOnly) {
  const Encoder encoder = Encoder::fit(people(), {.targets = {"income"}, .inputs = Texts{"age", "sex"}});
  Table rows("new.csv");
  rows.add({"extra", Texts{"anything"}});
  rows.add({"sex", Texts{"F"}});
  EXPECT_EQ(complaint([&] { encoder.encode_inputs(rows); }),
            "new.csv: there is no input column 'age'; the columns are extra, sex");
  rows.add({"age", Numbers{33}});
  EXPECT_EQ(encoder.encode_inputs(rows), (Matrix{{33}, {0}}));
  EXPECT_EQ(complaint([&] { encoder.encode(rows); }),
            "new.csv: there is no target column 'income'; the columns are extra, sex, age");
}

TEST(Encoder, ScoringUsesWeightsWhereTheyAre) {
  const Encoder encoder = Encoder::fit(people(), {.targets = {"income"}, .inputs = Texts{"age"}, .weight = "w"});
  Table rows("new.csv");
  rows.add({"age", Numbers{33}});
  rows.add({"income", Numbers{5}});
  EXPECT_EQ(encoder.encode(rows).weights.size(), 0);
  rows.add({"w", Numbers{2}});
  EXPECT_EQ(encoder.encode(rows).weights, (Vector{{2.0}}));
}

TEST(Encoder, NamesUnseenLevels) {
  const Encoder encoder = Encoder::fit(people(), {.targets = {"income"}, .inputs = Texts{"sex"}});
  EXPECT_EQ(complaint([&] {
              encoder.encode_inputs(people_with({"sex", Texts{"M", "F", "X", "M"}}));
            }),
            "people.csv:4: column 'sex' is 'X', a level that the training data did not have; known levels: F, M; "
            "correct it, or drop such rows (--drop-missing)");
}

TEST(Encoder, TellsRowsThatCanBeEncodedFromOthers) {
  const Encoder encoder = Encoder::fit(people(), {.targets = {"income"}, .inputs = Texts{"age", "sex"}});
  Table rows("new.csv");
  rows.add({"sex", Texts{"F", "X", "", "M", "Z", "F"}});
  rows.add({"age", Numbers{1, 2, 3, 4, nan, nan}});
  rows.add({"income", Numbers{nan, 0, 0, 0, 0, 0}});
  const EncodableRows found = encoder.encodable_rows(rows, false);
  EXPECT_EQ(found.rows, (std::vector<Index>{0, 3}));
  EXPECT_EQ(found.missing, 3);
  EXPECT_EQ(found.unknown_levels, 1);
  EXPECT_EQ(found.trouble,
            "new.csv: 3 rows have missing values: line 3, 5, 6 (the first in column 'sex'); new.csv:2: column 'sex' is "
            "'X', a level that the training data did not have; known levels: F, M");
  EXPECT_EQ(encoder.encode_inputs(rows, found.rows), (Matrix{{1, 4}, {0, 1}}));
  EXPECT_EQ(encoder.encodable_rows(rows, true).rows, (std::vector<Index>{3}));
  EXPECT_EQ(encoder.encode(rows, true).size(), 1);
  EXPECT_EQ(encoder.encodable_rows(people(), true).trouble, "");
}

TEST(Encoder, RolesMustNotOverlap) {
  EXPECT_EQ(fit_complaint(people(), {}), "no target column given; name at least one of age, sex, city, zip, w, income");
  EXPECT_EQ(fit_complaint(people(), {.targets = {"incom"}}),
            "people.csv: there is no target column 'incom'; the columns are age, sex, city, zip, w, income; did you "
            "mean 'income'?");
  EXPECT_EQ(fit_complaint(people(), {.targets = {"age", "age"}}), "column 'age' is listed twice as target");
  EXPECT_EQ(fit_complaint(people(), {.targets = {"age"}, .inputs = Texts{"zip", "age"}}),
            "column 'age' is both target and input");
  EXPECT_EQ(fit_complaint(people(), {.targets = {"age"}, .inputs = Texts{"zip", "zip"}}),
            "column 'zip' is listed twice as input");
  EXPECT_EQ(fit_complaint(people(), {.targets = {"age"}, .inputs = Texts{"zap"}}),
            "people.csv: there is no input column 'zap'; the columns are age, sex, city, zip, w, income; did you mean "
            "'zip'?");
  EXPECT_EQ(fit_complaint(people(), {.targets = {"age"}, .weight = "age"}), "column 'age' is both target and weight");
  EXPECT_EQ(fit_complaint(people(), {.targets = {"age"}, .inputs = Texts{"w"}, .weight = "w"}),
            "column 'w' is both weight and input");
  EXPECT_EQ(fit_complaint(people(), {.targets = {"age"}, .inputs = Texts{"zip"}, .categorical = {"sex"}}),
            "categorical column 'sex' is not among the inputs");
  EXPECT_EQ(fit_complaint(people(), {.targets = {"age"}, .excluded = {"age"}}),
            "column 'age' is both target and excluded");
  EXPECT_EQ(fit_complaint(people(), {.targets = {"age"}, .excluded = {"w"}, .weight = "w"}),
            "column 'w' is both weight and excluded");
  EXPECT_EQ(fit_complaint(people(), {.targets = {"age"}, .inputs = Texts{"zip"}, .excluded = {"zip"}}),
            "column 'zip' is both input and excluded");
  EXPECT_EQ(fit_complaint(people(), {.targets = {"age"}, .excluded = {"zip", "zip"}}),
            "column 'zip' is listed twice as excluded");
  EXPECT_EQ(fit_complaint(people(), {.targets = {"age"}, .excluded = {"zap"}}),
            "people.csv: there is no excluded column 'zap'; the columns are age, sex, city, zip, w, income; did you "
            "mean 'zip'?");
}

TEST(Encoder, ExcludedColumnsAreNoInputs) {
  for (const MissingInputs missing : {MissingInputs::error, MissingInputs::indicator}) {
    const EncoderOptions options{.targets = {"income"}, .excluded = {"zip", "city"}, .weight = "w", .missing = missing};
    EXPECT_EQ(names_of(Encoder::fit(people(), options).input_columns()), (Texts{"age", "sex"}));
  }
}

TEST(Encoder, NamesTextWhereNumbersAreNeeded) {
  EXPECT_EQ(fit_complaint(people(), {.targets = {"sex"}}), "people.csv:2: column 'sex' is 'M', expected a number");
  EXPECT_EQ(fit_complaint(people_with({"income", Texts{"1", "2", "many", "4"}}), usual),
            "people.csv:4: column 'income' is 'many', expected a number");
  const Encoder encoder = Encoder::fit(people(), usual);
  EXPECT_EQ(complaint([&] {
              encoder.encode_inputs(people_with({"age", Texts{"1", "young", "2", "3"}}));
            }),
            "people.csv:3: column 'age' is 'young', expected a number");
}

TEST(Encoder, RefusesInputsThatMixNumbersAndTexts) {
  const Table table = people_with({"age", Texts{"1", "2", "3+", "1"}});
  EXPECT_EQ(fit_complaint(table, usual),
            "people.csv:4: column 'age' is '3+', expected a number as in other rows; correct it, or name the column "
            "as categorical");
  const Encoder encoder = Encoder::fit(table, {.targets = {"income"}, .inputs = Texts{"age"}, .categorical = {"age"}});
  EXPECT_EQ(encoder.encoded_names(), (Texts{"age=1", "age=2", "age=3+"}));
}

TEST(Encoder, RefusesDecimalCommas) {
  const Table table = people_with({"age", Texts{"1,5", "", "-2,25", "0,5e3"}});
  EncoderOptions dropping = usual;
  dropping.drop_missing = true;
  EXPECT_EQ(fit_complaint(table, dropping),
            "people.csv:2: column 'age' is '1,5', expected a number with a decimal point; correct the column, or name "
            "it as categorical");
  EXPECT_EQ(fit_complaint(table, {.targets = {"age"}, .drop_missing = true}),
            "people.csv:2: column 'age' is '1,5', expected a number with a decimal point");
  const Encoder encoder = Encoder::fit(people_with({"age", Texts{"1,5", "1,5", "2,5", "1,5,2"}}), usual);
  EXPECT_EQ(encoder.input_columns()[0].levels.size(), 3U);
}

TEST(Encoder, NamesMissingAndInfiniteValues) {
  EXPECT_EQ(fit_complaint(people_with({"age", Numbers{1, nan, 3, nan}}), usual),
            "people.csv: 2 rows have missing values: line 3, 5 (the first in column 'age'); fill them in, "
            "drop such rows (--drop-missing), or keep them (--missing model or --missing indicator)");
  EXPECT_EQ(fit_complaint(people_with({"sex", Texts{"M", "F", "F", ""}}), usual),
            "people.csv: 1 row has missing values: line 5 (the first in column 'sex'); fill them in, "
            "drop such rows (--drop-missing), or keep them (--missing model or --missing indicator)");
  EXPECT_EQ(fit_complaint(people_with({"zip", Numbers{1, 2, -infinity, 4}}), usual),
            "people.csv:4: column 'zip' is -inf, expected a finite number");
  Table many;
  many.add({"y", Numbers(8, nan)});
  EXPECT_EQ(fit_complaint(many, {.targets = {"y"}}),
            "8 rows have missing values: row 1, 2, 3, 4, 5, ... (the first in column 'y'); fill them in, or "
            "drop such rows");
  EXPECT_EQ(fit_complaint(many, {.targets = {"y"}, .drop_missing = true}),
            "every row has missing values, so none is left");
  Table none("none.csv");
  none.add({"y", Numbers{}});
  EXPECT_EQ(fit_complaint(none, {.targets = {"y"}}), "none.csv: no rows, expected at least one");
}

TEST(Encoder, DropsRowsWithMissingValuesOnDemand) {
  const Table table = people_with({"city", Texts{"Oslo", "", "Rome", "Rome"}});
  EncoderOptions options = usual;
  options.drop_missing = true;
  const Encoder encoder = Encoder::fit(table, options);
  const Dataset data = encoder.encode(table, true);
  EXPECT_EQ(data.size(), 3);
  EXPECT_EQ(data.y, (Matrix{{10, 30, 40}}));
  EXPECT_EQ(encoder.input_columns()[2].levels, (Texts{"Oslo", "Rome"}));
  EXPECT_NE(complaint([&] { encoder.encode(table); }), "");
}

TEST(Encoder, MissingValuesInOtherColumnsDoNotMatter) {
  const Table table = people_with({"city", Texts{"Oslo", "", "Rome", "Rome"}});
  EXPECT_EQ(fit_complaint(table, {.targets = {"income"}, .inputs = Texts{"age"}}), "");
}

TEST(Encoder, NamesBadWeights) {
  EXPECT_EQ(fit_complaint(people_with({"w", Numbers{1, 1, -2, 1}}), usual),
            "people.csv:4: weight 'w' is -2, expected a number >= 0");
  EXPECT_EQ(fit_complaint(people_with({"w", Numbers{0, 0, 0, 0}}), usual),
            "people.csv: the weights in column 'w' are all zero, expected a positive one");
  EXPECT_EQ(fit_complaint(people(), {.targets = {"age"}, .weight = "ww"}).substr(0, 43),
            "people.csv: there is no weight column 'ww';");
}

TEST(Encoder, KeepsRangesAndTypicalValues) {
  const Encoder encoder = Encoder::fit(people(), usual);
  const EncodedColumn& age = encoder.input_columns()[0];
  EXPECT_EQ(age.low, 20);
  EXPECT_EQ(age.typical, 35);
  EXPECT_EQ(age.high, 50);
  EXPECT_EQ(encoder.input_columns()[1].typical_level, "M");
  EXPECT_EQ(encoder.input_columns()[2].typical_level, "Bern");
  EXPECT_EQ(encoder.targets()[0].typical, 25);
}

TEST(Encoder, RangesOfExtremeNumbersAreInOrder) {
  for (const double size : {5e-324, 1.7e308}) {
    const Encoder encoder = Encoder::fit(people_with({"age", Numbers(4, size)}), usual);
    EXPECT_EQ(encoder.input_columns()[0].typical, size);
    EXPECT_EQ(Encoder::from_document(encoder.to_document()).to_document(), encoder.to_document());
  }
}

TEST(Encoder, NamesConstantInputs) {
  EXPECT_TRUE(Encoder::fit(people(), usual).constant_inputs().empty());
  EXPECT_EQ(Encoder::fit(people_with({"age", Numbers{5, 5, 5, 5}}), usual).constant_inputs(), (Texts{"age"}));
  const Encoder encoder = Encoder::fit(people_with({"sex", Texts{"F", "F", "F", "F"}}), usual);
  EXPECT_EQ(encoder.constant_inputs(), (Texts{"sex"}));
  EXPECT_EQ(encoder.encoded_names()[1], "sex=F");
  EXPECT_EQ(encoder.encode(people_with({"sex", Texts{"F", "F", "F", "F"}})).x.row(1), Vector::Zero(4).transpose());
}

TEST(Encoder, WarnsOfManyLevels) {
  const auto warnings = [](const std::string& name, const Texts& levels, std::size_t copies) {
    Table table;
    Texts texts;
    for (std::size_t k = 0; k < copies; ++k) texts.insert(texts.end(), levels.begin(), levels.end());
    const std::size_t n = texts.size();
    table.add({name, std::move(texts)});
    table.add({"y", Numbers(n, 1.0)});
    const EncoderOptions options{.targets = {"y"}, .categorical = {name}, .many_levels = ManyLevels::indicators};
    return Encoder::fit(table, options).warnings(static_cast<Index>(n));
  };
  const auto named = [](std::size_t n, const std::string& stem) {
    Texts out;
    for (std::size_t i = 0; i < n; ++i) out.push_back(stem + std::to_string(1000 + i));
    return out;
  };
  EXPECT_TRUE(warnings("ten", named(10, "a"), 1).empty());  // few levels, however rare
  EXPECT_TRUE(warnings("fifty", named(50, "a"), 5).empty());
  const Texts ids = warnings("id", named(60, "u"), 1);
  ASSERT_EQ(ids.size(), 1U);
  EXPECT_EQ(ids[0].find("input 'id' has 60 levels in 60 rows, each a column of its own: nearly every row"), 0U)
      << ids[0];
  const Texts rare = warnings("zip", named(11, "z"), 4);
  ASSERT_EQ(rare.size(), 1U);
  EXPECT_NE(rare[0].find("'zip' has 11 levels in 44 rows"), std::string::npos) << rare[0];
  EXPECT_NE(rare[0].find("group the rare ones"), std::string::npos) << rare[0];
  const Texts many = warnings("city", named(51, "c"), 20);
  ASSERT_EQ(many.size(), 1U);
  EXPECT_NE(many[0].find("'city' has 51 levels in 1020 rows"), std::string::npos) << many[0];
  const std::vector<std::pair<const char*, const char*>> forms = {
      {"2024-01-", ""}, {"", ".1.24"}, {"1/", "/2024"}, {"2024/1/", " 12:30"}, {"2024-03-", "T12:30:00Z"}};
  for (const auto& [before, after] : forms) {
    Texts days;
    for (int day = 10; day < 30; ++day) days.push_back(before + std::to_string(day) + after);
    const Texts found = warnings("day", days, 1);
    ASSERT_EQ(found.size(), 1U);
    EXPECT_NE(found[0].find("they are dates; split them into year, month"), std::string::npos) << found[0];
  }
}

/// The second age and the first city are missing.
Table gappy_people() {
  Table table("people.csv");
  table.add({"age", Numbers{20, nan, 50, 40}});
  table.add({"city", Texts{"", "Bern", "Rome", "Bern"}});
  table.add({"zip", Numbers{3, 1, 2, 1}});
  table.add({"income", Numbers{10, 20, 30, 40}});
  table.set_lines({2, 3, 4, 5});
  return table;
}

TEST(Encoder, MarksMissingInputs) {
  const Table table = gappy_people();
  EXPECT_NE(complaint([&] { Encoder::fit(table, {.targets = {"income"}}); }).find("missing values: line 2, 3"),
            std::string::npos);
  const Encoder encoder = Encoder::fit(table, {.targets = {"income"}, .missing = MissingInputs::indicator});
  EXPECT_EQ(encoder.missing(), MissingInputs::indicator);
  EXPECT_EQ(encoder.encoded_names(),
            (Texts{"age", "city=(missing)", "city=Bern", "city=Rome", "zip", "age missing=yes"}));
  EXPECT_EQ(encoder.column_of_rows(), (std::vector<Index>{0, 1, 1, 1, 2, 0}));
  EXPECT_EQ(encoder.group_of_rows(), (std::vector<Index>{0, 1, 1, 1, 2, 3}));
  Matrix expected(6, 4);
  expected << 20, 40, 50, 40,  // 40 is the median of the others
      1, 0, 0, 0,              //
      0, 1, 0, 1,              //
      0, 0, 1, 0,              //
      3, 1, 2, 1,              //
      0, 1, 0, 0;
  EXPECT_EQ(Matrix(encoder.encode(table).x), expected);
  EXPECT_TRUE(encoder.encodable_rows(table, true).trouble.empty());
  EXPECT_EQ(Encoder::from_document(encoder.to_document()).to_document(), encoder.to_document());
  EXPECT_EQ(Matrix(Encoder::from_document(encoder.to_document()).encode(table).x), expected);
}

TEST(Encoder, FillsWhatWasCompleteInTraining) {
  const Encoder encoder = Encoder::fit(
      people(), {.targets = {"income"}, .inputs = Texts{"age", "city"}, .missing = MissingInputs::indicator});
  EXPECT_EQ(encoder.encoded_names(), (Texts{"age", "city=Bern", "city=Oslo", "city=Rome"}));
  Matrix expected(4, 4);
  expected << 20, 35, 50, 40,  //
      1, 1, 0, 1,              // Bern is the most frequent
      0, 0, 0, 0,              //
      0, 0, 1, 0;
  EXPECT_EQ(encoder.encode_inputs(gappy_people()), expected);
  EXPECT_EQ(
      encoder.filled_without_mark(gappy_people()),
      (Texts{"people.csv:3: 'age' is missing, which it never was in training; its median stands in, as in every "
             "such row",
             "people.csv:2: 'city' is missing, which it never was in training; its most frequent level stands in, "
             "as in every such row"}));
  EXPECT_TRUE(encoder.filled_without_mark(people()).empty());
}

TEST(Encoder, MarksNeitherTargetsNorTakenNames) {
  Table table = gappy_people();
  table.add({"age missing", Numbers{1, 2, 3, 4}});
  const EncoderOptions options{.targets = {"income"}, .missing = MissingInputs::indicator};
  EXPECT_EQ(complaint([&] { Encoder::fit(table, options); }),
            "column 'age missing' has the name of the mark of missing values in 'age'; rename it");
  Table target("t.csv");
  target.add({"x", Numbers{1, 2}});
  target.add({"income", Numbers{1, nan}});
  EXPECT_NE(complaint([&] { Encoder::fit(target, options); }).find("the first in column 'income'"), std::string::npos);
  Document document = Encoder::fit(gappy_people(), options).to_document();
  document.set("missing", "often");
  EXPECT_EQ(complaint<FormatError>([&] { Encoder::from_document(document); }),
            "encoder: missing is none of indicator, model");
}

TEST(Encoder, LeavesMissingInputsToTheModel) {
  const Table table = gappy_people();
  const Encoder encoder = Encoder::fit(table, {.targets = {"income"}, .missing = MissingInputs::model});
  EXPECT_EQ(encoder.encoded_names(), (Texts{"age", "city=Rome", "zip"}));
  const Matrix x = encoder.encode(table).x;
  const Matrix again = Encoder::from_document(encoder.to_document()).encode(table).x;
  for (const Matrix& own : {x, again}) {
    EXPECT_TRUE(std::isnan(own(0, 1)));
    EXPECT_TRUE(std::isnan(own(1, 0)));
    EXPECT_EQ(Vector(own.row(2).transpose()), (Vector{{3, 1, 2, 1}}));
    EXPECT_EQ(own.array().isNaN().count(), 2);
  }
  EXPECT_TRUE(encoder.encodable_rows(table, true).trouble.empty());
  EXPECT_TRUE(encoder.filled_without_mark(table).empty());
  Table empty("t.csv");
  empty.add({"x", Numbers{nan, nan}});
  empty.add({"income", Numbers{1, 2}});
  EXPECT_EQ(complaint([&] { Encoder::fit(empty, {.targets = {"income"}, .missing = MissingInputs::model}); }),
            "t.csv: input 'x' is missing in every row, expected a value in some; leave it out");
}

TEST(Encoder, GenericNamesForArrays) {
  const Encoder one = Encoder::generic(2, 1);
  EXPECT_EQ(one.encoded_names(), (Texts{"x1", "x2"}));
  EXPECT_EQ(one.targets()[0].name, "y");
  EXPECT_EQ(Encoder::generic(0, 2).targets()[1].name, "y2");
  const Encoder with_ranges = Encoder::generic(Dataset{.x = Matrix{{1, 5, 2}}, .y = Matrix{{7, 8, 9}}});
  EXPECT_EQ(with_ranges.input_columns()[0].typical, 2);
  EXPECT_EQ(with_ranges.input_columns()[0].high, 5);
  EXPECT_EQ(with_ranges.targets()[0].low, 7);
}

TEST(Encoder, RoundTripsThroughADocument) {
  const Encoder encoder = Encoder::fit(people(), usual);
  const Encoder again = Encoder::from_document(encoder.to_document());
  EXPECT_EQ(again.to_document(), encoder.to_document());
  EXPECT_EQ(again.encode(people()).x, encoder.encode(people()).x);
}

TEST(Encoder, RefusesBrokenDocuments) {
  const auto with_input = [](const Document& input) {
    Document out = Encoder::generic(1, 1).to_document();
    return out.set("inputs", Document::Array{input});
  };
  const auto column = [](const std::vector<std::string>& levels, const char* typical) {
    Document out;
    return out.set("name", "a").set("levels", Document(levels)).set("typical", typical);
  };
  EXPECT_NO_THROW(Encoder::from_document(with_input(column({"a", "b"}, "b"))));
  EXPECT_THROW(Encoder::from_document(with_input(column({"b", "a"}, "b"))), FormatError);
  EXPECT_THROW(Encoder::from_document(with_input(column({"a", "a"}, "a"))), FormatError);
  EXPECT_THROW(Encoder::from_document(with_input(column({"a", "b"}, "c"))), FormatError);
  EXPECT_THROW(Encoder::from_document(with_input(column({}, "c"))), FormatError);
  EXPECT_THROW(Encoder::from_document(with_input(3.0)), FormatError);
  EXPECT_THROW(Encoder::from_document(Encoder::generic(1, 0).to_document()), FormatError);
  Document reversed;
  reversed.set("name", "a").set("low", 2.0).set("typical", 1.0).set("high", 3.0);
  EXPECT_THROW(Encoder::from_document(with_input(reversed)), FormatError);
}

}  // namespace
}  // namespace condens::encoder_test
