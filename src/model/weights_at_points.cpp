#include "weights_at_points.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include "condens/core/errors.hpp"

namespace condens {

Vector weights_at_points(const MatrixView& points, const MatrixView& rows, const VectorView& weights) {
  const auto before = [](const auto& a, const auto& b) {
    return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end());
  };
  std::vector<Index> order(static_cast<std::size_t>(points.cols()));
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return before(points.col(a), points.col(b)); });
  Vector out = Vector::Zero(points.cols());
  for (Index i = 0; i < rows.cols(); ++i) {
    const auto found = std::lower_bound(order.begin(), order.end(), i, [&](Index point, Index row) {
      return before(points.col(point), rows.col(row));
    });
    if (found != order.end() && points.col(*found) == rows.col(i)) out[*found] += weights[i];
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
