#pragma once
// Functions of many distributions as methods of their classes: flat arrays in and out.

#include <type_traits>
#include <vector>

#include "arrays.hpp"
#include "bindings.hpp"
#include "condens/distributions/gaussian_mixture.hpp"
#include "released.hpp"

namespace condens::python {

template <class Laws, class Bound>
void add_at_points(nb::class_<Laws>& c, const char* name, Bound function, const char* text) {
  c.def(
      name,
      [function](const Laws& laws, const Rows& y, int threads, const nb::object& callback) {
        return to_line(released(threads, callback,
                                [&](const Run& run) -> Vector { return (laws.*function)(columns_of(y), run); }));
      },
      nb::arg("y").noconvert(), nb::arg("threads") = 0, nb::arg("callback") = nb::none(), text);
}

template <class Laws, class Bound>
void add_at_numbers(nb::class_<Laws>& c, const char* name, Bound function, const char* text) {
  c.def(
      name,
      [function](const Laws& laws, const Line& y, int threads, const nb::object& callback) {
        return to_line(
            released(threads, callback, [&](const Run& run) -> Vector { return (laws.*function)(vector_of(y), run); }));
      },
      nb::arg("y").noconvert(), nb::arg("threads") = 0, nb::arg("callback") = nb::none(), text);
}

template <class Laws, class Result>
void add_summary(nb::class_<Laws>& c, const char* name, Result (Laws::*function)(const Run&) const, const char* text) {
  c.def(
      name,
      [function](const Laws& laws, int threads, const nb::object& callback) {
        auto out = released(threads, callback, [&](const Run& run) { return (laws.*function)(run); });
        if constexpr (std::is_same_v<Result, Vector>)
          return to_line(std::move(out));
        else
          return to_rows(std::move(out));
      },
      nb::arg("threads") = 0, nb::arg("callback") = nb::none(), text);
}

template <class Laws>
void add_grid(nb::class_<Laws>& c, const char* text) {
  c.def(
      "log_pdf_grid",
      [](const Laws& laws, const Rows& y, int threads, const nb::object& callback) {
        return to_rows(
            released(threads, callback, [&](const Run& run) { return laws.log_pdf_grid(columns_of(y), run); }));
      },
      nb::arg("y").noconvert(), nb::arg("threads") = 0, nb::arg("callback") = nb::none(), text);
}

inline nb::list intervals(const std::vector<std::vector<Interval>>& regions) {
  nb::list out;
  for (const std::vector<Interval>& region : regions) {
    Matrix ends(2, static_cast<Index>(region.size()));
    for (std::size_t i = 0; i < region.size(); ++i) {
      ends.col(static_cast<Index>(i)) << region[i].lower, region[i].upper;
    }
    out.append(to_rows(std::move(ends)));
  }
  return out;
}

/// Regions and draws, and parts of the array.
template <class Laws>
void add_regions(nb::class_<Laws>& c) {
  c.def(
      "interval",
      [](const Laws& laws, double mass, int threads, const nb::object& callback) {
        return to_rows(released(threads, callback, [&](const Run& run) { return laws.interval(mass, run); }));
      },
      nb::arg("mass"), nb::arg("threads") = 0, nb::arg("callback") = nb::none(), "(n, 2)");
  c.def(
      "highest_density_region",
      [](const Laws& laws, double mass, int threads, const nb::object& callback) {
        return intervals(
            released(threads, callback, [&](const Run& run) { return laws.highest_density_region(mass, run); }));
      },
      nb::arg("mass"), nb::arg("threads") = 0, nb::arg("callback") = nb::none(), "A list of (k_i, 2).");
  c.def(
      "sample",
      [](const Laws& laws, Index per_law, std::uint64_t seed, int threads, const nb::object& callback) {
        return to_rows(released(threads, callback, [&](const Run& run) { return laws.sample(per_law, seed, run); }));
      },
      nb::arg("per_law"), nb::arg("seed"), nb::arg("threads") = 0, nb::arg("callback") = nb::none(),
      "(n per_law, d), the draws of a law in a row.");
  c.def("slice", &Laws::slice, nb::arg("begin"), nb::arg("count"));
  c.def("select", &Laws::select, nb::arg("laws"));
  c.def("__len__", &Laws::size);
  c.def_prop_ro("dimension", &Laws::dimension);
}

}  // namespace condens::python
