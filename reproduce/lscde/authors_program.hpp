#pragma once
// LS-CDE as the authors' published program computes it, written out plainly and without the
// library: its floors (errata L8) decide both which width is chosen and what is scored.
//
// Source: Sugiyama et al. (2010), eqs. 4-8 and section 2.6; the floors, five folds and
// centres shared by all folds are those of the program.

#include <cstdint>

#include "condens/data/dataset.hpp"

namespace condens::reproduce {

/// -mean log p of the test rows, on the scale on which the training rows have variance one.
double authors_program_score(const Dataset& train, const Dataset& test, std::uint64_t seed);

}  // namespace condens::reproduce
