#pragma once
// The assignment problem: of n rows each gets a column of its own so that the sum of the costs is least.
//
// Source: H. W. Kuhn, The Hungarian method for the assignment problem, Naval Res. Logist. Quart. 2, 1955; by shortest
// augmenting paths with potentials u, v (u_i + v_j <= c_ij, equal where assigned), as in R. Jonker and A. Volgenant,
// Computing 38, 1987.

#include <vector>

#include "condens/core/types.hpp"

namespace condens {

/// The column of every row of a square matrix of finite costs. Cost: n^3.
std::vector<Index> least_assignment(const Matrix& cost);

}  // namespace condens
