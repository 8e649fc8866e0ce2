#include "condens/data/standardizer.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "condens/core/cancellation.hpp"
#include "condens/core/errors.hpp"
#include "condens/data/dataset.hpp"

namespace condens {

namespace {

/// Centre and half width of every row's range. Deviations from the centre, in half
/// widths, lie in [-1, 1]: their moments neither overflow nor cancel.
struct Ranges {
  Vector centre;
  Vector half;
};

Ranges ranges(const MatrixView& data, const Vector& weights) {
  Vector low = Vector::Constant(data.rows(), std::numeric_limits<double>::infinity());
  Vector high = -low;
  for (Index j = 0; j < data.cols(); ++j) {
    if (weights[j] == 0) continue;
    for (Index i = 0; i < data.rows(); ++i) {
      low[i] = std::min(low[i], data(i, j));
      high[i] = std::max(high[i], data(i, j));
    }
  }
  Ranges out{Vector(data.rows()), high / 2 - low / 2};
  for (Index i = 0; i < data.rows(); ++i) out.centre[i] = std::midpoint(low[i], high[i]);
  return out;
}

/// The farthest that a standardised value lies out: its square over that of a narrow width is a number, and columns
/// that stay as they are have no such values (data/column_unit.hpp).
constexpr double farthest = 1e120;

double in_half_widths(double value, double centre, double half) { return half > 0 ? (value - centre) / half : 0.0; }

}  // namespace

Standardizer::Standardizer(Vector mean, Vector scale) : mean_(std::move(mean)), scale_(std::move(scale)) {}

Standardizer Standardizer::identity(Index dimension) { return {Vector::Zero(dimension), Vector::Ones(dimension)}; }

Standardizer Standardizer::among(Index dimension, const std::vector<Index>& rows) const {
  Standardizer out{Vector::Zero(dimension), Vector::Zero(dimension)};
  out.mean_(rows) = mean_;
  out.scale_(rows) = scale_;
  return out;
}

Standardizer Standardizer::fit(const MatrixView& data, const VectorView& weights) {
  check_cancelled();
  require(data.cols() > 0, "Standardizer::fit: no rows, expected at least one observation");
  require(weights.size() == 0 || weights.size() == data.cols(), "Standardizer::fit: ", weights.size(), " weights for ",
          data.cols(), " rows, expected one weight per row or none");
  const Vector w = weights.size() > 0 ? counted_weights(weights) : Vector(Vector::Ones(data.cols()));
  require((w.array() >= 0).all() && (w.array() > 0).any(),
          "Standardizer::fit: weights must be >= 0, and at least one positive");
  const auto [centre, half] = ranges(data, w);

  double total = 0;
  double positive = 0;
  Vector first = Vector::Zero(data.rows());  // sums over columns in their order: same bits for any alignment
  for (Index j = 0; j < data.cols(); ++j) {
    total += w[j];
    positive += w[j] > 0 ? 1 : 0;
    if (w[j] == 0) continue;
    for (Index i = 0; i < data.rows(); ++i) {
      first[i] += w[j] * in_half_widths(data(i, j), centre[i], half[i]);
    }
  }
  first /= total;
  check_cancelled();
  Vector second = Vector::Zero(data.rows());
  for (Index j = 0; j < data.cols(); ++j) {
    if (w[j] == 0) continue;
    for (Index i = 0; i < data.rows(); ++i) {
      const double deviation = in_half_widths(data(i, j), centre[i], half[i]) - first[i];
      second[i] += w[j] * deviation * deviation;
    }
  }

  const double divisor = total * (1 - 1 / std::max(total, positive));
  Vector scale = Vector::Zero(data.rows());
  for (Index i = 0; i < data.rows(); ++i) {
    if (half[i] > 0) scale[i] = half[i] * std::sqrt(second[i] / divisor);
  }
  return {centre + half.cwiseProduct(first), scale};
}

Matrix Standardizer::transform(const MatrixView& data) const {
  check_cancelled();
  require(data.rows() == dimension(), "Standardizer::transform: ", data.rows(), " columns, expected ", dimension());
  Matrix out(data.rows(), data.cols());
  for (Index j = 0; j < data.cols(); ++j) {
    const double* value = data.col(j).data();
    double* standardized = out.col(j).data();
    for (Index i = 0; i < out.rows(); ++i) {  // without a branch, which the compiler makes vector instructions of
      const double z = (value[i] - mean_.data()[i]) / scale_.data()[i];
      standardized[i] = std::clamp(z, -farthest, farthest);
    }
  }
  for (Index i = 0; i < out.rows(); ++i) {
    if (is_constant(i)) out.row(i).setZero();
  }
  return out;
}

Matrix Standardizer::inverse_transform(const MatrixView& data) const {
  require(data.rows() == dimension(), "Standardizer::inverse_transform: ", data.rows(), " columns, expected ",
          dimension());
  Matrix out(data.rows(), data.cols());
  for (Index j = 0; j < data.cols(); ++j) {
    for (Index i = 0; i < data.rows(); ++i) {
      out(i, j) = is_constant(i) ? mean_[i] : mean_[i] + scale_[i] * data(i, j);
    }
  }
  return out;
}

Document Standardizer::to_document() const {
  Document out;
  out.set("mean", mean_).set("scale", scale_);
  return out;
}

Standardizer Standardizer::from_document(const Document& document) {
  Standardizer out(document.at("mean").as_vector(), document.at("scale").as_vector());
  if (out.mean_.size() != out.scale_.size()) {
    throw FormatError(message("standardizer: ", out.mean_.size(), " means and ", out.scale_.size(), " scales"));
  }
  if (!out.mean_.allFinite() || !out.scale_.allFinite() || (out.scale_.array() < 0).any()) {
    throw FormatError("standardizer: means must be finite, and scales finite and >= 0");
  }
  return out;
}

}  // namespace condens
