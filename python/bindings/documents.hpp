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

}  // namespace condens::python
