#pragma once
// Gaussian mixture by expectation maximisation: few components with full or diagonal covariances, their
// number by the Bayesian information criterion or the held-out likelihood.
//
// Source: A. P. Dempster, N. M. Laird and D. B. Rubin, Maximum likelihood from incomplete data via the EM algorithm,
// J. R. Stat. Soc. B 39, 1977; S. Chen, X. Hong and C. J. Harris, Probability density estimation with tunable kernels
// using orthogonal forward regression, IEEE Trans. Syst. Man Cybern. B 40, 2010, eqs. 4-8 and section IV; G. Schwarz,
// Estimating the dimension of a model, Ann. Stat. 6, 1978.
//
//   p(z) = sum_l w_l N(z; v_l, S_l),  z = (x, y);  p(y|x) by conditioning (joint_density.hpp)
//   score of a candidate: -mean log p + (parameters / (2 n)) log n  (bic), or -mean log p(y|x) of rows held out (cv)

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "condens/core/options.hpp"
#include "condens/data/dataset.hpp"
#include "condens/model/capabilities.hpp"
#include "condens/model/joint_density.hpp"
#include "condens/model/results.hpp"
#include "condens/model/row_sums.hpp"

namespace condens {

struct EmState;

enum class GmmCovariance { full, diagonal, automatic };
template <>
inline constexpr auto choice_names<GmmCovariance> = std::array<std::string_view, 3>{"full", "diagonal", "auto"};

enum class GmmSelection { bic, cv };
template <>
inline constexpr auto choice_names<GmmSelection> = std::array<std::string_view, 2>{"bic", "cv"};

enum class GmmInitialization { kmeans, random };
template <>
inline constexpr auto choice_names<GmmInitialization> = std::array<std::string_view, 2>{"kmeans", "random"};

/// The defaults are our recommendation; `paper()` is the paper's procedure.
struct GmmOptions {
  std::vector<double> n_components = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  GmmCovariance covariance = GmmCovariance::automatic;
  GmmSelection selection = GmmSelection::bic;
  std::vector<double> cv = {5};
  GmmInitialization initialization = GmmInitialization::kmeans;
  Matrix centers = {};
  std::vector<double> region = {};
  double initial_variance = 1.0;
  double variance_floor = 1e-3;
  Index starts = 4;
  Index short_iterations = 15;
  Index max_iterations = 500;
  double tolerance = 1e-5;
  double defensive_weight = 1e-3;
  bool standardize = true;
  Index seed = 0;

  /// Section IV: diagonal, seven components (the paper: as many as its own method needs), random centres, one common
  /// variance to begin with.
  static GmmOptions paper();
};

template <>
inline constexpr auto option_table<GmmOptions> = Fields{
    OptionField{"n_components", &GmmOptions::n_components, filled(distinct(whole(1, most_components))),
                "Number of Gaussians, or candidates for it in rising order: the search ends after three without "
                "improvement."},
    OptionField{"covariance", &GmmOptions::covariance, anything(),
                "Any covariance matrix, a diagonal one, or (auto) the better by `selection`."},
    OptionField{"selection", &GmmOptions::selection, anything(),
                "Candidates are compared by the Bayesian information criterion, or by the held-out likelihood of y "
                "given x."},
    OptionField{"cv", &GmmOptions::cv, fold_numbers(),
                "For selection = cv: the number of folds, or the fold of every row."},
    OptionField{"initialization", &GmmOptions::initialization, anything(),
                "Starts from clusters by k-means++, or from centres drawn uniformly from `region`."},
    OptionField{"centers", &GmmOptions::centers, anything(),
                "Given centres [x, y] on the scale of the data to start from, in place of n_components of them."},
    OptionField{"region", &GmmOptions::region, anything(),
                "Two numbers a, b for initialization = random: centres in [a, b] in every column, on the scale of the "
                "fit (none: the range of every column)."},
    OptionField{"initial_variance", &GmmOptions::initial_variance, positive(),
                "Variance to start with around random or given centres, on the scale of the fit."},
    OptionField{"variance_floor", &GmmOptions::variance_floor, within(1e-12, 1e12),
                "Smallest variance in any direction, on the scale of the fit: standardised, a share of the column's."},
    OptionField{"starts", &GmmOptions::starts, whole(1, most_runs), "Short runs, of which the best is continued."},
    OptionField{"short_iterations", &GmmOptions::short_iterations, whole(1), "Iterations of a short run."},
    OptionField{"max_iterations", &GmmOptions::max_iterations, whole(0), "Iterations of the run that is continued."},
    OptionField{"tolerance", &GmmOptions::tolerance, at_least(0),
                "Ends where the mean log density rises by less (0: after max_iterations)."},
    OptionField{"defensive_weight", &GmmOptions::defensive_weight, below(0, 1),
                "Share of a broad Gaussian, twice the spread of y, that keeps far points from ruining a log score."},
    OptionField{"standardize", &GmmOptions::standardize, anything(),
                "Bring every column to mean 0 and standard deviation 1 first; densities stay on your scale."},
    OptionField{"seed", &GmmOptions::seed, whole(0), "Seed of everything random: starts and folds."},
};

struct GmmState {
  double log_likelihood = 0;  ///< the mean log density of the rows [x, y], standardised scale
};

class Gmm final : public FittedJointDensity<Gmm, GmmOptions, GmmState>, public LearnsFromSums {
 public:
  static constexpr std::string_view class_name = "GMM";

  /// Throws std::invalid_argument for bad options or data, Cancelled. Cost of an iteration: n k (d^2 + d)
  /// multiplications and additions for full covariances, 4 n k d for diagonal ones, and n k exponentials.
  static Gmm fit(const Dataset& data, const GmmOptions& options = {}, const Run& run = {});

  /// The same of rows that are elsewhere, one pass for each iteration: the same model up to the rounding of sums for
  /// more than `most_rows_at_once` rows (data/folds.hpp). Throws std::invalid_argument for a selection by folds.
  static Gmm fit(RowSums& table, const GmmOptions& options = {}, const Run& run = {});
  static Document accumulate(const Document& pass, const Dataset& block, Index first_row, const Run& run);

  std::string covariance() const;  ///< "full" or "diagonal"

  std::string_view model_name() const override { return "gmm"; }

  /// One step of expectation maximisation a call, in which rows keep the posteriors of the components that they had
  /// when they came (R. M. Neal and G. E. Hinton, A view of the EM algorithm that justifies incremental, sparse, and
  /// other variants, 1998; O. Cappé and E. Moulines, On-line expectation-maximization algorithm for latent data models,
  /// JRSS B 71(3), 2009). The number of components and the shape of their covariances stay.
  Document closing_pass() const override;
  std::unique_ptr<ConditionalDensity> finished(const Document& state) const override;

 private:
  friend FittedJointDensity;
  Gmm(GmmOptions options, GmmState state, Parameters p, Standardizer x_scale, Standardizer y_scale, FitReport report);
  struct Search;
  bool has_full_covariances() const;
  EmState em_state() const;
};

template <>
inline constexpr auto result_table<Gmm> = Fields{
    ResultField{"n_kernels", &Gmm::n_kernels, "Number of components."},
    ResultField{"kernel_weights", &Gmm::kernel_weights, "Weights of the components.", line("n_kernels")},
    ResultField{"kernel_means", &Gmm::kernel_means, "Means of the components in [x, y], on the scale of the data.",
                items("n_kernels", "n_columns")},
    ResultField{"kernel_scales", &Gmm::kernel_scales,
                "Standard deviations of the components, on the scale of the data.", items("n_kernels", "n_columns")},
    ResultField{"kernel_covariances", &Gmm::kernel_covariances,
                "Covariance matrices of the components, on the scale of the data.", squares("n_kernels", "n_columns")},
    ResultField{"covariance", &Gmm::covariance, "Shape of the covariances: full or diagonal."},
    StateField{"score", &GmmState::log_likelihood, "Mean log density of the rows [x, y], on the scale of the fit."}.as(
        "log_likelihood"),
};

}  // namespace condens
