#pragma once
// The states of a predictive state model (press), in words and pictures.

#include <string>

#include "condens/estimators/press.hpp"
#include "figures.hpp"

namespace condens::cli {

/// The model as one of states, or nullptr.
const Press* of_states(const Model& model);

/// For `describe`: what y and the inputs do in each state, and what leads there; empty for other models.
std::string states_text(const Model& model);

/// [{"state": 1, "share": ..., "mean": [...], ...}, ...].
Document states_document(const Model& model);

/// `kind`: states, weights, simplex or smoothing. Throws std::invalid_argument for other models, and where
/// a kind needs inputs, data or three states that are not there.
std::string states_figure(const FigureRequest& request, const std::string& kind, Index target, const Run& run);

}  // namespace condens::cli
