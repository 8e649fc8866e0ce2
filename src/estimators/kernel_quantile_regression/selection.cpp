#include "selection.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "condens/data/folds.hpp"
#include "kernels/gaussian_kernel.hpp"
#include "linalg/vector_math.hpp"
#include "model/preparation.hpp"

namespace condens::kqr {

namespace {

/// Quantiles of every row by the fits without its fold: for every penalty levels x n.
using OutOfFold = std::vector<Matrix>;

/// One width without one fold: all penalties, from the largest down, each from the one before.
Certificates predict_fold(const Problem& problem, double bandwidth, const std::vector<double>& regularizations,
                          Index fold, OutOfFold& out, Task& task) {
  const auto [train, test] = rows_of_fold(problem.fold, fold);
  const Matrix x = problem.data.x(Eigen::all, train);
  const Matrix kernel = gaussian_kernel(x, x, bandwidth);
  const Matrix across = gaussian_kernel(x, problem.data.x(Eigen::all, test), bandwidth);
  const Vector y = problem.data.y.row(0).transpose()(train);
  const Vector weights = problem.data.weights(train);
  const QuantileRegression regression(kernel, y, weights);
  std::vector<std::size_t> order(regularizations.size());
  for (std::size_t k = 0; k < order.size(); ++k) order[k] = k;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return regularizations[a] > regularizations[b]; });
  Certificates certificates;
  std::vector<QuantileFit> fits(problem.levels.size());
  for (const std::size_t k : order) {
    const double lambda = penalty(problem.loss, regularizations[k], weights.sum());
    for (std::size_t j = 0; j < fits.size(); ++j) {
      const QuantileFit* start = j > 0 ? &fits[j - 1] : k != order.front() ? &fits[0] : nullptr;
      fits[j] = regression.solve(problem.levels[j], lambda, start);
      certificates.add(fits[j]);
      const Vector at_test = (across.transpose() * fits[j].coefficients).array() + fits[j].intercept;
      for (std::size_t i = 0; i < test.size(); ++i) {
        out[k](static_cast<Index>(j), test[i]) = at_test[static_cast<Index>(i)];
      }
      task.poll();
    }
    task.advance(static_cast<double>(test.size()));
  }
  return certificates;
}

/// The candidate's shape of least NLL, and its score. A floor that plays no part at the rows held out scores as all
/// others do: of equal scores the widest has it, whatever rounding says.
void score(const Problem& problem, Matrix quantiles, Candidate& candidate) {
  rearrange(quantiles);
  const QuantileLaws quantile_laws(problem.levels);
  const Vector shares = problem.data.weights / problem.data.weights.sum();
  double least = std::numeric_limits<double>::infinity();
  Vector losses;
  for (const double spread : problem.spreads) {
    for (auto floor = problem.floors.rbegin(); floor != problem.floors.rend(); ++floor) {
      const LawShape shape = shape_of(problem, spread, *floor, quantiles);
      const Vector nll = -quantile_laws.laws(quantiles, shape, problem.defensive)
                              .log_pdf(problem.data.y, {.threads = 1, .observer = {}});
      const double mean = dot(shares.data(), nll.data(), nll.size());
      if (losses.size() == 0 || mean < least - 1e-9 * (1.0 + std::abs(least))) {
        least = mean;
        candidate.shape = shape;
        losses = nll;
      }
    }
  }
  if (problem.scoring == KqrScoring::pinball) losses = pinball_losses(problem, quantiles);
  candidate.score = dot(shares.data(), losses.data(), losses.size());
  candidate.folds = preparation::means_of_folds(losses, problem.data.weights, problem.fold);
  candidate.standard_error = (shares.array() * (losses.array() - candidate.score)).matrix().norm();
}

}  // namespace

Matrix gaussian_kernel(const MatrixView& centers, const MatrixView& points, double width) {
  constexpr Index columns_of_block = 64;  // its numbers are still in the cache when their turn comes
  Matrix out(centers.cols(), points.cols());
  const Matrix rows = centers.transpose();
  for (Index block = 0; block < block_count(points.cols(), columns_of_block); ++block) {
    const Range range = block_range(points.cols(), columns_of_block, block);
    auto own = out.middleCols(range.begin, range.size());
    squared_distances(rows, points.middleCols(range.begin, range.size()), own);
    own *= -0.5 / (width * width);
    exp_in_place(own);
  }
  return out;
}

Vector pinball_losses(const Problem& problem, const Matrix& quantiles) {
  Vector out = Vector::Zero(quantiles.cols());
  for (Index j = 0; j < quantiles.rows(); ++j) {
    const double level = problem.levels[static_cast<std::size_t>(j)];
    const Vector r = (problem.data.y.row(0) - quantiles.row(j)).transpose();
    out.array() += (level * r.array()).max((level - 1) * r.array());
  }
  return out / static_cast<double>(quantiles.rows());
}

LawShape shape_of(const Problem& problem, double spread, double floor, const Matrix& quantiles) {
  if (problem.levels.size() > 1) return {spread, floor};
  const Vector losses = pinball_losses(problem, quantiles);
  const double loss = dot(problem.data.weights.data(), losses.data(), losses.size()) / problem.data.weights.sum();
  // Beyond any quantile of the rows, rounding of those that touch it is all the loss there is.
  const double farthest = (problem.data.y - quantiles).cwiseAbs().maxCoeff();
  return {std::max(spread * std::min(unit_of_spread(problem.levels, loss), farthest), floor), floor};
}

double penalty(KqrLoss loss, double regularization, double total_weight) {
  return loss == KqrLoss::sum ? regularization : regularization * total_weight;
}

void Certificates::add(const QuantileFit& fit) {
  largest_gap = std::max(largest_gap, fit.relative_gap);
  newton_steps += fit.newton_steps;
  pivots += fit.pivots;
  ++solutions;
}

void Certificates::add(const Certificates& other) {
  largest_gap = std::max(largest_gap, other.largest_gap);
  newton_steps += other.newton_steps;
  pivots += other.pivots;
  solutions += other.solutions;
}

std::vector<Candidate> score_candidates(const Problem& problem, const std::vector<double>& bandwidths,
                                        const std::vector<double>& regularizations, Task& task,
                                        Certificates& certificates) {
  const Index folds = *std::max_element(problem.fold.begin(), problem.fold.end()) + 1;
  const Index widths = std::ssize(bandwidths);
  const Index penalties = std::ssize(regularizations);
  const Matrix empty(std::ssize(problem.levels), problem.data.size());
  std::vector<OutOfFold> quantiles(bandwidths.size(), OutOfFold(regularizations.size(), empty));
  std::vector<Certificates> parts(static_cast<std::size_t>(widths * folds));
  const auto poll = [&] { task.poll(); };
  parallel_for(
      widths * folds, task.threads(),
      [&](Index block) {
        const auto width = static_cast<std::size_t>(block / folds);
        parts[static_cast<std::size_t>(block)] =
            predict_fold(problem, bandwidths[width], regularizations, block % folds, quantiles[width], task);
      },
      poll);
  for (const Certificates& part : parts) certificates.add(part);
  std::vector<Candidate> out(static_cast<std::size_t>(widths * penalties));
  parallel_for(
      widths * penalties, task.threads(),
      [&](Index block) {
        const auto width = static_cast<std::size_t>(block / penalties);
        const auto k = static_cast<std::size_t>(block % penalties);
        Candidate& candidate = out[static_cast<std::size_t>(block)];
        candidate.bandwidth = bandwidths[width];
        candidate.regularization = regularizations[k];
        score(problem, std::move(quantiles[width][k]), candidate);
      },
      poll);
  return out;
}

std::vector<QuantileFit> solve_levels(const Problem& problem, double bandwidth, double regularization, Task& task) {
  const Matrix kernel = gaussian_kernel(problem.data.x, problem.data.x, bandwidth);
  const Vector y = problem.data.y.row(0).transpose();
  const QuantileRegression regression(kernel, y, problem.data.weights);
  const double lambda = penalty(problem.loss, regularization, problem.data.weights.sum());
  std::vector<QuantileFit> fits(problem.levels.size());
  const Index chain = 7;  // levels that start each from the one before
  const Index count = std::ssize(fits);
  parallel_for(
      block_count(count, chain), task.threads(),
      [&](Index block) {
        const Range range = block_range(count, chain, block);
        for (Index j = range.begin; j < range.end; ++j) {
          const auto at = static_cast<std::size_t>(j);
          fits[at] = regression.solve(problem.levels[at], lambda, j > range.begin ? &fits[at - 1] : nullptr);
          task.advance(1);
          task.poll();
        }
      },
      [&] { task.poll(); });
  return fits;
}

}  // namespace condens::kqr
