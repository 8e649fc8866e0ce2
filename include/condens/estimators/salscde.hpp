#pragma once
// SA-LSCDE: sparse additive conditional density estimation selects the inputs, least-squares
// conditional density estimation models the law of y given those, interactions included.
//
// Source: M. Shiga, V. Tangkaratt and M. Sugiyama, Direct conditional probability density
// estimation with sparse feature selection, Machine Learning 100, 2015, section 3.1. What it
// leaves open is read so: the second stage chooses its own widths and regularisation; an input
// is selected where its group of coefficients is not zero; random centres are the same samples
// in both stages, by the same seed; when nothing is selected, the second stage has no inputs.

#include <array>
#include <memory>
#include <string_view>
#include <vector>

#include "condens/core/options.hpp"
#include "condens/estimators/lscde.hpp"
#include "condens/estimators/sacde.hpp"
#include "condens/model/capabilities.hpp"
#include "condens/model/fitted_model.hpp"
#include "condens/model/scoring.hpp"
#include "condens/model/subset_density.hpp"

namespace condens {

enum class SelectionStart { additive, empty };
template <>
inline constexpr auto choice_names<SelectionStart> = std::array<std::string_view, 2>{"additive", "empty"};

/// The defaults are our recommendation; `paper()` is the paper's procedure.
struct SalscdeOptions {
  SelectionStart start = SelectionStart::additive;
  SacdeOptions selection = {};
  LscdeOptions options = {};
  double least_norm = 0;
  double residual_level = 0;
  Scoring scoring = Scoring::nll;
  std::vector<double> cv = {5};
  Index seed = 0;

  /// Both stages as in their papers, on the grid of SA-CDE.
  static SalscdeOptions paper();

  /// Where inputs enter by tests alone and no level is given, it is 0.05.
  void give_way(const Document& given) {
    if (start == SelectionStart::empty && given.find("residual_level") == nullptr) residual_level = 0.05;
  }
};

template <>
inline constexpr auto option_table<SalscdeOptions> = Fields{
    OptionField{"start", &SalscdeOptions::start, anything(),
                "What selects first: the additive model, or nothing: then inputs enter by residual_level alone."},
    OptionField{"selection", &SalscdeOptions::selection, anything(),
                "Options of the selection: those of sacde, but for the three below."},
    OptionField{"options", &SalscdeOptions::options, anything(),
                "Options of the model of the selected inputs: those of lscde, but for the three below."},
    OptionField{"least_norm", &SalscdeOptions::least_norm, below(0, 1),
                "Take the inputs whose coefficients in the selection have a norm above this share of the largest."},
    OptionField{"residual_level", &SalscdeOptions::residual_level, below(0, 1),
                "Add inputs on which held-out residuals of the model depend, by rank tests of location and spread at "
                "this family-wise level each time, and fit again (0: none; not given with start=empty: 0.05)."},
    OptionField{"scoring", &SalscdeOptions::scoring, anything(),
                "Score of cross-validation: negative log-likelihood, or squared error of the density."},
    folds_field(&SalscdeOptions::cv),
    OptionField{"seed", &SalscdeOptions::seed, whole(0), "Seed of everything random: centres, folds, half-samples."},
};

/// Of the additive selection, for each row of x; zeros without it.
struct SalscdeState {
  Vector feature_importances;
  Vector stability;  ///< empty unless asked for
};

class Salscde final : public FittedWrapper<Salscde, SalscdeOptions, SalscdeState, SubsetDensity>,
                      public RanksInputs,
                      public LearnsFromUnlabeled {
 public:
  static constexpr std::string_view class_name = "SALSCDE";

  /// Throws what the two stages throw: std::invalid_argument, NumericalError, Cancelled. Cost of the residuals: ten
  /// fits of the second stage with its widths given, and a test for every input, as often as inputs are added, and
  /// once.
  static Salscde fit(const Dataset& data, const SalscdeOptions& options = {}, const Run& run = {});

  /// The second stage alone, after a first one that stands: `selection` is of the same inputs and targets. Of
  /// options.selection only the groups are read, which are to be those of the selection.
  static Salscde fit(const Sacde& selection, const Dataset& data, const SalscdeOptions& options = {},
                     const Run& run = {});

  /// Of rows that are elsewhere, by the sums of both stages; without tests of the residuals.
  static Salscde fit(RowSums& table, const SalscdeOptions& options = {}, const Run& run = {});

  Vector feature_importances() const override {
    return state_.feature_importances;
  }                                                               ///< per row of x, of the selection
  Vector stability() const override { return state_.stability; }  ///< per row of x; empty unless asked for

  /// The second stage.
  const Lscde& density() const { return *lscde_; }
  double bandwidth() const { return lscde_->state().bandwidth; }
  double bandwidth_y() const { return lscde_->state().bandwidth_y; }
  double regularization() const { return lscde_->state().regularization; }
  const Vector& coefficients() const { return lscde_->state().coefficients; }
  /// Selected rows x b and d_y x b, scale of the data.
  Matrix centers_x() const { return lscde_->x_scale().inverse_transform(lscde_->state().centers_x); }
  Matrix centers_y() const { return lscde_->y_scale().inverse_transform(lscde_->state().centers_y); }

  std::string_view model_name() const override { return "salscde"; }

 private:
  friend FittedWrapper;
  struct Stages;
  /// `selection`: none where nothing selects first.
  static Salscde fit_on(const Sacde* selection, const Dataset& data, const SalscdeOptions& options, const Run& run);
  /// Throws FormatError where the model inside is no LSCDE.
  Salscde(SalscdeOptions options, SalscdeState state, Parts parts, FitReport report);

  const Lscde* lscde_;  // the model inside
};

template <>
inline constexpr auto result_table<Salscde> = Fields{
    ResultField{"support", &Salscde::support, "1 for every column of x whose input is selected, else 0.",
                line("n_features")},
    StateField{"feature_importances", &SalscdeState::feature_importances,
               "Norm of every input's coefficients in the selection, as a share of their sum.", line("n_features")},
    StateField{"stability", &SalscdeState::stability,
               "Share of half-samples in which a column's input is selected (empty unless asked for).",
               line("n_features")}
        .or_empty(),
    ResultField{"bandwidth", &Salscde::bandwidth, "Gaussian width in x that was used, on the standardised scale."},
    ResultField{"bandwidth_y", &Salscde::bandwidth_y, "Gaussian width in y that was used, on the standardised scale."},
    ResultField{"regularization", &Salscde::regularization, "Ridge penalty that was used."},
    ResultField{"kernel_weights", &Salscde::coefficients, "Coefficient alpha of the kernel at every centre, >= 0.",
                line("n_centers")},
    ResultField{"centers_x", &Salscde::centers_x, "Selected inputs of the centres, on the scale of the data.",
                items("n_centers", "n_selected")},
    ResultField{"centers_y", &Salscde::centers_y, "Targets of the centres, on the scale of the data.",
                items("n_centers", "n_targets")},
};

}  // namespace condens
