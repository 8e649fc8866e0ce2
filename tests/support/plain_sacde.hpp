#pragma once
// SA-CDE written as the paper writes it: loops over rows, inputs and centres. The reference that the fast code must
// equal.

#include <cmath>
#include <numbers>

#include "condens/core/types.hpp"

namespace condens::plain {

/// eqs. 5, 6, 10-14 and 20 with row weights; `constant` adds the group whose kernels are 1, last.
struct Sacde {
  Matrix x, y;  // d x n
  Vector w;
  Matrix u, v;  // centres, d x b
  double s_x, s_y;
  bool constant = false;

  Index groups() const { return x.rows() + (constant ? 1 : 0); }

  double phi(const Vector& point, Index g, Index b) const {
    if (g == x.rows()) return 1;
    return std::exp(-(point[g] - u(g, b)) * (point[g] - u(g, b)) / (2 * s_x * s_x));
  }
  double eta(const Vector& point, Index b) const {
    return std::exp(-(point - v.col(b)).squaredNorm() / (2 * s_y * s_y));
  }

  Matrix gram() const {
    const Index b = u.cols();
    Matrix out = Matrix::Zero(groups() * b, groups() * b);
    for (Index i = 0; i < out.rows(); ++i) {
      for (Index j = 0; j < out.cols(); ++j) {
        const double overlap = std::pow(std::sqrt(std::numbers::pi) * s_y, static_cast<double>(y.rows())) *
                               std::exp(-(v.col(i % b) - v.col(j % b)).squaredNorm() / (4 * s_y * s_y));
        for (Index n = 0; n < x.cols(); ++n) {
          out(i, j) += w[n] / w.sum() * overlap * phi(x.col(n), i / b, i % b) * phi(x.col(n), j / b, j % b);
        }
      }
    }
    return out;
  }

  Matrix linear() const {
    Matrix out = Matrix::Zero(u.cols(), groups());
    for (Index g = 0; g < groups(); ++g) {
      for (Index b = 0; b < u.cols(); ++b) {
        for (Index n = 0; n < x.cols(); ++n) {
          out(b, g) += w[n] / w.sum() * phi(x.col(n), g, b) * eta(y.col(n), b);
        }
      }
    }
    return out;
  }

  double objective(const Matrix& alpha, double lambda) const {
    const Vector flat = alpha.reshaped();
    double out = 0.5 * flat.dot(gram() * flat) - flat.dot(linear().reshaped().matrix());
    for (Index d = 0; d < x.rows(); ++d) out += lambda * alpha.col(d).norm();
    return out;
  }

  double density(const Matrix& alpha, const Vector& at_x, const Vector& at_y) const {
    double above = 0;
    double below = 0;
    for (Index g = 0; g < groups(); ++g) {
      for (Index b = 0; b < u.cols(); ++b) {
        above += alpha(b, g) * phi(at_x, g, b) * eta(at_y, b);
        below += alpha(b, g) * phi(at_x, g, b);
      }
    }
    return above / (below * std::pow(std::sqrt(2 * std::numbers::pi) * s_y, static_cast<double>(at_y.size())));
  }
};

}  // namespace condens::plain
