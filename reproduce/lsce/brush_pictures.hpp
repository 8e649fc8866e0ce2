#pragma once
// The brush of section 3.5: its check, and strokes of the artist beside those of learned transitions.

#include <ostream>
#include <string>

namespace condens::reproduce {

/// Compares the simulator with closed forms and brute force. Throws std::runtime_error where it is wrong.
void check_brush(std::ostream& out);

/// Writes the picture into `pictures` and links to it.
void draw_strokes(const std::string& pictures, std::ostream& out);

}  // namespace condens::reproduce
