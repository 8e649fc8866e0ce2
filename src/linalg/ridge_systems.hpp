#pragma once
// Many systems (H_j + lambda_j I) a_j = h_j at once, the inner loop of every
// model selection: one H per fold and width, one lambda per candidate.
//
// Small systems are factorised eight at a time, one per SIMD lane (a Cholesky
// factorisation of order 100 is too short to fill vector registers by itself);
// large ones by the library's blocked Cholesky. Both are componentwise accurate,
// unlike an orthogonal reduction of H shared by all lambda: the logarithm of a
// tiny held-out density depends on tiny components of a.

#include <vector>

#include "condens/core/types.hpp"

namespace condens {

/// Systems up to this order are factorised together. Above it the blocked Cholesky of one
/// matrix is as fast as eight interleaved ones, whose factors no longer fit in the
/// second-level cache.
inline constexpr Index largest_interleaved_order = 200;

struct RidgeSystem {
  const Matrix* gram;   ///< H, symmetric positive semidefinite, lower triangle read
  const Vector* right;  ///< h
  double ridge;         ///< lambda > 0
};

/// The solutions as columns, of the length of the longest system; shorter
/// solutions are filled with zeros. Throws NumericalError when H + lambda I is
/// not positive definite. Cost: b^3 / 3 multiplications and additions per system.
Matrix solve_ridge_systems(const std::vector<RidgeSystem>& systems);

}  // namespace condens
