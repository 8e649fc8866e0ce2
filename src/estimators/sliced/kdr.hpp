#pragma once
// Kernel dimension reduction: the subspace of z = W x given which x and y are independent, by the conditional
// covariance of y given z in the space of a Gaussian kernel,
//
//   J(W) = eps tr(A_y (A_z + n eps I)^-1),   A = C G C',   C = I - 1 1' / n,
//   (G_z)_ij = exp(-|W (x_i - x_j)|^2 / 2 s_z^2),
//
// which is least where z tells everything of y. It assumes nothing of the distribution of x.
//
// Source: K. Fukumizu, F. R. Bach and M. I. Jordan, Kernel dimension reduction in regression, Annals of Statistics 37,
// 2009, eq. (22). A row of weight w counts as w rows.

#include <functional>

#include "condens/data/dataset.hpp"

namespace condens::reduction {

class KdrObjective {
 public:
  /// Standardised rows with weights; `width` of z, that of y is the root of the number of targets.
  KdrObjective(const Dataset& rows, double width, double regularization);

  /// J, and dJ/dW. Cost: n^3 / 2 + n^2 d_x.
  double operator()(const Matrix& w, Matrix& gradient) const;

 private:
  Matrix x_;
  Vector root_;   // of the weights
  Vector share_;  // weights / n
  double n_;      // the sum of the weights
  double width_;
  double regularization_;
  Matrix a_y_;
};

/// `d` orthonormal rows: quasi-Newton steps from the best of `starts` (d orthonormal rows each). `poll` may throw.
Matrix kdr_directions(const Dataset& rows, const std::vector<Matrix>& starts, const std::function<void()>& poll);

}  // namespace condens::reduction
