#pragma once
// A test of how many directions z = W x the distribution of y needs, by scores of rows left out.
//
// For d = 0, 1, ... the null hypothesis is that the densities found with d + 1 directions have no higher mean log score
// on new rows than those with d, 0 being the density of y alone. Everything is fitted without the fold that is scored:
// with g_i the difference of the log scores of row i, and w its weight (1 where there are none),
//
//   gain_d = sum w_i g_i / sum w_i,   se_d^2 = sum w_i^2 (g_i - gain_d)^2 / (sum w_i)^2,
//
// it is rejected where gain_d > z_(1 - level) se_d. The answer is the first d that is not rejected. As it goes on only
// after a rejection, the chance to end above the d that predicts best is at most the level.
//
// Sources: P. Bayle, A. Bayle, L. Janson and L. Mackey, Cross-validation confidence intervals for test error, NeurIPS
// 2020, for the standard error; D. R. Cox and D. V. Hinkley, Theoretical Statistics, 1974, for tests one after another;
// as in J. Lei, Cross-validation with confidence, J. Amer. Statist. Assoc. 115, 2020.

#include <functional>
#include <vector>

#include "condens/comparison/comparison.hpp"
#include "condens/core/options.hpp"

namespace condens {

struct DimensionTestOptions {
  double level = 0.05;
  Index folds = 5;
  Index most = 10;
  Index seed = 0;
};

template <>
inline constexpr auto option_table<DimensionTestOptions> = Fields{
    OptionField{"level", &DimensionTestOptions::level, Bounds{0.0, 1.0, true, true}, "Level of every test."},
    OptionField{"folds", &DimensionTestOptions::folds, whole(2), "Parts of the rows that are left out in turn."},
    OptionField{"most", &DimensionTestOptions::most, whole(1), "Most directions that are fitted."},
    OptionField{"seed", &DimensionTestOptions::seed, whole(0), "Seed of the folds and of what is random in the fits."},
};

/// What is fitted with d directions; d = 0 gets data without inputs.
using ContestantOfDimension = std::function<Contestant(Index d)>;

struct DimensionTest {
  struct Step {
    Index n_components = 0;     ///< d
    double score = 0;           ///< mean log score with d directions, of rows left out
    double gain = 0;            ///< of d + 1 over d
    double standard_error = 0;  ///< of the gain
    double p_value = 1;
    bool rejected = false;  ///< at the level: d is too few
  };
  double level;
  Index n_components;       ///< what was not rejected, or the most that were fitted
  bool all_rejected;        ///< up to the most that were fitted
  std::vector<Step> steps;  ///< the last one is not rejected, unless all are
};

/// Throws std::invalid_argument for bad options, data without inputs and more folds than rows; what the fits throw.
/// Cost: for every d up to one above the answer a fit without each fold.
DimensionTest test_dimension(const Dataset& data, const ContestantOfDimension& model,
                             const DimensionTestOptions& options = {}, const Run& run = {});

}  // namespace condens
