#pragma once
// Limits of a target, as Python hands them over: (low, high, entry or None), or None.

#include "arrays.hpp"
#include "condens/data/censoring.hpp"

namespace condens::python {

inline Censoring censoring_of(const nb::object& low, const nb::object& high, const nb::object& entry) {
  const auto column = [](const nb::object& own) {
    return own.is_none() ? Vector() : Vector(vector_of(nb::cast<Line>(own)));
  };
  return {column(low), column(high), column(entry)};
}

inline Censoring censoring_of(const nb::object& limits) {
  if (limits.is_none()) return {};
  return censoring_of(nb::object(limits[0]), nb::object(limits[1]), nb::object(limits[2]));
}

}  // namespace condens::python
