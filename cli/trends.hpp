#pragma once
// The mean and the spread of a model that has them, in words.

#include <string>

#include "fitted.hpp"

namespace condens::cli {

/// For `describe`: how mean and spread of every target follow the inputs, and what they explain; empty for other
/// models.
std::string trends_text(const Model& model);

}  // namespace condens::cli
