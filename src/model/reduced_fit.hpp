#pragma once
// What every reduction does around its own search for directions: standardise, choose how many
// directions by cross-validation, fit the inner model of z, and report.
//
// The report has n_components, and where they were chosen "candidates", their scores, and
// "dimensions", how far the subspaces of the folds are from that of all rows; below "density" what
// the inner model tells. Where inputs leave, "elimination" and "n_inputs_used".
//
// A candidate d is scored on rows held out from everything: for every fold, scale, directions
// and inner model come from the other rows. Directions that were found on the rows that score
// them would look better the more of them there are.

#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "condens/data/standardizer.hpp"
#include "inner_fits.hpp"
#include "input_elimination.hpp"

namespace condens::reduction {

/// The options that reductions share.
struct Settings {
  std::string_view owner;
  std::vector<double> n_components;  ///< empty: 1, ..., min(5, d_x)
  SelectionRule selection_rule;
  Scoring scoring;
  std::vector<double> cv;
  bool standardize;
  Index seed;
  bool sparse;       ///< inputs leave the directions as far as the held-out score allows (input_elimination.hpp)
  Document options;  ///< of the inner model
};

/// The search for directions.
struct Finder {
  /// For standardised rows (no two equal, with weights) and rising d < d_x, the rows of W_d, orthonormal: d of them, or
  /// fewer where there are no more. `scale` is what standardised the inputs.
  std::function<std::vector<Matrix>(const Dataset& rows, const std::vector<Index>& dimensions,
                                    const Standardizer& scale, const Run& run)>
      find;
  /// The same for one W of other rows or of some of the inputs, after `find` for all: from `start` on, with what led to
  /// the W in this place. Where a search is long and has many ends, this compares like with like. Empty: `find`.
  std::function<Matrix(const Dataset& rows, const Matrix& start, std::size_t place, const Run& run)> again = {};
  /// The basis that is shown of a subspace that `again` found. Empty: as it is.
  std::function<Matrix(const Dataset& rows, const Matrix& found, std::size_t place, const Run& run)> settle = {};
};

struct Reduction {
  Matrix components;
  Standardizer scale;
  std::shared_ptr<const ConditionalDensity> inner;
  std::size_t place;  ///< of W among the candidates, rising
  FitReport report;   ///< without that of the inner model
};

/// d >= d_x is the inner model of all inputs, and a warning says so. Throws what `inner` throws,
/// NumericalError where no candidate gives a density.
/// Cost: with K folds and D candidates K D + 1 fits of the inner model, K + 1 searches.
Reduction fit(const Dataset& data, const Settings& settings, const InnerModel& inner, const Finder& finder,
              const Run& run);

/// Both reports in one; `density` is ProjectedDensity::report_of the inner model.
FitReport with_density(FitReport reduction, const FitReport& density);

}  // namespace condens::reduction
