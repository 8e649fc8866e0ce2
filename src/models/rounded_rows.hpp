#pragma once
// What a search compares must not hang on the last digits of the data: another unit, or another origin, gives the same
// standardised numbers but for rounding, and where two ways are equally good (columns that are copies, more columns
// than rows, a population that has come together) rounding would choose between them, and thousands of steps later
// between two answers. Numbers on a grid that is coarse beside rounding and fine beside any width are the same in every
// unit.

#include "condens/data/dataset.hpp"

namespace condens::preparation {

/// Rounds standardised inputs and targets to multiples of 2^-30 standard deviations, about 1e-9. Shifts of the data by
/// up to some thousand standard deviations leave the same numbers.
void round_rows(Dataset& standardized);

}  // namespace condens::preparation
