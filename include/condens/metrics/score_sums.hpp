#pragma once
// The scores of rows that are elsewhere, in blocks of neighbours:
//
//   state = score_state(model, target, block, place of its first row)
//   state = merge_states(state, state)          of neighbouring blocks, in their order (model/row_sums.hpp)
//   scores = merged_scores(state)
//
// They are those of all rows together (scores.hpp) up to the rounding of sums. PIT values are counted in cells of one
// width, at whose ends alone the tests of uniformity look.

#include <optional>
#include <vector>

#include "condens/metrics/scores.hpp"

namespace condens {

/// A Kolmogorov-Smirnov statistic is too small by at most 1 / pit_cells.
inline constexpr Index pit_cells = 16384;

/// What a block of rows, some of which count, adds. Throws std::invalid_argument as `score` does, and for weights whose
/// squares are no numbers.
Document score_state(const ConditionalDensity& model, const std::optional<TargetDecoder>& target, const Dataset& block,
                     Index first_row, const ScoreOptions& options = {}, const Run& run = {});

/// Of all rows, without their weights and PIT values; `options` are those of the states. Throws FormatError for what is
/// no such state.
Scores merged_scores(const Document& state, const ScoreOptions& options = {});

/// The same of any numbers of a row, `values` numbers x rows, with a weight > 0 for every row: what a block adds, and
/// the mean of each number over all rows. The latter throws FormatError as above.
Document means_state(const MatrixView& values, const Vector& weights);
std::vector<Score> merged_means(const Document& state);

}  // namespace condens
