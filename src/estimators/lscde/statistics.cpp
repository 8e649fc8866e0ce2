#include "statistics.hpp"

#include <algorithm>

#include "linalg/gram.hpp"
#include "linalg/vector_math.hpp"

namespace condens::lscde {

namespace {

constexpr Index superblock_entries = 4'000'000;

/// Blocks [first, last) and where each begins in the superblock's tile.
struct Superblock {
  std::size_t first;
  std::size_t last;
  std::vector<Index> offset;

  Range columns(std::size_t block) const { return {offset[block - first], offset[block - first + 1]}; }
};

Superblock next_superblock(const std::vector<Block>& blocks, std::size_t first, Index most_rows) {
  Superblock out{first, first, {0}};
  while (out.last < blocks.size() && out.offset.back() + blocks[out.last].rows.size() <= most_rows) {
    out.offset.push_back(out.offset.back() + blocks[out.last].rows.size());
    ++out.last;
  }
  return out;
}

/// phi of one block into `tile`, scaled by sqrt(w) for the Gram matrix, and the block's
/// sums of w phi o psi, one column per s_y, into `target`.
void fill_block(const Problem& problem, const Distances& distances, const Block& block, const WidthGroup& widths,
                Eigen::Ref<Matrix> tile, Matrix& target) {
  Matrix buffer;
  tile = distances.x(block, buffer) * (-0.5 / (widths.x * widths.x));
  exp_in_place(tile.data(), tile.size());
  if (block.fold == problem.folds()) return;

  const auto weight = problem.weights.segment(block.rows.begin, block.rows.size());
  const MatrixView distance = distances.y(block, buffer);
  Matrix psi;
  target.resize(tile.rows(), std::ssize(widths.y));
  for (Index j = 0; j < target.cols(); ++j) {
    const double width = widths.y[static_cast<std::size_t>(j)];
    psi = distance * (-0.5 / (width * width));
    exp_in_place(psi.data(), psi.size());
    target.col(j).noalias() = psi.cwiseProduct(tile) * weight;
  }
  tile.array().rowwise() *= weight.array().sqrt().transpose();
}

/// Adds the superblock's phi phi' to the Gram matrix of each fold, panels in parallel.
void add_grams(const Matrix& phi, const std::vector<Block>& blocks, const Superblock& superblock, Task& task,
               int threads, std::vector<Matrix>& gram) {
  struct Piece {
    Index fold;
    Range columns;
  };
  std::vector<Piece> pieces;  // the columns of one fold are neighbours
  for (std::size_t i = superblock.first; i < superblock.last; ++i) {
    const Range columns = superblock.columns(i);
    if (!pieces.empty() && pieces.back().fold == blocks[i].fold) {
      pieces.back().columns.end = columns.end;
    } else {
      pieces.push_back({blocks[i].fold, columns});
    }
  }
  const Index panels = gram_panels(phi.rows());
  const auto add = [&](Index index) {
    const Piece& piece = pieces[static_cast<std::size_t>(index / panels)];
    add_gram_panel(phi.middleCols(piece.columns.begin, piece.columns.size()),
                   gram[static_cast<std::size_t>(piece.fold)], index % panels);
  };
  parallel_for(static_cast<Index>(pieces.size()) * panels, threads, add, [&] { task.poll(); });
}

}  // namespace

Statistics accumulate(const Problem& problem, const Distances& distances, const std::vector<Block>& blocks,
                      const WidthGroup& widths, Task& task, int threads) {
  const Index b = distances.centers();
  const std::size_t folds = static_cast<std::size_t>(problem.folds());
  Statistics out;
  out.gram.assign(folds + 1, Matrix::Zero(b, b));
  out.target.assign(folds, Matrix::Zero(b, static_cast<Index>(widths.y.size())));
  out.weight.assign(folds, 0.0);

  const Index most_rows = std::clamp<Index>(superblock_entries / b, 512, 8192);
  Matrix phi(b, std::min(most_rows, problem.y.cols() + problem.x_unlabeled.cols()));
  std::vector<Matrix> target;
  for (std::size_t first = 0; first < blocks.size();) {
    const Superblock superblock = next_superblock(blocks, first, most_rows);
    target.resize(superblock.last - first);
    const auto fill = [&](Index index) {
      const std::size_t i = first + static_cast<std::size_t>(index);
      const Range columns = superblock.columns(i);
      fill_block(problem, distances, blocks[i], widths, phi.middleCols(columns.begin, columns.size()),
                 target[static_cast<std::size_t>(index)]);
      task.advance(1.0);
    };
    parallel_for(std::ssize(target), threads, fill, [&] { task.poll(); });
    add_grams(phi, blocks, superblock, task, threads, out.gram);
    // The blocks' sums in their order, so that threads do not matter.
    for (std::size_t i = first; i < superblock.last; ++i) {
      const std::size_t fold = static_cast<std::size_t>(blocks[i].fold);
      if (fold == folds) continue;
      out.target[fold] += target[i - first];
      out.weight[fold] += problem.weights.segment(blocks[i].rows.begin, blocks[i].rows.size()).sum();
    }
    first = superblock.last;
  }
  return out;
}

void replace_by_training_sums(Statistics& statistics) {
  const Matrix unlabeled = std::move(statistics.gram.back());
  statistics.gram.pop_back();
  replace_by_sums_of_others(statistics.gram);
  replace_by_sums_of_others(statistics.target);
  for (Matrix& gram : statistics.gram) gram += unlabeled;
  std::vector<double> others(statistics.weight.size(), 0.0);
  for (std::size_t k = 0; k < others.size(); ++k) {
    for (std::size_t j = 0; j < others.size(); ++j) others[k] += j == k ? 0.0 : statistics.weight[j];
  }
  statistics.weight = std::move(others);
}

}  // namespace condens::lscde
