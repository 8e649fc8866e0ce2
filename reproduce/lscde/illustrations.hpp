#pragma once
// Figure 1 of the paper, and what it does not print: how far the estimates are from the
// truth where it is known.

#include <ostream>
#include <string>

namespace condens::reproduce {

/// Writes the pictures into `pictures` (the real data are read from `directory`).
void draw_illustrations(const std::string& directory, const std::string& pictures, std::ostream& out);

/// Scores of both presets on ten draws of each artificial data set, beside those of the truth.
void print_toy_scores(std::ostream& out);

}  // namespace condens::reproduce
