#include "point_blocks.hpp"

#include <algorithm>
#include <numeric>

#include "condens/core/cancellation.hpp"

namespace condens {

namespace {

/// Points by number, arranged so that every strip and block of neighbours is a run.
class Arrangement {
 public:
  Arrangement(const MatrixView& points, std::vector<Index> order) : points_(points), order_(std::move(order)) {
    arrange(0, std::ssize(order_));
  }
  const std::vector<Index>& order() const { return order_; }

 private:
  void arrange(Index begin, Index end) {
    const Index unit = end - begin > PointBlocks::block ? PointBlocks::block : PointBlocks::strip;
    const Index units = (end - begin + unit - 1) / unit;
    if (units < 2 || points_.rows() == 0) return;
    if (end - begin > 4096) check_cancelled();
    const Index middle = begin + units / 2 * unit;
    const Index k = longest_side(begin, end);
    const auto before = [&](Index a, Index b) {
      return points_(k, a) < points_(k, b) || (points_(k, a) == points_(k, b) && a < b);
    };
    std::nth_element(order_.begin() + begin, order_.begin() + middle, order_.begin() + end, before);
    arrange(begin, middle);
    arrange(middle, end);
  }

  Index longest_side(Index begin, Index end) const {
    Vector low = points_.col(order_[static_cast<std::size_t>(begin)]);
    Vector high = low;
    for (Index i = begin + 1; i < end; ++i) {
      const auto point = points_.col(order_[static_cast<std::size_t>(i)]);
      low = low.cwiseMin(point);
      high = high.cwiseMax(point);
    }
    Index k = 0;
    (high - low).maxCoeff(&k);
    return k;
  }

  const MatrixView& points_;
  std::vector<Index> order_;
};

Boxes boxes_of(const Matrix& points, Index size) {
  const Index count = points.rows() / size;
  Boxes out{Matrix(count, points.cols()), Matrix(count, points.cols())};
  for (Index i = 0; i < count; ++i) {
    out.low.row(i) = points.middleRows(i * size, size).colwise().minCoeff();
    out.high.row(i) = points.middleRows(i * size, size).colwise().maxCoeff();
  }
  return out;
}

}  // namespace

double Boxes::nearest(const Boxes& a, Index i, const Boxes& b, Index j) {
  double out = 0;
  for (Index k = 0; k < a.low.cols(); ++k) {
    const double gap = std::max({0.0, a.low(i, k) - b.high(j, k), b.low(j, k) - a.high(i, k)});
    out += gap * gap;
  }
  return out;
}

double Boxes::farthest(const Boxes& a, Index i, const Boxes& b, Index j) {
  double out = 0;
  for (Index k = 0; k < a.low.cols(); ++k) {
    const double reach = std::max(a.high(i, k) - b.low(j, k), b.high(j, k) - a.low(i, k));
    out += reach * reach;
  }
  return out;
}

PointBlocks::PointBlocks(const MatrixView& of, const VectorView& weights_of, const std::vector<Index>& fold_of_point)
    : row_of(static_cast<std::size_t>(of.cols())) {
  const Index folds = fold_of_point.empty() ? 1 : *std::max_element(fold_of_point.begin(), fold_of_point.end()) + 1;
  std::vector<std::vector<Index>> members(static_cast<std::size_t>(folds));
  for (Index i = 0; i < of.cols(); ++i) {
    members[fold_of_point.empty() ? 0 : static_cast<std::size_t>(fold_of_point[static_cast<std::size_t>(i)])].push_back(
        i);
  }
  std::vector<Index> point_of_row;
  for (Index k = 0; k < folds; ++k) {
    const Arrangement arranged(of, std::move(members[static_cast<std::size_t>(k)]));
    for (const Index i : arranged.order()) {
      row_of[static_cast<std::size_t>(i)] = std::ssize(point_of_row);
      point_of_row.push_back(i);
    }
    while (std::ssize(point_of_row) % block != 0) point_of_row.push_back(point_of_row.back());
    fold.resize(point_of_row.size() / block, k);
  }
  points = of(Eigen::all, point_of_row).transpose();
  weights = Vector::Zero(points.rows());
  weights(row_of) = weights_of;
  blocks = boxes_of(points, block);
  strips = boxes_of(points, strip);
}

}  // namespace condens
