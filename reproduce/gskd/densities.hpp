#pragma once
// The five densities of section IV (eqs. 51 to 61). Each is a mixture of parts whose coordinates are independent,
// Gaussian or Laplacian: exact samples and exact densities.

#include <string>
#include <vector>

#include "condens/core/types.hpp"
#include "condens/distributions/gaussian_mixture.hpp"

namespace condens::reproduce {

enum class Law { gaussian, laplacian };

struct Part {
  double weight;
  Law law;
  Vector location;  ///< d
  Vector scale;     ///< d; standard deviations, or 1/a of the density a/2 exp(-a |x - location|)
};

/// Where the divergence is summed (eqs. 49 and 50): d = 1 and d = 2 only.
struct Grid {
  double step;
  std::vector<Interval> whole;  ///< one for each coordinate; outside, p log(p / estimate) integrates to less than 1e-4
  std::vector<Interval>
      inner;  ///< the region in which the paper draws centres for EM: perhaps its range of integration
};

struct Density {
  std::string name;
  std::vector<Part> parts;
  Grid grid = {};

  Index dimension() const { return parts[0].location.size(); }

  /// n independent columns.
  Matrix sample(Index n, std::uint64_t seed) const;

  /// log p at every column.
  Vector log_pdf(const MatrixView& points) const;

  /// P(X_j <= value).
  double marginal_cdf(Index j, double value) const;

  Vector mean() const;
  Vector variance() const;
};

/// The grid points, right end points of the cells, d x n; and whether they are inside the inner region.
struct GridPoints {
  Matrix points;
  std::vector<bool> inner;
  double cell;  ///< its volume
};

/// No points for d > 2.
GridPoints grid_points(const Density& density);

Density eight_gaussians();        ///< (51), (52): variances (2/3)^i, as printed (errata D20)
Density gaussian_laplacian();     ///< (53)
Density gaussian_laplacian_2d();  ///< (54)
Density three_gaussians_6d();     ///< (55) to (58)
Density three_gaussians_10d();    ///< (59) to (61)

/// In the order of the paper.
const std::vector<Density>& densities();

}  // namespace condens::reproduce
