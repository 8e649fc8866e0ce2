#pragma once
// Epsilon-neighbour kernel density estimation: the kernel density estimate of the y of
// those samples whose x is near,
//
//   p(y|x) = 1/|I| sum_{i in I} N(y; y_i, sigma^2 I),   I = {i: |x_i - x| <= epsilon}.
//
// Source: M. Shiga, V. Tangkaratt and M. Sugiyama, Direct conditional probability density
// estimation with sparse feature selection, Machine Learning 100, 2015, eq. 23, whose
// threshold bounds |x_i - x|^2; M. Sugiyama et al., Least-squares conditional density
// estimation, IEICE Trans. Inf. & Syst. E93-D(3), 2010, section 3.1, whose threshold bounds
// |x_i - x|. The boundary is inside in both.
//
//   papers        here
//   epsilon       radius
//   sigma         bandwidth_y

#include <array>
#include <memory>
#include <string_view>
#include <vector>

#include "condens/core/options.hpp"
#include "condens/data/dataset.hpp"
#include "condens/kernels/neighbors.hpp"
#include "condens/model/fitted_model.hpp"
#include "condens/model/kernel_mixture.hpp"
#include "condens/model/row_weights.hpp"
#include "condens/model/scoring.hpp"

namespace condens {

/// What the radius bounds: |x_i - x| or |x_i - x|^2.
enum class RadiusOf { distance, squared_distance };
template <>
inline constexpr auto choice_names<RadiusOf> = std::array<std::string_view, 2>{"distance", "squared_distance"};

/// Whose y make the law where no sample is within the radius: those of all samples at the
/// smallest distance, or of all samples.
enum class EmptyNeighborhood { nearest, all };
template <>
inline constexpr auto choice_names<EmptyNeighborhood> = std::array<std::string_view, 2>{"nearest", "all"};

/// The defaults are our recommendation; `paper()` is the paper's procedure.
struct EpsilonKdeOptions {
  std::vector<double> radius = {0.05, 0.1, 0.2, 0.4, 0.8, 1.6, 3.2};
  RadiusOf radius_of = RadiusOf::distance;
  std::vector<double> bandwidth_y = {0.025, 0.05, 0.1, 0.2, 0.4, 0.8};
  bool refine = true;
  EmptyNeighborhood empty_neighborhood = EmptyNeighborhood::nearest;
  double defensive_weight = 1e-3;
  Scoring scoring = Scoring::nll;
  std::vector<double> cv = {5};
  Index max_scored_rows = 2000;
  bool standardize = true;
  Index seed = 0;

  /// Shiga et al. (2015), section 3.1: the squared threshold, and twenty candidates of each.
  static EpsilonKdeOptions paper();
};

template <>
inline constexpr auto option_table<EpsilonKdeOptions> = Fields{
    OptionField{"radius", &EpsilonKdeOptions::radius, filled(distinct(positive())),
                "Threshold of the neighbourhood, on the standardised scale: one number, or candidates."},
    OptionField{"radius_of", &EpsilonKdeOptions::radius_of, anything(),
                "What the radius bounds: the distance (Sugiyama et al. 2010), or its square (Shiga et al. 2015)."},
    OptionField{"bandwidth_y", &EpsilonKdeOptions::bandwidth_y, filled(distinct(positive())),
                "Gaussian width in y, on the standardised scale: one number, or candidates."},
    OptionField{"refine", &EpsilonKdeOptions::refine, anything(),
                "Search again between the best candidate and its neighbours."},
    OptionField{"empty_neighborhood", &EpsilonKdeOptions::empty_neighborhood, anything(),
                "Where no sample is within the radius: the samples at the smallest distance, or all samples."},
    OptionField{"defensive_weight", &EpsilonKdeOptions::defensive_weight, below(0, 1),
                "Share of a broad Gaussian, twice the spread of y, that keeps far points from ruining a log score."},
    OptionField{"scoring", &EpsilonKdeOptions::scoring, anything(),
                "Score of cross-validation: negative log-likelihood, or squared error of the density."},
    folds_field(&EpsilonKdeOptions::cv),
    OptionField{"max_scored_rows", &EpsilonKdeOptions::max_scored_rows, whole(0),
                "Of more held-out rows than this, as many drawn at random score the candidates (0: all do)."},
    OptionField{"standardize", &EpsilonKdeOptions::standardize, anything(),
                "Bring every column to mean 0 and standard deviation 1 first; densities stay on your scale."},
    OptionField{"seed", &EpsilonKdeOptions::seed, whole(0), "Seed of everything random: folds and scored rows."},
};

struct EpsilonKdeState {
  double radius = 0;       ///< on the standardised scale, see RadiusOf
  double bandwidth_y = 0;  ///< on the standardised scale
  Matrix x;                ///< d_x x n, standardised
  Matrix y;                ///< d_y x n, standardised
  Vector weights;          ///< n, > 0
  Defensive defensive;
};

class EpsilonKde final : public FittedModel<EpsilonKde, EpsilonKdeOptions, EpsilonKdeState>, public WeighsTrainingRows {
 public:
  static constexpr std::string_view class_name = "EpsilonKDE";

  /// Chooses radius and bandwidth_y by cross-validation when several are given. Throws
  /// std::invalid_argument for bad options or data, Cancelled.
  /// Cost of the selection: for every scored row its distances and one exponential per
  /// neighbour and width, whatever the number of radii; with squared scoring one per pair
  /// of neighbours and width.
  static EpsilonKde fit(const Dataset& data, const EpsilonKdeOptions& options = {}, const Run& run = {});

  Index n_samples() const { return state_.y.cols(); }

  std::vector<RowWeights> row_weights(const MatrixView& x, const Dataset& training, Index most,
                                      const Run& run) const override;

  std::string_view model_name() const override { return "ekde"; }

 protected:
  GaussianMixtures laws(const MatrixView& x) const override;
  Vector log_densities(const MatrixView& x, const MatrixView& y) const override;

 private:
  friend FittedModel;
  EpsilonKde(EpsilonKdeOptions options, EpsilonKdeState state, Standardizer x_scale, Standardizer y_scale,
             FitReport report, std::shared_ptr<const Neighbors> neighbors = nullptr);
  void find_neighborhood(const VectorView& x, Neighborhood& out) const;

  std::shared_ptr<const Neighbors> neighbors_;  // derived
};

template <>
inline constexpr auto result_table<EpsilonKde> = Fields{
    StateField{"radius", &EpsilonKdeState::radius, "Threshold that was used, on the standardised scale."}.positive(),
    StateField{"bandwidth_y", &EpsilonKdeState::bandwidth_y,
               "Gaussian width in y that was used, on the standardised scale."}
        .positive(),
    StateField{"x", &EpsilonKdeState::x, "", items("n_samples", "n_inputs")},
    StateField{"y", &EpsilonKdeState::y, "", items("n_samples", "n_targets")},
    StateField{"weights", &EpsilonKdeState::weights, "", line("n_samples")}.positive(),
    ResultField{"n_samples", &EpsilonKde::n_samples, "Number of samples that the distributions are made of."},
};

}  // namespace condens
