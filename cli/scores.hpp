#pragma once
// How well a model's distributions fit rows that it has not seen, as text.

#include <string>

#include "condens/core/run.hpp"
#include "condens/data/dataset.hpp"
#include "condens/io/model_file.hpp"

namespace condens::cli {

/// The table of `condens score` as CSV or JSON. `data` has targets that the model's kind can take.
std::string scores_of(const Model& model, const Dataset& data, bool json, const Run& run);

}  // namespace condens::cli
