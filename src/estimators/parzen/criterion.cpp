#include "criterion.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "condens/core/errors.hpp"
#include "condens/core/parallel.hpp"
#include "core/flush_subnormals.hpp"
#include "kernels/gaussian_kernel.hpp"
#include "linalg/log_sum_exp.hpp"
#include "linalg/vector_math.hpp"
#include "pair_sums.hpp"

namespace condens {

namespace {

constexpr std::string_view criterion_name = "Parzen criterion";
constexpr double smallest_sum = 1e-280;  // below: again in the log domain
constexpr double narrow = 0.5;           // exponents of the kernel of width g and of sqrt(2) g
constexpr double wide = 0.25;
constexpr double least_square = 1e-300;  // of a width: a kernel is a point either way

/// The sums of all numbers but one, by additions only.
Vector sums_of_others(const Vector& values) {
  Vector out = Vector::Zero(values.size());
  double sum = 0;
  for (Index i = 0; i < values.size(); ++i) {
    out[i] = sum;
    sum += values[i];
  }
  sum = 0;
  for (Index i = values.size() - 1; i >= 0; --i) {
    out[i] += sum;
    sum += values[i];
  }
  return out;
}

Vector shares(const VectorView& weights, Index n) {
  if (weights.size() == 0) return Vector::Constant(n, 1.0 / static_cast<double>(n));
  require(weights.size() == n, criterion_name, ": ", weights.size(), " weights for ", n, " points");
  require(weights.allFinite() && weights.minCoeff() > 0, criterion_name, ": weights must be finite and > 0");
  return weights / weights.sum();
}

}  // namespace

struct ParzenCriterion::Pairs : PairSums {
  using PairSums::PairSums;
};

/// Of every point: log sum_j w_j K_ij over those that predict it, and the mean of the moments by its terms.
struct ParzenCriterion::Terms {
  Vector log_sums;
  Matrix mean_moments;
};

ParzenCriterion::ParzenCriterion(Scoring scoring, const MatrixView& z, const VectorView& weights,
                                 const std::vector<Index>& fold, const Defensive& defensive)
    : scoring_(scoring), z_(z), weights_(shares(weights, z.cols())), fold_(fold), defensive_(defensive) {
  require(z.cols() >= 2 && z.rows() >= 1, criterion_name, ": ", z.rows(), " x ", z.cols(),
          " numbers, expected at least one row and two points");
  require(z.allFinite(), criterion_name, ": the points hold NaN or infinity");
  require(fold.empty() || std::ssize(fold) == z.cols(), criterion_name, ": ", fold.size(), " fold numbers for ",
          z.cols(), " points");
  if (defensive_.weight > 0) log_defensive_ = defensive_.log_density(z_);
  if (fold_.empty()) {
    left_ = sums_of_others(weights_);
  } else {
    require(*std::min_element(fold_.begin(), fold_.end()) >= 0, criterion_name, ": a fold number is negative");
    Vector mass = Vector::Zero(*std::max_element(fold_.begin(), fold_.end()) + 1);
    for (Index i = 0; i < size(); ++i) mass[fold_[static_cast<std::size_t>(i)]] += weights_[i];
    require(mass.size() >= 2 && mass.minCoeff() > 0, criterion_name,
            ": expected at least two folds 0, 1, ..., none of them empty");
    const Vector others = sums_of_others(mass);
    left_ = others(fold_);
    const Index k = mass.size();
    held_out_ = Matrix::Ones(k, k) - Matrix::Identity(k, k);
    square_ = Matrix::Zero(k, k);
    for (Index a = 0; a < k; ++a) {
      for (Index b = 0; b < k; ++b) {
        for (Index f = 0; f < k; ++f) square_(a, b) += f == a || f == b ? 0.0 : mass[f] / (others[f] * others[f]);
      }
    }
  }
  pairs_ = std::make_unique<const Pairs>(z_, weights_, fold_);
}

ParzenCriterion::~ParzenCriterion() = default;

/// For one row, however small its terms.
double ParzenCriterion::log_sum_of(Index i, const Matrix& u, double exponent, Eigen::Ref<Vector> mean_moments) const {
  const Index n = size();
  Vector distance(n);
  squared_distances(u, u.row(i).transpose(), distance);
  Vector term = weights_.array().log() - exponent * distance.array();
  for (Index j = 0; j < n; ++j) {
    const bool left_out =
        fold_.empty() ? j == i : fold_[static_cast<std::size_t>(j)] == fold_[static_cast<std::size_t>(i)];
    if (left_out) term[j] = -std::numeric_limits<double>::infinity();
  }
  const double out = log_sum_exp_in_place(term.data(), n);
  if (!std::isfinite(out)) {  // distances beyond the range of numbers
    mean_moments.setZero();
    return out;
  }
  term /= sum(term.data(), n);
  if (mean_moments.size() == 1) {
    mean_moments[0] = dot(term.data(), distance.data(), n);
  } else {
    for (Index k = 0; k < mean_moments.size(); ++k) {
      mean_moments[k] = (term.array() * (u.col(k).array() - u(i, k)).square()).sum();
    }
  }
  return out;
}

ParzenCriterion::Terms ParzenCriterion::terms(const Vector& sums, const Matrix& moments, const Vector& widths,
                                              double exponent, int threads) const {
  Terms out{sums.array().log(), moments.array().colwise() / sums.array()};
  std::vector<Index> small;
  for (Index i = 0; i < size(); ++i) {
    if (!(sums[i] >= smallest_sum)) small.push_back(i);
  }
  if (small.empty()) return out;
  const Matrix u = z_.transpose() * widths.cwiseInverse().asDiagonal();
  parallel_for(std::ssize(small), threads, [&](Index k) {
    const Index i = small[static_cast<std::size_t>(k)];
    Vector mean(moments.cols());
    out.log_sums[i] = log_sum_of(i, u, exponent, mean);
    out.mean_moments.row(i) = mean.transpose();
  });
  return out;
}

ParzenLoss ParzenCriterion::finish(Vector rows, Vector gradient) const {
  const double value = weights_.dot(rows);
  if (!std::isfinite(value)) {  // no density
    return {std::numeric_limits<double>::infinity(), std::move(rows), std::move(gradient), 0.0};
  }
  const double error = std::sqrt((weights_.array() * (rows.array() - value)).square().sum());
  return {value, std::move(rows), std::move(gradient), error};
}

ParzenLoss ParzenCriterion::likelihood(const Terms& terms, double log_mass, double dimension) const {
  Vector rows(size());
  Vector share(size());  // of the window in the gradient of log p
  for (Index i = 0; i < size(); ++i) {
    const double own = terms.log_sums[i] - std::log(left_[i]) - log_mass;
    const double mixed = defensive_.weight > 0 ? defensive_.log_mixed(own, log_defensive_[i]) : own;
    rows[i] = -mixed;
    share[i] = std::isfinite(own) ? weights_[i] * std::exp(std::log1p(-defensive_.weight) + own - mixed) : 0.0;
  }
  Vector gradient = -(terms.mean_moments.transpose() * share);
  gradient.array() += dimension * share.sum();
  return finish(std::move(rows), std::move(gradient));
}

ParzenLoss ParzenCriterion::squared(const Vector& sums, const Matrix& moments, const Vector& wide_sums,
                                    const Matrix& wide_moments, double log_mass, double dimension) const {
  const auto d = static_cast<double>(z_.rows());
  const double height = std::exp(-log_mass);                              // of N(z; z_j, diag(g)^2)
  const double wide_height = height * std::pow(std::numbers::sqrt2, -d);  // and of width sqrt(2) g
  Vector own = weights_;                                                  // of a point with itself
  for (Index i = 0; i < size() && !fold_.empty(); ++i) {
    const Index k = fold_[static_cast<std::size_t>(i)];
    own[i] *= square_(k, k);
  }
  const double square = 0.5 * wide_height * weights_.dot(wide_sums + own);
  const Vector held_out = height * sums.cwiseQuotient(left_);
  Vector gradient = 0.25 * wide_height * (wide_moments.transpose() * weights_);
  gradient -= height * (moments.transpose() * weights_.cwiseQuotient(left_));
  gradient.array() -= dimension * (square - weights_.dot(held_out));
  return finish(square - held_out.array(), std::move(gradient));
}

ParzenLoss ParzenCriterion::evaluate(const Vector& widths, bool common, int threads,
                                     const std::function<void()>& poll) const {
  require((widths.array() > 0).all() && widths.allFinite(), criterion_name, ": widths must be finite and > 0");
  const FlushSubnormals guard;
  const bool squares = scoring_ == Scoring::squared;
  std::vector<PairSums::Kernel> kernels{{narrow, held_out_}};
  if (squares) kernels.push_back({wide, square_});
  const PairSums::Sums sums =
      pairs_->evaluate(widths, kernels, common ? PairSums::Moments::total : PairSums::Moments::each, threads, poll);
  const double log_mass = log_kernel_mass(z_.rows(), 1.0) + widths.array().log().sum();
  const double dimension = common ? static_cast<double>(z_.rows()) : 1.0;
  if (squares) {
    return squared(sums.kernels.col(0), sums.moments[0], sums.kernels.col(1), sums.moments[1], log_mass, dimension);
  }
  return likelihood(terms(sums.kernels.col(0), sums.moments[0], widths, narrow, threads), log_mass, dimension);
}

ParzenLoss ParzenCriterion::of_widths(const VectorView& widths, int threads, const std::function<void()>& poll) const {
  require(widths.size() == dimension(), criterion_name, ": ", widths.size(), " widths, expected ", dimension());
  return evaluate(widths, false, threads, poll);
}

ParzenLoss ParzenCriterion::of_width(double width, int threads, const std::function<void()>& poll) const {
  return evaluate(Vector::Constant(dimension(), width), true, threads, poll);
}

std::vector<ParzenLoss> ParzenCriterion::of_candidates(const std::vector<double>& widths, int threads,
                                                       const std::function<void()>& poll) const {
  const FlushSubnormals guard;
  const bool squares = scoring_ == Scoring::squared;
  std::vector<PairSums::Kernel> kernels;
  for (const double width : widths) {
    require(width > 0 && std::isfinite(width), criterion_name, ": width ", width, ", expected > 0");
    const double square = std::max(width * width, least_square);
    kernels.push_back({narrow / square, held_out_});
    if (squares) kernels.push_back({wide / square, square_});
  }
  const Vector ones = Vector::Ones(dimension());
  const PairSums::Sums sums = pairs_->evaluate(ones, kernels, PairSums::Moments::none, threads, poll);
  const Matrix none(size(), 0);
  std::vector<ParzenLoss> out;
  for (std::size_t s = 0; s < widths.size(); ++s) {
    const double log_mass = log_kernel_mass(z_.rows(), widths[s]);
    const auto column = static_cast<Index>(squares ? 2 * s : s);
    if (squares) {
      out.push_back(squared(sums.kernels.col(column), none, sums.kernels.col(column + 1), none, log_mass, 0));
    } else {
      out.push_back(likelihood(terms(sums.kernels.col(column), none, ones, kernels[s].exponent, threads), log_mass, 0));
    }
  }
  return out;
}

}  // namespace condens
