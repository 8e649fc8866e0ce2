#include "stage.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "condens/core/parallel.hpp"
#include "linalg/vector_math.hpp"
#include "tile.hpp"

namespace condens {

using kernel_tile::lane_count;
using kernel_tile::Lanes;

namespace {

constexpr Index rows_of_tile = 512;  // phi of two candidates stays in the first-level cache
constexpr Index rows_of_task = 8192;
constexpr Index most_candidates = 16;

/// Starting threads pays from about this many kernel values on.
constexpr Index values_for_threads = 200000;

/// Of a column that is no more than rounding of those before it (errata D11).
constexpr double least_share = 1e-12;
/// Below this share of phi'phi the difference phi'phi - sum p_j^2 has lost too many digits.
constexpr double cancelled_share = 1e-6;

/// Kernels as kernel_tile::evaluate wants them, one a column: exp(-z^2 / 2) = 2^-(root z)^2.
class BinaryKernels {
 public:
  BinaryKernels() = default;
  BinaryKernels(Index dimension, Index count) : scale_(dimension, count), shift_(dimension, count), constant_(count) {}

  Index size() const { return constant_.size(); }

  void set(Index m, const VectorView& center, const VectorView& deviation) {
    constexpr double root = 0.84932180028801904272;  // sqrt(log2(e) / 2)
    scale_.col(m) = root * deviation.cwiseInverse();
    shift_.col(m) = center.cwiseProduct(scale_.col(m));
    constant_[m] = std::numbers::log2e * deviation.array().log().sum();
  }

  kernel_tile::Kernel operator[](Index m) const { return {scale_.col(m).data(), shift_.col(m).data(), constant_[m]}; }

 private:
  Matrix scale_;
  Matrix shift_;
  Vector constant_;
};

}  // namespace

KernelRows KernelRows::of(const MatrixView& z, const VectorView& weights, const VectorView& target, bool cumulative) {
  const Index n = z.cols();
  const Index d = z.rows();
  const Index padded = block_count(n, lane_count) * lane_count;
  const double unit = target.maxCoeff();
  KernelRows out;
  out.unit = unit;
  out.cumulative = cumulative;
  out.total_weight = weights.sum();
  out.x = Matrix::Zero(padded, d);
  out.x.topRows(n) = z.transpose();
  out.root_weight = Vector::Zero(padded);
  out.root_weight.head(n) = weights.cwiseSqrt();
  out.target = Vector::Zero(padded);
  out.target.head(n) = out.root_weight.head(n).cwiseProduct(target) / unit;
  out.exponent = Vector::Constant(padded, std::numeric_limits<double>::infinity());
  const double constant = 0.5 * static_cast<double>(d) * std::log(2 * std::numbers::pi) + std::log(unit);
  out.exponent.head(n) = std::numbers::log2e * (constant - 0.5 * weights.array().log());
  return out;
}

Vector KernelRows::column(const VectorView& center, const VectorView& scale) const {
  if (cumulative) {
    Vector out = root_weight / unit;
    Vector level(size());
    for (Index k = 0; k < dimension(); ++k) {
      level = (x.col(k).array() - center[k]) / scale[k];
      normal_cdf_in_place(level.data(), level.size());
      out.array() *= level.array();
    }
    return out;
  }
  BinaryKernels kernels(dimension(), 1);
  kernels.set(0, center, scale);
  Vector out(size());
  Vector again(size());
  kernel_tile::evaluate(kernels[0], kernels[0], {x.data(), size(), dimension()}, exponent.data(), size(),
                        {out.data(), again.data()});
  return out;
}

double KernelRows::distance(const MatrixView& centers, const MatrixView& scales, const VectorView& weights) const {
  Vector rest = target;
  for (Index l = 0; l < weights.size(); ++l) rest -= weights[l] * column(centers.col(l), scales.col(l));
  return root_weight.dot(rest.cwiseAbs()) / root_weight.dot(target);
}

/// Some candidates at all rows, two by two (an odd last one twice), in two passes: products of
/// phi, then residuals.
class KernelStage::Evaluation {
 public:
  explicit Evaluation(const KernelProblem& problem)
      : rows_(problem.rows),
        regression_(problem.regression),
        penalty_(problem.penalty),
        nonnegative_(problem.nonnegative),
        squares_before_(regression_.squares()),
        lambda_g_(regression_.penalties().cwiseProduct(regression_.orthogonal_coefficients())),
        sums_(regression_.n_columns() + 2),
        blocks_(block_count(rows_.size(), rows_of_task)) {}

  void run(const MatrixView& centers, const MatrixView& scales, int threads, Eigen::Ref<Vector> out) {
    take(centers, scales);
    const int used = count_ * rows_.size() >= values_for_threads ? threads : 1;
    each_pair(used, [this](const Members& pair, Index block) { multiply(pair, block); });
    for (Index m = 0; m < count_; ++m) settle(m);
    each_pair(used, [this](const Members& pair, Index block) { square(pair, block); });
    const double before = regression_.criterion() * rows_.total_weight;
    for (Index m = 0; m < count_; ++m) {
      const double total = squares_.segment(m * blocks_, blocks_).sum();
      out[m] = found_[static_cast<std::size_t>(m)].nothing ? 1.0 : total / before;
    }
  }

 private:
  struct Members {
    Index first;
    Index second;
  };

  struct Found {
    double g = 0;
    double inverse_kappa = 0;
    bool nothing = true;  // the kernel changes nothing
  };

  /// The candidates as kernel_tile::evaluate wants them, the last one again where they are odd.
  void take(const MatrixView& centers, const MatrixView& scales) {
    count_ = centers.cols();
    const Index places = 2 * block_count(count_, 2);
    if (places > kernels_.size()) {
      phi_.resize(rows_.size(), places);
      kernels_ = BinaryKernels(rows_.dimension(), places);
      products_.resize(sums_, places * blocks_);
      squares_.resize(places * blocks_);
      found_.resize(static_cast<std::size_t>(places));
      lanes_.resize(static_cast<std::size_t>(places * blocks_ * sums_));
    }
    for (Index m = 0; m < places; ++m) {
      const Index from = std::min(m, count_ - 1);
      kernels_.set(m, centers.col(from), scales.col(from));
      found_[static_cast<std::size_t>(m)] = {};
    }
  }

  template <class Body>
  void each_pair(int threads, const Body& body) const {
    parallel_for(block_count(count_, 2) * blocks_, threads, [&](Index task) {
      const Index first = 2 * (task / blocks_);
      body({first, first + 1}, task % blocks_);
    });
  }

  kernel_tile::Columns chosen(Index begin) const {
    const auto columns = regression_.orthogonal_columns();
    return {columns.size() > 0 ? columns.data() + begin : nullptr, rows_.size(), regression_.n_columns()};
  }

  Lanes* partial_sums(Index m, Index block) { return lanes_.data() + (m * blocks_ + block) * sums_; }

  kernel_tile::Pair phi(const Members& pair, Index begin) {
    return {phi_.col(pair.first).data() + begin, phi_.col(pair.second).data() + begin};
  }

  /// phi and its products with itself, with t, and with the q_j.
  void multiply(const Members& pair, Index block) {
    Lanes* first = partial_sums(pair.first, block);
    Lanes* second = partial_sums(pair.second, block);
    std::fill_n(first, sums_, Lanes{});
    std::fill_n(second, sums_, Lanes{});
    const Range range = block_range(rows_.size(), rows_of_task, block);
    for (Index begin = range.begin; begin < range.end; begin += rows_of_tile) {
      const Index length = std::min(rows_of_tile, range.end - begin);
      const kernel_tile::Columns x{rows_.x.data() + begin, rows_.size(), rows_.dimension()};
      kernel_tile::evaluate(kernels_[pair.first], kernels_[pair.second], x, rows_.exponent.data() + begin, length,
                            phi(pair, begin));
      kernel_tile::add_products(phi(pair, begin), regression_.residuals().data() + begin, chosen(begin), length, first,
                                second);
    }
    for (Index k = 0; k < sums_; ++k) {
      products_(k, pair.first * blocks_ + block) = kernel_tile::sum(first[k]);
      products_(k, pair.second * blocks_ + block) = kernel_tile::sum(second[k]);
    }
  }

  /// Equations 63 to 65 from the products; the a_j take their place in the first block's column.
  void settle(Index m) {
    auto total = products_.col(m * blocks_);
    for (Index block = 1; block < blocks_; ++block) total += products_.col(m * blocks_ + block);
    auto shares = total.tail(regression_.n_columns());
    shares.array() /= squares_before_.array();
    const double norm = total[0];
    double own = norm - shares.cwiseAbs2().dot(squares_before_);
    if (own < cancelled_share * norm) own = orthogonal_norm(m, shares);
    if (!(own > least_share * norm)) return;
    const double kappa = own + penalty_.of(norm);
    if (!(kappa >= std::numeric_limits<double>::min())) return;
    const double g = (total[1] - shares.dot(lambda_g_)) / kappa;
    found_[static_cast<std::size_t>(m)] = {g, 1 / kappa, nonnegative_ && !(g > 0)};
  }

  double orthogonal_norm(Index m, Eigen::Ref<Vector> shares) const {
    Vector w = phi_.col(m) - regression_.orthogonal_columns() * shares;
    const Vector again = (regression_.orthogonal_columns().transpose() * w).cwiseQuotient(squares_before_);
    shares += again;
    w -= regression_.orthogonal_columns() * again;
    return w.squaredNorm();
  }

  kernel_tile::Candidate candidate(Index m) const {
    const Found& found = found_[static_cast<std::size_t>(m)];
    return {products_.col(m * blocks_).data() + 2, found.g, found.inverse_kappa};
  }

  /// Equations 66 to 68.
  void square(const Members& pair, Index block) {
    std::array<Lanes, 2> lanes{};
    const Range range = block_range(rows_.size(), rows_of_task, block);
    for (Index begin = range.begin; begin < range.end; begin += rows_of_tile) {
      const Index length = std::min(rows_of_tile, range.end - begin);
      kernel_tile::add_squares(candidate(pair.first), candidate(pair.second), chosen(begin),
                               regression_.residuals().data() + begin, regression_.loo_weights().data() + begin, length,
                               phi(pair, begin), lanes);
    }
    squares_[pair.first * blocks_ + block] = kernel_tile::sum(lanes[0]);
    squares_[pair.second * blocks_ + block] = kernel_tile::sum(lanes[1]);
  }

  const KernelRows& rows_;
  const OrthogonalRegression& regression_;
  RegressionPenalty penalty_;
  bool nonnegative_;
  Vector squares_before_;  // w_j'w_j
  Vector lambda_g_;        // lambda_j g_j
  Index sums_;             // of each candidate and block of rows
  Index blocks_;

  // Of the present candidates; places are even.
  Index count_ = 0;
  BinaryKernels kernels_;
  Matrix phi_;
  Matrix products_;
  Vector squares_;
  std::vector<Lanes> lanes_;
  std::vector<Found> found_;
};

KernelStage::KernelStage(const KernelProblem& problem)
    : problem_(problem), evaluation_(std::make_unique<Evaluation>(problem)) {}

KernelStage::~KernelStage() = default;

void KernelStage::values(const MatrixView& centers, const MatrixView& scales, int threads, Eigen::Ref<Vector> out) {
  if (problem_.rows.cumulative) {
    parallel_for(out.size(), out.size() * problem_.rows.size() >= values_for_threads ? threads : 1,
                 [&](Index m) { out[m] = share_with(problem_.rows.column(centers.col(m), scales.col(m))); });
    return;
  }
  for (Index first = 0; first < out.size(); first += most_candidates) {
    const Index count = std::min(most_candidates, out.size() - first);
    evaluation_->run(centers.middleCols(first, count), scales.middleCols(first, count), threads,
                     out.segment(first, count));
  }
}

double KernelStage::share_with(const VectorView& phi) const {
  const OrthogonalRegression& regression = problem_.regression;
  if (problem_.nonnegative && !(phi.dot(regression.residuals()) > 0)) return 1;
  return regression.criterion_with(phi) / regression.criterion();
}

double KernelStage::value(const VectorView& center, const VectorView& log_scale, Eigen::Ref<Vector> gradient) const {
  const KernelRows& rows = problem_.rows;
  const OrthogonalRegression& regression = problem_.regression;
  const Vector scale = log_scale.array().exp();
  const Vector phi = rows.column(center, scale);
  gradient.setZero();
  // Where there are no columns yet; otherwise g has the sign of w'eps.
  if (problem_.nonnegative && !(phi.dot(regression.residuals()) > 0)) return 1;
  Vector by_phi;
  const double value = regression.criterion_with(phi, by_phi) / regression.criterion();
  by_phi = by_phi.cwiseProduct(phi) / regression.criterion();
  const double total = by_phi.sum();
  const Index d = rows.dimension();
  for (Index k = 0; k < d; ++k) {
    const Eigen::ArrayXd z = (rows.x.col(k).array() - center[k]) / scale[k];
    if (rows.cumulative) {
      Vector level = z;
      normal_cdf_in_place(level.data(), level.size());
      const double root = 1 / std::sqrt(2 * std::numbers::pi);
      const Eigen::ArrayXd rate =
          root * (-0.5 * z.square()).exp() / level.array().max(std::numeric_limits<double>::min());  // phi / Phi
      gradient[k] = -(by_phi.array() * rate).sum() / scale[k];
      gradient[d + k] = -(by_phi.array() * rate * z).sum();
      continue;
    }
    gradient[k] = (by_phi.array() * z).sum() / scale[k];
    gradient[d + k] = (by_phi.array() * z.square()).sum() - total;
  }
  return value;
}

}  // namespace condens
