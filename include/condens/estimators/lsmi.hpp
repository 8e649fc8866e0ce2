#pragma once
// Least-squares mutual information: the few directions z = W x that have as much squared-loss
// mutual information with y as possible, followed by any model of y given z.
//
//   SMI = 1/2 E[(r - 1)^2],  r = p(z, y) / (p(z) p(y)),  the mean over p(z) p(y)
//
// The ratio is estimated as a'(phi(z) o psi(y)) by regularised least squares, and W maximises
// SMI-hat = h'a / 2 - 1/2 (errata R10), over subspaces.
//
// Source: T. Suzuki and M. Sugiyama, Sufficient dimension reduction via squared-loss mutual
// information estimation, Neural Computation 25, 2013, as the rival of V. Tangkaratt, N. Xie and
// M. Sugiyama, Conditional density estimation with dimensionality reduction via squared-loss
// conditional entropy minimization, Neural Computation 27, 2015, section 3.
//
//   papers                      here
//   W                           components, d_z x d_x
//   SMI-hat                     smi; -1/2 - (the envelope of projection_objective.hpp)
//   sigma                       bandwidth (of z), bandwidth_y
//   lambda                      regularization

#include <string>
#include <string_view>
#include <vector>

#include "condens/core/options.hpp"
#include "condens/estimators/lsce.hpp"
#include "condens/kernels/centers.hpp"
#include "condens/model/capabilities.hpp"
#include "condens/model/fitted_model.hpp"
#include "condens/model/inner_model.hpp"
#include "condens/model/projected_density.hpp"
#include "condens/model/scoring.hpp"

namespace condens {

/// The defaults are our recommendation; `paper()` is the paper's procedure.
struct LsmiOptions {
  std::vector<double> n_components = {};
  SelectionRule selection_rule = SelectionRule::one_standard_error;
  bool sparse = false;
  std::vector<double> bandwidth = {0.1, 0.2, 0.4, 0.8, 1.6, 3.2};
  std::vector<double> bandwidth_y = {0.05, 0.1, 0.2, 0.4, 0.8};
  std::vector<double> regularization = {1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1};
  Index n_centers = 200;
  CenterSelection center_selection = CenterSelection::kmeans;
  bool mask_centers = true;
  LsceOptimizer optimizer = LsceOptimizer::lbfgs;
  bool informed_starts = true;
  Matrix start_directions = {};
  Index random_starts = 16;
  LsceTuning tuning = LsceTuning::common;
  Index steps_per_tuning = 20;
  Index max_steps = 200;
  std::string model = "lscde";
  std::string model_preset = "recommended";
  Document options = Document(Document::Object{});
  Scoring scoring = Scoring::nll;
  std::vector<double> cv = {5};
  bool standardize = true;
  Index seed = 0;

  /// 20 random starts, steepest descent along geodesics, cross-validation every 5 steps of each,
  /// one width; then the model by its own paper.
  static LsmiOptions paper();

  /// What a preset says gives way to what is given, where both cannot hold: of starts.
  void give_way(const Document& given);
};

template <>
inline constexpr auto option_table<LsmiOptions> = Fields{
    OptionField{"n_components", &LsmiOptions::n_components, distinct(whole(1)),
                "Number of directions: one number, or candidates; none: 1 to 5, chosen by cross-validation."},
    OptionField{"selection_rule", &LsmiOptions::selection_rule, anything(),
                "The number of directions of the least score, or the fewest within one standard error of it."},
    OptionField{"sparse", &LsmiOptions::sparse, anything(),
                "Let inputs leave the directions, those of the smallest loadings first, as far as the score of rows "
                "left out allows: their loadings are exactly zero."},
    OptionField{"bandwidth", &LsmiOptions::bandwidth, filled(distinct(positive())),
                "Gaussian width in z while W is searched: one number, or candidates for cross-validation."},
    OptionField{"bandwidth_y", &LsmiOptions::bandwidth_y, distinct(positive()),
                "Gaussian width in y: one number, candidates, or none: the same width as for z."},
    OptionField{"regularization", &LsmiOptions::regularization, filled(distinct(positive())),
                "Ridge penalty lambda on the coefficients: one number, or candidates for cross-validation."},
    OptionField{"n_centers", &LsmiOptions::n_centers, whole(1),
                "Number of kernel centres drawn from the samples (all samples when there are fewer)."},
    OptionField{"center_selection", &LsmiOptions::center_selection, anything(),
                "How centres are drawn: at random, or spread over the data by k-means++."},
    OptionField{"mask_centers", &LsmiOptions::mask_centers, anything(),
                "In cross-validation, leave out the centres that are samples of the held-out fold."},
    OptionField{"optimizer", &LsmiOptions::optimizer, anything(),
                "Quasi-Newton steps, or the paper's steepest descent along geodesics."},
    OptionField{"informed_starts", &LsmiOptions::informed_starts, anything(),
                "Start from SIR, SAVE, learned Nadaraya-Watson metrics and the subspace of fewer dimensions, too."},
    OptionField{"start_directions", &LsmiOptions::start_directions, anything(),
                "Directions to start from, too, in units of the data: each a number for every input."},
    OptionField{"random_starts", &LsmiOptions::random_starts, whole(0, most_runs), "Number of random starts."},
    OptionField{"tuning", &LsmiOptions::tuning, anything(),
                "Widths and regularisation common to all starts, chosen at the leading one, or own ones for each."},
    OptionField{"steps_per_tuning", &LsmiOptions::steps_per_tuning, whole(1),
                "Steps of the search between two choices of widths and regularisation."},
    OptionField{"max_steps", &LsmiOptions::max_steps, whole(1), "Most steps of the search from each start."},
    OptionField{"model", &LsmiOptions::model, anything(), "Name of the model of the directions."},
    OptionField{"model_preset", &LsmiOptions::model_preset, anything(),
                "Preset of that model: where options that are not set take their values from."},
    OptionField{"options", &LsmiOptions::options, anything(), "Options of that model."},
    OptionField{"scoring", &LsmiOptions::scoring, anything(),
                "Score of cross-validation: negative log-likelihood, or squared error of the density."},
    folds_field(&LsmiOptions::cv),
    OptionField{"standardize", &LsmiOptions::standardize, anything(),
                "Bring every column to mean 0 and standard deviation 1 before directions are sought."},
    OptionField{"seed", &LsmiOptions::seed, whole(0),
                "Seed of everything random: centres, folds, starts, and what the model draws."},
};

/// Of the search, on the standardised scale; widths and penalty are 0 where nothing was to be searched.
struct LsmiState {
  double bandwidth = 0;
  double bandwidth_y = 0;
  double regularization = 0;
  double smi = 0;  ///< SMI-hat at W
};

class Lsmi final : public FittedWrapper<Lsmi, LsmiOptions, LsmiState, ProjectedDensity>, public LearnsFromUnlabeled {
 public:
  static constexpr std::string_view class_name = "LSMI";

  /// `inner` is the model that the options name. Throws std::invalid_argument for bad options or
  /// data, what the model throws, NumericalError where no number of directions gives a density.
  static Lsmi fit(const Dataset& data, const LsmiOptions& options, const InnerModel& inner, const Run& run = {});

  std::string_view model_name() const override { return "lsmi"; }

 private:
  friend FittedWrapper;
  Lsmi(LsmiOptions options, LsmiState state, Parts parts, FitReport report)
      : FittedWrapper(std::move(options), state, std::move(parts), std::move(report)) {}
};

template <>
inline constexpr auto result_table<Lsmi> = Fields{
    ResultField{"components", &Lsmi::components,
                "Directions W, one a row, orthonormal on the standardised scale of x; z = W x.",
                as_written("n_components", "n_inputs")},
    ResultField{"n_components", &Lsmi::n_components, "Number of directions."},
    StateField{"bandwidth", &LsmiState::bandwidth, "Gaussian width in z of the search, on the standardised scale."},
    StateField{"bandwidth_y", &LsmiState::bandwidth_y, "Gaussian width in y of the search, on the standardised scale."},
    StateField{"regularization", &LsmiState::regularization, "Ridge penalty of the search."},
    StateField{"smi", &LsmiState::smi, "Estimate of the squared-loss mutual information of y and z (more is better)."},
};

}  // namespace condens
