#include "trends.hpp"

#include "condens/model/capabilities.hpp"
#include "console.hpp"

namespace condens::cli {

std::string trends_text(const Model& model) {
  const auto* density = capability<HasTrends>(*model.density);
  if (density == nullptr) return "";
  TextRows rows{{"target", "mean by", "explained", "left over", "spread by", "gain", "least", "most"}};
  const std::vector<HasTrends::Trend> trends = density->trends();
  for (std::size_t t = 0; t < trends.size(); ++t) {
    const HasTrends::Trend& own = trends[t];
    rows.push_back({model.encoder.targets()[t].name, own.mean_kind, percent(own.explained), brief(own.left_over),
                    own.spread_kind, brief(own.gain), brief(own.least), brief(own.most)});
  }
  return "\nMean and spread, on rows left out: the share of squared error explained, and log-likelihood gained per "
         "row\n" +
         align(rows) + "  what is left: " + std::string(density->residual_model().model_name()) + "\n";
}

}  // namespace condens::cli
