#pragma once
// The example of docs/extending.md: nearest neighbours as a conditional density. Given x, y is distributed as the y of
// the k nearest samples, each with a Gaussian around it.
//
// Source: C. J. Stone, Consistent nonparametric regression, Annals of Statistics 5(4), 1977, section 2: weights 1/k on
// the k nearest neighbours; a Gaussian in y makes a density of them.
//
//   p(y|x) = sum_i w_i(x) N(y; y_i, s^2 I) / sum_i w_i(x),   w_i(x) = w_i if |x_i - x| <= r_k(x), else 0,
//
// with r_k(x) the smallest radius within which the rows weigh k or more: rows at the same distance enter together, and
// a row of weight 2 is two rows.
//
//   source    here
//   k         n_neighbors
//   s         bandwidth_y, standardised scale
//   w_i       weights

#include <memory>
#include <string_view>
#include <vector>

#include "condens/core/options.hpp"
#include "condens/data/dataset.hpp"
#include "condens/model/fitted_model.hpp"

namespace condens {

/// The defaults are our recommendation; `paper()` is the paper's procedure.
struct KnnOptions {
  std::vector<double> n_neighbors = {5, 10, 20, 40};
  std::vector<double> bandwidth_y = {0.1, 0.2, 0.4, 0.8};
  double defensive_weight = 1e-3;
  std::vector<double> cv = {5};
  bool standardize = true;
  Index seed = 0;

  /// One k, and no broad Gaussian.
  static KnnOptions paper();
};

template <>
inline constexpr auto option_table<KnnOptions> = Fields{
    OptionField{"n_neighbors", &KnnOptions::n_neighbors, filled(distinct(whole(1))),
                "Number of nearest samples: one number, or candidates for cross-validation."},
    OptionField{"bandwidth_y", &KnnOptions::bandwidth_y, filled(distinct(positive())),
                "Gaussian width in y, on the standardised scale: one number, or candidates."},
    OptionField{"defensive_weight", &KnnOptions::defensive_weight, below(0, 1),
                "Share of a broad Gaussian, twice the spread of y, that keeps far points from ruining a log score."},
    folds_field(&KnnOptions::cv),
    OptionField{"standardize", &KnnOptions::standardize, anything(),
                "Bring every column to mean 0 and standard deviation 1 first; densities stay on your scale."},
    OptionField{"seed", &KnnOptions::seed, whole(0), "Seed of everything random: folds."},
};

struct KnnState {
  double n_neighbors = 0;
  double bandwidth_y = 0;  ///< standardised scale
  Matrix x = {};           ///< d_x x n, standardised
  Matrix y = {};           ///< d_y x n, standardised
  Vector weights = {};     ///< n, > 0
  Defensive defensive = {};
};

class Knn final : public FittedModel<Knn, KnnOptions, KnnState> {
 public:
  static constexpr std::string_view class_name = "NearestNeighbors";

  /// Chooses n_neighbors and bandwidth_y by cross-validation when several are given. Throws std::invalid_argument for
  /// bad options or data, Cancelled. Cost: n^2 distances; a prediction n.
  static Knn fit(const Dataset& data, const KnnOptions& options = {}, const Run& run = {});

  std::string_view model_name() const override { return "knn"; }

 protected:
  GaussianMixtures laws(const MatrixView& x) const override;

 private:
  friend FittedModel;
  Knn(KnnOptions options, KnnState state, Standardizer x_scale, Standardizer y_scale, FitReport report);

  std::shared_ptr<const GaussianComponents> components_;  // derived
};

template <>
inline constexpr auto result_table<Knn> = Fields{
    StateField{"n_neighbors", &KnnState::n_neighbors, "Number of neighbours that was used."}.positive(),
    StateField{"bandwidth_y", &KnnState::bandwidth_y, "Gaussian width in y that was used, on the standardised scale."}
        .positive(),
    StateField{"x", &KnnState::x, "Inputs of the samples, on the scale of the data.", items("n_samples", "n_inputs")}
        .on(Scale::x)
        .as("samples_x"),
    StateField{"y", &KnnState::y, "Targets of the samples, on the scale of the data.", items("n_samples", "n_targets")}
        .on(Scale::y)
        .as("samples_y"),
    StateField{"weights", &KnnState::weights, "", line("n_samples")}.positive(),
};

}  // namespace condens
