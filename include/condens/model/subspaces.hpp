#pragma once
// How sure the directions z = W x of a reduction are: what a bootstrap over rows (replicates.hpp) says of the subspace.
// W itself is determined up to rotations; the projection P = W'W, the subspace and its angles to another are not.
//
// Replicate r has W_r on its own standardised scale. Here it is brought to that of the model: with the scales s and
// s_r, the rows of W_r diag(s / s_r), made orthonormal. Of P_r the intervals are those of bands.hpp.
//
// Source: the bootstrap variability of a subspace is that of Z. Ye and R. E. Weiss, Using the bootstrap to select one
// of a new class of dimension reduction methods, J. Amer. Statist. Assoc. 98, 2003.

#include "condens/core/run.hpp"
#include "condens/linalg/subspaces.hpp"
#include "condens/model/bands.hpp"
#include "condens/model/projected_density.hpp"
#include "condens/model/replicates.hpp"

namespace condens {

/// Orthonormal rows that span on another scale of the inputs what those of `components` span on their `own`. Inputs
/// that are constant on either have no loading.
Matrix components_on(const Matrix& components, const Standardizer& own, const Standardizer& scale);

/// Between the subspaces of two models of the same inputs, on the scale of `a`. Throws std::invalid_argument for
/// different numbers of inputs.
SubspaceChange subspace_change(const ProjectedDensity& a, const ProjectedDensity& b);

/// d_x inputs, d_z directions, R replicates.
struct SubspaceIntervals {
  double level;
  Matrix angles;           ///< d_z x R: of each replicate's subspace to the fitted one, radians, columns falling
  Vector distances;        ///< R: |P_r - P|_F / sqrt(2)
  Vector angle_bounds;     ///< d_z: a share `level` of the replicates is no farther
  double distance_bound;   ///< the same of the distances
  Matrix projection;       ///< P = W'W, d_x x d_x, on the standardised scale of the model
  Matrix lower;            ///< of every entry of P
  Matrix upper;            ///< the same
  Matrix standard_errors;  ///< the same
  Vector loaded;           ///< d_x: the share of the replicates in which the input has a loading
};

/// Throws std::invalid_argument for a model that does not reduce its inputs, and for levels as `check_bands`. Each
/// interval holds for itself. Cost: R d_x^2 d_z.
SubspaceIntervals subspace_intervals(const ConditionalDensity& model, const Replicates& replicates, double level = 0.9,
                                     BandMethod method = BandMethod::percentile, const Run& run = {});

}  // namespace condens
