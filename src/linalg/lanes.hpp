#pragma once
// Eight numbers that are worked on at once: one or more registers, as the processor has them.

#include <array>
#include <cstring>

#include "condens/core/types.hpp"

namespace condens {

constexpr int lanes = 8;
using Lanes = double __attribute__((vector_size(lanes * sizeof(double))));

/// By reference: processors differ in how they would return it.
inline void load(const double* p, Lanes& out) { std::memcpy(&out, p, sizeof(out)); }

/// The sum of eight numbers, always in the same order.
template <class Eight>
double total(const Eight& x) {
  return ((x[0] + x[4]) + (x[2] + x[6])) + ((x[1] + x[5]) + (x[3] + x[7]));
}

/// term(0) + ... + term(n - 1), always in the same order, as vector code.
template <class Term>
double sum_of(Index n, const Term& term) {
  std::array<double, lanes> lane{};
  Index i = 0;
  for (; i + lanes <= n; i += lanes) {
    for (Index k = 0; k < lanes; ++k) lane[static_cast<std::size_t>(k)] += term(i + k);
  }
  for (Index k = 0; i + k < n; ++k) lane[static_cast<std::size_t>(k)] += term(i + k);
  return total(lane);
}

}  // namespace condens
