#include "condens/io/document_format.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <limits>
#include <stdexcept>
#include <string>

#include "condens/core/errors.hpp"
#include "condens/core/random.hpp"
#include "support/complaint.hpp"

namespace condens::document_format_test {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

Document sample() {
  Document inner;
  inner.set("centers_x", Matrix{{1, 2, 3}, {-0.0, 1e308, 5e-324}})
      .set("names", Document(std::vector<std::string>{"a", "\"é\n"}));
  Document out;
  out.set("nothing", Document()).set("yes", true).set("no", false).set("count", -7).set("large", std::int64_t{1} << 60);
  out.set("number", 3.0).set("tiny", 1e-310).set("text", "").set("list", Document(std::vector<double>{0.1, -0.0}));
  out.set("empty matrix", Matrix(0, 3)).set("empty list", Document::Array{}).set("empty object", Document::Object{});
  out.set("nested", Document::Array{inner, Document::Array{inner}}).set("density", inner);
  return out;
}

std::string json_complaint(std::string_view text) {
  return complaint<FormatError>([&] { document_from_json(text, "model"); });
}

std::string cbor_complaint(std::string_view bytes) {
  return complaint<FormatError>([&] { document_from_cbor(bytes, "model"); });
}

TEST(DocumentFormat, RoundTripsToTheBit) {
  EXPECT_EQ(document_from_json(document_to_json(sample())), sample());
  EXPECT_EQ(document_from_cbor(document_to_cbor(sample())), sample());
}

TEST(DocumentFormat, EveryDoubleSurvives) {
  RandomStream random(1);
  Matrix values(1000, 2);
  for (Index i = 0; i < values.size(); ++i) {
    do values.data()[i] = std::bit_cast<double>(random());
    while (!std::isfinite(values.data()[i]));
  }
  EXPECT_EQ(document_from_json(document_to_json(values)), Document(values));
  EXPECT_EQ(document_from_cbor(document_to_cbor(values)), Document(values));
}

TEST(DocumentFormat, EveryIntegerSizeSurvives) {
  for (int bit = 0; bit < 63; ++bit) {
    for (const std::int64_t offset : {-1, 0, 1}) {
      const std::int64_t value = (std::int64_t{1} << bit) + offset;
      for (const std::int64_t signed_value : {value, -value}) {
        EXPECT_EQ(document_from_cbor(document_to_cbor(signed_value)).as_integer(), signed_value);
        EXPECT_EQ(document_from_json(document_to_json(signed_value)).as_integer(), signed_value);
      }
    }
  }
}

TEST(DocumentFormat, JsonIsReadable) {
  Document out;
  out.set("name", "lscde").set("widths", Document(std::vector<double>{0.5, 2})).set("alpha", Vector{{1.0, 0.25}});
  EXPECT_EQ(document_to_json(out),
            "{\n"
            "  \"name\": \"lscde\",\n"
            "  \"widths\": [0.5, 2.0],\n"
            "  \"alpha\": {\"shape\": [2, 1], \"values\": [1.0, 0.25]}\n"
            "}\n");
}

/// Examples of RFC 8949, appendix A, and of RFC 8746, for its own array of one double.
TEST(DocumentFormat, CborIsTheStandardOne) {
  using namespace std::string_literals;
  EXPECT_EQ(document_to_cbor(23), "\x17");
  EXPECT_EQ(document_to_cbor(1000), "\x19\x03\xe8"s);
  EXPECT_EQ(document_to_cbor(-1000), "\x39\x03\xe7"s);
  EXPECT_EQ(document_to_cbor(1.1), "\xfb\x3f\xf1\x99\x99\x99\x99\x99\x9a"s);
  EXPECT_EQ(document_to_cbor("IETF"), "\x64IETF"s);
  EXPECT_EQ(document_to_cbor(Document()), "\xf6"s);
  EXPECT_EQ(document_to_cbor(Document::Array{1, Document::Array{2, 3}}), "\x82\x01\x82\x02\x03"s);
  EXPECT_EQ(document_to_cbor(Document(Matrix{{1}})), "\xd9\x04\x10\x82\x82\x01\x01\xd8\x56\x48\0\0\0\0\0\0\xf0\x3f"s);
}

TEST(DocumentFormat, WritingRefusesWhatIsNotFinite) {
  Document bad;
  bad.set("density", Document(Document::Object{{"centers_x", Matrix{{1, nan}}}}));
  for (const auto write : {document_to_json, document_to_cbor}) {
    EXPECT_EQ(complaint<std::invalid_argument>([&] { write(bad, "model"); }),
              "model.density.centers_x: NaN; a model file holds finite numbers only");
    EXPECT_EQ(complaint<std::invalid_argument>([&] {
                write(Document::Array{1, -infinity}, "model");
              }),
              "model[1]: an infinite number; a model file holds finite numbers only");
    EXPECT_EQ(complaint<std::invalid_argument>([&] { write("\xff", "model"); }), "model: text that is not UTF-8");
  }
}

TEST(DocumentFormat, ReadingRefusesWhatIsNotFinite) {
  Document good;
  good.set("a", 1.5).set("m", Matrix{{1.5}});
  std::string bytes = document_to_cbor(good);
  const std::string infinite("\x7f\xf0\0\0\0\0\0\0", 8);
  std::string scalar = bytes;
  scalar.replace(scalar.find("\x3f\xf8"), 8, infinite);
  EXPECT_EQ(cbor_complaint(scalar), "model.a: an infinite number; a model file holds finite numbers only");
  std::string matrix = bytes;
  matrix.replace(matrix.size() - 8, 8, std::string("\0\0\0\0\0\0\xf8\x7f", 8));
  EXPECT_EQ(cbor_complaint(matrix), "model.m: NaN; a model file holds finite numbers only");
  EXPECT_NE(json_complaint("{\"a\": 1e999}").find("model.a: not readable as JSON: number overflow"), std::string::npos);
  EXPECT_NE(json_complaint("{\"a\": NaN}"), "");
}

TEST(DocumentFormat, ReadingRefusesBrokenTrees) {
  EXPECT_NE(json_complaint("").find("model: not readable as JSON: parse error at line 1, column 1"), std::string::npos);
  EXPECT_NE(json_complaint("{} x"), "");
  EXPECT_EQ(json_complaint("{\"a\": 1, \"a\": 2}"), "model: the key 'a' occurs twice");
  std::string many = "{";  // whose time grows with their number, not with its square
  for (int i = 0; i < 200'000; ++i) many += "\"" + std::to_string(i) + "\": 1, ";
  EXPECT_EQ(json_complaint(many + "\"7\": 1}"), "model: the key '7' occurs twice");
  EXPECT_EQ(json_complaint("{\"a\": {\"shape\": [2, 2], \"values\": [1.0]}}"),
            "model.a: shape: a matrix of shape 2 x 2 with 1 values");
  EXPECT_EQ(json_complaint("{\"shape\": [-1, -1], \"values\": [1.0]}"),
            "model: shape: a matrix of shape -1 x -1 with 1 values");
  EXPECT_EQ(json_complaint("{\"shape\": [1], \"values\": [1.0]}"), "model: a matrix has two sides");
  EXPECT_EQ(json_complaint("{\"shape\": [0, 2147483647], \"values\": []}"),
            "model: shape: a matrix of shape 0 x 2147483647 with 0 values");
  // Columns without rows, of which there may be a million in the shortest document.
  const Document few = Matrix(0, 20);
  EXPECT_EQ(document_from_cbor(document_to_cbor(few, "model"), "model"), few);
  const std::string million = document_to_cbor(Document(Matrix(0, 1 << 20)), "model");
  EXPECT_NE(cbor_complaint(million).find("a matrix of shape 0 x 1048576 with 0 values"), std::string::npos);
  EXPECT_EQ(json_complaint("{\"shape\": [1, 1], \"values\": [\"x\"]}"), "model: expected a number, found a text");
  EXPECT_EQ(json_complaint("[18446744073709551615]"), "model[0]: the whole number 18446744073709551615 is too large");
  EXPECT_EQ(cbor_complaint(""), "model: not readable as CBOR at byte 0: the data end too early");
  EXPECT_EQ(cbor_complaint("\x01\x01"), "model: not readable as CBOR at byte 1: bytes after the end of the document");
  EXPECT_NE(cbor_complaint("\xa2\x61"
                           "a\x01\x61"
                           "a\x02")
                .find("the key 'a' occurs twice"),
            std::string::npos);
  EXPECT_NE(cbor_complaint("\x9b\xff\xff\xff\xff\xff\xff\xff\xff"), "");
}

TEST(DocumentFormat, DeepNestingDoesNotExhaustTheStack) {
  EXPECT_NE(json_complaint(std::string(1000000, '[')).find("nested deeper than 64 levels"), std::string::npos);
  EXPECT_NE(cbor_complaint(std::string(1000000, '\x81')).find("nested deeper than 64 levels"), std::string::npos);
  Document deep;
  for (int i = 0; i < 70; ++i) deep = Document(Document::Array{deep});
  EXPECT_THROW(document_to_json(deep), std::invalid_argument);
  EXPECT_THROW(document_to_cbor(deep), std::invalid_argument);
}

TEST(DocumentFormat, JsonKeepsTheKeysOfMatrices) {
  Document object;
  object.set("shape", 1).set("values", 2);
  EXPECT_THROW(document_to_json(object), std::invalid_argument);
}

/// Whatever the bytes: a document or a FormatError.
void feed(const std::string& bytes) {
  for (const auto read : {document_from_json, document_from_cbor}) {
    try {
      read(bytes, "model");
    } catch (const FormatError&) {
    }
  }
}

TEST(DocumentFormat, SurvivesAnyBytes) {
  for (const std::string& good : {document_to_json(sample()), document_to_cbor(sample())}) {
    for (std::size_t i = 0; i < good.size(); ++i) {
      feed(good.substr(0, i));
      for (const int flip : {0x01, 0x20, 0x80, 0xff}) {
        std::string bad = good;
        bad[i] = static_cast<char>(bad[i] ^ flip);
        feed(bad);
      }
    }
  }
  RandomStream random(3);
  for (int trial = 0; trial < 2000; ++trial) {
    std::string noise(static_cast<std::size_t>(random.below(64)), '\0');
    for (char& c : noise) c = static_cast<char>(random.below(256));
    feed(noise);
  }
}

}  // namespace
}  // namespace condens::document_format_test
