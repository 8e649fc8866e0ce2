#pragma once
// The two passes over the rows that a fit of LSCDE is made of: the sums for H and h of every fold (statistics.hpp), and
// the scores of the rows of every fold by the coefficients of the others (held_out.hpp). Rows are in memory, or
// elsewhere, where the passes are documents (condens/model/row_sums.hpp).

#include <memory>
#include <vector>

#include "held_out.hpp"
#include "problem.hpp"
#include "statistics.hpp"

namespace condens::lscde {

class Passes {
 public:
  virtual ~Passes() = default;
  virtual Statistics statistics(const WidthGroup& widths, Task& task, int threads) const = 0;

  /// Weighted sums of the scores of the rows of each fold that is scored: L x widths.
  virtual std::vector<Matrix> scores(double width_x, const std::vector<ScoringWidth>& widths, Task& task,
                                     int threads) const = 0;
};

/// Of a problem that outlives them. `several`: widths are tried, and small problems keep their distances.
std::unique_ptr<const Passes> passes_over(const Problem& problem, bool several, int threads);

/// Units of work of one pass, for progress.
double work_of_pass(const Problem& problem);

/// The pass of `statistics` over rows elsewhere.
Document statistics_pass(const Problem& problem, const WidthGroup& widths);

/// What a block of rows elsewhere adds to a pass. `first_row` is the place of its first row.
Document accumulate(const Document& pass, const Dataset& block, Index first_row, const Run& run);

}  // namespace condens::lscde
