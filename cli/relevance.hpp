#pragma once
// Which inputs a model selected, and how strongly, where it selects or ranks them.

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
