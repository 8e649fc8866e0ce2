#pragma once
// Least-squares conditional entropy: the few directions z = W x on which y depends, found
// together with the density of y given z.
//
// Source: V. Tangkaratt, N. Xie and M. Sugiyama, Conditional density estimation with
// dimensionality reduction via squared-loss conditional entropy minimization, Neural
// Computation 27, 2015, with errata R1 to R9.
//
//   paper                       here
//   W                           components, d_z x d_x
//   SCE-hat(Y|Z)                sce; projection_objective.hpp has its formula and gradient
//   sigma                       bandwidth (of z), bandwidth_y
//   lambda                      regularization
//   u_k, v_k                    centres: W times inputs of samples, targets of samples
//
// W is searched on standardised x, and z is not scaled again (errata R6).

#include <array>
#include <memory>
#include <string_view>
#include <vector>

#include "condens/core/options.hpp"
#include "condens/estimators/lscde.hpp"
#include "condens/estimators/lsce/projection_objective.hpp"
#include "condens/kernels/centers.hpp"
#include "condens/model/capabilities.hpp"
#include "condens/model/fitted_model.hpp"
#include "condens/model/projected_density.hpp"
#include "condens/model/scoring.hpp"

namespace condens {

enum class LsceOptimizer { lbfgs, steepest };
template <>
inline constexpr auto choice_names<LsceOptimizer> = std::array<std::string_view, 2>{"lbfgs", "steepest"};

enum class LsceTuning { common, own };
template <>
inline constexpr auto choice_names<LsceTuning> = std::array<std::string_view, 2>{"common", "own"};

enum class LsceDensity { refit, same };
template <>
inline constexpr auto choice_names<LsceDensity> = std::array<std::string_view, 2>{"refit", "same"};

/// The defaults are our recommendation; `paper()` is the paper's procedure.
struct LsceOptions {
  std::vector<double> n_components = {};
  SelectionRule selection_rule = SelectionRule::one_standard_error;
  bool sparse = false;
  std::vector<double> bandwidth = {0.1, 0.2, 0.4, 0.8, 1.6, 3.2};
  std::vector<double> bandwidth_y = {0.05, 0.1, 0.2, 0.4, 0.8};
  std::vector<double> regularization = {1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1};
  Index n_centers = 200;
  CenterSelection center_selection = CenterSelection::kmeans;
  Matrix centers = {};
  bool mask_centers = true;
  ProjectionCriterion criterion = ProjectionCriterion::plug_in;
  LsceOptimizer optimizer = LsceOptimizer::lbfgs;
  bool informed_starts = true;
  Matrix start_directions = {};
  Index random_starts = 16;
  LsceTuning tuning = LsceTuning::common;
  Index steps_per_tuning = 20;
  Index max_steps = 200;
  Index max_search_rows = 15000;
  LsceDensity density = LsceDensity::refit;
  bool keep_best = false;
  double defensive_weight = 1e-3;
  Scoring scoring = Scoring::nll;
  std::vector<double> cv = {5};
  bool standardize = true;
  Index seed = 0;

  /// 20 random starts, steepest descent along geodesics, cross-validation every 5 steps of each, one width.
  static LsceOptions paper();

  /// What a preset says gives way to what is given, where both cannot hold: of starts.
  void give_way(const Document& given);
};

template <>
inline constexpr auto option_table<LsceOptions> = Fields{
    OptionField{"n_components", &LsceOptions::n_components, distinct(whole(1)),
                "Dimensions of z: one number, candidates, or none: 1, 2, ... as long as the held-out score improves."},
    OptionField{"selection_rule", &LsceOptions::selection_rule, anything(),
                "The number of components of the least score, or the smallest within one standard error of it."},
    OptionField{"sparse", &LsceOptions::sparse, anything(),
                "Let inputs leave the directions, those of the smallest loadings first, as far as the score of rows "
                "left out allows: their loadings are exactly zero."},
    OptionField{"bandwidth", &LsceOptions::bandwidth, filled(distinct(positive())),
                "Gaussian width in z while W is searched: one number, or candidates for cross-validation."},
    OptionField{"bandwidth_y", &LsceOptions::bandwidth_y, distinct(positive()),
                "Gaussian width in y: one number, candidates, or none: the same width as for z."},
    OptionField{"regularization", &LsceOptions::regularization, filled(distinct(positive())),
                "Ridge penalty lambda on the coefficients: one number, or candidates for cross-validation."},
    OptionField{"n_centers", &LsceOptions::n_centers, whole(1),
                "Number of kernel centres of the search, drawn from the samples (all samples when there are fewer)."},
    OptionField{"center_selection", &LsceOptions::center_selection, anything(),
                "How centres are drawn: at random, or spread over the data by k-means++."},
    OptionField{"centers", &LsceOptions::centers, anything(),
                "Given centres [x, y] on the scale of the data; overrides n_centers and center_selection."},
    OptionField{"mask_centers", &LsceOptions::mask_centers, anything(),
                "In cross-validation, leave out the centres that are samples of the held-out fold."},
    OptionField{"criterion", &LsceOptions::criterion, anything(),
                "What W minimises: the paper's estimate of SCE, or the penalised least-squares value itself."},
    OptionField{"optimizer", &LsceOptions::optimizer, anything(),
                "Quasi-Newton steps, or the paper's steepest descent along geodesics."},
    OptionField{"informed_starts", &LsceOptions::informed_starts, anything(),
                "Start from SIR, SAVE, learned Nadaraya-Watson metrics and the subspace of fewer dimensions, too."},
    OptionField{"start_directions", &LsceOptions::start_directions, anything(),
                "Directions to start from, too, in units of the data: each a number for every input."},
    OptionField{"random_starts", &LsceOptions::random_starts, whole(0, most_runs), "Number of random starts."},
    OptionField{"tuning", &LsceOptions::tuning, anything(),
                "Widths and regularisation common to all starts, chosen at the leading one, or own ones for each."},
    OptionField{"steps_per_tuning", &LsceOptions::steps_per_tuning, whole(1),
                "Steps of the search between two choices of widths and regularisation."},
    OptionField{"max_steps", &LsceOptions::max_steps, whole(1), "Most steps of the search from each start."},
    OptionField{"max_search_rows", &LsceOptions::max_search_rows, whole(0),
                "Of more rows than this W is searched on as many drawn at random; the density is of all (0: all)."},
    OptionField{"density", &LsceOptions::density, anything(),
                "Density of y given z: LSCDE that chooses its own centres and widths, or with those of the search."},
    OptionField{"keep_best", &LsceOptions::keep_best, anything(),
                "When interrupted, finish with the best subspace found so far instead of giving up."},
    OptionField{"defensive_weight", &LsceOptions::defensive_weight, below(0, 1),
                "Share of a broad Gaussian, twice the spread of y, that keeps far points from ruining a log score."},
    OptionField{"scoring", &LsceOptions::scoring, anything(),
                "Score of cross-validation: negative log-likelihood, or squared error of the density (while W is "
                "searched: always)."},
    folds_field(&LsceOptions::cv),
    OptionField{"standardize", &LsceOptions::standardize, anything(),
                "Bring every column to mean 0 and standard deviation 1 first; densities stay on your scale."},
    OptionField{"seed", &LsceOptions::seed, whole(0), "Seed of everything random: centres, folds, starts."},
};

/// Of the search, on the standardised scale; widths and penalty are 0 where nothing was to be searched.
struct LsceState {
  double bandwidth = 0;
  double bandwidth_y = 0;
  double regularization = 0;
  double sce = 0;  ///< SCE-hat at W
};

class Lsce final : public FittedWrapper<Lsce, LsceOptions, LsceState, ProjectedDensity>, public LearnsExactly {
 public:
  static constexpr std::string_view class_name = "LSCE";

  /// Searches W for each number of components from several starts, chooses the number by
  /// cross-validation, in which W is found anew on the rows of each training part, and fits LSCDE on
  /// z. Throws std::invalid_argument for bad options or data, NumericalError when nothing can be
  /// fitted, Cancelled. Cost: for each number of components some 400 evaluations of
  /// 2 m b^2 + 2 m d_z d_x multiplications and additions, m = min(n, max_search_rows). Memory: b m numbers, and b^2 per
  /// fold.
  static Lsce fit(const Dataset& data, const LsceOptions& options = {}, const Run& run = {});

  /// The same of rows that are elsewhere (model/row_sums.hpp), by the passes of Lscde over z. Throws as above, and for
  /// `cv` that is no number of folds.
  static Lsce fit(RowSums& table, const LsceOptions& options, const Run& run);

  std::string_view model_name() const override { return "lsce"; }

  /// Those of the density of z; W stays. Throw FormatError where that is none of LSCDE's.
  Document closing_pass() const override;
  std::unique_ptr<ConditionalDensity> finished(const Document& state) const override;

 private:
  friend FittedWrapper;
  struct Finisher;
  Lsce(LsceOptions options, LsceState state, Parts parts, FitReport report)
      : FittedWrapper(std::move(options), state, std::move(parts), std::move(report)) {}
};

template <>
inline constexpr auto result_table<Lsce> = Fields{
    ResultField{"components", &Lsce::components,
                "Directions W, one a row, orthonormal on the standardised scale of x; z = W x.",
                as_written("n_components", "n_inputs")},
    ResultField{"n_components", &Lsce::n_components, "Number of directions."},
    StateField{"bandwidth", &LsceState::bandwidth, "Gaussian width in z of the search, on the standardised scale."},
    StateField{"bandwidth_y", &LsceState::bandwidth_y, "Gaussian width in y of the search, on the standardised scale."},
    StateField{"regularization", &LsceState::regularization, "Ridge penalty of the search."},
    StateField{"sce", &LsceState::sce,
               "Estimate of the squared-loss conditional entropy of y given z (less is better)."},
};

}  // namespace condens
