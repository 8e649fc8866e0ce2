#pragma once
// Cross-validation of LSCE (Tangkaratt, Xie and Sugiyama 2015, section 2.4): the held-out value of
// the criterion, without clipping and normalisation,
//
//   CV_j = 1/2 a'G_j a - h_j'a,   a = (G_-j + lambda I)^(-1) h_-j,
//
// G_j and h_j of the rows of fold j, G_-j and h_-j of all others. The widths are those of one W.
// For the ratio that LSMI estimates, G has the mean of psi psi' over the same rows in the place of
// the integral over y (projection_objective.hpp).

#include <functional>
#include <vector>

#include "condens/core/types.hpp"
#include "estimators/lscde/problem.hpp"

namespace condens::lsce {

/// What a'(phi o psi) estimates: p(y|z), or p(z, y) / (p(z) p(y)).
enum class Estimate { density, ratio };

/// Hyper-parameters that are chosen together.
struct Cell {
  double bandwidth;
  double bandwidth_y;
  double regularization;
  friend bool operator==(const Cell&, const Cell&) = default;
};

/// The mean over folds of the folds' scores, and its standard error.
struct Score {
  double value = 0;
  double standard_error = 0;
  Vector folds = {};
};
Score summarise(Vector folds);

struct CellScore {
  Cell cell;
  Score score;  ///< +infinity where a system has no solution
};

/// Every combination, in the order of groups, s_y, lambda. `problem` holds z for x; of it scoring,
/// coefficients and the defensive component play no part. `poll` is called on every thread and may
/// throw. Threads do not change a bit.
std::vector<CellScore> score_cells(const lscde::Problem& problem, const std::vector<lscde::WidthGroup>& groups,
                                   const std::vector<double>& regularization, Estimate estimate, int threads,
                                   const std::function<void()>& poll = {});

/// 1/2 a'G a - h'a of the columns of z and y, by weight.
double held_out_sce(const MatrixView& z, const MatrixView& y, const VectorView& weights, const MatrixView& centers_z,
                    const MatrixView& centers_y, const Cell& cell, const VectorView& a);

/// 1/2 a'H a - h'a of the ratio on the columns of z and y, by weight: H from their own pairs.
double held_out_smi(const MatrixView& z, const MatrixView& y, const VectorView& weights, const MatrixView& centers_z,
                    const MatrixView& centers_y, const Cell& cell, const VectorView& a);

}  // namespace condens::lsce
