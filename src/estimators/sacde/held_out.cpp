#include "held_out.hpp"

#include <cmath>

#include "condens/core/cancellation.hpp"
#include "kernels/gaussian_kernel.hpp"
#include "linalg/log_sum_exp.hpp"
#include "linalg/vector_math.hpp"
#include "passes.hpp"

namespace condens::sacde {

namespace {

// Sums of kernels below this have lost digits to underflow: such rows are summed in the log domain.
constexpr double smallest_sum = 1e-280;

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

/// The scores of neighbouring rows of a fold, summed with their weights; infinite without coefficients.
double score_rows(const Problem& problem, const MatrixView& kernels_y, double width_x, double width_y,
                  const Terms& solution, Range rows, Scoring scoring) {
  const Index b = problem.centers();
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
  const Matrix eta = kernels_y.transpose();
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

}  // namespace

HeldOut::HeldOut(const Problem& problem, double width_x, double width_y, Scoring scoring)
    : problem_(problem),
      width_x_(width_x),
      width_y_(width_y),
      scoring_(scoring),
      kernels_y_(target_kernels(problem, {0, problem.y.cols()}, width_y)) {}

double HeldOut::sum(const Terms& solution, Index fold) const {
  constexpr Index rows_at_once = 16'384;
  const Range all = problem_.fold(fold);
  double out = 0;
  for (Index i = 0; i < block_count(all.size(), rows_at_once); ++i) {
    const Range part = block_range(all.size(), rows_at_once, i);
    const Range rows{all.begin + part.begin, all.begin + part.end};
    out += score_rows(problem_, kernels_y_.middleCols(rows.begin, rows.size()), width_x_, width_y_, solution, rows,
                      scoring_);
    check_cancelled();
  }
  return out;
}

Matrix HeldOut::sums(const std::vector<PathPoint>& points, int threads) const {
  if (problem_.elsewhere) return scores_in_table(problem_, width_x_, width_y_, scoring_, points);
  Matrix out(problem_.folds(), std::ssize(points));
  parallel_for(out.size(), threads, [&](Index i) {
    const Index fold = i % out.rows();
    const auto& solutions = points[static_cast<std::size_t>(i / out.rows())].solutions;
    out.data()[i] = sum(solutions[static_cast<std::size_t>(fold) + 1], fold);
  });
  return out;
}

}  // namespace condens::sacde
