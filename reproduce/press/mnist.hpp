#pragma once
// Section 5.3: handwritten digits, Figures 6 and 7.

#include <ostream>

#include "common/command.hpp"

namespace condens::reproduce {

/// Fits ten states to the pixels, prints errors and what the lasso leaves, and draws figure-6*.svg and figure-7*.svg.
void run_mnist(const Command& command, std::ostream& out);

}  // namespace condens::reproduce
