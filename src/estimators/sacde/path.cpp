#include "path.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "held_out.hpp"
#include "linalg/gram.hpp"
#include "optim/proximal_group_lasso.hpp"

namespace condens::sacde {

namespace {

/// All problems of a path, brought to each penalty in turn.
class Solutions {
 public:
  Solutions(const Problem& problem, const Quadratics& quadratics, const PathOptions& options, Task& task, int threads)
      : problem_(problem), quadratics_(quadratics), options_(options), task_(task), threads_(threads) {
    // Kernels of targets far from each other have next to no product.
    std::vector<Index> order(static_cast<std::size_t>(problem.centers()));
    std::iota(order.begin(), order.end(), Index{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](Index i, Index j) { return problem.centers_y(0, i) < problem.centers_y(0, j); });
    for (Index k = 0; k < problem.problems(); ++k) {
      solvers_.emplace_back(quadratics[k], problem.penalty_weights.col(k), options.tolerance, order);
    }
    alpha_.resize(solvers_.size());
    lipschitz_.assign(solvers_.size(), 0.0);
    if (options.solver == SacdeSolver::truncated) {
      for_each([&](std::size_t k) { lipschitz_[k] = largest_eigenvalue(quadratics_[static_cast<Index>(k)]); });
    }
  }

  /// The smallest penalty at which all rows select nothing.
  double lambda_max() { return solvers_[0].lambda_max(); }

  void move_to(double lambda) {
    if (options_.solver == SacdeSolver::truncated) {
      for_each([&](std::size_t k) {
        alpha_[k] = proximal_group_lasso(quadratics_[static_cast<Index>(k)],
                                         problem_.penalty_weights.col(static_cast<Index>(k)), lambda, lipschitz_[k], {})
                        .coefficients;
      });
      return;
    }
    for (auto& solver : solvers_) solver.begin(lambda);
    while (true) {
      std::vector<Index> open;
      for (std::size_t k = 0; k < solvers_.size(); ++k) {
        if (!solvers_[k].finished()) open.push_back(static_cast<Index>(k));
      }
      if (open.empty()) return;
      std::vector<const Matrix*> a(open.size());
      std::vector<Vector> bounds(open.size());
      parallel_for(
          std::ssize(open), threads_,
          [&](Index i) {
            auto& solver = solvers_[static_cast<std::size_t>(open[static_cast<std::size_t>(i)])];
            solver.advance();
            a[static_cast<std::size_t>(i)] = &solver.coefficients();
            bounds[static_cast<std::size_t>(i)] = solver.penalties();
          },
          [&] { task_.poll(); });
      quadratics_.products(open, a, bounds, products_, threads_);
      parallel_for(std::ssize(open), threads_, [&](Index i) {
        const auto index = static_cast<std::size_t>(i);
        solvers_[static_cast<std::size_t>(open[index])].accept(products_[index]);
      });
      task_.poll();
    }
  }

  const Matrix& alpha(Index k) const {
    const auto index = static_cast<std::size_t>(k);
    return options_.solver == SacdeSolver::truncated ? alpha_[index] : solvers_[index].coefficients();
  }

  /// Of the problem of all rows.
  GroupLassoCertificate certificate(double lambda) const {
    if (options_.solver == SacdeSolver::exact) return solvers_[0].certificate();
    return certify_group_lasso(quadratics_[0].linear(), problem_.penalty_weights.col(0), lambda, alpha_[0],
                               quadratics_[0].product(alpha_[0]));
  }
  Index products() const { return solvers_[0].products(); }

 private:
  template <class Body>
  void for_each(const Body& body) {
    parallel_for(
        std::ssize(solvers_), threads_, [&](Index k) { body(static_cast<std::size_t>(k)); }, [&] { task_.poll(); });
  }

  const Problem& problem_;
  const Quadratics& quadratics_;
  const PathOptions& options_;
  Task& task_;
  int threads_;
  std::vector<NonnegativeGroupLasso> solvers_;
  std::vector<Matrix> products_;
  std::vector<Matrix> alpha_;      // solver truncated
  std::vector<double> lipschitz_;  // solver truncated
};

/// Mean over folds of the folds' mean scores, and its standard error.
void summarise(const Vector& fold_score, PathPoint& out) {
  const double mean = fold_score.mean();
  const double folds = static_cast<double>(fold_score.size());
  out.score = std::isnan(mean) ? infinity : mean;
  out.folds = fold_score;
  out.standard_error =
      std::isfinite(mean) ? std::sqrt((fold_score.array() - mean).square().sum() / (folds * (folds - 1.0))) : 0.0;
}

/// Whether the `left` smaller penalties are not worth their time: the score has risen three times in a row (by more
/// than rounding: where nothing enters, scores are equal), or it lies above the best of the other widths and would stay
/// there if every penalty left gained as much as the last one.
bool is_hopeless(const std::vector<PathPoint>& path, Index left, double best_elsewhere) {
  const auto score = [&](Index back) { return path[path.size() - 1 - static_cast<std::size_t>(back)].score; };
  const auto rose = [&](Index back) {
    const double before = score(back + 1);
    return score(back) - before > 1e-9 * (1.0 + std::abs(before));
  };
  if (std::ssize(path) > 3 && rose(0) && rose(1) && rose(2)) return true;
  if (std::ssize(path) < 3 || !std::isfinite(score(1)) || !(score(0) > best_elsewhere)) return false;
  const double gain = score(1) - score(0);
  return score(0) - gain * static_cast<double>(left) > best_elsewhere;
}

}  // namespace

std::vector<PathPoint> follow_path(const Problem& problem, const PathOptions& options, const KernelSums& sums,
                                   double width_y, double best_elsewhere, Task& task, int threads) {
  const Quadratics quadratics(problem, sums, width_y, std::max(1e-15, 1e-5 * options.tolerance));
  const HeldOut held_out(problem, sums.width_x, width_y, options.scoring);
  Solutions solutions(problem, quadratics, options, task, threads);
  const double unit = options.scale == RegularizationScale::relative ? solutions.lambda_max() : 1.0;
  const auto solved = [&](double regularization) {
    const Index before = solutions.products();
    const double lambda = unit * regularization;
    // Without a single input that has any effect the largest penalty is 0, and there is nothing to penalise.
    solutions.move_to(lambda > 0 ? lambda : 1.0);
    PathPoint point{.bandwidth = sums.width_x,
                    .bandwidth_y = width_y,
                    .regularization = regularization,
                    .lambda = lambda,
                    .score = 0,
                    .standard_error = 0,
                    .folds = {},
                    .solutions = {},
                    .certificate = solutions.certificate(lambda),
                    .products = solutions.products() - before};
    for (Index k = 0; k < problem.problems(); ++k) point.solutions.push_back(positive_terms(solutions.alpha(k)));
    return point;
  };
  // A pass over a table costs more than a few solutions that are not needed.
  const Index at_once = problem.elsewhere ? 5 : 1;
  const Index count = std::ssize(options.regularization);
  std::vector<PathPoint> out;
  for (Index i = 0; i < block_count(count, at_once); ++i) {
    const Range range = block_range(count, at_once, i);
    std::vector<PathPoint> points;
    for (Index l = range.begin; l < range.end; ++l) {
      points.push_back(solved(options.regularization[static_cast<std::size_t>(l)]));
    }
    Matrix scores;
    if (problem.folds() > 1) scores = sums.fold_weight.cwiseInverse().asDiagonal() * held_out.sums(points, threads);
    task.poll();
    for (Index l = 0; l < range.size(); ++l) {
      out.push_back(std::move(points[static_cast<std::size_t>(l)]));
      if (problem.folds() > 1) summarise(scores.col(l), out.back());
      task.advance(1.0);
      const Index left = count - std::ssize(out);
      if (selected_inputs(problem, out.back().solutions.front()) >= options.most_inputs ||
          (options.stop_early && problem.folds() > 1 && is_hopeless(out, left, best_elsewhere))) {
        task.advance(static_cast<double>(left));
        return out;
      }
    }
  }
  return out;
}

}  // namespace condens::sacde
