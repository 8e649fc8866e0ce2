#include "decompositions.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <Eigen/SVD>

#include "core/work.hpp"

namespace condens {

namespace {

/// `factor` n^3 multiplications.
void count_cubic(double factor, Index n) {
  count_work(factor * work::product * static_cast<double>(n * n) * static_cast<double>(n));
}

}  // namespace

SymmetricEigen symmetric_eigen(const Matrix& a) {
  count_cubic(25, a.rows());
  const Eigen::SelfAdjointEigenSolver<Matrix> solver(a);
  return {solver.eigenvalues(), solver.eigenvectors(), solver.info() == Eigen::Success};
}

SmallCholesky::SmallCholesky(const Matrix& a) : positive_definite(false) {
  count_cubic(0.5, a.rows());
  const Eigen::LLT<Matrix> factor(a);
  lower = factor.matrixL();
  positive_definite = factor.info() == Eigen::Success;
}

Vector SmallCholesky::solve(const Vector& right) const {
  Vector out = lower.triangularView<Eigen::Lower>().solve(right);
  lower.triangularView<Eigen::Lower>().transpose().solveInPlace(out);
  return out;
}

Matrix orthonormal_columns(const Matrix& columns) {
  const Eigen::HouseholderQR<Matrix> qr(columns);
  return qr.householderQ() * Matrix::Identity(columns.rows(), columns.cols());
}

Vector singular_values(const Matrix& a) { return Eigen::JacobiSVD<Matrix>(a).singularValues(); }

Matrix right_singular_vectors(const Matrix& a) { return Eigen::JacobiSVD<Matrix>(a, Eigen::ComputeThinV).matrixV(); }

}  // namespace condens
