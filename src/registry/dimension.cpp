// The test of the number of directions, of the models that have one.

#include <algorithm>
#include <cstdint>

#include "condens/core/errors.hpp"
#include "condens/registry.hpp"
#include "core/names.hpp"

namespace condens {

DimensionTest test_dimension(const ModelInfo& info, const Dataset& data, std::string_view preset,
                             const Document& options, const TargetKind& kind, const DimensionTestOptions& test,
                             const Run& run) {
  require(info.can("reduces_inputs"), "dimension test: ", info.name, " does not reduce its inputs, expected one of ",
          list_names(models_that("reduces_inputs")));
  const auto model = [&](Index d) {
    Document own = options.is_null() ? Document(Document::Object{}) : options;
    own.set("n_components", Document::Array{static_cast<std::int64_t>(std::max<Index>(d, 1))});
    if (d == 0 && own.find("start_directions") != nullptr) own.set("start_directions", Matrix());
    return contestant("dimension test", info, preset, own, kind);
  };
  return test_dimension(data, model, test, run);
}

}  // namespace condens
