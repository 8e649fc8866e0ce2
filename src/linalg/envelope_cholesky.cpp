#include "envelope_cholesky.hpp"

#include <cmath>

#include "cholesky.hpp"
#include "condens/core/cancellation.hpp"
#include "condens/core/parallel.hpp"
#include "core/work.hpp"

namespace condens {

namespace {

constexpr Index envelope_panel = 64;

double cube_of(Index size) { return std::pow(static_cast<double>(size), 3); }

}  // namespace

Envelope envelope_of(const MatrixView& a, double negligible) {
  const Index order = a.rows();
  const Vector scale = a.diagonal().cwiseSqrt();
  Envelope out;
  Index end = 0;
  double multiplications = 0;
  for (Index i = 0; i < block_count(order, envelope_panel); ++i) {
    const Range columns = block_range(order, envelope_panel, i);
    end = std::max(end, columns.end);
    for (Index j = columns.begin; j < columns.end; ++j) {
      Index last = order - 1;
      while (last >= end && !(std::abs(a(last, j)) > negligible * scale[last] * scale[j])) --last;
      end = std::max(end, last + 1);
    }
    out.ends.push_back(end);
    // What is left to be factorised within the envelope, before and after this panel.
    multiplications += (cube_of(end - columns.begin) - cube_of(end - columns.end)) / 3;
  }
  out.share = order > 0 ? 3 * multiplications / cube_of(order) : 1;
  return out;
}

EnvelopeCholesky::EnvelopeCholesky(Matrix a, Envelope envelope)
    : lower_(std::move(a)), ends_(std::move(envelope.ends)), ok_(factorize()) {
  count_work(work::product / 6 * envelope.share * cube_of(lower_.rows()));
}

bool EnvelopeCholesky::factorize() {
  for (Index i = 0; i < std::ssize(ends_); ++i) {
    check_cancelled();
    const auto [begin, end] = block_range(lower_.rows(), envelope_panel, i);
    Eigen::Ref<Matrix> corner = lower_.block(begin, begin, end - begin, end - begin);
    if (!cholesky_in_place(corner)) return false;
    const Index behind = ends_[static_cast<std::size_t>(i)] - end;
    if (behind == 0) continue;
    auto below = lower_.block(end, begin, behind, end - begin);
    corner.triangularView<Eigen::Lower>().transpose().solveInPlace<Eigen::OnTheRight>(below);
    lower_.block(end, end, behind, behind).selfadjointView<Eigen::Lower>().rankUpdate(below, -1.0);
  }
  return true;
}

Matrix EnvelopeCholesky::solve(Matrix right) const {
  const Index order = lower_.rows();
  const Index panels = std::ssize(ends_);
  for (Index i = 0; i < panels; ++i) {
    const auto [begin, end] = block_range(order, envelope_panel, i);
    const Index behind = ends_[static_cast<std::size_t>(i)] - end;
    auto own = right.middleRows(begin, end - begin);
    lower_.block(begin, begin, end - begin, end - begin).triangularView<Eigen::Lower>().solveInPlace(own);
    if (behind > 0) right.middleRows(end, behind).noalias() -= lower_.block(end, begin, behind, end - begin) * own;
  }
  for (Index i = panels - 1; i >= 0; --i) {
    const auto [begin, end] = block_range(order, envelope_panel, i);
    const Index behind = ends_[static_cast<std::size_t>(i)] - end;
    auto own = right.middleRows(begin, end - begin);
    if (behind > 0) {
      own.noalias() -= lower_.block(end, begin, behind, end - begin).transpose() * right.middleRows(end, behind);
    }
    lower_.block(begin, begin, end - begin, end - begin).triangularView<Eigen::Lower>().transpose().solveInPlace(own);
  }
  return right;
}

}  // namespace condens
