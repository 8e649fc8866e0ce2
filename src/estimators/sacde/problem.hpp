#pragma once
// The data of a SACDE fit as its passes see them: rows sorted by fold, every input by its distinct values, so that an
// input with few of them (a category, a genotype) costs as many kernels as it has values, not rows.
//
// Symbols: N rows, B centres, G groups (inputs that vary, then the constant one), K folds. Problem 0 is that of all
// rows, problem k + 1 that of the rows outside fold k.

#include <optional>
#include <vector>

#include "condens/core/document.hpp"
#include "condens/core/parallel.hpp"
#include "condens/core/types.hpp"
#include "condens/estimators/sacde.hpp"
#include "condens/model/kernel_mixture.hpp"
#include "condens/model/row_sums.hpp"

namespace condens::sacde {

/// One input; several rows of x where they are the indicators of one category. The constant input has no coordinates
/// and one value, so that its kernels are all 1.
class Feature {
 public:
  /// Points N x dimension, centers dimension x B; `find_repeats`: looks for values that rows share.
  Feature(Matrix points, Matrix centers, bool find_repeats = true);

  bool is_constant() const { return values_.rows() == 1; }
  Index distinct() const { return values_.rows(); }
  bool has_repeats() const { return !value_of_row_.empty(); }
  const std::vector<int>& value_of_row() const { return value_of_row_; }
  const Matrix& centers() const { return centers_; }

  /// exp(-|v - mu_b|^2 / 2 s^2) for every distinct value v (the rows themselves unless has_repeats()): U x B.
  void kernels(double width, Matrix& out) const;
  /// The same in single precision, to 2^-20: the errors are those of a rounded exponent.
  void kernels(double width, Eigen::MatrixXf& out) const;

  /// Exponents -|x_i - mu_b|^2 / 2 s^2 of some rows for some centres, written to the columns of `out`.
  void exponents(double width, Range rows, const std::vector<Index>& centers, Eigen::Ref<Matrix> out) const;

 private:
  Matrix values_;                  // U x dimension
  std::vector<int> value_of_row_;  // N; empty: value i is that of row i
  Matrix centers_;                 // dimension x B
};

/// Rows of a table that are elsewhere, and how its passes see them (passes.hpp).
struct Elsewhere {
  RowSums* table = nullptr;
  Index rows = 0;
  Document scale = {};  ///< table_passes::Scale
  Index folds = 1;      ///< data/folds.hpp
  Index seed = 0;
  Matrix centers_x = {};                          ///< d_x x B
  std::vector<std::vector<Index>> rows_of_group;  ///< of x; none of the constant group
};

struct Problem {
  std::vector<Feature> features;  ///< of rows that are elsewhere without points
  Matrix penalty_weights;         ///< G x problems: 0 for the constant group
  Matrix y;                       ///< d_y x N
  Vector weights;                 ///< N, all > 0
  Matrix centers_y;               ///< d_y x B
  Defensive defensive;

  std::vector<Index> fold_begin;   ///< fold k holds the rows fold_begin[k], ..., fold_begin[k + 1] - 1
  std::vector<Index> center_fold;  ///< B: the fold that a centre's own sample lies in, or -1: never masked
  std::optional<Elsewhere> elsewhere = {};

  Index rows() const { return elsewhere ? elsewhere->rows : y.cols(); }
  Index centers() const { return centers_y.cols(); }
  Index groups() const { return static_cast<Index>(features.size()); }
  Index folds() const { return static_cast<Index>(fold_begin.size()) - 1; }
  Index problems() const { return folds() > 1 ? folds() + 1 : 1; }
  Range fold(Index k) const {
    return {fold_begin[static_cast<std::size_t>(k)], fold_begin[static_cast<std::size_t>(k) + 1]};
  }

  Vector weights_of_fold(Index k) const { return weights.segment(fold(k).begin, fold(k).size()); }

  /// The weights of a problem's rows, sum one; 0 in the fold left out.
  Vector row_weights(Index problem) const;
};

/// The positive coefficients of a solution, and their coordinates g B + b, ascending.
struct Terms {
  std::vector<Index> coordinate;
  Vector value;

  Index size() const { return value.size(); }
};
Terms positive_terms(const Matrix& alpha);

/// |alpha_g| of every group.
Vector group_norms(const Terms& terms, Index groups, Index centers);

/// How many groups with a penalty, which are those of inputs, a solution of all rows uses.
Index selected_inputs(const Problem& problem, const Terms& terms);

/// The problem over the groups that one of the solutions uses (problem by problem), each penalised by the inverse of
/// its norm there (adaptive lasso: Zou 2006): one that a problem left out stays out of it. Unpenalised groups stay so.
struct Reweighted {
  Problem problem;
  std::vector<Index> group;  ///< of every group the one that it was
};
Reweighted reweight(const Problem& problem, const std::vector<Terms>& solutions);

/// phi of some coordinates g B + b at some rows: rows x coordinates; `exponents`: their logarithms.
Matrix exponents_of(const Problem& problem, double width, Range rows, const std::vector<Index>& coordinates);
Matrix kernels_of(const Problem& problem, double width, Range rows, const std::vector<Index>& coordinates);

/// eta_b of some rows: B x rows.
Matrix target_kernels(const Problem& problem, Range rows, double width);

}  // namespace condens::sacde
