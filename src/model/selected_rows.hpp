#pragma once
// The rows of a table that is elsewhere (condens/model/row_sums.hpp) as a model of some of their inputs sees them. A
// pass over them is a pass over the table, named "select", which has theirs inside.

#include <vector>

#include "condens/core/document.hpp"
#include "condens/data/dataset.hpp"
#include "condens/model/row_sums.hpp"

namespace condens {

class SelectedRows final : public RowSums {
 public:
  /// `inputs`: rows of x, rising. The table outlives this.
  SelectedRows(RowSums& table, std::vector<Index> inputs);
  Document total(const Document& pass) override;

 private:
  RowSums& table_;
  std::vector<Index> inputs_;
};

/// A block as the pass inside `pass`, which is named "select", sees it. Throws FormatError for inputs that there are
/// not.
Dataset selected_block(const Document& pass, const Dataset& block);

}  // namespace condens
