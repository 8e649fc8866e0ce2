#include "condens/kernels/centers.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

#include "condens/core/cancellation.hpp"
#include "condens/core/parallel.hpp"
#include "condens/core/random.hpp"
#include "gaussian_kernel.hpp"

namespace condens {

namespace {

constexpr Index samples_per_center = 50;
constexpr Index block_size = 128;

// A distance is smaller than another only beyond rounding: the two samples of a cluster of
// two are equally far from its mean, and the first one counts on every machine.
bool clearly_less(double a, double b) { return a < (1 - 1e-9) * b; }

/// Picks index i with probability proportional to mass[i]; the last positive one
/// when rounding leaves nothing.
Index draw(const Vector& mass, RandomStream& random) {
  double left = random.uniform() * mass.sum();
  Index chosen = -1;
  for (Index i = 0; i < mass.size(); ++i) {
    if (mass[i] <= 0) continue;
    chosen = i;
    left -= mass[i];
    if (left < 0) break;
  }
  return chosen;
}

/// k-means++ seeding; fewer than `count` when there are fewer different points.
std::vector<Index> seed_centers(const Matrix& points, const Vector& weights, Index count, RandomStream& random) {
  std::vector<Index> chosen{draw(weights, random)};
  Vector nearest = (points.colwise() - points.col(chosen.front())).colwise().squaredNorm().transpose();
  while (static_cast<Index>(chosen.size()) < count) {
    check_cancelled();
    const Index next = draw(weights.cwiseProduct(nearest), random);
    if (next < 0) break;
    chosen.push_back(next);
    nearest = nearest.cwiseMin((points.colwise() - points.col(next)).colwise().squaredNorm().transpose());
  }
  return chosen;
}

/// For every point the nearest centre and its squared distance.
struct Assignment {
  std::vector<Index> center;
  Vector distance;
};

Assignment assign(const Matrix& points, const Matrix& centers, int threads) {
  const Index n = points.cols();
  Assignment out{std::vector<Index>(static_cast<std::size_t>(n)), Vector(n)};
  const Matrix rows = centers.transpose();
  parallel_for(block_count(n, block_size), threads, [&](Index block) {
    const Range range = block_range(n, block_size, block);
    Matrix distances(rows.rows(), range.size());
    squared_distances(rows, points.middleCols(range.begin, range.size()), distances);
    for (Index i = 0; i < range.size(); ++i) {
      Index nearest = 0;
      for (Index l = 1; l < rows.rows(); ++l) {
        if (clearly_less(distances(l, i), distances(nearest, i))) nearest = l;
      }
      out.distance[range.begin + i] = distances(nearest, i);
      out.center[static_cast<std::size_t>(range.begin + i)] = nearest;
    }
  });
  return out;
}

void move_to_means(const Matrix& points, const Vector& weights, const Assignment& assignment, Matrix& centers) {
  Matrix sum = Matrix::Zero(centers.rows(), centers.cols());
  Vector mass = Vector::Zero(centers.cols());
  for (Index i = 0; i < points.cols(); ++i) {
    const Index center = assignment.center[static_cast<std::size_t>(i)];
    sum.col(center) += weights[i] * points.col(i);
    mass[center] += weights[i];
  }
  for (Index l = 0; l < centers.cols(); ++l) {
    if (mass[l] > 0) centers.col(l) = sum.col(l) / mass[l];
  }
}

/// The sample nearest to each centre within its cluster; empty clusters give none.
std::vector<Index> snap_to_samples(const Assignment& assignment, Index count) {
  std::vector<Index> nearest(static_cast<std::size_t>(count), -1);
  for (std::size_t i = 0; i < assignment.center.size(); ++i) {
    Index& best = nearest[static_cast<std::size_t>(assignment.center[i])];
    if (best < 0 || clearly_less(assignment.distance[static_cast<Index>(i)], assignment.distance[best])) {
      best = static_cast<Index>(i);
    }
  }
  std::erase(nearest, -1);
  return nearest;
}

/// Lexicographic order of columns.
struct ColumnLess {
  const MatrixView& points;
  bool operator()(Index a, Index b) const {
    return std::lexicographical_compare(points.col(a).begin(), points.col(a).end(), points.col(b).begin(),
                                        points.col(b).end());
  }
};

/// Copies of a point are one point of their common weight, as weights are copies.
void merge_equal(const Matrix& points, std::vector<Index>& rows, Vector& mass) {
  const std::vector<Index> first = first_equal_columns(points);
  std::vector<Index> kept;
  for (Index i = 0; i < std::ssize(first); ++i) {
    const Index place = first[static_cast<std::size_t>(i)];
    if (place == i) {
      kept.push_back(i);
    } else {
      mass[place] += mass[i];
    }
  }
  for (std::size_t k = 0; k < kept.size(); ++k) rows[k] = rows[static_cast<std::size_t>(kept[k])];
  rows.resize(kept.size());
  mass = Vector(mass(kept));
}

}  // namespace

std::vector<Index> sorted_columns(const MatrixView& points) {
  std::vector<Index> order(static_cast<std::size_t>(points.cols()));
  std::iota(order.begin(), order.end(), Index{0});
  Index compared = 0;
  std::stable_sort(order.begin(), order.end(), [&, less = ColumnLess{points}](Index a, Index b) {
    if (++compared % 4096 == 0) check_cancelled();
    return less(a, b);
  });
  return order;
}

std::vector<Index> first_equal_columns(const MatrixView& points) {
  const std::vector<Index> order = sorted_columns(points);
  std::vector<Index> out(order.size());
  Index first = -1;
  for (const Index i : order) {
    if (first < 0 || points.col(first) != points.col(i)) first = i;
    out[static_cast<std::size_t>(i)] = first;
  }
  return out;
}

std::vector<Index> random_centers(const MatrixView& points, const VectorView& weights, Index count,
                                  std::uint64_t seed) {
  const Index n = points.cols();
  RandomStream random(seed);
  Vector key(n);
  for (Index i = 0; i < n; ++i) key[i] = std::log(1.0 - random.uniform()) / weights[i];
  std::vector<Index> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), Index{0});
  std::sort(order.begin(), order.end(), [&](Index a, Index b) { return key[a] != key[b] ? key[a] > key[b] : a < b; });
  // The largest key of k copies has the law of the key of one point of k times the weight.
  const ColumnLess less{points};
  std::set<Index, ColumnLess> chosen(less);
  std::erase_if(order, [&](Index i) { return std::ssize(chosen) >= count || !chosen.insert(i).second; });
  return order;
}

std::vector<Index> kmeans_centers(const MatrixView& points, const VectorView& weights, Index count, std::uint64_t seed,
                                  int threads, Index steps) {
  const Index n = points.cols();
  std::vector<Index> rows(static_cast<std::size_t>(n));
  std::iota(rows.begin(), rows.end(), Index{0});
  if (n > samples_per_center * count) rows = random_centers(points, weights, samples_per_center * count, seed);
  Vector mass = weights(rows);
  merge_equal(points(Eigen::all, rows), rows, mass);
  if (std::ssize(rows) <= count) return rows;

  const Matrix sample = points(Eigen::all, rows);
  RandomStream random(seed, 1);
  Matrix centers = sample(Eigen::all, seed_centers(sample, mass, count, random));
  for (Index step = 0; step < steps; ++step) {
    move_to_means(sample, mass, assign(sample, centers, threads), centers);
  }
  std::vector<Index> chosen = snap_to_samples(assign(sample, centers, threads), centers.cols());
  for (Index& index : chosen) index = rows[static_cast<std::size_t>(index)];
  return chosen;
}

}  // namespace condens
