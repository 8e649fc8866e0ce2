#pragma once
// Sums of Gaussian kernels over all pairs of points, for many widths in one pass:
//
//   S_is = sum_{j != i} f_s(a_i, a_j) w_j K_s(i, j),   K_s(i, j) = exp(-c_s |u_i - u_j|^2),
//
// a_i the fold of point i. The distance of a pair is taken once for both points and all widths,
// and K_s costs an exponential, or one multiplication where c_s is twice the c of another kernel
// (that is K squared, at most eight times in a row: relative error below 1e-13).
//
// Points lie in blocks of neighbours (kernels/point_blocks.hpp). With L a lower bound of the sums of block I,
// from the farthest points of every other block, a pair of blocks is left out where
//
//   exp(-c_s min |u_i - u_j|^2) sum_j f w_j <= 1e-13 L
//
// for both: no sum loses more than 1e-13 of itself.
//
// Block I meets block J in phase (I + J) mod blocks, so no block is in two pairs of a phase. Phases
// follow each other: the order of every sum, and so its bits, does not depend on threads.

#include <functional>
#include <vector>

#include "kernels/point_blocks.hpp"

namespace condens {

class PairSums {
 public:
  /// `points` d x n; `fold` as of PointBlocks.
  PairSums(const MatrixView& points, const VectorView& weights, const std::vector<Index>& fold)
      : points_(points, weights, fold) {}

  struct Kernel {
    double exponent;      ///< c_s > 0
    Matrix factors = {};  ///< f_s >= 0 for every pair of folds, symmetric; empty: one
  };
  enum class Moments { none, total, each };

  struct Sums {
    Matrix kernels;               ///< n x kernels
    std::vector<Matrix> moments;  ///< of each kernel, n x 1 or n x d: the terms times |u_i - u_j|^2, or by coordinate
  };

  /// u = points / widths (d numbers). Sums below 1e-300 may be zero.
  Sums evaluate(const VectorView& widths, const std::vector<Kernel>& kernels, Moments moments, int threads,
                const std::function<void()>& poll) const;

 private:
  class Pass;

  PointBlocks points_;
};

}  // namespace condens
