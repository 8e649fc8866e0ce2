#pragma once
// What we tell a friend to use: a pool (pool.hpp) of a short list of models that is chosen by the
// numbers of rows and inputs, and by the time allowed.
//
// The list follows from a table of costs (estimators/auto/auto.cpp), seconds of one core estimated from n and
// d_x, never from a clock: the same data, budget and seed give the same bits on every machine. Members
// come in a fixed order, what they have added to pools before; each enters whose fits to all
// rows and without each fold are expected to fit into what is left of the budget, the cheapest one always: where even
// that would take longer, it is fitted to as many rows, drawn at random, as the budget allows.

#include <string>
#include <string_view>
#include <vector>

#include "condens/core/options.hpp"
#include "condens/estimators/pool.hpp"
#include "condens/model/capabilities.hpp"
#include "condens/model/fitted_model.hpp"
#include "condens/model/pooled_density.hpp"

namespace condens {

/// The defaults are our recommendation; `paper()` is the members by their own papers, no shrinkage and no broad
/// Gaussian.
struct AutoOptions {
  double budget = 60;
  std::string model_preset = "recommended";
  double shrinkage = 2;
  double defensive_weight = 1e-3;
  std::vector<double> cv = {5};
  Index seed = 0;

  static AutoOptions paper() { return {.model_preset = "paper", .shrinkage = 0, .defensive_weight = 0}; }
};

template <>
inline constexpr auto option_table<AutoOptions> = Fields{
    OptionField{"budget", &AutoOptions::budget, positive(),
                "Seconds that the fit may take on one core, as estimated from the size of the data: what would take "
                "longer is not a member, and where every model would, the fit is to fewer rows."},
    OptionField{"model_preset", &AutoOptions::model_preset, anything(), "Preset of the members."},
    OptionField{"shrinkage", &AutoOptions::shrinkage, at_least(0),
                "Evidence for equal weights, in rows: with few rows left out, weights follow chance; 0: none."},
    OptionField{"defensive_weight", &AutoOptions::defensive_weight, below(0, 1),
                "Least share of a broad Gaussian, twice the spread of y, which is a member of its own: it keeps far "
                "points from ruining a log score; 0: there is none."},
    OptionField{"cv", &AutoOptions::cv, whole(0), "Number of folds (at least 2), or the fold number of every row."},
    OptionField{"seed", &AutoOptions::seed, whole(0), "Seed of everything random: folds, and what the members draw."},
};

/// What the cost of a fit follows from.
struct DataSize {
  Index rows;
  Index columns;  ///< of x: a category has several
  Index inputs;
};

/// The models for data of a size, any number of targets, most valuable first, what their fits are expected to
/// take, and whether they belong to the pool.
struct AutoChoice {
  std::string name;
  double seconds;  ///< on one core, of the fits to all rows and without each fold
  bool chosen;
};
std::vector<AutoChoice> choose_models(const DataSize& size, Index folds, double budget);

/// The most rows whose fits by the cheapest model are expected to stay within the budget; all up to 2,000, where rows
/// are worth more than time.
Index affordable_rows(const DataSize& size, Index folds, double budget);

class AutoDensity final : public FittedWrapper<AutoDensity, AutoOptions, NoState, PooledDensity>,
                          public LearnsFromUnlabeled {
 public:
  static constexpr std::string_view class_name = "AutoCDE";

  /// Throws as Pool::fit. One warning names the models that the budget leaves out, another the number of rows where it
  /// does not allow all.
  static AutoDensity fit(const Dataset& data, const AutoOptions& options, const MemberFinder& find,
                         const Run& run = {});

  std::string_view model_name() const override { return "auto"; }

 private:
  friend FittedWrapper;
  AutoDensity(AutoOptions options, NoState state, Parts parts, FitReport report)
      : FittedWrapper(std::move(options), state, std::move(parts), std::move(report)) {}
};

template <>
inline constexpr auto result_table<AutoDensity> = pool_results;

}  // namespace condens
