#pragma once
// Who wins a comparison, and who may have lost by chance only.
//
// The papers print in bold face the model of the least mean NLL and those that a paired t-test over the
// splits does not tell from it at 5 % (Sugiyama et al. 2010, Table 1). Random splits share rows, so that
// their differences are not independent and the test says "different" more often than in 5 % of cases
// (Nadeau and Bengio 2003): it is the papers' convention, not an exact test.

#include <array>
#include <string>
#include <vector>

#include "condens/comparison/comparison.hpp"
#include "condens/core/document.hpp"
#include "condens/metrics/scores.hpp"

namespace condens {

/// The two-sided p-value of Student's test that the mean of `differences` is zero. NaN for fewer than two,
/// or where one is not finite; 1 where all are zero, 0 where all are equal otherwise.
double paired_t_test(const VectorView& differences);

constexpr double significance_level = 0.05;

/// One model in a leaderboard.
struct Standing {
  std::string label;
  std::vector<Trial> trials;
  std::array<Score, trial_measures.size()> means;  ///< over the splits that did not fail; NaN without any
  Index failed;                                    ///< number of splits
  std::string failure;                             ///< the first one; empty without any
  Score behind;    ///< NLL minus that of the best, over the splits on which neither failed
  double p_value;  ///< of that difference; NaN for the best, and where there is no test
  bool best;       ///< the best, and those that the test does not tell from it
};

/// Fewest failures first, then by increasing mean NLL. A model that failed on more splits than the best is never
/// among the best, and without a test (one split) only the first is.
std::vector<Standing> leaderboard(const Comparison& comparison);

/// "model", then for each measure its mean, standard error and values, then the other members but the trials.
Document to_document(const Standing& standing);

}  // namespace condens
