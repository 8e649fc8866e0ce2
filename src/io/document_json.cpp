// JSON, one half of document_format.hpp: our own writer, for its layout, and
// nlohmann-json's event parser, which keeps its own stack and so survives any nesting.

#include <algorithm>
#include <charconv>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "condens/core/cancellation.hpp"
#include "condens/io/document_format.hpp"
#include "document_checks.hpp"

namespace condens {

namespace {

using detail::Place;

constexpr Index values_between_looks = 4096;  // whether whoever waits for a large document goes on

std::string quote(const std::string& text) { return nlohmann::json(text).dump(); }

bool is_plain(const Document& item) {
  const auto& v = item.value();
  return !std::holds_alternative<Matrix>(v) && !std::holds_alternative<Document::Array>(v) &&
         !std::holds_alternative<Document::Object>(v);
}

class JsonWriter {
 public:
  explicit JsonWriter(std::string_view root) : place_(root) {}

  std::string write(const Document& document) && {
    value(document);
    return std::move(out_) + "\n";
  }

 private:
  void value(const Document& document) {
    detail::check_depth<std::invalid_argument>(place_);
    std::visit([this](const auto& v) { put(v); }, document.value());
  }

  void put(std::monostate) { out_ += "null"; }
  void put(bool truth) { out_ += truth ? "true" : "false"; }
  void put(std::int64_t integer) { out_ += std::to_string(integer); }

  void put(double number) {
    detail::check_number<std::invalid_argument>(number, place_);
    char buffer[32];
    const std::string_view digits(buffer, std::to_chars(buffer, buffer + sizeof buffer, number).ptr - buffer);
    out_ += digits;
    if (digits.find_first_of(".e") == std::string_view::npos) out_ += ".0";  // stays a double when read
  }

  void put(const std::string& text) {
    detail::check_text<std::invalid_argument>(text, place_);
    out_ += quote(text);
  }

  void put(const Matrix& matrix) {
    out_ += "{\"shape\": [" + std::to_string(matrix.rows()) + ", " + std::to_string(matrix.cols()) + "], \"values\": [";
    for (Index i = 0; i < matrix.size(); ++i) {
      if (i > 0) out_ += ", ";
      if (i % values_between_looks == 0) check_cancelled();
      put(matrix.data()[i]);
    }
    out_ += "]}";
  }

  void put(const Document::Array& array) {
    const bool plain = std::all_of(array.begin(), array.end(), is_plain);
    out_ += '[';
    for (std::size_t i = 0; i < array.size(); ++i) {
      if (i > 0) out_ += plain ? ", " : ",";
      if (!plain) new_line(place_.depth() + 1);
      place_.enter(i);
      value(array[i]);
      place_.leave();
    }
    if (!plain) new_line(place_.depth());
    out_ += ']';
  }

  void put(const Document::Object& object) {
    if (object.size() == 2 && object[0].first == "shape" && object[1].first == "values") {
      throw std::invalid_argument(message(place_.text(), ": the keys shape and values are kept for matrices"));
    }
    out_ += '{';
    for (std::size_t i = 0; i < object.size(); ++i) {
      if (i > 0) out_ += ',';
      new_line(place_.depth() + 1);
      place_.enter(object[i].first);
      put(object[i].first);
      out_ += ": ";
      value(object[i].second);
      place_.leave();
    }
    if (!object.empty()) new_line(place_.depth());
    out_ += '}';
  }

  void new_line(std::size_t depth) { out_.append("\n").append(2 * depth, ' '); }

  Place place_;
  std::string out_;
};

/// Receives the parser's events and builds the document from the inside out.
class Builder {
 public:
  Builder(std::string_view root, std::size_t bytes) : place_(root), bytes_(bytes) {}

  Document result() && { return std::move(root_); }

  bool null() { return put({}); }
  bool boolean(bool truth) { return put(truth); }
  bool number_integer(std::int64_t integer) { return put(integer); }
  bool number_unsigned(std::uint64_t integer) {
    if (integer > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
      enter();
      throw FormatError(message(place_.text(), ": the whole number ", integer, " is too large"));
    }
    return put(static_cast<std::int64_t>(integer));
  }
  bool number_float(double number, const std::string&) {
    detail::check_number<FormatError>(number, place_);
    return put(number);
  }
  bool string(std::string& text) { return put(std::move(text)); }
  bool binary(std::vector<std::uint8_t>&) { return false; }

  bool start_object(std::size_t) { return open(Document::Object{}); }
  bool key(std::string& name) {
    if (!open_.back().keys.insert(name).second) {
      throw FormatError(message(place_.text(), ": the key '", name, "' occurs twice"));
    }
    open_.back().key = std::move(name);
    return true;
  }
  bool end_object() {
    auto object = std::get<Document::Object>(std::move(open_.back().container));
    if (object.size() == 2 && object[0].first == "shape" && object[1].first == "values") {
      return close(matrix(object[0].second, object[1].second));
    }
    return close(std::move(object));
  }
  bool start_array(std::size_t) { return open(Document::Array{}); }
  bool end_array() { return close(std::get<Document::Array>(std::move(open_.back().container))); }

  bool parse_error(std::size_t, const std::string&, const nlohmann::json::exception& error) {
    constexpr int number_overflow = 406;
    if (error.id == number_overflow) enter();
    std::string reason = error.what();  // "[json.exception.parse_error.101] parse error at line 1, ..."
    if (const std::size_t end = reason.find("] "); end != std::string::npos) reason.erase(0, end + 2);
    throw FormatError(message(place_.text(), ": not readable as JSON: ", shown(reason, 300)));
  }

 private:
  struct Level {
    std::variant<Document::Array, Document::Object> container;
    std::string key = {};             // of the member to come
    std::set<std::string> keys = {};  // so far
  };

  /// Says in place_ where the next value will stand.
  void enter() {
    if (open_.empty()) return;
    if (const auto* array = std::get_if<Document::Array>(&open_.back().container)) {
      place_.enter(array->size());
    } else {
      place_.enter(open_.back().key);
    }
  }

  template <class Container>
  bool open(Container container) {
    enter();
    detail::check_depth<FormatError>(place_);
    open_.push_back({std::move(container)});
    return true;
  }

  bool close(Document document) {
    open_.pop_back();
    if (!open_.empty()) place_.leave();
    return put(std::move(document));
  }

  bool put(Document document) {
    if (++values_ % values_between_looks == 0) check_cancelled();
    if (open_.empty()) {
      root_ = std::move(document);
    } else if (auto* array = std::get_if<Document::Array>(&open_.back().container)) {
      array->push_back(std::move(document));
    } else {
      std::get<Document::Object>(open_.back().container).emplace_back(open_.back().key, std::move(document));
    }
    return true;
  }

  Document matrix(const Document& shape, const Document& values) const {
    try {
      const Document::Array& sides = shape.as_array();
      const std::vector<double> numbers = values.as_numbers();
      if (sides.size() != 2) throw FormatError("a matrix has two sides");
      const std::int64_t rows = sides[0].as_integer(), cols = sides[1].as_integer();
      detail::check_shape(rows, cols, numbers.size(), bytes_, Place("shape"));
      return Matrix(Eigen::Map<const Matrix>(numbers.data(), rows, cols));
    } catch (const FormatError& error) {
      throw FormatError(message(place_.text(), ": ", error.what()));
    }
  }

  Place place_;
  std::size_t bytes_;
  std::vector<Level> open_;
  Document root_;
  Index values_ = 0;
};

}  // namespace

std::string document_to_json(const Document& document, std::string_view root) {
  return JsonWriter(root).write(document);
}

Document document_from_json(std::string_view text, std::string_view root) {
  Builder builder(root, text.size());
  nlohmann::json::sax_parse(text.begin(), text.end(), &builder);
  return std::move(builder).result();
}

}  // namespace condens
