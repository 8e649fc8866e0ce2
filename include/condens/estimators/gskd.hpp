#pragma once
// Sparse density from tunable kernels: Gaussians whose centres and widths are found one by one, each
// by the least leave-one-out error of a regression on a Parzen window, then weighted by a QP.
//
// Source: S. Chen, X. Hong and C. J. Harris, Probability density estimation with tunable kernels
// using orthogonal forward regression, IEEE Trans. Syst. Man Cybern. B 40(4), 2010, eqs. 23 to 44
// and the appendix; errata D5 to D16.
//
//   p(z) = sum_l beta_l N(z; c_l, diag(gamma_l^2)), beta on the simplex, z = (x, y)
//
//   paper               here
//   t, gamma_Parz       target, target_bandwidth
//   lambda              regularization
//   P_S, N_G, M_I       population, generations, search_iterations
//   N_K                 n_kernels

#include <array>
#include <string_view>
#include <vector>

#include "condens/core/options.hpp"
#include "condens/estimators/gmm.hpp"
#include "condens/model/joint_density.hpp"
#include "condens/model/results.hpp"
#include "condens/optim/mixing_weights.hpp"

namespace condens {

/// What kernels are regressed on: the Parzen window at its own points with each point's own kernel (paper) or without
/// (loo), or the empirical distribution function (eqs. 18 to 22).
enum class GskdTarget { paper, loo, cdf, automatic };
template <>
inline constexpr auto choice_names<GskdTarget> = std::array<std::string_view, 4>{"paper", "loo", "cdf", "auto"};

enum class GskdSearch { gradient, boosting };
template <>
inline constexpr auto choice_names<GskdSearch> = std::array<std::string_view, 2>{"gradient", "boosting"};

/// Number of kernels: by held-out likelihood, or where the search for kernels stops.
enum class GskdSizes { cv, stop };
template <>
inline constexpr auto choice_names<GskdSizes> = std::array<std::string_view, 2>{"cv", "stop"};

enum class GskdPolish { none, em, automatic };
template <>
inline constexpr auto choice_names<GskdPolish> = std::array<std::string_view, 3>{"none", "em", "auto"};

/// The defaults are our recommendation; `paper()` is the paper's procedure.
struct GskdOptions {
  std::vector<double> target_bandwidth = {};
  GskdTarget target = GskdTarget::automatic;
  GskdSearch search = GskdSearch::gradient;
  Index candidates = 80;
  Index starts = 5;
  Index population = 40;
  Index generations = 10;
  Index search_iterations = 400;
  bool literal_best = false;
  double lowest_width = 1.0;
  double highest_width = 1.0;
  double regularization = 1e-4;
  bool relative_regularization = true;
  bool nonnegative = true;
  GskdSizes selection = GskdSizes::cv;
  Index n_folds = 5;
  Index max_kernels = 50;
  double stop_tolerance = 0;
  WeightSolver weights = WeightSolver::exact;
  Index iterations = 1000;
  double pruning = 1e-4;
  GskdPolish polish = GskdPolish::automatic;
  GmmCovariance covariance = GmmCovariance::automatic;
  Index polish_iterations = 200;
  Index fit_rows = 10000;
  bool merge_copies = true;
  double defensive_weight = 1e-3;
  bool standardize = true;
  Index seed = 0;

  /// The window with its own points, the boosting search of the 6-D example, lambda = 1e-6, stop at
  /// the first J that does not fall, multiplicative weights.
  static GskdOptions paper();
};

template <>
inline constexpr auto option_table<GskdOptions> = Fields{
    OptionField{"target_bandwidth", &GskdOptions::target_bandwidth, positive(),
                "Width of the Parzen window that is regressed on, on the standardised scale: none (by leave-one-out "
                "likelihood), one number, or one for each column (inputs first)."},
    OptionField{"target", &GskdOptions::target, anything(),
                "The window at the data with each point's own kernel (paper) or without it (loo): its own kernel makes "
                "every point look dense, most in many dimensions; the better of the two by held-out likelihood (auto); "
                "or the empirical distribution function, for which a kernel's own stands (cdf)."},
    OptionField{"search", &GskdOptions::search, anything(),
                "How each kernel is found: quasi-Newton steps from the best of random candidates (gradient), or the "
                "paper's repeated weighted boosting search (boosting)."},
    OptionField{"candidates", &GskdOptions::candidates, whole(1, most_runs),
                "Random candidates of the gradient search, evaluated together."},
    OptionField{"starts", &GskdOptions::starts, whole(1, most_runs),
                "The best candidates, from each of which quasi-Newton steps are taken."},
    OptionField{"population", &GskdOptions::population, whole(1, most_runs), "Population of the boosting search."},
    OptionField{"generations", &GskdOptions::generations, whole(1, most_runs), "Generations of the boosting search."},
    OptionField{"search_iterations", &GskdOptions::search_iterations, whole(0, most_updates),
                "Steps of the boosting search in a generation, two evaluations each."},
    OptionField{"literal_best", &GskdOptions::literal_best, anything(),
                "Take the boosting search's best as it was before the last step of a generation, as the paper's text "
                "has it."},
    OptionField{"lowest_width", &GskdOptions::lowest_width, positive(),
                "Smallest width of a kernel, in widths of the Parzen window."},
    OptionField{"highest_width", &GskdOptions::highest_width, positive(),
                "Largest width of a kernel, in standard deviations of the window along each column."},
    OptionField{
        "regularization", &GskdOptions::regularization, at_least(0),
        "Ridge penalty lambda of the regression: a share of each kernel's sum of squares, or an absolute number "
        "in units of density squared."},
    OptionField{"relative_regularization", &GskdOptions::relative_regularization, anything(),
                "Take regularization as a share, which does not depend on the units of the data."},
    OptionField{
        "nonnegative", &GskdOptions::nonnegative, anything(),
        "Keep the weights nonnegative while kernels are chosen: each is added to what nonnegative weights leave, "
        "and those whose weights vanish go. Otherwise (paper) the final weights alone are."},
    OptionField{"selection", &GskdOptions::selection, anything(),
                "The number of kernels: by the held-out likelihood of y given x, up to three sizes without improvement "
                "(cv), or all that the search finds (stop)."},
    OptionField{
        "n_folds", &GskdOptions::n_folds, whole(2, most_runs),
        "Folds of the held-out comparison of targets, numbers of kernels and polish; of fewer than ten rows, or "
        "than folds, nothing is compared."},
    OptionField{"max_kernels", &GskdOptions::max_kernels, whole(1), "Largest number of kernels."},
    OptionField{"stop_tolerance", &GskdOptions::stop_tolerance, below(0, 1),
                "Stop at the kernel that lowers the leave-one-out error by no more than this share (0: that does not "
                "lower it)."},
    OptionField{"weights", &GskdOptions::weights, anything(),
                "How the kernels' weights are found: the exact minimiser, or multiplicative updates (mnqp)."},
    OptionField{"iterations", &GskdOptions::iterations, whole(1, most_updates), "Number of multiplicative updates."},
    OptionField{"pruning", &GskdOptions::pruning, below(0, 1),
                "Weights below this share of the largest one are zero, after multiplicative updates."},
    OptionField{"polish", &GskdOptions::polish, anything(),
                "Expectation maximisation from the kernels and weights that were found: never (none), always (em), or "
                "where held-out likelihood is better for it (auto)."},
    OptionField{"covariance", &GskdOptions::covariance, anything(),
                "Covariances of polished kernels: any, diagonal ones, or (auto) any where that raises the held-out "
                "likelihood by more than its standard error."},
    OptionField{"polish_iterations", &GskdOptions::polish_iterations, whole(1),
                "Largest number of iterations of expectation maximisation."},
    OptionField{
        "fit_rows", &GskdOptions::fit_rows, whole(2),
        "Of more rows than this, a random subset of this size carries the regression and chooses the width; the window "
        "has all rows."},
    OptionField{"merge_copies", &GskdOptions::merge_copies, anything(),
                "Rows that are equal in x and y are one of their common weight: the target leaves them out together."},
    OptionField{"defensive_weight", &GskdOptions::defensive_weight, below(0, 1),
                "Share of a broad Gaussian, twice the spread of y, that keeps far points from ruining a log score."},
    OptionField{"standardize", &GskdOptions::standardize, anything(),
                "Bring every column to mean 0 and standard deviation 1 first; densities stay on your scale."},
    OptionField{"seed", &GskdOptions::seed, whole(0), "Seed of everything random: candidates, population, subset."},
};

struct GskdState {
  Vector target_bandwidth;  ///< d_x + d_y: of the Parzen window, standardised scale
};

class Gskd final : public FittedJointDensity<Gskd, GskdOptions, GskdState> {
 public:
  static constexpr std::string_view class_name = "Gskd";

  /// Rows that are equal count as one of their common weight. Throws std::invalid_argument for bad
  /// options or data, Cancelled. Cost: for each kernel some 300 evaluations of the criterion, two
  /// thirds with a gradient, or as many as the boosting search takes, of fit_rows exponentials each;
  /// the same in every fold for every target that is compared, and iterations of EM as in Gmm::fit.
  static Gskd fit(const Dataset& data, const GskdOptions& options = {}, const Run& run = {});

  std::string_view model_name() const override { return "gskd"; }

 private:
  friend FittedJointDensity;
  Gskd(GskdOptions options, GskdState state, Parameters p, Standardizer x_scale, Standardizer y_scale,
       FitReport report);
};

template <>
inline constexpr auto result_table<Gskd> = Fields{
    ResultField{"kernel_weights", &Gskd::kernel_weights, "Weights of the kernels; they sum to one.", line("n_kernels")},
    ResultField{"kernel_means", &Gskd::kernel_means, "Centres of the kernels, inputs first, on the scale of the data.",
                items("n_kernels", "n_columns")},
    ResultField{"kernel_scales", &Gskd::kernel_scales,
                "Standard deviations of the kernels, inputs first, on the scale of the data.",
                items("n_kernels", "n_columns")},
    ResultField{"kernel_covariances", &Gskd::kernel_covariances,
                "Covariance matrices of the kernels, on the scale of the data.", squares("n_kernels", "n_columns")},
    ResultField{"n_kernels", &Gskd::n_kernels, "Number of kernels."},
    StateField{"target_bandwidth", &GskdState::target_bandwidth,
               "Width of the Parzen window in every column, inputs first, on the standardised scale.",
               line("n_columns")},
};

}  // namespace condens
