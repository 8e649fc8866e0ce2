#pragma once
// Widths of a Parzen window p(z) = sum_j w_j N(z; z_j, diag(g)^2): the search that minimises a criterion
// (criterion.hpp), from a start that a grid around the reference rule of Scott brackets,
//
//   g = (4 / (d + 2))^(1 / (d + 4)) n^(-1 / (d + 4))   standard deviations
//
// (D. W. Scott, Multivariate Density Estimation, 1992, section 6.3; B. W. Silverman, Density Estimation,
// 1986, section 4.3.2), and the density of a window at its own points.

#include <vector>

#include "condens/core/parallel.hpp"
#include "condens/core/run.hpp"
#include "condens/core/types.hpp"
#include "condens/data/dataset.hpp"
#include "condens/optim/lbfgs.hpp"
#include "criterion.hpp"

namespace condens {

/// The width g, one for all rows of z (d x n, on a common scale: standardised), that maximises the
/// leave-one-out log likelihood sum_i w_i log p_{-i}(z_i); copies leave together, constant rows play no
/// part. `weights` is empty or holds n numbers > 0. Throws std::invalid_argument where fewer than two columns differ.
double parzen_likelihood_width(const MatrixView& z, const VectorView& weights, const Run& run = {});

/// p(z_i) for every column of z; with `leave_self_out` without the kernel at z_i itself, and the
/// other weights brought to one. `widths` holds one width for every row of z.
Vector parzen_density(const MatrixView& z, const VectorView& weights, const VectorView& widths, bool leave_self_out,
                      const Run& run = {});

/// Scott's rule for points of these weights, in standard deviations.
double reference_width(const VectorView& weights, Index dimension);

enum class ParzenShape { isotropic, diagonal };

struct ParzenSearch {
  Scoring scoring = Scoring::nll;
  ParzenShape shape = ParzenShape::isotropic;
  std::vector<std::vector<Index>> groups = {};  ///< diagonal: rows of z that share a width; empty: none do
  double floor = 0.01;                          ///< least width, in standard deviations
  Defensive defensive = {};
};

struct ParzenSearchResult {
  Vector widths;    ///< d
  ParzenLoss loss;  ///< with the rows that were compared
  bool at_floor;    ///< a width wants to be smaller
  LbfgsStatus status;
  Index iterations;
  double projected_gradient;
};

/// Points z (d x n, n >= 2, no row constant), weights of all and folds as of ParzenCriterion. Widths between
/// the floor and 20 standard deviations. Progress is counted in pairs of points.
ParzenSearchResult search_parzen_widths(const MatrixView& z, const VectorView& weights, const std::vector<Index>& fold,
                                        const ParzenSearch& search, Task& task);

/// The pairs of points that a search usually evaluates.
double usual_pairs(Index n);

}  // namespace condens
