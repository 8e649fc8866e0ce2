#include "smoothing.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "linalg/vector_math.hpp"

namespace condens::forest {

namespace {

constexpr double least_share = 1e-9;   // of some 500 atoms at most: below 1e-6 in all
constexpr double least_spread = 0.01;  // of y at x, beside twice its spread over all rows
constexpr double joined_within = 0.2;  // widths

/// A component in the making.
struct Cluster {
  double first;
  double share = 0;
  double moment = 0;  // around `first`
  double square = 0;
};

}  // namespace

Smoothing::Kept Smoothing::keep(const VectorView& shares) const {
  Kept out;
  for (Index k = 0; k < shares.size(); ++k) {
    if (shares[k] > least_share) out.atoms.push_back(k);
  }
  out.shares = shares(out.atoms);
  out.shares /= out.shares.sum();
  const Matrix means = atoms_(Eigen::all, out.atoms);
  const Vector mean = means * out.shares;
  const Matrix squares = (means.colwise() - mean).cwiseAbs2() + spreads_(Eigen::all, out.atoms).cwiseAbs2();
  out.spread = (squares * out.shares + (least_spread * defensive_.scale).cwiseAbs2()).cwiseSqrt();
  return out;
}

double Smoothing::width_of(const Width& width, double spread) const {
  return width.bandwidth * (width.sensitivity == 0 ? 1.0 : std::pow(spread, width.sensitivity));
}

Vector Smoothing::log_pdf(const VectorView& shares, const VectorView& y, const std::vector<Width>& widths) const {
  const Kept kept = keep(shares);
  const Matrix squares_off = (atoms_(Eigen::all, kept.atoms).colwise() - y).cwiseAbs2().transpose();  // atoms x d_y
  const Matrix own_variances = spreads_(Eigen::all, kept.atoms).cwiseAbs2().transpose();
  const double log_unit = 0.5 * std::log(2 * std::numbers::pi) * static_cast<double>(y.size());
  const double other = defensive_.weight > 0 ? defensive_.log_density(y)[0] : 0.0;
  Vector exponent(kept.shares.size());
  Vector factor(kept.shares.size());
  Vector out(std::ssize(widths));
  for (Index c = 0; c < out.size(); ++c) {
    exponent.setZero();
    factor = kept.shares;
    for (Index k = 0; k < y.size(); ++k) {
      const double width = width_of(widths[static_cast<std::size_t>(c)], kept.spread[k]);
      const auto variance = own_variances.col(k).array() + width * width;
      exponent.array() -= 0.5 * squares_off.col(k).array() / variance;
      factor.array() /= variance.sqrt();
    }
    const double highest = exponent.maxCoeff();
    exponent.array() -= highest;
    exp_in_place(exponent.data(), exponent.size());
    out[c] = defensive_.log_mixed(highest + std::log(exponent.dot(factor)) - log_unit, other);
  }
  return out;
}

GaussianMixtures Smoothing::mixtures(const Matrix& shares, const Width& width) const {
  const Index n = shares.cols();
  const Index d = atoms_.rows();
  std::vector<Matrix> parts;  // of every x: log share, means, scales as rows
  Index most = 1;
  for (Index i = 0; i < n; ++i) {
    const Kept kept = keep(shares.col(i));
    const Index m = kept.shares.size();
    Matrix own(1 + 2 * d, m);
    Vector h(d);
    for (Index k = 0; k < d; ++k) h[k] = width_of(width, kept.spread[k]);
    Index used = 0;
    if (d > 1) {
      own.row(0) = kept.shares.transpose();
      own.middleRows(1, d) = atoms_(Eigen::all, kept.atoms);
      own.bottomRows(d) = (spreads_(Eigen::all, kept.atoms).cwiseAbs2().colwise() + h.cwiseAbs2()).cwiseSqrt();
      used = m;
    }
    for (Index l = 0; d == 1 && l < m;) {
      Cluster cluster{.first = atoms_(0, kept.atoms[static_cast<std::size_t>(l)])};
      for (; l < m; ++l) {
        const Index atom = kept.atoms[static_cast<std::size_t>(l)];
        const double off = atoms_(0, atom) - cluster.first;
        if (off > joined_within * h[0]) break;
        cluster.share += kept.shares[l];
        cluster.moment += kept.shares[l] * off;
        cluster.square += kept.shares[l] * (off * off + spreads_(0, atom) * spreads_(0, atom));
      }
      const double mean = cluster.moment / cluster.share;
      const double variance = std::max(0.0, cluster.square / cluster.share - mean * mean);
      own.col(used++) << cluster.share, cluster.first + mean, std::sqrt(h[0] * h[0] + variance);
    }
    own.row(0) = own.row(0).array().log();
    parts.emplace_back(own.leftCols(used));
    most = std::max(most, used);
  }
  const Index last = defensive_.weight > 0 ? 1 : 0;
  const Index m = most + last;
  Matrix means(d, m * n);
  Matrix scales(d, m * n);
  Matrix log_weights = Matrix::Constant(m, n, -infinity);
  for (Index i = 0; i < n; ++i) {
    const Matrix& own = parts[static_cast<std::size_t>(i)];
    const Index used = own.cols();
    log_weights.col(i).head(used) = own.row(0).transpose().array() + std::log1p(-defensive_.weight);
    means.middleCols(i * m, used) = own.middleRows(1, d);
    scales.middleCols(i * m, used) = own.bottomRows(d);
    for (Index l = used; l < m; ++l) {  // components without weight are those of the broad Gaussian
      means.col(i * m + l) = defensive_.mean;
      scales.col(i * m + l) = defensive_.scale;
    }
    if (last > 0) log_weights(m - 1, i) = std::log(defensive_.weight);
  }
  return GaussianMixtures::separate(std::move(means), std::move(scales), std::move(log_weights));
}

}  // namespace condens::forest
