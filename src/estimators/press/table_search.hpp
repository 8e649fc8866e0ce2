#pragma once
// PRESS of a table: what a fit on a sample of its rows goes on with on all of them.

#include "model/table_passes.hpp"
#include "search.hpp"
#include "table_sums.hpp"

namespace condens::press {

/// A table of which a sample is here, standardised.
struct SampledRows {
  RowSums& table;
  const table_passes::Scale& scale;
  double total;  ///< weight of all rows
  const Dataset& sample;
};

/// Whether the states' densities can have all rows of a table: as shares of nodes of one target.
bool has_nodes_of_table(const WidthRules& rules, Index n_targets);
/// The same of their likelihood, which needs a defensive component for rows far from all others.
bool has_likelihood_of_table(const WidthRules& rules, const Defensive& defensive, Index n_targets);

struct TableSteps {
  Index count = 0;  ///< of theta
  LbfgsStatus status = LbfgsStatus::iteration_limit;
};

/// Steps on all rows by L-BFGS, `steps` at most: of theta by the criterion, with the widths where that is the
/// likelihood; else of the widths by the likelihood at the theta that was found. What has no sums over rows stays as it
/// is.
TableSteps improve_on_table(Fitted& fitted, const SampledRows& rows, const PressOptions& options,
                            const WidthRules& rules, const Defensive& defensive, Index steps, int threads,
                            const std::function<void()>& poll);

/// The components of all rows, and the mean of -log p(y|x), each by the others, or infinity where that has no sums.
struct TableDensities {
  Components components;
  double leave_one_out_nll;
};
TableDensities densities_of_table(const Fitted& fitted, const SampledRows& rows, const PressOptions& options,
                                  const WidthRules& rules, const Defensive& defensive, const Matrix& shifts,
                                  int threads);

/// The criterion of these options at a map.
TableCriterion criterion_of(const SampledRows& rows, const PressOptions& options, PressCriterion criterion,
                            Index n_states, const Defensive& defensive);

}  // namespace condens::press
