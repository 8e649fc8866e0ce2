#pragma once
// Cross-validation of LSCDE over widths and regularisers, sharing everything that
// can be shared (Sugiyama et al. 2010, sections 2.3, 2.5 and 2.6).
//
// With phi_l(x) = exp(-|x - u_l|^2 / (2 s_x^2)) and psi_l(y) = exp(-|y - v_l|^2 / (2 s_y^2)):
//
//   H = V o sum_i w_i phi(x_i) phi(x_i)' / W,   h = sum_i w_i phi(x_i) o psi(y_i) / W      (eq. 4, 9)
//   alpha = max(0, (H + lambda I)^-1 h)                                                    (eq. 6, 7)
//   p(y|x) = alpha'(phi(x) o psi(y)) / (c_y alpha'phi(x)),  c_y = (sqrt(2 pi) s_y)^d_y      (eq. 8)
//
// The Gram matrix depends on s_x only, so one pass over the data serves all folds,
// all s_y and all lambda of an s_x; a second pass scores them all. No matrix of n
// rows is ever held: passes go over blocks of rows.

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

/// One candidate and its score: the mean over folds of the folds' mean scores.
struct Candidate {
  double bandwidth;
  double bandwidth_y;
  double regularization;
  double score;           ///< +infinity when a fold leaves no positive coefficient
  double standard_error;  ///< over folds
};

/// Widths that share one pass: one s_x with all its s_y.
struct WidthGroup {
  double x;
  std::vector<double> y;
};

/// Scores every combination, in the order of groups, s_y, lambda.
std::vector<Candidate> score_candidates(const Problem& problem, const std::vector<WidthGroup>& groups,
                                        const std::vector<double>& regularization, Task& task);

/// Work units of score_candidates, for progress.
double scoring_work(const Problem& problem, Index groups);

/// alpha from all rows (eq. 6 and 7, or the footnote's quadratic programme).
Vector fit_coefficients(const Problem& problem, double bandwidth, double bandwidth_y, double regularization,
                        Task& task);

}  // namespace condens::lscde
