#include "condens/core/document.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "condens/core/errors.hpp"
#include "support/complaint.hpp"

namespace condens::document_test {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

struct Example {
  Document document;
  std::string kind;
};

std::vector<Example> one_of_each() {
  return {{Document(), "null"},
          {true, "true or false"},
          {7, "a whole number"},
          {2.5, "a number"},
          {"hello", "a text"},
          {Matrix{{1, 2}, {3, 4}}, "a matrix"},
          {Document::Array{1, "two"}, "a list"},
          {Document::Object{{"a", 1}}, "an object"}};
}

TEST(Document, NamesItsKind) {
  for (const auto& [document, kind] : one_of_each()) EXPECT_EQ(document.kind(), kind);
  EXPECT_TRUE(Document().is_null());
  EXPECT_FALSE(Document(0).is_null());
}

TEST(Document, GivesBackWhatWasPutIn) {
  EXPECT_EQ(Document(true).as_bool(), true);
  EXPECT_EQ(Document(7).as_integer(), 7);
  const std::int64_t largest = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(Document(largest).as_integer(), largest);
  EXPECT_EQ(Document(2.5).as_number(), 2.5);
  EXPECT_EQ(Document(7).as_number(), 7.0) << "an integer is a number, too";
  EXPECT_EQ(Document("hello").as_string(), "hello");
  EXPECT_EQ(Document(std::string("hello")).as_string(), "hello");
  EXPECT_EQ(Document(std::string_view("hello")).as_string(), "hello");
  const Matrix matrix{{1, 2, 3}, {4, 5, 6}};
  EXPECT_EQ(Document(matrix).as_matrix(), matrix);
  const Vector vector{{1, 2, 3}};
  EXPECT_EQ(Document(vector).as_vector(), vector);
  EXPECT_EQ(Document(vector).as_matrix(), Matrix(vector));
  EXPECT_EQ(Document(Document::Array{1, 2}).as_array().size(), 2U);
  EXPECT_EQ(Document(Document::Object{{"a", 1}}).as_object().front().first, "a");
  const std::vector<std::string> words{"a", "", "c"};
  EXPECT_EQ(Document(words).as_strings(), words);
  const std::vector<double> numbers{1.0, -2.5};
  EXPECT_EQ(Document(numbers).as_numbers(), numbers);
  EXPECT_EQ(Document(Document::Array{1, 2.5}).as_numbers(), (std::vector<double>{1.0, 2.5}));
}

/// Calls `access` on one document of each kind: it must refuse all but those of `allowed` kinds, and say so.
template <class Access>
void expect_only(Access access, const std::string& what, const std::vector<std::string>& allowed) {
  for (const auto& [document, kind] : one_of_each()) {
    const bool fits = std::find(allowed.begin(), allowed.end(), kind) != allowed.end();
    const Document& given = document;
    EXPECT_EQ(complaint<FormatError>([&] { access(given); }), fits ? "" : "expected " + what + ", found " + kind);
  }
}

TEST(Document, SaysWhatWasFoundInstead) {
  expect_only([](const Document& d) { (void)d.as_bool(); }, "true or false", {"true or false"});
  expect_only([](const Document& d) { (void)d.as_integer(); }, "a whole number", {"a whole number"});
  expect_only([](const Document& d) { (void)d.as_number(); }, "a number", {"a number", "a whole number"});
  expect_only([](const Document& d) { (void)d.as_string(); }, "a text", {"a text"});
  expect_only([](const Document& d) { (void)d.as_matrix(); }, "a matrix", {"a matrix"});
  expect_only([](const Document& d) { (void)d.as_array(); }, "a list", {"a list"});
  expect_only([](const Document& d) { (void)d.as_object(); }, "an object", {"an object"});
  expect_only([](const Document& d) { (void)d.find("a"); }, "an object", {"an object"});
  expect_only([](const Document& d) { (void)d.at("a"); }, "an object", {"an object"});
}

TEST(Document, SaysWhatIsWrongInsideAListOrAVector) {
  const Document list(Document::Array{"one", 2});
  EXPECT_EQ(complaint<FormatError>([&] { (void)list.as_strings(); }), "expected a text, found a whole number");
  EXPECT_EQ(complaint<FormatError>([&] { (void)list.as_numbers(); }), "expected a number, found a text");
  EXPECT_EQ(complaint<FormatError>([] { (void)Document(3).as_strings(); }), "expected a list, found a whole number");
  EXPECT_EQ(complaint<FormatError>([] { (void)Document(3).as_numbers(); }), "expected a list, found a whole number");
  EXPECT_EQ(complaint<FormatError>([] { (void)Document(Matrix(Matrix::Zero(3, 2))).as_vector(); }),
            "expected a vector, found a matrix of 2 columns");
  EXPECT_EQ(complaint<FormatError>([] { (void)Document(3).as_vector(); }), "expected a matrix, found a whole number");
}

TEST(Document, FindsMembersByKey) {
  const Document document(Document::Object{{"a", 1}, {"b", "two"}});
  EXPECT_EQ(document.at("b").as_string(), "two");
  EXPECT_EQ(document.find("a"), &document.at("a"));
  EXPECT_EQ(document.find("c"), nullptr);
  EXPECT_EQ(complaint<FormatError>([&] { (void)document.at("c"); }), "the key 'c' is missing");
}

TEST(Document, KeepsMembersInTheOrderOfInsertion) {
  Document document;
  document.set("z", 1).set("a", 2).set("m", 3);
  document.set("z", "replaced");
  std::string keys;
  for (const auto& [key, value] : document.as_object()) keys += key;
  EXPECT_EQ(keys, "zam");
  EXPECT_EQ(document.at("z").as_string(), "replaced");
  EXPECT_EQ(document.at("m").as_integer(), 3);
}

TEST(Document, SetsMembersOfObjectsOnly) {
  for (const auto& [document, kind] : one_of_each()) {
    const bool fits = kind == "null" || kind == "an object";
    Document copy = document;
    EXPECT_EQ(complaint<std::logic_error>([&] { copy.set("key", 1); }),
              fits ? "" : "Document::set: 'key' set on " + kind);
  }
}

TEST(Document, EqualsItselfAndNoOtherKind) {
  const auto left = one_of_each();
  const auto right = one_of_each();
  for (std::size_t i = 0; i < left.size(); ++i) {
    for (std::size_t j = 0; j < right.size(); ++j) EXPECT_EQ(left[i].document == right[j].document, i == j);
  }
  EXPECT_FALSE(Document(1) == Document(1.0)) << "the kind counts";
}

TEST(Document, IsEqualToTheLastBit) {
  EXPECT_EQ(Document(0.0), Document(0.0));
  EXPECT_FALSE(Document(0.0) == Document(-0.0));
  EXPECT_EQ(Document(nan), Document(nan));
  EXPECT_FALSE(Document(1.0) == Document(std::nextafter(1.0, 2.0)));
  EXPECT_EQ(Document(Matrix{{nan, 1}}), Document(Matrix{{nan, 1}}));
  EXPECT_FALSE(Document(Matrix{{0.0, 1}}) == Document(Matrix{{-0.0, 1}}));
}

TEST(Document, ComparesEveryPart) {
  EXPECT_FALSE(Document(true) == Document(false));
  EXPECT_FALSE(Document(1) == Document(2));
  EXPECT_FALSE(Document("a") == Document("b"));
  EXPECT_FALSE(Document(Matrix(Matrix::Zero(2, 3))) == Document(Matrix(Matrix::Zero(3, 2))));
  EXPECT_EQ(Document(Matrix(0, 3)), Document(Matrix(0, 3)));
  EXPECT_FALSE(Document(Matrix(0, 3)) == Document(Matrix(3, 0)));
  EXPECT_FALSE(Document(Document::Array{1}) == Document(Document::Array{1, 2}));
  EXPECT_FALSE(Document(Document::Array{0.0}) == Document(Document::Array{-0.0}));
  EXPECT_FALSE(Document(Document::Object{{"a", 1}}) == Document(Document::Object{{"b", 1}}));
  EXPECT_FALSE(Document(Document::Object{{"a", 1}}) == Document(Document::Object{{"a", 2}}));
}

}  // namespace
}  // namespace condens::document_test
