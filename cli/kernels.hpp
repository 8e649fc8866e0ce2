#pragma once
// The kernels of a density of all columns together, in words.

#include <string>

#include "condens/io/model_file.hpp"

namespace condens::cli {

/// For `describe`: weight, means and standard deviations, the heaviest first; empty for other models.
std::string kernels_text(const Model& model);

/// [{"weight": w, "mean": [...], "std": [...], "covariance": [...]}, ...] on the scale of the
/// data, inputs before targets; covariances column by column, where there are any.
/// Null for other models.
Document kernels_document(const Model& model);

}  // namespace condens::cli
