#include "condens/model/states.hpp"

#include <algorithm>
#include <numeric>

#include "condens/core/errors.hpp"
#include "linalg/normal_quantile.hpp"

namespace condens {

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

CoefficientIntervals coefficient_intervals(const HasStates& states, double confidence) {
  require(confidence > 0 && confidence < 1, "coefficient_intervals: confidence = ", confidence,
          ", expected a number in (0, 1)");
  const Matrix& errors = states.robust_standard_errors();
  if (errors.size() == 0) return {};
  const Matrix reach = normal_quantile(0.5 * (1 + confidence)) * errors;
  return {states.coefficients() - reach, states.coefficients() + reach};
}

}  // namespace condens
