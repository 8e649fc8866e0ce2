// condens._core, compiled once for every instruction-set level; the package loads the one
// for the processor at hand.

#include <nanobind/nanobind.h>

#include "bindings.hpp"
#include "condens/core/errors.hpp"

namespace nb = nanobind;

NB_MODULE(_core, m) {
  m.doc() = "The compiled core of condens. Use the condens package instead.";
  m.attr("level") = CONDENS_LEVEL_NAME;
  m.attr("version") = CONDENS_VERSION;
  nb::exception<condens::NumericalError>(m, "NumericalError", PyExc_ArithmeticError).attr("__module__") = "condens";
  nb::exception<condens::FormatError>(m, "FormatError", PyExc_ValueError).attr("__module__") = "condens";
  nb::exception<condens::Cancelled>(m, "Cancelled", PyExc_RuntimeError).attr("__module__") = "condens";
  condens::python::bind_laws(m);
  condens::python::bind_models(m);
}
