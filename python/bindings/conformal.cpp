// Intervals and regions with a guarantee.

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include "arrays.hpp"
#include "bindings.hpp"
#include "condens/core/errors.hpp"
#include "condens/io/model_file.hpp"
#include "condens/metrics/coverage_slices.hpp"
#include "condens/model/conformal.hpp"
#include "condens/registry.hpp"
#include "datasets.hpp"
#include "documents.hpp"
#include "functions.hpp"
#include "released.hpp"

namespace condens::python {

namespace {

/// The result of `body` for the laws of the model at x, without the interpreter.
template <class Body>
auto with_laws(const Model& model, const Rows& x, int threads, const Body& body) {
  require(model.conformal.has_value(), "the model was fitted without conformal, expected one with it");
  const auto columns = columns_of(x);
  return released(threads, nb::none(), [&](const Run& run) {
    return model.target ? body(model.target->predict(*model.density, columns, run), columns, run)
                        : body(model.density->predict(columns, run), columns, run);
  });
}

std::optional<ShiftWeights> shift_of(const nb::object& calibration, const nb::object& rows) {
  if (calibration.is_none()) return std::nullopt;
  return ShiftWeights{vector_of(nb::cast<Line>(calibration)), vector_of(nb::cast<Line>(rows))};
}

/// What `conformal=` was: False, True, or a dict.
nb::object settings_of(const Model& model) {
  if (!model.conformal) return nb::bool_(false);
  const Conformal& own = *model.conformal;
  nb::dict out;
  if (!own.is_split()) {
    const bool each = std::ssize(own.models()) == own.n_rows();
    out["method"] = each ? "jackknife+" : "cv+";
    if (!each) out["folds"] = std::ssize(own.models());
  }
  if (own.groups()) out["groups"] = own.groups()->column();
  return nb::len(out) == 0 ? nb::object(nb::bool_(true)) : nb::object(out);
}

}  // namespace

void bind_conformal(nb::module_& m) {
  m.def(
      "calibration_map",
      [](const Model& model) -> nb::object {
        const auto& map = model.density->calibration();
        return map ? nb::object(nb::make_tuple(map->n_rows(), to_line(map->values()))) : nb::none();
      },
      nb::arg("model"));
  m.def(
      "estimate_shift",
      [](const Model& model, const Rows& x, std::uint64_t seed, int threads) {
        require(model.conformal.has_value(), "weights: the model was fitted without conformal, expected one with it");
        ShiftWeights found = released(threads, nb::none(), [&](const Run& run) {
          return estimate_shift(*model.conformal, columns_of(x), seed, run);
        });
        return nb::make_tuple(to_line(std::move(found.calibration)), to_line(std::move(found.rows)));
      },
      nb::arg("model"), nb::arg("x").noconvert(), nb::arg("seed") = 0, nb::arg("threads") = 0);
  m.def(
      "coverage_slices",
      [](const Model& model, const Rows& x, const Rows& y, double level, const nb::object& weights, int threads) {
        const Dataset data = dataset_of(x, y, weights);
        return to_python(to_document(released(threads, nb::none(), [&](const Run& run) {
          return coverage_slices(*model.density, model.target, model.conformal, model.encoder, data, level, run);
        })));
      },
      nb::arg("model"), nb::arg("x").noconvert(), nb::arg("y").noconvert(), nb::arg("level"),
      nb::arg("weights") = nb::none(), nb::arg("threads") = 0);
  m.def("conformal_settings", &settings_of, nb::arg("model"));
  m.def(
      "calibration_rows",
      [](const Model& model) {
        const auto& rows = model.conformal.value().scored().rows;
        Vector out(std::ssize(rows));
        for (Index i = 0; i < out.size(); ++i) out[i] = static_cast<double>(rows[static_cast<std::size_t>(i)]);
        return to_line(std::move(out));
      },
      nb::arg("model"));
  m.def(
      "conformal_intervals",
      [](const Model& model, const Rows& x, double level, const nb::object& calibration, const nb::object& rows,
         int threads) {
        const auto shift = shift_of(calibration, rows);
        return to_rows(with_laws(model, x, threads, [&](const auto& laws, const MatrixView& at, const Run& run) {
          return conformal_intervals(*model.conformal, laws, level, at, shift, run);
        }));
      },
      nb::arg("model"), nb::arg("x").noconvert(), nb::arg("level"), nb::arg("calibration_weights") = nb::none(),
      nb::arg("row_weights") = nb::none(), nb::arg("threads") = 0);
  m.def(
      "conformal_regions",
      [](const Model& model, const Rows& x, double level, const nb::object& calibration, const nb::object& rows,
         int threads) {
        const auto shift = shift_of(calibration, rows);
        const auto found = with_laws(model, x, threads, [&](const auto& laws, const MatrixView& at, const Run& run) {
          return conformal_regions(*model.conformal, laws, level, at, shift, run);
        });
        return intervals(found);
      },
      nb::arg("model"), nb::arg("x").noconvert(), nb::arg("level"), nb::arg("calibration_weights") = nb::none(),
      nb::arg("row_weights") = nb::none(), nb::arg("threads") = 0);
}

}  // namespace condens::python
