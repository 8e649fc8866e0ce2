#pragma once
// The Parzen window: a Gaussian at every sample of z = (x, y), and of y given x by conditioning,
//
//   p(z) = sum_j w_j N(z; z_j, diag(g)^2),
//
// one width for all columns or one for each, chosen by cross-validation (estimators/parzen/criterion.hpp).
//
// Source: E. Parzen, On estimation of a probability density function and mode, Ann. Math. Statist. 33, 1962, as
// used by S. Chen, X. Hong and C. J. Harris, Probability density estimation with tunable kernels using orthogonal
// forward regression, IEEE Trans. Syst. Man Cybern. B 40, 2010, eq. 10; its width "found via cross validation",
// here by the leave-one-out likelihood (errata D17).

#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "condens/core/options.hpp"
#include "condens/data/dataset.hpp"
#include "condens/estimators/parzen/window.hpp"
#include "condens/model/capabilities.hpp"
#include "condens/model/joint_density.hpp"
#include "condens/model/results.hpp"
#include "condens/model/row_sums.hpp"
#include "condens/model/row_weights.hpp"
#include "condens/model/scoring.hpp"

namespace condens {

enum class ParzenShapeChoice { isotropic, diagonal, automatic };
template <>
inline constexpr auto choice_names<ParzenShapeChoice> =
    std::array<std::string_view, 3>{"isotropic", "diagonal", "auto"};

/// The defaults are our recommendation; `paper()` is the paper's procedure.
struct ParzenOptions {
  ParzenShapeChoice shape = ParzenShapeChoice::automatic;
  std::vector<double> bandwidth = {};
  double bandwidth_floor = 0.01;
  Scoring scoring = Scoring::nll;
  std::vector<double> cv = {0};
  Index width_rows = 10'000;
  Index sketch_cells = 100'000;
  bool merge_copies = true;
  double defensive_weight = 1e-3;
  bool standardize = true;
  Index seed = 0;

  /// One width by the leave-one-out likelihood, no defensive component.
  static ParzenOptions paper();
};

template <>
inline constexpr auto option_table<ParzenOptions> = Fields{
    OptionField{"shape", &ParzenOptions::shape, anything(),
                "One width for all columns, one for each, or (auto) one for each where that raises the held-out "
                "likelihood by more than its standard error."},
    OptionField{"bandwidth", &ParzenOptions::bandwidth, positive(),
                "Gaussian width on the standardised scale: none (learned), one number, candidates (isotropic, auto), "
                "or one number for each column, inputs first (diagonal)."},
    OptionField{"bandwidth_floor", &ParzenOptions::bandwidth_floor, positive(),
                "Smallest width that is learned, in standard deviations: ties in a column would make it vanish."},
    OptionField{"scoring", &ParzenOptions::scoring, anything(),
                "Score of cross-validation: negative log-likelihood, or squared error of the density."},
    OptionField{"cv", &ParzenOptions::cv,
                filled(whole(0), "0 (leave one out), a number of folds, or one for every row"),
                "0 (leave one out), a number of folds, or the fold number of every row."},
    OptionField{"width_rows", &ParzenOptions::width_rows, whole(0),
                "Of more rows than this, a random subset of this size chooses the widths (0: all rows do)."},
    OptionField{
        "sketch_cells", &ParzenOptions::sketch_cells, whole(1),
        "Of a table that is elsewhere (Dask, Spark, files) and has more rows than this: at most so many kernels, "
        "of cells of neighbouring rows."},
    OptionField{"merge_copies", &ParzenOptions::merge_copies, anything(),
                "Rows that are equal in x and y are left out together by leave-one-out, and share one kernel."},
    OptionField{"defensive_weight", &ParzenOptions::defensive_weight, below(0, 1),
                "Share of a broad Gaussian, twice the spread of y, that keeps far points from ruining a log score."},
    OptionField{"standardize", &ParzenOptions::standardize, anything(),
                "Bring every column to mean 0 and standard deviation 1 first; densities stay on your scale."},
    OptionField{"seed", &ParzenOptions::seed, whole(0), "Seed of everything random: folds and subset."},
};

class Parzen final : public FittedJointDensity<Parzen, ParzenOptions, NoState>,
                     public WeighsTrainingRows,
                     public Reweighs {
 public:
  static constexpr std::string_view class_name = "Parzen";

  /// Learns the widths that are not given. Throws std::invalid_argument for bad options or data, Cancelled.
  static Parzen fit(const Dataset& data, const ParzenOptions& options = {}, const Run& run = {});

  /// The same of rows that are elsewhere: widths are learned on a sample of `width_rows` rows, and of more than
  /// `sketch_cells` rows the kernels sit at the means of cells of rows; the report bounds what that changes
  /// (estimators/parzen/sketch.hpp).
  static Parzen fit(RowSums& table, const ParzenOptions& options, const Run& run);
  static Document accumulate(const Document& pass, const Dataset& block, Index first_row, const Run& run);

  const Vector& bandwidths() const { return widths_; }  ///< d_x + d_y, standardised scale

  std::vector<RowWeights> row_weights(const MatrixView& x, const Dataset& training, Index most,
                                      const Run& run) const override;

  std::string_view model_name() const override { return "parzen"; }

  /// The weights of the kernels: widths stay.
  Vector reweighted(const Dataset& rows, const Run& run) const override;
  std::unique_ptr<ConditionalDensity> with_numbers(const VectorView& numbers) const override;

 protected:
  /// By the density of (x, y) over that of x, each of the kernels within reach, where there are many.
  Vector log_densities(const MatrixView& x, const MatrixView& y) const override;

 private:
  friend FittedJointDensity;
  Parzen(ParzenOptions options, NoState state, Parameters p, Standardizer x_scale, Standardizer y_scale,
         FitReport report);

  Vector widths_;
  std::optional<ParzenWindow> of_z_;  // where there are many kernels
  std::optional<ParzenWindow> of_x_;  // and inputs
};

template <>
inline constexpr auto result_table<Parzen> = Fields{
    ResultField{"bandwidths", &Parzen::bandwidths,
                "Gaussian width of every column, inputs first, on the standardised scale.", line("n_columns")},
    ResultField{"n_kernels", &Parzen::n_kernels, "Number of kernels: of rows that differ."},
    ResultField{"kernel_weights", &Parzen::kernel_weights, "Weights of the kernels, of sum one.", line("n_kernels")},
    ResultField{"kernel_means", &Parzen::kernel_means, "Where the kernels sit, on the scale of the data, inputs first.",
                items("n_kernels", "n_columns")},
    ResultField{"kernel_scales", &Parzen::kernel_scales,
                "Standard deviations of the kernels, on the scale of the data.", items("n_kernels", "n_columns")},
};

}  // namespace condens
