// Values of R and those of condens.

#include "convert.hpp"

#include <cmath>
#include <cpp11/protect.hpp>
#include <limits>

#include "condens/core/errors.hpp"

namespace condens::r {

namespace {

using cpp11::safe;

/// Protected as long as it lives.
class Kept {
 public:
  explicit Kept(SEXP value) : value_(value) { R_PreserveObject(value); }
  ~Kept() { R_ReleaseObject(value_); }
  Kept(const Kept&) = delete;
  Kept& operator=(const Kept&) = delete;
  operator SEXP() const { return value_; }

 private:
  SEXP value_;
};

SEXP new_vector(SEXPTYPE type, std::size_t length) { return safe[Rf_allocVector](type, static_cast<R_xlen_t>(length)); }

SEXP char_of(const std::string& text) {
  return safe[Rf_mkCharLenCE](text.data(), static_cast<int>(text.size()), CE_UTF8);
}

bool is_number(const Document& item) {
  return std::holds_alternative<double>(item.value()) || std::holds_alternative<std::int64_t>(item.value());
}

bool is_text(const Document& item) { return std::holds_alternative<std::string>(item.value()); }

bool is_truth(const Document& item) { return std::holds_alternative<bool>(item.value()); }

template <class Is>
bool all(const Document::Array& items, const Is& is) {
  return !items.empty() && std::all_of(items.begin(), items.end(), is);
}

SEXP array_to_r(const Document::Array& items) {
  const auto n = static_cast<R_xlen_t>(items.size());
  if (all(items, is_number)) {
    SEXP out = new_vector(REALSXP, items.size());
    for (R_xlen_t i = 0; i < n; ++i) REAL(out)[i] = items[static_cast<std::size_t>(i)].as_number();
    return out;
  }
  if (all(items, is_truth)) {
    SEXP out = new_vector(LGLSXP, items.size());
    for (R_xlen_t i = 0; i < n; ++i) LOGICAL(out)[i] = items[static_cast<std::size_t>(i)].as_bool();
    return out;
  }
  if (all(items, is_text)) {
    const Kept out(new_vector(STRSXP, items.size()));
    for (R_xlen_t i = 0; i < n; ++i) SET_STRING_ELT(out, i, char_of(items[static_cast<std::size_t>(i)].as_string()));
    return out;
  }
  const Kept out(new_vector(VECSXP, items.size()));
  for (R_xlen_t i = 0; i < n; ++i) SET_VECTOR_ELT(out, i, to_r(items[static_cast<std::size_t>(i)]));
  return out;
}

SEXP object_to_r(const Document::Object& members) {
  const Kept out(new_vector(VECSXP, members.size()));
  const Kept names(new_vector(STRSXP, members.size()));
  R_xlen_t i = 0;
  for (const auto& [key, item] : members) {
    SET_STRING_ELT(names, i, char_of(key));
    SET_VECTOR_ELT(out, i++, to_r(item));
  }
  safe[Rf_setAttrib](out, R_NamesSymbol, names);
  return out;
}

Document number(double value) {
  constexpr double most = 9007199254740992.0;  // 2^53
  const bool whole = std::nearbyint(value) == value && std::abs(value) < most;
  return whole ? Document(static_cast<std::int64_t>(value)) : Document(value);
}

/// The numbers of an integer, logical or double vector, NA as NaN.
double number_at(SEXP values, R_xlen_t i) {
  if (TYPEOF(values) == REALSXP) return REAL_ELT(values, i);
  const int value = TYPEOF(values) == INTSXP ? INTEGER_ELT(values, i) : LOGICAL_ELT(values, i);
  return value == NA_INTEGER ? std::numeric_limits<double>::quiet_NaN() : value;
}

bool is_numeric(SEXP value) { return TYPEOF(value) == REALSXP || TYPEOF(value) == INTSXP || TYPEOF(value) == LGLSXP; }

/// One value of a vector.
Document item_of(SEXP value, R_xlen_t i, const std::string& name) {
  if (TYPEOF(value) == STRSXP) {
    require(STRING_ELT(value, i) != NA_STRING, name, " = NA, expected a text");
    return std::string(safe[Rf_translateCharUTF8](STRING_ELT(value, i)));
  }
  if (TYPEOF(value) == LGLSXP) {
    require(LOGICAL_ELT(value, i) != NA_LOGICAL, name, " = NA, expected TRUE or FALSE");
    return LOGICAL_ELT(value, i) != 0;
  }
  return number(number_at(value, i));
}

Document list_of(SEXP value, const std::string& name) {
  SEXP names = Rf_getAttrib(value, R_NamesSymbol);
  const R_xlen_t n = Rf_xlength(value);
  if (names == R_NilValue) {
    Document::Array out;
    for (R_xlen_t i = 0; i < n; ++i) out.push_back(from_r(VECTOR_ELT(value, i), name));
    return out;
  }
  Document out(Document::Object{});
  for (R_xlen_t i = 0; i < n; ++i) {
    const std::string key = safe[Rf_translateCharUTF8](STRING_ELT(names, i));
    out.set(key, from_r(VECTOR_ELT(value, i), key));
  }
  return out;
}

}  // namespace

SEXP to_r(const std::string& text) {
  const Kept out(new_vector(STRSXP, 1));
  SET_STRING_ELT(out, 0, char_of(text));
  return out;
}

SEXP to_r(const std::vector<std::string>& texts) {
  const Kept out(new_vector(STRSXP, texts.size()));
  for (std::size_t i = 0; i < texts.size(); ++i) SET_STRING_ELT(out, static_cast<R_xlen_t>(i), char_of(texts[i]));
  return out;
}

SEXP to_r(const VectorView& values) {
  SEXP out = new_vector(REALSXP, static_cast<std::size_t>(values.size()));
  Eigen::Map<Vector>(REAL(out), values.size()) = values;
  return out;
}

SEXP rows_to_r(const MatrixView& values) {
  SEXP out = safe[Rf_allocMatrix](REALSXP, static_cast<int>(values.cols()), static_cast<int>(values.rows()));
  Eigen::Map<Matrix>(REAL(out), values.cols(), values.rows()) = values.transpose();
  return out;
}

SEXP to_r(const Document& document) {
  const Document::Value& value = document.value();
  if (const auto* truth = std::get_if<bool>(&value)) return safe[Rf_ScalarLogical](*truth);
  if (const auto* whole = std::get_if<std::int64_t>(&value)) {
    const bool fits = std::abs(*whole) <= std::numeric_limits<int>::max();
    return fits ? safe[Rf_ScalarInteger](static_cast<int>(*whole)) : safe[Rf_ScalarReal](static_cast<double>(*whole));
  }
  if (const auto* real = std::get_if<double>(&value)) return safe[Rf_ScalarReal](*real);
  if (const auto* text = std::get_if<std::string>(&value)) return to_r(*text);
  if (const auto* matrix = std::get_if<Matrix>(&value)) {
    if (matrix->cols() == 1) return to_r(VectorView(matrix->col(0)));
    return rows_to_r(*matrix);
  }
  if (const auto* array = std::get_if<Document::Array>(&value)) return array_to_r(*array);
  if (const auto* object = std::get_if<Document::Object>(&value)) return object_to_r(*object);
  return R_NilValue;
}

Document from_r(SEXP value, const std::string& name) {
  if (value == R_NilValue) return {};
  if (TYPEOF(value) == VECSXP) return list_of(value, name);
  require(is_numeric(value) || TYPEOF(value) == STRSXP, name, " is of type ",
          safe[Rf_type2char](static_cast<SEXPTYPE>(TYPEOF(value))),
          ", expected numbers, TRUE or FALSE, texts, a list or a numeric matrix");
  if (Rf_isMatrix(value) && is_numeric(value)) return columns_of(value);
  const R_xlen_t n = Rf_xlength(value);
  if (n == 1) return item_of(value, 0, name);
  Document::Array out;
  for (R_xlen_t i = 0; i < n; ++i) out.push_back(item_of(value, i, name));
  return out;
}

Matrix columns_of(SEXP rows) {
  require(is_numeric(rows), "expected a numeric matrix");
  const Index n = Rf_isMatrix(rows) ? Rf_nrows(rows) : static_cast<Index>(Rf_xlength(rows));
  const Index d = Rf_isMatrix(rows) ? Rf_ncols(rows) : 1;
  Matrix out(d, n);
  for (Index j = 0; j < d; ++j) {
    for (Index i = 0; i < n; ++i) out(j, i) = number_at(rows, j * n + i);
  }
  return out;
}

Vector vector_of(SEXP numbers) {
  if (numbers == R_NilValue) return {};
  return columns_of(numbers).reshaped();
}

std::string text_of(SEXP text) {
  require(TYPEOF(text) == STRSXP && Rf_xlength(text) == 1 && STRING_ELT(text, 0) != NA_STRING,
          "expected one text, not NA");
  return safe[Rf_translateCharUTF8](STRING_ELT(text, 0));
}

std::vector<std::string> texts_of(SEXP texts) {
  std::vector<std::string> out;
  for (R_xlen_t i = 0; i < Rf_xlength(texts); ++i) {
    out.emplace_back(safe[Rf_translateCharUTF8](STRING_ELT(texts, i)));
  }
  return out;
}

Table table_of(SEXP columns) {
  Table out;
  SEXP names = Rf_getAttrib(columns, R_NamesSymbol);
  for (R_xlen_t j = 0; j < Rf_xlength(columns); ++j) {
    SEXP column = VECTOR_ELT(columns, j);
    std::string name = safe[Rf_translateCharUTF8](STRING_ELT(names, j));
    const R_xlen_t n = Rf_xlength(column);
    if (TYPEOF(column) == STRSXP) {
      std::vector<std::string> texts(static_cast<std::size_t>(n));
      for (R_xlen_t i = 0; i < n; ++i) {
        if (STRING_ELT(column, i) != NA_STRING) {
          texts[static_cast<std::size_t>(i)] = safe[Rf_translateCharUTF8](STRING_ELT(column, i));
        }
      }
      out.add({std::move(name), std::move(texts)});
    } else {
      std::vector<double> numbers(static_cast<std::size_t>(n));
      for (R_xlen_t i = 0; i < n; ++i) numbers[static_cast<std::size_t>(i)] = number_at(column, i);
      out.add({std::move(name), std::move(numbers)});
    }
  }
  return out;
}

SEXP at(SEXP list, const char* name) {
  SEXP names = Rf_getAttrib(list, R_NamesSymbol);
  for (R_xlen_t i = 0; i < Rf_xlength(list); ++i) {
    if (std::string_view(CHAR(STRING_ELT(names, i))) == name) return VECTOR_ELT(list, i);
  }
  throw std::invalid_argument(message("the list has no element '", name, "'"));
}

}  // namespace condens::r
