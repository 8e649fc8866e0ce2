#include "condens/model/subspaces.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "condens/core/errors.hpp"
#include "condens/core/parallel.hpp"
#include "condens/model/capabilities.hpp"
#include "linalg/decompositions.hpp"

namespace condens {

namespace {

/// The smallest of the numbers that a share `level` of them does not exceed.
double bound_of(Vector values, double level) {
  std::sort(values.begin(), values.end());
  const double rank = std::ceil(level * static_cast<double>(values.size()) - 1e-9);
  return values[std::clamp<Index>(static_cast<Index>(rank), 1, values.size()) - 1];
}

}  // namespace

Matrix components_on(const Matrix& components, const Standardizer& own, const Standardizer& scale) {
  Matrix moved = components;
  for (Index j = 0; j < moved.cols(); ++j) moved.col(j) *= own.is_constant(j) ? 0.0 : scale.scale()[j] / own.scale()[j];
  if (moved.rows() == 0) return moved;
  Matrix out = orthonormal_columns(moved.transpose()).transpose();
  // Directions that are lost, of inputs that are constant here, are some others of the space, maybe of those inputs.
  const Vector sizes = singular_values(moved);
  const double rounding = static_cast<double>(moved.cols()) * std::numeric_limits<double>::epsilon();
  if (!(sizes[sizes.size() - 1] > rounding * sizes[0])) return out;
  for (Index j = 0; j < out.cols(); ++j) {
    if ((moved.col(j).array() == 0).all()) out.col(j).setZero();  // exactly, as it is
  }
  return out;
}

SubspaceChange subspace_change(const ProjectedDensity& a, const ProjectedDensity& b) {
  require(a.n_inputs() == b.n_inputs(), "subspace_change: models of ", a.n_inputs(), " and of ", b.n_inputs(),
          " inputs, expected as many");
  return subspace_change(a.components(), components_on(b.components(), b.x_scale(), a.x_scale()));
}

SubspaceIntervals subspace_intervals(const ConditionalDensity& model, const Replicates& replicates, double level,
                                     BandMethod method, const Run& run) {
  const auto* fitted = capability<ProjectedDensity>(model);
  require(fitted != nullptr, "subspace_intervals: ", model.model_name(),
          " does not reduce its inputs, expected a model that does");
  const Index count = replicates.size();
  check_bands(count, level, method);
  const Index d_x = fitted->n_inputs();
  const Index d_z = fitted->n_components();
  std::vector<Matrix> found;
  SubspaceIntervals out{.level = level,
                        .angles = Matrix::Constant(d_z, count, std::numbers::pi / 2),
                        .distances = Vector(count),
                        .angle_bounds = Vector(d_z),
                        .distance_bound = 0.0,
                        .projection = fitted->components().transpose() * fitted->components(),
                        .lower = Matrix(d_x, d_x),
                        .upper = Matrix(d_x, d_x),
                        .standard_errors = Matrix(d_x, d_x),
                        .loaded = Vector::Zero(d_x)};
  for (Index r = 0; r < count; ++r) {
    const auto replicate = replicates.density(model, r);
    const auto* own = capability<ProjectedDensity>(*replicate);
    require(own != nullptr, "subspace_intervals: replicate ", r + 1, " does not reduce its inputs");
    found.push_back(components_on(own->components(), own->x_scale(), fitted->x_scale()));
    const SubspaceChange change = subspace_change(fitted->components(), found.back());
    out.angles.col(r).tail(change.angles.size()) = change.angles;
    out.distances[r] = change.distance;
    out.loaded += (found.back().cwiseAbs().colwise().sum().transpose().array() > 0).cast<double>().matrix();
  }
  out.loaded /= static_cast<double>(count);
  for (Index k = 0; k < d_z; ++k) out.angle_bounds[k] = bound_of(out.angles.row(k).transpose(), level);
  out.distance_bound = bound_of(out.distances, level);
  Task task(run, "bounds of the directions", static_cast<double>(d_x));
  Matrix entries(d_x, count);
  for (Index j = 0; j < d_x; ++j) {
    task.poll();
    for (Index r = 0; r < count; ++r) {
      const Matrix& w = found[static_cast<std::size_t>(r)];
      entries.col(r) = w.transpose() * w.col(j);
    }
    const Bands own = bands(out.projection.col(j), entries, level, method);
    out.lower.col(j) = own.low;
    out.upper.col(j) = own.high;
    out.standard_errors.col(j) = own.standard_error;
    task.advance(1.0);
  }
  return out;
}

}  // namespace condens
