#pragma once
// Samples moved to few nodes, so that a kernel density of many samples has few kernels: every
// sample's mass is split between the corners of its cell such that its position is kept
// (linear binning; C. R. Fan and J. S. Marron, Fast implementations of nonparametric curve
// estimators, J. Comput. Graph. Statist. 3, 1994, section 2).
//
// Bound. For a kernel N(., t, h^2) between nodes at distance delta or less, linear
// interpolation in t errs by at most delta^2 / 8 |kernel''|, whose integral is 4 phi(1) / h^2:
//
//   integral |p - p~| <= (phi(1) / 2) (delta / h)^2   for every coordinate of y, added up,
//
// for kernel densities p, p~ with any weights of the samples. Means are kept exactly.

#include <vector>

#include "condens/core/types.hpp"

namespace condens {

struct PressNodes {
  Matrix centers;           ///< d_y x B
  Index corners = 1;        ///< nodes that a sample is split between
  std::vector<Index> node;  ///< corners x n
  Vector share;             ///< corners x n, >= 0; those of a sample add up to one

  Index size() const { return centers.cols(); }

  /// Adds mass_i times the shares of every sample i of `begin`, ... to its nodes.
  void spread(const VectorView& mass, Index begin, Eigen::Ref<Vector> out) const;

  /// For every sample of `begin`, ...: the sum of its shares times the values of its nodes.
  Vector collect(const VectorView& values, Index begin, Index count) const;
};

/// Nodes at samples' coordinates, at most `spacing` apart unless nothing lies between. Of
/// spacing 0, and where cells would have more corners than there are samples, every sample
/// is its own node (equal ones share it).
PressNodes make_nodes(const MatrixView& y, double spacing);

/// Nodes of one target for rows that are elsewhere, of which `values` are some, and the ends of all: at these values,
/// at most `spacing` apart but for the widest gaps, where filling them would take thousands more.
Vector ticks_of(const VectorView& values, double spacing);

/// The nodes at rising `ticks`, two or more, and the shares of the columns of y, 1 x n; beyond the ends those of the
/// ends.
PressNodes nodes_at(const Vector& ticks, const MatrixView& y);

/// The spacing at which a kernel density of `width` errs by at most `tolerance` in the
/// integral of |p - p~|.
double node_spacing(double tolerance, Index d_y, double width);

}  // namespace condens
