#pragma once
// Ridge regression on kernels and linear features by its normal equations, and leaving a row out by fitting without it.

#include <Eigen/LU>
#include <cmath>

#include "condens/core/types.hpp"

namespace condens {

struct PlainRidge {
  Matrix x;        ///< d x n
  Vector y;        ///< n
  Vector weights;  ///< n
  Matrix centers;  ///< d x m, m = 0: none
  double width;
  double rho;  ///< linear features are rho x
  double lambda;

  Vector features(const Vector& at) const {
    Vector out(1 + centers.cols() + x.rows());
    out[0] = 1;
    for (Index l = 0; l < centers.cols(); ++l) {
      out[1 + l] = std::exp(-0.5 * (at - centers.col(l)).squaredNorm() / (width * width));
    }
    out.tail(x.rows()) = rho * at;
    return out;
  }

  /// The coefficients that minimise sum_i w_i (y_i - c'k(x_i))^2 + lambda W c'Rc over the rows but `without`.
  Vector coefficients(Index without = -1) const {
    const Index size = 1 + centers.cols() + x.rows();
    Matrix system = Matrix::Zero(size, size);
    Vector right = Vector::Zero(size);
    for (Index l = 0; l < centers.cols(); ++l) {
      system.row(1 + l) = weights.sum() * lambda * features(centers.col(l)).transpose();
      system(1 + l, 0) = 0;
      system.row(1 + l).tail(x.rows()).setZero();
      system(1 + l, 1 + l) += weights.sum() * lambda * 1e-10;
    }
    for (Index k = 0; k < x.rows(); ++k) system(size - 1 - k, size - 1 - k) = weights.sum() * lambda;
    for (Index i = 0; i < x.cols(); ++i) {
      if (i == without) continue;
      const Vector k = features(x.col(i));
      system += weights[i] * k * k.transpose();
      right += weights[i] * y[i] * k;
    }
    return Eigen::FullPivLU<Matrix>(system).solve(right);
  }

  double at(const Vector& point, Index without = -1) const { return coefficients(without).dot(features(point)); }

  Vector residuals_left_out() const {
    Vector out(y.size());
    for (Index i = 0; i < y.size(); ++i) out[i] = y[i] - at(x.col(i), i);
    return out;
  }
};

}  // namespace condens
