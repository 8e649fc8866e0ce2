#pragma once
// What a search compares must not hang on the last digits of the data: another unit, or another origin, gives the same
// standardised numbers but for rounding, and where two ways are equally good (columns that are copies, more columns
// than rows, a population that has come together) rounding would choose between them, and thousands of steps later
// between two answers. Numbers on a grid that is coarse beside rounding and fine beside any width are the same in every
// unit.

#include "condens/data/dataset.hpp"

namespace condens::preparation {

/// Rounds standardised inputs and targets to multiples of 2^-bits standard deviations. With 36 bits, 1.5e-11, all that
/// is told of a model keeps ten digits; with 30, 1e-9, shifts by up to a thousand standard deviations leave the same
/// numbers.
void round_rows(Dataset& standardized, int bits = 36);

/// A millionth of a standard deviation, for a sample of a table whose mean and spread are sums that may have been added
/// in any order (row_sums.hpp): the last digits of standardised numbers differ with it.
inline constexpr int bits_of_sums = 20;

/// Rounds weights to so many binary digits.
void round_weights(Vector& weights, int bits);

/// Both, by the bits of sums, of a sample whose columns may be standardised: a search on it, which amplifies rounding,
/// is the same wherever the table is.
void round_sample(Dataset& sample, bool standardized);

}  // namespace condens::preparation
