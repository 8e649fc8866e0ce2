#pragma once
// What the scores of a model (condens/metrics/scores.hpp) are means of: numbers of every row.

#include <optional>
#include <vector>

#include "condens/metrics/scores.hpp"

namespace condens {

struct PerRowScores {
  struct OfTarget {
    Vector crps;
    Vector pit;
    Matrix width;   ///< levels x rows
    Matrix inside;  ///< the same: 1 where y lies in the central interval
    Vector region;  ///< mass of the highest-density region that reaches y; empty when not asked for
  };

  Vector nll;
  Vector squared_loss;  ///< empty where there is none
  Vector energy_score;  ///< empty when not asked for, or for one target
  std::vector<OfTarget> targets;
};

/// Throws std::invalid_argument for options, or data that do not fit the model.
void check_scored(const ConditionalDensity& model, const Dataset& data, const ScoreOptions& options);

/// Of rows that all count. Where values have probabilities, PIT values are drawn by the places of rows in a table, in
/// which `first_row` is that of the first one.
PerRowScores per_row_scores(const ConditionalDensity& model, const std::optional<TargetDecoder>& target,
                            const Dataset& test, Index first_row, const ScoreOptions& options, const Run& run);

}  // namespace condens
