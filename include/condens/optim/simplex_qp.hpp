#pragma once
// min 0.5 b'Qb - v'b over the simplex b >= 0, 1'b = 1, exactly, by a primal active set: solve for
// the free coordinates, walk to the boundary where one would turn negative, free the coordinate
// with the lowest gradient (Wolfe 1976, Finding the nearest point in a polytope; Lawson and Hanson
// 1974, chapter 23). Q may be singular to rounding, as Gaussian kernel matrices are.
//
// Certificate: the Frank-Wolfe gap b'g - min_i g_i with g = Qb - v, which is at least the
// objective's distance from its minimum; it is that of Q itself, without any ridge.

#include <functional>

#include "condens/core/types.hpp"

namespace condens {

struct SimplexQp {
  Vector solution;   ///< zeros are exact
  double objective;  ///< 0.5 b'Qb - v'b
  double gap;        ///< >= objective - minimum, up to rounding of the gradient
  Index iterations;  ///< linear systems solved
};

struct SimplexQpSettings {
  double tolerance = 0;  ///< the gap, in units of the objective, that is enough; 0: what rounding allows
  int threads = 1;       ///< they do not change one bit
  std::function<void()> poll = {};
};

/// Q by its columns, computed when they are needed: those of the free coordinates only.
struct QpColumns {
  Vector diagonal;
  std::function<void(Index j, Eigen::Ref<Vector> column)> column;
};

/// Q is symmetric positive semidefinite, n x n; all of it is read. Throws std::invalid_argument for
/// shapes that do not fit and numbers that are not finite, NumericalError where Q curves downwards.
/// Cost per iteration: n s multiplications and additions, s the number of free coordinates, and
/// memory for n s numbers.
SimplexQp solve_simplex_qp(const Matrix& q, const VectorView& v, const SimplexQpSettings& settings = {});
SimplexQp solve_simplex_qp(const QpColumns& q, const VectorView& v, const SimplexQpSettings& settings = {});

/// b'g - min_i g_i, g = Qb - v, for a point b of the simplex and `product` = Qb.
double frank_wolfe_gap(const VectorView& b, const VectorView& product, const VectorView& v);

}  // namespace condens
