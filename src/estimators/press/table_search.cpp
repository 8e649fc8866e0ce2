#include "table_search.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "condens/core/errors.hpp"
#include "optim/owlqn.hpp"

namespace condens::press {

namespace {

constexpr int most_rounds_of_ticks = 3;  // with finer ones, where widths came out narrower
constexpr double tick_margin = 0.5;      // ticks allow for widths down to this share

/// Sets of ticks fine enough for `widths`: one where these are equal.
std::vector<Vector> ticks_for(const SampledRows& rows, const Vector& widths, const WidthRules& rules) {
  const Matrix ends = rows.scale.standardized(table_passes::extent_of(rows.table).ends(rows.table)).y;
  Vector values(rows.sample.size() + ends.cols());
  values << rows.sample.y.row(0).transpose(), ends.row(0).transpose();
  const auto make = [&](double width) { return ticks_of(values, node_spacing(rules.tolerance, 1, width)); };
  if ((widths.array() == widths[0]).all()) return {make(widths[0])};
  std::vector<Vector> out;
  for (const double width : widths) out.push_back(make(width));
  return out;
}

LbfgsSettings settings_on_table(Index steps, double unit) {
  // A step that gains less than this moves the map by less than the rows can tell.
  return {.max_iterations = steps, .unit = unit, .gradient_tolerance = 1e-6, .value_tolerance = 1e-8};
}

Dataset first_of(const Dataset& sample) { return sample.subset({0}); }

/// Theta by squared errors.
TableSteps improve_map(Fitted& fitted, const SampledRows& rows, const PressOptions& options,
                       const PressPenalties& penalties, const Defensive& defensive, Index steps, int threads,
                       const std::function<void()>& poll) {
  const TableObjective criterion(rows.table,
                                 criterion_of(rows, options, options.criterion, fitted.map.n_states(), defensive),
                                 penalties, first_of(rows.sample), threads);
  const auto objective = [&](const Vector& theta, Vector& gradient) {
    PressEvaluation found = criterion.evaluate(theta, Vector());
    gradient = std::move(found.gradient);
    return found.value;
  };
  const double unit = 0.25 * defensive.scale.squaredNorm();  // the variance of y
  const LbfgsResult found = minimize_l1(objective, fitted.theta, fitted.lasso * fitted.map.acts_on_inputs(),
                                        settings_on_table(steps, unit), poll);
  fitted.theta = found.x;
  fitted.value = found.value;
  return {found.iterations, found.status};
}

/// Widths by the likelihood, and theta `with_map`; widths are floor + exp(eta), as in Search.
TableSteps improve_density(Fitted& fitted, bool with_map, const SampledRows& rows, const PressOptions& options,
                           const WidthRules& rules, const PressPenalties& penalties, const Defensive& defensive,
                           Index steps, int threads, const std::function<void()>& poll) {
  const Index states = fitted.map.n_states();
  const Index n_theta = with_map ? fitted.map.n_parameters() : 0;
  const Index n_eta = rules.given.size() > 0 ? 0 : rules.common ? 1 : states;
  const auto widths_at = [&](const Vector& x) -> Vector {
    if (n_eta == 0) return fitted.widths;
    const Vector eta = x.tail(n_eta).cwiseMax(-50.0).cwiseMin(50.0);
    return (rules.floor + eta.array().exp()).replicate(states / n_eta, 1);
  };
  TableSteps taken;
  for (int round = 0; round < most_rounds_of_ticks && n_theta + n_eta > 0 && taken.count < steps; ++round) {
    const Vector narrowest = tick_margin * fitted.widths;
    TableCriterion likelihood = criterion_of(rows, options, PressCriterion::likelihood, states, defensive);
    likelihood.ticks = ticks_for(rows, narrowest, rules);
    const TableObjective criterion(rows.table, std::move(likelihood), penalties, first_of(rows.sample), threads);
    PressStateSums known;  // where theta stays
    if (!with_map) known = criterion.states(fitted.theta);
    const auto objective = [&](const Vector& x, Vector& gradient) {
      const Vector widths = widths_at(x);
      const PressEvaluation found =
          with_map ? criterion.evaluate(x.head(n_theta), widths) : criterion.value(fitted.theta, widths, known);
      gradient.setZero(x.size());
      if (with_map) gradient.head(n_theta) = found.gradient;
      const Vector by_eta = found.by_log_width.array() * (widths.array() - rules.floor) / widths.array();
      if (n_eta == 1) gradient.tail(1).setConstant(by_eta.sum());
      if (n_eta > 1) gradient.tail(n_eta) = by_eta;
      return found.value;
    };
    Vector start(n_theta + n_eta);
    start.head(n_theta) = fitted.theta.head(n_theta);
    start.tail(n_eta) = (fitted.widths.head(n_eta).array() - rules.floor).max(1e-6 * rules.floor).log();
    Vector penalty = Vector::Zero(start.size());
    if (with_map) penalty.head(n_theta) = fitted.lasso * fitted.map.acts_on_inputs();
    const LbfgsResult found = minimize_l1(objective, start, penalty, settings_on_table(steps - taken.count, 1), poll);
    taken.count += found.iterations;
    taken.status = found.status;
    if (with_map) {
      fitted.theta = found.x.head(n_theta);
      fitted.value = found.value;
    }
    fitted.widths = widths_at(found.x);
    if (n_eta == 0 || fine_enough(narrowest, fitted.widths)) break;
  }
  return taken;
}

/// Without those that no state has.
void drop_empty_ticks(Vector& ticks, std::vector<Vector>& masses) {
  Vector most = Vector::Zero(ticks.size());
  for (const Vector& mass : masses) most = most.cwiseMax(mass);
  std::vector<Index> kept;
  for (Index b = 0; b < ticks.size(); ++b) {
    if (most[b] > 0) kept.push_back(b);
  }
  ticks = Vector(ticks(kept));
  for (Vector& mass : masses) mass = Vector(mass(kept));
}

}  // namespace

bool has_nodes_of_table(const WidthRules& rules, Index n_targets) { return n_targets == 1 && rules.tolerance > 0; }

bool has_likelihood_of_table(const WidthRules& rules, const Defensive& defensive, Index n_targets) {
  return has_nodes_of_table(rules, n_targets) && defensive.weight > 0;
}

TableCriterion criterion_of(const SampledRows& rows, const PressOptions& options, PressCriterion criterion,
                            Index n_states, const Defensive& defensive) {
  return {.scale = rows.scale,
          .hidden = options.hidden,
          .activation = options.activation,
          .n_states = n_states,
          .criterion = criterion,
          .total = rows.total,
          .ticks = {},
          .defensive = defensive};
}

TableSteps improve_on_table(Fitted& fitted, const SampledRows& rows, const PressOptions& options,
                            const WidthRules& rules, const Defensive& defensive, Index steps, int threads,
                            const std::function<void()>& poll) {
  if (steps == 0) return {};
  const bool likelihood = has_likelihood_of_table(rules, defensive, rows.table.n_targets());
  const PressPenalties penalties{
      .smoothness = options.smoothness, .smoothness_weight = options.smoothness_weight, .ridge = fitted.ridge};
  if (options.criterion == PressCriterion::likelihood) {
    if (!likelihood) return {};
    return improve_density(fitted, true, rows, options, rules, penalties, defensive, steps, threads, poll);
  }
  const TableSteps taken = improve_map(fitted, rows, options, penalties, defensive, steps, threads, poll);
  if (likelihood) improve_density(fitted, false, rows, options, rules, {}, defensive, steps, threads, poll);
  return taken;
}

TableDensities densities_of_table(const Fitted& fitted, const SampledRows& rows, const PressOptions& options,
                                  const WidthRules& rules, const Defensive& defensive, const Matrix& shifts,
                                  int threads) {
  if (!has_nodes_of_table(rules, rows.table.n_targets())) {
    const Matrix w = fitted.map.weights(fitted.theta, rows.sample.x);
    return {make_components(w, rows.sample, fitted.widths, rules, shifts), infinity};
  }
  TableCriterion likelihood = criterion_of(rows, options, PressCriterion::likelihood, fitted.map.n_states(), defensive);
  likelihood.ticks = ticks_for(rows, fitted.widths, rules);
  std::vector<Vector> ticks = likelihood.ticks;
  const TableObjective criterion(rows.table, std::move(likelihood), {}, first_of(rows.sample), threads);
  const PressStateSums states = criterion.states(fitted.theta);
  double nll = infinity;
  if (defensive.weight > 0) nll = criterion.value(fitted.theta, fitted.widths, states).value;
  std::vector<Vector> masses = states.sums;
  for (const Vector& mass : masses) {
    const bool fit = mass.minCoeff() >= 0 && mass.sum() > 0;
    if (!fit) throw FormatError("a pass over the rows: 'sums' of a state are no masses, expected numbers >= 0");
  }
  if (ticks.size() == 1) drop_empty_ticks(ticks.front(), masses);
  std::vector<PressNodes> nodes;
  for (const Vector& own : ticks) nodes.push_back({.centers = own.transpose(), .node = {}, .share = {}});
  return {components_of(nodes, masses, fitted.widths, rules, shifts), nll};
}

}  // namespace condens::press
