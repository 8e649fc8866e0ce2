// Distances of distributions from their distribution functions, by Gauss-Legendre rules of three points between the
// quantiles of both: where values can be counted these hold every jump.

#include <algorithm>
#include <cmath>

#include "condens/core/errors.hpp"
#include "condens/inspection/shapley.hpp"

namespace condens {

namespace {

constexpr Index quantile_cells = 100;
constexpr double outermost = 1e-7;  // probability beyond the first and the last quantile

Vector levels_of_cells() {
  Vector out(quantile_cells + 1);
  for (Index k = 0; k <= quantile_cells; ++k) {
    // Evenly spaced logits: as fine in the tails as in the middle.
    const double logit = std::log(1 / outermost - 1) * (2.0 * static_cast<double>(k) / quantile_cells - 1.0);
    out[k] = 1 / (1 + std::exp(-logit));
  }
  return out;
}

}  // namespace

Matrix distances_to(const TargetDistributions& laws, const TargetDistributions& one, const Run& run) {
  require(one.size() == 1, "distances_to: there are ", one.size(), " distributions to compare with, expected one");
  const Vector levels = levels_of_cells();
  const Matrix ends = laws.quantile(levels, run);
  const Vector ends_of_one = one.quantile(levels, run).col(0);
  constexpr double node = 0.77459666924148337704;  // sqrt(3 / 5)
  const Vector places{{-node, 0.0, node}};
  const Vector weights{{5.0 / 18.0, 8.0 / 18.0, 5.0 / 18.0}};
  const Index per_law = 3 * (2 * levels.size() - 1);
  Vector y(per_law * laws.size());
  Vector lengths(y.size());
  for (Index i = 0; i < laws.size(); ++i) {
    std::vector<double> edges(ends.col(i).begin(), ends.col(i).end());
    edges.insert(edges.end(), ends_of_one.begin(), ends_of_one.end());
    std::sort(edges.begin(), edges.end());
    Index at = i * per_law;
    for (std::size_t k = 1; k < edges.size(); ++k) {
      const double half = 0.5 * (edges[k] - edges[k - 1]);
      for (Index g = 0; g < 3; ++g, ++at) {
        y[at] = edges[k - 1] + half * (1.0 + places[g]);
        lengths[at] = 2.0 * half * weights[g];
      }
    }
  }
  const Vector difference = laws.cdf(y, run) - one.cdf(y, run);
  Matrix out(2, laws.size());
  for (Index i = 0; i < laws.size(); ++i) {
    const auto own = difference.segment(i * per_law, per_law);
    out(0, i) = own.cwiseAbs2().dot(lengths.segment(i * per_law, per_law));
    out(1, i) = own.cwiseAbs().maxCoeff();
  }
  return out;
}

}  // namespace condens
