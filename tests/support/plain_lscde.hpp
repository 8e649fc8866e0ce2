#pragma once
// LSCDE written as the paper writes it: loops, one cell at a time, nothing shared.
// The reference that the fast code must equal.

#include <Eigen/Cholesky>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "condens/core/types.hpp"

namespace condens::plain {

struct Lscde {
  Matrix u, v;  // centres, d x b
  Vector alpha;
  double s_x, s_y;
  double defensive = 0;
  Vector defensive_mean = {}, defensive_scale = {};

  /// eq. 8 by log-sum-exp, so that it is defined everywhere.
  double log_density(const Vector& x, const Vector& y) const {
    std::vector<double> above, below;
    for (Index l = 0; l < alpha.size(); ++l) {
      if (alpha[l] <= 0) continue;
      const double weight = std::log(alpha[l]) - (x - u.col(l)).squaredNorm() / (2 * s_x * s_x);
      below.push_back(weight);
      above.push_back(weight - (y - v.col(l)).squaredNorm() / (2 * s_y * s_y));
    }
    const double log_mass = static_cast<double>(y.size()) * std::log(std::sqrt(2 * std::numbers::pi) * s_y);
    const double own = log_sum(above) - log_sum(below) - log_mass;
    if (defensive == 0) return own;
    double other = std::log(defensive);
    for (Index k = 0; k < y.size(); ++k) {
      const double z = (y[k] - defensive_mean[k]) / defensive_scale[k];
      other -= 0.5 * z * z + std::log(std::sqrt(2 * std::numbers::pi) * defensive_scale[k]);
    }
    return log_sum({std::log1p(-defensive) + own, other});
  }

  static double log_sum(const std::vector<double>& values) {
    double largest = -std::numeric_limits<double>::infinity();
    for (const double value : values) largest = std::max(largest, value);
    double sum = 0;
    for (const double value : values) sum += std::exp(value - largest);
    return largest + std::log(sum);
  }
};

/// eq. 4, 6, 7 and 9 with weights, and unlabelled inputs in H (section 2.7); the penalty is lambda alpha' alpha, or
/// that of footnote 1 with the matrix `norm`.
inline Lscde fit(const Matrix& x, const Matrix& y, const Vector& w, const Matrix& u, const Matrix& v, double s_x,
                 double s_y, double lambda, const Matrix& x_unlabeled = Matrix(), const Matrix& norm = Matrix()) {
  const Index n = x.cols();
  const Index b = u.cols();
  const double d_y = static_cast<double>(y.rows());
  Matrix H = Matrix::Zero(b, b);
  Vector h = Vector::Zero(b);
  const auto phi = [&](const Vector& point, Index l) {
    return std::exp(-(point - u.col(l)).squaredNorm() / (2 * s_x * s_x));
  };
  for (Index l = 0; l < b; ++l) {
    for (Index m = 0; m < b; ++m) {
      const double overlap = std::pow(std::sqrt(std::numbers::pi) * s_y, d_y) *
                             std::exp(-(v.col(l) - v.col(m)).squaredNorm() / (4 * s_y * s_y));
      for (Index i = 0; i < n; ++i) H(l, m) += w[i] * overlap * phi(x.col(i), l) * phi(x.col(i), m);
      for (Index i = 0; i < x_unlabeled.cols(); ++i) {
        H(l, m) += overlap * phi(x_unlabeled.col(i), l) * phi(x_unlabeled.col(i), m);
      }
    }
    for (Index i = 0; i < n; ++i) {
      h[l] += w[i] * phi(x.col(i), l) * std::exp(-(y.col(i) - v.col(l)).squaredNorm() / (2 * s_y * s_y));
    }
  }
  H /= w.sum() + static_cast<double>(x_unlabeled.cols());
  h /= w.sum();
  H += lambda * (norm.size() > 0 ? norm : Matrix(Matrix::Identity(b, b)));
  const Vector alpha = H.llt().solve(h);
  return {.u = u, .v = v, .alpha = alpha.cwiseMax(0.0), .s_x = s_x, .s_y = s_y};
}

/// The squared error of section 2.5 at one (x, y), d_y = 1: the law as a list of normal
/// components, and the integral of its square as a double sum over them.
inline double squared_error(const Lscde& model, const Vector& x, double y) {
  struct Component {
    double weight, mean, scale;
  };
  std::vector<Component> law;
  double total = 0;
  double nearest = std::numeric_limits<double>::infinity();
  for (Index l = 0; l < model.alpha.size(); ++l) {
    if (model.alpha[l] > 0) nearest = std::min(nearest, (x - model.u.col(l)).squaredNorm());
  }
  for (Index l = 0; l < model.alpha.size(); ++l) {
    if (model.alpha[l] <= 0) continue;
    const double exponent = (nearest - (x - model.u.col(l)).squaredNorm()) / (2 * model.s_x * model.s_x);
    law.push_back({model.alpha[l] * std::exp(exponent), model.v(0, l), model.s_y});
    total += law.back().weight;
  }
  for (Component& component : law) component.weight *= (1 - model.defensive) / total;
  if (model.defensive > 0) law.push_back({model.defensive, model.defensive_mean[0], model.defensive_scale[0]});
  double integral = 0;
  for (const Component& a : law) {
    for (const Component& b : law) {
      const double scale = std::hypot(a.scale, b.scale);
      const double z = (a.mean - b.mean) / scale;
      integral += a.weight * b.weight * std::exp(-0.5 * z * z) / (std::sqrt(2 * std::numbers::pi) * scale);
    }
  }
  return 0.5 * integral - std::exp(model.log_density(x, Vector::Constant(1, y)));
}

}  // namespace condens::plain
