#include "trend_ridge.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "condens/core/errors.hpp"
#include "core/work.hpp"
#include "kernels/gaussian_kernel.hpp"
#include "linalg/decompositions.hpp"
#include "linalg/vector_math.hpp"

namespace condens::trends {

namespace {

constexpr Index rows_per_block = 256;
constexpr double delta = 1e-10;
constexpr Score impossible{std::numeric_limits<double>::infinity(), 0.0};

}  // namespace

Score score_of(const Vector& residuals, const Vector& weights, Loss loss) {
  const double total = weights.sum();
  Score out{0.0, 0.0};
  Vector influence;  // of every row on the score
  if (loss == Loss::square) {
    influence = residuals.cwiseAbs2();
    out.mean = weights.dot(influence) / total;
  } else {
    const Vector size = residuals.array().exp();
    const double mean = weights.dot(size) / total;
    out.mean = std::log(mean) - weights.dot(residuals) / total;
    influence = size / mean - residuals;
  }
  const double middle = weights.dot(influence) / total;
  const double spread = weights.dot((influence.array() - middle).square().matrix()) / total;
  out.standard_error = std::sqrt(spread / std::max(total, static_cast<double>(weights.size())));
  if (!std::isfinite(out.mean) || !std::isfinite(out.standard_error)) return impossible;
  return out;
}

Features::Features(const Matrix& centers, double width, double rho)
    : d_x_(centers.rows()),
      width_(width),
      rho_(rho),
      rows_(width > 0 ? Matrix((centers / width).transpose()) : Matrix(0, centers.rows())) {}

Matrix Features::operator()(const MatrixView& x) const {
  Matrix out(size(), x.cols());
  if (rows_.rows() > 0) {
    Matrix kernels(rows_.rows(), x.cols());
    squared_distances(rows_, Matrix(x / width_), kernels);
    kernels *= -0.5;
    exp_in_place(kernels);
    out.topRows(rows_.rows()) = kernels;
  }
  if (rho_ > 0) out.bottomRows(d_x_) = rho_ * x;
  return out;
}

Matrix Features::penalty_factor() const {
  const Index m = rows_.rows();
  Matrix out = Matrix::Identity(size(), size());
  if (m == 0) return out;
  Matrix kernels(m, m);
  squared_distances(rows_, Matrix(rows_.transpose()), kernels);
  kernels *= -0.5;
  exp_in_place(kernels);
  kernels.diagonal().array() += delta;
  const SmallCholesky factor(kernels);
  if (!factor.positive_definite) throw NumericalError("the kernels of a trend's centres are not independent");
  out.topLeftCorner(m, m) = factor.lower;
  return out;
}

Trend Features::trend(double a, const Vector& c) const {
  Trend out = Trend::constant(a, d_x_);
  if (rho_ > 0) out.slopes = rho_ * c.tail(d_x_);
  if (rows_.rows() == 0) return out;
  out.length_scales.setConstant(width_);
  out.centers = width_ * rows_.transpose();
  out.coefficients = c.head(rows_.rows());
  return out;
}

RidgePath::RidgePath(Features features, const Dataset& data, Task& task)
    : features_(std::move(features)), data_(data), total_(data.weights.sum()) {
  const Index m = features_.size();
  const Index n = data.size();
  mean_ = Vector::Zero(m);
  for (Index block = 0; block < block_count(n, rows_per_block); ++block) {
    task.poll();
    const Range rows = block_range(n, rows_per_block, block);
    mean_ += features_(data.x.middleCols(rows.begin, rows.size())) * data.weights.segment(rows.begin, rows.size());
  }
  mean_ /= total_;
  y_mean_ = data.y * data.weights / total_;

  rotation_ = Matrix::Identity(m, m);
  features_.penalty_factor().triangularView<Eigen::Lower>().solveInPlace(rotation_);  // L^-1
  Matrix gram = Matrix::Zero(m, m);
  Matrix right = Matrix::Zero(m, data.y.rows());
  for (Index block = 0; block < block_count(n, rows_per_block); ++block) {
    task.poll();
    const Range rows = block_range(n, rows_per_block, block);
    const Vector root = data.weights.segment(rows.begin, rows.size()).cwiseSqrt();
    const Matrix phi = rotated(rows) * root.asDiagonal();
    gram.selfadjointView<Eigen::Lower>().rankUpdate(phi);
    count_work(work::product / 2 * static_cast<double>(m * m) * static_cast<double>(rows.size()));
    const Matrix y = (data.y.middleCols(rows.begin, rows.size()).colwise() - y_mean_) * root.asDiagonal();
    right.noalias() += phi * y.transpose();
  }
  const SymmetricEigen eigen = symmetric_eigen(gram);
  if (!eigen.found) throw NumericalError("the features of a trend have no eigenvectors");
  eigenvalues_ = eigen.values.cwiseMax(0.0);
  rotation_ = (eigen.vectors.transpose() * rotation_).eval();
  projected_ = eigen.vectors.transpose() * right;
}

Matrix RidgePath::rotated(const Range& rows) const {
  const double features = static_cast<double>(rotation_.rows());
  count_work(work::product * features * features * static_cast<double>(rows.size()));
  return rotation_ * (features_(data_.x.middleCols(rows.begin, rows.size())).colwise() - mean_);
}

Matrix RidgePath::shrinkage(const std::vector<double>& lambda) const {
  Matrix out(eigenvalues_.size(), std::ssize(lambda));
  for (Index j = 0; j < out.cols(); ++j) {
    out.col(j) = (eigenvalues_.array() + lambda[static_cast<std::size_t>(j)] * total_).inverse();
  }
  return out;
}

std::vector<std::vector<Score>> RidgePath::scores(const std::vector<double>& lambda, Loss loss, Task& task) const {
  const Index n = data_.size();
  const Index count = std::ssize(lambda);
  const Matrix shrunk = shrinkage(lambda);
  std::vector<Matrix> residuals(static_cast<std::size_t>(data_.y.rows()), Matrix(n, count));
  Vector largest = Vector::Zero(count);  // leverage
  for (Index block = 0; block < block_count(n, rows_per_block); ++block) {
    task.poll();
    const Range rows = block_range(n, rows_per_block, block);
    const Vector w = data_.weights.segment(rows.begin, rows.size());
    const Matrix z = rotated(rows);
    const Matrix leverage = w.asDiagonal() * ((z.cwiseAbs2().transpose() * shrunk).array() + 1.0 / total_).matrix();
    largest = largest.cwiseMax(leverage.colwise().maxCoeff().transpose());
    for (std::size_t t = 0; t < residuals.size(); ++t) {
      const auto target = static_cast<Index>(t);
      const Matrix fits = z.transpose() * (shrunk.array().colwise() * projected_.col(target).array()).matrix();
      for (Index j = 0; j < count; ++j) {
        for (Index i = 0; i < rows.size(); ++i) {
          const double residual = data_.y(target, rows.begin + i) - y_mean_[target] - fits(i, j);
          residuals[t](rows.begin + i, j) = left_out(residual, leverage(i, j));
        }
      }
    }
  }
  std::vector<std::vector<Score>> out(residuals.size());
  for (std::size_t t = 0; t < residuals.size(); ++t) {
    for (Index j = 0; j < count; ++j) {
      out[t].push_back(largest[j] < 1 ? score_of(residuals[t].col(j), data_.weights, loss) : impossible);
    }
  }
  return out;
}

Trend RidgePath::trend(Index target, double lambda) const {
  const Vector c = rotation_.transpose() * projected_.col(target).cwiseProduct(shrinkage({lambda}).col(0));
  return features_.trend(y_mean_[target] - c.dot(mean_), c);
}

Vector RidgePath::residuals(Index target, double lambda) const {
  const Index n = data_.size();
  const Vector shrunk = shrinkage({lambda}).col(0);
  const Vector gain = projected_.col(target).cwiseProduct(shrunk);
  Vector out(n);
  for (Index block = 0; block < block_count(n, rows_per_block); ++block) {
    const Range rows = block_range(n, rows_per_block, block);
    const Matrix z = rotated(rows);
    for (Index i = 0; i < rows.size(); ++i) {
      const double w = data_.weights[rows.begin + i];
      const double leverage = w * (1.0 / total_ + shrunk.dot(z.col(i).cwiseAbs2()));
      out[rows.begin + i] = left_out(data_.y(target, rows.begin + i) - y_mean_[target] - gain.dot(z.col(i)), leverage);
    }
  }
  return out;
}

}  // namespace condens::trends
