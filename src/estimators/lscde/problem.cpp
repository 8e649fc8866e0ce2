#include "problem.hpp"

#include <algorithm>

#include "kernels/gaussian_kernel.hpp"

namespace condens::lscde {

namespace {

constexpr Index tile_entries = 16384;
constexpr Index most_kept_entries = 2'000'000;  // 16 MB each of x and y

}  // namespace

std::vector<Block> cut_into_blocks(const Problem& problem) {
  // Some tiles of b x rows doubles fit in the second-level cache.
  const Index size = std::clamp<Index>(tile_entries / std::max<Index>(problem.centers_x.cols(), 1) / 8 * 8, 32, 256);
  std::vector<Block> blocks;
  const auto cut = [&](Index fold, Index begin, Index end) {
    for (Index i = 0; i < block_count(end - begin, size); ++i) {
      const Range range = block_range(end - begin, size, i);
      blocks.push_back({fold, {begin + range.begin, begin + range.end}});
    }
  };
  for (Index k = 0; k < problem.folds(); ++k) {
    cut(k, problem.fold_begin[static_cast<std::size_t>(k)], problem.fold_begin[static_cast<std::size_t>(k + 1)]);
  }
  cut(problem.folds(), 0, problem.x_unlabeled.cols());
  return blocks;
}

Distances::Distances(const Problem& problem)
    : problem_(problem),
      centers_x_(problem.centers_x.transpose()),
      centers_y_(problem.centers_y.transpose()),
      kept_(false) {}

Distances::Distances(const Problem& problem, const std::vector<Block>& blocks, int threads) : Distances(problem) {
  const Index rows = problem.y.cols() + problem.x_unlabeled.cols();
  if (rows * centers() > most_kept_entries) return;
  Matrix all_x(centers(), rows);
  Matrix all_y(centers(), problem.y.cols());
  parallel_for(std::ssize(blocks), threads, [&](Index index) {
    const Block& block = blocks[static_cast<std::size_t>(index)];
    const bool labeled = block.fold < problem.folds();
    const Index first = block.rows.begin + (labeled ? 0 : problem.y.cols());
    Matrix buffer;
    all_x.middleCols(first, block.rows.size()) = x(block, buffer);
    if (labeled) all_y.middleCols(first, block.rows.size()) = y(block, buffer);
  });
  x_ = std::move(all_x);
  y_ = std::move(all_y);
  kept_ = true;
}

MatrixView Distances::x(const Block& block, Matrix& buffer) const {
  const Range& rows = block.rows;
  const bool labeled = block.fold < problem_.folds();
  if (kept_) return x_.middleCols(rows.begin + (labeled ? 0 : problem_.y.cols()), rows.size());
  buffer.resize(centers(), rows.size());
  squared_distances(centers_x_, (labeled ? problem_.x : problem_.x_unlabeled).middleCols(rows.begin, rows.size()),
                    buffer);
  return buffer;
}

MatrixView Distances::y(const Block& block, Matrix& buffer) const {
  const Range& rows = block.rows;
  if (kept_) return y_.middleCols(rows.begin, rows.size());
  buffer.resize(centers(), rows.size());
  squared_distances(centers_y_, problem_.y.middleCols(rows.begin, rows.size()), buffer);
  return buffer;
}

}  // namespace condens::lscde
