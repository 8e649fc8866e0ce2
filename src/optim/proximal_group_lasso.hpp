#pragma once
// The proximal gradient iteration of Shiga, Tangkaratt and Sugiyama (2015), eqs. 17-19, for the nonnegative group
// lasso: u = [a - (Ha - h) / L]_+, then every group is shrunk, a_g = [1 - lambda w_g / (L |u_g|)]_+ u_g. The
// reference that the certified solver is measured against; it converges as 1 / t.

#include "nonnegative_group_lasso.hpp"

namespace condens {

/// When the iteration ends: after `iterations`, or when |change|_2 / (number of coordinates) is at most `change`,
/// or, asked for every 50 steps, when the relative duality gap is at most `relative_gap`.
struct ProximalStop {
  Index iterations = 50;
  double change = 1e-5;
  double relative_gap = 0;
};

struct ProximalSolution {
  Matrix coefficients;  ///< B x G
  Index iterations = 0;
};

/// An upper bound of the largest eigenvalue of H, tight to 1e-6: power iteration, and for the entrywise nonnegative H
/// the bound max_i (Hx)_i / x_i of Collatz and Wielandt.
double largest_eigenvalue(const GroupQuadratic& problem);

/// From a = 0, with steps of 1 / L, L = `lipschitz`.
ProximalSolution proximal_group_lasso(const GroupQuadratic& problem, const Vector& weights, double lambda,
                                      double lipschitz, const ProximalStop& stop);

}  // namespace condens
