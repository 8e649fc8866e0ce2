#include "cholesky.hpp"

#include <Eigen/Cholesky>

#include "condens/core/cancellation.hpp"
#include "condens/core/parallel.hpp"
#include "core/work.hpp"

namespace condens {

namespace {

constexpr Index largest_at_once = 1024;  // some ten milliseconds
constexpr Index factor_panel = 128;
constexpr Index columns_per_block = 384;  // of the rest: a gigaflop for the first of order 10,000

/// rest - panel panel', the lower triangle.
void subtract_products(Eigen::Ref<Matrix> rest, const MatrixView& panel, int threads) {
  const Index order = rest.rows();
  parallel_for(block_count(order, columns_per_block), threads, [&](Index block) {
    const auto [begin, end] = block_range(order, columns_per_block, block);
    const Index size = end - begin;
    const auto own = panel.middleRows(begin, size);
    rest.block(begin, begin, size, size).selfadjointView<Eigen::Lower>().rankUpdate(own, -1.0);
    if (end < order) {
      rest.block(end, begin, order - end, size).noalias() -= panel.bottomRows(order - end) * own.transpose();
    }
  });
}

/// Half a square for each of the columns to the right.
void count_solve(Index order, Index columns) {
  const double rate = columns < 8 ? work::narrow_product : work::product;
  count_work(rate * 0.5 * static_cast<double>(order * order) * static_cast<double>(columns));
}

template <class Right>
void solve(const MatrixView& lower, Right& right) {
  const Index order = lower.rows();
  count_solve(order, right.cols());
  const Index width = order > largest_at_once ? columns_per_block : order;
  for (Index begin = 0; begin < order; begin += width) {
    check_cancelled();
    const Index size = std::min(width, order - begin);
    const Index behind = order - begin - size;
    auto own = right.middleRows(begin, size);
    lower.block(begin, begin, size, size).template triangularView<Eigen::Lower>().solveInPlace(own);
    if (behind > 0) right.bottomRows(behind).noalias() -= lower.block(begin + size, begin, behind, size) * own;
  }
}

template <class Right>
void solve_transposed(const MatrixView& lower, Right& right) {
  const Index order = lower.rows();
  count_solve(order, right.cols());
  const Index width = order > largest_at_once ? columns_per_block : order;
  for (Index end = order; end > 0;) {
    check_cancelled();
    const Index size = std::min(width, end);
    const Index begin = end - size;
    const Index behind = order - end;
    auto own = right.middleRows(begin, size);
    if (behind > 0) own.noalias() -= lower.block(end, begin, behind, size).transpose() * right.bottomRows(behind);
    lower.block(begin, begin, size, size).template triangularView<Eigen::Lower>().transpose().solveInPlace(own);
    end = begin;
  }
}

}  // namespace

bool cholesky_in_place(Eigen::Ref<Matrix> a, int threads) {
  const Index order = a.rows();
  const Index width = order > largest_at_once ? factor_panel : order;
  for (Index begin = 0; begin < order; begin += width) {
    check_cancelled();
    const Index size = std::min(width, order - begin);
    const Index behind = order - begin - size;
    Eigen::Ref<Matrix> corner = a.block(begin, begin, size, size);
    const Eigen::LLT<Eigen::Ref<Matrix>> factor(corner);
    count_work(work::product / 6 * static_cast<double>(size * size) * static_cast<double>(size));
    // NaN is no pivot, though Eigen takes it for one.
    if (factor.info() != Eigen::Success || !(corner.diagonal().array() > 0).all()) return false;
    if (behind == 0) break;
    count_work(work::product * 0.5 * static_cast<double>(size * behind) * static_cast<double>(size + behind));
    auto below = a.block(begin + size, begin, behind, size);
    corner.triangularView<Eigen::Lower>().transpose().solveInPlace<Eigen::OnTheRight>(below);
    subtract_products(a.bottomRightCorner(behind, behind), below, threads);
  }
  return true;
}

void solve_lower_in_place(const MatrixView& lower, Vector& right) { solve(lower, right); }
void solve_lower_in_place(const MatrixView& lower, Matrix& right) { solve(lower, right); }
void solve_lower_transposed_in_place(const MatrixView& lower, Vector& right) { solve_transposed(lower, right); }
void solve_lower_transposed_in_place(const MatrixView& lower, Matrix& right) { solve_transposed(lower, right); }

Vector Cholesky::solve(Vector right) const {
  solve_lower_in_place(lower_, right);
  solve_lower_transposed_in_place(lower_, right);
  return right;
}

Matrix Cholesky::solve(Matrix right) const {
  solve_lower_in_place(lower_, right);
  solve_lower_transposed_in_place(lower_, right);
  return right;
}

}  // namespace condens
