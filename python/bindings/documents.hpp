#pragma once
// Documents as Python's dict, list, str, int, float, bool and None, and back. A matrix
// of one column is a 1-D array, any other an array with a row per column.

#include <nanobind/nanobind.h>

#include "condens/core/document.hpp"

namespace condens::python {

nanobind::object to_python(const Document& document);

/// The bytes of a str; throws std::invalid_argument for lone surrogates. `name` begins the message.
std::string text_of(nanobind::handle value, const std::string& name);

/// Throws TypeError for what a document does not hold. `name` begins the message.
Document from_python(nanobind::handle value, const std::string& name);

/// As CBOR, for processes and machines to hand on; `what` names it in messages.
nanobind::bytes to_bytes(const Document& document, const char* what);
/// Throws FormatError for damaged ones.
Document from_bytes(const nanobind::bytes& bytes, const char* what);

}  // namespace condens::python
