#pragma once
// Products of a matrix with a vector most of whose entries are 0.

#include <array>

#include "condens/core/types.hpp"

namespace condens {

/// out += matrix x, reading the columns where x is not 0, four at a time.
template <class Columns, class Coefficients>
void add_nonzero_columns(const Columns& matrix, const Coefficients& x, Vector& out) {
  std::array<Index, 4> at{};
  std::size_t found = 0;
  for (Index i = 0; i < x.size(); ++i) {
    if (x[i] == 0) continue;
    at[found++] = i;
    if (found < at.size()) continue;
    out += x[at[0]] * matrix.col(at[0]) + x[at[1]] * matrix.col(at[1]) + x[at[2]] * matrix.col(at[2]) +
           x[at[3]] * matrix.col(at[3]);
    found = 0;
  }
  for (std::size_t k = 0; k < found; ++k) out += x[at[k]] * matrix.col(at[k]);
}

/// matrix x, likewise.
template <class Columns, class Coefficients>
Vector nonzero_product(const Columns& matrix, const Coefficients& x) {
  Vector out = Vector::Zero(matrix.rows());
  add_nonzero_columns(matrix, x, out);
  return out;
}

}  // namespace condens
