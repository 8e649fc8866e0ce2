#pragma once
// The passes of expectation maximisation over rows that are not in memory (condens/model/row_sums.hpp).

#include <vector>

#include "condens/core/run.hpp"
#include "expectation_maximization.hpp"
#include "model/table_passes.hpp"

namespace condens {

class EmRowsInTable final : public EmRows {
 public:
  /// Table and scale outlive this.
  EmRowsInTable(RowSums& table, const table_passes::Scale& scale, const table_passes::Extent& extent);
  std::vector<EmSums> weighed(const std::vector<EmState>& states, bool full, Task& task) const override;
  std::vector<EmSums> assigned(const std::vector<Matrix>& means, bool full, Task& task) const override;

 private:
  std::vector<EmSums> totals(const std::vector<Document>& passes, bool full, Task& task) const;

  RowSums& table_;
  const table_passes::Scale& scale_;
};

/// What a block adds to a pass.
Document em_accumulate(const Document& pass, const Dataset& block, const Run& run);

}  // namespace condens
