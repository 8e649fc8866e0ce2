#pragma once
// Which rows of the training data made a distribution, also behind a selection or projection of the inputs, of targets
// that are not any real number, and where rows were left out for intervals with a guarantee.

#include "condens/model/conformal.hpp"
#include "condens/model/row_weights.hpp"
#include "condens/model/target_kind.hpp"

namespace condens {

/// The `most` heaviest rows of `training`, the data of the fit in their order, at every column of x (n_inputs x n).
/// Of a target with atoms the weights are those of the part beside the atoms. `conformal` of a model that has it.
/// Throws std::invalid_argument for a model that is not made of training rows, most < 1, and data that are not those
/// of the fit.
std::vector<RowWeights> training_row_weights(const ConditionalDensity& density, const TargetDecoder* kind,
                                             const Conformal* conformal, const MatrixView& x, const Dataset& training,
                                             Index most, const Run& run = {});

}  // namespace condens
