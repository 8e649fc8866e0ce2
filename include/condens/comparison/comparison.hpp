#pragma once
// Several models on the same parts of the same data, at random, the design of the papers' tables, or in the order of
// time: of every split, each model is fitted to one part and scored on the other.
//
// Fits run side by side. A split, and what is random in its fits, follow from the seed and the
// split's number alone, so that neither threads nor the order in which fits end change a score.

#include <array>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "condens/core/document.hpp"
#include "condens/core/options.hpp"
#include "condens/core/run.hpp"
#include "condens/data/dataset.hpp"
#include "condens/model/conditional_density.hpp"
#include "condens/model/target_kind.hpp"

namespace condens {

/// A model of a split: the density, of the target's code where that is of another kind than real numbers.
struct FittedContestant {
  std::unique_ptr<ConditionalDensity> density;
  std::optional<TargetDecoder> target = {};
};

/// A model that takes part, as a comparison sees it, which knows none by name. Scores compare where all have targets of
/// the same kind.
struct Contestant {
  std::string label;  ///< its name in tables
  Document identity;  ///< the model and its options: equal ones give equal fits
  std::function<FittedContestant(const Dataset&, Index seed, const Run&)> fit;
};

enum class SplitOrder { random, time };
template <>
inline constexpr auto choice_names<SplitOrder> = std::array<std::string_view, 2>{"random", "time"};

struct ComparisonOptions {
  SplitOrder cv = SplitOrder::random;
  Index repeats = 10;
  double test_fraction = 0.5;
  Index seed = 0;
};

template <>
inline constexpr auto option_table<ComparisonOptions> = Fields{
    OptionField{"cv", &ComparisonOptions::cv, anything(),
                "random: each split is drawn anew. time: rows are in the order of time; the last of them, as many as "
                "test_fraction says, are cut into a block for each split, and the fits see all rows before it."},
    OptionField{"repeats", &ComparisonOptions::repeats, whole(1, most_runs), "Splits, the same for all models."},
    OptionField{"test_fraction", &ComparisonOptions::test_fraction, Bounds{0.0, 1.0, true, true},
                "Share of rows to test on."},
    OptionField{"seed", &ComparisonOptions::seed, whole(0),
                "Seed of the splits; what is random in the fits of split r = 0, 1, ... has the seed plus r."},
};

/// One model on one split. Scores are those of metrics/scores.hpp: means over the test rows.
struct Trial {
  static constexpr double nothing = std::numeric_limits<double>::quiet_NaN();

  double nll = nothing;
  double nll_standardized = nothing;  ///< of y in standard deviations of the training rows, as papers report it
  double squared_loss = nothing;      ///< as the one before, of densities alone
  double crps = nothing;              ///< of several targets their mean, as coverage
  double coverage = nothing;          ///< of central intervals of probability 90 %
  double seconds = nothing;  ///< of the fit, by the clock on the wall; with other fits beside it, on one thread
  std::string failure = {};  ///< why there are no scores; empty where there are
};

struct Measure {
  std::string_view name;
  double Trial::*value;
};
inline constexpr std::array trial_measures = {
    Measure{"nll", &Trial::nll},
    Measure{"nll_standardized", &Trial::nll_standardized},
    Measure{"squared_loss", &Trial::squared_loss},
    Measure{"crps", &Trial::crps},
    Measure{"coverage_0.9", &Trial::coverage},
    Measure{"seconds", &Trial::seconds},
};

struct Comparison {
  ComparisonOptions options;
  std::vector<std::string> labels;         ///< of the models, in the order given
  std::vector<std::vector<Trial>> trials;  ///< of each model, one for every split
};

/// Trials that outlive the run, so that an interrupted comparison goes on where it stopped.
class TrialBook {
 public:
  virtual ~TrialBook() = default;
  virtual const Trial* find(std::size_t model, Index split) const = 0;       ///< nullptr where there is none
  virtual void add(std::size_t model, Index split, const Trial& trial) = 0;  ///< one call at a time
};

/// Runs the trials that the book does not hold yet and adds each as it ends; those that fail are
/// not added. A model that cannot be fitted to a split is a failed trial; where all are, throws what the
/// first one did. Throws std::invalid_argument for bad options or data, no model, or two of one label; Cancelled.
/// Cost: one fit for every model and split, as many at once as there are threads, the longest first.
Comparison compare_models(const Dataset& data, const std::vector<Contestant>& models,
                          const ComparisonOptions& options = {}, const Run& run = {}, TrialBook* book = nullptr);

}  // namespace condens
