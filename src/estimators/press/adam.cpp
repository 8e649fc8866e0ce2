// The search of PRESS by stochastic gradients, the paper's way: steps of Adam on a few rows each. The criterion of a
// step is that of its rows alone, states' sums included: section 4 of the paper with N the rows of the step.

#include <algorithm>
#include <cmath>
#include <utility>

#include "condens/core/cancellation.hpp"
#include "condens/core/random.hpp"
#include "early_stop.hpp"
#include "optim/adam.hpp"
#include "search.hpp"

namespace condens::press {

namespace {

constexpr std::uint64_t stream_of_passes = 3;
constexpr double finer = 0.5;  // nodes allow for widths down to this share

/// Part `b` of `count` nearly equal ones of 0, ..., n - 1.
Range part_of(Index n, Index count, Index b) { return {n * b / count, n * (b + 1) / count}; }

}  // namespace

/// The criterion and its gradient, at `rows`.
PressEvaluation Search::evaluate(const Fitted& at, const Dataset& rows, bool all_rows) const {
  const PressPenalties penalties{
      .smoothness = options_.smoothness, .smoothness_weight = options_.smoothness_weight, .ridge = at.ridge};
  const auto packed = all_rows ? packed_ : nullptr;
  if (!has_likelihood()) {
    return PressObjective(rows, at.map, options_.criterion, penalties, packed).evaluate(at.theta, Vector(), threads_);
  }
  const PressObjective criterion(rows, at.map, nodes_for(rows.y, finer * at.widths, rules_), defensive_, penalties,
                                 packed);
  return criterion.evaluate(at.theta, at.widths, threads_);
}

Fitted Search::improve_by_adam(Fitted from, Index passes) const {
  const Index n = rows_.size();
  const Index batches = std::max<Index>(1, (n + options_.minibatch - 1) / options_.minibatch);
  const Index n_theta = from.map.n_parameters();
  const bool learns_widths = has_likelihood() && rules_.given.size() == 0;
  if (has_likelihood() && from.widths.size() == 0) {
    from.widths = reference_widths(from.map.weights(from.theta, rows_.x), rows_, rules_);
  }
  const Index n_eta = learns_widths ? (rules_.common ? Index{1} : from.map.n_states()) : Index{0};
  Adam adam(n_theta + n_eta);
  RandomStream random(static_cast<std::uint64_t>(options_.seed), stream_of_passes);
  EarlyStop stop(rows_, packed_.get(), held_out_, from.map, options_.patience, threads_);
  LbfgsSettings after;
  const bool early = stop.watch(from.theta, after);
  for (Index pass = 0; pass < passes; ++pass) {
    const double rate = options_.learning_rate * cosine_rate(static_cast<double>(pass) / static_cast<double>(passes));
    const std::vector<Index> order = random.permutation(n);
    for (Index b = 0; b < batches; ++b) {
      check_cancelled();
      poll_();
      const Range range = part_of(n, batches, b);
      std::vector<Index> some(order.begin() + range.begin, order.begin() + range.end);
      std::sort(some.begin(), some.end());
      const PressEvaluation found = evaluate(from, batches == 1 ? rows_ : rows_.subset(some), batches == 1);
      // Widths are floor + exp(eta), as in the search on all rows.
      const Vector above = learns_widths ? Vector(from.widths.array() - rules_.floor) : Vector();
      Vector gradient(n_theta + n_eta);
      gradient.head(n_theta) = found.gradient;
      if (learns_widths) {
        const Vector by_eta = found.by_log_width.array() * above.array() / from.widths.array();
        gradient.tail(n_eta) = n_eta == 1 ? Vector(Vector::Constant(1, by_eta.sum())) : by_eta;
      }
      if (!gradient.allFinite()) continue;
      const Vector step = rate * adam.step(gradient);
      from.theta -= step.head(n_theta);
      for (Index j = 0; j < above.size(); ++j) {
        from.widths[j] = rules_.floor + std::max(above[j], 1e-6 * rules_.floor) * std::exp(-step[n_theta + j % n_eta]);
      }
    }
    ++from.iterations;
    if (early && !after.after_step(from.theta)) break;
  }
  if (early) from.theta = stop.best();
  // Densities of a few rows have wider kernels than those of all.
  if (learns_widths) improve_likelihood(from, false, {.unit = 1});
  from.value = evaluate(from, rows_, true).value;
  return from;
}

}  // namespace condens::press
