#pragma once
// A convex combination of fitted models whose weights maximise the log score of rows left out
// (stacking):
//
//   max_w  sum_i v_i log( e p_0(y_i) + (1 - e) sum_m w_m p_m^(-i)(y_i | x_i) )   over the simplex,
//
// p_m^(-i) member m fitted without the fold of row i, p_0 a broad Gaussian, twice the spread of y, which
// is a member, too, with a share of at least e. To the sum comes (c / M) sum_m log w_m, c rows' worth of
// evidence for equal weights (the mode under a Dirichlet law of the weights): with few rows, weights
// follow chance. The members of the pool are then fitted to all
// rows; those of weight zero go. Every fit chooses its hyper-parameters anew, those without a fold too.
//
// Folds keep copies of a row together. Of more than `most_rows_at_once` rows (data/folds.hpp) they follow from places
// alone, so that a table that is elsewhere has the same; of more than 100,000 rows the sum is over so many of them,
// drawn at random.
//
// Source: Y. Yao, A. Vehtari, D. Simpson and A. Gelman, Using stacking to average Bayesian predictive
// distributions, Bayesian Analysis 13, 2018. The weights: optim/mixture_proportions.hpp.

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "condens/core/options.hpp"
#include "condens/model/capabilities.hpp"
#include "condens/model/fitted_model.hpp"
#include "condens/model/inner_model.hpp"
#include "condens/model/pooled_density.hpp"
#include "condens/model/row_sums.hpp"

namespace condens {

/// The defaults are our recommendation; `paper()` is the members by their own papers, no shrinkage and no broad
/// Gaussian.
struct PoolOptions {
  std::vector<std::string> models = {"lscde", "nw", "gp"};
  std::string model_preset = "recommended";
  Document options = Document(Document::Object{});
  double shrinkage = 2;
  double defensive_weight = 1e-3;
  std::vector<double> cv = {5};
  Index seed = 0;

  static PoolOptions paper() { return {.model_preset = "paper", .shrinkage = 0, .defensive_weight = 0}; }
};

template <>
inline constexpr auto option_table<PoolOptions> = Fields{
    OptionField{"models", &PoolOptions::models, anything(),
                "Names of the members; marginal is the density of y without inputs."},
    OptionField{"model_preset", &PoolOptions::model_preset, anything(),
                "Preset of the members: where options that are not set take their values from."},
    OptionField{"options", &PoolOptions::options, anything(), "Options of the members, by their names."},
    OptionField{"shrinkage", &PoolOptions::shrinkage, at_least(0),
                "Evidence for equal weights, in rows: with few rows left out, weights follow chance; 0: none."},
    OptionField{"defensive_weight", &PoolOptions::defensive_weight, below(0, 1),
                "Least share of a broad Gaussian, twice the spread of y, which is a member of its own: it keeps far "
                "points from ruining a log score; 0: there is none."},
    folds_field(&PoolOptions::cv),
    OptionField{"seed", &PoolOptions::seed, whole(0), "Seed of everything random: folds, and what the members draw."},
};

class Pool final : public FittedWrapper<Pool, PoolOptions, NoState, PooledDensity>, public LearnsFromUnlabeled {
 public:
  static constexpr std::string_view class_name = "Pooled";

  /// A member that cannot take the data is left out with a warning. Throws std::invalid_argument for bad
  /// options or data, NumericalError where no member is left. Cost: one fit of every member for
  /// each fold and one to all rows, side by side.
  static Pool fit(const Dataset& data, const PoolOptions& options, const MemberFinder& find, const Run& run = {});

  /// The same of rows that are elsewhere (model/row_sums.hpp), one fit after the other: of more than
  /// `most_rows_at_once` rows the same pool as of rows in memory up to the rounding of sums. Throws
  /// std::invalid_argument for a member that is no sum over rows, too.
  static Pool fit(RowSums& table, const PoolOptions& options, const MemberFinder& find, const Run& run = {});

  std::string_view model_name() const override { return "pool"; }

 private:
  friend FittedWrapper;
  Pool(PoolOptions options, NoState state, Parts parts, FitReport report)
      : FittedWrapper(std::move(options), state, std::move(parts), std::move(report)) {}
};

template <>
inline constexpr auto result_table<Pool> = pool_results;

}  // namespace condens
