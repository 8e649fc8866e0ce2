// CBOR, the other half of document_format.hpp: the small deterministic part of RFC 8949
// that documents need. Section numbers below are of that text.

#include <bit>
#include <cstring>
#include <limits>
#include <set>
#include <utility>

#include "condens/io/document_format.hpp"
#include "document_checks.hpp"

namespace condens {

namespace {

using detail::Place;

static_assert(std::endian::native == std::endian::little, "matrices are stored as little-endian doubles");

enum Major : unsigned { unsigned_integer, negative_integer, byte_string, text_string, array, map, tag, simple };

constexpr std::uint64_t column_major_tag = 1040;  // RFC 8746, section 3.1.2
constexpr std::uint64_t float64_tag = 86;         // RFC 8746, section 2.1
constexpr unsigned false_value = 20, true_value = 21, null_value = 22, double_value = 27;

class CborWriter {
 public:
  explicit CborWriter(std::string_view root) : place_(root) {}

  std::string write(const Document& document) && {
    value(document);
    return std::move(out_);
  }

 private:
  void value(const Document& document) {
    detail::check_depth<std::invalid_argument>(place_);
    std::visit([this](const auto& v) { put(v); }, document.value());
  }

  /// Major type and argument, in the shortest form (section 4.2.1).
  void head(unsigned major, std::uint64_t argument) {
    const unsigned size = argument < 24         ? 0
                          : argument < 1U << 8  ? 1
                          : argument < 1U << 16 ? 2
                          : argument >> 32 == 0 ? 4
                                                : 8;
    const unsigned code =
        size == 0 ? static_cast<unsigned>(argument) : 24U + static_cast<unsigned>(std::countr_zero(size));
    byte(major << 5 | code);
    big_endian(argument, size);
  }

  void byte(unsigned value) { out_ += static_cast<char>(value); }
  void big_endian(std::uint64_t bits, unsigned size) {
    for (unsigned i = size; i-- > 0;) byte(static_cast<unsigned>(bits >> (8 * i) & 0xFF));
  }

  void put(std::monostate) { head(simple, null_value); }
  void put(bool truth) { head(simple, truth ? true_value : false_value); }
  void put(std::int64_t integer) {
    const auto bits = static_cast<std::uint64_t>(integer);
    head(integer < 0 ? negative_integer : unsigned_integer, integer < 0 ? ~bits : bits);
  }
  void put(double number) {
    detail::check_number<std::invalid_argument>(number, place_);
    byte(unsigned{simple} << 5 | double_value);
    big_endian(std::bit_cast<std::uint64_t>(number), 8);
  }
  void put(const std::string& text) {
    detail::check_text<std::invalid_argument>(text, place_);
    head(text_string, text.size());
    out_ += text;
  }
  void put(const Matrix& matrix) {
    detail::check_numbers<std::invalid_argument>(matrix, place_);
    const std::size_t bytes = sizeof(double) * static_cast<std::size_t>(matrix.size());
    head(tag, column_major_tag);
    head(array, 2);
    head(array, 2);
    put(std::int64_t{matrix.rows()});
    put(std::int64_t{matrix.cols()});
    head(tag, float64_tag);
    head(byte_string, bytes);
    if (bytes > 0) out_.append(reinterpret_cast<const char*>(matrix.data()), bytes);
  }
  void put(const Document::Array& items) {
    head(array, items.size());
    for (std::size_t i = 0; i < items.size(); ++i) {
      place_.enter(i);
      value(items[i]);
      place_.leave();
    }
  }
  void put(const Document::Object& object) {
    head(map, object.size());
    for (const auto& [key, member] : object) {
      place_.enter(key);
      put(key);
      value(member);
      place_.leave();
    }
  }

  Place place_;
  std::string out_;
};

class Reader {
 public:
  Reader(std::string_view bytes, std::string_view root) : bytes_(bytes), place_(root) {}

  Document read() && {
    Document out = value();
    if (at_ != bytes_.size()) fail("bytes after the end of the document");
    return out;
  }

 private:
  [[noreturn]] void fail(std::string_view what) const {
    throw FormatError(message(place_.text(), ": not readable as CBOR at byte ", at_, ": ", what));
  }

  std::string_view take(std::uint64_t count) {
    if (count > bytes_.size() - at_) fail("the data end too early");
    const std::string_view out = bytes_.substr(at_, count);
    at_ += count;
    return out;
  }

  std::uint64_t big_endian(unsigned size) {
    std::uint64_t out = 0;
    for (const char c : take(size)) out = out << 8 | static_cast<unsigned char>(c);
    return out;
  }

  struct Head {
    unsigned major;
    unsigned code;
    std::uint64_t argument;
  };

  Head head() {
    const unsigned first = static_cast<unsigned char>(take(1).front());
    const unsigned major = first >> 5, code = first & 31;
    if (code > 27) fail("an item of unknown or indefinite length");
    return {major, code, code < 24 ? code : big_endian(1U << (code - 24))};
  }

  std::uint64_t expect(unsigned major, std::string_view what) {
    const Head found = head();
    if (found.major != major) fail(message("expected ", what));
    return found.argument;
  }

  Document value() {
    detail::check_depth<FormatError>(place_);
    const Head found = head();
    switch (found.major) {
      case unsigned_integer:
        return integer(found.argument);
      case negative_integer:
        return ~integer(found.argument);
      case text_string:
        return text(found.argument);
      case array:
        return items(found.argument);
      case map:
        return members(found.argument);
      case tag:
        if (found.argument != column_major_tag) fail("an unknown tag");
        return matrix();
      case simple:
        return simple_value(found);
      default:
        fail("bytes outside of a matrix");
    }
  }

  std::int64_t integer(std::uint64_t argument) const {
    if (argument > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) fail("a number out of range");
    return static_cast<std::int64_t>(argument);
  }

  Document simple_value(const Head& found) const {
    if (found.code == double_value) {
      const double number = std::bit_cast<double>(found.argument);
      detail::check_number<FormatError>(number, place_);
      return number;
    }
    if (found.code == false_value) return false;
    if (found.code == true_value) return true;
    if (found.code != null_value) fail("an unknown simple value");
    return {};
  }

  std::string text(std::uint64_t size) {
    const std::string_view out = take(size);
    detail::check_text<FormatError>(out, place_);
    return std::string(out);
  }

  Document items(std::uint64_t count) {
    Document::Array out;  // grows as items are read: the count may lie
    for (std::uint64_t i = 0; i < count; ++i) {
      place_.enter(i);
      out.push_back(value());
      place_.leave();
    }
    return out;
  }

  Document members(std::uint64_t count) {
    Document::Object out;
    std::set<std::string> keys;
    for (std::uint64_t i = 0; i < count; ++i) {
      std::string key = text(expect(text_string, "a key"));
      if (!keys.insert(key).second) fail(message("the key '", key, "' occurs twice"));
      place_.enter(key);
      out.emplace_back(std::move(key), value());
      place_.leave();
    }
    return out;
  }

  Document matrix() {
    constexpr std::string_view what = "a matrix";
    if (expect(array, what) != 2 || expect(array, what) != 2) fail(message("expected ", what));
    const std::int64_t rows = integer(expect(unsigned_integer, what));
    const std::int64_t cols = integer(expect(unsigned_integer, what));
    if (expect(tag, what) != float64_tag) fail(message("expected ", what, " of doubles"));
    const std::string_view data = take(expect(byte_string, what));
    if (data.size() % sizeof(double) != 0) fail("part of a double");
    detail::check_shape(rows, cols, data.size() / sizeof(double), bytes_.size(), place_);
    Matrix out(rows, cols);
    if (!data.empty()) std::memcpy(out.data(), data.data(), data.size());
    detail::check_numbers<FormatError>(out, place_);
    return out;
  }

  std::string_view bytes_;
  std::size_t at_ = 0;
  Place place_;
};

}  // namespace

std::string document_to_cbor(const Document& document, std::string_view root) {
  return CborWriter(root).write(document);
}

Document document_from_cbor(std::string_view bytes, std::string_view root) { return Reader(bytes, root).read(); }

}  // namespace condens
