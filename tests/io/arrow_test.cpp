#include "condens/io/arrow.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <deque>
#include <limits>
#include <stdexcept>

namespace condens::arrow_test {
namespace {

using Texts = std::vector<std::string>;

/// A table laid out by hand, as the specification says; it owns all that its structs point to.
class Batch {
 public:
  template <class T>
  Batch& add(const char* name, const char* format, const std::vector<T>& values, std::vector<std::uint8_t> valid = {},
             std::int64_t offset = 0) {
    return add_column(name, format, {buffer(valid), buffer(values)}, std::ssize(values) - offset, offset,
                      valid.empty() ? 0 : -1);
  }

  template <class Offset>
  Batch& texts(const char* name, const char* format, const Texts& values, std::vector<std::uint8_t> valid = {}) {
    std::vector<Offset> ends = {0};
    std::vector<char> bytes;
    for (const std::string& value : values) {
      bytes.insert(bytes.end(), value.begin(), value.end());
      ends.push_back(static_cast<Offset>(bytes.size()));
    }
    return add_column(name, format, {buffer(valid), buffer(ends), buffer(bytes)}, std::ssize(values), 0,
                      valid.empty() ? 0 : -1);
  }

  Batch& add_column(const char* name, const char* format, std::vector<const void*> buffers, std::int64_t length,
                    std::int64_t offset, std::int64_t nulls) {
    buffers_.push_back(std::move(buffers));
    schemas_.push_back({format, name, nullptr, 2, 0, nullptr, nullptr, nullptr, nullptr});
    arrays_.push_back({length, nulls, offset, std::ssize(buffers_.back()), 0, buffers_.back().data(), nullptr, nullptr,
                       nullptr, nullptr});
    return *this;
  }

  /// The column added last is the dictionary of the one before it.
  Batch& as_dictionary() {
    dictionary_schemas_.push_back(schemas_.back());
    dictionary_arrays_.push_back(arrays_.back());
    schemas_.pop_back();
    arrays_.pop_back();
    schemas_.back().dictionary = &dictionary_schemas_.back();
    arrays_.back().dictionary = &dictionary_arrays_.back();
    return *this;
  }

  ArrowSchema schema(const char* format = "+s") {
    schema_children_.clear();
    for (ArrowSchema& own : schemas_) schema_children_.push_back(&own);
    return {format, "", nullptr, 0, std::ssize(schema_children_), schema_children_.data(), nullptr, nullptr, nullptr};
  }
  ArrowArray array(std::int64_t offset = 0) {
    children_.clear();
    for (ArrowArray& own : arrays_) children_.push_back(&own);
    const std::int64_t length = arrays_.empty() ? 0 : arrays_.front().length - offset;
    return {length, 0, offset, 1, std::ssize(children_), &no_buffer_, children_.data(), nullptr, nullptr, nullptr};
  }
  Table table(std::int64_t offset = 0) { return table_from_arrow(schema(), array(offset)); }

  std::string complaint() {
    try {
      table();
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "";
  }

  ArrowArray& last() { return arrays_.back(); }

 private:
  template <class T>
  const void* buffer(const std::vector<T>& values) {
    if (values.empty()) return nullptr;
    const char* bytes = reinterpret_cast<const char*>(values.data());
    kept_.emplace_back(bytes, bytes + values.size() * sizeof(T));
    return kept_.back().data();
  }

  std::deque<std::vector<char>> kept_;
  std::deque<std::vector<const void*>> buffers_;
  std::deque<ArrowSchema> schemas_, dictionary_schemas_;
  std::deque<ArrowArray> arrays_, dictionary_arrays_;
  std::vector<ArrowSchema*> schema_children_;
  std::vector<ArrowArray*> children_;
  const void* no_buffer_ = nullptr;
};

void expect_numbers(const Column& column, const std::vector<double>& expected) {
  ASSERT_TRUE(column.is_numeric()) << column.name;
  ASSERT_EQ(column.numbers().size(), expected.size()) << column.name;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (std::isnan(expected[i])) {
      EXPECT_TRUE(std::isnan(column.numbers()[i])) << column.name << " " << i;
    } else {
      EXPECT_EQ(column.numbers()[i], expected[i]) << column.name << " " << i;
    }
  }
}

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

TEST(Arrow, NumbersOfEveryTypeAreNumbers) {
  Batch batch;
  batch.add<std::int8_t>("c", "c", {-1, 2})
      .add<std::uint8_t>("C", "C", {255, 2})
      .add<std::int16_t>("s", "s", {-300, 2})
      .add<std::uint16_t>("S", "S", {65535, 2})
      .add<std::int32_t>("i", "i", {-70000, 2})
      .add<std::uint32_t>("I", "I", {4000000000U, 2})
      .add<std::int64_t>("l", "l", {-5000000000, 2})
      .add<std::uint64_t>("L", "L", {1ULL << 63U, 2})
      .add<float>("f", "f", {0.5F, 2})
      .add<double>("g", "g", {0.1, nan})
      .add<std::uint8_t>("b", "b", {0b10, 0})
      .add<std::uint16_t>("e", "e", {0x3C00, 0xC100});
  const Table t = batch.table();
  EXPECT_EQ(t.rows(), 2);
  const std::vector<std::vector<double>> expected = {
      {-1, 2},  {255, 2},   {-300, 2}, {65535, 2}, {-70000, 2}, {4000000000, 2}, {-5e9, 2}, {9223372036854775808.0, 2},
      {0.5, 2}, {0.1, nan}, {0, 1},    {1, -2.5}};
  for (std::size_t k = 0; k < expected.size(); ++k) expect_numbers(t.columns()[k], expected[k]);
}

TEST(Arrow, HalvesAreThoseOfIeee754) {
  Batch batch;
  batch.add<std::uint16_t>("e", "e", {0x0000, 0x0001, 0x03FF, 0x0400, 0x7BFF, 0xFC00, 0x7E00});
  expect_numbers(batch.table().columns()[0],
                 {0, std::ldexp(1, -24), std::ldexp(1023, -24), std::ldexp(1, -14), 65504, -infinity, nan});
}

TEST(Arrow, NullsAreMissingAndOffsetsCount) {
  Batch batch;
  batch
      .add<double>("x", "g", {9, 1, 2, 3}, {0b1011}, 1)  // begins at its second value
      .texts<std::int32_t>("t", "u", {"a", "", "c"}, {0b101})
      .add<std::int32_t>("none", "n", {0, 0, 0});
  const Table whole = batch.table();
  expect_numbers(whole.at("x", ""), {1, nan, 3});
  EXPECT_EQ(whole.at("t", "").texts(), (Texts{"a", "", "c"}));
  EXPECT_TRUE(whole.at("t", "").is_missing(1));
  expect_numbers(whole.at("none", ""), {nan, nan, nan});
  const Table cut = batch.table(2);  // the batch itself begins at its third row
  expect_numbers(cut.at("x", ""), {3});
  EXPECT_EQ(cut.at("t", "").texts(), (Texts{"c"}));
}

TEST(Arrow, TextsDatesAndDictionariesAreTexts) {
  Batch batch;
  batch.texts<std::int64_t>("large", "U", {"M\xC3\xBCnchen", ""})
      .add<std::int32_t>("day", "tdD", {0, 19783})
      .add<std::int64_t>("milliseconds", "tdm", {86400000, -86400000})
      .add<std::int64_t>("time", "tsu:UTC", {1709296200000000, 0})
      .add<std::int8_t>("level", "c", {1, 0})
      .texts<std::int32_t>("", "u", {"low", "high"})
      .as_dictionary()
      .add<std::int32_t>("code", "i", {0, 0})
      .add<double>("", "g", {7.5})
      .as_dictionary();
  const Table t = batch.table();
  EXPECT_EQ(t.at("large", "").texts(), (Texts{"M\xC3\xBCnchen", ""}));
  EXPECT_EQ(t.at("day", "").texts(), (Texts{"1970-01-01", "2024-03-01"}));
  EXPECT_EQ(t.at("milliseconds", "").texts(), (Texts{"1970-01-02", "1969-12-31"}));
  EXPECT_EQ(t.at("time", "").texts(), (Texts{"2024-03-01T12:30:00", "1970-01-01"}));
  EXPECT_EQ(t.at("level", "").texts(), (Texts{"high", "low"}));
  expect_numbers(t.at("code", ""), {7.5, 7.5});
}

TEST(Arrow, ViewsOfTextsAreShortInsideAndLongElsewhere) {
  const std::string elsewhere = "..a text of more than twelve bytes";
  struct View {
    std::int32_t length;
    char rest[12];
  };
  View views[2] = {{5, "short"}, {static_cast<std::int32_t>(elsewhere.size()) - 2, "a te"}};
  const std::int32_t place[2] = {0, 2};
  std::memcpy(views[1].rest + 4, place, sizeof(place));
  const std::int64_t size = std::ssize(elsewhere);
  Batch batch;
  batch.add_column("v", "vu", {nullptr, views, elsewhere.data(), &size}, 2, 0, 0);
  EXPECT_EQ(batch.table().at("v", "").texts(), (Texts{"short", elsewhere.substr(2)}));
  const std::int32_t bad[2] = {1, 2};
  std::memcpy(views[1].rest + 4, bad, sizeof(bad));
  EXPECT_EQ(batch.complaint(), "column 'v': a text is in a buffer that is not there");
}

TEST(Arrow, WhatIsNoTableIsNamed) {
  const auto told = [](const char* format, const std::vector<std::int64_t>& values) {
    return Batch().add("x", format, values).complaint();
  };
  EXPECT_EQ(told("d:10,2", {0, 0}),
            "column 'x' has the Arrow format 'd:10,2', expected numbers, Booleans, texts, dates, or dictionaries of "
            "these; cast it first");
  EXPECT_EQ(told("tss:", {4102444800000, 0}),
            "column 'x': a date is 47482000 days from 1970-01-01, expected the years 1 to 9999");
  EXPECT_EQ(Batch().texts<std::int32_t>("t", "u", {"ok", "\xE9"}).complaint(),
            "column 't', row 2 of its batch (counting from 1): not a text in UTF-8");
  EXPECT_EQ(
      Batch().add<std::int8_t>("l", "c", {2}).texts<std::int32_t>("", "u", {"a", "b"}).as_dictionary().complaint(),
      "column 'l': level 2 of 2 (counting from 0)");
  EXPECT_EQ(Batch().add<float>("l", "f", {2}).texts<std::int32_t>("", "u", {"a"}).as_dictionary().complaint(),
            "column 'l': a dictionary's Arrow format is 'f', expected integers");
  EXPECT_EQ(Batch().add<double>("x", "g", {1, 2}).add<double>("y", "g", {1}).complaint(),
            "column 'y' has 1 rows, expected 2");
  EXPECT_EQ(Batch().add_column("x", "g", {nullptr, nullptr}, 2, 0, 0).complaint(),
            "column 'x' lacks some of its 2 buffers");
  EXPECT_EQ(Batch().add<std::int32_t>("t", "u", {3, 1}).complaint(), "column 't' lacks some of its 3 buffers");
  Batch batch;
  batch.add<double>("x", "g", {1});
  EXPECT_THROW(table_from_arrow(batch.schema("g"), batch.array()), std::invalid_argument);
  ArrowArray fewer = batch.array();
  fewer.n_children = 0;
  EXPECT_THROW(table_from_arrow(batch.schema(), fewer), std::invalid_argument);
}

/// A stream of two batches, or one that fails, that counts what is released.
struct Source {
  Batch batch;
  int left = 2;
  int released = 0;
  int fails_at = -1;
  ArrowArrayStream stream = {[](ArrowArrayStream* s, ArrowSchema* out) {
                               *out = of(s).batch.schema();
                               out->private_data = s->private_data;
                               out->release = [](ArrowSchema* own) {
                                 ++static_cast<Source*>(own->private_data)->released;
                                 own->release = nullptr;
                               };
                               return 0;
                             },
                             [](ArrowArrayStream* s, ArrowArray* out) {
                               if (of(s).left == of(s).fails_at) return 5;
                               if (of(s).left-- == 0) return 0;
                               *out = of(s).batch.array();
                               out->private_data = s->private_data;
                               out->release = [](ArrowArray* own) {
                                 ++static_cast<Source*>(own->private_data)->released;
                                 own->release = nullptr;
                               };
                               return 0;
                             },
                             [](ArrowArrayStream*) { return "the disk is gone"; },
                             [](ArrowArrayStream* s) {
                               ++of(s).released;
                               s->release = nullptr;
                             },
                             this};

  static Source& of(ArrowArrayStream* s) { return *static_cast<Source*>(s->private_data); }
};

TEST(Arrow, AStreamIsReadToItsEndAndReleased) {
  Source source;
  source.batch.add<double>("x", "g", {1, 2});
  expect_numbers(table_from_arrow(source.stream).at("x", ""), {1, 2, 1, 2});
  EXPECT_EQ(source.released, 4);  // schema, two batches, the stream
  EXPECT_THROW(table_from_arrow(source.stream), std::invalid_argument);
  Source broken;
  broken.batch.add<double>("x", "g", {1, 2});
  broken.fails_at = 1;
  try {
    table_from_arrow(broken.stream);
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "the Arrow stream has no next batch: the disk is gone");
  }
  EXPECT_EQ(broken.released, 3);
}

}  // namespace
}  // namespace condens::arrow_test
