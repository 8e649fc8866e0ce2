#pragma once
// The options with which a fit can be done again without choosing anew.

#include "condens/registry.hpp"

namespace condens {

/// Every option of a fitted model, of candidates and of "auto" what it chose. Folds by row are those of its own rows.
Document chosen_options(const ModelInfo& info, const ConditionalDensity& density);

}  // namespace condens
