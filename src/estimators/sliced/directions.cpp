#include "condens/estimators/sliced/directions.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "condens/core/errors.hpp"
#include "condens/kernels/centers.hpp"
#include "linalg/decompositions.hpp"
#include "model/preparation.hpp"
#include "row_signs.hpp"

namespace condens {

namespace {

constexpr double negligible = 1e-10;  // share of the largest eigenvalue
constexpr double equal = 1e-8;        // a difference of eigenvalues, in the largest

/// Slices of one target by the middle of each value's share of all weight.
std::vector<Index> slices_by_order(const Eigen::RowVectorXd& y, const Vector& weights, Index n_slices) {
  std::vector<Index> order(static_cast<std::size_t>(y.size()));
  std::iota(order.begin(), order.end(), Index{0});
  std::sort(order.begin(), order.end(), [&](Index a, Index b) { return y[a] < y[b]; });
  // Runs of equal values, as [begin, end) of the order.
  std::vector<std::pair<std::size_t, std::size_t>> runs;
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (i == 0 || y[order[i]] != y[order[i - 1]]) runs.emplace_back(i, i);
    runs.back().second = i + 1;
  }
  const bool one_each = std::ssize(runs) <= n_slices;
  const double total = weights.sum();
  std::vector<Index> out(order.size());
  double below = 0;
  for (std::size_t r = 0; r < runs.size(); ++r) {
    double own = 0;
    for (std::size_t i = runs[r].first; i < runs[r].second; ++i) own += weights[order[i]];
    const double middle = (below + 0.5 * own) / total;
    const Index by_share = std::min(n_slices - 1, static_cast<Index>(middle * static_cast<double>(n_slices)));
    for (std::size_t i = runs[r].first; i < runs[r].second; ++i) {
      out[static_cast<std::size_t>(order[i])] = one_each ? static_cast<Index>(r) : by_share;
    }
    below += own;
  }
  return out;
}

/// Slices of several targets: the nearest of the centres of clusters.
std::vector<Index> slices_by_clusters(const Matrix& y, const Vector& weights, Index n_slices, Index seed, int threads) {
  const Matrix scaled = Standardizer::fit(y, weights).transform(y);
  const std::vector<Index> centers =
      kmeans_centers(scaled, weights, std::min(n_slices, y.cols()), static_cast<std::uint64_t>(seed), threads);
  std::vector<Index> out(static_cast<std::size_t>(y.cols()));
  for (Index i = 0; i < y.cols(); ++i) {
    double nearest = std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < centers.size(); ++k) {
      const double distance = (scaled.col(i) - scaled.col(centers[k])).squaredNorm();
      if (distance >= nearest) continue;
      nearest = distance;
      out[static_cast<std::size_t>(i)] = static_cast<Index>(k);
    }
  }
  return out;
}

/// u = A x of unit covariance, for centred x: A is C^(-1/2) in the space where C is regular.
struct Whitened {
  Matrix u;         // r x n
  Matrix basis;     // d_x x r: A' = V D^(-1/2), so that a direction b of u is basis b of x
  Vector variance;  // D
};

/// The eigenvectors of C from those of the smaller of the two Gram matrices of centred x.
Whitened whiten(const Matrix& centred, const Vector& share) {
  const Matrix a = centred * share.cwiseSqrt().asDiagonal();
  const bool wide = a.rows() > a.cols();
  const SymmetricEigen eigen = symmetric_eigen(wide ? Matrix(a.transpose() * a) : Matrix(a * a.transpose()));
  const Vector& values = eigen.values;  // rising
  const double least = negligible * std::max(0.0, values[values.size() - 1]);
  const Index rank = (values.array() > least).count();
  const Vector kept = values.tail(rank);
  const Matrix vectors = eigen.vectors.rightCols(rank);
  // Of A'A = Q D Q': V = A Q D^(-1/2).
  const Matrix basis = wide ? Matrix(a * vectors * kept.cwiseInverse().asDiagonal())
                            : Matrix(vectors * kept.cwiseSqrt().cwiseInverse().asDiagonal());
  return {basis.transpose() * centred, basis, kept};
}

/// The matrix whose leading eigenvectors are wanted.
Matrix kernel(const Matrix& u, const std::vector<Index>& slice, const Vector& share, SlicedMethod method) {
  const Index slices = *std::max_element(slice.begin(), slice.end()) + 1;
  Matrix out = Matrix::Zero(u.rows(), u.rows());
  for (Index h = 0; h < slices; ++h) {
    std::vector<Index> own;
    for (Index i = 0; i < u.cols(); ++i) {
      if (slice[static_cast<std::size_t>(i)] == h) own.push_back(i);
    }
    if (own.empty()) continue;
    const Vector weight = share(own);
    const double p = weight.sum();
    Matrix points = u(Eigen::all, own);
    const Vector mean = points * weight / p;
    if (method == SlicedMethod::sir) {
      out += p * mean * mean.transpose();
      continue;
    }
    points.colwise() -= mean;
    const Matrix lost = Matrix::Identity(u.rows(), u.rows()) - points * (weight / p).asDiagonal() * points.transpose();
    out += p * lost * lost;
  }
  return out;
}

/// Rows that span what the first columns of `directions` span, the largest entry positive.
Matrix rows_spanning(const Matrix& directions) {
  Matrix out = orthonormal_columns(directions).transpose();
  reduction::settle_signs(out);
  return out;
}

/// Eigenvectors of equal eigenvalues are any basis of what they span: rounding would choose it. In place of that the
/// directions go by the variance of x along them, largest first. SIR meets this whenever slices hold one row each.
Matrix in_order(const SymmetricEigen& eigen, Index count, const Vector& variance) {
  const Vector values = eigen.values.reverse();
  Matrix out = eigen.vectors.rowwise().reverse().leftCols(count);
  for (Index begin = 0; begin < count;) {
    Index end = begin + 1;
    while (end < count && values[end - 1] - values[end] <= equal * values[0]) ++end;
    if (end - begin > 1) {
      const Matrix span = out.middleCols(begin, end - begin);
      const SymmetricEigen own = symmetric_eigen(span.transpose() * variance.asDiagonal() * span);
      out.middleCols(begin, end - begin) = span * own.vectors.rowwise().reverse();
    }
    begin = end;
  }
  return out;
}

}  // namespace

SlicedBasis sliced_basis(const Dataset& data, SlicedMethod method, Index n_slices, Index seed, int threads) {
  data.check("sliced_basis");
  require(n_slices >= 2, "sliced_basis: n_slices = ", n_slices, ", expected at least 2");
  const Index d_x = data.x.rows();
  SlicedBasis none{Matrix(0, d_x), Vector(0)};
  if (d_x == 0) return none;
  Dataset storage;
  const Dataset rows = preparation::merge_copies(rows_that_count(data, storage));
  const Vector share = rows.weights / rows.weights.sum();
  Matrix centred = rows.x.colwise() - rows.x * share;
  const Standardizer scale = Standardizer::fit(rows.x, rows.weights);
  for (Index k = 0; k < d_x; ++k) {
    if (scale.is_constant(k)) centred.row(k).setZero();  // not what rounding leaves of it
  }
  if (!(centred.cwiseAbs().maxCoeff() > 0)) return none;
  const Whitened white = whiten(centred, share);
  const std::vector<Index> slice = rows.y.rows() == 1
                                       ? slices_by_order(rows.y.row(0), rows.weights, n_slices)
                                       : slices_by_clusters(rows.y, rows.weights, n_slices, seed, threads);
  const SymmetricEigen eigen = symmetric_eigen(kernel(white.u, slice, share, method));
  const Vector values = eigen.values.reverse();
  const Index count = (values.array() > negligible).count();  // whitened: at most one for SIR
  if (count == 0) return none;
  return {rows_spanning(white.basis * in_order(eigen, count, white.variance)), values.head(count)};
}

}  // namespace condens
