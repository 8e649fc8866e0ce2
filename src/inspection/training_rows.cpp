#include "condens/inspection/training_rows.hpp"

#include <algorithm>

#include "condens/core/errors.hpp"
#include "condens/core/random.hpp"
#include "condens/inspection/functional.hpp"
#include "condens/model/capabilities.hpp"
#include "condens/model/projected_density.hpp"
#include "condens/model/subset_density.hpp"
#include "model/calibration_rows.hpp"
#include "model/target_codes.hpp"

namespace condens {

namespace {

constexpr const char* row_weights_name = "training_row_weights";

/// By the model, or by the one inside of a selection or a projection of the inputs.
std::vector<RowWeights> weights_by(const ConditionalDensity& model, const MatrixView& x, const Dataset& training,
                                   Index most, const Run& run) {
  if (const auto* rows = capability<WeighsTrainingRows>(model)) return rows->row_weights(x, training, most, run);
  if (const auto* subset = capability<SubsetDensity>(model)) {
    const Matrix inside = x(subset->rows(), Eigen::all);
    return weights_by(subset->inner(), inside, select_inputs(training, subset->rows()), most, run);
  }
  if (const auto* projected = capability<ProjectedDensity>(model)) {
    const Dataset inside = project_inputs(training, projected->components(), projected->x_scale());
    return weights_by(projected->inner(), projected->transform(x), inside, most, run);
  }
  throw std::invalid_argument(message(row_weights_name, ": ", model.model_name(),
                                      " is not made of training rows, expected one of nw, ekde, rkde, parzen, forest, ",
                                      "or a selection or projection of inputs around one of them"));
}

std::uint64_t seed_of_fit(const ConditionalDensity& density) {
  const Document options = density.options();
  const Document* seed = options.find("seed");
  return static_cast<std::uint64_t>(seed == nullptr ? 0 : seed->as_integer());
}

}  // namespace

std::vector<RowWeights> training_row_weights(const ConditionalDensity& density, const TargetDecoder* kind,
                                             const Conformal* conformal, const MatrixView& x, const Dataset& training,
                                             Index most, const Run& run) {
  Inspected{density, kind}.check(row_weights_name, x);
  require(
      density.calibration() == nullptr, row_weights_name,
      ": calibrated distributions are no weighted training rows, expected a model that was fitted without calibrate");
  require(x.allFinite(), row_weights_name, ": x has a number that is not finite");
  require(most >= 1, row_weights_name, ": most = ", most, ", expected at least 1");
  training.check(row_weights_name);
  require(training.x.rows() == density.n_inputs() && training.y.rows() == density.n_targets(), row_weights_name,
          ": the training data have ", training.x.rows(), " inputs and ", training.y.rows(), " targets, expected ",
          density.n_inputs(), " and ", density.n_targets(), " as in the fit");
  const std::uint64_t seed = seed_of_fit(density);
  std::vector<Index> numbers(static_cast<std::size_t>(training.size()));
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<Index>(i);
  const bool left_out = conformal != nullptr && conformal->n_left_out() > 0;
  if (left_out) {
    require(conformal->n_rows() < training.size(), row_weights_name, ": ", training.size(), " training rows, ",
            conformal->n_rows(), " of which were left out for intervals, expected more");
    numbers = calibration_rows(training.size(), conformal->n_rows(), seed).fitted;
  }
  Dataset fitted = left_out ? training.subset(numbers) : training;
  if (kind != nullptr) {
    Matrix codes(1, fitted.size());
    std::vector<Index> rest;
    for (Index i = 0; i < fitted.size(); ++i) {
      if (kind->support().atom_at(fitted.y(0, i)) >= 0) continue;
      codes(0, i) = code_of_value(kind->support(), fitted.y(0, i), seed, i);
      rest.push_back(i);
    }
    require(!rest.empty(), row_weights_name, ": every target of the training data is an atom, expected others too");
    Matrix coded = codes(Eigen::all, rest);
    if (std::ssize(rest) < fitted.size()) fitted = fitted.subset(rest);
    fitted.y = std::move(coded);
    std::vector<Index> kept;
    for (const Index i : rest) kept.push_back(numbers[static_cast<std::size_t>(i)]);
    numbers = std::move(kept);
  }
  std::vector<RowWeights> out = weights_by(density, x, fitted, most, run);
  for (RowWeights& own : out) {
    for (Index& row : own.rows) row = numbers[static_cast<std::size_t>(row)];
  }
  return out;
}

}  // namespace condens
