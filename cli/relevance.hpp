#pragma once
// Which inputs a model selected, and how strongly: the results "support" (0 or 1 for every
// row of x), "feature_importances" (>= 0) and "stability" (a share), where a model has them.

#include <optional>
#include <string>
#include <vector>

#include "condens/io/model_file.hpp"

namespace condens::cli {

struct Relevance {
  std::string input;
  bool selected = true;              ///< true for models that do not select
  std::optional<double> importance;  ///< of all its indicators together
  std::optional<double> stability;
};

/// One entry for each input column, in their order; empty for models that say nothing of their inputs.
std::vector<Relevance> relevances(const Model& model);

}  // namespace condens::cli
