#pragma once
// Many univariate laws that share their components: where their densities cross a level.
//
// Edges e_0 < ... < e_G, a step h apart, from the least centre to the largest; beyond them densities are monotone. In a
// cell [e_g, e_{g+1}], with B >= |p''|,
//
//   |p - chord| <= h^2 B / 8,   |p' - slope of the chord| <= h B / 2
//
// so that a level outside of the chord by more than the first bound is not met, and one within a chord of more than
// four times that bound in height is met once. Densities at edges and bounds B are products of a matrix with the
// weights: a law costs a few multiplications for every cell and component. What remains is searched
// (mixture_modes.cpp).

#include <optional>
#include <vector>

#include "mixture_view.hpp"

namespace condens::detail {

class DensityCells {
 public:
  /// Of components without weights, for so many laws; nothing where single searches are cheaper.
  static std::optional<DensityCells> of(const MixtureView& components, Index laws);

  /// For weights (m x laws): the densities at the edges, and h^2 B / 8 of the cells.
  struct Heights {
    Matrix density;
    Matrix bend;
  };
  Heights heights(const Matrix& weights) const { return {density_ * weights, bend_ * weights}; }

  /// Places with the log density there, from the first edge to the last: between two neighbours p meets the level at
  /// most once. `density` and `bend` are columns of the heights of p.
  struct Node {
    double y;
    double log_density;
  };
  std::vector<Node> nodes(const MixtureView& p, const double* density, const double* bend, double log_level) const;

  /// Lower levels are lost among the rounding of densities that are no logarithms.
  static constexpr double least_log_level = -600.0;

 private:
  DensityCells(const MixtureView& components, Index cells);

  Vector edges_;
  Matrix density_;  // edges x m
  Matrix bend_;     // cells x m
};

}  // namespace condens::detail
