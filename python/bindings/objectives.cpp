// Criteria of the papers at any point, with their gradients: for researchers and checks.

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <string>
#include <tuple>

#include "arrays.hpp"
#include "bindings.hpp"
#include "condens/core/errors.hpp"
#include "condens/density/orthogonal_regression.hpp"
#include "condens/models/nw_likelihood.hpp"
#include "condens/models/press_objective.hpp"
#include "condens/models/sacde.hpp"

namespace condens::python {

namespace {

/// A k x d array as a k x d matrix.
Matrix matrix_of(const Rows& rows) { return columns_of(rows).transpose(); }
Array to_array(const Matrix& values) { return to_rows(values.transpose()); }

std::tuple<double, Array> nw_loo_widths(const Line& widths, const Rows& x, const Rows& y, double bandwidth_y,
                                        int threads) {
  const NwLeaveOneOut rows(columns_of(x), columns_of(y));
  const Vector h = vector_of(widths);
  const NwLikelihood found = rows.of_widths(h, bandwidth_y, threads);
  return {found.value, to_line(found.gradient.col(0).cwiseQuotient(h))};  // by h, not by log h
}

std::tuple<double, Array> nw_loo_matrix(const Rows& w, const Rows& x, const Rows& y, double bandwidth_y, int threads) {
  const NwLikelihood found = NwLeaveOneOut(columns_of(x), columns_of(y)).of_matrix(matrix_of(w), bandwidth_y, threads);
  return {found.value, to_array(found.gradient)};
}

std::tuple<double, Array, double, double> sacde(const Rows& alpha, const Rows& x, const Rows& y, const Rows& centers,
                                                double bandwidth, double bandwidth_y, double regularization) {
  const SacdeObjective found = sacde_objective(columns_of(alpha), columns_of(x), columns_of(y), columns_of(centers),
                                               bandwidth, bandwidth_y, regularization);
  return {found.value, to_rows(found.gradient), found.gap, found.kkt_residual};
}

PressCriterion criterion_named(const std::string& name) {
  constexpr auto& names = choice_names<PressCriterion>;
  const auto* at = std::find(names.begin(), names.end(), name);
  require(at != names.end(), "press: criterion = '", name, "', expected mse, loocv, gcv, loo or likelihood");
  return static_cast<PressCriterion>(at - names.begin());
}

/// theta: (d + 1) x J, intercepts first; widths: J for the likelihood, else none.
std::tuple<double, Array> press(const Rows& theta, const Rows& x, const Rows& y, const std::string& criterion,
                                const std::tuple<double, double>& smoothness, const Line& widths, const Line& weights,
                                int threads) {
  const Matrix parameters = matrix_of(theta);
  const Dataset rows{.x = Observations::borrow(x.data(), columns_of(x).rows(), columns_of(x).cols()),
                     .y = Observations::borrow(y.data(), columns_of(y).rows(), columns_of(y).cols()),
                     .weights = vector_of(weights)};
  rows.check("press");
  const PressMap map(rows.x.rows(), parameters.cols());
  const PressPenalties penalties{.smoothness = std::get<0>(smoothness), .smoothness_weight = std::get<1>(smoothness)};
  const PressCriterion which = criterion_named(criterion);
  const PressObjective objective = which == PressCriterion::likelihood
                                       ? PressObjective(rows, map, {make_nodes(rows.y, 0.0)}, {}, penalties)
                                       : PressObjective(rows, map, which, penalties);
  const PressEvaluation found = objective.evaluate(parameters.reshaped(), vector_of(widths), threads);
  Matrix gradient = found.gradient.reshaped(parameters.rows(), parameters.cols());
  return {found.value, to_array(gradient)};
}

Array ofr_loo_path(const Rows& centers, const Rows& scales, const Rows& x, const Line& target, double regularization) {
  return to_line(ofr_loo(columns_of(centers), columns_of(scales), columns_of(x), vector_of(target), regularization));
}

}  // namespace

void bind_objectives(nb::module_& m) {
  m.def("nw_loo_widths", &nw_loo_widths, nb::arg("widths"), nb::arg("x"), nb::arg("y"), nb::arg("bandwidth_y"),
        nb::arg("threads"));
  m.def("nw_loo_matrix", &nw_loo_matrix, nb::arg("w"), nb::arg("x"), nb::arg("y"), nb::arg("bandwidth_y"),
        nb::arg("threads"));
  m.def("sacde_objective", &sacde, nb::arg("alpha"), nb::arg("x"), nb::arg("y"), nb::arg("centers"),
        nb::arg("bandwidth"), nb::arg("bandwidth_y"), nb::arg("regularization"));
  m.def("press_objective", &press, nb::arg("theta"), nb::arg("x"), nb::arg("y"), nb::arg("criterion"),
        nb::arg("smoothness"), nb::arg("widths"), nb::arg("weights"), nb::arg("threads"));
  m.def("ofr_loo", &ofr_loo_path, nb::arg("centers"), nb::arg("scales"), nb::arg("x"), nb::arg("target"),
        nb::arg("regularization"));
}

}  // namespace condens::python
