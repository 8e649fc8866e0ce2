#pragma once
// A random forest of conditional distributions: at x every tree names the training rows of one leaf, and the y of these
// rows, each with a Gaussian around it, are the distribution,
//
//   p(y|x) = sum_i w_i(x) N(y; y_i, h(x)^2),   w_i(x) = (1 / T) sum_t 1[i in leaf_t(x)] / |leaf_t(x)|,
//   h_k(x) = h s_k(x)^a,   s_k(x) the standard deviation of target k under the weights w(x).
//
// Source: N. Meinshausen, Quantile regression forests, JMLR 7, 2006, eqs. 4 and 5, for the weights; L. Breiman, Random
// forests, Machine Learning 45, 2001. The criterion of a split is the decrease of sum_i |f(y_i) - mean f|^2, with
//   f(y) = y                       variance (Breiman 2001)
//   f(y) = cosine series of y      the squared density loss (T. Pospisil, A. B. Lee, RFCDE, arXiv 1804.05753, 2018)
//   f(y) = random Fourier features an estimate of the maximum mean discrepancy (D. Cevid et al., Distributional random
//                                  forests, JMLR 23, 2022, section 3).
// B. W. Silverman, Density estimation, 1986, section 5.3, for the sensitivity a of a width that varies.
//
//   source   here
//   T        n_trees
//   h        bandwidth_y, standardised scale
//   a        sensitivity

#include <array>
#include <memory>
#include <string_view>
#include <vector>

#include "condens/core/options.hpp"
#include "condens/data/dataset.hpp"
#include "condens/model/capabilities.hpp"
#include "condens/model/fitted_model.hpp"
#include "condens/model/row_weights.hpp"

namespace condens {

namespace forest {
class Trees;
}

/// What a split is to separate.
enum class ForestCriterion { variance, density, distribution };
template <>
inline constexpr auto choice_names<ForestCriterion> =
    std::array<std::string_view, 3>{"variance", "density", "distribution"};

/// The defaults are our recommendation; `paper()` is Meinshausen's forest, as far as it has a density.
struct ForestOptions {
  Index n_trees = 100;
  ForestCriterion criterion = ForestCriterion::variance;
  std::vector<double> min_samples_leaf = {2, 5, 10, 20, 40};
  std::vector<double> max_features = {0.33, 0.67, 1};
  double sample_fraction = 0.632;
  Index max_rows = 100'000;
  Index max_bins = 256;
  std::vector<double> bandwidth_y = {0.015, 0.02, 0.03, 0.045, 0.065, 0.1, 0.14, 0.2, 0.3, 0.45, 0.65, 1};
  std::vector<double> sensitivity = {0, 0.5, 1};
  Index n_atoms = 500;
  Index tuning_rows = 10'000;
  double defensive_weight = 1e-3;
  bool standardize = true;
  Index seed = 0;

  /// A thousand trees, leaves of at least ten rows, a third of the inputs for a split.
  static ForestOptions paper();
};

template <>
inline constexpr auto option_table<ForestOptions> = Fields{
    OptionField{"n_trees", &ForestOptions::n_trees, whole(1, most_runs), "Number of trees."},
    OptionField{"criterion", &ForestOptions::criterion, anything(),
                "What a split is to lower: the variance of y, the squared loss of its density, or the distance between "
                "distributions."},
    OptionField{"min_samples_leaf", &ForestOptions::min_samples_leaf, filled(distinct(whole(1))),
                "Fewest rows in a leaf, counted by weight: one number, or candidates, compared on rows that trees did "
                "not see."},
    OptionField{"max_features", &ForestOptions::max_features, filled(distinct(within(0, 1))),
                "Share of the inputs, at least one, that are tried for a split: one number, or candidates."},
    OptionField{"sample_fraction", &ForestOptions::sample_fraction, within(0.01, 0.99),
                "Share of the rows, drawn without replacement, of which a tree is made."},
    OptionField{"max_rows", &ForestOptions::max_rows, whole(1), "Most rows of which a tree is made."},
    OptionField{"max_bins", &ForestOptions::max_bins, whole(2, 65'000),
                "Different values of an input, at most, between which splits are sought; more are put into bins."},
    OptionField{"bandwidth_y", &ForestOptions::bandwidth_y, filled(distinct(positive())),
                "Gaussian width in y, on the standardised scale: one number, or candidates."},
    OptionField{"sensitivity", &ForestOptions::sensitivity, filled(distinct(within(0, 1))),
                "How the width follows the spread of y at x: 0 not at all, 1 in proportion; or candidates."},
    OptionField{
        "n_atoms", &ForestOptions::n_atoms, whole(2, 10'000),
        "Gaussians that stand for the y of the rows: equal y share one, and of more different y than this close "
        "ones do."},
    OptionField{"tuning_rows", &ForestOptions::tuning_rows, whole(10),
                "Most rows on which candidates are compared and importances are computed."},
    OptionField{"defensive_weight", &ForestOptions::defensive_weight, below(0, 1),
                "Share of a broad Gaussian, twice the spread of y, that keeps far points from ruining a log score."},
    OptionField{"standardize", &ForestOptions::standardize, anything(),
                "Bring every column to mean 0 and standard deviation 1 first; densities stay on your scale."},
    OptionField{"seed", &ForestOptions::seed, whole(0), "Seed of everything random: rows and inputs of the trees."},
};

struct ForestState {
  double bandwidth_y = 0;  ///< standardised scale
  double sensitivity = 0;
  double min_samples_leaf = 0;
  double max_features = 0;
  Matrix atoms = {};          ///< d_y x K, standardised
  Matrix atom_spreads = {};   ///< d_y x K: standard deviations of the y that an atom stands for
  Vector groups = {};         ///< d_x: the input that a row of x belongs to
  Matrix positions = {};      ///< d_x x T: where a tree puts the levels of a category, its indicators' rows; else 0
  Matrix nodes = {};          ///< 3 x nodes of all trees: input or -1, threshold, left child or leaf
  Vector roots = {};          ///< T: first node of each tree
  Vector leaves = {};         ///< first entry of each leaf, and the end
  Vector entry_atoms = {};    ///< atom of each entry
  Vector entry_weights = {};  ///< its share of the leaf, >= 0
  Vector feature_importances = {};
  Defensive defensive = {};
};

class Forest final : public FittedModel<Forest, ForestOptions, ForestState>,
                     public RanksInputs,
                     public WeighsTrainingRows {
 public:
  static constexpr std::string_view class_name = "ConditionalForest";

  /// Candidates are compared on rows that a tree did not see. Throws std::invalid_argument for bad options or data,
  /// Cancelled. Cost of a tree: rows times inputs tried times depth. Memory: two bytes for every number of x, and 16
  /// for every row of every tree.
  static Forest fit(const Dataset& data, const ForestOptions& options = {}, const Run& run = {});

  /// For each row of x its input's share in what the log score loses when the input is shuffled among rows that a tree
  /// did not see (Breiman 2001, section 10); indicators share theirs.
  Vector feature_importances() const override { return state_.feature_importances; }
  Index n_trees() const { return state_.roots.size(); }

  std::vector<RowWeights> row_weights(const MatrixView& x, const Dataset& training, Index most,
                                      const Run& run) const override;

  std::string_view model_name() const override { return "forest"; }

 protected:
  GaussianMixtures laws(const MatrixView& x) const override;

 private:
  friend FittedModel;
  /// Throws FormatError where the nodes are no trees.
  Forest(ForestOptions options, ForestState state, Standardizer x_scale, Standardizer y_scale, FitReport report);

  std::shared_ptr<const forest::Trees> trees_;  // derived
};

template <>
inline constexpr auto result_table<Forest> = Fields{
    StateField{"bandwidth_y", &ForestState::bandwidth_y,
               "Gaussian width in y that was used, on the standardised scale."}
        .positive(),
    StateField{"sensitivity", &ForestState::sensitivity, "Power of the spread with which the width goes."}
        .not_negative(),
    StateField{"min_samples_leaf", &ForestState::min_samples_leaf, "Fewest rows in a leaf that were used."}.positive(),
    StateField{"max_features", &ForestState::max_features, "Share of the inputs that were tried for a split."}
        .not_negative(),
    ResultField{"n_trees", &Forest::n_trees, "Number of trees."},
    StateField{"feature_importances", &ForestState::feature_importances,
               "What the log score loses when an input is shuffled, as a share of all.", line("n_inputs")}
        .not_negative()
        .or_empty(),
    StateField{"atoms", &ForestState::atoms, "Places of the Gaussians in y, on the scale of the data.",
               items("n_atoms", "n_targets")}
        .on(Scale::y),
    StateField{"atom_spreads", &ForestState::atom_spreads, "", items("n_atoms", "n_targets")}.not_negative(),
    StateField{"groups", &ForestState::groups, "", line("n_inputs")}.not_negative().or_empty(),
    StateField{"roots", &ForestState::roots, "", line("n_trees")}.not_negative(),
    StateField{"positions", &ForestState::positions, "", items("n_trees", "n_inputs")}.or_empty(),
    StateField{"nodes", &ForestState::nodes, "", items("n_nodes", "n_parts")},
    StateField{"leaves", &ForestState::leaves, "", line("n_leaves")}.not_negative(),
    StateField{"entry_atoms", &ForestState::entry_atoms, "", line("n_entries")}.not_negative(),
    StateField{"entry_weights", &ForestState::entry_weights, "", line("n_entries")}.not_negative(),
};

}  // namespace condens
