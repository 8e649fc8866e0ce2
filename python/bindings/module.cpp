// condens._core, compiled once for every instruction-set level; the package loads the one
// for the processor at hand.

#include <nanobind/nanobind.h>

#include <stdexcept>
#include <string_view>

#include "bindings.hpp"
#include "condens/core/errors.hpp"

namespace nb = nanobind;

namespace {

/// Messages may quote bytes of a broken file: what is not UTF-8 is shown escaped.
template <class Error>
void translate(const std::exception_ptr& error, void* type) {
  try {
    std::rethrow_exception(error);
  } catch (const Error& e) {
    const std::string_view text = e.what();
    const auto size = static_cast<Py_ssize_t>(text.size());
    const nb::object escaped = nb::steal(PyUnicode_DecodeUTF8(text.data(), size, "backslashreplace"));
    PyErr_SetObject(static_cast<PyObject*>(type), escaped.ptr());
  }
}

}  // namespace

NB_MODULE(_core, m) {
  m.doc() = "The compiled core of condens. Use the condens package instead.";
  m.attr("level") = CONDENS_LEVEL_NAME;
  m.attr("version") = CONDENS_VERSION;
  nb::exception<condens::NumericalError>(m, "NumericalError", PyExc_ArithmeticError).attr("__module__") = "condens";
  nb::exception<condens::FormatError> format_error(m, "FormatError", PyExc_ValueError);
  format_error.attr("__module__") = "condens";
  nb::exception<condens::Cancelled>(m, "Cancelled", PyExc_RuntimeError).attr("__module__") = "condens";
  nb::register_exception_translator(translate<condens::FormatError>, format_error.ptr());
  nb::register_exception_translator(translate<std::invalid_argument>, PyExc_ValueError);
  condens::python::bind_laws(m);
  condens::python::bind_target_laws(m);
  condens::python::bind_encoder(m);
  condens::python::bind_models(m);
  condens::python::bind_censoring(m);
  condens::python::bind_conformal(m);
  condens::python::bind_comparison(m);
  condens::python::bind_objectives(m);
  condens::python::bind_row_sums(m);
  condens::python::bind_solvers(m);
}
