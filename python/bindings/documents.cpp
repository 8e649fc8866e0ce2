#include "documents.hpp"

#include <nanobind/stl/string.h>

#include "arrays.hpp"
#include "condens/core/errors.hpp"
#include "condens/io/document_format.hpp"

namespace condens::python {

nb::object to_python(const Document& document) {
  const Document::Value& value = document.value();
  if (const auto* truth = std::get_if<bool>(&value)) return nb::bool_(*truth);
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return nb::int_(*whole);
  if (const auto* number = std::get_if<double>(&value)) return nb::float_(*number);
  if (const auto* text = std::get_if<std::string>(&value)) return nb::str(text->data(), text->size());
  if (const auto* matrix = std::get_if<Matrix>(&value)) {
    if (matrix->cols() == 1) return nb::cast(to_line(matrix->col(0)));
    return nb::cast(to_rows(*matrix));
  }
  if (const auto* array = std::get_if<Document::Array>(&value)) {
    nb::list out;
    for (const Document& item : *array) out.append(to_python(item));
    return out;
  }
  if (const auto* object = std::get_if<Document::Object>(&value)) {
    nb::dict out;
    for (const auto& [key, item] : *object) out[nb::str(key.data(), key.size())] = to_python(item);
    return out;
  }
  return nb::none();
}

std::string text_of(nb::handle value, const std::string& name) {
  std::string text;
  if (!nb::try_cast(value, text)) {
    throw std::invalid_argument(message(name, " = ",
                                        nb::cast<std::string>(nb::steal<nb::str>(PyObject_ASCII(value.ptr()))),
                                        ", expected text that UTF-8 can hold"));
  }
  return text;
}

Document from_python(nb::handle value, const std::string& name) {
  if (value.is_none()) return {};
  if (nb::isinstance<nb::bool_>(value)) return nb::cast<bool>(value);
  if (nb::isinstance<nb::int_>(value)) {
    std::int64_t whole = 0;
    if (!nb::try_cast(value, whole)) {
      throw std::invalid_argument(message(name, " = ", nb::str(value).c_str(), ", expected an integer of 64 bits"));
    }
    return whole;
  }
  if (nb::isinstance<nb::float_>(value)) return nb::cast<double>(value);
  if (nb::isinstance<nb::str>(value)) return text_of(value, name);
  if (Rows rows; nb::try_cast(value, rows, false)) return Matrix(columns_of(rows));
  if (nb::isinstance<nb::list>(value) || nb::isinstance<nb::tuple>(value)) {
    Document::Array out;
    for (const nb::handle item : value) out.push_back(from_python(item, name));
    return out;
  }
  if (nb::isinstance<nb::dict>(value)) {
    Document out(Document::Object{});
    for (const auto [key, item] : nb::cast<nb::dict>(value)) {
      const std::string text = text_of(key, name);
      out.set(text, from_python(item, text));
    }
    return out;
  }
  throw nb::type_error(message(name, " is of type ", nb::type_name(value.type()).c_str(),
                               ", expected a number, text, list, dict or two-dimensional array of float64")
                           .c_str());
}

nb::bytes to_bytes(const Document& document, const char* what) {
  const std::string out = document_to_cbor(document, what);
  return nb::bytes(out.data(), out.size());
}

Document from_bytes(const nb::bytes& bytes, const char* what) {
  return document_from_cbor(std::string_view(bytes.c_str(), bytes.size()), what);
}

}  // namespace condens::python
