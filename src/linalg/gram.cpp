#include "gram.hpp"

#include <cmath>

#include "condens/core/cancellation.hpp"
#include "condens/core/parallel.hpp"
#include "core/work.hpp"

namespace condens {

namespace {

constexpr Index gram_panel = 128;

}  // namespace

Index gram_panels(Index order) { return block_count(order, gram_panel); }

void add_gram_panel(const MatrixView& features, Matrix& gram, Index panel) {
  if (features.cols() == 0) return;  // Eigen's product of depth 0 divides by zero
  const Index order = gram.rows();
  const Range columns = block_range(order, gram_panel, panel);
  const auto own = features.middleRows(columns.begin, columns.size());
  count_work(work::product * static_cast<double>(features.cols() * columns.size()) *
             static_cast<double>(order - columns.begin));
  gram.block(columns.begin, columns.begin, columns.size(), columns.size())
      .selfadjointView<Eigen::Lower>()
      .rankUpdate(own);
  const Index below = order - columns.end;
  if (below > 0) {
    gram.block(columns.end, columns.begin, below, columns.size()).noalias() +=
        features.bottomRows(below) * own.transpose();
  }
}

void add_gram(const MatrixView& features, Matrix& gram, int threads) {
  parallel_for(gram_panels(gram.rows()), threads, [&](Index panel) { add_gram_panel(features, gram, panel); });
}

void replace_by_sums_of_others(std::vector<Matrix>& parts) {
  const std::size_t count = parts.size();
  std::vector<Matrix> suffix(count);  // suffix[k] = parts[k+1] + ... + parts[count-1]
  suffix[count - 1] = Matrix::Zero(parts[0].rows(), parts[0].cols());
  for (std::size_t k = count - 1; k > 0; --k) suffix[k - 1] = suffix[k] + parts[k];
  Matrix prefix = Matrix::Zero(parts[0].rows(), parts[0].cols());
  for (std::size_t k = 0; k < count; ++k) {
    suffix[k] += prefix;
    prefix += parts[k];
  }
  parts = std::move(suffix);
}

Matrix pivoted_cholesky(const MatrixView& gram, double tolerance) {
  const Index order = gram.rows();
  Vector rest = gram.diagonal();
  const double stop = tolerance * (order > 0 ? rest.maxCoeff() : 0.0);
  Matrix factor(order, order);
  Index rank = 0;
  while (rank < order) {
    check_cancelled();
    Index pivot = 0;
    const double largest = rest.maxCoeff(&pivot);
    if (!(largest > stop)) break;
    auto column = factor.col(rank);
    column = gram.col(pivot);
    column.noalias() -= factor.leftCols(rank) * factor.row(pivot).head(rank).transpose();
    column /= std::sqrt(largest);
    rest.array() -= column.array().square();
    rest[pivot] = 0.0;
    ++rank;
  }
  return factor.leftCols(rank);
}

}  // namespace condens
