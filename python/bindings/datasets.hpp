#pragma once
// Arrays of Python as the observations of a fit.

#include <nanobind/nanobind.h>

#include <stdexcept>

#include "arrays.hpp"
#include "condens/data/dataset.hpp"

namespace condens::python {

inline Observations borrow(const Rows& rows) {
  return Observations::borrow(rows.data(), static_cast<Index>(rows.shape(1)), static_cast<Index>(rows.shape(0)));
}

/// Rows that stay the caller's; weights are a 1-D array or None.
inline Dataset dataset_of(const Rows& x, const Rows& y, const nb::object& weights) {
  Dataset data{.x = borrow(x), .y = borrow(y)};
  if (!weights.is_none()) data.weights = vector_of(nb::cast<Line>(weights));
  return data;
}

/// A file that cannot be read or written, whose name need not be UTF-8, as Python's OSError.
[[noreturn]] inline void raise_os_error(const std::runtime_error& error) {
  const nb::object text = nb::steal(PyUnicode_DecodeFSDefault(error.what()));
  PyErr_SetObject(PyExc_OSError, text.ptr());
  throw nb::python_error();
}

}  // namespace condens::python
