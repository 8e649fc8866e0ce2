#include "relevance.hpp"

#include "condens/model/capabilities.hpp"

namespace condens::cli {

std::vector<Relevance> relevances(const Model& model) {
  const auto* selects = capability<SelectsInputs>(*model.density);
  const auto* ranks = capability<RanksInputs>(*model.density);
  if ((selects == nullptr && ranks == nullptr) || model.density->n_inputs() == 0) return {};
  const Vector support = selects == nullptr ? Vector() : selects->support();
  const Vector stability = selects == nullptr ? Vector() : selects->stability();
  const Vector importance = ranks == nullptr ? Vector() : ranks->feature_importances();
  std::vector<Relevance> out;
  const auto rows_of_inputs = model.encoder.groups();
  for (std::size_t i = 0; i < rows_of_inputs.size(); ++i) {
    const std::vector<Index>& rows = rows_of_inputs[i];
    Relevance entry{model.encoder.input_columns()[i].name, true, std::nullopt, std::nullopt};
    if (support.size() > 0) entry.selected = support(rows).maxCoeff() > 0;
    if (importance.size() > 0) entry.importance = importance(rows).sum();
    if (stability.size() > 0) entry.stability = stability(rows).maxCoeff();
    out.push_back(std::move(entry));
  }
  return out;
}

}  // namespace condens::cli
