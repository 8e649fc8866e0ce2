#include "selection.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include "condens/core/errors.hpp"
#include "kernels/gaussian_kernel.hpp"
#include "linalg/cholesky.hpp"
#include "linalg/gram.hpp"
#include "linalg/ridge_systems.hpp"
#include "optim/nonnegative_qp.hpp"
#include "passes.hpp"

namespace condens::lscde {

namespace {

/// The centres that fold k may use.
std::vector<Index> centers_of_fold(const Problem& problem, Index fold) {
  std::vector<Index> out;
  for (std::size_t l = 0; l < problem.center_fold.size(); ++l) {
    if (problem.center_fold[l] != fold) out.push_back(static_cast<Index>(l));
  }
  return out;
}

/// R of the penalty lambda alpha' R alpha: empty for the identity; of the squared norm of the ratio in the space whose
/// reproducing kernel the basis functions are, the kernels between the centres.
Matrix norm_of(const Problem& problem, double bandwidth, double bandwidth_y) {
  if (problem.penalty == LscdePenalty::coefficients) return {};
  // Centres that are nearly alike make R singular; this share of the coefficients' own penalty leaves it a factor.
  constexpr double share = 1e-6;
  const Index b = problem.centers_y.cols();
  Matrix of_x(b, b);
  Matrix of_y(b, b);
  squared_distances(problem.centers_x.transpose(), problem.centers_x, of_x);
  squared_distances(problem.centers_y.transpose(), problem.centers_y, of_y);
  Matrix out = (-0.5 * (of_x / (bandwidth * bandwidth) + of_y / (bandwidth_y * bandwidth_y))).array().exp();
  out.diagonal().array() += share;
  return out;
}

/// alpha of (6) for every lambda, b x L; zero where there is none.
Matrix solve_penalised(const Matrix& gram, const Vector& right, const Matrix& norm,
                       const std::vector<double>& penalties) {
  Matrix out = Matrix::Zero(gram.rows(), std::ssize(penalties));
  for (Index j = 0; j < out.cols(); ++j) {
    const Cholesky factor(regularized(gram, norm, penalties[static_cast<std::size_t>(j)]));
    if (factor.ok()) out.col(j) = factor.solve(right);
  }
  return out;
}

/// alpha for every lambda: clipped (eq. 7), or the minimiser over alpha >= 0.
void constrain(const Problem& problem, const Matrix& gram, const Vector& right, const Matrix& norm,
               const std::vector<double>& penalties, Eigen::Ref<Matrix> alpha) {
  alpha = alpha.cwiseMax(0.0);
  if (problem.coefficients == LscdeCoefficients::clipped) return;
  for (std::size_t j = 0; j < penalties.size(); ++j) {
    const Index column = static_cast<Index>(j);
    alpha.col(column) = solve_nonnegative_qp(regularized(gram, norm, penalties[j]), right, alpha.col(column)).solution;
  }
}

/// Coefficients of folds [begin, end) at one s_y: per fold b x L, zero where masked.
std::vector<Matrix> solve_folds(const Problem& problem, const Statistics& training, const Matrix& overlaps,
                                const Matrix& norm, Index j, const std::vector<double>& ridge, Index begin, Index end) {
  const Index candidates = static_cast<Index>(ridge.size());
  std::vector<std::vector<Index>> centers;
  std::vector<Matrix> gram;
  std::vector<Vector> right;
  for (Index k = begin; k < end; ++k) {
    const std::size_t fold = static_cast<std::size_t>(k);
    centers.push_back(centers_of_fold(problem, k));
    const double weight = training.weight[fold];
    const double weight_x = weight + static_cast<double>(problem.x_unlabeled.cols());
    const auto& index = centers.back();
    if (static_cast<Index>(index.size()) == overlaps.rows()) {
      gram.emplace_back(training.gram[fold].cwiseProduct(overlaps) / weight_x);
      right.emplace_back(training.target[fold].col(j) / weight);
    } else {
      gram.emplace_back(training.gram[fold](index, index).cwiseProduct(overlaps(index, index)) / weight_x);
      right.emplace_back(training.target[fold](index, j) / weight);
    }
  }
  std::vector<RidgeSystem> systems;
  for (std::size_t i = 0; i < gram.size() && norm.size() == 0; ++i) {
    for (const double lambda : ridge) systems.push_back({&gram[i], &right[i], lambda});
  }
  const Matrix solutions = norm.size() == 0 ? solve_ridge_systems(systems) : Matrix();

  std::vector<Matrix> out;
  for (std::size_t i = 0; i < gram.size(); ++i) {
    const Matrix own_norm = norm.size() == 0 ? Matrix() : Matrix(norm(centers[i], centers[i]));
    Matrix own = norm.size() == 0
                     ? Matrix(solutions.block(0, static_cast<Index>(i) * candidates, gram[i].rows(), candidates))
                     : solve_penalised(gram[i], right[i], own_norm, ridge);
    constrain(problem, gram[i], right[i], own_norm, ridge, own);
    Matrix alpha = Matrix::Zero(overlaps.rows(), candidates);
    alpha(centers[i], Eigen::all) = own;
    out.push_back(std::move(alpha));
  }
  return out;
}

/// What does not depend on the data's rows, for each s_y of the group.
ScoringWidth prepare_width(const Problem& problem, double width, const Matrix& overlaps) {
  ScoringWidth out;
  out.width = width;
  out.log_mass = log_kernel_mass(problem.y.rows(), width);
  out.alpha.resize(static_cast<std::size_t>(problem.scored_folds()));
  if (problem.scoring == Scoring::squared) {
    out.overlap_factor = pivoted_cholesky(overlaps, 1e-15);
    if (problem.defensive.weight > 0) out.defensive_overlap = problem.defensive.overlaps(problem.centers_y, width);
  }
  return out;
}

/// The coefficients of every s_y, fold and lambda.
std::vector<ScoringWidth> solve_group(const Problem& problem, const Statistics& training, const WidthGroup& group,
                                      const std::vector<double>& ridge, Task& task, int threads) {
  const Index n_y = std::ssize(group.y);
  std::vector<ScoringWidth> widths(group.y.size());
  std::vector<Matrix> overlaps(group.y.size());
  std::vector<Matrix> norms(group.y.size());
  parallel_for(n_y, threads, [&](Index index) {
    const std::size_t j = static_cast<std::size_t>(index);
    overlaps[j] = kernel_overlaps(problem.centers_y, group.y[j]);
    norms[j] = norm_of(problem, group.x, group.y[j]);
    widths[j] = prepare_width(problem, group.y[j], overlaps[j]);
  });
  // Small systems fill their batches with those of all folds.
  const Index folds_per_task = problem.centers_x.cols() <= largest_interleaved_order ? problem.scored_folds() : 1;
  const Index tasks_per_width = block_count(problem.scored_folds(), folds_per_task);
  const auto solve = [&](Index index) {
    const std::size_t j = static_cast<std::size_t>(index / tasks_per_width);
    const Range folds = block_range(problem.scored_folds(), folds_per_task, index % tasks_per_width);
    auto alpha =
        solve_folds(problem, training, overlaps[j], norms[j], static_cast<Index>(j), ridge, folds.begin, folds.end);
    std::move(alpha.begin(), alpha.end(), widths[j].alpha.begin() + folds.begin);
  };
  parallel_for(n_y * tasks_per_width, threads, solve, [&] { task.poll(); });
  return widths;
}

/// Mean over folds of the folds' mean scores, and its standard error.
void summarise(const Vector& fold_score, Candidate& out) {
  const double mean = fold_score.mean();
  const double folds = static_cast<double>(fold_score.size());
  out.score = std::isnan(mean) ? infinity : mean;
  out.folds = fold_score;
  out.standard_error = folds > 1 && std::isfinite(mean)
                           ? std::sqrt((fold_score.array() - mean).square().sum() / (folds * (folds - 1.0)))
                           : 0.0;
}

/// The candidates of one group, written to `out` (s_y outer, lambda inner).
void score_group(const Problem& problem, const Passes& passes, const WidthGroup& group,
                 const std::vector<double>& ridge, Task& task, int threads, Candidate* out) {
  Statistics training = passes.statistics(group, task, threads);
  const std::vector<double> fold_weight = training.weight;
  replace_by_training_sums(training);
  const std::vector<ScoringWidth> widths = solve_group(problem, training, group, ridge, task, threads);
  const std::vector<Matrix> fold_score = passes.scores(group.x, widths, task, threads);
  for (std::size_t j = 0; j < group.y.size(); ++j) {
    for (std::size_t l = 0; l < ridge.size(); ++l, ++out) {
      Vector means(problem.scored_folds());
      for (std::size_t k = 0; k < fold_score.size(); ++k) {
        means[static_cast<Index>(k)] = fold_score[k](static_cast<Index>(l), static_cast<Index>(j)) / fold_weight[k];
      }
      *out = {group.x, group.y[j], ridge[l], 0.0, 0.0, {}};
      summarise(means, *out);
    }
  }
}

}  // namespace

double scoring_work(const Problem& problem, Index groups) {
  return 2.0 * static_cast<double>(groups) * work_of_pass(problem);
}

std::vector<Candidate> score_candidates(const Problem& problem, const std::vector<WidthGroup>& groups,
                                        const std::vector<double>& regularization, Task& task) {
  const std::unique_ptr<const Passes> passes = passes_over(problem, true, task.threads());
  std::vector<std::size_t> begin{0};
  for (const WidthGroup& group : groups) begin.push_back(begin.back() + group.y.size() * regularization.size());
  std::vector<Candidate> out(begin.back());

  // Small problems: one group per thread. Large ones: all threads in one group, so
  // that memory does not grow with threads. The arithmetic is the same.
  const double b = static_cast<double>(problem.centers_y.cols());
  const bool small = !problem.elsewhere && static_cast<double>(problem.y.cols()) * b < 4e6 && b <= 512;
  const int outer = small ? task.threads() : 1;
  const int inner = small ? 1 : task.threads();
  parallel_for(
      static_cast<Index>(groups.size()), outer,
      [&](Index g) {
        const std::size_t index = static_cast<std::size_t>(g);
        score_group(problem, *passes, groups[index], regularization, task, inner, out.data() + begin[index]);
      },
      [&] { task.poll(); });
  return out;
}

System system_of(const Problem& problem, double bandwidth, double bandwidth_y, Task& task) {
  const Statistics sums =
      passes_over(problem, false, task.threads())->statistics({bandwidth, {bandwidth_y}}, task, task.threads());
  System out{sums.gram.back(), Vector::Zero(problem.centers_y.cols()), 0.0, norm_of(problem, bandwidth, bandwidth_y)};
  for (std::size_t k = 0; k < sums.target.size(); ++k) {
    out.gram += sums.gram[k];
    out.right += sums.target[k].col(0);
    out.weight += sums.weight[k];
  }
  out.gram = out.gram.cwiseProduct(kernel_overlaps(problem.centers_y, bandwidth_y)) /
             (out.weight + static_cast<double>(problem.x_unlabeled.cols()));
  out.right /= out.weight;
  return out;
}

Matrix regularized(Matrix gram, const Matrix& norm, double regularization) {
  if (norm.size() == 0)
    gram.diagonal().array() += regularization;
  else
    gram += regularization * norm;
  return gram;
}

Vector constrained(const Problem& problem, const System& system, double regularization, Vector alpha) {
  constrain(problem, system.gram, system.right, system.norm, {regularization}, alpha);
  return alpha;
}

Vector fit_coefficients(const Problem& problem, double bandwidth, double bandwidth_y, double regularization,
                        Task& task) {
  const System system = system_of(problem, bandwidth, bandwidth_y, task);
  const Matrix solution = system.norm.size() == 0
                              ? solve_ridge_systems({{&system.gram, &system.right, regularization}})
                              : solve_penalised(system.gram, system.right, system.norm, {regularization});
  const Vector alpha = constrained(problem, system, regularization, solution.col(0));
  if (!(alpha.maxCoeff() > 0)) {
    throw NumericalError(
        message("LSCDE: every coefficient is zero: no sample lies within reach of any center at bandwidth ", bandwidth,
                " (x) and ", bandwidth_y, " (y); give larger ones, or other centers"));
  }
  return alpha;
}

}  // namespace condens::lscde
