#pragma once
// How fast the Parzen window converges. The paper (section II.A) gives it a mean integrated squared error of the order
// of 1/N; with a Gaussian kernel of the best width the order for smooth densities is N^(-4/(4+d)) (Scott 1992, 6.2).

#include <ostream>

#include "common/command.hpp"
#include "common/record_book.hpp"

namespace condens::reproduce {

/// The numbers of a record of this study.
const std::vector<std::string>& rate_number_names();

/// Windows of growing samples of the paper's densities, with widths by least-squares cross-validation: fits what the
/// book does not hold yet, and prints their errors and how fast these fall.
void measure_rates(RecordBook& book, Scale scale, double minutes, std::ostream& out);

}  // namespace condens::reproduce
