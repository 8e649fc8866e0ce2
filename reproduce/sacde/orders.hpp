#pragma once
// Section 3.1, Tables 1 and 2: how time and memory of one fit, its hyper-parameters given, grow with the number of rows
// (B = N centres) and of inputs.

#include <ostream>

#include "common/command.hpp"

namespace condens::reproduce {

void print_orders(Scale scale, std::ostream& out);

}  // namespace condens::reproduce
