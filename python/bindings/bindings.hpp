#pragma once
// The parts of the extension module condens._core.

#include <nanobind/nanobind.h>

namespace condens::python {

void bind_comparison(nanobind::module_& m);
void bind_laws(nanobind::module_& m);
void bind_encoder(nanobind::module_& m);
void bind_models(nanobind::module_& m);
void bind_censoring(nanobind::module_& m);
void bind_conformal(nanobind::module_& m);
void bind_objectives(nanobind::module_& m);
void bind_row_sums(nanobind::module_& m);
void bind_solvers(nanobind::module_& m);
void bind_target_laws(nanobind::module_& m);

}  // namespace condens::python
