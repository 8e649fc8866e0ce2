#pragma once
// What the text says of states, in numbers: Lemma 4.3, the example of minimal sufficiency of section 4, J near log N of
// section 4.3.

#include <ostream>

#include "common/command.hpp"

namespace condens::reproduce {

/// Fits drawn data and prints what was found.
void run_statements(const Command& command, std::ostream& out);

}  // namespace condens::reproduce
