#pragma once
// How well kernels of z = W x and y fit the density of y given z, or the ratio of the joint
// density to the product of the marginals, as a function of W, with its gradient.
//
// Source: V. Tangkaratt, N. Xie and M. Sugiyama, Conditional density estimation with
// dimensionality reduction via squared-loss conditional entropy minimization, Neural
// Computation 27, 2015, eqs. 4-11 and appendix B (errata R1, R5, R9, R10).
//
//   phi_l(z) = exp(-|z - u_l|^2 / (2 s^2)),  u_l = W xt_l  (centres move with W)
//   G = V o (sum_i w_i phi(z_i) phi(z_i)' / W),  h = sum_i w_i phi(z_i) o psi(y_i) / W
//   a = (G + lambda I)^(-1) h
//   plug_in:  f = a'Ga/2 - h'a                      SCE-hat of the paper; -1/2 - f is the plug-in SMI-hat
//   envelope: f = min_a a'Ga/2 - h'a + lambda/2 |a|^2 = -h'a/2;  -1/2 - f is the SMI-hat of LSMI
//
// psi and V say what is estimated (TargetKernels): sce_kernels the density, smi_kernels the ratio.
//
// The gradient needs no array of b x b for each entry of W. With b = (G + lambda I)^(-1) G a,
// g = 3/2 a - b and q = b - 2a (plug_in) or g = a/2 and q = -a (envelope), the appendix's
// a'(dG)g + (dh)'q is a sum over i and l of the derivative of phi_l(z_i) times
//
//   E = (V o (g a' + a g')) Phi + diag(q) Psi          (b x n, one product of matrices)
//
// and with C = -(E o Phi) / (2 s^2), r its column and c its row sums,
//
//   df/dW = 2 ((Z diag(r) - U C) X' + (U diag(c) - Z C') Xt').
//
// Shapes: x d_x x n, centres xt d_x x b, W d_z x d_x, Phi and Psi b x n, V b x b.

#include <array>
#include <functional>
#include <string_view>

#include "condens/core/options.hpp"
#include "condens/core/parallel.hpp"
#include "condens/core/types.hpp"

namespace condens {

enum class ProjectionCriterion { plug_in, envelope };
template <>
inline constexpr auto choice_names<ProjectionCriterion> = std::array<std::string_view, 2>{"plug_in", "envelope"};

/// The part of the kernels that belongs to y.
struct TargetKernels {
  Matrix values;    ///< Psi, b x n: psi_l(y_i)
  Matrix overlaps;  ///< V, b x b
};

/// For the density p(y|z): V is the integral of psi psi' over y (eq. 8).
TargetKernels sce_kernels(const MatrixView& y, const MatrixView& centers_y, double width);

/// For the ratio p(z, y) / (p(z) p(y)): V is the mean of psi(y_i) psi(y_i)' over the rows, by weight.
TargetKernels smi_kernels(const MatrixView& y, const VectorView& weights, const MatrixView& centers_y, double width);

struct ProjectionValue {
  double value;     ///< f; NaN where the system has no solution in double precision
  Matrix gradient;  ///< df/dW, d_z x d_x
};

/// One evaluation takes n b^2 multiplications and additions for G, b^3 / 6 for its factor and
/// 2 n b min(b, 4 R) / 2 for E, with R <= b the rank of V; memory beside the data is Psi and a
/// tile of b x 4,096 numbers. The number of threads does not change a bit.
class ProjectionObjective {
 public:
  /// x: d_x x n, weights: n numbers > 0 or empty (all one), centers_x: d_x x b. Throws
  /// std::invalid_argument for shapes that do not fit and numbers that are not finite or positive.
  ProjectionObjective(const MatrixView& x, const VectorView& weights, const MatrixView& centers_x,
                      TargetKernels kernels, double bandwidth, double regularization, ProjectionCriterion criterion);

  Index n_inputs() const { return x_.rows(); }

  /// f and df/dW at any W of n_inputs() columns. `poll` is called now and then on the calling thread.
  ProjectionValue evaluate(const MatrixView& w, int threads = 1, const std::function<void()>& poll = {}) const;

  /// f alone, at half the cost and less.
  double value(const MatrixView& w, int threads = 1) const;

  /// a at W (not clipped); NaN where the system has no solution.
  Vector coefficients(const MatrixView& w, int threads = 1) const;

 private:
  struct Tile;
  struct Solution;
  void fill(const MatrixView& w, const Matrix& centers_z, Range rows, int threads, Tile& tile) const;
  Solution solve(const MatrixView& w, const Matrix& centers_z, int threads, const std::function<void()>& poll,
                 Tile& tile) const;
  Solution solution(const MatrixView& w, int threads) const;
  Matrix gradient(const MatrixView& w, const Matrix& centers_z, const Solution& solution, int threads,
                  const std::function<void()>& poll, Tile& tile) const;

  Matrix x_;  // centred, so that the gradient's sums lose no digits
  Matrix centers_x_;
  Vector half_log_share_;  // log sqrt(w_i / W): weights enter as a factor of phi and of psi
  Matrix psi_;             // times sqrt(w_i / W)
  Matrix overlaps_;
  Matrix overlap_factor_;  // F with F F' = V where that saves work, else empty
  double bandwidth_;
  double regularization_;
  ProjectionCriterion criterion_;
};

}  // namespace condens
