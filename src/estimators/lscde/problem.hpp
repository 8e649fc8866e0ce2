#pragma once
// The data of an LSCDE fit as its passes see them: standardised, sorted by fold, cut
// into blocks of rows that every pass works through in the same order.

#include <optional>
#include <vector>

#include "condens/core/parallel.hpp"
#include "condens/core/types.hpp"
#include "condens/estimators/lscde.hpp"
#include "condens/model/kernel_mixture.hpp"
#include "condens/model/row_sums.hpp"

namespace condens::lscde {

/// Rows that are not in memory (condens/model/row_sums.hpp), and their folds, which follow from their places.
struct Elsewhere {
  RowSums* table;
  Document scale;              ///< table_passes::Scale
  Vector input_widths;         ///< by which standardised inputs are divided
  Index folds = 1;             ///< data/folds.hpp: folds_of_places
  Index seed = 0;              ///< of the folds
  bool first_against = false;  ///< two folds: the first one, and all others
};

/// Standardised data, sorted by fold, and the centres.
struct Problem {
  Matrix x;            ///< d_x x n; no columns where the rows are elsewhere
  Matrix y;            ///< d_y x n
  Vector weights;      ///< n, all > 0
  Matrix x_unlabeled;  ///< d_x x n', enters H only (section 2.7)
  Matrix centers_x;    ///< d_x x b
  Matrix centers_y;    ///< d_y x b

  std::vector<Index> fold_begin;   ///< fold k holds the rows fold_begin[k], ..., fold_begin[k + 1] - 1
  std::vector<Index> center_fold;  ///< b: the fold that a centre's own sample lies in, or -1: never masked
  Index unscored_folds = 0;        ///< so many at the end only train

  std::optional<Elsewhere> elsewhere = std::nullopt;

  LscdeCoefficients coefficients;
  LscdePenalty penalty = LscdePenalty::coefficients;
  Scoring scoring;
  Defensive defensive;

  Index folds() const { return static_cast<Index>(fold_begin.size()) - 1; }
  Index scored_folds() const { return folds() - unscored_folds; }
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

/// Squared distances of the rows of a block to the centres, b x rows. Small problems keep
/// them, because every width needs them again; large ones compute them anew.
class Distances {
 public:
  /// Computed whenever they are asked for: for one pass.
  explicit Distances(const Problem& problem);
  Distances(const Problem& problem, const std::vector<Block>& blocks, int threads);

  Index centers() const { return centers_x_.rows(); }

  /// |u_l - x_i|^2 and |v_l - y_i|^2; `buffer` holds them where they are not kept.
  MatrixView x(const Block& block, Matrix& buffer) const;
  MatrixView y(const Block& block, Matrix& buffer) const;

 private:
  const Problem& problem_;
  Matrix centers_x_;  // one centre a row, as squared_distances wants them
  Matrix centers_y_;
  bool kept_;
  Matrix x_;  // of all rows, the unlabelled ones last; empty unless kept
  Matrix y_;
};

}  // namespace condens::lscde
