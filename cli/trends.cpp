#include "trends.hpp"

#include "condens/core/errors.hpp"
#include "condens/estimators/location_scale.hpp"
#include "console.hpp"

namespace condens::cli {

std::string trends_text(const Model& model) {
  const auto* density = dynamic_cast<const LocationScaleDensity*>(model.density.get());
  if (density == nullptr) return "";
  const Document::Array& means = density->report().details.at("means").as_array();
  const Document::Array& scales = density->report().details.at("scales").as_array();
  const Vector left = density->residual_scale();
  if (std::ssize(means) != left.size() || std::ssize(scales) != left.size()) {
    throw FormatError("the means and spreads do not fit the targets");
  }
  std::vector<std::vector<std::string>> rows{
      {"target", "mean by", "explained", "left over", "spread by", "gain", "least", "most"}};
  for (std::size_t t = 0; t < means.size(); ++t) {
    rows.push_back({model.encoder.targets()[t].name, means[t].at("kind").as_string(),
                    percent(means[t].at("explained").as_number()), brief(left[static_cast<Index>(t)]),
                    scales[t].at("kind").as_string(), brief(scales[t].at("gain").as_number()),
                    brief(scales[t].at("least").as_number()), brief(scales[t].at("most").as_number())});
  }
  return "\nMean and spread, on rows left out: the share of squared error explained, and log-likelihood gained per "
         "row\n" +
         align(rows) + "  what is left: " + std::string(density->inner().model_name()) + "\n";
}

}  // namespace condens::cli
