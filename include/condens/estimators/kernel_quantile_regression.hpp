#pragma once
// Kernel quantile regression: the quantiles of y at many levels as functions of x, each by a
// convex problem solved to a certificate, and from them a density.
//
// Source: M. Sugiyama et al., Least-squares conditional density estimation, IEICE Trans. Inf. &
// Syst. E93-D(3), 2010, section 3.3; I. Takeuchi, Q. V. Le, T. D. Sears and A. J. Smola,
// Nonparametric quantile estimation, JMLR 7, 2006; Y. Li, Y. Liu and J. Zhu, Quantile regression in
// reproducing kernel Hilbert spaces, JASA 102, 2007. Crossing: V. Chernozhukov, I. Fernandez-Val and
// A. Galichon, Quantile and probability curves without crossing, Econometrica 78, 2010.
//
//   f_tau(x) = sum_i alpha_i exp(-|x - x_i|^2 / (2 sigma^2)) + b
//   min over alpha, b of  sum_i psi_tau(y_i - f_tau(x_i)) + lambda alpha'K alpha
//   psi_tau(r) = max(tau r, (tau - 1) r)
//
//   paper      here
//   tau        quantile_levels
//   sigma      bandwidth
//   lambda     regularization, times the total weight of the rows where the loss is a mean

#include <array>
#include <string_view>
#include <vector>

#include "condens/core/options.hpp"
#include "condens/data/dataset.hpp"
#include "condens/model/capabilities.hpp"
#include "condens/model/fitted_model.hpp"
#include "condens/model/kernel_mixture.hpp"

namespace condens {

/// What the penalty is added to: the mean of psi over the rows, or their sum (errata L18).
enum class KqrLoss { mean, sum };
template <>
inline constexpr auto choice_names<KqrLoss> = std::array<std::string_view, 2>{"mean", "sum"};

/// The negative log-likelihood of the law, or the mean of psi over the levels.
enum class KqrScoring { nll, pinball };
template <>
inline constexpr auto choice_names<KqrScoring> = std::array<std::string_view, 2>{"nll", "pinball"};

/// The defaults are our recommendation; `paper()` is the paper's procedure.
struct KqrOptions {
  std::vector<double> quantile_levels = {0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5,
                                         0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95};
  std::vector<double> bandwidth = {};
  std::vector<double> regularization = {};
  KqrLoss loss = KqrLoss::mean;
  bool refine = true;
  std::vector<double> spread = {0.4, 0.6, 0.8, 1.2, 2.0, 3.0};
  std::vector<double> bandwidth_y_floor = {0.01, 0.03, 0.1, 0.2, 0.3};
  KqrScoring scoring = KqrScoring::nll;
  std::vector<double> cv = {5};
  Index max_rows = 1000;
  double defensive_weight = 1e-3;
  bool standardize = true;
  Index seed = 0;

  /// Section 3.3: the sum of the losses, and sigma and lambda from ten values each by
  /// cross-validation of the loss.
  static KqrOptions paper();
};

template <>
inline constexpr auto option_table<KqrOptions> = Fields{
    OptionField{"quantile_levels", &KqrOptions::quantile_levels,
                filled(Bounds{.low = 0, .high = 1, .low_open = true, .high_open = true}),
                "Levels of the quantiles that are estimated, ascending; one alone is possible."},
    OptionField{"bandwidth", &KqrOptions::bandwidth, distinct(positive()),
                "Gaussian width in x, on the standardised scale: one number, candidates, or none: a grid that grows "
                "with the square root of the number of inputs."},
    // Below, the rounding of the dual coefficients, which are divided by it, outweighs the data.
    OptionField{"regularization", &KqrOptions::regularization, distinct(at_least(1e-12)),
                "Penalty lambda on the squared norm of each quantile function: one number, candidates, or none: a "
                "grid."},
    OptionField{"loss", &KqrOptions::loss, anything(),
                "What the penalty is added to: the mean loss of the rows, so that a penalty means the same for any "
                "number of rows, or its sum (paper)."},
    OptionField{"refine", &KqrOptions::refine, anything(),
                "Search again between the best candidate and its neighbours."},
    OptionField{
        "spread", &KqrOptions::spread, filled(distinct(positive())),
        "Standard deviation of the Gaussian of an interval between quantiles, in lengths of the interval; of one "
        "level alone, in standard deviations of a Gaussian with the same pinball loss: one number, or "
        "candidates."},
    OptionField{"bandwidth_y_floor", &KqrOptions::bandwidth_y_floor, filled(distinct(positive())),
                "Smallest standard deviation of a component, on the standardised scale of y: one number, or "
                "candidates."},
    OptionField{
        "scoring", &KqrOptions::scoring, anything(),
        "Score of cross-validation for bandwidth and regularization: negative log-likelihood of the distribution, or "
        "pinball loss of the quantiles; spread and floor always by the first."},
    folds_field(&KqrOptions::cv),
    OptionField{"max_rows", &KqrOptions::max_rows, whole(2),
                "Of more rows than this, as many drawn at random are used: memory is their square."},
    OptionField{"defensive_weight", &KqrOptions::defensive_weight, below(0, 1),
                "Share of a broad Gaussian, twice the spread of y, that keeps far points from ruining a log score."},
    OptionField{"standardize", &KqrOptions::standardize, anything(),
                "Bring every column to mean 0 and standard deviation 1 first; densities stay on your scale."},
    OptionField{"seed", &KqrOptions::seed, whole(0), "Seed of everything random: folds and rows."},
};

struct KqrState {
  double bandwidth = 0;          ///< standardised scale
  double regularization = 0;     ///< see KqrLoss
  double spread = 0;             ///< of a component, in lengths of its interval; of one level on the standardised scale
  double bandwidth_y_floor = 0;  ///< standardised scale
  Matrix x;                      ///< d_x x n, standardised
  Matrix coefficients;           ///< n x levels
  Vector intercepts;             ///< one a level, standardised scale
  Vector relative_gaps;          ///< one a level
  Defensive defensive;
};

class Kqr final : public FittedModel<Kqr, KqrOptions, KqrState>, public HasQuantiles, public TakesOneTarget {
 public:
  static constexpr std::string_view class_name = "KernelQuantileRegression";

  /// Chooses what has several candidates by cross-validation, then solves every level for all rows.
  /// Throws std::invalid_argument for bad options or data (y must have one column), Cancelled.
  /// Cost: a millisecond per level, candidate and fold at n = 400; n^2 numbers per thread.
  static Kqr fit(const Dataset& data, const KqrOptions& given = {}, const Run& run = {});

  /// The estimated quantiles (levels x n) at the columns of x, on the scale of the data, each
  /// column ascending. They are those of the optimisation problems, not of the law.
  Matrix quantiles(const MatrixView& x, const Run& run = {}) const override;

  const std::vector<double>& quantile_levels() const override { return options_.quantile_levels; }

  std::string_view model_name() const override { return "kqr"; }

  /// Throws FormatError unless the levels ascend and each has its function.
  static void check(const KqrOptions& options, const KqrState& state);

 protected:
  GaussianMixtures laws(const MatrixView& x) const override;

 private:
  friend FittedModel;
  Kqr(KqrOptions options, KqrState state, Standardizer x_scale, Standardizer y_scale, FitReport report)
      : FittedModel(std::move(options), std::move(state), std::move(x_scale), std::move(y_scale), std::move(report)) {}
  Matrix raw_quantiles(const MatrixView& x) const;
};

template <>
inline constexpr auto result_table<Kqr> = Fields{
    ResultField{"levels", &Kqr::quantile_levels, "Levels of the quantiles.", line("n_levels")},
    StateField{"bandwidth", &KqrState::bandwidth, "Gaussian width in x that was used, on the standardised scale."}
        .positive(),
    StateField{"regularization", &KqrState::regularization, "Penalty that was used."},
    StateField{
        "spread", &KqrState::spread,
        "Standard deviation of a component that was used, in lengths of its interval; of one level alone, on the "
        "standardised scale of y."}
        .positive(),
    StateField{"bandwidth_y_floor", &KqrState::bandwidth_y_floor,
               "Smallest standard deviation of a component that was used, on the standardised scale of y."}
        .positive(),
    StateField{"x", &KqrState::x, "Inputs of the rows that carry a kernel, on the scale of the data.",
               items("n_centers", "n_inputs")}
        .on(Scale::x)
        .as("centers_x"),
    StateField{"coefficients", &KqrState::coefficients, "Coefficients of the kernels for every level.",
               items("n_levels", "n_centers")}
        .as("kernel_weights"),
    StateField{"intercepts", &KqrState::intercepts,
               "Constant of every quantile function, on the standardised scale of y.", line("n_levels")}
        .as("intercept"),
    StateField{"relative_gaps", &KqrState::relative_gaps,
               "Certificate of every level: how far its objective is from the least, as a share of it, at most.",
               line("n_levels")},
};

}  // namespace condens
