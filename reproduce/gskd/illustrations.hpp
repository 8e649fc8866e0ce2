#pragma once
// Figures 1 to 10: estimates of the two densities of one variable beside the truth.

#include <ostream>
#include <string>

namespace condens::reproduce {

/// Draws the estimates of the first run, and prints a table of the pictures.
void draw_illustrations(const std::string& pictures, std::ostream& out);

}  // namespace condens::reproduce
