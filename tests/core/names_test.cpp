#include "core/names.hpp"

#include <gtest/gtest.h>

namespace condens::names_test {
namespace {

std::vector<std::string> numbered(int count) {
  std::vector<std::string> out;
  for (int i = 1; i <= count; ++i) out.push_back("m" + std::to_string(i));
  return out;
}

TEST(Names, AreListed) {
  EXPECT_EQ(list_names({}), "");
  EXPECT_EQ(list_names({"a"}), "a");
  EXPECT_EQ(list_names({"a", "b", "c"}), "a, b, c");
}

TEST(Names, OfThousandsTheFirstAreListed) {
  EXPECT_TRUE(list_names(numbered(41)).ends_with(", m40, m41"));
  EXPECT_TRUE(list_names(numbered(42)).ends_with(", m40 and 2 others"));
  EXPECT_TRUE(list_names(numbered(2000)).ends_with(", m40 and 1960 others"));
}

TEST(Names, OfPercentagesTheShareIsNamed) {
  EXPECT_EQ(share_of_percentage(90), "; for 90 % give 0.9");
  EXPECT_EQ(share_of_percentage(97.5), "; for 97.5 % give 0.975");
  for (const double value : {-1.0, 0.5, 1.0, 100.0, 1e9}) EXPECT_EQ(share_of_percentage(value), "");
}

TEST(Names, AreShortAndPrintable) {
  EXPECT_EQ(list_names({"a\033", std::string(500, 'b')}), "a\\x1b, " + std::string(100, 'b') + "... (500 bytes)");
  EXPECT_EQ(did_you_mean("bandwith", {"a", "bandwidth"}), "; did you mean 'bandwidth'?");
  // The distance of two such texts would take hours.
  EXPECT_EQ(did_you_mean(std::string(1 << 20, 'a'), {std::string((1 << 20) + 1, 'a')}), "");
}

}  // namespace
}  // namespace condens::names_test
