#pragma once
// Theorem 1, and the relation of SCE to SMI (section 2.8), in numbers.

#include <ostream>

namespace condens::reproduce {

/// Throws std::runtime_error where they do not hold.
void check_theory(std::ostream& out);

}  // namespace condens::reproduce
