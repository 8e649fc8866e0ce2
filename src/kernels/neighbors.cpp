#include "condens/kernels/neighbors.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <nanoflann.hpp>
#include <numeric>

#include "condens/core/errors.hpp"
#include "condens/core/parallel.hpp"
#include "gaussian_kernel.hpp"
#include "linalg/vector_math.hpp"

namespace condens {

namespace {

constexpr Index fewest_for_tree = 2000;
constexpr Index most_dimensions_for_tree = 10;  // beyond, a tree visits nearly every leaf
constexpr Index leaf_size = 32;
constexpr Index scan_block = 1024;
constexpr Index most_share = 128;  // of the samples found: beyond, reading all in order is faster
// The tree sums squares in another order: it searches a little wider, and we decide.
constexpr double margin = 1 + 1e-9;

/// The samples as nanoflann reads them: the coordinates of one beside each other in memory.
struct Points {
  Matrix columns;
  std::size_t kdtree_get_point_count() const { return static_cast<std::size_t>(columns.cols()); }
  double kdtree_get_pt(std::size_t i, std::size_t k) const {
    return columns(static_cast<Index>(k), static_cast<Index>(i));
  }
  template <class Box>
  bool kdtree_get_bbox(Box&) const {
    return false;
  }
};

/// Collects candidates, and gives up where there are too many for a tree to pay.
class Collector {
 public:
  Collector(double squared_radius, std::size_t most, std::vector<Index>& rows)
      : radius_(std::max(squared_radius * margin, std::numeric_limits<double>::min())), most_(most), rows_(rows) {}

  std::size_t size() const { return rows_.size(); }
  bool full() const { return true; }
  bool addPoint(double squared_distance, std::size_t row) {
    if (squared_distance <= radius_) rows_.push_back(static_cast<Index>(row));
    return rows_.size() <= most_;
  }
  double worstDist() const { return radius_; }
  bool gave_up() const { return rows_.size() > most_; }

 private:
  double radius_;
  std::size_t most_;
  std::vector<Index>& rows_;
};

// Squared distances up to so much more are the same but for rounding.
constexpr double as_near = 1 + 1e-10;

/// The bits of squared_distances().
double squared_distance(const double* a, const VectorView& b) {
  double sum = 0.0;
  for (Index k = 0; k < b.size(); ++k) sum = multiply_add(a[k] - b[k], a[k] - b[k], sum);
  return sum;
}

}  // namespace

struct Neighbors::Tree {
  using Metric = nanoflann::L2_Simple_Adaptor<double, Points>;

  explicit Tree(const MatrixView& samples)
      : points{samples},
        index(static_cast<int>(samples.rows()), points,
              nanoflann::KDTreeSingleIndexAdaptorParams(static_cast<std::size_t>(leaf_size))) {
    index.buildIndex();
  }

  Points points;
  nanoflann::KDTreeSingleIndexAdaptor<Metric, Points, -1, std::size_t> index;
};

Neighbors::Neighbors(const MatrixView& points, NeighborSearch search) : points_(points.transpose()) {
  require(points.cols() >= 1, "Neighbors: no points, expected at least one");
  const bool worthwhile = size() >= fewest_for_tree && points_.cols() <= most_dimensions_for_tree;
  const bool wanted = search == NeighborSearch::tree || (search == NeighborSearch::automatic && worthwhile);
  if (wanted && points_.cols() > 0) tree_ = std::make_unique<const Tree>(points);
}

Neighbors::~Neighbors() = default;

Vector Neighbors::squared_distances_to(const VectorView& x) const {
  Matrix out(size(), 1);
  squared_distances(points_, x, out);
  return out.col(0);
}

void Neighbors::scan(const VectorView& x, double squared_radius, Neighborhood& out) const {
  out.clear();
  Matrix distance(scan_block, 1);
  for (Index block = 0; block < block_count(size(), scan_block); ++block) {
    const Range range = block_range(size(), scan_block, block);
    squared_distances(points_.middleRows(range.begin, range.size()), x, distance.topRows(range.size()));
    for (Index i = 0; i < range.size(); ++i) {
      if (!(distance(i, 0) <= squared_radius)) continue;
      out.rows.push_back(range.begin + i);
      out.squared_distances.push_back(distance(i, 0));
    }
  }
}

void Neighbors::within(const VectorView& x, double squared_radius, Neighborhood& out) const {
  // Where distances overflow, so do the tree's bounds.
  if (!tree_ || !std::isfinite(squared_radius)) return scan(x, squared_radius, out);
  out.clear();
  std::vector<Index> found;
  Collector collector(squared_radius, static_cast<std::size_t>(size() / most_share), found);
  tree_->index.findNeighbors(collector, x.data(), nanoflann::SearchParams());
  if (collector.gave_up()) return scan(x, squared_radius, out);
  std::sort(found.begin(), found.end());
  for (const Index row : found) {
    const double distance = squared_distance(tree_->points.columns.col(row).data(), x);
    if (!(distance <= squared_radius)) continue;
    out.rows.push_back(row);
    out.squared_distances.push_back(distance);
  }
}

void Neighbors::nearest(const VectorView& x, Neighborhood& out) const {
  if (tree_) {
    std::size_t row = 0;
    double proposed = 0.0;
    nanoflann::KNNResultSet<double> one(1);
    one.init(&row, &proposed);
    tree_->index.findNeighbors(one, x.data(), nanoflann::SearchParams());
    // Whatever rounding made of the proposal, the nearest is not farther than it. None: all distances overflow.
    const double bound = one.size() == 1
                             ? squared_distance(tree_->points.columns.col(static_cast<Index>(row)).data(), x)
                             : std::numeric_limits<double>::infinity();
    within(x, as_near * bound, out);
  } else {
    scan(x, as_near * squared_distances_to(x).minCoeff(), out);
  }
  if (out.squared_distances.empty()) {  // no distance is a number: all points are as far
    out.rows.resize(static_cast<std::size_t>(size()));
    std::iota(out.rows.begin(), out.rows.end(), Index{0});
    out.squared_distances.assign(out.rows.size(), std::numeric_limits<double>::infinity());
    return;
  }
  const double smallest = *std::min_element(out.squared_distances.begin(), out.squared_distances.end());
  std::size_t kept = 0;
  for (std::size_t i = 0; i < out.rows.size(); ++i) {
    if (out.squared_distances[i] > as_near * smallest) continue;
    out.rows[kept] = out.rows[i];
    out.squared_distances[kept++] = smallest;
  }
  out.rows.resize(kept);
  out.squared_distances.resize(kept);
}

}  // namespace condens
