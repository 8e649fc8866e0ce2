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

/// The pass that adds up moments around zero, by the posteriors of `state`, and with those of its earlier states.
Document em_learning_pass(const table_passes::Scale& scale, const EmState& state, bool full);
/// One M step from what it found. Returns the weight of the rows; throws NumericalError where they have none.
double em_learn(const Document& learned, const EmSettings& settings, EmState& state);

/// What a block adds to a pass.
Document em_accumulate(const Document& pass, const Dataset& block, const Run& run);

}  // namespace condens
