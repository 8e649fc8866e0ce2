#pragma once
// Gradient-boosted trees: a location and a scale that follow x, and a small Gaussian mixture for what is left,
//
//   p(y|x) = g((y - m(x)) / s(x)) / prod_t s_t(x),   g(e) = sum_l w_l N(e; mu_l, diag(sigma_l^2)),
//
// with m_t and log s_t sums of trees, one tree a target and round, whose leaves hold a step of both. A round raises the
// log likelihood by a step of Fisher scoring. With e = (y - m) / s and psi_t(e) = -d log g(e) / d e_t,
//
//   d log p / d m_t = psi_t / s_t,   d log p / d log s_t = psi_t e_t - 1,
//   information of them I_m / s_t^2 and I_s,   I_m = E psi_t^2,   I_s = E (psi_t e_t - 1)^2:
//
// a split takes the input and place where sum over both of G^2 / (H + penalty) grows most, G the sum of derivatives in
// a child and H that of the information, and a leaf's steps are learning_rate G / (H + penalty). For g standard normal,
// I_m = 1 and I_s = 2, this is the natural gradient of Duan et al. weighted by the information. What asks for m is
// weighted by s, too (Seitzer et al., eq. 6 with beta = 1/2): rows that m has not reached yet look like noise, and
// would have no say in it.
//
// g is fitted to rows left out: the rows are cut into folds, and a model of its own is boosted on all others of each;
// after every few rounds expectation maximisation on the e of all rows, each by the model that has not seen it, renews
// g, and their log likelihood says how many rounds there are. Predictions average m and log s over the models.
//
// Sources: J. H. Friedman, Greedy function approximation: a gradient boosting machine, Ann. Statist. 29, 2001; T. Duan
// et al., NGBoost: natural gradient boosting for probabilistic prediction, ICML 2020, algorithm 1 (`paper`); T. Chen
// and C. Guestrin, XGBoost, KDD 2016, eqs. 5 to 7 (leaf and gain with a penalty); P. J. Bickel, On adaptive estimation,
// Ann. Statist. 10, 1982 (location and scale by the score of an estimated density); M. Seitzer et al., On the pitfalls
// of heteroscedastic uncertainty estimation with probabilistic neural networks, ICLR 2022.

#include <array>
#include <memory>
#include <string_view>

#include "condens/core/options.hpp"
#include "condens/data/dataset.hpp"
#include "condens/model/capabilities.hpp"
#include "condens/model/fitted_model.hpp"
#include "condens/model/row_sums.hpp"

namespace condens {

namespace trees {
class SavedTrees;
}

/// Whose likelihood is raised, and by what step: that of the mixture, which is fitted along, by Fisher scoring; or that
/// of a Gaussian by its natural gradient, a tree for the mean and one for the spread (Duan et al. 2020).
enum class BoostLikelihood { mixture, normal };
template <>
inline constexpr auto choice_names<BoostLikelihood> = std::array<std::string_view, 2>{"mixture", "normal"};

/// The defaults are our recommendation; `paper()` is NGBoost.
struct BoostOptions {
  BoostLikelihood likelihood = BoostLikelihood::mixture;
  Index n_rounds = 1000;
  double learning_rate = 0.15;
  Index n_folds = 5;
  Index patience = 50;
  Index max_depth = 6;
  double min_samples_leaf = 30;
  double l2 = 3;
  double subsample = 1;
  double max_features = 1;
  Index max_rows = 250'000;
  Index max_bins = 256;
  Index n_components = 3;
  double scale_floor = 1e-3;
  double defensive_weight = 1e-3;
  bool standardize = true;
  Index seed = 0;

  /// 500 rounds on all rows, trees of three levels, a learning rate of 0.01, and a Gaussian.
  static BoostOptions paper();
};

template <>
inline constexpr auto option_table<BoostOptions> = Fields{
    OptionField{"likelihood", &BoostOptions::likelihood, anything(),
                "Whose likelihood is raised: that of a mixture that is fitted along, or that of a Gaussian, whose "
                "natural gradient has a tree for the mean and one for the spread."},
    OptionField{"n_rounds", &BoostOptions::n_rounds, whole(1, most_runs),
                "Most rounds, each of a tree for every target."},
    OptionField{"learning_rate", &BoostOptions::learning_rate, within(smallest_positive, 1),
                "Share of its step that every tree takes."},
    OptionField{"n_folds", &BoostOptions::n_folds, whole(0, 100),
                "Parts of the rows, each left out by a model of its own, whose scores say how many rounds there are; "
                "predictions are their average. 0: one model of all rows and rounds."},
    OptionField{"patience", &BoostOptions::patience, whole(1),
                "Rounds without a better score of the rows left out after which boosting stops."},
    OptionField{"max_depth", &BoostOptions::max_depth, whole(1, 10), "Most splits between the root and a leaf."},
    OptionField{"min_samples_leaf", &BoostOptions::min_samples_leaf, at_least(1),
                "Fewest rows in a leaf, counted by weight."},
    OptionField{"l2", &BoostOptions::l2, at_least(0),
                "Penalty of a leaf's step, as if the leaf had so many more rows that ask for none."},
    OptionField{"subsample", &BoostOptions::subsample, within(0.01, 1),
                "Share of the rows, drawn for every round, of which its trees are made."},
    OptionField{"max_features", &BoostOptions::max_features, within(0, 1),
                "Share of the inputs, at least one, drawn for every tree, that it may split."},
    OptionField{"max_rows", &BoostOptions::max_rows, whole(1),
                "Most rows of which a tree is made; of more, as many are drawn."},
    OptionField{"max_bins", &BoostOptions::max_bins, whole(2, 65'000),
                "Different values of an input, at most, between which splits are sought; more are put into bins."},
    OptionField{"n_components", &BoostOptions::n_components, whole(1, 100),
                "Gaussians of the distribution of what is left."},
    OptionField{"scale_floor", &BoostOptions::scale_floor, within(smallest_positive, 1),
                "Least scale, as a share of the spread of y."},
    OptionField{"defensive_weight", &BoostOptions::defensive_weight, below(0, 1),
                "Share of a broad Gaussian, twice the spread of y, that keeps far points from ruining a log score."},
    OptionField{"standardize", &BoostOptions::standardize, anything(),
                "Bring every column to mean 0 and standard deviation 1 first; densities stay on your scale."},
    OptionField{"seed", &BoostOptions::seed, whole(0),
                "Seed of everything random: folds, and rows and inputs of the trees."},
};

struct BoostState {
  Index n_rounds = 0;       ///< that were used
  Index n_models = 0;       ///< whose m and log s are averaged
  Vector location = {};     ///< d_y: m before the first round, standardised
  Vector log_scale = {};    ///< d_y: log s, likewise
  Vector least_scale = {};  ///< d_y: bounds of s
  Vector greatest_scale = {};
  Vector weights = {};    ///< K: of the distribution of what is left
  Matrix means = {};      ///< d_y x K
  Matrix scales = {};     ///< d_y x K
  Vector groups = {};     ///< d_x: the input that a row of x belongs to
  Matrix positions = {};  ///< d_x x T: where a tree puts the levels of a category, its indicators' rows; else 0
  Matrix nodes = {};      ///< 3 x nodes of all trees: input or -1, threshold, left child or leaf
  Vector roots = {};      ///< T: first node of each tree
  Vector targets = {};    ///< T: target of each tree
  Matrix steps = {};      ///< 2 x leaves: what a leaf adds to m and to log s
  Vector feature_importances = {};
  Defensive defensive = {};
};

class Boost final : public FittedModel<Boost, BoostOptions, BoostState>, public RanksInputs {
 public:
  static constexpr std::string_view class_name = "BoostedDensity";

  /// Throws std::invalid_argument for bad options or data, Cancelled. Cost: for every round and model rows times inputs
  /// times depth. Memory: two bytes for every number of x, and some 100 for every row and model.
  static Boost fit(const Dataset& data, const BoostOptions& options = {}, const Run& run = {});

  /// The same of rows that are elsewhere (model/row_sums.hpp), with a pass for every level of a round's trees. Of more
  /// than 100,000 rows the bins follow from a sample of so many, in memory as well. Throws std::invalid_argument for
  /// the likelihood `normal` and for more than 5e7 sums of a level, too.
  static Boost fit(RowSums& table, const BoostOptions& options = {}, const Run& run = {});
  static Document accumulate(const Document& pass, const Dataset& block, Index first_row, const Run& run);

  /// For each row of x its input's share in what the log score loses when the input is shuffled among rows left out
  /// (without folds, among rows of the fit); indicators share theirs.
  Vector feature_importances() const override { return state_.feature_importances; }
  Index n_trees() const { return state_.roots.size(); }

  std::string_view model_name() const override { return "boost"; }

 protected:
  GaussianMixtures laws(const MatrixView& x) const override;

 private:
  friend FittedModel;
  /// Throws FormatError where the nodes are no trees, or the parts do not fit together.
  Boost(BoostOptions options, BoostState state, Standardizer x_scale, Standardizer y_scale, FitReport report);

  std::shared_ptr<const trees::SavedTrees> trees_;  // derived
};

template <>
inline constexpr auto result_table<Boost> = Fields{
    StateField{"n_rounds", &BoostState::n_rounds, "Rounds that were used."}.positive(),
    StateField{"n_models", &BoostState::n_models, "Models whose location and scale are averaged."}.positive(),
    ResultField{"n_trees", &Boost::n_trees, "Number of trees."},
    StateField{"feature_importances", &BoostState::feature_importances,
               "What the log score loses when an input is shuffled, as a share of all.", line("n_inputs")}
        .not_negative()
        .or_empty(),
    StateField{"weights", &BoostState::weights, "Weights of the Gaussians of what is left.", line("n_components")}
        .not_negative()
        .as("residual_weights"),
    StateField{"means", &BoostState::means, "Their means, for (y - location) / scale.",
               items("n_components", "n_targets")}
        .as("residual_means"),
    StateField{"scales", &BoostState::scales, "Their standard deviations.", items("n_components", "n_targets")}
        .positive()
        .as("residual_scales"),
    StateField{"location", &BoostState::location, "", line("n_targets")},
    StateField{"log_scale", &BoostState::log_scale, "", line("n_targets")},
    StateField{"least_scale", &BoostState::least_scale, "", line("n_targets")}.positive(),
    StateField{"greatest_scale", &BoostState::greatest_scale, "", line("n_targets")}.positive(),
    StateField{"groups", &BoostState::groups, "", line("n_inputs")}.not_negative().or_empty(),
    StateField{"roots", &BoostState::roots, "", line("n_trees")}.not_negative(),
    StateField{"targets", &BoostState::targets, "", line("n_trees")}.not_negative(),
    StateField{"positions", &BoostState::positions, "", items("n_trees", "n_inputs")}.or_empty(),
    StateField{"nodes", &BoostState::nodes, "", items("n_nodes", "n_parts")},
    StateField{"steps", &BoostState::steps, "", items("n_leaves", "n_steps")},
};

}  // namespace condens
