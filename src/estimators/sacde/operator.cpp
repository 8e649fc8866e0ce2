#include "operator.hpp"

#include <numeric>

#include "kernels/gaussian_kernel.hpp"
#include "linalg/gram.hpp"
#include "linalg/products.hpp"
#include "linalg/vector_math.hpp"

namespace condens::sacde {

namespace {

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

}  // namespace

KernelSums sum_kernels(const Problem& problem, double width_x, bool dense, int threads) {
  KernelSums out{width_x, {}};
  if (!dense) return out;
  const auto coordinates = all_coordinates(problem);
  const Index order = std::ssize(coordinates);
  for (Index k = 0; k < problem.folds(); ++k) {
    const Range rows = problem.fold(k);
    Matrix phi = kernels_of(problem, width_x, rows, coordinates).transpose();
    phi.array().rowwise() *= problem.weights.segment(rows.begin, rows.size()).array().sqrt().transpose();
    out.gram.emplace_back(Matrix::Zero(order, order));
    add_gram(phi, out.gram.back(), threads);
  }
  if (problem.folds() > 1) {
    Matrix all = out.gram[0];
    for (std::size_t k = 1; k < out.gram.size(); ++k) all += out.gram[k];
    replace_by_sums_of_others(out.gram);
    out.gram.insert(out.gram.begin(), std::move(all));
  }
  return out;
}

/// One problem of the large way.
class Quadratics::View final : public GroupQuadratic {
 public:
  View(const Quadratics& owner, Index problem) : owner_(owner), problem_(problem) {}

  const Matrix& linear() const override { return owner_.linear_[static_cast<std::size_t>(problem_)]; }

  void product(const Matrix& a, const std::vector<Index>& groups, Matrix& q) const override {
    std::vector<Matrix*> out{&q};
    owner_.some_products({problem_}, {&a}, groups, out, 1);
  }

  Matrix entries(const std::vector<Index>& rows, const std::vector<Index>& columns) const override {
    const Problem& problem = owner_.problem_;
    const Range all{0, problem.rows()};
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

Quadratics::Quadratics(const Problem& problem, const KernelSums& sums, double width_y, double precision, int threads)
    : problem_(problem), width_x_(sums.width_x), overlaps_(kernel_overlaps(problem.centers_y, width_y)) {
  kernels_y_.resize(problem.centers(), problem.rows());
  squared_distances(problem.centers_y.transpose(), problem.y, kernels_y_);
  kernels_y_ *= -0.5 / (width_y * width_y);
  exp_in_place(kernels_y_.data(), kernels_y_.size());
  for (Index k = 0; k < problem.problems(); ++k) row_weights_.push_back(problem.row_weights(k));
  fill_linear(threads);
  if (!sums.gram.empty()) {
    for (std::size_t k = 0; k < linear_.size(); ++k) {
      double weight = problem.weights.sum();
      if (k > 0) {
        const Range held_out = problem.fold(static_cast<Index>(k) - 1);
        weight -= problem.weights.segment(held_out.begin, held_out.size()).sum();
      }
      views_.push_back(std::make_unique<DenseGroupQuadratic>(finish_gram(sums.gram[k], overlaps_, weight), linear_[k]));
    }
  } else {
    factor_ = pivoted_cholesky(overlaps_, precision).transpose();
    for (Index k = 0; k < problem.problems(); ++k) views_.push_back(std::make_unique<View>(*this, k));
  }
}

/// h of every problem from sums per fold; 0 for centres masked in the problem, which keeps their coefficients at 0.
void Quadratics::fill_linear(int threads) {
  const Index b = problem_.centers();
  const Index folds = problem_.folds();
  linear_.assign(static_cast<std::size_t>(problem_.problems()), Matrix::Zero(b, problem_.groups()));
  const auto fill = [&](Index g) {
    const Feature& feature = problem_.features[static_cast<std::size_t>(g)];
    Matrix phi;
    feature.kernels(width_x_, phi);
    Matrix per_fold(b, folds);
    Matrix sums;
    for (Index k = 0; k < folds; ++k) {
      const Range rows = problem_.fold(k);
      if (!feature.has_repeats()) {
        per_fold.col(k) = kernels_y_.middleCols(rows.begin, rows.size())
                              .cwiseProduct(phi.middleRows(rows.begin, rows.size()).transpose()) *
                          problem_.weights.segment(rows.begin, rows.size());
        continue;
      }
      sums.setZero(b, feature.distinct());
      for (Index n = rows.begin; n < rows.end; ++n) {
        sums.col(feature.value_of_row()[static_cast<std::size_t>(n)]) += problem_.weights[n] * kernels_y_.col(n);
      }
      per_fold.col(k) = sums.cwiseProduct(phi.transpose()).rowwise().sum();
    }
    for (Index p = 0; p < problem_.problems(); ++p) {
      Vector h = Vector::Zero(b);
      double weight = 0;
      for (Index k = 0; k < folds; ++k) {
        if (k == p - 1) continue;
        const Range rows = problem_.fold(k);
        h += per_fold.col(k);
        weight += problem_.weights.segment(rows.begin, rows.size()).sum();
      }
      linear_[static_cast<std::size_t>(p)].col(g) = h / weight;
    }
  };
  parallel_for(problem_.groups(), threads, fill);
  for (std::size_t l = 0; l < problem_.center_fold.size(); ++l) {
    if (problem_.problems() > 1 && problem_.center_fold[l] >= 0) {
      linear_[static_cast<std::size_t>(problem_.center_fold[l]) + 1].row(static_cast<Index>(l)).setZero();
    }
  }
}

void Quadratics::products(const std::vector<Index>& which, const std::vector<const Matrix*>& a, std::vector<Matrix>& q,
                          int threads) const {
  q.resize(which.size());
  if (factor_.size() == 0) {
    for (std::size_t i = 0; i < which.size(); ++i) q[i] = (*this)[which[i]].product(*a[i]);
    return;
  }
  std::vector<Matrix*> out;
  for (Matrix& each : q) {
    each.resize(problem_.centers(), problem_.groups());
    out.push_back(&each);
  }
  std::vector<Index> groups(static_cast<std::size_t>(problem_.groups()));
  std::iota(groups.begin(), groups.end(), Index{0});
  some_products(which, a, groups, out, threads);
}

void Quadratics::some_products(const std::vector<Index>& which, const std::vector<const Matrix*>& a,
                               const std::vector<Index>& groups, std::vector<Matrix*>& q, int threads) const {
  const Index b = problem_.centers();
  const Index n = problem_.rows();
  const Index rank = factor_.rows();
  // w_n M_n of every problem, one below the other: (problems R) x N.
  Matrix m(rank * std::ssize(which), n);
  parallel_for(std::ssize(which), threads, [&](Index i) {
    const Matrix& alpha = *a[static_cast<std::size_t>(i)];
    std::vector<Index> active;
    for (Index c = 0; c < alpha.size(); ++c) {
      if (alpha.data()[c] > 0) active.push_back(c);
    }
    auto own = m.middleRows(i * rank, rank);
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
  // Some groups a task, so that their buffers live on.
  const Index per_task = 8;
  parallel_for(block_count(std::ssize(groups), per_task), threads, [&](Index task) {
    const Range range = block_range(std::ssize(groups), per_task, task);
    Matrix phi;
    Matrix sums;
    Matrix z;
    for (Index index = range.begin; index < range.end; ++index) {
      const Index g = groups[static_cast<std::size_t>(index)];
      const Feature& feature = problem_.features[static_cast<std::size_t>(g)];
      feature.kernels(width_x_, phi);
      if (feature.has_repeats()) {
        sums.setZero(m.rows(), feature.distinct());
        for (Index i = 0; i < n; ++i) sums.col(feature.value_of_row()[static_cast<std::size_t>(i)]) += m.col(i);
        z.resize(m.rows(), phi.cols());
        multiply(sums, phi, z);
      } else {
        z.resize(m.rows(), phi.cols());
        multiply(m, phi, z);
      }
      for (std::size_t i = 0; i < which.size(); ++i) {
        q[i]->col(g) =
            factor_.cwiseProduct(z.middleRows(static_cast<Index>(i) * rank, rank)).colwise().sum().transpose();
      }
    }
  });
}

}  // namespace condens::sacde
