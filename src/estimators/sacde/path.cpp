#include "path.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "kernels/gaussian_kernel.hpp"
#include "linalg/gram.hpp"
#include "linalg/log_sum_exp.hpp"
#include "linalg/vector_math.hpp"
#include "optim/proximal_group_lasso.hpp"

namespace condens::sacde {

namespace {

// Sums of kernels below this have lost digits to underflow: such rows are summed in the log domain.
constexpr double smallest_sum = 1e-280;

/// All problems of a path, brought to each penalty in turn.
class Solutions {
 public:
  Solutions(const Problem& problem, const Quadratics& quadratics, const PathOptions& options, Task& task, int threads)
      : problem_(problem), quadratics_(quadratics), options_(options), task_(task), threads_(threads) {
    for (Index k = 0; k < problem.problems(); ++k) {
      solvers_.emplace_back(quadratics[k], problem.penalty_weights.col(k), options.tolerance);
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
      parallel_for(
          std::ssize(open), threads_,
          [&](Index i) {
            auto& solver = solvers_[static_cast<std::size_t>(open[static_cast<std::size_t>(i)])];
            solver.advance();
            a[static_cast<std::size_t>(i)] = &solver.coefficients();
          },
          [&] { task_.poll(); });
      quadratics_.products(open, a, products_, threads_);
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

/// log c_b(x_i) = log sum_g alpha_gb phi_gb(x_i) of one row, without underflow; -infinity without terms.
Vector log_weights_of_row(const Matrix& exponents, Index row, const std::vector<Index>& center, const Vector& log_alpha,
                          Index centers) {
  std::vector<std::vector<double>> terms(static_cast<std::size_t>(centers));
  for (Index p = 0; p < exponents.cols(); ++p) {
    terms[static_cast<std::size_t>(center[static_cast<std::size_t>(p)])].push_back(exponents(row, p) + log_alpha[p]);
  }
  Vector out(centers);
  for (Index b = 0; b < centers; ++b) {
    const auto& own = terms[static_cast<std::size_t>(b)];
    out[b] = log_sum_exp(own.data(), std::ssize(own));
  }
  return out;
}

}  // namespace

double score_fold(const Problem& problem, const Matrix& kernels_y, double width_x, double width_y,
                  const Terms& solution, Index fold, Scoring scoring) {
  const Index b = problem.centers();
  const Range rows = problem.fold(fold);
  if (solution.size() == 0) return infinity;
  std::vector<Index> center;
  for (const Index c : solution.coordinate) center.push_back(c % b);
  const Vector log_value = solution.value.array().log();
  const Matrix exponents = exponents_of(problem, width_x, rows, solution.coordinate);
  Matrix phi = exponents;
  exp_in_place(phi.data(), phi.size());
  Matrix weights = Matrix::Zero(rows.size(), b);  // c_b(x_i)
  for (Index p = 0; p < phi.cols(); ++p)
    weights.col(center[static_cast<std::size_t>(p)]) += solution.value[p] * phi.col(p);
  const Matrix eta = kernels_y.middleCols(rows.begin, rows.size()).transpose();
  const Vector above = weights.cwiseProduct(eta).rowwise().sum();
  const Vector below = weights.rowwise().sum();

  const auto y = problem.y.middleCols(rows.begin, rows.size());
  const double log_mass = log_kernel_mass(y.rows(), width_y);
  Vector log_density = (above.array() / below.array()).log() - log_mass;
  for (Index i = 0; i < rows.size(); ++i) {
    if (above[i] > smallest_sum && below[i] > smallest_sum) continue;
    Vector log_weight = log_weights_of_row(exponents, i, center, log_value, b);
    const double total = log_sum_exp(log_weight);
    weights.row(i) = (log_weight.array() - total).exp().transpose();
    log_weight -=
        (problem.centers_y.colwise() - y.col(i)).colwise().squaredNorm().transpose() * (0.5 / (width_y * width_y));
    log_density[i] = log_sum_exp(log_weight) - total - log_mass;
  }
  const double e = problem.defensive.weight;
  const Vector log_defensive = e > 0 ? problem.defensive.log_density(y) : Vector::Zero(rows.size());
  for (Index i = 0; i < rows.size(); ++i) {
    log_density[i] = problem.defensive.log_mixed(log_density[i], log_defensive[i]);
  }
  const auto row_weights = problem.weights.segment(rows.begin, rows.size());
  if (scoring == Scoring::nll) return -row_weights.dot(log_density);

  // Half the integral of the mixture's square; weights normalised over the centres.
  weights.array().colwise() /= weights.rowwise().sum().array();
  const Matrix overlaps = kernel_overlaps(problem.centers_y, width_y) * std::exp(-2 * log_mass);
  Vector square = (weights * overlaps).cwiseProduct(weights).rowwise().sum();
  if (e > 0) {
    const Vector cross = weights * problem.defensive.overlaps(problem.centers_y, width_y);
    square = (1 - e) * (1 - e) * square + 2 * e * (1 - e) * cross;
    square.array() += e * e * problem.defensive.square();
  }
  return row_weights.dot(Vector(0.5 * square.array() - log_density.array().exp()));
}

namespace {

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
  const Quadratics quadratics(problem, sums, width_y, std::max(1e-15, 1e-5 * options.tolerance), threads);
  Solutions solutions(problem, quadratics, options, task, threads);
  const double unit = options.scale == RegularizationScale::relative ? solutions.lambda_max() : 1.0;
  std::vector<PathPoint> out;
  for (const double regularization : options.regularization) {
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
    if (problem.folds() > 1) {
      Vector fold_score(problem.folds());
      parallel_for(
          problem.folds(), threads,
          [&](Index k) {
            const Range rows = problem.fold(k);
            fold_score[k] = score_fold(problem, quadratics.kernels_y(), sums.width_x, width_y,
                                       point.solutions[static_cast<std::size_t>(k) + 1], k, options.scoring) /
                            problem.weights.segment(rows.begin, rows.size()).sum();
          },
          [&] { task.poll(); });
      summarise(fold_score, point);
    }
    out.push_back(std::move(point));
    task.advance(1.0);
    const Index left = std::ssize(options.regularization) - std::ssize(out);
    if (selected_inputs(problem, out.back().solutions.front()) >= options.most_inputs ||
        (options.stop_early && problem.folds() > 1 && is_hopeless(out, left, best_elsewhere))) {
      task.advance(static_cast<double>(left));
      break;
    }
  }
  return out;
}

}  // namespace condens::sacde
