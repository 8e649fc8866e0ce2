#pragma once
// Standard normal numbers for tests.

#include "condens/core/random.hpp"
#include "condens/core/types.hpp"

namespace condens {

inline Matrix normals(Index rows, Index cols, RandomStream& random) {
  Matrix out(rows, cols);
  for (double& value : out.reshaped()) value = random.normal();
  return out;
}

inline Matrix normals(Index rows, Index cols, std::uint64_t seed) {
  RandomStream random(seed);
  return normals(rows, cols, random);
}

}  // namespace condens
