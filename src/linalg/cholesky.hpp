#pragma once
// Cholesky factors of any order, in panels between which the work can be stopped
// (core/cancellation.hpp): of order 8,000 one takes seconds.
//
//   A = [A_11 .; A_21 A_22],  L_11 L_11' = A_11,  L_21 = A_21 L_11^-T,  then A_22 - L_21 L_21'.

#include <utility>

#include "condens/core/types.hpp"

namespace condens {

/// Replaces the lower triangle of a symmetric matrix by its factor L, A = L L'; what is above the diagonal
/// is neither read nor written. False, and nothing of use, where A is not positive definite.
bool cholesky_in_place(Eigen::Ref<Matrix> a, int threads = 1);

/// L^-1 right and L'^-1 right, for the lower triangle L of a square matrix.
void solve_lower_in_place(const MatrixView& lower, Vector& right);
void solve_lower_in_place(const MatrixView& lower, Matrix& right);
void solve_lower_transposed_in_place(const MatrixView& lower, Vector& right);
void solve_lower_transposed_in_place(const MatrixView& lower, Matrix& right);

/// The factor of a symmetric matrix whose lower triangle is given.
class Cholesky {
 public:
  explicit Cholesky(Matrix a, int threads = 1) : lower_(std::move(a)), ok_(cholesky_in_place(lower_, threads)) {}

  bool ok() const { return ok_; }  ///< the matrix is positive definite
  Vector solve(Vector right) const;
  Matrix solve(Matrix right) const;

 private:
  Matrix lower_;
  bool ok_;
};

}  // namespace condens
