#include "rounds.hpp"

#include <algorithm>
#include <cmath>

namespace condens::boosting {

namespace {

constexpr double still_falls = 0.1;  // nats by which the score falls while rounds times learning rate grow by one:
                                     // before it is slower, m and s are not there yet, and no mixture is fitted
constexpr int first_steps = 50;      // of expectation maximisation
constexpr int steps_between = 5;
constexpr int last_steps = 100;
constexpr double least_information = 0.1;
constexpr double longest_step = 2;  // of log s
constexpr double most_loss = 1e100;

/// The rounds of all models, and between them the distribution of what they leave.
class Booster {
 public:
  Booster(Models& models, const Vector& log_scale, bool folds, const BoostOptions& options, Task& task)
      : models_(models),
        folds_(folds),
        options_(options),
        task_(task),
        information_(static_cast<std::size_t>(models.n_targets())),
        first_log_scale_(log_scale) {
    const bool mixture = options.likelihood == BoostLikelihood::mixture;
    residuals_ = mixture ? Residuals::heavy_tails(models.n_targets(), options.n_components)
                         : Residuals::standard_normal(models.n_targets());
    if (mixture) measure_information(models.some_left_over());
  }

  Boosted boost() {
    Boosted out;
    const bool mixture = options_.likelihood == BoostLikelihood::mixture;
    double best = infinity;
    bool fitted_mixture = false;
    Matrix left_over;  // by the best rounds
    for (Index done = 0; done < options_.n_rounds;) {
      const Index more = std::min(rounds_between, options_.n_rounds - done);
      models_.rounds(done, more, residuals_, information_);
      done += more;
      task_.advance(static_cast<double>(more));
      task_.poll();
      if (mixture && (renewed_ || !still_falls_fast(out.checkpoints))) renew();
      out.checkpoints.push_back(models_.look(done, residuals_));
      const double score = out.checkpoints.back().score;
      if (score < best || !folds_ || out.rounds == 0) {
        best = score;
        out.rounds = done;
        out.residuals = residuals_;
        out.first_log_scale = first_log_scale_;
        fitted_mixture = renewed_;
        left_over = models_.some_left_over();
        models_.keep();
      }
      if (done - out.rounds >= options_.patience) break;
    }
    finish(left_over, fitted_mixture, out);
    return out;
  }

 private:
  bool still_falls_fast(const std::vector<Checkpoint>& seen) const {
    if (seen.size() < 2) return true;
    const Checkpoint& before = seen[seen.size() - 2];
    const Checkpoint& now = seen.back();
    const double way = static_cast<double>(now.rounds - before.rounds) * options_.learning_rate;
    return before.score - now.score > still_falls * way;
  }

  void renew() {
    const Matrix e = models_.some_left_over();
    if (!renewed_) residuals_ = Residuals::around(e, options_.n_components);
    residuals_.renew(e, models_.weights_of_some(), renewed_ ? steps_between : first_steps);
    renewed_ = true;
    normalize();
    measure_information(models_.some_left_over());
  }

  /// Rows of the fit seem closer to m than others are: s would shrink and g widen without end. So the size of g is
  /// moved to s, which changes no density.
  void normalize() {
    const Vector offset = residuals_.log_sizes();
    residuals_.means.array().colwise() *= (-offset).array().exp();
    residuals_.scales.array().colwise() *= (-offset).array().exp();
    first_log_scale_ += offset;
    models_.add_to_log_scale(offset);
  }

  /// Means over rows: without a bound a distribution far from theirs would ask for endless steps.
  void measure_information(const Matrix& e) {
    const Vector& weights = models_.weights_of_some();
    for (Index t = 0; t < e.rows(); ++t) {
      const Vector psi = residuals_.score(e, t);
      const Vector of_scale = psi.array() * e.row(t).transpose().array() - 1;
      information_[static_cast<std::size_t>(t)] = {
          std::max(least_information, weights.dot(psi.cwiseAbs2()) / weights.sum()),
          std::max(least_information, weights.dot(of_scale.cwiseAbs2()) / weights.sum())};
    }
  }

  /// The distribution of what is left by the rounds that are used. A Gaussian of all rows stays as it is.
  void finish(const Matrix& left_over, bool fitted_mixture, Boosted& out) {
    const bool mixture = options_.likelihood == BoostLikelihood::mixture;
    const Index trees_of_target = mixture ? 1 : 2;  // of a round
    for (Index round = 0; round < out.rounds; ++round) {
      for (Index k = 0; k < models_.n_targets() * trees_of_target; ++k) out.targets.push_back(k / trees_of_target);
    }
    out.trees = models_.take_trees();
    for (std::vector<GrownTree>& own : out.trees) own.resize(out.targets.size());
    if (!mixture && !folds_) return;
    if (!fitted_mixture) out.residuals = Residuals::around(left_over, options_.n_components);
    out.residuals.renew(left_over, models_.weights_of_some(), last_steps);
  }

  Models& models_;
  bool folds_;
  const BoostOptions& options_;
  Task& task_;
  Residuals residuals_;
  std::vector<Information> information_;
  Vector first_log_scale_;  // before the first round
  bool renewed_ = false;
};

}  // namespace

Vector sums_of_losses(const Vector& weights, const Vector& losses) {
  Vector out = Vector::Zero(5);
  for (Index i = 0; i < losses.size(); ++i) {
    const double loss = losses[i] < most_loss ? losses[i] : most_loss;  // no number is none either
    const double weighted = weights[i] * loss;
    out += Vector{{weights[i], weighted, weights[i] * weights[i], weights[i] * weighted, weighted * weighted}};
  }
  return out;
}

Checkpoint Checkpoint::of(Index rounds, const Vector& sums) {
  const double mean = sums[1] / sums[0];
  // sum of v^2 (l - mean)^2
  const double square = sums[4] - 2 * mean * sums[3] + mean * mean * sums[2];
  return {rounds, mean, std::sqrt(std::max(0.0, square)) / sums[0]};
}

void shrink(GrownTree& tree, double learning_rate) {
  for (std::array<double, 2>& own : tree.steps) {
    own[0] *= learning_rate;
    own[1] = learning_rate * std::clamp(own[1], -longest_step, longest_step);
  }
}

Boosted boost(Models& models, const Vector& log_scale, bool folds, const BoostOptions& options, Task& task) {
  return Booster(models, log_scale, folds, options, task).boost();
}

}  // namespace condens::boosting
