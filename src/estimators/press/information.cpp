#include "information.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "condens/data/folds.hpp"
#include "linalg/decompositions.hpp"

namespace condens::press {

namespace {

constexpr Index most_parameters = 300;
constexpr Index most_scores = 200;  // groups of rows: robust errors differ by some 5 % from those by rows

/// The gradient of the criterion for any weights of the rows.
class Gradient {
 public:
  Gradient(const Fitted& fitted, const Dataset& rows, const PressOptions& options, const WidthRules& rules,
           const Defensive& defensive, int threads)
      : map_(fitted.map),
        rows_(rows),
        criterion_(options.criterion),
        penalties_{
            .smoothness = options.smoothness, .smoothness_weight = options.smoothness_weight, .ridge = fitted.ridge},
        defensive_(defensive),
        threads_(threads) {
    if (criterion_ != PressCriterion::likelihood) return;
    widths_ = fitted.widths;
    nodes_ = nodes_for(rows.y, widths_, rules);
  }

  PressObjective objective(const Vector& weights) const {
    const Dataset rows{.x = rows_.x, .y = rows_.y, .weights = weights};
    if (criterion_ != PressCriterion::likelihood) return {rows, map_, criterion_, penalties_};
    return {rows, map_, nodes_, defensive_, penalties_};
  }
  PressEvaluation evaluate(const PressObjective& objective, const Vector& theta) const {
    return objective.evaluate(theta, widths_, threads_);
  }

 private:
  const PressMap& map_;
  const Dataset& rows_;
  PressCriterion criterion_;
  PressPenalties penalties_;
  const Defensive& defensive_;
  int threads_;
  Vector widths_ = {};
  std::vector<PressNodes> nodes_ = {};
};

Matrix hessian_of(const Gradient& gradient, const PressObjective& objective, const Vector& theta) {
  Matrix out(theta.size(), theta.size());
  for (Index k = 0; k < theta.size(); ++k) {
    const double step = 1e-5 * std::max(1.0, std::abs(theta[k]));
    Vector at = theta;
    at[k] += step;
    out.col(k) = gradient.evaluate(objective, at).gradient;
    at[k] -= 2 * step;
    out.col(k) -= gradient.evaluate(objective, at).gradient;
    out.col(k) /= 2 * step;
  }
  return 0.5 * (out + out.transpose());
}

/// Columns whose products s s' add up to sum_i a_i s_i s_i' or, of groups, have it for their expectation.
Matrix scores_of(const Gradient& gradient, const Vector& theta, const Dataset& rows, std::uint64_t seed) {
  constexpr double step = 1e-4;
  const Index n = rows.size();
  std::vector<Index> group(static_cast<std::size_t>(n));
  std::iota(group.begin(), group.end(), Index{0});
  if (n > most_scores) group = assign_folds(n, most_scores, seed);
  std::vector<std::vector<Index>> members(static_cast<std::size_t>(std::min(n, most_scores)));
  for (Index i = 0; i < n; ++i) members[static_cast<std::size_t>(group[static_cast<std::size_t>(i)])].push_back(i);
  const Vector at_fit = gradient.evaluate(gradient.objective(rows.weights), theta).gradient;
  Matrix out(theta.size(), std::ssize(members));
  for (Index g = 0; g < out.cols(); ++g) {
    Vector weights = rows.weights;
    for (const Index i : members[static_cast<std::size_t>(g)]) weights[i] += step * std::sqrt(weights[i]);
    out.col(g) = gradient.evaluate(gradient.objective(weights), theta).gradient - at_fit;
  }
  return rows.weights.sum() / step * out;
}

}  // namespace

CoefficientErrors coefficient_errors(const Fitted& fitted, const Dataset& rows, const PressOptions& options,
                                     const WidthRules& rules, const Defensive& defensive, int threads) {
  const Vector& theta = fitted.theta;
  const Index count = theta.size();
  const Index states = fitted.map.n_states();
  if (fitted.map.n_layers() > 1 || fitted.lasso > 0 || states == 1 || count > most_parameters) return {};
  const Gradient gradient(fitted, rows, options, rules, defensive, threads);
  const PressObjective objective = gradient.objective(rows.weights);
  const Matrix hessian = hessian_of(gradient, objective, theta);
  // Columns of theta that add up to zero over the states: theta - its mean over the states.
  const Index per_state = count / states;
  Matrix projection = Matrix::Identity(count, count);
  for (Index j = 0; j < states; ++j) {
    for (Index m = 0; m < states; ++m) {
      projection.block(j * per_state, m * per_state, per_state, per_state).diagonal().array() -=
          1.0 / static_cast<double>(states);
    }
  }
  const SymmetricEigen eigen = symmetric_eigen(projection * hessian * projection);
  const Vector& values = eigen.values;
  const double least = 1e-7 * values.cwiseAbs().maxCoeff();  // differences have some eight digits
  // One zero for every row of theta: the direction that moves all states alike.
  if (values.minCoeff() < -least || (values.array() <= least).count() != per_state) return {};
  const Vector inverse = (values.array() > least).select(values.array().max(least).inverse(), 0.0);

  const double total = rows.weights.sum();
  double information = total;
  if (options.criterion != PressCriterion::likelihood) {
    const double mse = gradient.evaluate(objective, theta).mse;
    information *= static_cast<double>(rows.y.rows()) / (2 * mse);
  }
  const auto seed = static_cast<std::uint64_t>(options.seed);
  const Matrix influence = eigen.vectors * inverse.asDiagonal() *
                           (eigen.vectors.transpose() * scores_of(gradient, theta, rows, seed)) / total;
  const auto errors = [&](const Vector& variance) -> Matrix {
    return variance.cwiseSqrt().reshaped(per_state, states);
  };
  return {errors(eigen.vectors.cwiseAbs2() * inverse / information), errors(influence.rowwise().squaredNorm())};
}

}  // namespace condens::press
