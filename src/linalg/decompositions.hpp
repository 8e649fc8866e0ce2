#pragma once
// Decompositions of small dense matrices, compiled once: Eigen's are long templates that every file would compile anew.

#include "condens/core/types.hpp"

namespace condens {

/// A = V diag(values) V', values rising.
struct SymmetricEigen {
  Vector values;
  Matrix vectors;
  bool found;  ///< false where A is not finite
};

/// Of a symmetric matrix, whose lower triangle is read. Cost: about 9 n^3 multiplications and additions.
SymmetricEigen symmetric_eigen(const Matrix& a);

/// The lower triangular L of A = L L', and whether A is positive definite. Without panels (cholesky.hpp has them): for
/// orders of some hundreds at most.
struct SmallCholesky {
  explicit SmallCholesky(const Matrix& a);
  Vector solve(const Vector& right) const;

  Matrix lower;
  bool positive_definite;
};

/// Orthonormal columns that span those of `columns` (n x k, k <= n), by Householder reflections.
Matrix orthonormal_columns(const Matrix& columns);

/// Singular values, falling, and as columns as many right singular vectors.
Vector singular_values(const Matrix& a);
Matrix right_singular_vectors(const Matrix& a);

}  // namespace condens
