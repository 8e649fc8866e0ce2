#include "condens/model/states.hpp"

#include <algorithm>
#include <numeric>

#include "condens/core/errors.hpp"
#include "linalg/assignment.hpp"
#include "linalg/normal_quantile.hpp"

namespace condens {

namespace {

/// Coefficients on one standardised scale as those on another, for the same scores.
Matrix coefficients_on(const Matrix& coefficients, const Standardizer& own, const Standardizer& scale) {
  Matrix out = coefficients;
  for (Index k = 0; k < scale.dimension(); ++k) {
    const auto slopes = coefficients.row(k + 1);
    if (own.is_constant(k)) continue;
    out.row(0) += (scale.mean()[k] - own.mean()[k]) / own.scale()[k] * slopes;
    out.row(k + 1) = scale.scale()[k] / own.scale()[k] * slopes;
  }
  return out;
}

/// For every state of `model` the one of `replicate` that stands for it.
std::vector<Index> matching_states(const HasStates& model, const HasStates& replicate) {
  Matrix at(model.state_inputs().rows(), model.state_inputs().cols() + model.state_representatives().cols());
  at << model.state_inputs(), model.state_representatives();
  const Matrix a = model.state_weights(at);
  const Matrix b = replicate.state_weights(at);
  Matrix cost(a.rows(), b.rows());
  for (Index j = 0; j < cost.rows(); ++j) {
    for (Index k = 0; k < cost.cols(); ++k) cost(j, k) = (a.row(j) - b.row(k)).squaredNorm();
  }
  return least_assignment(cost);
}

}  // namespace

Matrix state_distances(const HasStates& states, const MatrixView& x, const MatrixView& other) {
  const Matrix a = states.state_weights(x).colwise().normalized();
  const Matrix b = states.state_weights(other).colwise().normalized();
  return (1 - (a.transpose() * b).array()).max(0.0);  // rounding would leave equal rows a little below 0
}

StateFactors state_factors(const HasStates& states, const MatrixView& x) {
  const Matrix w = states.state_weights(x).transpose();
  return {w.colwise().normalized(), w.colwise().squaredNorm().transpose().cwiseQuotient(states.state_sizes())};
}

std::vector<std::vector<Index>> representative_rows(const HasStates& states, const MatrixView& x, Index count) {
  require(count >= 1 && count <= x.cols(), "representative_rows: count = ", count, ", expected 1 to the ", x.cols(),
          " rows");
  const Matrix w = states.state_weights(x);
  std::vector<std::vector<Index>> out;
  for (Index j = 0; j < w.rows(); ++j) {
    std::vector<Index> order(static_cast<std::size_t>(w.cols()));
    std::iota(order.begin(), order.end(), Index{0});
    std::partial_sort(order.begin(), order.begin() + count, order.end(),
                      [&](Index a, Index b) { return w(j, a) > w(j, b) || (w(j, a) == w(j, b) && a < b); });
    order.resize(static_cast<std::size_t>(count));
    out.push_back(std::move(order));
  }
  return out;
}

Matrix transition_matrix(const MatrixView& weights, Index steps) {
  const Index later = weights.cols() - steps;
  require(steps >= 1 && later >= 1, "transition_matrix: steps = ", steps, ", expected a whole number from 1 to ",
          weights.cols() - 1, " for ", weights.cols(), " rows");
  const Matrix pairs = weights.leftCols(later) * weights.rightCols(later).transpose();
  return pairs.rowwise().sum().cwiseInverse().asDiagonal() * pairs;
}

CoefficientIntervals coefficient_intervals(const HasStates& states, double confidence) {
  require(confidence > 0 && confidence < 1, "coefficient_intervals: confidence = ", confidence,
          ", expected a number in (0, 1)");
  const Matrix& errors = states.robust_standard_errors();
  if (errors.size() == 0) return {};
  const Matrix reach = normal_quantile(0.5 * (1 + confidence)) * errors;
  return {states.coefficients() - reach, states.coefficients() + reach};
}

BootstrapCoefficients coefficient_intervals(const ConditionalDensity& model, const Replicates& replicates,
                                            double confidence, BandMethod method) {
  const auto* states = capability<HasStates>(model);
  require(states != nullptr, "coefficient_intervals: ", model.model_name(),
          " has no states, expected a model with them");
  BootstrapCoefficients out;
  const Matrix& fitted = states->coefficients();
  if (fitted.size() == 0) return out;
  for (Index r = 0; r < replicates.size(); ++r) {
    const auto replicate = replicates.density(model, r);
    const auto* own = capability<HasStates>(*replicate);
    if (own == nullptr || own->n_states() != states->n_states() || own->coefficients().rows() != fitted.rows())
      continue;
    const Matrix moved = coefficients_on(own->coefficients(), replicate->x_scale(), model.x_scale());
    out.matched.emplace_back(moved(Eigen::all, matching_states(*states, *own)));
  }
  const Index count = std::ssize(out.matched);
  out.n_without = replicates.size() - count;
  check_bands(count, confidence, method);
  Matrix values(fitted.size(), count);
  for (Index r = 0; r < count; ++r) values.col(r) = out.matched[static_cast<std::size_t>(r)].reshaped();
  const Bands found = bands(fitted.reshaped(), values, confidence, method);
  const auto shaped = [&](const Vector& entries) { return Matrix(entries.reshaped(fitted.rows(), fitted.cols())); };
  out.intervals = {shaped(found.low), shaped(found.high)};
  out.standard_errors = shaped(found.standard_error);
  return out;
}

}  // namespace condens
