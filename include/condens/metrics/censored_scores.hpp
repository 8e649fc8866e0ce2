#pragma once
// How good a conditional density is on values that are known by their limits.
//
//   nll          -log p(y_i | x_i) of exact values, -log P(low_i < Y <= high_i | x_i) of others, plus
//                log P(Y > entry_i | x_i) of rows seen late: mean over rows
//   CRPS         of the exact values alone: late ones are missing among these where rows are right censored
//   concordance  of the predicted medians (survival.hpp), of rows exact or right censored

#include <optional>

#include "condens/core/document.hpp"
#include "condens/data/censoring.hpp"
#include "condens/metrics/scores.hpp"
#include "condens/metrics/survival.hpp"

namespace condens {

struct CensoredScores {
  Index rows;
  Index n_exact;
  Index n_truncated;
  Score nll;
  std::optional<Score> crps;               ///< nothing where no value is exact
  std::optional<Concordance> concordance;  ///< nothing where rows are left or interval censored
};

/// Of one target; the y of the data is not read. Weights count in the means, not in the concordance. Throws
/// std::invalid_argument for data that do not fit the model, for limits that are none and for targets with atoms,
/// counts and grades.
CensoredScores score_censored(const ConditionalDensity& model, const std::optional<TargetDecoder>& target,
                              const Dataset& data, const Censoring& rows, const PlaceOfRow& place, const Run& run = {});

Document to_document(const CensoredScores& scores);

}  // namespace condens
