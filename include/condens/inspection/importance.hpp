#pragma once
// What the scores of rows lose when an input is shuffled among them:
//
//   I_j = (1/n) sum_i (1/R) sum_r [ S(x_i with input j of row pi_r(i), y_i) - S(x_i, y_i) ],
//
// S the log score -log p(y|x) or the CRPS (of several targets the energy score), pi_r random orders. An input that the
// model does not use has importance zero exactly. Inputs that go together share what they tell: each looks small.
//
// Source: L. Breiman, Random forests, Machine Learning 45, 2001, section 10.

#include "condens/inspection/functional.hpp"
#include "condens/inspection/inputs.hpp"
#include "condens/metrics/scores.hpp"

namespace condens {

struct ImportanceOptions {
  Index n_repeats = 5;
  Index max_rows = 0;  ///< of more rows so many, drawn at random, take part; 0: all
  Index seed = 0;
};

struct Importance {
  /// The loss of one score: its mean over rows and shuffles, the standard error as a mean over independent rows, and
  /// that over shuffles of these rows (NaN of a single one).
  struct Loss {
    double value;
    double standard_error;
    double shuffle_error;
  };
  std::string input;
  Loss log_score;
  Loss crps;
};

struct Importances {
  Score log_score;  ///< of the rows as they are; less is better
  Score crps;
  std::vector<Importance> inputs;  ///< in the order in which they were given
  Index n_rows;
};

/// Throws std::invalid_argument for shapes that do not fit, options out of range, and a row of density zero. Cost: 1 +
/// n_repeats predictions of every row for each input.
Importances permutation_importance(const ConditionalDensity& density, const TargetDecoder* kind,
                                   const std::vector<InspectedInput>& inputs, const Dataset& data,
                                   const ImportanceOptions& options = {}, const Run& run = {});

}  // namespace condens
