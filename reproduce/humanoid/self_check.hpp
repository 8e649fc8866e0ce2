#pragma once
// Checks of the humanoid robot and its transitions against what must hold, as a table.

#include <ostream>

namespace condens::reproduce {

/// Throws std::runtime_error where something differs by more than allowed.
void check_humanoid(std::ostream& out);

}  // namespace condens::reproduce
