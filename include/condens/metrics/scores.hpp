#pragma once
// How good is a conditional density on observations it has not seen? Scores on the
// user's scale of y, each a (weighted) mean over rows with its standard error, and
// the calibration of every target: PIT values, coverage of regions.
//
//   nll            -log p(y_i | x_i); where a value has a probability of its own, of that
//   squared loss   (1/2) integral p(y | x_i)^2 dy - p(y_i | x_i): Sugiyama et al. (2010), section 2.5
//   energy score   E|Y - y_i| - E|Y - Y'| / 2: Gneiting and Raftery (2007), section 4.3
//   CRPS           the energy score of one target
//   PIT            F(y_i | x_i), uniform when the law is right; where y_i has a probability, an even
//                  draw between P(Y < y_i) and P(Y <= y_i), always the same
//   coverage       share of rows whose y_i lies in the central interval, or in the smallest
//                  region, of a given probability
// Lower is better for the first four.

#include <optional>
#include <vector>

#include "condens/core/document.hpp"
#include "condens/core/options.hpp"
#include "condens/core/run.hpp"
#include "condens/data/dataset.hpp"
#include "condens/metrics/uniformity.hpp"
#include "condens/model/conditional_density.hpp"
#include "condens/model/target_kind.hpp"

namespace condens {

struct ScoreOptions {
  std::vector<double> levels{0.5, 0.8, 0.9, 0.95};
  bool energy_score = true;
  bool highest_density = true;
};

template <>
inline constexpr auto option_table<ScoreOptions> = Fields{
    OptionField{"levels", &ScoreOptions::levels, Bounds{0.0, 1.0, true, true},
                "probabilities of the central intervals and highest-density regions whose coverage is counted"},
    OptionField{"energy_score", &ScoreOptions::energy_score, anything(),
                "compute the energy score of several targets, which costs a sum over pairs of components for each row"},
    OptionField{"highest_density", &ScoreOptions::highest_density, anything(),
                "count the coverage of highest-density regions, which costs a search for level sets for each row"}};

/// A mean over rows. The standard error is that of independent rows, with Kish's
/// effective size for weights; NaN when the effective size is 1.
struct Score {
  double value;
  double standard_error;
};

/// The regions of probability `level` of one target.
struct Coverage {
  double level;
  Score central;                         ///< share of rows inside the central interval
  Score width;                           ///< mean width of the central interval
  std::optional<Score> highest_density;  ///< share of rows inside the highest-density region, where asked for
};

/// One target, by its marginal law.
struct TargetScores {
  Score crps;
  Vector pit;  ///< in the order of the rows
  TestResult kolmogorov_smirnov;
  TestResult cramer_von_mises;
  std::vector<Coverage> coverage;
  Score pit_mean{};    ///< 1/2 where the law is right
  double pit_std = 0;  ///< 1/sqrt(12) there
};

struct Scores {
  Index rows;
  double effective_size;  ///< rows, or Kish's size for weights
  Vector weights;         ///< of the rows, empty when all are one
  Score nll;
  std::optional<Score> squared_loss;  ///< of densities
  std::optional<Score> energy_score;  ///< where asked for; for one target it equals the CRPS
  std::vector<TargetScores> targets;
};

/// Scores `model` on `data`. Rows of weight 0 are left out. Cost: one prediction and,
/// for m components, O(m^2) for every row; memory O(rows) beside fixed blocks. The same bits for any
/// number of threads. Throws std::invalid_argument for data that do not fit the model.
Scores score(const ConditionalDensity& model, const Dataset& data, const ScoreOptions& options = {},
             const Run& run = {});

/// The same of a target of another kind than real numbers, where `target` has one.
Scores score(const ConditionalDensity& model, const std::optional<TargetDecoder>& target, const Dataset& data,
             const ScoreOptions& options = {}, const Run& run = {});

/// Weighted mean and its standard error; weights empty or one for each value.
Score mean_score(const VectorView& values, const VectorView& weights = Vector());

/// Everything but the PIT values and weights.
Document to_document(const Scores& scores);

}  // namespace condens
