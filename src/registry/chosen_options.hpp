#pragma once
// The options with which a fit can be done again without choosing anew.

#include "condens/registry.hpp"

namespace condens {

/// Every option of a fitted model, of candidates and of "auto" what it chose. Folds by row are those of its own rows.
Document chosen_options(const ModelInfo& info, const ConditionalDensity& density);

/// The same, and a search that starts where the fit ended, where the model has one: of directions z = W x the fitted
/// ones, in units of the data.
Document continued_options(const ModelInfo& info, const ConditionalDensity& density);

}  // namespace condens
