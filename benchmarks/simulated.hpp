#pragma once
// Data for benchmarks: two branches over the first inputs, spread that grows with x.

#include <cmath>

#include "condens/core/random.hpp"
#include "condens/data/dataset.hpp"

namespace condens::benchmarks {

inline Dataset two_branches(Index n, Index d_x, std::uint64_t seed) {
  RandomStream random(seed);
  Dataset data{.x = Matrix(d_x, n), .y = Matrix(1, n)};
  for (Index i = 0; i < n; ++i) {
    for (Index k = 0; k < d_x; ++k) data.x(k, i) = random.normal();
    const double branch = random.uniform() < 0.5 ? -1.0 : 1.0;
    data.y(0, i) =
        branch + std::sin(data.x(0, i)) + 0.3 * data.x(1, i) + 0.2 * std::exp(0.3 * data.x(0, i)) * random.normal();
  }
  return data;
}

}  // namespace condens::benchmarks
