#include "relevance.hpp"

#include <algorithm>

#include "condens/registry.hpp"

namespace condens::cli {

std::vector<Relevance> relevances(const Model& model) {
  const Document results = find_model(model.density->model_name()).results_of(*model.density);
  const Index d_x = model.density->n_inputs();
  const auto values = [&](std::string_view name) -> std::optional<Vector> {
    const Document* found = results.find(name);
    if (found == nullptr || found->as_matrix().size() != d_x || d_x == 0) return std::nullopt;
    return found->as_vector();
  };
  const auto support = values("support");
  const auto importance = values("feature_importances");
  const auto stability = values("stability");
  if (!support && !importance) return {};
  std::vector<Relevance> out;
  const auto rows_of_inputs = model.encoder.groups();
  for (std::size_t i = 0; i < rows_of_inputs.size(); ++i) {
    const std::vector<Index>& rows = rows_of_inputs[i];
    Relevance entry{model.encoder.input_columns()[i].name, true, std::nullopt, std::nullopt};
    if (support) entry.selected = (*support)(rows).maxCoeff() > 0;
    if (importance) entry.importance = (*importance)(rows).sum();
    if (stability) entry.stability = (*stability)(rows).maxCoeff();
    out.push_back(std::move(entry));
  }
  return out;
}

}  // namespace condens::cli
