#pragma once
// Does a fit give what the paper's equations say, and do the readers read?

#include <ostream>

namespace condens::reproduce {

/// Compares a small fit with the equations as plain loops, and reads an IDX file of known numbers;
/// prints the largest differences. Throws std::runtime_error where one is too large.
void check_equations(std::ostream& out);

}  // namespace condens::reproduce
