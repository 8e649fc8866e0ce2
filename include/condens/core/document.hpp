#pragma once
// One versioned tree of plain values. Model files, options and reports are
// documents; io/ writes and reads them as JSON text or CBOR.

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "condens/core/types.hpp"

namespace condens {

class Document {
 public:
  using Array = std::vector<Document>;
  using Member = std::pair<std::string, Document>;
  using Object = std::vector<Member>;  ///< in the order of insertion
  using Value = std::variant<std::monostate, bool, std::int64_t, double, std::string, Matrix, Array, Object>;

  // Compiled once: a variant's own are long, and every file has documents.
  Document();
  Document(const Document& other);
  Document(Document&& other) noexcept;
  Document& operator=(const Document& other);
  Document& operator=(Document&& other) noexcept;
  ~Document();

  Document(bool value);
  Document(int value);
  Document(std::int64_t value);
  Document(double value);
  Document(const char* value);
  Document(std::string value);
  Document(std::string_view value);
  Document(Matrix value);
  Document(const Vector& value);
  Document(Array value);
  Document(Object value);
  explicit Document(const std::vector<std::string>& values);
  explicit Document(const std::vector<double>& values);

  const Value& value() const { return value_; }
  bool is_null() const { return std::holds_alternative<std::monostate>(value_); }

  /// Typed access. Throws FormatError that names what was found instead.
  bool as_bool() const;
  std::int64_t as_integer() const;
  double as_number() const;  ///< an integer is a number, too
  const std::string& as_string() const;
  const Matrix& as_matrix() const;
  Vector as_vector() const;  ///< a matrix of one column
  const Array& as_array() const;
  const Object& as_object() const;
  std::vector<std::string> as_strings() const;
  std::vector<double> as_numbers() const;

  /// Member of an object. `at` throws FormatError that names a missing key.
  const Document& at(std::string_view key) const;
  const Document* find(std::string_view key) const;

  /// Sets (or replaces) a member; a null document becomes an object.
  Document& set(std::string_view key, Document value);

  /// "null", "a number", "a list", ...
  std::string_view kind() const;

  /// Equality to the last bit of every number.
  friend bool operator==(const Document& a, const Document& b);

 private:
  Value value_;
};

}  // namespace condens
