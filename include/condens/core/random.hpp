#pragma once
// Random numbers that are the same on every compiler and for any number of
// threads: one stream per (seed, task), never a global generator.
//
// Generator: SplitMix64 (Steele, Lea and Flood 2014). Distributions: Boost.Random.

#include <cstdint>
#include <limits>
#include <vector>

#include "condens/core/types.hpp"

namespace condens {

class RandomStream {
 public:
  using result_type = std::uint64_t;

  /// Streams of one seed with different numbers are independent.
  explicit RandomStream(std::uint64_t seed, std::uint64_t stream = 0);

  static constexpr result_type min() { return 0; }
  static constexpr result_type max() { return std::numeric_limits<result_type>::max(); }
  result_type operator()();

  double uniform();                         ///< in [0, 1)
  double normal();                          ///< standard normal
  Index below(Index n);                     ///< uniform in 0, ..., n - 1
  std::vector<Index> permutation(Index n);  ///< uniformly random order of 0, ..., n - 1

 private:
  std::uint64_t state_;
};

}  // namespace condens
