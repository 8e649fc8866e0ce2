#pragma once
// The Nadaraya-Watson conditional density: a Gaussian in y at every sample, weighted
// by a Gaussian kernel in x; widths by the exact leave-one-out likelihood.
//
// Source: M. Shiga, V. Tangkaratt and M. Sugiyama, Direct conditional probability
// density estimation with sparse feature selection, Machine Learning 100, 2015, eq. 25
// (NW-CDE) with the normaliser of eq. 23 (errata S2); M. P. Holmes, A. G. Gray and
// C. L. Isbell, Fast nonparametric conditional density estimation, UAI 2007, for two
// widths and their choice (errata S10).
//
//   p(y|x) = sum_j w_j k(T (x - x_j)) N(y; y_j, h_y^2 I) / sum_j w_j k(T (x - x_j)),  k(z) = exp(-|z|^2 / 2)
//
//   paper               here
//   u_b, v_b (centres)  centers_x, centers_y
//   sigma               bandwidths (T = diag(1 / h)), bandwidth_y

#include <array>
#include <memory>
#include <string_view>
#include <vector>

#include "condens/core/options.hpp"
#include "condens/data/dataset.hpp"
#include "condens/estimators/nadaraya_watson/metric.hpp"
#include "condens/model/capabilities.hpp"
#include "condens/model/fitted_model.hpp"
#include "condens/model/kernel_mixture.hpp"
#include "condens/model/row_weights.hpp"

namespace condens {

class GriddedKernels;

enum class NwMetricChoice { isotropic, diagonal, full, automatic };
template <>
inline constexpr auto choice_names<NwMetricChoice> =
    std::array<std::string_view, 4>{"isotropic", "diagonal", "full", "auto"};

/// The defaults are our recommendation; `paper()` is the paper's procedure.
struct NadarayaWatsonOptions {
  NwMetricChoice metric = NwMetricChoice::automatic;
  std::vector<double> bandwidth = {};
  std::vector<double> bandwidth_y = {};
  bool common_bandwidth = false;
  double bandwidth_y_floor = 0.01;
  Index n_centers = 0;
  Matrix centers = {};
  Index metric_rows = 4000;
  bool merge_copies = true;
  Index starts = 1;
  double defensive_weight = 1e-3;
  bool standardize = true;
  Index seed = 0;

  /// 100 random centres, one width for x and y among the twenty values of section 3.1.
  static NadarayaWatsonOptions paper();

  /// What a preset says of widths gives way to what is given of them or of the metric, where both cannot hold.
  void give_way(const Document& given);
};

template <>
inline constexpr auto option_table<NadarayaWatsonOptions> = Fields{
    OptionField{
        "metric", &NadarayaWatsonOptions::metric, anything(),
        "One width for all inputs, one for each, a full matrix W that maps x before distances are taken, or (auto) one "
        "for each where "
        "that raises the held-out likelihood by more than its standard error."},
    OptionField{
        "bandwidth", &NadarayaWatsonOptions::bandwidth, positive(),
        "Gaussian width in x, on the standardised scale: none (learned), one number, candidates (isotropic, auto), or "
        "one number for each input (diagonal)."},
    OptionField{"bandwidth_y", &NadarayaWatsonOptions::bandwidth_y, distinct(positive()),
                "Gaussian width in y: none (learned), one number, or candidates beside given widths in x."},
    OptionField{"common_bandwidth", &NadarayaWatsonOptions::common_bandwidth, anything(),
                "One width for x and y (with bandwidth given), as in the paper."},
    OptionField{"bandwidth_y_floor", &NadarayaWatsonOptions::bandwidth_y_floor, positive(),
                "Smallest width in y that is learned, in standard deviations of y: ties in y would make it vanish."},
    OptionField{"n_centers", &NadarayaWatsonOptions::n_centers, whole(0),
                "Number of samples, drawn at random, that carry a kernel (0: all)."},
    OptionField{"centers", &NadarayaWatsonOptions::centers, anything(),
                "Given centres [x, y] on the scale of the data, used instead of the samples."},
    OptionField{"metric_rows", &NadarayaWatsonOptions::metric_rows, whole(2),
                "Of more centres than this, a random subset of this size chooses the widths."},
    OptionField{"merge_copies", &NadarayaWatsonOptions::merge_copies, anything(),
                "Rows that are equal in x and y leave together in the leave-one-out likelihood."},
    OptionField{"starts", &NadarayaWatsonOptions::starts, whole(1, most_runs),
                "Searches from different starting widths, of which the best is kept."},
    OptionField{"defensive_weight", &NadarayaWatsonOptions::defensive_weight, below(0, 1),
                "Share of a broad Gaussian, twice the spread of y, that keeps far points from ruining a log score."},
    OptionField{"standardize", &NadarayaWatsonOptions::standardize, anything(),
                "Bring every column to mean 0 and standard deviation 1 first; densities stay on your scale."},
    OptionField{"seed", &NadarayaWatsonOptions::seed, whole(0), "Seed of everything random: centres, subset, starts."},
};

struct NadarayaWatsonState {
  NwMetric metric;         ///< on the standardised scale
  double bandwidth_y = 0;  ///< standardised scale
  Matrix centers_x;        ///< d_x x b, standardised
  Matrix centers_y;        ///< d_y x b, standardised
  Vector weights;          ///< b, > 0
  Defensive defensive;
};

class NadarayaWatson final : public FittedModel<NadarayaWatson, NadarayaWatsonOptions, NadarayaWatsonState>,
                             public RanksInputs,
                             public WeighsTrainingRows,
                             public Reweighs {
 public:
  static constexpr std::string_view class_name = "NadarayaWatson";

  /// Learns the widths that are not given by maximal leave-one-out likelihood, or compares
  /// candidates by it. Throws std::invalid_argument for bad options or data, Cancelled.
  /// Cost: some 30 to 80 evaluations of NwLeaveOneOut on at most metric_rows rows.
  static NadarayaWatson fit(const Dataset& data, const NadarayaWatsonOptions& options = {}, const Run& run = {});

  const Vector& bandwidths() const { return state_.metric.widths; }  ///< d_x, standardised scale
  const Matrix& metric_matrix() const { return state_.metric.matrix; }
  Vector feature_importances() const override { return state_.metric.importances; }

  std::vector<RowWeights> row_weights(const MatrixView& x, const Dataset& training, Index most,
                                      const Run& run) const override;

  std::string_view model_name() const override { return "nw"; }

  /// The weights of the kernels, at rows: widths stay.
  bool can_reweigh() const override { return options_.centers.size() == 0; }
  Vector reweighted(const Dataset& rows, const Run& run) const override;
  std::unique_ptr<ConditionalDensity> with_numbers(const VectorView& numbers) const override;

 protected:
  GaussianMixtures laws(const MatrixView& x) const override;

 private:
  friend FittedModel;
  NadarayaWatson(NadarayaWatsonOptions options, NadarayaWatsonState state, Standardizer x_scale, Standardizer y_scale,
                 FitReport report);

  // Derived.
  Matrix mapped_centers_;  // T u_j as rows
  Vector log_weights_;
  std::shared_ptr<const GaussianComponents> components_;
  std::shared_ptr<const GriddedKernels> gridded_;  // of very many centres, or nothing
};

template <>
inline constexpr auto result_table<NadarayaWatson> = Fields{
    StateField{"metric", &NadarayaWatsonState::metric},
    ResultField{"bandwidths", &NadarayaWatson::bandwidths,
                "Gaussian width of every input, on the standardised scale (with a full metric: where it started).",
                line("n_inputs")},
    StateField{"bandwidth_y", &NadarayaWatsonState::bandwidth_y, "Gaussian width in y, on the standardised scale."}
        .positive(),
    ResultField{"metric_matrix", &NadarayaWatson::metric_matrix,
                "W of a full metric, on the standardised scale; empty otherwise.",
                as_written("n_directions", "n_inputs")},
    ResultField{"feature_importances", &NadarayaWatson::feature_importances,
                "Share of every input in the sum of 1 / bandwidth (standardised); 0: plays no part.",
                line("n_features")},
    StateField{"centers_x", &NadarayaWatsonState::centers_x, "Inputs of the centres, on the scale of the data.",
               items("n_centers", "n_inputs")}
        .on(Scale::x),
    StateField{"centers_y", &NadarayaWatsonState::centers_y, "Targets of the centres, on the scale of the data.",
               items("n_centers", "n_targets")}
        .on(Scale::y),
    StateField{"weights", &NadarayaWatsonState::weights, "", line("n_centers")}.positive(),
};

}  // namespace condens
