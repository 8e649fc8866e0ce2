#pragma once
// What the paper says of its estimate, on data whose truth is known: the rate of Theorem 1, the two penalties, the
// almost unbiasedness of cross-validation (section 2.5), unlabelled inputs (section 2.7).

#include <ostream>

#include "common/command.hpp"

namespace condens::reproduce {

void print_rate(Scale scale, std::ostream& out);
void print_cross_validation(Scale scale, std::ostream& out);
void print_unlabeled(Scale scale, std::ostream& out);

}  // namespace condens::reproduce
