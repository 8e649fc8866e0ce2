#pragma once
// Section 5.2: the abalone data on TensorFlow's split, Tables 1 and 2, Figures 3 to 5.

#include <ostream>

#include "common/command.hpp"

namespace condens::reproduce {

/// Fits, prints the tables and draws figure-3*.svg, figure-4.svg and figure-5.svg.
void run_abalone(const Command& command, std::ostream& out);

}  // namespace condens::reproduce
