#pragma once
// H and h of SA-CDE (Shiga et al. 2015, eqs. 10-14) at one pair of widths, for the problem of all rows and those of
// the training rows of every fold at once. With row weights w (sum 1),
//
//   H_{(g,b),(g',b')} = V_{bb'} sum_n w_n phi_gb(x_n) phi_g'b'(x_n),   h_gb = sum_n w_n phi_gb(x_n) eta_b(y_n),
//
// V_bb' the integral of eta_b eta_b' over y. Two ways, with equal results to rounding:
//   small  H is in memory, (G B)^2 numbers per problem; its sums over rows are shared by all widths of y.
//   large  V = F F' (F: B x R), M = sum_{a_gb > 0} a_gb phi_gb(x) F_b (N x R), q_gb = sum_n w_n phi_gb(x_n) F_b'M_n:
//          2 N B R multiplications per input and problem, no matrix of order G B; kernels are shared by the problems,
//          and rows of M with one value of an input are summed first. Most inputs are far from entering, which single
//          precision is enough to show.

#include <memory>
#include <vector>

#include "optim/nonnegative_group_lasso.hpp"
#include "problem.hpp"

namespace condens::sacde {

/// Whether H is better held in memory: up to the order G B of 1,500 always; up to 4,000 (128 MB for each problem, and
/// as much for its sums over rows) where the rows are so many that to sum them anew for every product would take longer
/// than to write H. Of rows that are elsewhere, whose products would be passes, always.
bool is_dense(const Problem& problem);

/// Sums over the rows of each fold at one width of x, as they come from a part of the rows.
struct FoldSums {
  std::vector<Matrix> gram;    ///< per fold: sum w phi phi' of all coordinates (lower triangle), small problems only
  std::vector<Matrix> target;  ///< per fold: sum w phi_gb eta_b, B x G for every width of y, side by side
  Vector weight;               ///< per fold: sum w
};
FoldSums fold_sums(const Problem& problem, double width_x, const std::vector<double>& widths_y, bool dense,
                   int threads);
/// Adds those of further rows of the same folds.
void add_fold_sums(const Problem& problem, double width_x, const std::vector<double>& widths_y, int threads,
                   FoldSums& sums);

/// The same over the training rows of every problem: all that H and h are made of.
struct KernelSums {
  double width_x;
  std::vector<double> widths_y;
  std::vector<Matrix> gram;    ///< per problem; empty for large problems
  std::vector<Matrix> target;  ///< per problem
  Vector weight;               ///< per problem
  Vector fold_weight;          ///< per fold
};
KernelSums training_sums(FoldSums sums, double width_x, std::vector<double> widths_y);

class Quadratics {
 public:
  /// `width_y`: one of those of `sums`. `precision`: V is represented to this share of its largest entry (large
  /// problems, whose rows are in memory).
  Quadratics(const Problem& problem, const KernelSums& sums, double width_y, double precision);
  Quadratics(const Quadratics&) = delete;
  Quadratics& operator=(const Quadratics&) = delete;
  ~Quadratics();

  const GroupQuadratic& operator[](Index problem) const { return *views_[static_cast<std::size_t>(problem)]; }

  /// q = H a for all groups of the problems `which`, one after the other in `a` and `q`. `bounds`, in the same order:
  /// by group, how large |[h_g - q_g]_+| may be where a_g = 0. Of a large problem, where a product in single precision
  /// is certain to show that a group keeps its bounds, that product is its q.
  void products(const std::vector<Index>& which, const std::vector<const Matrix*>& a, const std::vector<Vector>& bounds,
                std::vector<Matrix>& q, int threads) const;

 private:
  class View;

  void fill_linear(const KernelSums& sums, double width_y);
  Matrix weighted_sums(const std::vector<Index>& which, const std::vector<const Matrix*>& a, int threads) const;
  double rough_error(const MatrixView& m, const Matrix& a) const;

  const Problem& problem_;
  double width_x_;
  Matrix overlaps_;                  // V
  Matrix factor_;                    // F', R x B, and
  Index rough_rank_ = 0;             // its first rows are enough in single precision, and
  std::vector<Vector> row_weights_;  // large problems only
  std::vector<Matrix> linear_;
  std::vector<std::unique_ptr<GroupQuadratic>> views_;
};

}  // namespace condens::sacde
