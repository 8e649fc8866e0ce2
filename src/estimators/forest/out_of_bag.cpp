#include "out_of_bag.hpp"

#include "condens/core/parallel.hpp"
#include "core/work.hpp"

namespace condens::forest {

namespace {

constexpr Index rows_per_block = 128;

}  // namespace

OutOfBag::OutOfBag(const Dataset& data, const std::vector<GrownTree>& grown, const Trees& trees,
                   const std::vector<Index>& rows)
    : data_(data), trees_(trees) {
  for (const Index row : rows) {
    std::vector<Index> unseen;
    for (std::size_t t = 0; t < grown.size(); ++t) {
      if (!grown[t].in_bag[static_cast<std::size_t>(row)]) unseen.push_back(static_cast<Index>(t));
    }
    if (unseen.empty()) continue;
    rows_.push_back(row);
    unseen_by_.push_back(std::move(unseen));
  }
}

Matrix OutOfBag::shares(int threads, const std::vector<Index>& shuffled, const std::vector<Index>& order) const {
  Matrix out = Matrix::Zero(trees_.n_atoms(), std::ssize(rows_));
  parallel_for(block_count(out.cols(), rows_per_block), threads, [&](Index block) {
    const Range range = block_range(out.cols(), rows_per_block, block);
    Vector own(trees_.n_atoms());
    count_work(500.0 * static_cast<double>(range.size() * trees_.size()));
    for (Index k = range.begin; k < range.end; ++k) {
      Vector x = data_.x.col(rows_[static_cast<std::size_t>(k)]);
      for (const Index row : shuffled) {
        x[row] = data_.x(row, rows_[static_cast<std::size_t>(order[static_cast<std::size_t>(k)])]);
      }
      const trees::SavedTrees::Inputs input = trees_.inputs(x);
      own.setZero();
      const std::vector<Index>& unseen = unseen_by_[static_cast<std::size_t>(k)];
      for (const Index t : unseen) trees_.add(t, input, own);
      out.col(k) = own / static_cast<double>(unseen.size());
    }
  });
  return out;
}

Matrix log_densities(const Smoothing& smoothing, const Matrix& shares, const Matrix& y,
                     const std::vector<Width>& widths, int threads) {
  Matrix out(shares.cols(), std::ssize(widths));
  parallel_for(block_count(shares.cols(), rows_per_block), threads, [&](Index block) {
    const Range range = block_range(shares.cols(), rows_per_block, block);
    count_work(2.0 * static_cast<double>(range.size() * shares.rows()));
    for (Index i = range.begin; i < range.end; ++i) {
      out.row(i) = smoothing.log_pdf(shares.col(i), y.col(i), widths).transpose();
    }
  });
  return out;
}

}  // namespace condens::forest
