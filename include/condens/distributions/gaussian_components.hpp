#pragma once
// The components of Gaussian mixtures: N(v_l, D_l L_l L_l' D_l), D_l = diag(s_l) the standard
// deviations and L_l L_l' the correlation matrix, L_l lower triangular with rows of norm one. The
// marginal laws are those of s_l alone; the first k coordinates have the leading blocks of D_l and
// L_l, and what is below them conditions the others on these.
//
// Symbols: d dimension, m components.

#include <vector>

#include "condens/core/types.hpp"

namespace condens {

/// |v_l| <= 1e105, 1e-105 <= s_l <= 1e105.
struct GaussianComponents {
  Matrix means;              ///< d x m
  Matrix scales;             ///< d x m, standard deviations
  Matrix correlations = {};  ///< d^2 x m, every L_l column by column; empty: independent coordinates

  /// `covariances`: d^2 x m, each column by column. Coordinates are independent where all of them are
  /// diagonal. Throws std::invalid_argument for what is not finite, symmetric to 1e-9 of the standard
  /// deviations, and positive definite.
  static GaussianComponents from_covariances(Matrix means, const MatrixView& covariances);

  bool correlated() const { return correlations.size() > 0; }
  /// L_l; the identity for independent coordinates.
  Matrix correlation_factor(Index l) const;
  Matrix covariance(Index l) const;  ///< d x d
  Matrix covariances() const;        ///< d^2 x m

  GaussianComponents columns(Index begin, Index count) const;
  /// The marginal components of these coordinates, in this order.
  GaussianComponents coordinates(const std::vector<Index>& which) const;
  /// Of the coordinates after the first k, given that the first k are at their means; other values move the means
  /// alone.
  GaussianComponents given_leading(Index k) const;
  /// Writes the columns of `other` from column `to` on; of correlated ones into correlated ones only.
  void set_columns(Index to, const GaussianComponents& other);
  /// N(0, I) for each of m components, to be written over.
  static GaussianComponents standard(Index d, Index m, bool correlated);

  friend bool operator==(const GaussianComponents& a, const GaussianComponents& b);
};

}  // namespace condens
