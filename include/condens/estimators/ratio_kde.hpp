#pragma once
// The ratio of kernel density estimates, the density of inputs and target over that of the inputs:
//
//   p(y|x) = p(x, y) / p(x),   p(x, y) = sum_j w_j N(x; x_j, diag(g)^2) N(y; y_j, diag(g_y)^2),
//                              p(x) = sum_j w_j N(x; x_j, diag(h)^2),   sum_j w_j = 1.
//
// Source: M. Sugiyama et al., Least-squares conditional density estimation, IEICE Trans. Inf. & Syst. E93-D(3), 2010,
// section 3.4 (RKDE), which does not say whether both densities share the widths of x (errata L14). Both readings:
//
//   equal     h = g. The ratio is the Nadaraya-Watson conditional density with all samples
//   (estimators/nadaraya_watson.hpp),
//             whose widths the leave-one-out likelihood of y given x chooses.
//   separate  Each density is a Parzen window with widths of its own likelihood (parzen.hpp). The ratio has the mass
//             integral p(y|x) dy = p(x; g) / p(x; h), not one. The law at x is the ratio over its mass: the numerator
//             conditioned on x, whatever h; the mass is there for itself.
//
//   here: bandwidths g, bandwidths_y g_y, bandwidths_denominator h, log_mass log p(x; g) - log p(x; h)

#include <array>
#include <memory>
#include <string_view>
#include <vector>

#include "condens/core/options.hpp"
#include "condens/data/dataset.hpp"
#include "condens/estimators/nadaraya_watson.hpp"
#include "condens/estimators/parzen.hpp"
#include "condens/model/capabilities.hpp"
#include "condens/model/fitted_model.hpp"
#include "condens/model/results.hpp"
#include "condens/model/row_weights.hpp"

namespace condens {

enum class RatioWidths { equal, separate };
template <>
inline constexpr auto choice_names<RatioWidths> = std::array<std::string_view, 2>{"equal", "separate"};

/// The defaults are our recommendation; `paper()` is the paper's procedure as far as it says.
struct RatioKdeOptions {
  RatioWidths widths = RatioWidths::equal;
  ParzenShapeChoice shape = ParzenShapeChoice::automatic;
  std::vector<double> bandwidth = {};
  std::vector<double> bandwidth_y = {};
  std::vector<double> bandwidth_denominator = {};
  double bandwidth_floor = 0.01;
  Index width_rows = 4000;
  double defensive_weight = 1e-3;
  bool standardize = true;
  Index seed = 0;

  /// Two Parzen windows, each with one width among the ten values of the paper's section 2.6 by its own likelihood.
  static RatioKdeOptions paper();

  /// What a preset says gives way to what is given, where both cannot hold: of the widths, and how they are shared.
  void give_way(const Document& given);
};

template <>
inline constexpr auto option_table<RatioKdeOptions> = Fields{
    OptionField{"widths", &RatioKdeOptions::widths, anything(),
                "Both densities share the widths of x, which the likelihood of y given x chooses (equal), or each has "
                "its own, which its likelihood chooses (separate)."},
    OptionField{"shape", &RatioKdeOptions::shape, anything(),
                "One width for all inputs (separate: for all columns of a density), one for each, or (auto) one for "
                "each where that raises the held-out likelihood by more than its standard error."},
    OptionField{"bandwidth", &RatioKdeOptions::bandwidth, positive(),
                "Gaussian width in x on the standardised scale (separate: of all columns of the numerator): none "
                "(learned), one number, candidates (isotropic, auto), or one for each (diagonal, inputs first)."},
    OptionField{"bandwidth_y", &RatioKdeOptions::bandwidth_y, distinct(positive()),
                "Gaussian width in y where widths are equal: none (learned, or that of x if it has candidates), one "
                "number, or candidates beside given widths in x."},
    OptionField{"bandwidth_denominator", &RatioKdeOptions::bandwidth_denominator, positive(),
                "Gaussian width of the denominator where widths are separate: one number, candidates, one for each "
                "input (diagonal), or none: number or candidates of bandwidth, else learned."},
    OptionField{"bandwidth_floor", &RatioKdeOptions::bandwidth_floor, positive(),
                "Smallest width that is learned (equal: in y), in standard deviations: ties would make it vanish."},
    OptionField{"width_rows", &RatioKdeOptions::width_rows, whole(2),
                "Of more rows than this, a random subset of this size chooses the widths."},
    OptionField{"defensive_weight", &RatioKdeOptions::defensive_weight, below(0, 1),
                "Share of a broad Gaussian, twice the spread of y, that keeps far points from ruining a log score."},
    OptionField{"standardize", &RatioKdeOptions::standardize, anything(),
                "Bring every column to mean 0 and standard deviation 1 first; densities stay on your scale."},
    OptionField{"seed", &RatioKdeOptions::seed, whole(0), "Seed of everything random: the subset."},
};

/// The numerator conditioned on x, fitted to standardised rows: by widths = equal, or separate.
struct RatioNumerator {
  std::shared_ptr<const NadarayaWatson> equal = {};  // one of the two
  std::shared_ptr<const Parzen> separate = {};

  const ConditionalDensity& law() const;
  Document to_document() const { return law().to_document(); }
  static RatioNumerator from_document(const Document& document, Index d_x);
};

struct RatioKdeState {
  RatioNumerator law;
  Vector bandwidths_denominator;  ///< d_x, standardised scale
};

class RatioKde final : public FittedModel<RatioKde, RatioKdeOptions, RatioKdeState>,
                       public HasMass,
                       public WeighsTrainingRows {
 public:
  static constexpr std::string_view class_name = "RatioKDE";

  /// Throws std::invalid_argument for bad options or data, Cancelled.
  static RatioKde fit(const Dataset& data, const RatioKdeOptions& options = {}, const Run& run = {});

  Vector bandwidths() const;    ///< d_x, of the numerator, standardised scale
  Vector bandwidths_y() const;  ///< d_y

  /// The logarithm of the ratio's mass at every column of x (n_inputs x n), 0 with equal widths. Without a defensive
  /// component log_density(x, y) + log_mass(x) is the logarithm of the ratio itself. Far from all samples the nearest
  /// one decides. Throws std::invalid_argument for a wrong shape, NaN or infinity.
  Vector log_mass(const MatrixView& x, const Run& run = {}) const override;

  std::vector<RowWeights> row_weights(const MatrixView& x, const Dataset& training, Index most,
                                      const Run& run) const override;

  std::string_view model_name() const override { return "rkde"; }

 protected:
  GaussianMixtures laws(const MatrixView& x) const override { return laws_of(state_.law.law(), x); }
  Vector log_densities(const MatrixView& x, const MatrixView& y) const override;

 private:
  friend FittedModel;
  RatioKde(RatioKdeOptions options, RatioKdeState state, Standardizer x_scale, Standardizer y_scale, FitReport report);
};

template <>
inline constexpr auto result_table<RatioKde> = Fields{
    ResultField{"bandwidths", &RatioKde::bandwidths,
                "Gaussian width of every input in the numerator, on the standardised scale.", line("n_inputs")},
    ResultField{"bandwidths_y", &RatioKde::bandwidths_y, "Gaussian width of every target, on the standardised scale.",
                line("n_targets")},
    StateField{"law", &RatioKdeState::law},
    StateField{"bandwidths_denominator", &RatioKdeState::bandwidths_denominator,
               "Gaussian width of every input in the denominator, on the standardised scale.", line("n_inputs")}
        .positive(),
};

}  // namespace condens
