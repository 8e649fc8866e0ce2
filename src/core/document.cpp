#include "condens/core/document.hpp"

#include <bit>
#include <cstring>

#include "condens/core/errors.hpp"

namespace condens {

namespace {

template <class T>
const T& expect(const Document& document, std::string_view what) {
  const T* found = std::get_if<T>(&document.value());
  if (found == nullptr) throw FormatError(message("expected ", what, ", found ", document.kind()));
  return *found;
}

bool same_bits(double a, double b) { return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b); }

bool same_bits(const Matrix& a, const Matrix& b) {
  return a.rows() == b.rows() && a.cols() == b.cols() &&
         (a.size() == 0 || std::memcmp(a.data(), b.data(), sizeof(double) * static_cast<std::size_t>(a.size())) == 0);
}

}  // namespace

Document::Document() = default;
Document::Document(const Document& other) = default;
Document::Document(Document&& other) noexcept = default;
Document& Document::operator=(const Document& other) = default;
Document& Document::operator=(Document&& other) noexcept = default;
Document::~Document() = default;

Document::Document(bool value) : value_(value) {}
Document::Document(int value) : value_(std::int64_t{value}) {}
Document::Document(std::int64_t value) : value_(value) {}
Document::Document(double value) : value_(value) {}
Document::Document(const char* value) : value_(std::string(value)) {}
Document::Document(std::string value) : value_(std::move(value)) {}
Document::Document(std::string_view value) : value_(std::string(value)) {}
Document::Document(Matrix value) : value_(std::move(value)) {}
Document::Document(const Vector& value) : value_(Matrix(value)) {}
Document::Document(Array value) : value_(std::move(value)) {}
Document::Document(Object value) : value_(std::move(value)) {}
Document::Document(const std::vector<std::string>& values) : value_(Array(values.begin(), values.end())) {}
Document::Document(const std::vector<double>& values) : value_(Array(values.begin(), values.end())) {}

bool Document::as_bool() const { return expect<bool>(*this, "true or false"); }
std::int64_t Document::as_integer() const { return expect<std::int64_t>(*this, "a whole number"); }

double Document::as_number() const {
  if (const auto* integer = std::get_if<std::int64_t>(&value_)) return static_cast<double>(*integer);
  return expect<double>(*this, "a number");
}

const std::string& Document::as_string() const { return expect<std::string>(*this, "a text"); }
const Matrix& Document::as_matrix() const { return expect<Matrix>(*this, "a matrix"); }

Vector Document::as_vector() const {
  const Matrix& matrix = as_matrix();
  if (matrix.cols() != 1) {
    throw FormatError(message("expected a vector, found a matrix of ", matrix.cols(), " columns"));
  }
  return matrix.col(0);
}

const Document::Array& Document::as_array() const { return expect<Array>(*this, "a list"); }
const Document::Object& Document::as_object() const { return expect<Object>(*this, "an object"); }

std::vector<std::string> Document::as_strings() const {
  std::vector<std::string> out;
  for (const Document& item : as_array()) out.push_back(item.as_string());
  return out;
}

std::vector<double> Document::as_numbers() const {
  std::vector<double> out;
  for (const Document& item : as_array()) out.push_back(item.as_number());
  return out;
}

const Document* Document::find(std::string_view key) const {
  for (const Member& member : as_object()) {
    if (member.first == key) return &member.second;
  }
  return nullptr;
}

const Document& Document::at(std::string_view key) const {
  const Document* found = find(key);
  if (found == nullptr) throw FormatError(message("the key '", key, "' is missing"));
  return *found;
}

Document& Document::set(std::string_view key, Document value) {
  if (is_null()) value_ = Object{};
  if (!std::holds_alternative<Object>(value_)) {
    throw std::logic_error(message("Document::set: '", key, "' set on ", kind()));
  }
  for (Member& member : std::get<Object>(value_)) {
    if (member.first == key) {
      member.second = std::move(value);
      return *this;
    }
  }
  std::get<Object>(value_).emplace_back(std::string(key), std::move(value));
  return *this;
}

std::string_view Document::kind() const {
  constexpr std::string_view names[] = {"null",   "true or false", "a whole number", "a number",
                                        "a text", "a matrix",      "a list",         "an object"};
  return names[value_.index()];
}

bool operator==(const Document& a, const Document& b) {
  if (a.value_.index() != b.value_.index()) return false;
  if (const auto* number = std::get_if<double>(&a.value_)) return same_bits(*number, std::get<double>(b.value_));
  if (const auto* matrix = std::get_if<Matrix>(&a.value_)) return same_bits(*matrix, std::get<Matrix>(b.value_));
  if (const auto* text = std::get_if<std::string>(&a.value_)) return *text == std::get<std::string>(b.value_);
  if (const auto* array = std::get_if<Document::Array>(&a.value_)) return *array == std::get<Document::Array>(b.value_);
  if (const auto* object = std::get_if<Document::Object>(&a.value_)) {
    return *object == std::get<Document::Object>(b.value_);
  }
  if (const auto* integer = std::get_if<std::int64_t>(&a.value_)) return *integer == std::get<std::int64_t>(b.value_);
  if (const auto* truth = std::get_if<bool>(&a.value_)) return *truth == std::get<bool>(b.value_);
  return true;
}

}  // namespace condens
