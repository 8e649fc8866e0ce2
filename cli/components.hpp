#pragma once
// The directions that a reduction found, in words and pictures.

#include <string>

#include "figures.hpp"

namespace condens::cli {

/// For `describe`: loadings of the inputs, and how stable they are; empty for other models.
std::string components_text(const Model& model);

/// [{"input": name, "loadings": [...]}, ...], one entry for every row of x; null for other models.
Document components_document(const Model& model);

/// What the replicates of a bootstrap say of the directions (model/subspaces.hpp); null where there are none.
Document subspace_document(const Model& model);

/// Whether numbers of directions were compared.
bool has_dimensions(const Model& model);

/// y over the first directions of a reduction, with data.
std::string summary_figure(const FigureRequest& request, Index target, const Run& run);

/// The score over the number of directions, where there is one.
std::string dimensions_figure(const Model& model);

}  // namespace condens::cli
