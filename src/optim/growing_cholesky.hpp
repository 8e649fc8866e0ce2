#pragma once
// The Cholesky factor of a matrix that gains and loses one row and column at a time:
// Q = L L', order s, s^2 multiplications and additions a change.

#include <algorithm>
#include <cmath>
#include <utility>

#include "condens/core/types.hpp"

namespace condens {

class GrowingCholesky {
 public:
  GrowingCholesky() = default;
  /// From the factor of a first matrix, whose lower triangle is read.
  explicit GrowingCholesky(Matrix lower) : factor_(std::move(lower)), size_(factor_.rows()) {}

  Index size() const { return size_; }

  /// Adds a last row [cross', diagonal]. What is left of the diagonal is at least `least` > 0.
  /// Returns it before that bound.
  double append(const VectorView& cross, double diagonal, double least) {
    if (size_ == factor_.rows()) {
      const Index capacity = std::max<Index>(16, 2 * size_);
      Matrix larger = Matrix::Zero(capacity, capacity);
      larger.topLeftCorner(size_, size_) = factor_.topLeftCorner(size_, size_);
      factor_ = std::move(larger);
    }
    const Vector row = used().triangularView<Eigen::Lower>().solve(cross);
    const double left = diagonal - row.squaredNorm();
    factor_.row(size_).head(size_) = row.transpose();
    factor_(size_, size_) = std::sqrt(std::max(left, least));
    ++size_;
    return left;
  }

  /// Takes out row and column k. What lies behind it satisfies M M' + m m' = M+ M+', m the column
  /// that leaves: a rank-one update of M.
  void remove(Index k) {
    const Index behind = size_ - 1 - k;
    Vector column = factor_.col(k).segment(k + 1, behind);
    for (Index i = k; i + 1 < size_; ++i) {
      factor_.row(i).head(k) = factor_.row(i + 1).head(k).eval();
      factor_.row(i).segment(k, i + 1 - k) = factor_.row(i + 1).segment(k + 1, i + 1 - k).eval();
    }
    --size_;
    for (Index j = 0; j < behind; ++j) {
      const double pivot = factor_(k + j, k + j);
      const double length = std::hypot(pivot, column[j]);
      const double cosine = pivot / length;
      const double sine = column[j] / length;
      factor_(k + j, k + j) = length;
      for (Index i = j + 1; i < behind; ++i) {
        const double lower = factor_(k + i, k + j);
        factor_(k + i, k + j) = cosine * lower + sine * column[i];
        column[i] = cosine * column[i] - sine * lower;
      }
    }
  }

  /// Q^-1 right.
  Vector solve(Vector right) const {
    used().triangularView<Eigen::Lower>().solveInPlace(right);
    used().transpose().triangularView<Eigen::Upper>().solveInPlace(right);
    return right;
  }

 private:
  Eigen::Block<const Matrix> used() const { return factor_.topLeftCorner(size_, size_); }

  Matrix factor_;  // lower triangle of its leading block
  Index size_ = 0;
};

}  // namespace condens
