#pragma once
// Many laws: fixed blocks of them over threads.

#include <functional>
#include <string>
#include <utility>

#include "condens/core/parallel.hpp"
#include "condens/distributions/gaussian_mixture.hpp"
#include "linalg/vector_math.hpp"
#include "mixture_view.hpp"

namespace condens::detail {

inline void over_blocks(const Run& run, std::string name, Index n, const std::function<void(Range)>& body) {
  constexpr Index block_size = 64;
  Task task(run, std::move(name), static_cast<double>(n));
  parallel_for(
      block_count(n, block_size), task.threads(),
      [&](Index block) {
        const Range range = block_range(n, block_size, block);
        body(range);
        task.advance(static_cast<double>(range.size()));
      },
      [&] { task.poll(); });
}

/// A law of the batch; `weights` is its own memory.
inline MixtureView law_view(const GaussianMixtures& laws, Index i, Vector& weights) {
  const Index m = laws.n_components();
  weights = laws.log_weights().col(i);
  exp_in_place(weights.data(), m);
  return view_of(laws.components(), laws.has_shared_components() ? 0 : i * m, m, laws.log_weights().data() + i * m,
                 weights.data());
}

/// body(i, law i) for every law.
template <class Body>
void for_each_law(const GaussianMixtures& laws, const Run& run, std::string name, const Body& body) {
  over_blocks(run, std::move(name), laws.size(), [&](Range range) {
    Vector weights;
    for (Index i = range.begin; i < range.end; ++i) body(i, law_view(laws, i, weights));
  });
}

}  // namespace condens::detail
