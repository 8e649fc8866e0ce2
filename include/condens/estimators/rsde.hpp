#pragma once
// The reduced set density estimator: kernels of one width at data points, with the weights of the
// least integrated squared error. Most of them are zero.
//
// Source: M. Girolami and C. He, Probability density estimation from optimally condensed data
// samples, IEEE Trans. PAMI 25, 2003, as S. Chen, X. Hong and C. J. Harris, IEEE Trans. SMC B 40,
// 2010, eqs. 12-17, give it (errata D4, D5).
//
//   min 0.5 b'Gb - b'p over b >= 0, 1'b = 1,  G_ij = N(x_i - x_j; 0, 2 gamma^2 I),  p_i an estimate of E K_gamma(x,
//   x_i)
//
//   paper        here
//   gamma        bandwidth
//   gamma_Parz   target_bandwidth
//   b            kernel_weights (those that are not zero)

#include <array>
#include <string_view>
#include <vector>

#include "condens/model/joint_density.hpp"
#include "condens/model/results.hpp"
#include "condens/model/scoring.hpp"
#include "condens/optim/mixing_weights.hpp"

namespace condens {

/// The active set, or the paper's multiplicative updates (corrected).
enum class RsdeSolver { exact, multiplicative };
template <>
inline constexpr auto choice_names<RsdeSolver> = std::array<std::string_view, 2>{"exact", "multiplicative"};

/// The defaults are our recommendation; `paper()` is the paper's procedure.
struct RsdeOptions {
  std::vector<double> bandwidth = {};
  std::vector<double> target_bandwidth = {};
  TargetDensity target = TargetDensity::loo;
  RsdeSolver solver = RsdeSolver::exact;
  Index iterations = 1000;
  double pruning = 1e-4;
  Scoring scoring = Scoring::nll;
  std::vector<double> cv = {5};
  bool refine = true;
  bool merge_copies = true;
  double defensive_weight = 1e-3;
  bool standardize = true;
  Index seed = 0;

  static RsdeOptions paper();
};

template <>
inline constexpr auto option_table<RsdeOptions> = Fields{
    OptionField{
        "bandwidth", &RsdeOptions::bandwidth, distinct(positive()),
        "Width of the kernels, on the standardised scale: one number, candidates for cross-validation, or none: "
        "0.5 to 4 times the width of a Parzen window by the leave-one-out likelihood."},
    OptionField{
        "target_bandwidth", &RsdeOptions::target_bandwidth, positive(),
        "Width of a Parzen window from which the integrated squared error is taken; none: the expectation under "
        "the density is the mean over the sample, as in the paper."},
    OptionField{"target", &RsdeOptions::target, anything(),
                "The mean over the sample with the point itself, as in the paper, or (loo) over the others."},
    OptionField{"solver", &RsdeOptions::solver, anything(),
                "The exact minimiser, or multiplicative updates, which need the matrix of all pairs."},
    OptionField{"iterations", &RsdeOptions::iterations, whole(1, most_updates), "Number of multiplicative updates."},
    OptionField{"pruning", &RsdeOptions::pruning, below(0, 1),
                "Weights below this share of the largest one are zero, after multiplicative updates."},
    OptionField{"scoring", &RsdeOptions::scoring, anything(),
                "What held-out rows score: -log p, or half the integral of p^2 minus p."},
    folds_field(&RsdeOptions::cv),
    OptionField{"refine", &RsdeOptions::refine, anything(),
                "Search again between the best candidate and its neighbours."},
    OptionField{
        "merge_copies", &RsdeOptions::merge_copies, anything(),
        "Rows that are equal in x and y are one of their common weight: they leave together in cross-validation."},
    OptionField{"defensive_weight", &RsdeOptions::defensive_weight, below(0, 1),
                "Share of a broad Gaussian, twice the spread of y, that keeps far points from ruining a log score."},
    OptionField{"standardize", &RsdeOptions::standardize, anything(),
                "Bring every column to mean 0 and standard deviation 1 first; densities stay on your scale."},
    OptionField{"seed", &RsdeOptions::seed, whole(0), "Seed of the folds."},
};

struct RsdeState {
  double bandwidth = 0;  ///< of the kernels, standardised scale
};

class Rsde final : public FittedJointDensity<Rsde, RsdeOptions, RsdeState> {
 public:
  static constexpr std::string_view class_name = "RSDE";

  /// Throws std::invalid_argument for bad options or data, Cancelled. Cost for each width and fold: n^2 exponentials
  /// for p, and n s multiplications for each of some 2 s to 5 s steps to s kernels.
  static Rsde fit(const Dataset& data, const RsdeOptions& options = {}, const Run& run = {});

  std::string_view model_name() const override { return "rsde"; }

 private:
  friend FittedJointDensity;
  Rsde(RsdeOptions options, RsdeState state, Parameters p, Standardizer x_scale, Standardizer y_scale,
       FitReport report);
};

template <>
inline constexpr auto result_table<Rsde> = Fields{
    StateField{"bandwidth", &RsdeState::bandwidth, "Width of the kernels, on the standardised scale."},
    ResultField{"n_kernels", &Rsde::n_kernels, "Number of kernels whose weight is not zero."},
    ResultField{"kernel_weights", &Rsde::kernel_weights, "Weight of every kernel; they sum to one.", line("n_kernels")},
    ResultField{"kernel_means", &Rsde::kernel_means, "Centres (inputs, then targets), on the scale of the data.",
                items("n_kernels", "n_columns")},
    ResultField{"kernel_scales", &Rsde::kernel_scales, "Standard deviations, on the scale of the data.",
                items("n_kernels", "n_columns")},
};

}  // namespace condens
