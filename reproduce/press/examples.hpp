#pragma once
// Figure 1: the examples of section 2.1, whose truth is known.

#include <ostream>

#include "common/command.hpp"

namespace condens::reproduce {

/// Fits every example, prints what was found and draws figure-1.svg.
void run_examples(const Command& command, std::ostream& out);

}  // namespace condens::reproduce
