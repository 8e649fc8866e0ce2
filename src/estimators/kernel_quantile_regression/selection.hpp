#pragma once
// The work of kernel quantile regression on standardised data: kernels, paths of solutions over
// levels and penalties, and cross-validation of width, penalty and the shape of the law.

#include <vector>

#include "condens/core/parallel.hpp"
#include "condens/estimators/kernel_quantile_regression.hpp"
#include "optim/quantile_regression.hpp"
#include "quantile_laws.hpp"

namespace condens::kqr {

/// exp(-|u_l - x_i|^2 / (2 s^2)), centres x points; all one without inputs.
Matrix gaussian_kernel(const MatrixView& centers, const MatrixView& points, double width);

struct Problem {
  const Dataset& data;  ///< standardised, weights for every row
  const std::vector<double>& levels;
  KqrLoss loss;
  KqrScoring scoring;
  Defensive defensive;
  std::vector<Index> fold = {};  ///< empty: nothing is compared
  std::vector<double> spreads;
  std::vector<double> floors;
};

/// lambda for rows of this total weight: errata L18.
double penalty(KqrLoss loss, double regularization, double total_weight);

/// One of the candidates: a pair of width and penalty with the shape of least NLL.
struct Candidate {
  double bandwidth;
  double regularization;
  LawShape shape;
  double score = 0;
  double standard_error = 0;
  Vector folds = {};  ///< score of each fold
};

/// What the certificates of many solutions say.
struct Certificates {
  double largest_gap = 0;
  Index solutions = 0;
  Index newton_steps = 0;
  Index pivots = 0;

  void add(const QuantileFit& fit);
  void add(const Certificates& other);
};

/// Mean over the levels of psi(y - q), for every row; quantiles are levels x n.
Vector pinball_losses(const Problem& problem, const Matrix& quantiles);

/// What an option's `spread` and `bandwidth_y_floor` mean where the rows have these quantiles.
LawShape shape_of(const Problem& problem, double spread, double floor, const Matrix& quantiles);

/// Every pair of width and penalty, in that order. Work: one unit a row, pair and fold.
std::vector<Candidate> score_candidates(const Problem& problem, const std::vector<double>& bandwidths,
                                        const std::vector<double>& regularizations, Task& task,
                                        Certificates& certificates);

/// The solutions at all levels for all rows.
std::vector<QuantileFit> solve_levels(const Problem& problem, double bandwidth, double regularization, Task& task);

}  // namespace condens::kqr
