#pragma once
// Gaussian process regression read as a conditional density: one Gaussian at every x,
//
//   p(y|x) = N(m(x), v(x) + s_n^2),
//   m(x) = k(x, X) K^-1 y,   v(x) = k(x, x) - k(x, X) K^-1 k(X, x),
//
// with zero prior mean and a squared exponential kernel whose length scales, signal and noise
// variances maximise the exact marginal likelihood. Targets are independent given x, each
// with hyper-parameters of its own. Of many rows some are the process, and the others say what they
// know of it as of inducing points (estimators/gaussian_process/inducing.hpp).
//
// Source: C. E. Rasmussen and C. K. I. Williams, Gaussian Processes for Machine Learning,
// MIT Press 2006, eqs. 2.25, 2.26, 2.30, 5.9; M. K. Titsias, Variational learning of inducing
// variables in sparse Gaussian processes, AISTATS 2009; the rival "GP-CDE" of M. Shiga,
// V. Tangkaratt and M. Sugiyama, Machine Learning 100, 2015, section 3.7.

#include <array>
#include <memory>
#include <string_view>
#include <vector>

#include "condens/core/options.hpp"
#include "condens/data/dataset.hpp"
#include "condens/model/capabilities.hpp"
#include "condens/model/fitted_model.hpp"
#include "condens/model/kernel_mixture.hpp"

namespace condens {

/// A length scale for every input ("automatic relevance determination"), or one for all.
enum class GaussianProcessKernel { ard, isotropic };
template <>
inline constexpr auto choice_names<GaussianProcessKernel> = std::array<std::string_view, 2>{"ard", "isotropic"};

/// What becomes of rows beyond max_rows.
enum class GaussianProcessRows { inducing, subset };
template <>
inline constexpr auto choice_names<GaussianProcessRows> = std::array<std::string_view, 2>{"inducing", "subset"};

/// The defaults are our recommendation; `paper()` is the paper's procedure.
struct GaussianProcessOptions {
  GaussianProcessKernel kernel = GaussianProcessKernel::ard;
  std::vector<double> length_scales = {};
  std::vector<double> signal_variance = {};
  std::vector<double> noise_variance = {};
  Index n_starts = 3;
  Index max_rows = 2000;
  GaussianProcessRows many_rows = GaussianProcessRows::inducing;
  double defensive_weight = 1e-3;
  bool standardize = true;
  Index seed = 0;

  /// The rival of Shiga et al. (2015): one length scale, one start, all of its 5,000 rows.
  static GaussianProcessOptions paper();
};

template <>
inline constexpr auto option_table<GaussianProcessOptions> = Fields{
    OptionField{"kernel", &GaussianProcessOptions::kernel, anything(),
                "Squared exponential with a length scale for every input, or with one for all."},
    OptionField{"length_scales", &GaussianProcessOptions::length_scales, positive(),
                "Length scales on the standardised scale, one or one for every input; none: learned."},
    OptionField{"signal_variance", &GaussianProcessOptions::signal_variance, positive(),
                "Prior variance of the function, one or one for every target; none: learned."},
    OptionField{"noise_variance", &GaussianProcessOptions::noise_variance, positive(),
                "Variance of y around the function, one or one for every target; none: learned."},
    OptionField{"n_starts", &GaussianProcessOptions::n_starts, whole(1, most_runs),
                "Number of starts of the search for the hyper-parameters."},
    OptionField{"max_rows", &GaussianProcessOptions::max_rows, whole(1),
                "Of more rows than this, as many drawn at random make the process and learn its length scales and "
                "variances: their cost is cubic."},
    OptionField{"many_rows", &GaussianProcessOptions::many_rows, anything(),
                "What becomes of rows beyond max_rows: the process learns from all of them through inducing points, "
                "those that it is made of, or from these alone (subset)."},
    OptionField{"defensive_weight", &GaussianProcessOptions::defensive_weight, below(0, 1),
                "Share of a broad Gaussian, twice the spread of y, that keeps far points from ruining a log score."},
    OptionField{"standardize", &GaussianProcessOptions::standardize, anything(),
                "Bring every column to mean 0 and standard deviation 1 first; densities stay on your scale."},
    OptionField{"seed", &GaussianProcessOptions::seed, whole(0),
                "Seed of everything random: rows, and starts after the third."},
};

struct GaussianProcessState {
  Matrix x;                ///< d_x x n: rows of the process, standardised
  Matrix y;                ///< d_y x n, standardised
  Vector weights;          ///< n, > 0
  Matrix length_scales;    ///< d_x x d_y, standardised scale
  Vector signal_variance;  ///< d_y, standardised scale
  Vector noise_variance;   ///< d_y, standardised scale
  // What rows beyond those of the process say of it, gp::InducedProcess; empty where there are none.
  Matrix inducing_factors;       ///< n (n + 1) / 2 x d_y
  Matrix inducing_coefficients;  ///< n x d_y
  Defensive defensive;
};

class GaussianProcess final : public FittedModel<GaussianProcess, GaussianProcessOptions, GaussianProcessState>,
                              public RanksInputs {
 public:
  static constexpr std::string_view class_name = "GaussianProcess";

  /// Throws std::invalid_argument for bad options or data, NumericalError when the covariance
  /// matrix has no Cholesky factor, Cancelled. Cost: m^3 per step of the search and target,
  /// m = min(rows, max_rows), then 2 m^2 for each of all rows. Memory: 2 m^2 per target.
  static GaussianProcess fit(const Dataset& data, const GaussianProcessOptions& options = {}, const Run& run = {});

  const Vector& log_marginal_likelihood() const { return log_marginal_likelihood_; }  ///< d_y, standardised scale
  /// 1 / length scale in spreads of the input, shares of 1, the mean over targets; 0 for a constant input. d_x.
  Vector feature_importances() const override;

  std::string_view model_name() const override { return "gp"; }

 protected:
  GaussianMixtures laws(const MatrixView& x) const override;

 private:
  friend FittedModel;
  class Posterior;
  static void check(const GaussianProcessOptions& options, const GaussianProcessState& state);
  GaussianProcess(GaussianProcessOptions options, GaussianProcessState state, Standardizer x_scale,
                  Standardizer y_scale, FitReport report, int threads = 1);

  // Derived, one per target.
  Vector log_marginal_likelihood_;
  std::shared_ptr<const std::vector<Posterior>> posteriors_;
};

template <>
inline constexpr auto result_table<GaussianProcess> = Fields{
    StateField{"x", &GaussianProcessState::x, "", items("n_process_rows", "n_inputs")},
    StateField{"y", &GaussianProcessState::y, "", items("n_process_rows", "n_targets")},
    StateField{"weights", &GaussianProcessState::weights, "", line("n_process_rows")}.positive(),
    StateField{"length_scales", &GaussianProcessState::length_scales,
               "Length scale of every input for every target, on the standardised scale.",
               items("n_targets", "n_inputs")}
        .positive(),
    StateField{"signal_variance", &GaussianProcessState::signal_variance,
               "Prior variance of the function for every target, on the standardised scale.", line("n_targets")}
        .positive(),
    StateField{"noise_variance", &GaussianProcessState::noise_variance,
               "Variance around the function for every target, on the standardised scale.", line("n_targets")}
        .positive(),
    StateField{"inducing_factors", &GaussianProcessState::inducing_factors, "",
               items("n_targets", "n_numbers_of_factor")}
        .or_empty(),
    StateField{"inducing_coefficients", &GaussianProcessState::inducing_coefficients, "",
               items("n_targets", "n_process_rows")}
        .or_empty(),
    ResultField{"log_marginal_likelihood", &GaussianProcess::log_marginal_likelihood,
                "Log marginal likelihood of every target, of the rows that make the process, on the standardised "
                "scale.",
                line("n_targets")},
    ResultField{"feature_importances", &GaussianProcess::feature_importances,
                "Inverse length scale of every input as a share of their sum, the mean over targets.",
                line("n_features")},
};

}  // namespace condens
