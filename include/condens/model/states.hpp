#pragma once
// What the weights of predictive states say of rows: how near these are to each other, which of them stand for a state,
// and of what the smoothing matrix is made; and what is known of the coefficients.
//
// Source: G. M. Goerg, Predictive state smoothing (PRESS), 2017, sections 2.3, 4.5 and 4.6; errata P5.
//
// Shapes: J states, n rows (columns of x). W (n x J) are the weights of the states, sigma (J) the sizes of the states.

#include <vector>

#include "condens/core/types.hpp"
#include "condens/model/bands.hpp"
#include "condens/model/capabilities.hpp"
#include "condens/model/replicates.hpp"

namespace condens {

/// Cosine distances (41) between the weights at the columns of `x` and of `other`, n x m: 0 for the same predictive
/// distribution, 1 where no state is common to both. Throws std::invalid_argument as HasStates::state_weights.
Matrix state_distances(const HasStates& states, const MatrixView& x, const MatrixView& other);

/// S = V diag(lambda) V' (42): V are the columns of W divided by their lengths, lambda_j = |W_j|^2 / sigma_j. The
/// columns are orthogonal, and with them (42) an eigendecomposition, if and only if every row is certain of its state
/// (Lemma 4.3); then V holds 0 and 1 / sqrt(rows of the state).
struct StateFactors {
  Matrix vectors;  ///< V, n x J
  Vector values;   ///< lambda, J: they add up to the degrees of freedom
};
/// Of rows of the fit, the columns of x. Throws as state_distances.
StateFactors state_factors(const HasStates& states, const MatrixView& x);

/// Of every state the `count` columns of x with the largest weight of it, the largest first; equals in their order.
/// Throws as state_distances and unless 1 <= count <= n.
std::vector<std::vector<Index>> representative_rows(const HasStates& states, const MatrixView& x, Index count = 1);

/// How states follow each other in time: the chances of each state `steps` rows later, given the state of a row, J x J.
/// Of the weights of the rows in the order of time, the columns of J x n,
///
///   T_jk = sum_t w_j(t) w_k(t + steps) / sum_t w_j(t):
///
/// where every row is certain of its state, the shares of the transitions that were seen; predictive states of a
/// process form a Markov chain (Shalizi and Crutchfield 2001). Rows sum to one; that of a state without weight is NaN.
/// Throws std::invalid_argument unless 1 <= steps < n.
Matrix transition_matrix(const MatrixView& weights, Index steps = 1);

/// Bounds of the coefficients, (1 + d_x) x J: these plus and minus a normal quantile times their robust standard
/// errors; empty where there are no such errors. Each interval holds for itself. Throws std::invalid_argument unless
/// 0 < confidence < 1.
struct CoefficientIntervals {
  Matrix lower;
  Matrix upper;
};
CoefficientIntervals coefficient_intervals(const HasStates& states, double confidence = 0.95);

/// The same from the replicates of a bootstrap over rows, by bands.hpp, with what each replicate says of them. States
/// have no order that a replicate would keep: those of each are matched to the model's, one to one, so that the
/// squared differences of their weights at the means and the representatives of the model's states are least (H. W.
/// Kuhn, The Hungarian method for the assignment problem, Naval Res. Logist. Quart. 2, 1955). Coefficients of a
/// replicate are brought to the standardised scale of the model. Replicates with fewer states are left out.
struct BootstrapCoefficients {
  CoefficientIntervals intervals;
  Matrix standard_errors;       ///< (1 + d_x) x J
  std::vector<Matrix> matched;  ///< coefficients of each replicate that has as many states, as the model's
  Index n_without = 0;          ///< replicates that are left out
};
/// Empty for a model whose map is not linear. Throws std::invalid_argument for a model without states and as
/// `check_bands`, of the replicates that are not left out.
BootstrapCoefficients coefficient_intervals(const ConditionalDensity& model, const Replicates& replicates,
                                            double confidence = 0.95, BandMethod method = BandMethod::percentile);

}  // namespace condens
