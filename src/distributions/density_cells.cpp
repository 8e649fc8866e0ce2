#include "density_cells.hpp"

#include <algorithm>
#include <cmath>

#include "linalg/vector_math.hpp"

namespace condens::detail {
namespace {

constexpr double cells_of_scale = 6.0;  // h is the least scale divided by it
constexpr Index most_cells = 2048;
constexpr Index most_components = 1024;  // laws of more have most weights near zero, and skip those
constexpr Index fewest_laws = 16;        // one costs as much as making the cells

}  // namespace

std::optional<DensityCells> DensityCells::of(const MixtureView& components, Index laws) {
  if (components.d != 1 || components.m > most_components || laws < fewest_laws) return std::nullopt;
  const Eigen::Map<const Vector> means(components.means, components.m);
  const Eigen::Map<const Vector> scales(components.scales, components.m);
  const double cells = std::ceil(cells_of_scale * (means.maxCoeff() - means.minCoeff()) / scales.minCoeff());
  const bool some = cells >= 1.0 && cells <= static_cast<double>(most_cells);
  if (!some) return std::nullopt;
  return DensityCells(components, static_cast<Index>(cells));
}

DensityCells::DensityCells(const MixtureView& components, Index cells)
    : density_(cells + 1, components.m), bend_(cells, components.m) {
  const Eigen::Map<const Vector> means(components.means, components.m);
  edges_ = Vector::LinSpaced(cells + 1, means.minCoeff(), means.maxCoeff());
  const double step = (edges_[cells] - edges_[0]) / static_cast<double>(cells);
  for (Index l = 0; l < components.m; ++l) {
    const double scale = components.scale(l);
    const Vector z = (edges_.array() - components.mean(l)) / scale;
    Vector near(cells);
    for (Index g = 0; g < cells; ++g) {
      const bool holds_centre = z[g] <= 0.0 && z[g + 1] >= 0.0;
      near[g] = holds_centre ? 0.0 : std::min(std::abs(z[g]), std::abs(z[g + 1]));
    }
    // |N''| = phi(z) |z^2 - 1| / s^3: phi falls with |z|, and |z^2 - 1| is greatest at an end.
    const Eigen::ArrayXd ends = (z.array().square() - 1.0).abs();
    const Eigen::ArrayXd factor = ends.head(cells).max(ends.tail(cells)).max((near.array().square() - 1.0).abs());
    density_.col(l) = -0.5 * z.array().square() - kLogSqrt2Pi - std::log(scale);
    bend_.col(l) = -0.5 * near.array().square() - kLogSqrt2Pi - std::log(scale);
    exp_in_place(density_.col(l).data(), cells + 1);
    exp_in_place(bend_.col(l).data(), cells);
    const double share = step / scale;
    bend_.col(l).array() *= factor * (0.125 * share * share);
  }
}

std::vector<DensityCells::Node> DensityCells::nodes(const MixtureView& p, const double* density, const double* bend,
                                                    double log_level) const {
  constexpr double rounding = 1e-11;  // of sums of products
  const double level = std::exp(log_level);
  const Index cells = edges_.size() - 1;
  std::vector<Node> out;
  const auto add = [&](Index g) { out.push_back({edges_[g], std::log(density[g])}); };
  Index last = 0;  // the last edge among the nodes
  add(0);
  for (Index g = 0; g < cells; ++g) {
    const double a = density[g];
    const double b = density[g + 1];
    const double off = bend[g] + rounding * level;
    if (std::min(a, b) - off > level || std::max(a, b) + off < level) continue;
    if (last < g) add(g);
    const bool monotone = std::abs(b - a) > 4.0 * off;
    if (!monotone) {
      for (const StationaryPoint& point : stationary_points_between(p, edges_[g], edges_[g + 1])) {
        out.push_back({point.y, log_pdf(p, &point.y)});
      }
    }
    add(g + 1);
    last = g + 1;
  }
  if (last < cells) add(cells);
  return out;
}

}  // namespace condens::detail
