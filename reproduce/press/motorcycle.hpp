#pragma once
// Section 5.1: the motorcycle data, their number of states by AIC, and Figure 2.

#include <ostream>

#include "common/command.hpp"

namespace condens::reproduce {

/// Fits J = 1, ..., 15 in three readings of the data, prints the paths and draws figure-2*.svg.
void run_motorcycle(const Command& command, std::ostream& out);

}  // namespace condens::reproduce
