// Criteria of the papers at any point, with their gradients: for researchers and checks.

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <tuple>

#include "arrays.hpp"
#include "bindings.hpp"
#include "condens/core/errors.hpp"
#include "condens/estimators/gaussian_process/likelihood.hpp"
#include "condens/estimators/lsce/projection_objective.hpp"
#include "condens/estimators/nadaraya_watson/leave_one_out.hpp"
#include "condens/estimators/press/objective.hpp"
#include "condens/estimators/sacde.hpp"
#include "condens/optim/orthogonal_regression.hpp"
#include "released.hpp"

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

enum class Projected { entropy, information };

/// SCE-hat or SMI-hat at W and its derivatives by W; centers: rows of [x, y].
std::tuple<double, Array> projected(Projected which, const Rows& w, const Rows& x, const Rows& y, const Rows& centers,
                                    const std::tuple<double, double>& bandwidths, double regularization, bool envelope,
                                    int threads) {
  const auto inputs = columns_of(x);
  const auto targets = columns_of(y);
  const auto both = columns_of(centers);
  const char* const name = which == Projected::entropy ? "sce" : "lsmi";
  const auto [width, width_y] = bandwidths;
  require(inputs.cols() == targets.cols(), name, ": X has ", inputs.cols(), " rows, Y ", targets.cols());
  require(both.rows() == inputs.rows() + targets.rows(), name, ": centers have ", both.rows(),
          " numbers each, expected ", inputs.rows() + targets.rows(), ": ", inputs.rows(), " of x and ", targets.rows(),
          " of y");
  require(targets.allFinite() && both.allFinite(), name, ": NaN or infinity in Y or centers");
  require(width > 0 && std::isfinite(width), name, ": bandwidth = ", width, ", expected > 0");
  require(width_y > 0 && std::isfinite(width_y), name, ": bandwidth_y = ", width_y, ", expected > 0");
  const auto centers_y = both.bottomRows(targets.rows());
  const Vector equal = Vector(0);
  const ProjectionObjective objective(inputs, equal, both.topRows(inputs.rows()),
                                      which == Projected::entropy ? sce_kernels(targets, centers_y, width_y)
                                                                  : smi_kernels(targets, equal, centers_y, width_y),
                                      width, regularization,
                                      envelope ? ProjectionCriterion::envelope : ProjectionCriterion::plug_in);
  const Matrix at = matrix_of(w);
  ProjectionValue found = released(threads, nb::none(), [&](const Run& run) {
    Task task(run, name, 1);
    return objective.evaluate(at, task.threads(), [&] { task.poll(); });
  });
  if (!std::isfinite(found.value)) {
    throw NumericalError(message(name,
                                 ": the system of the coefficients has no solution in double precision; a larger ",
                                 "regularization gives one"));
  }
  if (which == Projected::entropy) return {found.value, to_array(found.gradient)};
  return {-0.5 - found.value, to_array(-found.gradient)};
}

/// -log p(y) and its derivatives by the length scales, the signal's and the noise's variance themselves.
std::tuple<double, Array, double, double> gaussian_process(const Line& length_scales, double signal, double noise,
                                                           const Rows& x, const Line& y, const Line& weights,
                                                           int threads) {
  const auto inputs = columns_of(x);
  const gp::Hyperparameters at{vector_of(length_scales), signal, noise};
  require(at.length_scales.size() == inputs.rows(), "gaussian_process: ", at.length_scales.size(),
          " length scales, expected ", inputs.rows(), ", one for each column of X");
  require(inputs.cols() > 0 && vector_of(y).size() == inputs.cols(), "gaussian_process: X has ", inputs.cols(),
          " rows, y ", vector_of(y).size());
  require(vector_of(weights).size() == inputs.cols() && (vector_of(weights).array() > 0).all(),
          "gaussian_process: expected a weight > 0 for each row");
  require((at.length_scales.array() > 0).all() && signal > 0 && noise > 0 && at.length_scales.allFinite() &&
              std::isfinite(signal) && std::isfinite(noise),
          "gaussian_process: length scales and variances must be > 0 and finite");
  require(inputs.allFinite() && vector_of(y).allFinite() && vector_of(weights).allFinite(),
          "gaussian_process: NaN or infinity in X, y or sample_weight");
  const Vector mean = inputs.rowwise().mean();
  const Matrix centred = inputs.colwise() - mean;
  const gp::Likelihood found = released(threads, nb::none(), [&](const Run& run) {
    const Task task(run, "gaussian_process", 1);
    return gp::negative_log_likelihood(centred, vector_of(y), vector_of(weights), at, task.threads());
  });
  return {found.negative_log, to_line(found.length_scales.cwiseQuotient(at.length_scales)),
          found.signal_variance / signal, found.noise_variance / noise};
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
  const auto bind_projected = [&](const char* name, Projected which) {
    m.def(
        name,
        [which](const Rows& w, const Rows& x, const Rows& y, const Rows& centers,
                const std::tuple<double, double>& bandwidths, double regularization, bool envelope, int threads) {
          return projected(which, w, x, y, centers, bandwidths, regularization, envelope, threads);
        },
        nb::arg("w"), nb::arg("x"), nb::arg("y"), nb::arg("centers"), nb::arg("bandwidths"), nb::arg("regularization"),
        nb::arg("envelope"), nb::arg("threads"));
  };
  bind_projected("sce", Projected::entropy);
  bind_projected("lsmi", Projected::information);
  m.def("gaussian_process", &gaussian_process, nb::arg("length_scales"), nb::arg("signal_variance"),
        nb::arg("noise_variance"), nb::arg("x"), nb::arg("y"), nb::arg("weights"), nb::arg("threads"));
  m.def("ofr_loo", &ofr_loo_path, nb::arg("centers"), nb::arg("scales"), nb::arg("x"), nb::arg("target"),
        nb::arg("regularization"));
}

}  // namespace condens::python
