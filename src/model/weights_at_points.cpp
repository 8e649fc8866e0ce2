#include "weights_at_points.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "condens/core/errors.hpp"

namespace condens {

Vector weights_at_points(const MatrixView& points, const MatrixView& rows, const VectorView& weights) {
  constexpr double rounding = 1e-6;  // far above that of standardisation, far below the distance of rows
  // Near in space is near along a line; a skew one, which few points share a place on.
  Vector line(points.rows());
  for (Index k = 0; k < line.size(); ++k) line[k] = std::cos(static_cast<double>(k + 1));
  const double reach = rounding * line.cwiseAbs().sum();
  const Vector place = points.transpose() * line;
  std::vector<Index> order(static_cast<std::size_t>(points.cols()));
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return place[a] < place[b]; });
  Vector out = Vector::Zero(points.cols());
  for (Index i = 0; i < rows.cols(); ++i) {
    const double own = line.dot(rows.col(i));
    Index nearest = -1;
    double least = rounding;
    for (auto at = std::lower_bound(order.begin(), order.end(), own - reach,
                                    [&](Index point, double value) { return place[point] < value; });
         at != order.end() && place[*at] <= own + reach; ++at) {
      const double distance = (points.col(*at) - rows.col(i)).cwiseAbs().maxCoeff();
      if (distance >= least) continue;
      least = distance;
      nearest = *at;
    }
    if (nearest >= 0) out[nearest] += weights[i];
  }
  if (!(out.maxCoeff() > 0)) throw NumericalError("no row with a kernel was drawn");
  return out;
}

std::vector<Index> weighted_kernels(std::string_view owner, const VectorView& weights, Index count) {
  if (weights.size() != count || !weights.allFinite() || weights.minCoeff() < 0 || !(weights.maxCoeff() > 0)) {
    throw FormatError(message(owner, ": the weights of a replicate do not fit the kernels"));
  }
  std::vector<Index> out;
  for (Index l = 0; l < count; ++l) {
    if (weights[l] > 0) out.push_back(l);
  }
  return out;
}

}  // namespace condens
