#include "starts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "condens/core/errors.hpp"
#include "condens/core/random.hpp"
#include "condens/data/standardizer.hpp"
#include "condens/estimators/nadaraya_watson/leave_one_out.hpp"
#include "condens/estimators/nadaraya_watson/metric.hpp"
#include "condens/estimators/sliced/directions.hpp"
#include "condens/optim/lbfgs.hpp"
#include "linalg/decompositions.hpp"
#include "optim/grassmann.hpp"

namespace condens::lsce {

namespace {

constexpr Index slices = 10;
constexpr Index most_rows = 200;  // of the likelihood, whose cost grows with their square
constexpr Index most_steps = 20;
constexpr double least_width_y = 0.01;
constexpr double largest_width_y = 3;

/// The directions of a matrix by their singular values: orthonormal rows that span the same space.
Matrix leading_directions(const Matrix& m, Index count) {
  return right_singular_vectors(m).leftCols(count).transpose();
}

}  // namespace

Matrix given_start(const Matrix& directions, const Standardizer& scale, const std::vector<Index>& varying) {
  if (directions.size() == 0) return Matrix(0, std::ssize(varying));
  return Matrix(directions(varying, Eigen::all)).transpose() * scale.scale()(varying).asDiagonal();
}

void check_starts(std::string_view owner, bool informed, Index random, const Matrix& directions, Index n_inputs) {
  require(directions.size() == 0 || directions.rows() == n_inputs, owner, ": start_directions have ", directions.rows(),
          " numbers each, expected one for each of the ", n_inputs, " inputs");
  require(informed || random > 0 || directions.size() > 0, owner,
          ": random_starts = 0 and informed_starts = false, expected some start");
}

Starts::Starts(const Dataset& data, const StartSettings& settings, int threads)
    : n_inputs_(data.x.rows()), settings_(settings) {
  if (!settings.informed) return;
  rows_ = rows_to_compare(data, true, most_rows, settings.seed);
  if (!settings.standardized) {  // one factor for all inputs: directions stay
    const double spread = Standardizer::fit(data.x, data.weights).scale().norm();
    rows_.x = Matrix(std::sqrt(static_cast<double>(n_inputs_)) / spread * rows_.x);
    rows_.y = Standardizer::fit(data.y, data.weights).transform(rows_.y);
  }
  sir_ = sliced_basis(data, SlicedMethod::sir, slices, settings.seed, threads).components;
  save_ = sliced_basis(data, SlicedMethod::save, slices, settings.seed, threads).components;
}

Matrix Starts::random_rows(Index rows, std::uint64_t stream) const {
  RandomStream random(static_cast<std::uint64_t>(settings_.seed), 1000 + stream);
  Matrix out(rows, n_inputs_);
  for (double& value : out.reshaped()) value = random.normal();
  return out;
}

/// Quasi-Newton steps over all of W, whose size is the inverse of a width, and log h_y, from the best of `candidates`.
Matrix Starts::nw_metric(const std::vector<Matrix>& candidates, int threads, const std::function<bool()>& stop) const {
  const Index d_z = candidates.front().rows();
  const Index size = candidates.front().size();
  if (rows_.size() < 3) return candidates.front();
  const NwLeaveOneOut likelihood(rows_.x, rows_.y, rows_.weights, Defensive::fit(settings_.defensive_weight, rows_));
  const auto objective = [&](const Vector& at, Vector& gradient) {
    const NwLikelihood here =
        likelihood.of_matrix(at.head(size).reshaped(d_z, n_inputs_), std::exp(at[size]), threads, {});
    gradient << -here.gradient.reshaped(), -here.gradient_y;
    return -here.value;
  };
  Vector lower = Vector::Constant(size + 1, -std::numeric_limits<double>::infinity());
  Vector upper = -lower;
  lower[size] = std::log(least_width_y);
  upper[size] = std::log(largest_width_y);
  const LbfgsSettings settings{
      .max_iterations = most_steps, .unit = 1, .gradient_tolerance = 1e-4, .value_tolerance = 1e-6, .stop = stop};
  try {
    Vector best;
    double lowest = std::numeric_limits<double>::infinity();
    for (const Matrix& candidate : candidates) {
      if (stop && stop()) return candidates.front();
      Vector first(size + 1);
      first << (candidate / (0.5 * std::sqrt(static_cast<double>(d_z)))).reshaped(), std::log(0.3);
      Vector unused(size + 1);
      const double value = objective(first, unused);
      if (best.size() > 0 && !(value < lowest)) continue;
      best = std::move(first);
      lowest = value;
    }
    return minimize(objective, best, lower, upper, settings).x.head(size).reshaped(d_z, n_inputs_);
  } catch (const NumericalError&) {  // two rows that are equal, or none within reach
    return candidates.front();
  }
}

std::vector<Start> Starts::of_dimension(Index d_z, const Matrix& smaller, int threads,
                                        const std::function<bool()>& stop) const {
  const std::uint64_t stream = 1000 * static_cast<std::uint64_t>(d_z);
  std::vector<Start> out;
  const Matrix filling = random_rows(d_z + smaller.rows(), stream + 999);
  if (settings_.given.rows() > 0) out.push_back({"given", completed(settings_.given, d_z, filling)});
  if (settings_.informed) {
    const Matrix sir = completed(sir_, d_z, filling);
    const Matrix save = completed(save_, d_z, filling);
    const Matrix metric = nw_metric({sir, save, orthonormal_rows(filling.topRows(d_z))}, threads, stop);
    out.push_back({"nw", completed(leading_directions(metric, d_z), d_z, filling)});
    if (smaller.rows() > 0) {
      // The subspace that was found stays, and takes the directions that a metric has outside it.
      const Matrix wider =
          nw_metric({completed(smaller, d_z, sir), completed(smaller, d_z, save), completed(smaller, d_z, filling)},
                    threads, stop);
      const Matrix outside = wider - wider * smaller.transpose() * smaller;
      const Matrix added = completed(smaller, d_z, leading_directions(outside, d_z - smaller.rows()));
      out.push_back({"nested", added.rows() < d_z ? completed(added, d_z, filling) : added});
    }
    out.push_back({"sir", sir});
    out.push_back({"save", save});
  }
  for (Index k = 0; k < settings_.random; ++k) {
    out.push_back({"random", orthonormal_rows(random_rows(d_z, stream + static_cast<std::uint64_t>(k)))});
  }
  return out;
}

}  // namespace condens::lsce
