#pragma once
// Predictive state smoothing written as Goerg (2017) writes it: loops over rows and states,
// the N x N smoothing matrix, leaving out by leaving out. Rows are repeated, not weighted.

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "condens/core/types.hpp"

namespace condens::plain {

/// Eq. 15 and 29: softmax of [1, x] theta, n x J.
inline Matrix press_weights(const Matrix& theta, const Matrix& x) {
  Matrix out(x.cols(), theta.cols());
  for (Index i = 0; i < x.cols(); ++i) {
    double total = 0;
    for (Index j = 0; j < theta.cols(); ++j) {
      double score = theta(0, j);
      for (Index k = 0; k < x.rows(); ++k) score += theta(k + 1, j) * x(k, i);
      out(i, j) = std::exp(score);
      total += out(i, j);
    }
    out.row(i) /= total;
  }
  return out;
}

/// S = W D W' (22).
inline Matrix press_smoother(const Matrix& w) {
  Matrix s = Matrix::Zero(w.rows(), w.rows());
  for (Index i = 0; i < w.rows(); ++i) {
    for (Index k = 0; k < w.rows(); ++k) {
      for (Index j = 0; j < w.cols(); ++j) s(i, k) += w(i, j) * w(k, j) / w.col(j).sum();
    }
  }
  return s;
}

/// Mean over rows of |y - S y|^2 (28), with eq. 32 or eq. 34 as the divisor's rule.
inline double press_mse(const Matrix& w, const Matrix& y) {
  const Matrix u = y.transpose() - press_smoother(w) * y.transpose();
  return u.squaredNorm() / static_cast<double>(w.rows());
}
inline double press_loocv(const Matrix& w, const Matrix& y) {
  const Matrix s = press_smoother(w);
  const Matrix u = y.transpose() - s * y.transpose();
  double total = 0;
  for (Index i = 0; i < w.rows(); ++i) total += u.row(i).squaredNorm() / std::pow(1 - s(i, i), 2);
  return total / static_cast<double>(w.rows());
}
inline double press_gcv(const Matrix& w, const Matrix& y) {
  const double nu = press_smoother(w).trace();
  return press_mse(w, y) / std::pow(1 - nu / static_cast<double>(w.rows()), 2);
}

/// Residual of row i from state means that are computed without it.
inline Vector press_residual_without(const Matrix& w, const Matrix& y, Index i) {
  Vector prediction = Vector::Zero(y.rows());
  for (Index j = 0; j < w.cols(); ++j) {
    Vector sum = Vector::Zero(y.rows());
    double mass = 0;
    for (Index k = 0; k < w.rows(); ++k) {
      if (k == i) continue;
      sum += w(k, j) * y.col(k);
      mass += w(k, j);
    }
    prediction += w(i, j) * sum / mass;
  }
  return y.col(i) - prediction;
}
inline double press_loo(const Matrix& w, const Matrix& y) {
  double total = 0;
  for (Index i = 0; i < w.rows(); ++i) total += press_residual_without(w, y, i).squaredNorm();
  return total / static_cast<double>(w.rows());
}

/// log of the sum of the exponentials, the largest taken out.
inline double press_log_sum(const std::vector<double>& terms) {
  double largest = -std::numeric_limits<double>::infinity();
  for (const double term : terms) largest = std::max(largest, term);
  double sum = 0;
  for (const double term : terms) sum += std::exp(term - largest);
  return largest + std::log(sum);
}

/// log p_{-i}(y_i | x_i) of eq. 25 with kernels at all samples but i, in logarithms from the scores on: theta as
/// press_weights takes it, row weights a, one width for all states.
inline double press_log_density_left_out(const Matrix& theta, const Matrix& x, const Matrix& y, const Vector& a,
                                         double width, Index i) {
  const Index states = theta.cols();
  const auto log_weight = [&](Index k, Index j) {
    std::vector<double> scores;
    for (Index l = 0; l < states; ++l) scores.push_back(theta(0, l) + theta.col(l).tail(x.rows()).dot(x.col(k)));
    return scores[static_cast<std::size_t>(j)] - press_log_sum(scores);
  };
  std::vector<double> mixed;
  for (Index j = 0; j < states; ++j) {
    std::vector<double> kernels;
    std::vector<double> masses;
    for (Index k = 0; k < x.cols(); ++k) {
      if (k == i) continue;
      const double z = (y.col(i) - y.col(k)).norm() / width;
      const double norm = static_cast<double>(y.rows()) * std::log(std::sqrt(2 * std::numbers::pi) * width);
      masses.push_back(std::log(a[k]) + log_weight(k, j));
      kernels.push_back(masses.back() - 0.5 * z * z - norm);
    }
    mixed.push_back(log_weight(i, j) + press_log_sum(kernels) - press_log_sum(masses));
  }
  return press_log_sum(mixed);
}

/// log p_{-i}(y_i | x_i) of eq. 25 with kernels at all samples but i and its copies, of the states' widths.
inline double press_log_density_without(const Matrix& w, const Matrix& y, const Vector& widths, Index i) {
  double density = 0;
  for (Index j = 0; j < w.cols(); ++j) {
    double sum = 0;
    double mass = 0;
    for (Index k = 0; k < w.rows(); ++k) {
      if (w.row(k) == w.row(i) && y.col(k) == y.col(i)) continue;
      const double z = (y.col(i) - y.col(k)).norm() / widths[j];
      const double norm = std::pow(std::sqrt(2 * std::numbers::pi) * widths[j], static_cast<double>(y.rows()));
      sum += w(k, j) * std::exp(-0.5 * z * z) / norm;
      mass += w(k, j);
    }
    density += w(i, j) * sum / mass;
  }
  return std::log(density);
}

/// d f(x) / d x by central differences.
template <class Function>
Vector press_differences(const Function& f, const Vector& at, double step = 1e-5) {
  Vector out(at.size());
  for (Index k = 0; k < at.size(); ++k) {
    Vector right = at;
    Vector left = at;
    right[k] += step;
    left[k] -= step;
    out[k] = (f(right) - f(left)) / (2 * step);
  }
  return out;
}

}  // namespace condens::plain
