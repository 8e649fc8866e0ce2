#include "operator.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "condens/core/cancellation.hpp"
#include "kernels/gaussian_kernel.hpp"
#include "linalg/gram.hpp"
#include "linalg/products.hpp"
#include "linalg/vector_math.hpp"

namespace condens::sacde {

namespace {

constexpr double rough_precision = 1e-6;  // of V where single precision is enough

std::vector<Index> all_coordinates(const Problem& problem) {
  std::vector<Index> out(static_cast<std::size_t>(problem.groups() * problem.centers()));
  std::iota(out.begin(), out.end(), Index{0});
  return out;
}

/// H from sums over rows: times V, block by block, divided by the sum of weights; both triangles.
Matrix finish_gram(const Matrix& sums, const Matrix& overlaps, double weight) {
  const Index b = overlaps.rows();
  const Index groups = sums.rows() / b;
  Matrix out(sums.rows(), sums.cols());
  for (Index h = 0; h < groups; ++h) {
    for (Index g = h; g < groups; ++g) {
      auto block = out.block(g * b, h * b, b, b);
      block = sums.block(g * b, h * b, b, b);
      if (g == h) block = Matrix(block.selfadjointView<Eigen::Lower>());
      block = block.cwiseProduct(overlaps) / weight;
      if (g != h) out.block(h * b, g * b, b, b) = block.transpose();
    }
  }
  return out;
}

/// Adds sum w phi phi' of the rows of a fold, some of them at a time.
void add_fold_gram(const Problem& problem, double width_x, Index k, int threads, Matrix& gram) {
  constexpr Index rows_at_once = 4096;
  const Range fold = problem.fold(k);
  const auto coordinates = all_coordinates(problem);
  for (Index i = 0; i < block_count(fold.size(), rows_at_once); ++i) {
    const Range part = block_range(fold.size(), rows_at_once, i);
    const Range rows{fold.begin + part.begin, fold.begin + part.end};
    Matrix phi = kernels_of(problem, width_x, rows, coordinates).transpose();
    phi.array().rowwise() *= problem.weights.segment(rows.begin, rows.size()).array().sqrt().transpose();
    add_gram(phi, gram, threads);
    check_cancelled();
  }
}

/// Sum w phi_gb eta_b of one group, B x folds; of an input with few values, rows of a value first.
Matrix group_targets(const Problem& problem, const Feature& feature, double width_x, const Matrix& kernels_y) {
  Matrix phi;
  feature.kernels(width_x, phi);
  Matrix out(problem.centers(), problem.folds());
  for (Index k = 0; k < problem.folds(); ++k) {
    const Range rows = problem.fold(k);
    if (!feature.has_repeats()) {
      out.col(k) = kernels_y.middleCols(rows.begin, rows.size())
                       .cwiseProduct(phi.middleRows(rows.begin, rows.size()).transpose()) *
                   problem.weights_of_fold(k);
      continue;
    }
    Matrix sums = Matrix::Zero(problem.centers(), feature.distinct());
    for (Index n = rows.begin; n < rows.end; ++n) {
      sums.col(feature.value_of_row()[static_cast<std::size_t>(n)]) += problem.weights[n] * kernels_y.col(n);
    }
    out.col(k) = sums.cwiseProduct(phi.transpose()).rowwise().sum();
  }
  return out;
}

/// M phi of the kernels phi of an input, for M with as many columns as there are rows.
template <class Scalar>
class KernelProduct {
 public:
  using Numbers = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic>;

  void multiply(const Feature& feature, double width, const Numbers& m) {
    feature.kernels(width, phi_);
    z_.resize(m.rows(), phi_.cols());
    if (!feature.has_repeats()) {
      condens::multiply(m, phi_, z_);
      return;
    }
    sums_.setZero(m.rows(), feature.distinct());
    for (Index i = 0; i < m.cols(); ++i) sums_.col(feature.value_of_row()[static_cast<std::size_t>(i)]) += m.col(i);
    condens::multiply(sums_, phi_, z_);
  }

  /// Sum over r of F_rb (M phi)_rb, of the rows of M that are those of problem i.
  Vector with_factor(const MatrixView& factor, Index i) const {
    const auto own = z_.middleRows(i * factor.rows(), factor.rows());
    return factor.cwiseProduct(own.template cast<double>()).colwise().sum().transpose();
  }

 private:
  Numbers phi_;
  Numbers sums_;
  Numbers z_;
};

}  // namespace

bool is_dense(const Problem& problem) {
  constexpr Index always = 1500;
  constexpr Index largest = 4000;
  const Index order = problem.groups() * problem.centers();
  return problem.elsewhere || order <= always || (order <= largest && order <= 2 * problem.rows());
}

FoldSums fold_sums(const Problem& problem, double width_x, const std::vector<double>& widths_y, bool dense,
                   int threads) {
  const Index b = problem.centers();
  const Index order = problem.groups() * b;
  FoldSums out{{}, {}, Vector::Zero(problem.folds())};
  for (Index k = 0; k < problem.folds(); ++k) {
    if (dense) out.gram.emplace_back(Matrix::Zero(order, order));
    out.target.emplace_back(Matrix::Zero(b, problem.groups() * std::ssize(widths_y)));
  }
  add_fold_sums(problem, width_x, widths_y, threads, out);
  return out;
}

void add_fold_sums(const Problem& problem, double width_x, const std::vector<double>& widths_y, int threads,
                   FoldSums& sums) {
  for (Index k = 0; k < problem.folds(); ++k) {
    sums.weight[k] += problem.weights_of_fold(k).sum();
    if (!sums.gram.empty()) add_fold_gram(problem, width_x, k, threads, sums.gram[static_cast<std::size_t>(k)]);
  }
  for (std::size_t j = 0; j < widths_y.size(); ++j) {
    const Matrix kernels_y = target_kernels(problem, {0, problem.y.cols()}, widths_y[j]);
    const Index first = static_cast<Index>(j) * problem.groups();
    parallel_for(problem.groups(), threads, [&](Index g) {
      const Matrix own = group_targets(problem, problem.features[static_cast<std::size_t>(g)], width_x, kernels_y);
      for (Index k = 0; k < problem.folds(); ++k) sums.target[static_cast<std::size_t>(k)].col(first + g) += own.col(k);
    });
  }
}

KernelSums training_sums(FoldSums sums, double width_x, std::vector<double> widths_y) {
  const auto all_and_others = [](std::vector<Matrix> parts) {
    if (parts.size() < 2) return parts;
    Matrix all = parts[0];
    for (std::size_t k = 1; k < parts.size(); ++k) all += parts[k];
    replace_by_sums_of_others(parts);
    parts.insert(parts.begin(), std::move(all));
    return parts;
  };
  std::vector<Matrix> weights;
  for (const double weight : sums.weight) weights.emplace_back(Matrix::Constant(1, 1, weight));
  weights = all_and_others(std::move(weights));
  KernelSums out{.width_x = width_x,
                 .widths_y = std::move(widths_y),
                 .gram = all_and_others(std::move(sums.gram)),
                 .target = all_and_others(std::move(sums.target)),
                 .weight = Vector(std::ssize(weights)),
                 .fold_weight = std::move(sums.weight)};
  for (std::size_t k = 0; k < weights.size(); ++k) out.weight[static_cast<Index>(k)] = weights[k](0, 0);
  return out;
}

/// One problem of the large way.
class Quadratics::View final : public GroupQuadratic {
 public:
  View(const Quadratics& owner, Index problem) : owner_(owner), problem_(problem) {}

  const Matrix& linear() const override { return owner_.linear_[static_cast<std::size_t>(problem_)]; }

  void product(const Matrix& a, const std::vector<Index>& groups, Matrix& q) const override {
    const Matrix m = owner_.weighted_sums({problem_}, {&a}, 1);
    KernelProduct<double> exact;
    for (const Index g : groups) {
      exact.multiply(owner_.problem_.features[static_cast<std::size_t>(g)], owner_.width_x_, m);
      q.col(g) = exact.with_factor(owner_.factor_, 0);
    }
  }

  Matrix entries(const std::vector<Index>& rows, const std::vector<Index>& columns) const override {
    const Problem& problem = owner_.problem_;
    const Range all{0, problem.y.cols()};
    Matrix right = kernels_of(problem, owner_.width_x_, all, columns);
    right.array().colwise() *= owner_.row_weights_[static_cast<std::size_t>(problem_)].array();
    Matrix out(std::ssize(rows), std::ssize(columns));
    multiply(kernels_of(problem, owner_.width_x_, all, rows).transpose(), right, out);
    const Index b = problem.centers();
    for (Index j = 0; j < out.cols(); ++j) {
      const auto overlap = owner_.overlaps_.col(columns[static_cast<std::size_t>(j)] % b);
      for (Index i = 0; i < out.rows(); ++i) out(i, j) *= overlap[rows[static_cast<std::size_t>(i)] % b];
    }
    return out;
  }

 private:
  const Quadratics& owner_;
  Index problem_;
};

Quadratics::~Quadratics() = default;

Quadratics::Quadratics(const Problem& problem, const KernelSums& sums, double width_y, double precision)
    : problem_(problem), width_x_(sums.width_x), overlaps_(kernel_overlaps(problem.centers_y, width_y)) {
  fill_linear(sums, width_y);
  if (!sums.gram.empty()) {
    for (std::size_t k = 0; k < linear_.size(); ++k) {
      Matrix gram = finish_gram(sums.gram[k], overlaps_, sums.weight[static_cast<Index>(k)]);
      views_.push_back(std::make_unique<DenseGroupQuadratic>(std::move(gram), linear_[k]));
    }
    return;
  }
  factor_ = pivoted_cholesky(overlaps_, precision).transpose();
  rough_rank_ = std::min(factor_.rows(), pivoted_cholesky(overlaps_, rough_precision).cols());
  for (Index k = 0; k < problem.problems(); ++k) {
    row_weights_.push_back(problem.row_weights(k));
    views_.push_back(std::make_unique<View>(*this, k));
  }
}

/// h of every problem; 0 for centres masked in the problem, which keeps their coefficients at 0.
void Quadratics::fill_linear(const KernelSums& sums, double width_y) {
  const auto place = std::find(sums.widths_y.begin(), sums.widths_y.end(), width_y) - sums.widths_y.begin();
  for (std::size_t p = 0; p < sums.target.size(); ++p) {
    linear_.emplace_back(sums.target[p].middleCols(place * problem_.groups(), problem_.groups()) /
                         sums.weight[static_cast<Index>(p)]);
  }
  for (std::size_t l = 0; l < problem_.center_fold.size(); ++l) {
    if (problem_.problems() > 1 && problem_.center_fold[l] >= 0) {
      linear_[static_cast<std::size_t>(problem_.center_fold[l]) + 1].row(static_cast<Index>(l)).setZero();
    }
  }
}

void Quadratics::products(const std::vector<Index>& which, const std::vector<const Matrix*>& a,
                          const std::vector<Vector>& bounds, std::vector<Matrix>& q, int threads) const {
  q.resize(which.size());
  if (factor_.size() == 0) {
    for (std::size_t i = 0; i < which.size(); ++i) q[i] = (*this)[which[i]].product(*a[i]);
    return;
  }
  for (Matrix& each : q) each.resize(problem_.centers(), problem_.groups());
  const Matrix m = weighted_sums(which, a, threads);
  const Index rank = factor_.rows();
  Eigen::MatrixXf rough_m(rough_rank_ * std::ssize(which), m.cols());
  Vector errors(std::ssize(which));
  for (Index i = 0; i < errors.size(); ++i) {
    const auto own = m.middleRows(i * rank, rough_rank_);
    rough_m.middleRows(i * rough_rank_, rough_rank_) = own.cast<float>();
    errors[i] = rough_error(own, *a[static_cast<std::size_t>(i)]);
  }
  const auto may_be_rough = [&](Index g) {
    for (std::size_t i = 0; i < q.size(); ++i) {
      const double bound = bounds[i][g];
      if (!std::isfinite(bound) || bound <= errors[static_cast<Index>(i)] || (a[i]->col(g).array() > 0).any()) {
        return false;
      }
    }
    return true;
  };
  const auto keeps_bounds = [&](Index g) {
    for (std::size_t i = 0; i < q.size(); ++i) {
      const auto linear = linear_[static_cast<std::size_t>(which[i])].col(g);
      const double pull = (linear - q[i].col(g)).cwiseMax(0.0).norm();
      if (!(pull + errors[static_cast<Index>(i)] <= bounds[i][g])) return false;
    }
    return true;
  };
  // Some groups a task, so that their buffers live on.
  const Index per_task = 8;
  parallel_for(block_count(problem_.groups(), per_task), threads, [&](Index task) {
    const Range groups = block_range(problem_.groups(), per_task, task);
    KernelProduct<float> rough;
    KernelProduct<double> exact;
    for (Index g = groups.begin; g < groups.end; ++g) {
      const Feature& feature = problem_.features[static_cast<std::size_t>(g)];
      const auto take = [&](auto& product, const auto& sums, Index rows) {
        product.multiply(feature, width_x_, sums);
        for (std::size_t i = 0; i < q.size(); ++i) {
          q[i].col(g) = product.with_factor(factor_.topRows(rows), static_cast<Index>(i));
        }
      };
      const bool rough_first = may_be_rough(g);
      if (rough_first) take(rough, rough_m, rough_rank_);
      if (!rough_first || !keeps_bounds(g)) take(exact, m, rank);
    }
  });
}

/// w_n M_n of every problem, one below the other: (problems R) x N.
Matrix Quadratics::weighted_sums(const std::vector<Index>& which, const std::vector<const Matrix*>& a,
                                 int threads) const {
  const Index b = problem_.centers();
  const Index n = problem_.y.cols();
  const Index rank = factor_.rows();
  Matrix out(rank * std::ssize(which), n);
  parallel_for(std::ssize(which), threads, [&](Index i) {
    const Matrix& alpha = *a[static_cast<std::size_t>(i)];
    std::vector<Index> active;
    for (Index c = 0; c < alpha.size(); ++c) {
      if (alpha.data()[c] > 0) active.push_back(c);
    }
    auto own = out.middleRows(i * rank, rank);
    if (active.empty()) {
      own.setZero();
      return;
    }
    Matrix weighted(rank, std::ssize(active));
    for (Index p = 0; p < weighted.cols(); ++p) {
      const Index c = active[static_cast<std::size_t>(p)];
      weighted.col(p) = factor_.col(c % b) * alpha.data()[c];
    }
    const Matrix kernels = kernels_of(problem_, width_x_, {0, n}, active);
    multiply(weighted, kernels.transpose(), own);
    own.array().rowwise() *=
        row_weights_[static_cast<std::size_t>(which[static_cast<std::size_t>(i)])].transpose().array();
  });
  return out;
}

/// How far |[h_g - q_g]_+| of a rough product may be from the truth, with coefficients a and the rows `m` of M that it
/// takes. A sum of N products in single precision, of factors rounded to 2^-24 and kernels, at most 1, to 2^-20, is off
/// by (N + 16) 2^-24 of the sum of their sizes at most, to first order; as much again where rows of a value are summed
/// first. What is left out of V has no entry above rough_precision of its largest.
double Quadratics::rough_error(const MatrixView& m, const Matrix& a) const {
  const double share = std::ldexp(2.0 * static_cast<double>(m.cols()) + 32, -24);
  const Vector sizes = m.cwiseAbs().rowwise().sum();
  const double left_out = rough_precision * overlaps_.diagonal().maxCoeff() * a.sum();
  return share * (factor_.topRows(m.rows()).cwiseAbs().transpose() * sizes).norm() +
         left_out * std::sqrt(static_cast<double>(overlaps_.rows()));
}

}  // namespace condens::sacde
