#include "residuals.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "linalg/vector_math.hpp"

namespace condens::boosting {

namespace {

constexpr double rows_of_prior = 2;
constexpr double quartiles_of_normal = 1.349;  // between them, in standard deviations

/// Of the values of one target, rising.
struct Middle {
  Vector sorted;
  double median;
  double scale;  ///< by the quartiles; the standard deviation where these are equal
};

Middle middle_of(const Matrix& e, Index target) {
  Middle out{.sorted = e.row(target).transpose(), .median = 0, .scale = 0};
  std::sort(out.sorted.begin(), out.sorted.end());
  const Index n = out.sorted.size();
  out.median = out.sorted[n / 2];
  out.scale = (out.sorted[(3 * n) / 4] - out.sorted[n / 4]) / quartiles_of_normal;
  if (!(out.scale > 0)) out.scale = std::sqrt((out.sorted.array() - out.median).square().mean());
  if (!(out.scale > 0)) out.scale = 1;
  return out;
}

}  // namespace

Residuals Residuals::standard_normal(Index d_y) {
  return {.weights = Vector::Ones(1), .means = Matrix::Zero(d_y, 1), .scales = Matrix::Ones(d_y, 1)};
}

Residuals Residuals::heavy_tails(Index d_y, Index components) {
  Residuals out{
      .weights = Vector(components), .means = Matrix::Zero(d_y, components), .scales = Matrix(d_y, components)};
  for (Index k = 0; k < components; ++k) {
    const double place = components == 1 ? 0.5 : static_cast<double>(k) / static_cast<double>(components - 1);
    out.weights[k] = std::pow(6.0, -2 * place);
    out.scales.col(k).setConstant(0.6 * std::pow(4.0, place));
  }
  out.weights /= out.weights.sum();
  return out;
}

Residuals Residuals::around(const Matrix& e, Index components) {
  const Index d_y = e.rows();
  Residuals out{.weights = Vector::Constant(components, 1.0 / static_cast<double>(components)),
                .means = Matrix(d_y, components),
                .scales = Matrix(d_y, components)};
  for (Index t = 0; t < d_y; ++t) {
    const Middle middle = middle_of(e, t);
    for (Index k = 0; k < components; ++k) {
      const double level = (static_cast<double>(k) + 0.5) / static_cast<double>(components);
      const auto at = static_cast<Index>(level * static_cast<double>(e.cols()));
      out.means(t, k) = 0.5 * (middle.sorted[at] + middle.median);
      out.scales(t, k) =
          middle.scale * std::pow(3.0, static_cast<double>(k) - 0.5 * static_cast<double>(components - 1));
    }
  }
  return out;
}

Matrix Residuals::shares(const MatrixView& e, Vector* log_density) const {
  const Index n = e.cols();
  const Index d_y = e.rows();
  Matrix out(n, size());
  for (Index k = 0; k < size(); ++k) {
    double unit = std::log(weights[k]);
    for (Index t = 0; t < d_y; ++t) unit -= std::log(scales(t, k));
    for (Index i = 0; i < n; ++i) {
      double square = 0;
      for (Index t = 0; t < d_y; ++t) {
        const double z = (e(t, i) - means(t, k)) / scales(t, k);
        square += z * z;
      }
      out(i, k) = unit - 0.5 * square;
    }
  }
  const Vector highest = out.rowwise().maxCoeff();
  out.colwise() -= highest;
  exp_in_place(out);
  const Vector sum = out.rowwise().sum();
  for (Index k = 0; k < size(); ++k) out.col(k).array() /= sum.array();
  if (log_density != nullptr) {
    const double constant = 0.5 * static_cast<double>(d_y) * std::log(2 * std::numbers::pi);
    *log_density = highest.array() + sum.array().log() - constant;
  }
  return out;
}

Vector Residuals::log_density(const MatrixView& e) const {
  Vector out;
  shares(e, &out);
  return out;
}

Vector Residuals::score(const MatrixView& e, Index target) const {
  const Matrix share = shares(e, nullptr);
  Vector out = Vector::Zero(e.cols());
  for (Index k = 0; k < size(); ++k) {
    const double precision = 1 / (scales(target, k) * scales(target, k));
    for (Index i = 0; i < out.size(); ++i) {
      out[i] += share(i, k) * precision * (e(target, i) - means(target, k));
    }
  }
  return out;
}

void Residuals::renew(const Matrix& e, const Vector& row_weights, int steps) {
  const Index d_y = e.rows();
  const double total = row_weights.sum();
  Vector prior(d_y);
  for (Index t = 0; t < d_y; ++t) prior[t] = std::pow(middle_of(e, t).scale, 2);
  for (int step = 0; step < steps; ++step) {
    const Matrix share = row_weights.asDiagonal() * shares(e, nullptr);
    const Vector size_of = share.colwise().sum();
    const Matrix first = e * share;
    weights = (size_of.array() + 1) / (total + static_cast<double>(size()));
    for (Index k = 0; k < size(); ++k) {
      for (Index t = 0; t < d_y; ++t) {
        if (size_of[k] > 0) means(t, k) = first(t, k) / size_of[k];
        const double square = share.col(k).dot((e.row(t).array() - means(t, k)).square().matrix().transpose());
        scales(t, k) = std::sqrt((square + rows_of_prior * prior[t]) / (size_of[k] + rows_of_prior));
      }
    }
  }
}

}  // namespace condens::boosting
