#include "condens/distributions/gaussian_components.hpp"

#include <cmath>
#include <limits>
#include <sstream>
#include <utility>

#include "linalg/decompositions.hpp"
#include "mixture_checks.hpp"

namespace condens {
namespace detail {
namespace {

constexpr auto kOwner = "GaussianComponents";

bool same(const Matrix& a, const Matrix& b) { return a.rows() == b.rows() && a.cols() == b.cols() && a == b; }

void require_factor(const MatrixView& factor, Index l, std::string_view where) {
  for (Index k = 0; k < factor.rows(); ++k) {
    const bool lower = (factor.row(k).tail(factor.rows() - k - 1).array() == 0.0).all();
    if (lower && factor(k, k) > 0.0 && std::abs(factor.row(k).squaredNorm() - 1.0) <= 1e-9) continue;
    std::ostringstream row;
    row.precision(10);
    row << factor.row(k);
    throw std::invalid_argument(
        message(where, ": the correlations of component ", l, " have row ", k, " = (", row.str(),
                "); expected the row of a lower triangular Cholesky factor: norm 1, last number > 0"));
  }
}

/// One covariance matrix: finite, symmetric, variances > 0.
void require_covariance(const MatrixView& s, Index l) {
  for (Index k = 0; k < s.rows(); ++k) {
    require(std::isfinite(s(k, k)) && s(k, k) > 0.0, kOwner, ": variance ", s(k, k), " of component ", l,
            ", coordinate ", k, "; expected a finite number > 0");
  }
  for (Index k = 0; k < s.rows(); ++k) {
    for (Index j = 0; j < k; ++j) {
      require(std::isfinite(s(k, j)) && std::isfinite(s(j, k)), kOwner, ": covariance ", s(k, j), " of component ", l,
              ", coordinates ", k, " and ", j, "; expected a finite number");
      require(std::abs(s(k, j) - s(j, k)) <= 1e-9 * std::sqrt(s(k, k)) * std::sqrt(s(j, j)), kOwner,
              ": the covariance of component ", l, " has ", s(k, j), " for coordinates ", k, ", ", j, " and ", s(j, k),
              " for ", j, ", ", k, "; expected a symmetric matrix");
    }
  }
}

}  // namespace

void require_components(const GaussianComponents& components, std::string_view where) {
  const Matrix& means = components.means;
  const Matrix& scales = components.scales;
  const Index d = means.rows();
  require(d >= 1 && means.cols() >= 1, where, ": means is ", d, " x ", means.cols(),
          "; expected at least one dimension (row) and one component (column)");
  require_shape(scales, d, means.cols(), where, "scales");
  for (Index l = 0; l < means.cols(); ++l) {
    for (Index k = 0; k < d; ++k) {
      require(std::isfinite(means(k, l)), where, ": mean ", means(k, l), " of component ", l, ", coordinate ", k,
              "; expected a finite number");
      require(std::isfinite(scales(k, l)) && scales(k, l) > 0.0, where, ": scale ", scales(k, l), " of component ", l,
              ", coordinate ", k, "; expected a finite number > 0 (a standard deviation)");
      require(std::abs(means(k, l)) <= largest_magnitude && scales(k, l) <= largest_magnitude &&
                  scales(k, l) >= smallest_scale,
              where, ": component ", l, ", coordinate ", k, " has mean ", means(k, l), " and scale ", scales(k, l),
              "; expected a mean up to ", largest_magnitude, " and a scale from ", smallest_scale, " to ",
              largest_magnitude, ": change the unit");
    }
  }
  if (!components.correlated()) return;
  require(d > 1, where, ": correlations of one coordinate; expected none");
  require_shape(components.correlations, d * d, means.cols(), where, "correlations");
  for (Index l = 0; l < means.cols(); ++l) {
    require_factor(Eigen::Map<const Matrix>(components.correlations.col(l).data(), d, d), l, where);
  }
}

}  // namespace detail

using namespace detail;

GaussianComponents GaussianComponents::from_covariances(Matrix means, const MatrixView& covariances) {
  const Index d = means.rows();
  const Index m = means.cols();
  require_shape(covariances, d * d, m, kOwner, "covariances");
  GaussianComponents out = standard(d, m, d > 1);
  bool diagonal = true;
  for (Index l = 0; l < m; ++l) {
    const Matrix covariance = covariances.col(l).reshaped(d, d);
    require_covariance(covariance, l);
    const Vector scale = covariance.diagonal().cwiseSqrt();
    const Vector inverse = scale.cwiseInverse();
    Matrix correlation = inverse.asDiagonal() * (0.5 * (covariance + covariance.transpose())) * inverse.asDiagonal();
    correlation.diagonal().setOnes();
    out.scales.col(l) = scale;
    if (d == 1 || covariance.isDiagonal(0.0)) continue;
    diagonal = false;
    const SmallCholesky cholesky(correlation);
    const Matrix& factor = cholesky.lower;
    // A pivot below the rounding of the diagonal is none.
    constexpr double rounding = std::numeric_limits<double>::epsilon();
    require(cholesky.positive_definite && factor.diagonal().cwiseAbs2().minCoeff() > static_cast<double>(d) * rounding,
            kOwner, ": the covariance of component ", l,
            " is not positive definite; expected one whose coordinates do not determine each other");
    out.correlations.col(l) = (factor.rowwise().norm().cwiseInverse().asDiagonal() * factor).reshaped();
  }
  if (diagonal) out.correlations.resize(0, 0);
  out.means = std::move(means);
  require_components(out, kOwner);
  return out;
}

GaussianComponents GaussianComponents::standard(Index d, Index m, bool correlated) {
  GaussianComponents out{Matrix::Zero(d, m), Matrix::Ones(d, m)};
  if (correlated) out.correlations = Matrix::Identity(d, d).reshaped().replicate(1, m);
  return out;
}

Matrix GaussianComponents::correlation_factor(Index l) const {
  const Index d = means.rows();
  if (!correlated()) return Matrix::Identity(d, d);
  return correlations.col(l).reshaped(d, d);
}

Matrix GaussianComponents::covariance(Index l) const {
  const Matrix factor = scales.col(l).asDiagonal() * correlation_factor(l);
  Matrix out = factor * factor.transpose();
  out.diagonal() = scales.col(l).cwiseAbs2();
  return out;
}

Matrix GaussianComponents::covariances() const {
  const Index d = means.rows();
  Matrix out(d * d, means.cols());
  for (Index l = 0; l < means.cols(); ++l) out.col(l) = covariance(l).reshaped();
  return out;
}

GaussianComponents GaussianComponents::coordinates(const std::vector<Index>& which) const {
  const Index d = std::ssize(which);
  GaussianComponents out{means(which, Eigen::all), scales(which, Eigen::all)};
  if (!correlated() || d < 2) return out;
  out.correlations.resize(d * d, means.cols());
  for (Index l = 0; l < means.cols(); ++l) {
    const Matrix rows = correlation_factor(l)(which, Eigen::all);
    const Matrix factor = SmallCholesky(rows * rows.transpose()).lower;
    out.correlations.col(l) = (factor.rowwise().norm().cwiseInverse().asDiagonal() * factor).reshaped();
  }
  return out;
}

// B - C' A^-1 C = F F' with F the last block of the covariance's factor.
GaussianComponents GaussianComponents::given_leading(Index k) const {
  const Index m = means.cols();
  const Index d = means.rows() - k;
  GaussianComponents out = standard(d, m, correlated() && d > 1);
  out.means = means.bottomRows(d);
  out.scales = scales.bottomRows(d);
  for (Index l = 0; correlated() && l < m; ++l) {
    Matrix factor = correlation_factor(l).bottomRightCorner(d, d);
    const Vector norms = factor.rowwise().norm();
    out.scales.col(l).array() *= norms.array();
    factor = norms.cwiseInverse().asDiagonal() * factor;
    if (d > 1) out.correlations.col(l) = factor.reshaped();
  }
  return out;
}

GaussianComponents GaussianComponents::columns(Index begin, Index count) const {
  GaussianComponents out{means.middleCols(begin, count), scales.middleCols(begin, count)};
  if (correlated()) out.correlations = correlations.middleCols(begin, count);
  return out;
}

void GaussianComponents::set_columns(Index to, const GaussianComponents& other) {
  const Index count = other.means.cols();
  means.middleCols(to, count) = other.means;
  scales.middleCols(to, count) = other.scales;
  if (other.correlated()) {
    correlations.middleCols(to, count) = other.correlations;
  } else if (correlated()) {
    const Index d = means.rows();
    correlations.middleCols(to, count) = Matrix::Identity(d, d).reshaped().replicate(1, count);
  }
}

bool operator==(const GaussianComponents& a, const GaussianComponents& b) {
  return same(a.means, b.means) && same(a.scales, b.scales) && same(a.correlations, b.correlations);
}

}  // namespace condens
