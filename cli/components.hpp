#pragma once
// The directions that a reduction found, in words and pictures.

#include <string>

#include "condens/model/projected_density.hpp"
#include "figures.hpp"

namespace condens::cli {

/// The model as one of directions, or nullptr.
const ProjectedDensity* projected(const Model& model);

/// What the numbers of directions scored, or nullptr where nothing was compared.
const Document* dimensions_of(const Model& model);

/// For `describe`: loadings of the inputs, and how stable they are; empty for other models.
std::string components_text(const Model& model);

/// [{"input": name, "loadings": [...]}, ...], one entry for every row of x.
Document components_document(const Model& model);

/// y over the first directions. Throws std::invalid_argument for other models, or without data.
std::string summary_figure(const FigureRequest& request, Index target, const Run& run);

/// The score over the number of directions. Throws std::invalid_argument where there is none.
std::string dimensions_figure(const Model& model);

}  // namespace condens::cli
