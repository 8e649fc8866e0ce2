#include "search.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "condens/core/random.hpp"
#include "condens/data/standardizer.hpp"
#include "data/splits.hpp"
#include "early_stop.hpp"
#include "optim/owlqn.hpp"
#include "starts.hpp"

namespace condens::press {

namespace {

constexpr Index batch_growth = 4;
constexpr Index race_steps = 30;     // of every start, before the best goes on
constexpr int most_node_rounds = 3;  // with finer nodes, where widths came out narrower
constexpr double node_margin = 0.5;  // nodes allow for widths down to this share
constexpr Index least_rows_to_hold_out = 5;

}  // namespace

Search::Search(const Dataset& rows, const PressOptions& options, const WidthRules& rules, const Defensive& defensive,
               int threads, std::function<void()> poll, Precision precision)
    : options_(options),
      rules_(rules),
      defensive_(defensive),
      threads_(threads),
      poll_(std::move(poll)),
      precision_(precision),
      rows_(rows) {
  const bool holds_out = options.holdout > 0 && rows.size() >= least_rows_to_hold_out;
  if (holds_out) hold_out(rows);
  packed_ = pack_inputs(rows_.x, threads);
  if (options.batch_size > 0 && rows_.size() >= 2 * options.batch_size) {
    const Index fourth = options.optimizer == PressOptimizer::lbfgs ? rows_.size() / batch_growth : Index{0};
    const std::vector<Index> some = random_rows(rows_.size(), std::max(options.batch_size, fourth),
                                                RandomStream(static_cast<std::uint64_t>(options_.seed), 2));
    batch_ = std::make_unique<const Search>(rows_.subset(some), options, rules, defensive, threads, poll_, precision);
  }
}

void Search::hold_out(const Dataset& rows) {
  std::vector<Index> order = RandomStream(static_cast<std::uint64_t>(options_.seed), 1).permutation(rows.size());
  const auto count = static_cast<Index>(std::llround(options_.holdout * static_cast<double>(rows.size())));
  const auto cut = order.begin() + std::clamp<Index>(count, 1, rows.size() - 2);
  rows_ = rows.subset({cut, order.end()});
  held_out_ = rows.subset({order.begin(), cut});
}

std::vector<Vector> Search::starts(const PressMap& map, const Fitted* smaller) const {
  const auto seed = static_cast<std::uint64_t>(options_.seed);
  const Index states = map.n_states();
  if (states == 1) return {Vector::Zero(map.n_parameters())};
  std::vector<Vector> out;
  const auto random = [&] { return random_start(map, seed, static_cast<std::uint64_t>(100 * states) + out.size()); };
  if (options_.start == PressStart::informed) {
    const auto from_labels = [&](const std::vector<Index>& labels) {
      Vector start = random();
      map.layer(start, map.n_layers() - 1).setZero();
      out.push_back(fit_labels(rows_, packed_.get(), map, labels, start, threads_, poll_));
    };
    if (smaller != nullptr && smaller->map.n_states() > 1) {
      out.push_back(split_states(rows_, smaller->map, smaller->theta, map, seed));
    }
    if (std::ssize(out) < options_.n_starts) from_labels(classes_of_y(rows_, states, options_.seed, threads_));
    if (std::ssize(out) < options_.n_starts) from_labels(clusters(rows_, states, options_.seed, threads_));
  }
  while (std::ssize(out) < options_.n_starts) out.push_back(random());
  return out;
}

/// Of many rows most steps are taken on batches of growing size: their minima lie as near to those of all rows as
/// the rows can tell (R. H. Byrd, G. M. Chin, J. Nocedal and Y. Wu, Sample size selection in optimization methods for
/// machine learning, Math. Program. 134, 2012).
Fitted Search::best_of_starts(Index states, double ridge, double lasso, const Fitted* smaller) const {
  if (batch_ != nullptr) {
    return improve(batch_->best_of_starts(states, ridge, lasso, smaller), options_.max_iterations);
  }
  std::vector<Index> hidden;
  for (const double width : options_.hidden) hidden.push_back(static_cast<Index>(width));
  const PressMap map(rows_.x.rows(), states, hidden, options_.activation);
  Fitted best{.map = map, .theta = {}, .widths = {}, .ridge = ridge, .lasso = lasso};
  const std::vector<Vector> from = starts(map, smaller);
  if (from.size() == 1) {
    best.theta = from.front();
    return improve(std::move(best), options_.max_iterations);
  }
  // Side by side where a single evaluation would use one thread only; else one after the other.
  std::vector<Fitted> ends(from.size(), best);
  const bool large = rows_.x.size() > inputs_for_threads_of_their_own;
  parallel_for(
      std::ssize(from), large ? 1 : threads_,
      [&](Index k) {
        Fitted& own = ends[static_cast<std::size_t>(k)];
        own.theta = from[static_cast<std::size_t>(k)];
        own = improve(own, race_steps);
      },
      poll_);
  best =
      *std::min_element(ends.begin(), ends.end(), [](const Fitted& a, const Fitted& b) { return a.value < b.value; });
  return improve(std::move(best), options_.max_iterations);
}

Fitted Search::improve(Fitted from, Index steps) const {
  if (options_.optimizer == PressOptimizer::adam) {
    const bool to_the_end = steps >= options_.max_iterations;
    return improve_by_adam(std::move(from), to_the_end ? options_.adam_passes : (options_.adam_passes + 9) / 10);
  }
  const double unit = has_likelihood() ? 1.0 : Standardizer::fit(rows_.y, rows_.weights).scale().squaredNorm();
  LbfgsSettings settings{.max_iterations = std::min(steps, options_.max_iterations), .unit = unit};
  if (precision_ == Precision::score) {
    settings.gradient_tolerance = 1e-4;
    settings.value_tolerance = 1e-7;
  }
  if (!has_likelihood()) return improve_squares(std::move(from), settings);
  improve_likelihood(from, true, settings);
  return from;
}

Fitted Search::improve_squares(Fitted from, LbfgsSettings settings) const {
  const PressObjective criterion(
      rows_, from.map, options_.criterion,
      {.smoothness = options_.smoothness, .smoothness_weight = options_.smoothness_weight, .ridge = from.ridge},
      packed_);
  const auto objective = [&](const Vector& theta, Vector& gradient) {
    PressEvaluation found = criterion.evaluate(theta, Vector(), threads_);
    gradient = std::move(found.gradient);
    return found.value;
  };
  EarlyStop stop(rows_, packed_.get(), held_out_, from.map, options_.patience, threads_);
  const bool early = stop.watch(from.theta, settings);
  LbfgsResult found = minimize_l1(objective, from.theta, from.lasso * from.map.acts_on_inputs(), settings, poll_);
  if (early) found.x = stop.best();
  from.theta = std::move(found.x);
  from.value = found.value;
  from.iterations += found.iterations;
  from.status = found.status;
  return from;
}

/// Widths are floor + exp(eta), which needs no bounds.
void Search::improve_likelihood(Fitted& fitted, bool with_map, LbfgsSettings settings) const {
  const PressMap& map = fitted.map;
  const Index states = map.n_states();
  const Index n_theta = with_map ? map.n_parameters() : 0;
  const Index n_eta = rules_.given.size() > 0 ? 0 : rules_.common ? 1 : states;
  if (fitted.widths.size() == 0) {
    fitted.widths = reference_widths(map.weights(fitted.theta, rows_.x), rows_, rules_);
  }
  if (n_theta + n_eta == 0) return;
  const auto widths_at = [&](const Vector& x) -> Vector {
    if (n_eta == 0) return fitted.widths;
    const Vector eta = x.tail(n_eta).cwiseMax(-50.0).cwiseMin(50.0);
    return (rules_.floor + eta.array().exp()).replicate(states / n_eta, 1);
  };
  for (int round = 0; round < most_node_rounds; ++round) {
    const Vector narrowest = node_margin * fitted.widths;
    const PressObjective criterion(rows_, map, nodes_for(rows_.y, narrowest, rules_), defensive_,
                                   {.smoothness = with_map ? options_.smoothness : 0.0,
                                    .smoothness_weight = with_map ? options_.smoothness_weight : 0.0,
                                    .ridge = with_map ? fitted.ridge : 0.0},
                                   packed_);
    const auto objective = [&](const Vector& x, Vector& gradient) {
      const Vector widths = widths_at(x);
      const PressEvaluation found =
          criterion.evaluate(with_map ? Vector(x.head(n_theta)) : fitted.theta, widths, threads_);
      if (with_map) gradient.head(n_theta) = found.gradient;
      const Vector by_eta = found.by_log_width.array() * (widths.array() - rules_.floor) / widths.array();
      if (n_eta == 1) gradient.tail(1).setConstant(by_eta.sum());
      if (n_eta > 1) gradient.tail(n_eta) = by_eta;
      return found.value;
    };
    Vector start(n_theta + n_eta);
    start.head(n_theta) = fitted.theta.head(n_theta);
    start.tail(n_eta) = (fitted.widths.head(n_eta).array() - rules_.floor).max(1e-6 * rules_.floor).log();
    Vector penalty = Vector::Zero(start.size());
    if (with_map) penalty.head(n_theta) = fitted.lasso * map.acts_on_inputs();
    EarlyStop stop(rows_, packed_.get(), held_out_, map, options_.patience, threads_);
    const bool early = with_map && stop.watch(start, settings);
    const LbfgsResult found = minimize_l1(objective, start, penalty, settings, poll_);
    const Vector& at = early ? stop.best() : found.x;
    if (with_map) {
      fitted.theta = at.head(n_theta);
      fitted.value = found.value;
      fitted.iterations += found.iterations;
      fitted.status = found.status;
    } else {
      fitted.width_status = found.status;
    }
    fitted.widths = widths_at(at);
    if (rules_.tolerance == 0 || n_eta == 0 || fine_enough(narrowest, fitted.widths)) break;
  }
}

void Search::learn_widths(Fitted& fitted) const {
  if (!has_likelihood()) improve_likelihood(fitted, false, {.unit = 1});
}

std::vector<Fitted> Search::path(const Grid& grid, double ridge) const {
  std::vector<Fitted> out;
  Fitted smaller{.map = PressMap(0, 1), .theta = {}, .widths = {}};
  for (const Index states : grid.states) {
    Fitted own = best_of_starts(states, ridge, grid.lassos.front(), out.empty() ? nullptr : &smaller);
    smaller = own;
    for (const double lasso : grid.lassos) {
      if (lasso != own.lasso) {
        own.lasso = lasso;
        own.iterations = 0;
        own = improve(std::move(own), options_.max_iterations);
      }
      out.push_back(own);
    }
  }
  return out;
}

Fitted Search::last_of_path(Grid grid, double ridge) const {
  const Grid smaller{{grid.states.begin(), grid.states.end() - 1}, grid.ridges, {grid.lassos.front()}};
  const std::vector<Fitted> before = path(smaller, ridge);
  Fitted own =
      best_of_starts(grid.states.back(), ridge, grid.lassos.front(), before.empty() ? nullptr : &before.back());
  for (std::size_t k = 1; k < grid.lassos.size(); ++k) {
    own.lasso = grid.lassos[k];
    own.iterations = 0;
    own = improve(std::move(own), options_.max_iterations);
  }
  return own;
}

double leave_one_out_nll(const Fitted& fitted, const Dataset& rows, const WidthRules& rules,
                         const Defensive& defensive) {
  const PressObjective objective(rows, fitted.map, nodes_for(rows.y, fitted.widths, rules), defensive);
  return objective.evaluate(fitted.theta, fitted.widths).value;
}

double aic(const Fitted& fitted, const Dataset& rows, const PressOptions& options, const WidthRules& rules,
           const Defensive& defensive) {
  const double total = rows.weights.sum();
  const Index states = fitted.map.n_states();
  // Errata P8: the intercept counts, the last state does not; of a lasso, what is not zero.
  const Index n_parameters = fitted.map.n_parameters();
  const Index of_a_state = n_parameters / states;
  auto parameters = static_cast<double>(n_parameters - of_a_state);
  if (fitted.map.n_layers() > 1) parameters = static_cast<double>(states == 1 ? 0 : n_parameters);
  if (fitted.lasso > 0) {
    const auto nonzero = static_cast<double>((fitted.theta.array() != 0).count());
    parameters = std::min(parameters, std::max(0.0, nonzero - 1));
  }
  if (options.criterion == PressCriterion::likelihood) {
    return 2 * total * leave_one_out_nll(fitted, rows, rules, defensive) + 2 * parameters;
  }
  const Matrix w = fitted.map.weights(fitted.theta, rows.x);
  const PressStates found = press_states(w, rows.y, rows.weights);
  const Vector squares = (rows.y - found.means * w).cwiseAbs2() * rows.weights / total;
  const Vector spread = (rows.y.cwiseAbs2() * rows.weights) / total;
  // An exact fit of few rows has no logarithm.
  return total * squares.cwiseMax(1e-12 * spread).array().log().sum() + 2 * parameters;
}

GaussianMixtures laws_at(const Matrix& w, const Matrix& shares,
                         const std::shared_ptr<const GaussianComponents>& components, const Defensive& defensive) {
  return kernel_laws(components, Matrix((shares * w).array().log()), defensive);
}

}  // namespace condens::press
