#pragma once
// Data for benchmarks: two branches over the first inputs, spread that grows with x.

#include <cmath>

#include "condens/core/random.hpp"
#include "condens/data/dataset.hpp"

namespace condens::benchmarks {

inline Dataset two_branches(Index n, Index d_x, std::uint64_t seed) {
  RandomStream random(seed);
  Matrix x(d_x, n);
  Matrix y(1, n);
  for (Index i = 0; i < n; ++i) {
    for (Index k = 0; k < d_x; ++k) x(k, i) = random.normal();
    const double branch = random.uniform() < 0.5 ? -1.0 : 1.0;
    y(0, i) = branch + std::sin(x(0, i)) + 0.3 * x(1, i) + 0.2 * std::exp(0.3 * x(0, i)) * random.normal();
  }
  return {.x = std::move(x), .y = std::move(y)};
}

}  // namespace condens::benchmarks
