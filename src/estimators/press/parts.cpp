// The parts of an evaluation (objective.hpp), for rows that are in several places: each goes through the weights of its
// rows anew, as nothing of a row is kept between them.

#include <cmath>
#include <utility>

#include "core/flush_subnormals.hpp"
#include "pass.hpp"

namespace condens {

namespace {

const std::function<void()> no_poll;

}  // namespace

PressStateSums PressObjective::sum_states(const Vector& theta, int threads) const {
  const FlushSubnormals guard;
  const Vector no_widths;
  Pass pass = begin(theta, no_widths, threads, no_poll);
  pass.over_chunks([&](Chunk& chunk) { find_weights(pass, chunk); });
  add_up_states(pass);
  return {std::move(pass.sizes), std::move(pass.squares), std::move(pass.sums)};
}

PressKernelSums PressObjective::sum_kernels(const Vector& widths, const PressStateSums& states, int threads) const {
  if (criterion_ != PressCriterion::likelihood) return {};
  const FlushSubnormals guard;
  const Vector no_theta;
  Pass pass = begin(no_theta, widths, threads, no_poll);
  PressKernelSums out{{}, states.sums};
  out.totals = pass.kernel_sums(*this, states.sums, &out.slopes);
  return out;
}

PressObjective::Pass PressObjective::terms_at(const Vector& theta, const Vector& widths, const PressStateSums& states,
                                              const PressKernelSums& kernels, int threads) const {
  Pass pass = begin(theta, widths, threads, no_poll);
  pass.over_chunks([&](Chunk& chunk) { find_weights(pass, chunk); });
  set_states(pass, states);
  pass.totals = kernels.totals;
  pass.slopes = kernels.slopes;
  pass.over_chunks([&](Chunk& chunk) { find_terms(pass, chunk); });
  if (criterion_ == PressCriterion::likelihood && !is_part_) sum_anew(pass);
  return pass;
}

PressTermSums PressObjective::sum_terms(const Vector& theta, const Vector& widths, const PressStateSums& states,
                                        const PressKernelSums& kernels, int threads) const {
  const FlushSubnormals guard;
  Pass pass = terms_at(theta, widths, states, kernels, threads);
  return add_up_terms(pass);
}

PressEvaluation PressObjective::value_of(const Vector& theta, const Vector& widths, const PressStateSums& states,
                                         const PressTermSums& terms, PressSlopes& slopes, int threads) const {
  const FlushSubnormals guard;
  Pass pass = begin(theta, widths, threads, no_poll);
  set_states(pass, states);
  PressEvaluation out = follow_terms(pass, terms);
  slopes = {pass.by_freedom, std::move(pass.by_sizes), std::move(pass.by_sums)};
  const Vector coefficients = theta.cwiseProduct(map_.is_coefficient());
  out.value += 0.5 * penalties_.ridge * coefficients.squaredNorm();
  if (!std::isfinite(out.value)) out.value = infinity;
  return out;
}

Vector PressObjective::sum_gradients(const Vector& theta, const Vector& widths, const PressStateSums& states,
                                     const PressKernelSums& kernels, const PressSlopes& slopes, int threads) const {
  const FlushSubnormals guard;
  Pass pass = terms_at(theta, widths, states, kernels, threads);
  pass.by_freedom = slopes.by_freedom;
  pass.by_sizes = slopes.by_sizes;
  pass.by_sums = slopes.by_sums;
  pass.over_chunks([&](Chunk& chunk) { find_gradient(pass, chunk); });
  Vector out = Vector::Zero(theta.size());
  for (const Chunk& chunk : pass.chunks) out += chunk.gradient;
  return out;
}

Vector PressObjective::ridge_gradient(const Vector& theta) const {
  return penalties_.ridge * theta.cwiseProduct(map_.is_coefficient());
}

}  // namespace condens
