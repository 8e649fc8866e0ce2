#include "held_out.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "kernels/gaussian_kernel.hpp"
#include "linalg/log_sum_exp.hpp"
#include "linalg/vector_math.hpp"

namespace condens::lscde {

namespace {

// Sums of kernels below this have lost digits to underflow: such rows are summed in the log domain.
constexpr double smallest_sum = 1e-280;

/// log of sum_l alpha_l exp(exponent_l), without underflow.
template <class Exponent>
double log_weighted_sum(const Exponent& exponent, const Matrix& alpha, Index j, Vector& work) {
  work = exponent + alpha.col(j).array().log().matrix();
  return log_sum_exp_in_place(work.data(), work.size());
}

/// One block's kernels of x, and the scores of one s_y after the other.
class BlockScorer {
 public:
  /// `idle_centers`, per fold, have no positive coefficient: the nearest of the others sets the scale of each sum.
  BlockScorer(const Problem& problem, const Distances& distances, const std::vector<std::vector<Index>>& idle_centers,
              const Block& block, double width_x)
      : problem_(problem),
        fold_(block.fold),
        rows_(block.rows),
        weight_(problem.weights.segment(rows_.begin, rows_.size())),
        distance_y_(distances.y(block, buffer_y_)) {
    Matrix buffer;
    exponent_x_ = distances.x(block, buffer) * (-0.5 / (width_x * width_x));
    for (const Index l : idle_centers[static_cast<std::size_t>(fold_)]) exponent_x_.row(l).setConstant(-infinity);
    phi_ = exponent_x_;
    shift_x_ = shift_and_exp(phi_);
    if (problem.defensive.weight > 0)
      log_defensive_ = problem.defensive.log_density(problem.y.middleCols(rows_.begin, rows_.size()));
  }

  Vector score(const ScoringWidth& width) {
    const Matrix& alpha = width.alpha[static_cast<std::size_t>(fold_)];
    psi_ = exponent_x_ - distance_y_ * (0.5 / (width.width * width.width));
    const Vector shift = shift_and_exp(psi_);
    numerator_.noalias() = psi_.transpose() * alpha;
    denominator_.noalias() = phi_.transpose() * alpha;
    Vector out(alpha.cols());
    for (Index j = 0; j < alpha.cols(); ++j) {
      if (!(alpha.col(j).maxCoeff() > 0)) {
        out[j] = infinity;
        continue;
      }
      const Vector log_density = log_density_of(width, shift, j);
      out[j] = problem_.scoring == Scoring::nll ? negative_log_likelihood(log_density)
                                                : squared_error(width, log_density, j);
    }
    return out;
  }

 private:
  /// Subtracts each column's maximum before exponentiating; returns the maxima.
  static Vector shift_and_exp(Matrix& exponent) {
    Vector shift(exponent.cols());
    for (Index i = 0; i < exponent.cols(); ++i) {
      const double largest = maximum(exponent.col(i).data(), exponent.rows());
      shift[i] = largest;
      if (std::isfinite(largest)) exponent.col(i).array() -= largest;
    }
    exp_in_place(exponent.data(), exponent.size());
    return shift;
  }

  Vector log_density_of(const ScoringWidth& width, const Vector& shift, Index j) {
    const Matrix& alpha = width.alpha[static_cast<std::size_t>(fold_)];
    Vector out(rows_.size());
    for (Index i = 0; i < out.size(); ++i) {
      const double above = numerator_(i, j);
      const double below = denominator_(i, j);
      if (above > smallest_sum && below > smallest_sum) {
        out[i] = std::log(above / below) + (shift[i] - shift_x_[i]);
      } else {
        const auto exponent = exponent_x_.col(i) - distance_y_.col(i) * (0.5 / (width.width * width.width));
        out[i] = log_weighted_sum(exponent, alpha, j, work_) - log_weighted_sum(exponent_x_.col(i), alpha, j, work_);
      }
    }
    return out.array() - width.log_mass;
  }

  double negative_log_likelihood(const Vector& log_density) const {
    if (problem_.defensive.weight == 0.0) return -weight_.dot(log_density);
    double sum = 0.0;
    for (Index i = 0; i < log_density.size(); ++i) {
      sum -= weight_[i] * problem_.defensive.log_mixed(log_density[i], log_defensive_[i]);
    }
    return sum;
  }

  /// Half the integral of p^2 minus p(y), of the mixture with the defensive component (section 2.5).
  double squared_error(const ScoringWidth& width, const Vector& log_density, Index j) {
    const Matrix& alpha = width.alpha[static_cast<std::size_t>(fold_)];
    const double e = problem_.defensive.weight;
    // The weights of the components at each x, normalised also where phi'alpha underflows.
    Matrix share = phi_.array().colwise() * alpha.col(j).array();
    for (Index i = 0; i < share.cols(); ++i) {
      if (denominator_(i, j) > smallest_sum) {
        share.col(i) /= denominator_(i, j);
      } else {
        share.col(i) = exponent_x_.col(i) + alpha.col(j).array().log().matrix();
        const double total = log_sum_exp(share.col(i));
        share.col(i).array() -= total;
        exp_in_place(share.col(i).data(), share.rows());
      }
    }
    const Vector square =
        (width.overlap_factor.transpose() * share).colwise().squaredNorm().transpose() * std::exp(-2 * width.log_mass);
    double sum = 0.0;
    const double defensive_square = e == 0.0 ? 0.0 : problem_.defensive.square();
    for (Index i = 0; i < square.size(); ++i) {
      double integral = square[i];
      double density = std::exp(log_density[i]);
      if (e > 0.0) {
        const double cross = share.col(i).dot(width.defensive_overlap);
        integral = (1 - e) * (1 - e) * integral + 2 * e * (1 - e) * cross + e * e * defensive_square;
        density = (1 - e) * density + e * std::exp(log_defensive_[i]);
      }
      sum += weight_[i] * (0.5 * integral - density);
    }
    return sum;
  }

  const Problem& problem_;
  Index fold_;
  Range rows_;
  Vector weight_;
  Matrix buffer_y_;
  MatrixView distance_y_;
  Matrix exponent_x_;
  Matrix phi_;
  Matrix psi_;
  Matrix numerator_;
  Matrix denominator_;
  Vector shift_x_;
  Vector log_defensive_;
  Vector work_;
};

}  // namespace

std::vector<std::vector<Index>> find_idle_centers(const std::vector<ScoringWidth>& widths, Index folds) {
  std::vector<std::vector<Index>> out(static_cast<std::size_t>(folds));
  for (std::size_t k = 0; k < out.size(); ++k) {
    Vector largest = Vector::Zero(widths.front().alpha[k].rows());
    for (const ScoringWidth& width : widths) largest = largest.cwiseMax(width.alpha[k].rowwise().maxCoeff());
    for (Index l = 0; l < largest.size(); ++l) {
      if (!(largest[l] > 0)) out[k].push_back(l);
    }
  }
  return out;
}

Matrix score_block(const Problem& problem, const Distances& distances,
                   const std::vector<std::vector<Index>>& idle_centers, const Block& block, double width_x,
                   const std::vector<ScoringWidth>& widths) {
  BlockScorer scorer(problem, distances, idle_centers, block, width_x);
  Matrix out(widths.front().alpha.front().cols(), static_cast<Index>(widths.size()));
  for (std::size_t j = 0; j < widths.size(); ++j) out.col(static_cast<Index>(j)) = scorer.score(widths[j]);
  return out;
}

}  // namespace condens::lscde
