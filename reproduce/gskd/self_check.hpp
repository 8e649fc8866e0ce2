#pragma once
// Are the densities what section IV prints, and their samples theirs?

#include <ostream>

namespace condens::reproduce {

/// Checks every density against the formulas as printed, its integral, and its samples against its moments and marginal
/// distributions; prints what was found. Throws std::runtime_error where something differs.
void check_densities(std::ostream& out);

}  // namespace condens::reproduce
