#pragma once
// What a fitted model tells about itself, in words and as tables: for fit, describe and plot.

#include <string>
#include <vector>

#include "condens/core/document.hpp"
#include "condens/io/model_file.hpp"

namespace condens::cli {

/// All of it, as `condens describe --json` prints it; asks the model for predictions.
Document describe_document(const Model& model);

/// What chose among candidates, from the options of the model: "cross-validation", "AIC" or "BIC".
std::string chosen_by(const Document& options);

/// An option's value as the user would type it.
std::string value_text(const Document& value);

/// What a fit chose, for people: a number, a few of them, or a word.
std::string brief_text(const Document& chosen);

/// "duration", "a, b and c"; of many words, the first ten.
std::string list_text(const std::vector<std::string>& words);

/// How the target was known in how many rows, and what the rounds of the fit came to; nothing where all was exact.
std::vector<std::string> censoring_lines(const FitReport& told);

/// Columns of one value of every input: the typical one (median, most frequent level), but
/// for those that `replaced` names. Throws std::invalid_argument for an unknown name or value.
Vector inputs_at(const Encoder& encoder, const std::vector<std::pair<std::string, std::string>>& replaced);

}  // namespace condens::cli
