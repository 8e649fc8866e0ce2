// Intervals and regions with a guarantee, and how often they hold.

#include "condens/model/conformal.hpp"

#include <cpp11/sexp.hpp>

#include "bindings.hpp"
#include "condens/core/errors.hpp"
#include "condens/metrics/coverage_slices.hpp"
#include "condens/registry.hpp"
#include "convert.hpp"
#include "failure.hpp"
#include "laws.hpp"
#include "model_object.hpp"
#include "running.hpp"

namespace condens::r {

namespace {

/// body(laws, x, shift, run) of the model at new rows. `shift`: whether their inputs come from another distribution
/// than those of the fit, by how much is then estimated.
template <class Body>
auto with_laws(const Model& model, SEXP columns, SEXP shift, SEXP threads, const Body& body) {
  require(model.conformal.has_value(), "the model was fitted without conformal, expected one with it");
  const Matrix x = model.encoder.encode_inputs(table_of(columns));
  return running(Rf_asInteger(threads), false, [&](const Run& run) {
    std::optional<ShiftWeights> weights;
    if (Rf_asLogical(shift) == TRUE) weights = estimate_shift(*model.conformal, x, 0, run);
    return model.target ? body(model.target->predict(*model.density, x, run), x, weights, run)
                        : body(model.density->predict(x, run), x, weights, run);
  });
}

}  // namespace

extern "C" {

SEXP condens_conformal_intervals(SEXP model, SEXP columns, SEXP level, SEXP shift, SEXP threads) {
  return guarded([&] {
    const auto own = model_of(model);
    return rows_to_r(with_laws(*own, columns, shift, threads,
                               [&](const auto& laws, const Matrix& x, const auto& weights, const Run& run) {
                                 return conformal_intervals(*own->conformal, laws, Rf_asReal(level), x, weights, run);
                               }));
  });
}

SEXP condens_conformal_regions(SEXP model, SEXP columns, SEXP level, SEXP shift, SEXP threads) {
  return guarded([&] {
    const auto own = model_of(model);
    return regions_to_r(with_laws(*own, columns, shift, threads,
                                  [&](const auto& laws, const Matrix& x, const auto& weights, const Run& run) {
                                    return conformal_regions(*own->conformal, laws, Rf_asReal(level), x, weights, run);
                                  }));
  });
}

SEXP condens_coverage_slices(SEXP model, SEXP columns, SEXP weights, SEXP level, SEXP threads) {
  return guarded([&] {
    const auto own = model_of(model);
    Dataset data = own->encoder.encode(table_of(columns));
    if (weights != R_NilValue) data.weights = vector_of(weights);
    const CoverageSlices found = running(Rf_asInteger(threads), false, [&](const Run& run) {
      return coverage_slices(*own->density, own->target, own->conformal, own->encoder, data, Rf_asReal(level), run);
    });
    return to_r(to_document(found));
  });
}

}  // extern "C"

}  // namespace condens::r
