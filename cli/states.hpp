#pragma once
// The states of a model that has them, in words and pictures.

#include <string>

#include "figures.hpp"

namespace condens::cli {

/// For `describe`: what y and the inputs do in each state, and what leads there; empty for other models.
std::string states_text(const Model& model);

/// [{"state": 1, "share": ..., "mean": [...], ...}, ...]; null for other models.
Document states_document(const Model& model);

// Pictures of a model that has states.
std::string states_figure(const FigureRequest& request, Index target, const Run& run);
/// Throws std::invalid_argument without an input of numbers, or where --x names another.
std::string weights_figure(const FigureRequest& request);
std::string simplex_figure(const FigureRequest& request, Index target);
std::string transitions_figure(const FigureRequest& request);
std::string smoothing_figure(const FigureRequest& request, Index target, const Run& run);

}  // namespace condens::cli
