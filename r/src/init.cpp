// Tells R which functions there are.

#include <R_ext/Rdynload.h>

#include "bindings.hpp"
#include "laws.hpp"
#include "model_object.hpp"

namespace {

template <class... Arguments>
constexpr R_CallMethodDef entry(const char* name, SEXP (*function)(Arguments...)) {
  return {name, reinterpret_cast<DL_FUNC>(function), static_cast<int>(sizeof...(Arguments))};
}

}  // namespace

extern "C" void R_init_condens(DllInfo* dll) {
  static const R_CallMethodDef functions[] = {entry("condens_models", condens_models),
                                              entry("condens_fit", condens_fit),
                                              entry("condens_describe", condens_describe),
                                              entry("condens_results", condens_results),
                                              entry("condens_predict", condens_predict),
                                              entry("condens_log_density", condens_log_density),
                                              entry("condens_score", condens_score),
                                              entry("condens_score_censored", condens_score_censored),
                                              entry("condens_replicate", condens_replicate),
                                              entry("condens_bands", condens_bands),
                                              entry("condens_transform", condens_transform),
                                              entry("condens_state_weights", condens_state_weights),
                                              entry("condens_transition_matrix", condens_transition_matrix),
                                              entry("condens_path", condens_path),
                                              entry("condens_read", condens_read),
                                              entry("condens_write", condens_write),
                                              entry("condens_laws_info", condens_laws_info),
                                              entry("condens_laws_rows", condens_laws_rows),
                                              entry("condens_laws_select", condens_laws_select),
                                              entry("condens_laws_marginal", condens_laws_marginal),
                                              entry("condens_laws_at", condens_laws_at),
                                              entry("condens_laws_summary", condens_laws_summary),
                                              entry("condens_laws_regions", condens_laws_regions),
                                              entry("condens_laws_modes", condens_laws_modes),
                                              entry("condens_laws_sample", condens_laws_sample),
                                              entry("condens_laws_components", condens_laws_components),
                                              entry("condens_conformal_intervals", condens_conformal_intervals),
                                              entry("condens_conformal_regions", condens_conformal_regions),
                                              entry("condens_coverage_slices", condens_coverage_slices),
                                              entry("condens_importance", condens_importance),
                                              entry("condens_effect", condens_effect),
                                              entry("condens_shapley", condens_shapley),
                                              entry("condens_compare_rows", condens_compare_rows),
                                              entry("condens_training_rows", condens_training_rows),
                                              entry("condens_compare", condens_compare),
                                              {nullptr, nullptr, 0}};
  R_registerRoutines(dll, nullptr, functions, nullptr, nullptr);
  R_useDynamicSymbols(dll, FALSE);
  R_forceSymbols(dll, TRUE);
  condens::r::register_model_class(dll);
  condens::r::register_laws_class(dll);
}
