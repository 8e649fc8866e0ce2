#pragma once
// Rows in memory as a table (condens/model/row_sums.hpp), for the models that fit many rows by its passes wherever they
// are: in blocks, whose work takes little room beside the rows.

#include "condens/core/run.hpp"
#include "condens/data/dataset.hpp"
#include "condens/model/row_sums.hpp"

namespace condens {

class RowsHere final : public RowSums {
 public:
  using Accumulate = Document (*)(const Document& pass, const Dataset& block, Index first_row, const Run& run);

  /// Rows that count, which outlive this; `accumulate`: of the model's own passes.
  RowsHere(const Dataset& rows, Accumulate accumulate, const Run& run);
  Document total(const Document& pass) override;

 private:
  Document state_of(const Document& pass, const Dataset& block, Index first_row) const;

  const Dataset& rows_;
  Accumulate accumulate_;
  Run run_;
};

}  // namespace condens
