#pragma once
// The densities of the states of PRESS: nodes, widths and components.

#include <functional>
#include <vector>

#include "condens/data/dataset.hpp"
#include "condens/estimators/press/map.hpp"
#include "condens/estimators/press/nodes.hpp"
#include "condens/model/kernel_mixture.hpp"

namespace condens::press {

/// How the widths are found.
struct WidthRules {
  Vector given = {};     ///< one, one for every state, or none: learned
  double floor = 0.01;   ///< smallest learned width
  bool common = false;   ///< one for all states
  double tolerance = 0;  ///< of the nodes, see node_spacing
};

/// A normal-reference width for every state: its spread times its effective size to the power
/// -1 / (d_y + 4) (Silverman 1986, eq. 4.14), where they are not given.
Vector reference_widths(const Matrix& w, const Dataset& rows, const WidthRules& rules);

/// Nodes of every state, or one set for all, that are fine enough for `widths`.
std::vector<PressNodes> nodes_for(const MatrixView& y, const Vector& widths, const WidthRules& rules);

/// Whether nodes at the spacing of `used` widths are fine enough for `widths`.
bool fine_enough(const Vector& used, const Vector& widths);

/// What mixes to the law at x: component c has centre, width and its share of every state.
struct Components {
  Matrix centers;  ///< d_y x C
  Vector widths;   ///< C
  Matrix shares;   ///< C x J, columns sum to one
};
/// From the mass that each node has of every state, or, of all rows, instead of a state that no row is in.
Components components_of(const std::vector<PressNodes>& nodes, const std::vector<Vector>& masses, const Vector& widths,
                         const WidthRules& rules, const Matrix& shifts);
/// `shifts` (d_y x J) move the states' densities.
Components make_components(const Matrix& w, const Dataset& rows, const Vector& widths, const WidthRules& rules,
                           const Matrix& shifts);

}  // namespace condens::press
