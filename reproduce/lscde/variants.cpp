#include "variants.hpp"

#include <algorithm>
#include <functional>

namespace condens::reproduce {

namespace {

Variant change(std::string name, const std::function<void(LscdeOptions&)>& edit) {
  Variant out{std::move(name), {}};
  edit(out.options);
  return out;
}

/// Both lists of candidates serve as widths of x and y together.
void use_common_width(LscdeOptions& options) {
  std::vector<double>& width = options.bandwidth;
  width.insert(width.end(), options.bandwidth_y.begin(), options.bandwidth_y.end());
  std::sort(width.begin(), width.end());
  width.erase(std::unique(width.begin(), width.end()), width.end());
  options.bandwidth_y.clear();
}

}  // namespace

std::vector<Variant> ablations() {
  return {
      change("centres not masked", [](LscdeOptions& o) { o.mask_centers = false; }),
      change("common width", use_common_width),
      change("no refinement", [](LscdeOptions& o) { o.refine = false; }),
      change("no defensive part", [](LscdeOptions& o) { o.defensive_weight = 0; }),
      change("100 random centres",
             [](LscdeOptions& o) {
               o.n_centers = 100;
               o.center_selection = CenterSelection::random;
             }),
      change("metric none", [](LscdeOptions& o) { o.metric = LscdeMetric::none; }),
      change("metric nw", [](LscdeOptions& o) { o.metric = LscdeMetric::nw; }),
      change("nonnegative", [](LscdeOptions& o) { o.coefficients = LscdeCoefficients::nonnegative; }),
      change("penalty of the function", [](LscdeOptions& o) { o.penalty = LscdePenalty::function; }),
      change("squared score", [](LscdeOptions& o) { o.scoring = Scoring::squared; }),
  };
}

}  // namespace condens::reproduce
