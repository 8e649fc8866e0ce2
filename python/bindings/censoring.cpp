// Scores of targets that are known by their limits, Kaplan-Meier and concordance.

#include "censoring.hpp"

#include "bindings.hpp"
#include "condens/core/errors.hpp"
#include "condens/io/model_file.hpp"
#include "condens/metrics/censored_scores.hpp"
#include "condens/metrics/survival.hpp"
#include "datasets.hpp"
#include "documents.hpp"
#include "released.hpp"

namespace condens::python {

namespace {

nb::object score_rows(const Model& model, const Rows& x, const Line& low, const Line& high, const nb::object& entry,
                      const nb::object& weights, int threads, const nb::object& callback) {
  const Censoring rows = censoring_of(nb::cast(low), nb::cast(high), entry);
  Dataset data{.x = borrow(x), .y = Matrix(rows.representatives().transpose())};
  if (!weights.is_none()) data.weights = vector_of(nb::cast<Line>(weights));
  const PlaceOfRow place = [](Index row) { return message("row ", row + 1, " (counting from 1)"); };
  const CensoredScores scores = released(threads, callback, [&](const Run& run) {
    return score_censored(*model.density, model.target, data, rows, place, run);
  });
  return to_python(to_document(scores));
}

nb::dict curve_of(const Line& low, const Line& high, const nb::object& entry, const nb::object& weights) {
  const Vector own = weights.is_none() ? Vector() : Vector(vector_of(nb::cast<Line>(weights)));
  const SurvivalCurve curve = kaplan_meier(censoring_of(nb::cast(low), nb::cast(high), entry), own);
  nb::dict out;
  out["times"] = to_line(curve.times);
  out["survival"] = to_line(curve.survival);
  out["standard_error"] = to_line(curve.standard_error);
  out["at_risk"] = to_line(curve.at_risk);
  out["events"] = to_line(curve.events);
  return out;
}

nb::dict concordance_of(const Line& low, const Line& high, const Line& predictions) {
  const Concordance found =
      concordance(censoring_of(nb::cast(low), nb::cast(high), nb::none()), vector_of(predictions));
  nb::dict out;
  out["value"] = found.value;
  out["n_pairs"] = found.n_pairs;
  return out;
}

}  // namespace

void bind_censoring(nb::module_& m) {
  m.def("score_censored", &score_rows, nb::arg("model"), nb::arg("x").noconvert(), nb::arg("low").noconvert(),
        nb::arg("high").noconvert(), nb::arg("entry") = nb::none(), nb::arg("weights") = nb::none(),
        nb::arg("threads") = 0, nb::arg("callback") = nb::none());
  m.def("kaplan_meier", &curve_of, nb::arg("low").noconvert(), nb::arg("high").noconvert(),
        nb::arg("entry") = nb::none(), nb::arg("weights") = nb::none());
  m.def("concordance", &concordance_of, nb::arg("low").noconvert(), nb::arg("high").noconvert(),
        nb::arg("predictions").noconvert());
}

}  // namespace condens::python
