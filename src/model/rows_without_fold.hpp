#pragma once
// The rows of a table that is elsewhere (condens/model/row_sums.hpp) without those of one fold. A pass over them is a
// pass over the table, named "without fold", which has theirs inside.
//
// Folds follow from places (data/folds.hpp): of every `folds` neighbours each is in another fold. So a block knows how
// many rows of the fold stand before it, and with that the places of its own rows among those that are left, without
// knowing other blocks. A block of which no row is left has the empty state.

#include "condens/core/document.hpp"
#include "condens/data/dataset.hpp"
#include "condens/model/row_sums.hpp"

namespace condens {

/// One of the folds that data::folds_of_places makes.
struct FoldOfPlaces {
  Index folds;  ///< at least 2
  Index seed;
  Index fold;
};

class RowsWithoutFold final : public RowSums {
 public:
  /// Weights are those of the whole table, counted as a fit to it counts them. The table outlives this.
  RowsWithoutFold(RowSums& table, const FoldOfPlaces& left_out);
  Document total(const Document& pass) override;

 private:
  RowSums& table_;
  FoldOfPlaces left_out_;
  double weight_factor_;
};

/// What is left of a block, and the place of its first row among the rows that are left of the table.
struct BlockWithoutFold {
  Dataset rows;
  Index first_row;
};

/// A block as the pass inside `pass`, which is named "without fold", sees it. Throws FormatError for a fold that there
/// is not.
BlockWithoutFold block_without_fold(const Document& pass, const Dataset& block, Index first_row);

}  // namespace condens
