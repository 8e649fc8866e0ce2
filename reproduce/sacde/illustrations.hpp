#pragma once
// Figures 3 and 4: conditional densities and paths of coefficients, on toy data 1, geyser
// and bone with five irrelevant inputs each.

#include <ostream>
#include <string>

namespace condens::reproduce {

/// Writes the pictures into `pictures` (the real data are read from `directory`).
void draw_illustrations(const std::string& directory, const std::string& pictures, std::ostream& out);

}  // namespace condens::reproduce
