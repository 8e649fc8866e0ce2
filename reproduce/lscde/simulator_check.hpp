#pragma once
// The simulators of Table 2 against their own laws: conserved quantities, brute force, closed forms.

#include <ostream>

namespace condens::reproduce {

/// A table of the largest differences. Throws std::runtime_error for one that is larger than allowed.
void check_simulators(std::ostream& out);

}  // namespace condens::reproduce
