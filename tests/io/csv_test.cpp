#include "condens/io/csv.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <locale>
#include <sstream>
#include <stdexcept>

namespace condens::csv_test {
namespace {

using Numbers = std::vector<double>;
using Texts = std::vector<std::string>;

Table parse(std::string_view text, const CsvOptions& options = {}) { return parse_csv(text, "t.csv", options); }

std::string complaint(std::string_view text, const CsvOptions& options = {}) {
  try {
    parse(text, options);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

TEST(Csv, ReadsNumbersAndTexts) {
  const Table t = parse("a,b\n1,x\n +2.5 , y z \n1e5,\"q\"\n");
  EXPECT_EQ(t.at("a", "").numbers(), (Numbers{1, 2.5, 1e5}));
  EXPECT_EQ(t.at("b", "").texts(), (Texts{"x", "y z", "q"}));
  EXPECT_EQ(t.place(2), "t.csv:4");
}

TEST(Csv, ReadsQuotedFields) {
  const Table t = parse("\"a, b\",c\n\"one \"\"two\"\"\", 1\n\"line\nbreak\", \"2\" \nlast,3\n");
  EXPECT_EQ(t.at("a, b", "").texts(), (Texts{"one \"two\"", "line\nbreak", "last"}));
  EXPECT_EQ(t.at("c", "").numbers(), (Numbers{1, 2, 3}));
  EXPECT_EQ(t.line(1), 3);
  EXPECT_EQ(t.line(2), 5);  // the second row spans two lines
}

TEST(Csv, LineEndingsByteOrderMarkAndBlankEnd) {
  for (const char* text : {"a,b\n1,2\n3,4", "a,b\r\n1,2\r\n3,4\r\n", "a,b\r1,2\r3,4\r",
                           "\xEF\xBB\xBF"
                           "a,b\n1,2\n3,4\n\n  \n\r\n"}) {
    const Table t = parse(text);
    EXPECT_EQ(t.at("a", "").numbers(), (Numbers{1, 3})) << text;
    EXPECT_EQ(t.at("b", "").numbers(), (Numbers{2, 4})) << text;
  }
}

TEST(Csv, DetectsTheSeparator) {
  EXPECT_EQ(parse("a;b\n1;2\n").columns().size(), 2);
  EXPECT_EQ(parse("a\tb\n1\t2\n").columns().size(), 2);
  EXPECT_EQ(parse("\"a;;;\",b\n1,2\n").columns().size(), 2);
  EXPECT_EQ(parse("a\n1\n").columns().size(), 1);
  EXPECT_EQ(parse("a|b\n1|2\n", {.separator = '|'}).columns().size(), 2);
  EXPECT_FALSE(parse("a;b\n1,5;2\n").at("a", "").is_numeric());  // a decimal comma is not guessed
}

TEST(Csv, SkipsCommentsOnDemand) {
  const Table t = parse("# head\na,b\n# inside\n1,2\n3,4\n#end", {.comment = '#'});
  EXPECT_EQ(t.at("a", "").numbers(), (Numbers{1, 3}));
  EXPECT_EQ(t.line(0), 4);
  EXPECT_EQ(parse("a\n#1\n").at("a", "").texts(), (Texts{"#1"}));
}

TEST(Csv, MissingMarks) {
  const Table t = parse("a,b\n1,x\n,\nNA,NA\nNaN,NaN\nnan,nan\nnull,null\n?,?\n\"\",\"\"\n");
  EXPECT_TRUE(t.columns()[0].is_numeric());
  EXPECT_FALSE(t.columns()[1].is_numeric());
  for (Index row = 0; row < 8; ++row) {
    EXPECT_EQ(t.columns()[0].is_missing(row), row > 0) << row;
    EXPECT_EQ(t.columns()[1].is_missing(row), row > 0) << row;
  }
}

TEST(Csv, InfinityIsANumberForTheEncoderToRefuse) {
  EXPECT_EQ(parse("a\ninf\n").at("a", "").numbers()[0], std::numeric_limits<double>::infinity());
}

TEST(Csv, OneTextMakesTheColumnText) {
  const Table t = parse("a\n1\n2x\n3\n");
  EXPECT_EQ(t.at("a", "").texts(), (Texts{"1", "2x", "3"}));
}

TEST(Csv, NamesWhatIsWrong) {
  EXPECT_EQ(complaint("a,b\n1,2\n1,2,3\n"), "t.csv:3: 3 fields, expected 2 as in the header");
  EXPECT_EQ(complaint("a,b\n1\n"), "t.csv:2: 1 field, expected 2 as in the header");
  EXPECT_EQ(complaint("a,b\n\n1,2\n"), "t.csv:2: 1 field, expected 2 as in the header");
  EXPECT_EQ(complaint(""), "t.csv: the file is empty, expected a header and rows");
  EXPECT_EQ(complaint(" \n\n"), "t.csv: the file is empty, expected a header and rows");
  EXPECT_EQ(complaint("a,b\n"), "t.csv: no rows after the header");
  EXPECT_EQ(complaint("1,2\n3,4\n"), "t.csv:1: the first line holds only numbers, expected the names of the columns");
  EXPECT_EQ(complaint("a,b\n1,\"x\n2,y\n"), "t.csv:2: a quoted field begins here and does not end");
  EXPECT_EQ(complaint("a\n\"x\"y\n"),
            "t.csv:2: text after the closing quote of a field; double the quotes inside a quoted field");
  EXPECT_EQ(complaint("a,a\n1,2\n"), "t.csv: two columns are named 'a'; rename one");
  EXPECT_EQ(complaint(",a\n1,2\n"), "t.csv: column 1 has no name; name it, or remove it");
  EXPECT_EQ(complaint("a\nx\n\xE9\n"), "t.csv:3: not a text in UTF-8; save the file as CSV in UTF-8");
  EXPECT_EQ(complaint(std::string_view("a\n\0\n", 4)), "t.csv:2: not a text in UTF-8; save the file as CSV in UTF-8");
  EXPECT_EQ(complaint("PAR1\x15\x04\xFF"),
            "t.csv: is a Parquet file, expected CSV; name the file, from which Python with pyarrow reads it, or write "
            "it as CSV");
  EXPECT_EQ(
      complaint("\x1F\x8B\x08"),
      "t.csv: is a file packed by gzip, expected CSV; unpack it, or unpack it into a pipe and name '-' as the file");
  EXPECT_EQ(complaint(std::string_view("PK\x03\x04\0", 5)),
            "t.csv: is a ZIP archive, as spreadsheets are, expected CSV; write it as CSV in UTF-8");
}

TEST(Csv, MissingFileIsNamed) {
  try {
    read_csv("no/such.csv");
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "no/such.csv: cannot be read: No such file or directory");
  }
}

TEST(Csv, DoesNotDependOnTheLocale) {
  struct Commas : std::numpunct<char> {
    char do_decimal_point() const override { return ','; }
    char do_thousands_sep() const override { return '.'; }
    std::string do_grouping() const override { return "\3"; }
  };
  const std::locale before = std::locale::global(std::locale(std::locale::classic(), new Commas));
  std::ostringstream out;
  CsvWriter(out).field(parse("a\n1234.5\n").at("a", "").numbers()[0]).field(Index{12345}).end_row();
  std::locale::global(before);
  EXPECT_EQ(out.str(), "1234.5,12345\n");
}

TEST(Csv, WritesWhatItReads) {
  Table table;
  table.add({"plain", Numbers{0.1, -0.0, 1e308, 5e-324, std::nan("")}});
  table.add({"needs, \"quotes\"", Texts{"a,b", "say \"x\"", "two\nlines", " spaces ", ""}});
  std::ostringstream out;
  write_csv(out, table);
  const Table again = parse(out.str());
  for (Index row = 0; row < 5; ++row) {
    const auto i = static_cast<std::size_t>(row);
    EXPECT_EQ(again.columns()[1].texts()[i], table.columns()[1].texts()[i]);
    if (row < 4) {
      EXPECT_EQ(again.columns()[0].numbers()[i], table.columns()[0].numbers()[i]);
      EXPECT_EQ(std::signbit(again.columns()[0].numbers()[i]), std::signbit(table.columns()[0].numbers()[i]));
    }
  }
  EXPECT_TRUE(again.columns()[0].is_missing(4));
  EXPECT_EQ(again.columns()[1].name, "needs, \"quotes\"");
}

TEST(Csv, AByteOrderMarkInANameStays) {
  Table table;
  table.add({"\xEF\xBB\xBFname", Numbers{1}});
  std::ostringstream out;
  write_csv(out, table);
  EXPECT_EQ(parse(out.str()).columns()[0].name, "\xEF\xBB\xBFname");
}

TEST(Csv, WriterStreamsRows) {
  std::ostringstream out;
  CsvWriter writer(out, ';');
  writer.row({"a", "b;c"});
  writer.field(0.25).field(Index{7}).end_row();
  EXPECT_EQ(out.str(), "a;\"b;c\"\n0.25;7\n");
}

}  // namespace
}  // namespace condens::csv_test
