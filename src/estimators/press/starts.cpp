#include "starts.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "condens/core/parallel.hpp"
#include "condens/core/random.hpp"
#include "condens/estimators/press/objective.hpp"
#include "condens/kernels/centers.hpp"
#include "kernels/gaussian_kernel.hpp"
#include "optim/owlqn.hpp"

namespace condens::press {

namespace {

constexpr Index label_steps = 30;
constexpr double label_ridge = 1e-2;
constexpr Index rows_of_chunk = 1024;

/// The nearest of `centers` to every point.
std::vector<Index> nearest(const Matrix& points, const Matrix& centers) {
  std::vector<Index> out(static_cast<std::size_t>(points.cols()));
  const Matrix rows = centers.transpose();
  for (Index block = 0; block < block_count(points.cols(), rows_of_chunk); ++block) {
    const Range range = block_range(points.cols(), rows_of_chunk, block);
    Matrix distances(rows.rows(), range.size());
    squared_distances(rows, points.middleCols(range.begin, range.size()), distances);
    for (Index i = 0; i < range.size(); ++i) {
      distances.col(i).minCoeff(&out[static_cast<std::size_t>(range.begin + i)]);
    }
  }
  return out;
}

std::vector<Index> clusters_of(const Matrix& points, const Vector& weights, Index count, Index seed, int threads) {
  const std::vector<Index> chosen = kmeans_centers(points, weights, count, static_cast<std::uint64_t>(seed), threads);
  return nearest(points, points(Eigen::all, chosen));
}

}  // namespace

Vector random_start(const PressMap& map, std::uint64_t seed, std::uint64_t stream) {
  RandomStream random(seed, stream);
  Vector out(map.n_parameters());
  for (Index l = 0; l < map.n_layers(); ++l) {
    auto layer = map.layer(out, l);
    const double scale = 1 / std::sqrt(static_cast<double>(std::max<Index>(1, layer.rows() - 1)));
    for (double& value : layer.reshaped()) value = scale * random.normal();
  }
  return map.centered(std::move(out));
}

std::vector<Index> classes_of_y(const Dataset& rows, Index states, Index seed, int threads) {
  if (rows.y.rows() > 1) return clusters_of(rows.y, rows.weights, states, seed, threads);
  const Index n = rows.size();
  std::vector<Index> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return rows.y(0, a) < rows.y(0, b); });
  const double total = rows.weights.sum();
  std::vector<Index> out(order.size());
  double before = 0;
  for (std::size_t k = 0; k < order.size();) {  // equal values stay together
    std::size_t end = k;
    double mass = 0;
    while (end < order.size() && rows.y(0, order[end]) == rows.y(0, order[k])) mass += rows.weights[order[end++]];
    const double middle = (before + 0.5 * mass) / total;
    const Index label = std::min(states - 1, static_cast<Index>(middle * static_cast<double>(states)));
    for (; k < end; ++k) out[static_cast<std::size_t>(order[k])] = label;
    before += mass;
  }
  return out;
}

std::vector<Index> clusters(const Dataset& rows, Index states, Index seed, int threads) {
  Matrix points(rows.x.rows() + rows.y.rows(), rows.size());
  const double balance =
      rows.x.rows() == 0 ? 1.0 : std::sqrt(static_cast<double>(rows.x.rows()) / static_cast<double>(rows.y.rows()));
  if (rows.x.rows() > 0) points.topRows(rows.x.rows()) = rows.x;
  points.bottomRows(rows.y.rows()) = balance * rows.y;
  return clusters_of(points, rows.weights, states, seed, threads);
}

Vector fit_labels(const Dataset& rows, const PackedObservations* packed, const PressMap& map,
                  const std::vector<Index>& labels, const Vector& start, int threads,
                  const std::function<void()>& poll) {
  struct Part {
    double value = 0;
    Vector gradient;
  };
  const double total = rows.weights.sum();
  std::vector<Part> parts(static_cast<std::size_t>(block_count(rows.size(), rows_of_chunk)));
  const auto objective = [&](const Vector& theta, Vector& gradient) {
    parallel_for(std::ssize(parts), threads, [&](Index block) {
      const auto [begin, end] = block_range(rows.size(), rows_of_chunk, block);
      const PressInputs x{rows.x.middleCols(begin, end - begin), packed, begin};
      std::vector<Matrix> hidden;
      Matrix w = map.scores(theta, x, &hidden);
      softmax_columns(w);
      Part& part = parts[static_cast<std::size_t>(block)];
      part = {0, Vector::Zero(theta.size())};
      for (Index i = begin; i < end; ++i) {
        double& own = w(labels[static_cast<std::size_t>(i)], i - begin);
        const double share = rows.weights[i] / total;
        part.value -= share * std::log(std::max(own, 1e-300));
        own -= 1;
        w.col(i - begin) *= share;
      }
      map.add_gradient(theta, x, hidden, std::move(w), part.gradient);
    });
    const Vector coefficients = theta.cwiseProduct(map.is_coefficient());
    double value = 0.5 * label_ridge * coefficients.squaredNorm();
    gradient = label_ridge * coefficients;
    for (const Part& part : parts) {
      value += part.value;
      gradient += part.gradient;
    }
    return value;
  };
  return minimize_l1(objective, start, Vector::Zero(start.size()), {.max_iterations = label_steps, .unit = 1}, poll).x;
}

Vector split_states(const Dataset& rows, const PressMap& map, Vector theta, const PressMap& larger,
                    std::uint64_t seed) {
  const Matrix w = map.weights(theta, rows.x);
  const PressStates states = press_states(w, rows.y, rows.weights);
  std::vector<double> spread;  // sum of squares in every state
  for (Index j = 0; j < w.rows(); ++j) {
    const Vector squares = (rows.y.colwise() - states.means.col(j)).colwise().squaredNorm();
    spread.push_back(w.row(j).transpose().cwiseProduct(rows.weights).dot(squares));
  }
  Vector out = Vector::Zero(larger.n_parameters());
  const Index last = map.n_layers() - 1;
  for (Index l = 0; l < last; ++l) larger.layer(out, l) = map.layer(theta, l);
  auto columns = larger.layer(out, last);
  columns.leftCols(map.n_states()) = map.layer(theta, last);
  RandomStream random(seed, static_cast<std::uint64_t>(larger.n_states()));
  for (Index j = map.n_states(); j < larger.n_states(); ++j) {
    const Index widest = std::max_element(spread.begin(), spread.end()) - spread.begin();
    Vector move(columns.rows());
    for (double& value : move) value = 0.3 * random.normal();
    columns(0, widest) -= std::log(2.0);  // each half has half of the weight
    columns.col(j) = columns.col(widest) - move;
    columns.col(widest) += move;
    spread[static_cast<std::size_t>(widest)] *= 0.5;
    spread.push_back(spread[static_cast<std::size_t>(widest)]);
  }
  return larger.centered(std::move(out));
}

}  // namespace condens::press
