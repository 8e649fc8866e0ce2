#pragma once
// The sparse kernel density estimator: a Parzen window as the target of a regression on kernels of
// one wider width at data points, chosen one by one by the leave-one-out error, then weights on the
// simplex.
//
// Source: S. Chen, X. Hong and C. J. Harris, An orthogonal forward regression technique for sparse
// kernel density estimation, Neurocomputing 71, 2008 (OFR-LOO-LR), as the same authors, IEEE Trans.
// SMC B 40, 2010, eqs. 23-44, give it (errata D5 to D11).
//
//   paper        here
//   gamma        bandwidth
//   gamma_Parz   target_bandwidth
//   lambda       regularization
//   beta         kernel_weights

#include <string_view>
#include <vector>

#include "condens/model/joint_density.hpp"
#include "condens/model/results.hpp"
#include "condens/model/scoring.hpp"
#include "condens/optim/mixing_weights.hpp"

namespace condens {

/// The defaults are our recommendation; `paper()` is the paper's procedure.
struct SkdOptions {
  std::vector<double> bandwidth = {};
  std::vector<double> target_bandwidth = {};
  TargetDensity target = TargetDensity::loo;
  double regularization = 1e-6;
  bool relative_regularization = true;
  bool local_regularization = true;
  Index max_kernels = 100;
  double stop_tolerance = 0.05;
  WeightSolver weights = WeightSolver::exact;
  Index iterations = 1000;
  double pruning = 1e-4;
  Scoring scoring = Scoring::nll;
  std::vector<double> cv = {5};
  bool refine = true;
  bool merge_copies = true;
  double defensive_weight = 1e-3;
  bool standardize = true;
  Index seed = 0;

  /// The window with its own kernels, one absolute regulariser to begin with, the first J_{n+1} >= J_n, and
  /// multiplicative updates.
  static SkdOptions paper();
};

template <>
inline constexpr auto option_table<SkdOptions> = Fields{
    OptionField{
        "bandwidth", &SkdOptions::bandwidth, distinct(positive()),
        "Width of the kernels, on the standardised scale: one number, candidates for cross-validation, or none: "
        "1 to 4 times target_bandwidth."},
    OptionField{"target_bandwidth", &SkdOptions::target_bandwidth, positive(),
                "Width of the Parzen window that is the target; none: by the leave-one-out likelihood."},
    OptionField{"target", &SkdOptions::target, anything(),
                "The Parzen window at a sample with the kernel that stands there, as in the paper, or (loo) without."},
    OptionField{"regularization", &SkdOptions::regularization, at_least(0),
                "Regulariser lambda of every orthogonal column, to begin with."},
    OptionField{"relative_regularization", &SkdOptions::relative_regularization, anything(),
                "The regulariser is a share of a column's sum of squares, so that units do not matter."},
    OptionField{"local_regularization", &SkdOptions::local_regularization, anything(),
                "Then give each chosen kernel a regulariser by its evidence and select once more among them."},
    OptionField{"max_kernels", &SkdOptions::max_kernels, whole(1), "Most kernels that are chosen."},
    OptionField{"stop_tolerance", &SkdOptions::stop_tolerance, below(0, 1),
                "Stop when another kernel lowers the leave-one-out error by less than this share (paper: 0)."},
    OptionField{"weights", &SkdOptions::weights, anything(),
                "How the kernels' weights are found: the exact minimiser, or multiplicative updates (mnqp)."},
    OptionField{"iterations", &SkdOptions::iterations, whole(1, most_updates), "Number of multiplicative updates."},
    OptionField{"pruning", &SkdOptions::pruning, below(0, 1),
                "Weights below this share of the largest one are zero, after multiplicative updates."},
    OptionField{"scoring", &SkdOptions::scoring, anything(),
                "What held-out rows score: -log p, or half the integral of p^2 minus p."},
    folds_field(&SkdOptions::cv),
    OptionField{"refine", &SkdOptions::refine, anything(),
                "Search again between the best candidate and its neighbours."},
    OptionField{
        "merge_copies", &SkdOptions::merge_copies, anything(),
        "Rows that are equal in x and y are one of their common weight: they leave together in cross-validation."},
    OptionField{"defensive_weight", &SkdOptions::defensive_weight, below(0, 1),
                "Share of a broad Gaussian, twice the spread of y, that keeps far points from ruining a log score."},
    OptionField{"standardize", &SkdOptions::standardize, anything(),
                "Bring every column to mean 0 and standard deviation 1 first; densities stay on your scale."},
    OptionField{"seed", &SkdOptions::seed, whole(0), "Seed of the folds."},
};

struct SkdState {
  double bandwidth = 0;         ///< of the kernels, standardised scale
  double target_bandwidth = 0;  ///< of the Parzen window
};

class Skd final : public FittedJointDensity<Skd, SkdOptions, SkdState> {
 public:
  static constexpr std::string_view class_name = "SKD";

  /// Throws std::invalid_argument for bad options or data, Cancelled. Cost for each width and fold: n^2 exponentials
  /// for every kernel that is chosen, and n for each exact criterion (some ten a kernel).
  static Skd fit(const Dataset& data, const SkdOptions& options = {}, const Run& run = {});

  std::string_view model_name() const override { return "skd"; }

 private:
  friend FittedJointDensity;
  Skd(SkdOptions options, SkdState state, Parameters p, Standardizer x_scale, Standardizer y_scale, FitReport report);
};

template <>
inline constexpr auto result_table<Skd> = Fields{
    StateField{"bandwidth", &SkdState::bandwidth, "Width of the kernels, on the standardised scale."},
    StateField{"target_bandwidth", &SkdState::target_bandwidth,
               "Width of the Parzen window that was the target, on the standardised scale."},
    ResultField{"n_kernels", &Skd::n_kernels, "Number of kernels whose weight is not zero."},
    ResultField{"kernel_weights", &Skd::kernel_weights, "Weight of every kernel; they sum to one.", line("n_kernels")},
    ResultField{"kernel_means", &Skd::kernel_means, "Centres (inputs, then targets), on the scale of the data.",
                items("n_kernels", "n_columns")},
    ResultField{"kernel_scales", &Skd::kernel_scales, "Standard deviations, on the scale of the data.",
                items("n_kernels", "n_columns")},
};

}  // namespace condens
