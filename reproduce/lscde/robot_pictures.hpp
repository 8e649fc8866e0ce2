#pragma once
// Pictures of the robots of Table 2: where they go, and a transition law as learned from 100 rows.

#include <ostream>
#include <string>

namespace condens::reproduce {

/// Writes the pictures into `pictures` and links to them.
void draw_robots(const std::string& pictures, std::ostream& out);

}  // namespace condens::reproduce
