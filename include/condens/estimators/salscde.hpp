#pragma once
// SA-LSCDE: sparse additive conditional density estimation selects the inputs, least-squares
// conditional density estimation models the law of y given those, interactions included.
//
// Source: M. Shiga, V. Tangkaratt and M. Sugiyama, Direct conditional probability density
// estimation with sparse feature selection, Machine Learning 100, 2015, section 3.1. What it
// leaves open is read so: the second stage chooses its own widths and regularisation; an input
// is selected where its group of coefficients is not zero; random centres are the same samples
// in both stages, by the same seed; when nothing is selected, the second stage has no inputs.

#include <memory>
#include <string_view>
#include <vector>

#include "condens/core/options.hpp"
#include "condens/estimators/lscde.hpp"
#include "condens/estimators/sacde.hpp"
#include "condens/model/results.hpp"
#include "condens/model/scoring.hpp"
#include "condens/model/subset_density.hpp"

namespace condens {

/// The defaults are our recommendation; `paper()` is the paper's procedure.
struct SalscdeOptions {
  SacdeOptions selection = {};
  LscdeOptions options = {};
  Scoring scoring = Scoring::nll;
  std::vector<double> cv = {5};
  Index seed = 0;

  /// Both stages as in their papers, on the grid of SA-CDE.
  static SalscdeOptions paper();
};

template <>
inline constexpr auto option_table<SalscdeOptions> = Fields{
    OptionField{"selection", &SalscdeOptions::selection, anything(),
                "Options of the selection: those of sacde, but for the three below."},
    OptionField{"options", &SalscdeOptions::options, anything(),
                "Options of the model of the selected inputs: those of lscde, but for the three below."},
    OptionField{"scoring", &SalscdeOptions::scoring, anything(),
                "Score of cross-validation: negative log-likelihood, or squared error of the density."},
    OptionField{"cv", &SalscdeOptions::cv, whole(0), "Number of folds (at least 2), or the fold number of every row."},
    OptionField{"seed", &SalscdeOptions::seed, whole(0), "Seed of everything random: centres, folds, half-samples."},
};

class Salscde final : public SubsetDensity {
 public:
  /// Throws what the two stages throw: std::invalid_argument, NumericalError, Cancelled.
  static Salscde fit(const Dataset& data, const SalscdeOptions& options = {}, const Run& run = {});

  const Vector& feature_importances() const { return importances_; }  ///< per row of x, of the selection
  const Vector& stability() const { return stability_; }              ///< per row of x; empty unless asked for

  /// Of the second stage.
  double bandwidth() const { return lscde_->bandwidth(); }
  double bandwidth_y() const { return lscde_->bandwidth_y(); }
  double regularization() const { return lscde_->regularization(); }
  const Vector& coefficients() const { return lscde_->coefficients(); }
  Matrix centers_x() const { return lscde_->centers_x(); }  ///< selected rows x b, scale of the data
  Matrix centers_y() const { return lscde_->centers_y(); }  ///< d_y x b, scale of the data

  std::string_view model_name() const override { return "salscde"; }
  Document options() const override { return options_to_document(options_); }
  Document to_document() const override;
  static Salscde from_document(const Document& document);

 private:
  Salscde(SalscdeOptions options, Vector importances, Vector stability, std::vector<Index> rows,
          const std::shared_ptr<const Lscde>& lscde, FitReport report);

  SalscdeOptions options_;
  Vector importances_;
  Vector stability_;
  std::shared_ptr<const Lscde> lscde_;
};

template <>
inline constexpr auto result_table<Salscde> = Fields{
    ResultField{"support", &Salscde::support, "1 for every column of x whose input is selected, else 0.",
                line("n_features")},
    ResultField{"feature_importances", &Salscde::feature_importances,
                "Norm of every input's coefficients in the selection, as a share of their sum.", line("n_features")},
    ResultField{"stability", &Salscde::stability,
                "Share of half-samples in which a column's input is selected (empty unless asked for).",
                line("n_features")},
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
