#pragma once
// Predictive state smoothing: x is mapped to weights of J states, and the law of y is the
// mixture of the states' densities.
//
// Source: G. M. Goerg, Predictive state smoothing (PRESS): scalable non-parametric regression
// for high-dimensional data with variable selection, 2017; errata P1 to P13.
//
//   p(y|x) = sum_j w_j(x) p_j(y)  (25),   w(x) = softmax(theta' [1; x])  (29),
//   p_j    = kernel density of y with the weights W_ij / sigma_j
//
//   paper              here
//   theta, beta_j      coefficients (columns: states)
//   sigma_j            state_sizes
//   y-bar^(j) (20)     state_means
//   nu (35)            degrees_of_freedom
//   eta_i (18)         entropy

#include <array>
#include <memory>
#include <string_view>
#include <vector>

#include "condens/core/options.hpp"
#include "condens/data/dataset.hpp"
#include "condens/estimators/press/map.hpp"
#include "condens/estimators/press/objective.hpp"
#include "condens/model/capabilities.hpp"
#include "condens/model/fitted_model.hpp"
#include "condens/model/kernel_mixture.hpp"
#include "condens/model/row_sums.hpp"

namespace condens {

enum class PressSelection { aic, cv };
template <>
inline constexpr auto choice_names<PressSelection> = std::array<std::string_view, 2>{"aic", "cv"};

enum class PressStart { informed, random };
template <>
inline constexpr auto choice_names<PressStart> = std::array<std::string_view, 2>{"informed", "random"};

enum class PressOptimizer { lbfgs, adam };
template <>
inline constexpr auto choice_names<PressOptimizer> = std::array<std::string_view, 2>{"lbfgs", "adam"};

/// The defaults are our recommendation; `paper()` is the paper's procedure.
struct PressOptions {
  std::vector<double> n_states = {1, 2, 3, 4, 6, 8};
  PressCriterion criterion = PressCriterion::likelihood;
  PressSelection selection = PressSelection::cv;
  std::vector<double> cv = {5};
  std::vector<double> hidden = {};
  PressActivation activation = PressActivation::tanh;
  double smoothness = 0;
  double smoothness_weight = 0;
  std::vector<double> regularization = {1e-5, 1e-4, 1e-3};
  std::vector<double> lasso = {};
  PressStart start = PressStart::informed;
  Index n_starts = 3;
  Index batch_size = 5000;
  double holdout = 0;
  Index patience = 500;
  Index max_iterations = 300;
  PressOptimizer optimizer = PressOptimizer::lbfgs;
  Index adam_passes = 30;
  Index minibatch = 256;
  double learning_rate = 0.03;
  std::vector<double> bandwidth_y = {};
  double bandwidth_y_floor = 0.01;
  bool common_bandwidth = false;
  bool corrected_levels = false;
  double compression_tolerance = 0.01;
  double defensive_weight = 1e-3;
  Index sample_rows = 0;
  Index table_steps = 20;
  bool standardize = true;
  Index seed = 0;

  /// GCV from one random start, early stopping on a fifth of the rows, J = 1, ..., 15 by AIC.
  static PressOptions paper();

  /// What a preset says gives way to what is given, where both cannot hold: of widths for each state, and the number of
  /// states.
  void give_way(const Document& given);
};

template <>
inline constexpr auto option_table<PressOptions> = Fields{
    OptionField{"n_states", &PressOptions::n_states, filled(distinct(whole(1, most_components))),
                "Number of predictive states J: one number, or candidates."},
    OptionField{"criterion", &PressOptions::criterion, anything(),
                "What the map is fitted by: squared error in the sample, by the paper's closed-form or generalised "
                "leave-one-out, by the exact leave-one-out at fixed coefficients, or the leave-one-out likelihood of "
                "the density."},
    OptionField{"selection", &PressOptions::selection, anything(),
                "What chooses among candidates: AIC, or the likelihood of rows held out in turn."},
    OptionField{"cv", &PressOptions::cv, fold_numbers(),
                "Number of folds, or one fold number for every row, for selection by cv."},
    OptionField{"hidden", &PressOptions::hidden, whole(1, most_units),
                "Widths of hidden layers between the inputs and the states; none: a linear map."},
    OptionField{"activation", &PressOptions::activation, anything(), "What the units of hidden layers compute."},
    OptionField{"smoothness", &PressOptions::smoothness, at_least(0),
                "Degrees of freedom that the fit is drawn to, with smoothness_weight."},
    OptionField{"smoothness_weight", &PressOptions::smoothness_weight, at_least(0),
                "Weight of the squared distance of the degrees of freedom from smoothness."},
    OptionField{"regularization", &PressOptions::regularization, filled(distinct(at_least(0))),
                "Ridge penalty on the coefficients: half the number times the sum of their squares; one number, or "
                "candidates."},
    OptionField{"lasso", &PressOptions::lasso, distinct(at_least(0)),
                "Penalty on the absolute coefficients of the inputs, which makes some exactly zero: none, one number, "
                "or candidates."},
    OptionField{"start", &PressOptions::start, anything(),
                "Starts from classes of y, clusters of the rows and a split of the fit with fewer states, then random; "
                "or random only."},
    OptionField{"n_starts", &PressOptions::n_starts, whole(1, most_runs),
                "Number of starts, of which the best is kept."},
    OptionField{"batch_size", &PressOptions::batch_size, whole(0),
                "Rows of the first batch that starts are tried on, where there are twice as many or more; the best "
                "goes on to four times as many, and so on to all (0: all from the first step)."},
    OptionField{"holdout", &PressOptions::holdout, below(0, 1),
                "Share of the rows that does not fit the map but says when to stop (0: none)."},
    OptionField{"patience", &PressOptions::patience, whole(1),
                "Steps without a lower squared error of the rows held out after which the search stops."},
    OptionField{"max_iterations", &PressOptions::max_iterations, whole(1), "Largest number of steps of a search."},
    OptionField{"optimizer", &PressOptions::optimizer, anything(),
                "Quasi-Newton steps on all rows, or stochastic gradients: steps of Adam on a few rows each."},
    OptionField{"adam_passes", &PressOptions::adam_passes, whole(1), "Passes of Adam over the rows."},
    OptionField{"minibatch", &PressOptions::minibatch, whole(10), "Rows of a step of Adam."},
    OptionField{"learning_rate", &PressOptions::learning_rate, positive(),
                "First step size of Adam, which falls to zero over the passes."},
    OptionField{"bandwidth_y", &PressOptions::bandwidth_y, positive(),
                "Gaussian width of the states' densities on the standardised scale: none (learned), one number, or one "
                "for each state."},
    OptionField{"bandwidth_y_floor", &PressOptions::bandwidth_y_floor, positive(),
                "Smallest width that is learned, in standard deviations of y, or half the smallest step between values "
                "of y where that is larger: ties in y would make it vanish."},
    OptionField{"common_bandwidth", &PressOptions::common_bandwidth, anything(), "One width for all states."},
    OptionField{"corrected_levels", &PressOptions::corrected_levels, anything(),
                "Move every state's density to its least-squares level: the paper's means are drawn to the centre."},
    OptionField{"compression_tolerance", &PressOptions::compression_tolerance, below(0, 1),
                "Bound on the integral of the absolute error of a state's density from having fewer kernels than "
                "samples (0: none are saved)."},
    OptionField{"defensive_weight", &PressOptions::defensive_weight, below(0, 1),
                "Share of a broad Gaussian, twice the spread of y, that keeps far points from ruining a log score."},
    OptionField{"sample_rows", &PressOptions::sample_rows, whole(0),
                "Of more rows than this the fit has as many drawn at random, and then all in table_steps steps; 0: all "
                "rows in memory, 20000 of those that are elsewhere."},
    OptionField{"table_steps", &PressOptions::table_steps, whole(0),
                "Most steps of L-BFGS on all rows, each three passes or some more over them, after a fit to a sample; "
                "0: none."},
    OptionField{"standardize", &PressOptions::standardize, anything(),
                "Bring every column to mean 0 and standard deviation 1 first; densities stay on your scale."},
    OptionField{"seed", &PressOptions::seed, whole(0), "Seed of everything random: starts, folds, held-out rows."},
};

/// J states, C components.
struct PressState {
  Index n_states = 0;
  Vector theta = {};            ///< of the map, in the order of PressMap
  Matrix centers = {};          ///< of the components, d_y x C, standardised
  Vector widths = {};           ///< C, standardised scale
  Matrix shares = {};           ///< C x J: columns are the distributions of the states
  Matrix standard_errors = {};  ///< (1 + d_x) x J, as the coefficients; or empty
  Matrix robust_errors = {};    ///< the same
  Matrix means = {};            ///< d_y x J, scale of the data
  Matrix levels = {};           ///< d_y x J, scale of the data
  Matrix inputs = {};           ///< d_x x J, scale of the data
  Matrix input_variances = {};  ///< d_x x J, scale of the data
  Matrix representatives = {};  ///< d_x x J, scale of the data
  Vector sizes = {};            ///< J: weight of the rows
  Vector bandwidths = {};       ///< J, standardised scale
  double degrees_of_freedom = 0;
  double mean_entropy = 0;  ///< of the training rows, bits
  Defensive defensive;
};

class Press final : public FittedModel<Press, PressOptions, PressState>, public HasStates {
 public:
  static constexpr std::string_view class_name = "PRESS";

  /// Throws std::invalid_argument for bad options or data, Cancelled.
  /// Cost: some hundred evaluations of PressObjective for every candidate, and again for every fold.
  static Press fit(const Dataset& data, const PressOptions& options = {}, const Run& run = {});

  /// The same of rows that are elsewhere (model/row_sums.hpp): what is chosen is chosen on a sample of them, whose map
  /// and widths are improved in `table_steps` steps on all, and the states are described by all. Of several targets,
  /// and with no compression, the likelihood has no sums over rows, and map or widths by it, and kernels, stay those of
  /// the sample. The model is that of rows in memory with the same `sample_rows`, where there are more rows, but for
  /// the rounding of sums. Throws as above, and for `cv` that is no number of folds. Cost: three passes or some more a
  /// step.
  static Press fit(RowSums& rows, const PressOptions& options, const Run& run);
  static Document accumulate(const Document& pass, const Dataset& block, Index first_row, const Run& run);

  // Entropy: eq. 18; the smoothing matrix: S of y-hat = S y, eq. 24.
  Matrix state_weights(const MatrixView& x) const override;
  Vector entropy(const MatrixView& x) const override;
  GaussianMixtures state_densities() const override;
  Matrix smoothing_matrix(const MatrixView& x) const override;
  Index n_states() const override { return state_.n_states; }
  const Matrix& coefficients() const override { return coefficients_; }
  const Matrix& standard_errors() const override { return state_.standard_errors; }
  const Matrix& robust_standard_errors() const override { return state_.robust_errors; }
  const Matrix& state_means() const override { return state_.means; }
  const Matrix& state_levels() const override { return state_.levels; }
  const Matrix& state_inputs() const override { return state_.inputs; }
  const Matrix& state_input_variances() const override { return state_.input_variances; }
  const Matrix& state_representatives() const override { return state_.representatives; }
  const Vector& state_sizes() const override { return state_.sizes; }
  double degrees_of_freedom() const override { return state_.degrees_of_freedom; }
  double mean_entropy() const override { return state_.mean_entropy; }

  std::string_view model_name() const override { return "press"; }

 protected:
  GaussianMixtures laws(const MatrixView& x) const override;

 private:
  friend FittedModel;
  static Press fit_table(RowSums& table, const PressOptions& options, const Run& run, FitReport report);
  /// Throws FormatError where theta is not that of the map.
  Press(PressOptions options, PressState state, Standardizer x_scale, Standardizer y_scale, FitReport report);

  // Derived.
  PressMap map_;
  Matrix coefficients_;
  std::shared_ptr<const GaussianComponents> components_;
};

template <>
inline constexpr auto result_table<Press> = Fields{
    StateField{"n_states", &PressState::n_states, "Number of predictive states."}.positive(),
    StateField{"theta", &PressState::theta},
    StateField{"component_centers", &PressState::centers, "", items("n_components", "n_targets")},
    StateField{"component_widths", &PressState::widths, "", line("n_components")}.positive(),
    StateField{"component_shares", &PressState::shares, "", items("n_states", "n_components")}.not_negative(),
    ResultField{"state_coef", &Press::coefficients,
                "Coefficients of every state's score, on the standardised scale: the intercept, then one for every "
                "input; empty with hidden layers.",
                items("n_states", "1 + n_inputs")},
    StateField{"standard_errors", &PressState::standard_errors,
               "Standard errors of the coefficients from the observed information of the criterion; empty where it "
               "does not give them.",
               items("n_states", "1 + n_inputs")}
        .or_empty(),
    StateField{"robust_standard_errors", &PressState::robust_errors,
               "Standard errors of the coefficients by the sandwich formula, which hold whatever the distribution of "
               "the errors; empty where standard_errors are.",
               items("n_states", "1 + n_inputs")}
        .or_empty(),
    StateField{"state_means", &PressState::means,
               "Mean of y in every state, states in its order (of the first target).", items("n_states", "n_targets")},
    StateField{"state_levels", &PressState::levels,
               "Level of y in every state by least squares, which mixed rows do not draw to the centre.",
               items("n_states", "n_targets")},
    StateField{"state_inputs", &PressState::inputs, "Mean of every input in every state.",
               items("n_states", "n_inputs")},
    StateField{"state_input_variances", &PressState::input_variances, "Variance of every input in every state.",
               items("n_states", "n_inputs")}
        .or_empty(),
    StateField{"state_representatives", &PressState::representatives,
               "Inputs of the training row with the largest weight of every state: an example of it that was observed.",
               items("n_states", "n_inputs")}
        .or_empty(),
    StateField{"state_sizes", &PressState::sizes, "Weight of the training rows that every state holds.",
               line("n_states")},
    StateField{"bandwidths", &PressState::bandwidths,
               "Gaussian width of every state's density, on the standardised scale.", line("n_states")},
    StateField{"degrees_of_freedom", &PressState::degrees_of_freedom,
               "Degrees of freedom of the smoother, between 1 and the number of states: close to it, the mean is a "
               "step function."},
    StateField{"mean_entropy", &PressState::mean_entropy,
               "Mean entropy of the states' weights over the training rows, in bits: 0 where every row's state is "
               "certain."},
};

}  // namespace condens
