#include "information.hpp"

#include <algorithm>
#include <cmath>

#include "linalg/decompositions.hpp"

namespace condens::press {

namespace {

constexpr Index most_parameters = 300;

PressObjective objective_of(const Fitted& fitted, const Dataset& rows, const PressOptions& options,
                            const WidthRules& rules, const Defensive& defensive) {
  const PressPenalties penalties{
      .smoothness = options.smoothness, .smoothness_weight = options.smoothness_weight, .ridge = fitted.ridge};
  if (options.criterion != PressCriterion::likelihood) return {rows, fitted.map, options.criterion, penalties};
  return {rows, fitted.map, nodes_for(rows.y, fitted.widths, rules), defensive, penalties};
}

}  // namespace

Matrix standard_errors(const Fitted& fitted, const Dataset& rows, const PressOptions& options, const WidthRules& rules,
                       const Defensive& defensive, int threads) {
  const Index count = fitted.theta.size();
  const Index states = fitted.map.n_states();
  if (fitted.map.n_layers() > 1 || fitted.lasso > 0 || states == 1 || count > most_parameters) return {};
  const PressObjective objective = objective_of(fitted, rows, options, rules, defensive);
  const bool likelihood = options.criterion == PressCriterion::likelihood;
  const Vector widths = likelihood ? fitted.widths : Vector();
  Matrix hessian(count, count);
  for (Index k = 0; k < count; ++k) {
    const double step = 1e-5 * std::max(1.0, std::abs(fitted.theta[k]));
    Vector at = fitted.theta;
    at[k] += step;
    hessian.col(k) = objective.evaluate(at, widths, threads).gradient;
    at[k] -= 2 * step;
    hessian.col(k) -= objective.evaluate(at, widths, threads).gradient;
    hessian.col(k) /= 2 * step;
  }
  // Columns of theta that add up to zero over the states: theta - its mean over the states.
  const Index per_state = count / states;
  Matrix projection = Matrix::Identity(count, count);
  for (Index j = 0; j < states; ++j) {
    for (Index m = 0; m < states; ++m) {
      projection.block(j * per_state, m * per_state, per_state, per_state).diagonal().array() -=
          1.0 / static_cast<double>(states);
    }
  }
  const Matrix symmetric = 0.5 * (hessian + hessian.transpose());
  const SymmetricEigen eigen = symmetric_eigen(projection * symmetric * projection);
  const Vector& values = eigen.values;
  const double least = 1e-7 * values.cwiseAbs().maxCoeff();  // differences have some eight digits
  // One zero for every row of theta: the direction that moves all states alike.
  if (values.minCoeff() < -least || (values.array() <= least).count() != per_state) return {};
  const Vector inverse = (values.array() > least).select(values.array().max(least).inverse(), 0.0);
  const Vector variance = eigen.vectors.cwiseAbs2() * inverse;
  double information = rows.weights.sum();
  if (!likelihood) {
    const double mse = objective.evaluate(fitted.theta, widths, threads).mse;
    information *= static_cast<double>(rows.y.rows()) / (2 * mse);
  }
  return (variance / information).cwiseSqrt().reshaped(per_state, states);
}

}  // namespace condens::press
