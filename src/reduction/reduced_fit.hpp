#pragma once
// What every reduction does around its own search for directions: standardise, choose how many
// directions by cross-validation, fit the inner model of z, and report.
//
// A candidate d is scored on rows held out from everything: for every fold, scale, directions
// and inner model come from the other rows. Directions that were found on the rows that score
// them would look better the more of them there are.

#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "../models/inner_fits.hpp"
#include "condens/data/standardizer.hpp"

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
  Document options;  ///< of the inner model
};

/// For standardised rows, and rising d < d_x, the rows of W_d, orthonormal: d of them, or fewer
/// where there are no more.
using FindBases =
    std::function<std::vector<Matrix>(const Dataset& rows, const std::vector<Index>& dimensions, const Run& run)>;

struct Reduction {
  Matrix components;
  Standardizer scale;
  std::shared_ptr<const ConditionalDensity> inner;
  std::vector<std::string> warnings;  ///< about the components
  Document details;                   ///< n_components and, where they were chosen, "dimensions"
};

/// d >= d_x is the inner model of all inputs, and a warning says so. Throws what `inner` throws,
/// NumericalError where no candidate gives a density.
/// Cost: with K folds and D candidates K D + 1 fits of the inner model, K + 1 calls of `find`.
Reduction fit(const Dataset& data, const Settings& settings, const InnerModel& inner, const FindBases& find,
              const Run& run);

/// The report of the inner model (ProjectedDensity::report_of), with what the reduction adds.
FitReport with_reduction(FitReport report, const Reduction& reduction);

}  // namespace condens::reduction
