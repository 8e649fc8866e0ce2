#pragma once
// Least-squares conditional density estimation: the ratio p(x, y) / p(x) as a
// nonnegative combination of Gaussian kernels, fitted by regularised least squares.
//
// Source: M. Sugiyama, I. Takeuchi, T. Suzuki, T. Kanamori, H. Hachiya and
// D. Okanohara, Least-squares conditional density estimation, IEICE Trans. Inf. &
// Syst. E93-D(3), 2010.
//
//   paper                     here
//   u_l, v_l (centres)        centers_x, centers_y
//   sigma                     bandwidth (of x), bandwidth_y
//   lambda                    regularization (penalty lambda/2 |alpha|^2, eq. 5)
//   alpha                     state().coefficients

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

class GriddedKernels;

enum class LscdeCoefficients { clipped, nonnegative };
template <>
inline constexpr auto choice_names<LscdeCoefficients> = std::array<std::string_view, 2>{"clipped", "nonnegative"};

enum class LscdePenalty { coefficients, function };
template <>
inline constexpr auto choice_names<LscdePenalty> = std::array<std::string_view, 2>{"coefficients", "function"};

enum class LscdeMetric { none, nw, automatic };
template <>
inline constexpr auto choice_names<LscdeMetric> = std::array<std::string_view, 3>{"none", "nw", "auto"};

/// The defaults are our recommendation; `paper()` is the paper's procedure.
struct LscdeOptions {
  std::vector<double> bandwidth = {0.1, 0.2, 0.4, 0.8, 1.6, 3.2};
  std::vector<double> bandwidth_y = {0.025, 0.05, 0.1, 0.2, 0.4, 0.8};
  std::vector<double> regularization = {1e-4, 1e-3, 1e-2, 1e-1, 1, 10};
  bool refine = true;
  Index n_centers = 300;
  Index max_centers = 2400;
  CenterSelection center_selection = CenterSelection::kmeans;
  Matrix centers = {};
  bool mask_centers = true;
  LscdeMetric metric = LscdeMetric::automatic;
  LscdeCoefficients coefficients = LscdeCoefficients::clipped;
  LscdePenalty penalty = LscdePenalty::coefficients;
  double defensive_weight = 1e-3;
  Scoring scoring = Scoring::nll;
  std::vector<double> cv = {5};
  bool standardize = true;
  Index seed = 0;

  /// 100 random centres shared by the folds, one width for x and y, the grid of section 2.6.
  static LscdeOptions paper();
};

template <>
inline constexpr auto option_table<LscdeOptions> = Fields{
    OptionField{"bandwidth", &LscdeOptions::bandwidth, filled(distinct(positive())),
                "Gaussian width in x, on the standardised scale: one number, or candidates for cross-validation."},
    OptionField{"bandwidth_y", &LscdeOptions::bandwidth_y, distinct(positive()),
                "Gaussian width in y: one number, candidates, or none: the same width as for x."},
    OptionField{"regularization", &LscdeOptions::regularization, filled(distinct(positive())),
                "Ridge penalty lambda on the coefficients: one number, or candidates for cross-validation."},
    OptionField{"refine", &LscdeOptions::refine, anything(),
                "Search again between the best candidate and its neighbours, and for x beyond the end of the list."},
    OptionField{"n_centers", &LscdeOptions::n_centers, whole(1),
                "Number of kernel centres drawn from the samples (all samples when there are fewer)."},
    OptionField{"max_centers", &LscdeOptions::max_centers, whole(1),
                "Where widths or regularization are chosen, double the centres up to so many, at most a quarter of the "
                "rows, as long as rows left out gain."},
    OptionField{"center_selection", &LscdeOptions::center_selection, anything(),
                "How centres are drawn: at random, or spread over the data by k-means++."},
    OptionField{"centers", &LscdeOptions::centers, anything(),
                "Given centres [x, y] on the scale of the data; overrides n_centers and center_selection."},
    OptionField{"mask_centers", &LscdeOptions::mask_centers, anything(),
                "In cross-validation, leave out the centres that are samples of the held-out fold."},
    OptionField{"metric", &LscdeOptions::metric, anything(),
                "Scale each input by a width that the Nadaraya-Watson likelihood learns (nw), or (auto) only where "
                "bandwidth is "
                "chosen and that raises the held-out likelihood by more than its standard error."},
    OptionField{"coefficients", &LscdeOptions::coefficients, anything(),
                "Clip the ridge solution at zero (eq. 7), or solve with the constraint (footnote 2)."},
    OptionField{"penalty", &LscdeOptions::penalty, anything(),
                "What regularization makes small: the coefficients, or the norm of the ratio in the function space of "
                "the kernels (footnote 1, section 5)."},
    OptionField{"defensive_weight", &LscdeOptions::defensive_weight, below(0, 1),
                "Share of a broad Gaussian, twice the spread of y, that keeps far points from ruining a log score."},
    OptionField{"scoring", &LscdeOptions::scoring, anything(),
                "Score of cross-validation: negative log-likelihood, or squared error of the density."},
    folds_field(&LscdeOptions::cv),
    OptionField{"standardize", &LscdeOptions::standardize, anything(),
                "Bring every column to mean 0 and standard deviation 1 first; densities stay on your scale."},
    OptionField{"seed", &LscdeOptions::seed, whole(0), "Seed of everything random: centres and folds."},
};

struct LscdeState {
  Vector input_widths;        ///< d_x: learned by `metric`, or ones
  double bandwidth = 0;       ///< sigma of x, standardised scale, times input_widths
  double bandwidth_y = 0;     ///< of y, standardised scale
  double regularization = 0;  ///< lambda
  Vector coefficients;        ///< alpha: b, >= 0
  Matrix centers_x;           ///< d_x x b, standardised
  Matrix centers_y;           ///< d_y x b, standardised
  Defensive defensive;
};

class Lscde final : public FittedModel<Lscde, LscdeOptions, LscdeState>,
                    public LearnsFromUnlabeled,
                    public Reweighs,
                    public LearnsExactly {
 public:
  static constexpr std::string_view class_name = "LSCDE";

  /// Chooses bandwidths and regularisation by cross-validation when several are
  /// given, then fits on all rows. Throws std::invalid_argument for bad options or
  /// data, NumericalError when no candidate leaves a density, Cancelled.
  /// Cost of the selection: S_x n b^2 for the Gram matrices, K S_x S_y L b^3 / 3
  /// for the solves, 4 S_x S_y L n b for the scores. Memory: b^2 K, independent of n
  /// but for the data. More centres: 2 n b^2 + 3 b^3 for each doubling.
  static Lscde fit(const Dataset& data, const LscdeOptions& options = {}, const Run& run = {});

  /// The same of rows that are elsewhere: the same model up to the rounding of sums, for more than
  /// `most_rows_at_once` rows (data/folds.hpp). One pass for each bandwidth, and one for its scores.
  static Lscde fit(RowSums& table, const LscdeOptions& options = {}, const Run& run = {});
  static Document accumulate(const Document& pass, const Dataset& block, Index first_row, const Run& run);

  /// Sums for H and h at the chosen widths: the weight of the rows, b^2 and b numbers.
  Document closing_pass() const override;
  std::unique_ptr<ConditionalDensity> finished(const Document& state) const override;

  /// Without the factors input_widths, which are an attribute of their own.
  Standardizer input_scale() const override;

  /// For models that wrap one fitted without standardisation, on x divided by `factor_x` and on y
  /// as `y_scale` brings it: the same law for x and y as they were before.
  Lscde rescaled(double factor_x, const Standardizer& y_scale) const;

  std::string_view model_name() const override { return "lscde"; }

  /// The coefficients alpha of other weights: centres, widths and regularisation stay.
  Vector reweighted(const Dataset& rows, const Run& run) const override;
  bool has_derivatives() const override { return true; }
  Matrix linearized(const Dataset& rows, const MatrixView& copies, const Run& run) const override;
  std::unique_ptr<ConditionalDensity> with_numbers(const VectorView& numbers) const override;

  /// Throws FormatError where no coefficient is positive.
  static void check(const LscdeOptions& options, const LscdeState& state);

 protected:
  GaussianMixtures laws(const MatrixView& x) const override;

 private:
  friend FittedModel;
  struct Fitter;
  Lscde(LscdeOptions options, LscdeState state, Standardizer x_scale, Standardizer y_scale, FitReport report);

  // Derived: the centres with a positive coefficient, and the defensive component last.
  Matrix active_centers_;  // active x d_x
  Vector log_coefficients_;
  std::shared_ptr<const GaussianComponents> components_;
  std::shared_ptr<const GriddedKernels> gridded_;  // of very many centres, or nothing
};

template <>
inline constexpr auto result_table<Lscde> = Fields{
    StateField{"input_widths", &LscdeState::input_widths,
               "Factor of the bandwidth for every input, learned by the option metric, or 1.", line("n_inputs")},
    StateField{"bandwidth", &LscdeState::bandwidth, "Gaussian width in x that was used, on the standardised scale."}
        .positive(),
    StateField{"bandwidth_y", &LscdeState::bandwidth_y, "Gaussian width in y that was used, on the standardised scale."}
        .positive(),
    StateField{"regularization", &LscdeState::regularization, "Ridge penalty that was used."},
    StateField{"coefficients", &LscdeState::coefficients, "Coefficient alpha of the kernel at every centre, >= 0.",
               line("n_centers")}
        .not_negative()
        .as("kernel_weights"),
    StateField{"centers_x", &LscdeState::centers_x, "Inputs of the centres, on the scale of the data.",
               items("n_centers", "n_inputs")}
        .on(Scale::x),
    StateField{"centers_y", &LscdeState::centers_y, "Targets of the centres, on the scale of the data.",
               items("n_centers", "n_targets")}
        .on(Scale::y),
};

}  // namespace condens
