#pragma once
// Eight numbers that are worked on at once: one or more registers, as the processor has them.

#include <cstring>

namespace condens {

constexpr int lanes = 8;
using Lanes = double __attribute__((vector_size(lanes * sizeof(double))));

/// By reference: processors differ in how they would return it.
inline void load(const double* p, Lanes& out) { std::memcpy(&out, p, sizeof(out)); }

}  // namespace condens
