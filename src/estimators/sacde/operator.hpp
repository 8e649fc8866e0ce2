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
//          and rows of M with one value of an input are summed first.

#include <memory>
#include <vector>

#include "optim/nonnegative_group_lasso.hpp"
#include "problem.hpp"

namespace condens::sacde {

/// Problems up to this order G B hold H in memory.
inline constexpr Index largest_dense_order = 1500;

/// What all widths of y share at one width of x: the sums over rows, small problems only.
struct KernelSums {
  double width_x;
  std::vector<Matrix> gram;  ///< per problem (G B)^2 without V; empty for large problems
};
KernelSums sum_kernels(const Problem& problem, double width_x, bool dense, int threads);

class Quadratics {
 public:
  /// `precision`: V is represented to this share of its largest entry (large problems).
  Quadratics(const Problem& problem, const KernelSums& sums, double width_y, double precision, int threads);
  Quadratics(const Quadratics&) = delete;
  Quadratics& operator=(const Quadratics&) = delete;
  ~Quadratics();

  const GroupQuadratic& operator[](Index problem) const { return *views_[static_cast<std::size_t>(problem)]; }

  /// q = H a for all groups of the problems `which`, one after the other in `a` and `q`.
  void products(const std::vector<Index>& which, const std::vector<const Matrix*>& a, std::vector<Matrix>& q,
                int threads) const;

  const Matrix& kernels_y() const { return kernels_y_; }  ///< eta_b(y_n), B x N

 private:
  class View;

  void fill_linear(int threads);
  void some_products(const std::vector<Index>& which, const std::vector<const Matrix*>& a,
                     const std::vector<Index>& groups, std::vector<Matrix*>& q, int threads) const;

  const Problem& problem_;
  double width_x_;
  Matrix overlaps_;   // V
  Matrix factor_;     // F', R x B
  Matrix kernels_y_;  // B x N
  std::vector<Vector> row_weights_;
  std::vector<Matrix> linear_;
  std::vector<std::unique_ptr<GroupQuadratic>> views_;
};

}  // namespace condens::sacde
