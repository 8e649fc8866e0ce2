#include "chosen_options.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <variant>

namespace condens {

Document chosen_options(const ModelInfo& info, const ConditionalDensity& density) {
  Document out = density.options();
  const Document defaults = info.defaults("");
  for (const OptionInfo& option : info.options) {
    const Document* chosen = density.report().chosen(option.name);
    const auto* word = chosen == nullptr ? nullptr : std::get_if<std::string>(&chosen->value());
    const auto& choices = option.choices;
    if (word != nullptr && std::find(choices.begin(), choices.end(), *word) != choices.end()) {
      out.set(option.name, *chosen);
    }
    const bool whole = chosen != nullptr && std::holds_alternative<std::int64_t>(chosen->value());
    if (option.type == "integer" && whole) out.set(option.name, *chosen);
    if (option.type != "numbers") continue;
    if (option.name == "cv") {
      if (out.at("cv").as_array().size() > 1) out.set("cv", defaults.at("cv"));
      continue;
    }
    const bool number = whole || (chosen != nullptr && std::holds_alternative<double>(chosen->value()));
    if (number && out.at(option.name).as_array().size() != 1) out.set(option.name, Document::Array{*chosen});
  }
  return out;
}

Document continued_options(const ModelInfo& info, const ConditionalDensity& density) {
  Document out = chosen_options(info, density);
  const auto* reduced = capability<ProjectedDensity>(density);
  if (reduced == nullptr || reduced->n_components() == 0 || out.find("start_directions") == nullptr) return out;
  Matrix directions = reduced->components().transpose();
  for (Index j = 0; j < directions.rows(); ++j) {
    if (!reduced->x_scale().is_constant(j)) directions.row(j) /= reduced->x_scale().scale()[j];
  }
  return out.set("start_directions", directions).set("informed_starts", false).set("random_starts", 0);
}

}  // namespace condens
