#include "selection.hpp"

#include <cmath>
#include <limits>
#include <utility>

#include "condens/core/errors.hpp"
#include "condens/estimators/lsce/projection_objective.hpp"
#include "estimators/lscde/statistics.hpp"
#include "kernels/gaussian_kernel.hpp"
#include "linalg/gram.hpp"
#include "linalg/ridge_systems.hpp"
#include "linalg/vector_math.hpp"

namespace condens::lsce {

namespace {

/// The centres whose own rows are not those of the fold.
std::vector<Index> centers_of(const lscde::Problem& problem, Index fold) {
  std::vector<Index> out;
  for (std::size_t l = 0; l < problem.center_fold.size(); ++l) {
    if (problem.center_fold[l] != fold) out.push_back(static_cast<Index>(l));
  }
  return out;
}

/// V for the rows of every fold, and for all rows but those.
struct Overlaps {
  std::vector<Matrix> own;
  std::vector<Matrix> training;
};

Overlaps overlaps_of(const lscde::Problem& problem, double width, Estimate estimate) {
  const std::size_t folds = static_cast<std::size_t>(problem.folds());
  if (estimate == Estimate::density) {
    const Matrix same = kernel_overlaps(problem.centers_y, width);
    return {std::vector<Matrix>(folds, same), std::vector<Matrix>(folds, same)};
  }
  Overlaps out;
  Vector weight(problem.folds());
  for (std::size_t k = 0; k < folds; ++k) {
    const Index begin = problem.fold_begin[k];
    const Index size = problem.fold_begin[k + 1] - begin;
    const Vector weights = problem.weights.segment(begin, size);
    weight[static_cast<Index>(k)] = weights.sum();
    out.own.push_back(smi_kernels(problem.y.middleCols(begin, size), weights, problem.centers_y, width).overlaps);
    out.training.emplace_back(weights.sum() * out.own.back());
  }
  replace_by_sums_of_others(out.training);
  for (std::size_t k = 0; k < folds; ++k) out.training[k] /= weight.sum() - weight[static_cast<Index>(k)];
  return out;
}

/// The means over some rows that the coefficients of a fold are solved from, or scored on, for some centres.
struct Means {
  Matrix gram;
  Vector right;
};

Means means_of(const lscde::Statistics& of, const std::vector<Matrix>& overlaps, const std::vector<Index>& index,
               std::size_t fold, Index j) {
  return {of.gram[fold](index, index).cwiseProduct(overlaps[fold](index, index)) / of.weight[fold],
          of.target[fold](index, j) / of.weight[fold]};
}

/// The scores at the j-th s_y: a row for each lambda, a column for each fold of `folds`.
Matrix score_folds(const lscde::Problem& problem, const lscde::Statistics& own, const lscde::Statistics& training,
                   const Overlaps& overlaps, Range folds, Index j, const std::vector<double>& ridge) {
  const Index candidates = std::ssize(ridge);
  Matrix impossible = Matrix::Constant(candidates, folds.size(), std::numeric_limits<double>::infinity());
  std::vector<std::vector<Index>> centers;
  std::vector<Means> means;
  for (Index k = folds.begin; k < folds.end; ++k) {
    centers.push_back(centers_of(problem, k));
    if (centers.back().empty()) return impossible;
    means.push_back(means_of(training, overlaps.training, centers.back(), static_cast<std::size_t>(k), j));
  }
  std::vector<RidgeSystem> systems;
  for (const Means& each : means) {
    for (const double lambda : ridge) systems.push_back({&each.gram, &each.right, lambda});
  }
  Matrix solutions;
  try {
    solutions = solve_ridge_systems(systems);
  } catch (const NumericalError&) {
    return impossible;
  }
  Matrix out(candidates, folds.size());
  for (Index i = 0; i < folds.size(); ++i) {
    const std::vector<Index>& index = centers[static_cast<std::size_t>(i)];
    const Matrix a = solutions.block(0, i * candidates, std::ssize(index), candidates);
    const Means held_out = means_of(own, overlaps.own, index, static_cast<std::size_t>(folds.begin + i), j);
    const Matrix product = held_out.gram.selfadjointView<Eigen::Lower>() * a;
    out.col(i) = 0.5 * a.cwiseProduct(product).colwise().sum().transpose() - a.transpose() * held_out.right;
  }
  return out;
}

}  // namespace

Score summarise(Vector folds) {
  const double mean = folds.mean();
  const double count = static_cast<double>(folds.size());
  if (!std::isfinite(mean)) return {std::numeric_limits<double>::infinity(), 0.0, std::move(folds)};
  const double error = std::sqrt((folds.array() - mean).square().sum() / (count * (count - 1.0)));
  return {mean, error, std::move(folds)};
}

std::vector<CellScore> score_cells(const lscde::Problem& problem, const std::vector<lscde::WidthGroup>& groups,
                                   const std::vector<double>& regularization, Estimate estimate, int threads,
                                   const std::function<void()>& poll) {
  const Run unseen{.threads = 1, .observer = {}};
  Task task(unseen, "", 0.0);
  const std::vector<lscde::Block> blocks = lscde::cut_into_blocks(problem);
  const lscde::Distances distances(problem, blocks, threads);
  std::vector<std::vector<CellScore>> of_group(groups.size());
  // Small systems fill their batches with those of all folds.
  const Index folds_per_task = problem.centers_x.cols() <= largest_interleaved_order ? problem.folds() : 1;
  const auto body = [&](Index g) {
    const lscde::WidthGroup& group = groups[static_cast<std::size_t>(g)];
    const lscde::Statistics own = lscde::accumulate(problem, distances, blocks, group, task, 1);
    lscde::Statistics training = own;
    lscde::replace_by_training_sums(training);
    for (Index j = 0; j < std::ssize(group.y); ++j) {
      const double width_y = group.y[static_cast<std::size_t>(j)];
      const Overlaps overlaps = overlaps_of(problem, width_y, estimate);
      Matrix scores(std::ssize(regularization), problem.folds());
      for (Index part = 0; part < block_count(problem.folds(), folds_per_task); ++part) {
        const Range folds = block_range(problem.folds(), folds_per_task, part);
        scores.middleCols(folds.begin, folds.size()) =
            score_folds(problem, own, training, overlaps, folds, j, regularization);
      }
      for (Index r = 0; r < scores.rows(); ++r) {
        of_group[static_cast<std::size_t>(g)].push_back(
            {{group.x, width_y, regularization[static_cast<std::size_t>(r)]}, summarise(scores.row(r).transpose())});
      }
      if (poll) poll();
    }
  };
  parallel_for(std::ssize(groups), threads, body);
  std::vector<CellScore> out;
  for (std::vector<CellScore>& scores : of_group) out.insert(out.end(), scores.begin(), scores.end());
  return out;
}

double held_out_sce(const MatrixView& z, const MatrixView& y, const VectorView& weights, const MatrixView& centers_z,
                    const MatrixView& centers_y, const Cell& cell, const VectorView& a) {
  Matrix phi(centers_z.cols(), z.cols());
  squared_distances(centers_z.transpose(), z, phi);
  phi *= -0.5 / (cell.bandwidth * cell.bandwidth);
  exp_in_place(phi);
  Matrix psi(centers_y.cols(), y.cols());
  squared_distances(centers_y.transpose(), y, psi);
  psi *= -0.5 / (cell.bandwidth_y * cell.bandwidth_y);
  exp_in_place(psi);
  const Matrix mixed = a.asDiagonal() * phi;
  const Matrix overlapped = kernel_overlaps(centers_y, cell.bandwidth_y) * mixed;
  const Vector loss = (mixed.array() * (0.5 * overlapped - psi).array()).colwise().sum();
  return loss.dot(weights) / weights.sum();
}

double held_out_smi(const MatrixView& z, const MatrixView& y, const VectorView& weights, const MatrixView& centers_z,
                    const MatrixView& centers_y, const Cell& cell, const VectorView& a) {
  const TargetKernels of_z = smi_kernels(z, weights, centers_z, cell.bandwidth);
  const TargetKernels of_y = smi_kernels(y, weights, centers_y, cell.bandwidth_y);
  const Vector h = of_z.values.cwiseProduct(of_y.values) * weights / weights.sum();
  return 0.5 * a.dot(of_z.overlaps.cwiseProduct(of_y.overlaps) * a) - h.dot(a);
}

}  // namespace condens::lsce
