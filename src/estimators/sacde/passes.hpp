#pragma once
// What a SACDE fit asks of its rows: the sums that H and h are made of, and the scores of held-out rows. Of rows that
// are elsewhere (condens/model/row_sums.hpp) each is a pass over the table.

#include <vector>

#include "path.hpp"

namespace condens::sacde {

/// A table's sums hold so many numbers at most: H of G B coordinates, for every fold.
inline constexpr double most_numbers_of_sums = 5e7;

/// H and h of all problems at one width of x and all widths of y; `dense`: small problems (operator.hpp).
KernelSums kernel_sums(const Problem& problem, double width_x, const std::vector<double>& widths_y, bool dense,
                       int threads);

/// HeldOut::sums of rows that are elsewhere.
Matrix scores_in_table(const Problem& problem, double width_x, double width_y, Scoring scoring,
                       const std::vector<PathPoint>& points);

/// What a block adds to one of these passes.
Document accumulate(const Document& pass, const Dataset& block, Index first_row, const Run& run);

}  // namespace condens::sacde
