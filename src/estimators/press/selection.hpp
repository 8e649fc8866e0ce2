#pragma once
// The choice among numbers of states and penalties of PRESS, by AIC or by rows held out.

#include <vector>

#include "search.hpp"

namespace condens::press {

/// All that a fit on some rows needs to know.
struct Setting {
  const PressOptions& options;
  const WidthRules& rules;
  const Defensive& defensive;
};

/// The options' candidates; numbers of states above the number of rows `n` are left out, with a warning.
Grid list_candidates(const PressOptions& options, Index n, FitReport& report);

/// The best candidate's fit on all rows; `fold` of every row, or empty for AIC. The report gets what
/// was compared.
Fitted choose(const Grid& grid, const Dataset& rows, const std::vector<Index>& fold, const Setting& setting,
              const Run& run, FitReport& report);

}  // namespace condens::press
