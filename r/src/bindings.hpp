#pragma once
// Every function that R calls, in the order of registration (init.cpp).

#include <cpp11/R.hpp>

extern "C" {

// models.cpp
SEXP condens_models();
SEXP condens_fit(SEXP request);
SEXP condens_describe(SEXP model);
SEXP condens_results(SEXP model);
SEXP condens_predict(SEXP model, SEXP columns, SEXP rows, SEXP threads);
SEXP condens_log_density(SEXP model, SEXP columns, SEXP threads);
SEXP condens_score(SEXP model, SEXP columns, SEXP weights, SEXP options, SEXP threads);
SEXP condens_score_censored(SEXP model, SEXP columns, SEXP limits, SEXP weights, SEXP threads);
SEXP condens_replicate(SEXP model, SEXP number);
SEXP condens_bands(SEXP estimates, SEXP replicates, SEXP level);
SEXP condens_transform(SEXP model, SEXP columns);
SEXP condens_state_weights(SEXP model, SEXP columns);
SEXP condens_transition_matrix(SEXP weights, SEXP steps);
SEXP condens_path(SEXP model);
SEXP condens_read(SEXP path);
SEXP condens_write(SEXP model, SEXP path);

// laws.cpp
SEXP condens_laws_info(SEXP laws);
SEXP condens_laws_rows(SEXP elements);
SEXP condens_laws_select(SEXP laws, SEXP rows);
SEXP condens_laws_marginal(SEXP laws, SEXP target);
SEXP condens_laws_at(SEXP laws, SEXP name, SEXP y, SEXP own, SEXP threads);
SEXP condens_laws_summary(SEXP laws, SEXP name, SEXP threads);
SEXP condens_laws_regions(SEXP laws, SEXP mass, SEXP threads);
SEXP condens_laws_modes(SEXP laws, SEXP threads);
SEXP condens_laws_sample(SEXP laws, SEXP count, SEXP seed, SEXP threads);
SEXP condens_laws_components(SEXP laws);

// conformal.cpp
SEXP condens_conformal_intervals(SEXP model, SEXP columns, SEXP level, SEXP shift, SEXP threads);
SEXP condens_conformal_regions(SEXP model, SEXP columns, SEXP level, SEXP shift, SEXP threads);
SEXP condens_coverage_slices(SEXP model, SEXP columns, SEXP weights, SEXP level, SEXP threads);

// inspection.cpp
SEXP condens_importance(SEXP model, SEXP request);
SEXP condens_effect(SEXP model, SEXP request);
SEXP condens_shapley(SEXP model, SEXP request);
SEXP condens_compare_rows(SEXP model, SEXP request);
SEXP condens_training_rows(SEXP model, SEXP request);

// comparison.cpp
SEXP condens_compare(SEXP request);
}
