#pragma once
// Cross-validation of LSCDE over widths and regularisers, sharing everything that
// can be shared (Sugiyama et al. 2010, sections 2.3, 2.5 and 2.6; symbols in
// estimators/lscde.hpp). The Gram matrix depends on s_x only, so one pass over the
// data serves all folds, all s_y and all lambda of an s_x (statistics.hpp); a
// second pass scores them all (held_out.hpp).

#include <vector>

#include "problem.hpp"

namespace condens::lscde {

/// One candidate and its score: the mean over folds of the folds' mean scores.
struct Candidate {
  double bandwidth;
  double bandwidth_y;
  double regularization;
  double score;           ///< +infinity when a fold leaves no positive coefficient
  double standard_error;  ///< over folds
  Vector folds = {};      ///< score of each fold
};

/// Scores every combination, in the order of groups, s_y, lambda.
std::vector<Candidate> score_candidates(const Problem& problem, const std::vector<WidthGroup>& groups,
                                        const std::vector<double>& regularization, Task& task);

/// Work units of score_candidates, for progress.
double scoring_work(const Problem& problem, Index groups);

/// H and h of all rows (eq. 4), and R of the penalty lambda alpha' R alpha (footnote 1).
struct System {
  Matrix gram;  ///< lower triangle
  Vector right;
  double weight;  ///< of the labelled rows
  Matrix norm;    ///< R; empty: the identity
};
System system_of(const Problem& problem, double bandwidth, double bandwidth_y, Task& task);

/// gram + lambda R
Matrix regularized(Matrix gram, const Matrix& norm, double regularization);

/// alpha from the solution of the system: clipped, or the minimiser over alpha >= 0.
Vector constrained(const Problem& problem, const System& system, double regularization, Vector alpha);

/// alpha from all rows (eq. 6 and 7, or the footnote's quadratic programme).
Vector fit_coefficients(const Problem& problem, double bandwidth, double bandwidth_y, double regularization,
                        Task& task);

}  // namespace condens::lscde
