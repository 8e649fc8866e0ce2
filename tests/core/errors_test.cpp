#include "condens/core/errors.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <type_traits>

namespace condens::errors_test {
namespace {

TEST(Message, ConcatenatesWhateverPrints) {
  EXPECT_EQ(message("width = ", -1.5, " at ", 3, ' ', std::string("x")), "width = -1.5 at 3 x");
}

TEST(Message, PrintsDoublesWithTenDigits) {
  EXPECT_EQ(message(0.1), "0.1");
  EXPECT_EQ(message(1.0 / 3.0), "0.3333333333");
  EXPECT_EQ(message(123456.75), "123456.75");
}

TEST(Message, CutsAndEscapesWhatIsQuoted) {
  const std::string name = "a\033b";
  const std::string value(1000, 'x');
  const std::string cut = std::string(100, 'x') + "... (1000 bytes)";
  EXPECT_EQ(message("column '", name, "' is '", value, "', expected '", 5, "'"),
            "column 'a\\x1bb' is '" + cut + "', expected '5'");
  EXPECT_EQ(message(value, ": '", value, "', not ", value), value + ": '" + cut + "', not " + value);
  EXPECT_EQ(message("'", std::string("'"), std::string("\n"), "'", std::string("\n")), "''\\n'\n");
  EXPECT_EQ(message("it's '", std::string_view(value), "'"), "it's '" + cut + "'");
}

TEST(Require, ThrowsInvalidArgumentUnlessTrue) {
  EXPECT_NO_THROW(require(true, "never seen"));
  std::string complaint;
  try {
    require(false, "Lscde: cv = ", 1, ", expected >= 2");
  } catch (const std::invalid_argument& error) {
    complaint = error.what();
  }
  EXPECT_EQ(complaint, "Lscde: cv = 1, expected >= 2");
}

TEST(Errors, AreDifferentRuntimeErrors) {
  EXPECT_THROW(throw NumericalError("n"), std::runtime_error);
  EXPECT_THROW(throw FormatError("f"), std::runtime_error);
  EXPECT_THROW(throw Cancelled(), std::runtime_error);
  EXPECT_FALSE((std::is_base_of_v<NumericalError, FormatError> || std::is_base_of_v<FormatError, NumericalError>));
  EXPECT_FALSE((std::is_base_of_v<std::invalid_argument, NumericalError>));
}

}  // namespace
}  // namespace condens::errors_test
