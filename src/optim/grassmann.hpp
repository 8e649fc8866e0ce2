#pragma once
// Smooth minimisation over subspaces: f(W) of a d_z x d_x matrix W that depends on its row space
// only. Two methods:
//
// minimize_lifted: for any M of full rank, S = M M', Q = S^(-1/2) M has orthonormal rows that span
// the same space, and f~(M) = f(Q) is a function without constraint,
//
//   df~/dM = S^(-1/2) (df/dW at Q) (I - Q'Q),
//
// that quasi-Newton steps minimise (lbfgs.hpp): no transport of vectors, no matrix exponential.
//
// descend_geodesics: steepest descent along geodesics with backtracking, the procedure of
// Tangkaratt, Xie and Sugiyama (2015), section 2.5. With D = df/dW (I - W'W) and D D' = V S^2 V',
// the geodesic from W in the direction -D is (A. Edelman, T. A. Arias and S. T. Smith, The geometry
// of algorithms with orthogonality constraints, SIAM J. Matrix Anal. Appl. 20, 1998, eq. 2.65)
//
//   W_t = V cos(S t) V'W - V (sin(S t) / S) V'D,
//
// equal to the first d_z rows of the paper's matrix exponential. Its derivative at t = 0 is minus
// the natural gradient (errata R2).

#include <functional>

#include "condens/core/types.hpp"
#include "condens/linalg/subspaces.hpp"
#include "condens/optim/lbfgs.hpp"

namespace condens {

/// Returns f(W) and overwrites `gradient` (as W) with df/dW. Not finite where undefined: the line
/// searches then step back.
using SubspaceObjective = std::function<double(const Matrix& w, Matrix& gradient)>;

/// `flat` also where no step lowers the value; `stop` below: where that was called for.
struct SubspaceSettings {
  Index max_iterations = 200;        ///< steps
  Index history = 10;                ///< of the quasi-Newton method
  double unit = 0;                   ///< of the objective, as in LbfgsSettings
  double gradient_tolerance = 1e-6;  ///< on the largest entry of the projected gradient, in units
  double value_tolerance = 1e-12;    ///< on the decrease of a step, relative to the larger of unit and |value|
};

struct SubspaceResult {
  Matrix w;                   ///< rows orthonormal; never worse than the start
  double value;               ///< f(w)
  double projected_gradient;  ///< largest entry of df/dW (I - W'W); NaN where interrupted
  Index iterations;
  Index evaluations;
  LbfgsStatus status;
  bool interrupted;  ///< `stop` asked for an end: w is the best point seen
};

/// W (W W')^(-1/2) on the left: orthonormal rows that span the same space, the nearest such to W.
/// NaN where the rows are not independent.
Matrix orthonormal_rows(const MatrixView& w);

/// The first `d` rows of `basis`, orthonormal, and after them those of `more` that are needed; fewer where there are no
/// more.
Matrix completed(const Matrix& basis, Index d, const Matrix& more);

/// The point at t on the geodesic from `w` (orthonormal rows) in the direction -D, for D = `gradient` made tangent.
Matrix geodesic(const MatrixView& w, const MatrixView& gradient, double t);

/// From `start` (rows independent). `stop` is asked before every evaluation; when it says so, the best point seen is
/// returned, and where nothing was evaluated the start with value NaN. It may throw instead. Throws NumericalError
/// where the start has no finite value.
SubspaceResult minimize_lifted(const SubspaceObjective& objective, const MatrixView& start,
                               const SubspaceSettings& settings = {}, const std::function<bool()>& stop = {});
SubspaceResult descend_geodesics(const SubspaceObjective& objective, const MatrixView& start,
                                 const SubspaceSettings& settings = {}, const std::function<bool()>& stop = {});

}  // namespace condens
