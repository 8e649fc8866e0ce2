#pragma once
// A sample with two bumps, for tests of densities.

#include "condens/data/dataset.hpp"
#include "normals.hpp"

namespace condens {

/// No inputs, d targets; two in five of the n rows belong to a narrower bump at 3.
inline Dataset two_bumps(Index n, Index d, std::uint64_t seed = 1) {
  RandomStream random(seed);
  Matrix y = normals(d, n, random);
  for (Index i = 0; i < n; ++i) {
    if (random.uniform() < 0.4) y.col(i) = 0.4 * y.col(i).array() + 3;
  }
  return {.x = Matrix(0, n), .y = y};
}

}  // namespace condens
