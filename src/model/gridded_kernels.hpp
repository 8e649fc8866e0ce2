#pragma once
// Distributions of many Gaussian kernels of one width in one target,
//
//   p(y|z) = sum_l w_l k(z - u_l) N(y; v_l, s^2) / sum_l w_l k(z - u_l),   k(z) = exp(-|z|^2 / 2),
//
// as mixtures of the few components of a regular grid, the same for every z. A Gaussian is a narrower
// one smeared by another, and the trapezoidal rule takes that integral at a spacing of 0.48 s to 1e-7
// (Trefethen and Weideman 2014, The exponentially convergent trapezoidal rule, section 5):
//
//   N(y; v, s^2) = integral N(g; v, t^2) N(y; g, s^2 - t^2) dg
//                = sum_j c_j(v) N(y; g_j, s^2 - t^2),   c_j(v) ~ exp(-(g_j - v)^2 / (2 t^2)),
//
// t = 0.54 s, the sixteen nodes around v. The weights are positive, and a component's weight is a sum
// over the kernels near it. Kernels lie in blocks of neighbours in z (kernels/point_blocks.hpp); those
// that are together less than 1e-8 of the sum are not looked at.
//
// The total variation between these mixtures and those above is below 1e-6. Their density has a relative error below
// 1e-6 within five widths of a kernel, and of some per cent at ten, where it is e^-50 of that at the kernel; from there
// it falls faster.

#include <memory>
#include <vector>

#include "condens/core/types.hpp"
#include "condens/distributions/gaussian_mixture.hpp"
#include "condens/model/kernel_mixture.hpp"
#include "kernels/point_blocks.hpp"

namespace condens {

class GriddedKernels {
 public:
  /// `u` d x n, `log_weights` n, `v` d_y x n. Nothing where the kernels themselves serve as well: several targets,
  /// fewer than a thousand kernels, or more than a quarter as many nodes.
  static std::shared_ptr<const GriddedKernels> make(const MatrixView& u, const VectorView& log_weights,
                                                    const MatrixView& v, double width, const Defensive& defensive);

  /// The distributions at the columns of `z`, d x points, the defensive component last.
  GaussianMixtures laws(const MatrixView& z) const;

 private:
  static constexpr Index nodes_of_kernel = 16;
  struct Grid;

  GriddedKernels(const MatrixView& u, const VectorView& log_weights, const VectorView& v, const Grid& grid,
                 const Defensive& defensive);

  /// Log weights of the rows of block b at z, from `out` on.
  void add_block(Index b, const VectorView& z, double* out) const;
  /// Weights of the nodes at z, not normalised.
  void weigh_nodes(const VectorView& z, Eigen::Ref<Vector> out) const;

  PointBlocks blocks_;
  Vector log_weights_;             // of the rows of blocks_
  Vector heaviest_;                // the largest of them in every block
  std::vector<Index> first_node_;  // of every row, the first of its nodes
  Matrix shares_;                  // nodes_of_kernel x rows: c_j
  std::shared_ptr<const GaussianComponents> components_;
  Defensive defensive_;
};

}  // namespace condens
