#pragma once
// Sparse additive conditional density estimation: which inputs matter, and the law of y given them, in one convex
// problem. The ratio p(x, y) / p(x) is a sum over inputs of nonnegative combinations of Gaussian kernels, fitted by
// least squares with a penalty on the norm of every input's coefficients.
//
// Source: M. Shiga, V. Tangkaratt and M. Sugiyama, Direct conditional probability density estimation with sparse
// feature selection, Machine Learning 100, 2015.
//
//   paper                       here
//   mu_{d,b}, nu_b (centres)    centers_x, centers_y
//   sigma                       bandwidth (of x), bandwidth_y
//   lambda                      regularization
//   alpha_{d,b}                 coefficients, entry (b, d); the indicators of one category are one input d

#include <array>
#include <string_view>
#include <vector>

#include "condens/core/options.hpp"
#include "condens/data/dataset.hpp"
#include "condens/kernels/centers.hpp"
#include "condens/model/capabilities.hpp"
#include "condens/model/fitted_model.hpp"
#include "condens/model/kernel_mixture.hpp"
#include "condens/model/row_sums.hpp"
#include "condens/model/scoring.hpp"

namespace condens {

enum class RegularizationScale { relative, absolute };
template <>
inline constexpr auto choice_names<RegularizationScale> = std::array<std::string_view, 2>{"relative", "absolute"};

enum class SacdeSolver { exact, truncated };
template <>
inline constexpr auto choice_names<SacdeSolver> = std::array<std::string_view, 2>{"exact", "truncated"};

/// The defaults are our recommendation; `paper()` is the paper's procedure.
struct SacdeOptions {
  std::vector<double> bandwidth = {0.125, 0.25, 0.5, 1, 2};
  std::vector<double> bandwidth_y = {0.05, 0.1, 0.2, 0.4, 0.8};
  std::vector<double> regularization = {1,    0.9,  0.75, 0.6,  0.5,  0.4,   0.3,   0.25,  0.2,   0.15, 0.12,
                                        0.09, 0.07, 0.05, 0.04, 0.03, 0.022, 0.016, 0.012, 0.008, 0.005};
  RegularizationScale regularization_scale = RegularizationScale::relative;
  bool adaptive = true;
  std::vector<double> first_regularization = {};
  SelectionRule selection_rule = SelectionRule::one_standard_error;
  bool constant_group = true;
  Index n_centers = 100;
  CenterSelection center_selection = CenterSelection::kmeans;
  Matrix centers = {};
  bool mask_centers = true;
  SacdeSolver solver = SacdeSolver::exact;
  double tolerance = 1e-6;
  bool stop_early = true;
  double defensive_weight = 1e-3;
  Scoring scoring = Scoring::nll;
  std::vector<double> cv = {5};
  std::vector<double> groups = {};
  Index screening = 0;
  Index search_inputs = 100;
  Index stability_resamples = 0;
  double stability_bound = 0;
  double stability_threshold = 0.75;
  bool standardize = true;
  Index seed = 0;

  /// One width for x and y, absolute penalties, no constant group, the grids of section 3, the least score.
  static SacdeOptions paper();
};

template <>
inline constexpr auto option_table<SacdeOptions> = Fields{
    OptionField{"bandwidth", &SacdeOptions::bandwidth, filled(distinct(positive())),
                "Gaussian width in x, on the standardised scale: one number, or candidates for cross-validation."},
    OptionField{"bandwidth_y", &SacdeOptions::bandwidth_y, distinct(positive()),
                "Gaussian width in y: one number, candidates, or none: the same width as for x."},
    OptionField{"regularization", &SacdeOptions::regularization, filled(distinct(positive())),
                "Penalty lambda on the norm of every input's coefficients: one number, or candidates."},
    OptionField{"regularization_scale", &SacdeOptions::regularization_scale, anything(),
                "Whether regularization is a share of the smallest lambda that selects nothing, or lambda itself."},
    OptionField{"adaptive", &SacdeOptions::adaptive, anything(),
                "Fit twice: the second fit penalises every input by the inverse of its norm in the first."},
    OptionField{"first_regularization", &SacdeOptions::first_regularization, distinct(positive()),
                "Penalty of the first fit (adaptive): one number, candidates, or none: those of regularization."},
    OptionField{
        "selection_rule", &SacdeOptions::selection_rule, anything(),
        "The lambda of the least score, or the largest within one standard error of it, at the best widths; a second "
        "fit takes the least score."},
    OptionField{"constant_group", &SacdeOptions::constant_group, anything(),
                "Add a term without inputs and without penalty, so that no input enters to carry the marginal of y."},
    OptionField{"n_centers", &SacdeOptions::n_centers, whole(1),
                "Number of kernel centres drawn from the samples (all samples when there are fewer)."},
    OptionField{"center_selection", &SacdeOptions::center_selection, anything(),
                "How centres are drawn: at random, or spread over the data by k-means++."},
    OptionField{"centers", &SacdeOptions::centers, anything(),
                "Given centres [x, y] on the scale of the data; overrides n_centers and center_selection."},
    OptionField{"mask_centers", &SacdeOptions::mask_centers, anything(),
                "In cross-validation, leave out the centres that are samples of the held-out fold."},
    OptionField{"solver", &SacdeOptions::solver, anything(),
                "Solve to a certified duality gap, or stop the paper's iteration after 50 steps as its authors did."},
    OptionField{"tolerance", &SacdeOptions::tolerance, within(1e-12, 0.1),
                "Duality gap at which a solution is accepted, relative to its objective (solver exact)."},
    OptionField{
        "stop_early", &SacdeOptions::stop_early, anything(),
        "End a path of falling penalties that has risen three times in a row or lags behind those of wider kernels."},
    OptionField{"defensive_weight", &SacdeOptions::defensive_weight, below(0, 1),
                "Share of a broad Gaussian, twice the spread of y, that keeps far points from ruining a log score."},
    OptionField{"scoring", &SacdeOptions::scoring, anything(),
                "Score of cross-validation: negative log-likelihood, or squared error of the density."},
    folds_field(&SacdeOptions::cv),
    OptionField{"groups", &SacdeOptions::groups, at_least(0),
                "Group number of every input: inputs of one number enter or stay out together, with kernels of them "
                "all, so that they may act together (none: each input is its own group)."},
    OptionField{"screening", &SacdeOptions::screening, whole(0),
                "Number of inputs on which y depends most by rank tests of location and spread, the only ones to take "
                "part (0: all)."},
    OptionField{"search_inputs", &SacdeOptions::search_inputs, whole(0),
                "Of more inputs than this, widths are chosen with so many, those that screening would take, and the "
                "path of those widths is that of all inputs (0: widths are compared with all inputs)."},
    OptionField{"stability_resamples", &SacdeOptions::stability_resamples, whole(0, most_runs),
                "Number of random half-samples, in complementary pairs, on which the fit is repeated at the chosen "
                "widths, to see which inputs return."},
    OptionField{"stability_bound", &SacdeOptions::stability_bound, at_least(0),
                "Select the inputs that return in stability_threshold of the half-samples, each of which selects so "
                "few that at most this many irrelevant ones are expected (0: selected by the path of all rows)."},
    OptionField{"stability_threshold", &SacdeOptions::stability_threshold,
                Bounds{.low = 0.5, .high = 1, .low_open = true},
                "Share of half-samples from which on an input is selected (stability_bound)."},
    OptionField{"standardize", &SacdeOptions::standardize, anything(),
                "Bring every column to mean 0 and standard deviation 1 first; densities stay on your scale."},
    OptionField{"seed", &SacdeOptions::seed, whole(0), "Seed of everything random: centres, folds, half-samples."},
};

/// Of most inputs every coefficient is zero: those that are not, one by one, by input and centre.
struct SacdeState {
  double bandwidth = 0;       ///< in x, standardised scale
  double bandwidth_y = 0;     ///< in y, standardised scale
  double regularization = 0;  ///< lambda itself
  Vector input_of_row = {};   ///< d_x: to which input a row of x belongs
  Vector input = {};          ///< of each coefficient its input,
  Vector center = {};         ///< its centre
  Vector coefficient = {};    ///< and itself, > 0
  Vector constant = {};       ///< b, >= 0: coefficients of the constant group; zero without it
  Vector stability = {};      ///< d_x; empty unless asked for
  Matrix centers_x = {};      ///< d_x x b, standardised
  Matrix centers_y = {};      ///< d_y x b, standardised
  Defensive defensive;
};

class Sacde final : public FittedModel<Sacde, SacdeOptions, SacdeState>,
                    public SelectsInputs,
                    public RanksInputs,
                    public HasContributions,
                    public HasPath {
 public:
  static constexpr std::string_view class_name = "SACDE";

  /// Chooses widths and penalty by cross-validation when several are given, all along a path of falling penalties
  /// from warm starts. Constant inputs never enter, unless standardize and constant_group are false: then data are
  /// taken as they are. Throws std::invalid_argument for bad options or data, Cancelled.
  /// Cost of a path with n rows, B centres, D inputs, K folds and R <= B the numerical rank of the kernels' overlaps
  /// in y: some two products of 2 (K + 1) n B R D multiplications and additions per penalty; inputs with few distinct
  /// values cost their number of values instead of n. Memory: the data, and 3 (K + 1) B D numbers.
  /// More than most_rows_at_once rows (data/folds.hpp) are fitted as a table is, unless half-samples are asked for,
  /// folds are given, or H is too large.
  static Sacde fit(const Dataset& data, const SacdeOptions& options = {}, const Run& run = {});

  /// Of rows that are elsewhere, by sums: H of order G B (G: inputs, and one) of every fold for every width of x, at
  /// most 5e7 numbers, for which n (G B)^2 / 2 multiplications and additions are done; then scores of every fold for
  /// some penalties at a time. Centres and screening follow from a sample of max(15,000, 50 n_centers) rows. Throws
  /// std::invalid_argument for half-samples and folds of every row, too.
  static Sacde fit(RowSums& table, const SacdeOptions& options = {}, const Run& run = {});
  static Document accumulate(const Document& pass, const Dataset& block, Index first_row, const Run& run);

  const Matrix& coefficients() const { return alpha_; }  ///< centres x inputs (x groups of them), >= 0
  Vector support() const override;                       ///< per row of x: 1 where its input is selected
  Vector feature_importances() const override;  ///< per row of x: norms of coefficients, sum 1; indicators share theirs
  Vector stability() const override { return state_.stability; }

  /// Of its group, where the option `groups` puts it into one.
  const std::vector<Index>& rows_of_term(Index input) const override;
  /// r_d(y, x_d) of eq. 4 on a grid, m x k: `x` holds m columns of rows_of_term, `y` k columns, on the scale of the
  /// data. The sum over all inputs (once for each group) and the constant group is the numerator of eq. 20, eq. 21 its
  /// integral on the standardised scale of y.
  Matrix contribution(Index input, const MatrixView& x, const MatrixView& y) const override;
  Vector constant_contribution(const MatrixView& y) const;

  /// The penalties of the chosen widths (Shiga et al. 2015, figure 4).
  Path path() const override;

  std::string_view model_name() const override { return "sacde"; }

 protected:
  GaussianMixtures laws(const MatrixView& x) const override;

 private:
  friend FittedModel;
  struct Fitting;
  static Sacde fit_table(RowSums& table, const SacdeOptions& options, const Run& run, FitReport report);
  /// Throws FormatError where a coefficient has no input or no centre, or all are zero.
  Sacde(SacdeOptions options, SacdeState state, Standardizer x_scale, Standardizer y_scale, FitReport report);
  void prepare();

  // Derived: all coefficients; the positive ones by input, and the centres that have any.
  std::vector<std::vector<Index>> inputs_;  // rows of x of every input, or group of them
  Index term_of(Index input) const;         // of an input by its place
  Matrix alpha_;
  struct ActiveInput {
    std::vector<Index> rows;    // of x
    Matrix centers;             // dimension x kernels
    std::vector<Index> target;  // of each kernel: its place among the components
    Vector log_alpha;
  };
  std::vector<ActiveInput> active_;
  Vector log_constant_;  // per component
  std::shared_ptr<const GaussianComponents> components_;
};

/// Share of random half-samples, in complementary pairs, in which each row of x is selected at given widths and penalty
/// (Meinshausen and Buehlmann 2010; Shah and Samworth 2013). `options` must hold one bandwidth, one regularization and
/// at most one bandwidth_y.
Vector selection_stability(const Dataset& data, const SacdeOptions& options, Index resamples, const Run& run = {});

/// J of eq. 16 at any alpha (B x D, or B x (D + 1) with the unpenalised constant group last) >= 0, on the numbers
/// handed in: inputs as rows of x, centres [x, y] as columns.
struct SacdeObjective {
  double value;
  Matrix gradient;      ///< where alpha_d = 0, that of the quadratic part
  double gap;           ///< duality gap: at least value - min J
  double kkt_residual;  ///< of the optimality conditions, as GroupLassoCertificate has it
};
SacdeObjective sacde_objective(const MatrixView& alpha, const MatrixView& x, const MatrixView& y,
                               const MatrixView& centers, double bandwidth, double bandwidth_y, double regularization);

template <>
inline constexpr auto result_table<Sacde> = Fields{
    StateField{"bandwidth", &SacdeState::bandwidth, "Gaussian width in x that was used, on the standardised scale."}
        .positive(),
    StateField{"bandwidth_y", &SacdeState::bandwidth_y, "Gaussian width in y that was used, on the standardised scale."}
        .positive(),
    StateField{"regularization", &SacdeState::regularization, "Penalty lambda that was used."},
    StateField{"input_of_row", &SacdeState::input_of_row, "", line("n_inputs")}.not_negative(),
    StateField{"input", &SacdeState::input, "", line("n_positive")}.or_empty().not_negative(),
    StateField{"center", &SacdeState::center, "", line("n_positive")}.or_empty().not_negative(),
    StateField{"coefficient", &SacdeState::coefficient, "", line("n_positive")}.or_empty().positive(),
    ResultField{"kernel_weights", &Sacde::coefficients,
                "Coefficients alpha of every input (group of inputs) at every centre, >= 0.",
                items("n_terms", "n_centers")},
    StateField{"constant", &SacdeState::constant, "Coefficients of the term without inputs at every centre.",
               line("n_centers")}
        .not_negative()
        .as("constant_weights"),
    ResultField{"support", &Sacde::support, "1 for every column of x whose input is selected, else 0.",
                line("n_features")},
    ResultField{"feature_importances", &Sacde::feature_importances,
                "Norm of every input's coefficients, as a share of their sum.", line("n_features")},
    StateField{"stability", &SacdeState::stability,
               "Share of half-samples in which a column's input is selected (empty unless asked for).",
               line("n_features")}
        .or_empty(),
    StateField{"centers_x", &SacdeState::centers_x, "Inputs of the centres, on the scale of the data.",
               items("n_centers", "n_inputs")}
        .on(Scale::x),
    StateField{"centers_y", &SacdeState::centers_y, "Targets of the centres, on the scale of the data.",
               items("n_centers", "n_targets")}
        .on(Scale::y),
};

}  // namespace condens
