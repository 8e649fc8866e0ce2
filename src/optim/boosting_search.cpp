#include "boosting_search.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "condens/core/cancellation.hpp"
#include "condens/core/errors.hpp"
#include "condens/core/random.hpp"
#include "linalg/vector_math.hpp"

namespace condens {

namespace {

/// What each value counts, J^i / sum_j J^j, and its limits.
void normalize_values(const Vector& values, Vector& shares) {
  const double total = values.sum();
  if (total > 0 && std::isfinite(total)) {
    shares = values / total;
  } else if (total == 0) {
    shares.setConstant(1.0 / static_cast<double>(values.size()));
  } else {
    shares = values.array().isFinite().select(Vector::Zero(values.size()), 1.0);
    // A sum may overflow though no value is infinite.
    if (shares.sum() == 0) shares = values / values.maxCoeff();
    shares /= shares.sum();
  }
}

class Boosting {
 public:
  Boosting(const BatchObjective& objective, const Vector& lower, const Vector& upper, const BoostingSettings& settings,
           const std::function<void()>& poll)
      : objective_(objective),
        lower_(lower),
        upper_(upper),
        settings_(settings),
        poll_(poll),
        random_(settings.seed),
        points_(lower.size(), settings.population),
        values_(settings.population),
        delta_(settings.population),
        shares_(settings.population),
        factors_(settings.population),
        pair_(lower.size(), 2),
        pair_values_(2) {}

  BoostingResult run() {
    for (Index generation = 0; generation < settings_.generations; ++generation) {
      start_generation(generation);
      for (Index step = 0; step < settings_.iterations; ++step) {
        find_best_and_worst();
        boost();
        replace_worst();
      }
      if (!settings_.literal_best || settings_.iterations == 0) find_best_and_worst();
    }
    return {std::move(best_), best_value_, evaluations_, clipped_};
  }

 private:
  void start_generation(Index generation) {
    const Index first = generation > 0 ? 1 : 0;
    if (first > 0) {
      points_.col(0) = best_;
      values_[0] = best_value_;
    }
    for (Index i = first; i < points_.cols(); ++i) {
      for (Index k = 0; k < points_.rows(); ++k) {
        points_(k, i) = lower_[k] + random_.uniform() * (upper_[k] - lower_[k]);
      }
    }
    const Index fresh = points_.cols() - first;
    if (fresh > 0) evaluate(points_.rightCols(fresh), values_.tail(fresh));
    delta_.setConstant(1.0 / static_cast<double>(points_.cols()));
  }

  void evaluate(const MatrixView& points, const Eigen::Ref<Vector>& values) {
    if (poll_) poll_();
    check_cancelled();
    objective_(points, values);
    evaluations_ += points.cols();
    for (const double value : values) {
      if (!(value >= 0)) throw NumericalError(message("boosting_search: a value of ", value, ", expected >= 0"));
    }
  }

  void find_best_and_worst() {
    best_value_ = values_.minCoeff();
    best_ = points_.col(first_of(best_value_));
    worst_ = first_of(values_.maxCoeff());
  }

  Index first_of(double value) const { return std::find(values_.begin(), values_.end(), value) - values_.begin(); }

  /// Steps 1.3 to 1.5: delta_i mu^J_i for mu <= 1 and delta_i mu^(1 - J_i) otherwise, so that
  /// members of low value gain.
  void boost() {
    normalize_values(values_, shares_);
    const double xi = delta_.dot(shares_);
    const double mu = xi / (1 - xi);
    if (!(mu >= 0) || !std::isfinite(mu)) return;
    constexpr double least = 1e-300;  // in place of 0, whose powers 0^0 = 1 it keeps
    factors_ = shares_;
    if (mu > 1) factors_ = 1 - shares_.array();
    factors_ *= std::log(std::max(mu, least));
    exp_in_place(factors_.data(), factors_.size());
    delta_.array() *= factors_.array();
    delta_ /= delta_.sum();
  }

  /// Step 2. The better of mean and mirror image replaces the worst, even if it is worse still.
  void replace_worst() {
    pair_.col(0).noalias() = points_ * delta_;
    pair_.col(1) = 2 * best_ - pair_.col(0);
    if ((pair_.col(1).array() < lower_.array()).any() || (pair_.col(1).array() > upper_.array()).any()) ++clipped_;
    for (Index k = 0; k < 2; ++k) pair_.col(k) = pair_.col(k).cwiseMax(lower_).cwiseMin(upper_);
    evaluate(pair_, pair_values_);
    const Index better = pair_values_[1] < pair_values_[0] ? 1 : 0;
    points_.col(worst_) = pair_.col(better);
    values_[worst_] = pair_values_[better];
  }

  const BatchObjective& objective_;
  const Vector& lower_;
  const Vector& upper_;
  const BoostingSettings& settings_;
  const std::function<void()>& poll_;
  RandomStream random_;
  Matrix points_;
  Vector values_;
  Vector delta_;
  Vector shares_;
  Vector factors_;
  Matrix pair_;  // u_{P_S + 1}, u_{P_S + 2}
  Vector pair_values_;
  Vector best_;
  double best_value_ = 0;
  Index worst_ = 0;
  Index evaluations_ = 0;
  Index clipped_ = 0;
};

}  // namespace

Index boosting_evaluations(const BoostingSettings& settings) {
  return settings.generations * (settings.population + 2 * settings.iterations) - (settings.generations - 1);
}

BoostingResult boosting_search(const BatchObjective& objective, const Vector& lower, const Vector& upper,
                               const BoostingSettings& settings, const std::function<void()>& poll) {
  const Index d = lower.size();
  require(upper.size() == d, "boosting_search: ", d, " lower and ", upper.size(), " upper bounds, expected as many");
  for (Index k = 0; k < d; ++k) {
    require(std::isfinite(lower[k]) && std::isfinite(upper[k]) && lower[k] <= upper[k], "boosting_search: bounds ",
            k + 1, " are [", lower[k], ", ", upper[k], "], expected finite and in order");
  }
  require(settings.population >= 1, "boosting_search: population = ", settings.population, ", expected >= 1");
  require(settings.generations >= 1, "boosting_search: generations = ", settings.generations, ", expected >= 1");
  require(settings.iterations >= 0, "boosting_search: iterations = ", settings.iterations, ", expected >= 0");
  return Boosting(objective, lower, upper, settings, poll).run();
}

}  // namespace condens
