#pragma once
// Model files hold finite numbers only.

#include <string>

#include "condens/core/document.hpp"

namespace condens {

/// Where a document holds NaN or infinity first: "report.details.loo_path[3] is NaN"; empty where nowhere.
std::string find_not_finite(const Document& document);

}  // namespace condens
