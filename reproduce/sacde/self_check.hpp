#pragma once
// Are the artificial data what toys.hpp says? And the known lower bounds of the NLL.

#include <ostream>

namespace condens::reproduce {

/// For every reading of both toys: the true density integrates to one; the probability integral
/// transforms of 20,000 samples are uniform; the mean NLL of the truth on them is its stated
/// expectation, on both scales. Prints the bounds. Throws std::runtime_error where one fails.
void check_toys(std::ostream& out);

}  // namespace condens::reproduce
