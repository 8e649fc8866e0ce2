#pragma once
// The mixture density network: a neural network whose outputs are the weights, means and standard
// deviations of a Gaussian mixture at every x. An ensemble averages the densities of networks that
// differ in their start and in the rows that stopped their training: a mixture of mixtures,
//
//   p(y|x) = (1 / M) sum_m sum_l pi_ml(x) N(y; mu_ml(x), diag(sigma_ml(x)^2)).
//
// Source: C. M. Bishop, Mixture density networks, report NCRG/94/004, Aston University 1994;
// M. Sugiyama et al., Least-squares conditional density estimation, IEICE Trans. E93-D(3), 2010,
// section 3.2 (errata L17); B. Lakshminarayanan, A. Pritzel and C. Blundell, Simple and scalable
// predictive uncertainty estimation using deep ensembles, NIPS 2017, for the average.

#include <array>
#include <string_view>
#include <vector>

#include "condens/core/options.hpp"
#include "condens/data/dataset.hpp"
#include "condens/estimators/mixture_density_network/network.hpp"
#include "condens/model/fitted_model.hpp"
#include "condens/model/kernel_mixture.hpp"
#include "condens/model/row_sums.hpp"

namespace condens {

/// A standard deviation for every target of a component, or one for all of them.
enum class MdnCovariance { diagonal, spherical };
template <>
inline constexpr auto choice_names<MdnCovariance> = std::array<std::string_view, 2>{"diagonal", "spherical"};

/// Whether networks take normal scores of the inputs beside the inputs: `automatic` with more than `adam_rows` rows.
enum class MdnScores { automatic, none, normal };
template <>
inline constexpr auto choice_names<MdnScores> = std::array<std::string_view, 3>{"auto", "none", "normal"};

/// L-BFGS on all rows, Adam on a few at a time, or L-BFGS up to `adam_rows` rows.
enum class MdnOptimizer { automatic, lbfgs, adam };
template <>
inline constexpr auto choice_names<MdnOptimizer> = std::array<std::string_view, 3>{"auto", "lbfgs", "adam"};

/// The defaults are our recommendation, in which the size of the networks follows the number of rows; `paper()` is the
/// paper's network.
struct MdnOptions {
  std::vector<double> n_components = {};
  std::vector<double> units = {};
  std::vector<double> regularization = {};
  Index layers = 0;
  bool skip = true;
  bool residual = false;
  MdnScores input_scores = MdnScores::automatic;
  MdnCovariance covariance = MdnCovariance::diagonal;
  Index n_members = 5;
  Index n_starts = 1;
  double validation_fraction = 0.1;
  Index patience = 50;
  MdnOptimizer optimizer = MdnOptimizer::automatic;
  Index max_iterations = 300;
  Index adam_rows = 2000;
  Index adam_passes = 100;
  Index batch_size = 128;
  double learning_rate = 0.003;
  Index sample_rows = 0;
  Index table_steps = 10;
  double scale_floor = 0;
  double defensive_weight = 1e-3;
  std::vector<double> cv = {5};
  bool standardize = true;
  Index seed = 0;

  /// One tanh layer whose width is chosen by cross-validation, three components, no decay.
  static MdnOptions paper();
};

template <>
inline constexpr auto option_table<MdnOptions> = Fields{
    OptionField{"n_components", &MdnOptions::n_components, distinct(whole(1, most_components)),
                "Gaussians of a network at every x: one number, or candidates for cross-validation; none: 3, or 5 with "
                "more than adam_rows rows."},
    OptionField{
        "units", &MdnOptions::units, whole(1, most_units),
        "Units of each hidden layer, of which there are as many as layers says: one number, or candidates, of "
        "which cross-validation takes one; none: 15, 64 with more than adam_rows rows, or 128 with more than ten times "
        "as many."},
    OptionField{"regularization", &MdnOptions::regularization, distinct(at_least(0)),
                "Weight decay: half of it times the squared weights is added to the mean loss; one number, or "
                "candidates for cross-validation; none: 0.01, with more than adam_rows rows as much less as there are "
                "more."},
    OptionField{"layers", &MdnOptions::layers, whole(0, 10),
                "Number of hidden layers, all of the same number of units; 0: 2, or 3 with more than adam_rows rows."},
    OptionField{"skip", &MdnOptions::skip, anything(),
                "Add a linear function of the inputs to every mean that the network puts out."},
    OptionField{"residual", &MdnOptions::residual, anything(),
                "Let every hidden layer after the first add to what it takes (He et al., 2016)."},
    OptionField{"input_scores", &MdnOptions::input_scores, anything(),
                "Take the normal quantile of every input's rank beside the input, which tames heavy tails; auto: with "
                "more than adam_rows rows."},
    OptionField{"covariance", &MdnOptions::covariance, anything(),
                "A standard deviation for every target of a component, or one for all targets."},
    OptionField{"n_members", &MdnOptions::n_members, whole(1, most_runs),
                "Number of networks whose densities are averaged."},
    OptionField{"n_starts", &MdnOptions::n_starts, whole(1, most_runs),
                "Trainings for each network, from different starts; the best one stays."},
    OptionField{"validation_fraction", &MdnOptions::validation_fraction, below(0, 1),
                "Share of the rows, drawn anew for each network, that decides when its training stops; 0: all rows "
                "train."},
    OptionField{"patience", &MdnOptions::patience, whole(1),
                "Steps without a lower loss on the validation rows after which training stops."},
    OptionField{"optimizer", &MdnOptions::optimizer, anything(),
                "L-BFGS on all rows, Adam on batches of rows, or (auto) Adam for more than adam_rows rows."},
    OptionField{"max_iterations", &MdnOptions::max_iterations, whole(1), "Most steps of L-BFGS."},
    OptionField{"adam_rows", &MdnOptions::adam_rows, whole(1),
                "With more rows than this, auto is Adam, and what is not given suits many rows."},
    OptionField{"adam_passes", &MdnOptions::adam_passes, whole(1, most_updates), "Most passes of Adam over the rows."},
    OptionField{"batch_size", &MdnOptions::batch_size, whole(1), "Rows of one step of Adam."},
    OptionField{"learning_rate", &MdnOptions::learning_rate, positive(),
                "Of Adam at its first step; it falls to 0 along half a cosine."},
    OptionField{"sample_rows", &MdnOptions::sample_rows, whole(0),
                "Of more rows than this networks learn from as many drawn at random, and then from all in table_steps "
                "steps; 0: all rows in memory, 500000 of those that are elsewhere."},
    OptionField{
        "table_steps", &MdnOptions::table_steps, whole(0),
        "Most steps of L-BFGS on all rows, each a pass or two over them, after a training on a sample; 0: none."},
    OptionField{
        "scale_floor", &MdnOptions::scale_floor, at_least(0),
        "Every standard deviation of a component is larger than this share of the target's spread; 0: 0.03, with "
        "more than adam_rows rows less, as the root of their number, but at least 0.003."},
    OptionField{"defensive_weight", &MdnOptions::defensive_weight, below(0, 1),
                "Share of a broad Gaussian, twice the spread of y, that keeps far points from ruining a log score."},
    folds_field(&MdnOptions::cv),
    OptionField{"standardize", &MdnOptions::standardize, anything(),
                "Bring every column to mean 0 and standard deviation 1 first; densities stay on your scale."},
    OptionField{"seed", &MdnOptions::seed, whole(0),
                "Seed of everything random: starts, folds, validation rows and batches."},
};

struct MdnState {
  Index n_components = 0;
  Index units = 0;  ///< of each hidden layer
  double regularization = 0;
  double scale_floor = 0;  ///< standardised scale
  double most_scale = 0;   ///< standardised scale
  Vector x_low;            ///< d_x, standardised: inputs beyond these are moved to them
  Vector x_high;
  /// Of the inputs numbered `score_inputs` networks take a score, too: piecewise linear through (knot, value), n_knots
  /// x n_scores.
  Vector score_inputs;
  Matrix score_knots;
  Matrix score_values;
  /// Of every network in the order of estimators/mixture_density_network/network.hpp, n_parameters x n_members.
  Matrix parameters;
  /// Mean loss of every network on its training rows and on its validation rows (if any), on the standardised scale.
  Vector train_nll;
  Vector validation_nll;
  Defensive defensive;
};

class Mdn final : public FittedModel<Mdn, MdnOptions, MdnState> {
 public:
  static constexpr std::string_view class_name = "MixtureDensityNetwork";

  /// Throws std::invalid_argument for bad options or data, Cancelled. Cost: some 100 to 300 passes over
  /// the rows for every network, at 6 multiplications and additions for every weight and row.
  static Mdn fit(const Dataset& data, const MdnOptions& options = {}, const Run& run = {});

  /// The same of rows that are elsewhere (model/row_sums.hpp): networks train on a sample of them, then all together on
  /// sums over the table. The model is that of rows in memory with the same `sample_rows`, where there are more rows,
  /// but for the rounding of these sums. Throws as above, and for `cv` that is no number of folds. Cost: `table_steps`
  /// passes or some more, at 6 multiplications and additions for every weight, network and row.
  static Mdn fit(RowSums& rows, const MdnOptions& options, const Run& run);
  static Document accumulate(const Document& pass, const Dataset& block, Index first_row, const Run& run);

  Index n_members() const { return state_.parameters.cols(); }
  Index n_parameters() const { return shape_.n_parameters(); }
  const mdn::Shape& shape() const { return shape_; }

  std::string_view model_name() const override { return "mdn"; }

 protected:
  GaussianMixtures laws(const MatrixView& x) const override;

 private:
  friend FittedModel;
  struct Fitting;
  static Mdn fit_table(RowSums& rows, const MdnOptions& options, const Run& run, FitReport report);
  /// Throws FormatError where the parameters are not those of the networks.
  Mdn(MdnOptions options, MdnState state, Standardizer x_scale, Standardizer y_scale, FitReport report);

  mdn::Shape shape_;  // derived
};

template <>
inline constexpr auto result_table<Mdn> = Fields{
    StateField{"n_components", &MdnState::n_components, "Gaussians of every network."}.positive(),
    StateField{"units", &MdnState::units, "Units of each hidden layer."}.positive(),
    StateField{"regularization", &MdnState::regularization, "Weight decay."},
    StateField{"scale_floor", &MdnState::scale_floor}.positive(),
    StateField{"most_scale", &MdnState::most_scale}.positive(),
    StateField{"x_low", &MdnState::x_low, "", line("n_inputs")},
    StateField{"x_high", &MdnState::x_high, "", line("n_inputs")},
    StateField{"score_inputs", &MdnState::score_inputs, "", line("n_scores")}.or_empty(),
    StateField{"score_knots", &MdnState::score_knots, "", items("n_scores", "n_knots")}.or_empty(),
    StateField{"score_values", &MdnState::score_values, "", items("n_scores", "n_knots")}.or_empty(),
    ResultField{"n_members", &Mdn::n_members, "Number of networks."},
    ResultField{"n_parameters", &Mdn::n_parameters, "Numbers that every network learned."},
    StateField{"parameters", &MdnState::parameters, "Weights and biases of every network.",
               items("n_members", "n_parameters")},
    StateField{"train_nll", &MdnState::train_nll,
               "Mean negative log-likelihood of every network on its training rows, on the standardised scale.",
               line("n_members")},
    StateField{"validation_nll", &MdnState::validation_nll,
               "Mean negative log-likelihood of every network on its validation rows, on the standardised scale; empty "
               "when there are none.",
               line("n_members")}
        .or_empty(),
};

}  // namespace condens
