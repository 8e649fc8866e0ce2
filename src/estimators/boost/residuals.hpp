#pragma once
// The distribution g of what is left, e = (y - m) / s: a Gaussian mixture, its scores, and expectation maximisation.

#include <vector>

#include "condens/core/types.hpp"

namespace condens::boosting {

struct Residuals {
  Vector weights;  ///< K
  Matrix means;    ///< d_y x K
  Matrix scales;   ///< d_y x K

  Index size() const { return weights.size(); }

  static Residuals standard_normal(Index d_y);

  /// Around 0, of growing width: tails like those of Student's t with five degrees of freedom. Where boosting starts.
  static Residuals heavy_tails(Index d_y, Index components);

  /// Spread over the quartiles of e (d_y x n), of growing width. Where expectation maximisation starts.
  static Residuals around(const Matrix& e, Index components);

  /// Steps of expectation maximisation (A. P. Dempster et al., J. Roy. Statist. Soc. B 39, 1977) for the columns of e
  /// with these weights. Every component has two rows more, of the variance that the quartiles of e tell, so that none
  /// shrinks to a point.
  void renew(const Matrix& e, const Vector& row_weights, int steps);

  /// d_y: means of the logarithms of the components' scales, by weight.
  Vector log_sizes() const { return scales.array().log().matrix() * weights; }

  /// log g(e) of every column.
  Vector log_density(const MatrixView& e) const;

  /// psi = -d log g / d e_target at every column.
  Vector score(const MatrixView& e, Index target) const;

 private:
  /// n x K: shares of the components in g(e), columns of e being rows; log g(e) into `log_density`, where it is given.
  Matrix shares(const MatrixView& e, Vector* log_density) const;
};

}  // namespace condens::boosting
