// Means, sizes and levels of states at given weights, and residuals that leave rows out.

#include <algorithm>
#include <limits>

#include "condens/core/errors.hpp"
#include "condens/estimators/press/objective.hpp"
#include "linalg/decompositions.hpp"
#include "state_sums.hpp"

namespace condens {

double PressStates::freedom() const { return squares.dot(press::inverse_sizes(sizes)); }

PressStates press_states(const Matrix& w, const MatrixView& y, const VectorView& weights) {
  require(w.cols() == y.cols() && weights.size() == y.cols(), "press_states: W has ", w.cols(), " rows, y ", y.cols(),
          " and weights ", weights.size(), ", expected as many");
  require(w.rows() > 0, "press_states: W has no states, expected at least one");
  PressStates out;
  const Matrix weighted = w * weights.asDiagonal();
  out.sizes = weighted.rowwise().sum();
  out.squares = weighted.cwiseProduct(w).rowwise().sum();
  out.means = y * weighted.transpose() * press::inverse_sizes(out.sizes).asDiagonal();
  // From the means along the directions that the data tell of: (W'AW) (b - m) = W'A (y - W m).
  const Matrix gram = weighted * w.transpose();
  const Matrix right = weighted * (y - out.means * w).transpose();
  out.levels = press::levels_from(out.means, gram, right);
  return out;
}

Vector press::entropy_of_weights(const Matrix& w) {
  return (w.array() > 0).select(-w.array() * w.array().max(1e-300).log2(), 0.0).colwise().sum().transpose();
}

Matrix press::levels_from(const Matrix& means, const Matrix& gram, const Matrix& right) {
  const SymmetricEigen eigen = symmetric_eigen(gram);
  const double least = 1e-10 * std::max(eigen.values.maxCoeff(), std::numeric_limits<double>::min());
  const Vector inverse = (eigen.values.array() > least).select(eigen.values.array().max(least).inverse(), 0.0);
  const Matrix move = eigen.vectors * inverse.asDiagonal() * (eigen.vectors.transpose() * right);
  return means + move.transpose();
}

Matrix press_loo_residuals(const Matrix& w, const MatrixView& y, const VectorView& weights, bool exact) {
  const PressStates states = press_states(w, y, weights);
  const Vector inverse = press::inverse_sizes(states.sizes);
  Matrix out = y - states.means * w;
  for (Index i = 0; i < y.cols(); ++i) {
    const double leaves = std::min(1.0, weights[i]);
    const Vector left = 1 - leaves * w.col(i).array() * inverse.array();
    if (exact) {
      const Vector share = (w.col(i).array() > 0).select(w.col(i).cwiseQuotient(left.cwiseMax(0.0)), 0.0);
      out.col(i) = ((-states.means).colwise() + y.col(i)) * share;
    } else {
      out.col(i) /= std::max(0.0, w.col(i).dot(left));  // 1 - s_i = sum_j W_ji (1 - l_i W_ji / sigma_j)
    }
  }
  return out;
}

}  // namespace condens
