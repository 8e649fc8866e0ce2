#pragma once
// What we tell a friend to use: a pool (pool.hpp) of a short list of models, chosen by what they are worth on the data
// at hand and by the time allowed.
//
// Up to 2,000 rows every model is fitted to all rows and without each fold. Of more, the models race: all are fitted to
// 250 rows and scored on rows left out, those that promise something go on with four times as many, until those left
// are fitted to all other rows; the pool's weights maximise the log score of the rows left out, and the members are
// fitted once more, to all rows, where time allows. Time is counted work, in seconds of one core of a usual machine,
// never a clock: the same data, budget and seed give the same bits on every machine and for any number of threads.
//
// Of a table that is elsewhere (model/row_sums.hpp) a random sample of the rows races, with the budget of all of them;
// members that are sums over rows are then fitted to the whole table, where time allows.

#include <string>
#include <string_view>
#include <vector>

#include "condens/core/options.hpp"
#include "condens/estimators/pool.hpp"
#include "condens/model/capabilities.hpp"
#include "condens/model/fitted_model.hpp"
#include "condens/model/pooled_density.hpp"
#include "condens/model/row_sums.hpp"

namespace condens {

/// The defaults are our recommendation; `paper()` is the members by their own papers, no shrinkage and no broad
/// Gaussian.
struct AutoOptions {
  double budget = 0;
  std::string model_preset = "recommended";
  double shrinkage = 2;
  double defensive_weight = 1e-3;
  std::vector<double> cv = {5};
  Index sample_rows = 100'000;
  Index seed = 0;

  static AutoOptions paper() { return {.model_preset = "paper", .shrinkage = 0, .defensive_weight = 0}; }
};

template <>
inline constexpr auto option_table<AutoOptions> = Fields{
    OptionField{"budget", &AutoOptions::budget, at_least(0),
                "Seconds of one core that the fit may take, as counted by its work: what would take longer is no "
                "member, or is fitted to fewer rows; 0: 60, and 5 more for every thousand rows up to 40,000, 0.6 "
                "for every thousand beyond."},
    OptionField{"model_preset", &AutoOptions::model_preset, anything(), "Preset of the members."},
    OptionField{"shrinkage", &AutoOptions::shrinkage, at_least(0),
                "Evidence for equal weights, in rows: with few rows left out, weights follow chance; 0: none."},
    OptionField{"defensive_weight", &AutoOptions::defensive_weight, below(0, 1),
                "Least share of a broad Gaussian, twice the spread of y, which is a member of its own: it keeps far "
                "points from ruining a log score; 0: there is none."},
    folds_field(&AutoOptions::cv),
    OptionField{
        "sample_rows", &AutoOptions::sample_rows, whole(2001),
        "Of tables whose rows are elsewhere: of more rows than this as many race, drawn at random; members that "
        "are sums over rows are then fitted to all, as the budget allows."},
    OptionField{"seed", &AutoOptions::seed, whole(0), "Seed of everything random: folds, and what the members draw."},
};

/// The budget where none is given, in seconds.
double default_budget(Index rows);

/// The models that take part, the most valuable first, for data with inputs or without.
const std::vector<std::string>& auto_models(bool with_inputs);

class AutoDensity final : public FittedWrapper<AutoDensity, AutoOptions, NoState, PooledDensity>,
                          public LearnsFromUnlabeled {
 public:
  static constexpr std::string_view class_name = "AutoCDE";

  /// Throws as Pool::fit. The report holds the race; a warning names the models that the budget leaves out, or has
  /// fitted to fewer rows.
  static AutoDensity fit(const Dataset& data, const AutoOptions& options, const MemberFinder& find,
                         const Run& run = {});

  /// The same of rows that are elsewhere. Of at most `sample_rows` it is the fit of rows in memory; of more, a warning
  /// names the members that have been fitted to some of them. Throws as Pool::fit.
  static AutoDensity fit(RowSums& table, const AutoOptions& options, const MemberFinder& find, const Run& run = {});

  std::string_view model_name() const override { return "auto"; }

 private:
  friend FittedWrapper;
  AutoDensity(AutoOptions options, NoState state, Parts parts, FitReport report)
      : FittedWrapper(std::move(options), state, std::move(parts), std::move(report)) {}
};

template <>
inline constexpr auto result_table<AutoDensity> = pool_results;

}  // namespace condens
