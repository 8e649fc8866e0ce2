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

/// term(0) + ... + term(n - 1), always in the same order, as vector code.
template <class Term>
double sum_of(Index n, const Term& term) {
  std::array<double, lanes> lane{};
  Index i = 0;
  for (; i + lanes <= n; i += lanes) {
    for (Index k = 0; k < lanes; ++k) lane[static_cast<std::size_t>(k)] += term(i + k);
  }
  for (Index k = 0; i + k < n; ++k) lane[static_cast<std::size_t>(k)] += term(i + k);
  return ((lane[0] + lane[4]) + (lane[2] + lane[6])) + ((lane[1] + lane[5]) + (lane[3] + lane[7]));
}

}  // namespace condens
