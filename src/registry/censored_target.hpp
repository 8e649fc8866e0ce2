#pragma once
// Fits of registered models to a target that is censored or truncated (model/censored_fit.hpp).

#include <cstdint>
#include <functional>
#include <vector>

#include "condens/registry.hpp"

namespace condens {

/// Whether some of the target is known by its limits only. Throws std::invalid_argument for limits that are none, and
/// where rows are asked for that calibrate.
bool is_censored(const TargetRequest& request, const Dataset& data, const PlaceOfRow& place);

/// The options of the fits.
struct CensoredOptions {
  std::uint64_t seed;
  std::function<Document(const std::vector<Index>& rows)> given;  ///< by the user, for some of the rows
  std::function<Document(const ConditionalDensity& tuned)> chosen;
};

TargetModel fit_censored_target(const ModelInfo& info, const TargetRequest& request, const Dataset& data,
                                std::string_view preset, const CensoredOptions& options, const PlaceOfRow& place,
                                const Run& run);

}  // namespace condens
