// Quadratic programmes over the simplex, with their certificates.

#include <nanobind/nanobind.h>
#include <nanobind/stl/tuple.h>

#include <tuple>

#include "arrays.hpp"
#include "bindings.hpp"
#include "condens/core/parallel.hpp"
#include "condens/optim/mnqp.hpp"
#include "condens/optim/simplex_qp.hpp"
#include "released.hpp"

namespace condens::python {

namespace {

std::tuple<Array, double, double, Index> simplex_qp(const Rows& b, const Line& v, double tolerance, int threads) {
  const SimplexQp found = released(threads, nb::none(), [&](const Run& run) {
    Task task(run, "simplex_qp", 1);
    return solve_simplex_qp(columns_of(b), vector_of(v),
                            {.tolerance = tolerance, .threads = task.threads(), .poll = [&] { task.poll(); }});
  });
  return {to_line(found.solution), found.objective, found.gap, found.iterations};
}

std::tuple<Array, Array, double> multiplicative(const Rows& b, const Line& v, Index iterations, bool printed) {
  const Mnqp found = released(1, nb::none(), [&](const Run& run) {
    Task task(run, "mnqp", 1);
    return mnqp(columns_of(b), vector_of(v), iterations, printed ? MnqpStep::printed : MnqpStep::repaired,
                [&] { task.poll(); });
  });
  return {to_line(found.solution), to_line(found.objective), found.gap};
}

}  // namespace

void bind_solvers(nb::module_& m) {
  m.def("simplex_qp", &simplex_qp, nb::arg("b"), nb::arg("v"), nb::arg("tolerance"), nb::arg("threads"));
  m.def("mnqp", &multiplicative, nb::arg("b"), nb::arg("v"), nb::arg("iterations"), nb::arg("printed"));
}

}  // namespace condens::python
