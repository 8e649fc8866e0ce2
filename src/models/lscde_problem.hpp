#pragma once
// The data of an LSCDE fit as its passes see them: standardised, sorted by fold, cut
// into blocks of rows that every pass works through in the same order.

#include <vector>

#include "condens/core/parallel.hpp"
#include "condens/core/types.hpp"
#include "condens/models/lscde.hpp"

namespace condens::lscde {

/// Standardised data, sorted by fold, and the centres.
struct Problem {
  Matrix x;            ///< d_x x n
  Matrix y;            ///< d_y x n
  Vector weights;      ///< n, all > 0
  Matrix x_unlabeled;  ///< d_x x n', enters H only (section 2.7)
  Matrix centers_x;    ///< d_x x b
  Matrix centers_y;    ///< d_y x b

  std::vector<Index> fold_begin;   ///< fold k holds the rows fold_begin[k], ..., fold_begin[k + 1] - 1
  std::vector<Index> center_fold;  ///< b: the fold that a centre's own sample lies in, or -1: never masked

  LscdeCoefficients coefficients;
  LscdeScoring scoring;
  double defensive_weight;
  Vector defensive_mean;   ///< d_y
  Vector defensive_scale;  ///< d_y

  Index folds() const { return static_cast<Index>(fold_begin.size()) - 1; }
};

/// Widths that share one pass: one s_x with all its s_y.
struct WidthGroup {
  double x;
  std::vector<double> y;
};

/// Consecutive rows of one fold; fold == folds() means unlabelled rows.
struct Block {
  Index fold;
  Range rows;
};

/// The folds' rows in order, then the unlabelled ones, in pieces whose tile of b x rows
/// numbers stays in the second-level cache.
std::vector<Block> cut_into_blocks(const Problem& problem);

/// The centres as rows, b x d: the layout that squared_distances wants.
struct CenterRows {
  Matrix x;
  Matrix y;
  explicit CenterRows(const Problem& problem) : x(problem.centers_x.transpose()), y(problem.centers_y.transpose()) {}
};

/// -|u_l - x_i|^2 / (2 width^2): b x points.
void kernel_exponents(const Matrix& center_rows, const MatrixView& points, double width, Eigen::Ref<Matrix> out);

}  // namespace condens::lscde
