#include "core/text.hpp"

#include <gtest/gtest.h>

namespace condens::text_test {
namespace {

TEST(Text, IsUtf8OrNot) {
  EXPECT_EQ(find_invalid_utf8("plain, gr\xC3\xBC\xC3\x9F, \xE2\x82\xAC, \xF0\x9F\x98\x80"), std::string_view::npos);
  EXPECT_EQ(find_invalid_utf8("ab\xFF"), 2U);
  EXPECT_EQ(find_invalid_utf8("\xC3"), 0U);
}

TEST(Text, IsPrintedWithoutControlCharacters) {
  EXPECT_EQ(printable("gr\xC3\xBC\xC3\x9F \xE2\x82\xAC"), "gr\xC3\xBC\xC3\x9F \xE2\x82\xAC");
  EXPECT_EQ(printable("a\033[31m\x07\x7f\tb\r\nc"), "a\\x1b[31m\\x07\\x7f\\tb\\r\\nc");
  EXPECT_EQ(printable(std::string_view("\0x", 2)), "\\x00x");
  EXPECT_EQ(printable("caf\xE9 \xC2\x9B 31m"), "caf\\xe9 \\xc2\\x9b 31m");  // Latin-1, and CSI among the C1 controls
  EXPECT_EQ(printable_lines("a\nb\033c\n"), "a\nb\\x1bc\n");
}

TEST(Text, IsCutWhereItIsLong) {
  EXPECT_EQ(shown(std::string(100, 'a')), std::string(100, 'a'));
  EXPECT_EQ(shown(std::string(101, 'a')), std::string(100, 'a') + "... (101 bytes)");
  EXPECT_EQ(shown(std::string(7, 'a'), 3), "aaa... (7 bytes)");
  EXPECT_EQ(shown("aa\xE2\x82\xAC"
                  "b",
                  4),
            "aa... (6 bytes)");  // not within a character
  EXPECT_EQ(shown("\x80\x80\x80\x80\x80\x80", 4).substr(0, 4), "\\x80");
}

}  // namespace
}  // namespace condens::text_test
