#pragma once
// Survival functions P(Y > t | x) of a conditional density, beside what rows say of them without a model.

#include <string>

#include "condens/core/run.hpp"
#include "condens/data/censoring.hpp"
#include "condens/data/dataset.hpp"
#include "condens/model/conditional_density.hpp"
#include "condens/model/target_kind.hpp"
#include "condens/plot/figures.hpp"

namespace condens::plot {

struct SurvivalOptions {
  std::string target = "y";
  const TargetDecoder* kind = nullptr;  ///< of a target that is not any real number
  Vector at = {};                       ///< inputs of one more curve; empty: none
  std::string at_name = {};             ///< what they are, in the legend
  BandOptions bands = {};               ///< around every curve of the model
};

/// The mean over all rows of P(Y > t | x_i) beside the Kaplan-Meier curve of the rows (of rows that are left or
/// interval censored, Turnbull's): they agree where the model is right on average. Three rows, which a tenth, half and
/// nine tenths of the predicted medians do not exceed, have curves of their own, unless `at` is given. Of more than
/// 2,000 rows, with bands 500, the mean takes every k-th. `rows` may be empty: every y of the data is exact. Throws
/// std::invalid_argument for data that do not fit the model, and for several targets.
std::string survival_curves(const ConditionalDensity& model, const Dataset& data, const Censoring& rows,
                            const SurvivalOptions& options = {}, const Run& run = {});

}  // namespace condens::plot
