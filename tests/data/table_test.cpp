#include "condens/data/table.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

namespace condens::table_test {
namespace {

TEST(Table, ParsesNumbersFromEndToEnd) {
  EXPECT_EQ(parse_number("1.5"), 1.5);
  EXPECT_EQ(parse_number("+1.5"), 1.5);
  EXPECT_EQ(parse_number(" -2 "), -2.0);
  EXPECT_EQ(parse_number("1e5"), 1e5);
  EXPECT_EQ(parse_number(".5"), 0.5);
  EXPECT_EQ(parse_number("5e-324"), 5e-324);
  EXPECT_EQ(parse_number("inf"), infinity);
  for (const char* text : {"", " ", "+", "+-1", "1,5", "1.5x", "0x10", "1 2", "--1", "abc", "1e"}) {
    EXPECT_FALSE(parse_number(text).has_value()) << text;
  }
}

TEST(Table, NumbersOutOfRangeGoToTheirLimits) {
  EXPECT_EQ(parse_number("1e400"), infinity);
  EXPECT_EQ(parse_number("-1e400"), -infinity);
  EXPECT_EQ(parse_number("1e-400"), 0.0);
  EXPECT_EQ(parse_number("0." + std::string(400, '0') + "1"), 0.0);
  EXPECT_EQ(parse_number(std::string(400, '9')), infinity);
}

TEST(Table, FormatsTheShortestDecimal) {
  EXPECT_EQ(format_number(0.1), "0.1");
  EXPECT_EQ(format_number(3), "3");
  EXPECT_EQ(format_number(-std::nan("")), "nan");
}

TEST(Table, LevelsAreTheSameAsNumberAndAsText) {
  const Column numbers{"a", std::vector<double>{1, 2.5}};
  const Column texts{"a", std::vector<std::string>{"1.0", "b"}};
  EXPECT_EQ(numbers.level(0), "1");
  EXPECT_EQ(texts.level(0), "1");
  EXPECT_EQ(texts.level(1), "b");
}

TEST(Table, ChecksItsColumns) {
  Table table("t.csv");
  table.add({"age", std::vector<double>{1, 2}});
  table.add({"income", std::vector<double>{1, 2}});
  const auto complaint = [&](auto call) -> std::string {
    try {
      call();
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(complaint([&] {
              table.add({"age", std::vector<double>{1, 2}});
            }),
            "t.csv: two columns are named 'age'; rename one");
  EXPECT_EQ(complaint([&] {
              table.add({"", std::vector<double>{1, 2}});
            }),
            "t.csv: column 3 has no name; name it, or remove it");
  EXPECT_EQ(complaint([&] {
              table.add({"b", std::vector<double>{1}});
            }),
            "t.csv: column 'b' has 1 rows, expected 2 as in the others");
  EXPECT_EQ(complaint([&] { table.at("Incom", "target"); }),
            "t.csv: there is no target column 'Incom'; the columns are age, income; did you mean 'income'?");
  EXPECT_EQ(complaint([&] { table.at("zzzzz", "input"); }),
            "t.csv: there is no input column 'zzzzz'; the columns are age, income");
}

TEST(Table, NamesPlaces) {
  Table file("t.csv");
  file.add({"a", std::vector<double>{1, 2}});
  file.set_lines({2, 5});
  EXPECT_EQ(file.place(1), "t.csv:5");
  Table memory;
  memory.add({"a", std::vector<double>{1, 2}});
  EXPECT_EQ(memory.place(1), "row 2 (counting from 1)");
}

}  // namespace
}  // namespace condens::table_test
