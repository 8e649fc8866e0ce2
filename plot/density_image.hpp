#pragma once
// What figures of densities share: images (white is nothing, dark is most), contours, ranges.

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "condens/plot/axes.hpp"
#include "condens/plot/colormap.hpp"
#include "condens/plot/contour.hpp"
#include "frame.hpp"

namespace condens::plot {

constexpr double nothing = 1e-290;  // vectorised exp(-1e9) is not 0 but the smallest normal number

/// Density to colour: the square root, up to a cap.
struct DensityScale {
  double cap;

  explicit DensityScale(const Matrix& density) {
    cap = sample_quantile(density.reshaped(), 0.995);
    if (cap < nothing) cap = density.maxCoeff();  // nearly all of the picture is empty
    if (cap < nothing) cap = 1.0;
  }
  double share(double p) const { return std::sqrt(std::clamp(p / cap, 0.0, 1.0)); }
};

/// The density as an image that fills the panel; rows of `density` go upwards.
inline void draw_density(const Panel& panel, const Matrix& density, const DensityScale& scale) {
  std::vector<std::uint8_t> pixels;
  pixels.reserve(static_cast<std::size_t>(density.size()));
  for (Index i = density.rows() - 1; i >= 0; --i)
    for (Index j = 0; j < density.cols(); ++j) pixels.push_back(color_index(scale.share(density(i, j))));
  const PanelSpec& spec = panel.spec();
  panel.canvas().image(
      spec.corner, spec.width, spec.height,
      encode_png(static_cast<int>(density.cols()), static_cast<int>(density.rows()), pixels, density_palette()));
}

inline void draw_density_bar(const Panel& panel, const DensityScale& scale, const std::string& label = "density") {
  const PanelSpec& spec = panel.spec();
  draw_color_bar(
      panel.canvas(), {spec.corner.x + spec.width + 16.0, spec.corner.y}, spec.height, density_palette(),
      {0.0, scale.cap}, [&](double p) { return scale.share(p); }, label);
}

/// Contour lines of values(i, j) at the equally spaced x[j] and y[i].
inline void draw_contour(const Panel& panel, const Vector& x, const Vector& y, const Matrix& values, double level,
                         const Style& style) {
  for (std::vector<Point>& line : contour(values, level)) {
    for (Point& p : line) p = panel.at(x[0] + p.x * (x[1] - x[0]), y[0] + p.y * (y[1] - y[0]));
    panel.canvas().polyline(line, style);
  }
}

inline std::string percent(double share) { return short_number(100.0 * share) + " %"; }

constexpr double curve_tail = 0.002;  // probability left out at either end of a curve

/// Where one law has visible mass.
inline Extent visible(const GaussianMixtures& laws, const Run& run) {
  const Vector tails{{curve_tail, 1.0 - curve_tail}};
  return extent_of(laws.quantile(tails, run).reshaped(), 0.02);
}

/// "a", "a and b", "a, b and c".
inline std::string enumerated(const std::vector<std::string>& names) {
  std::string out;
  for (std::size_t k = 0; k < names.size(); ++k) {
    out += (k == 0 ? "" : k + 1 < names.size() ? ", " : " and ") + names[k];
  }
  return out;
}

/// "0", or "0 and 1".
inline std::string atom_names(const TargetDistributions& laws) {
  std::vector<std::string> names;
  for (const double atom : laws.support().atoms) names.push_back(short_number(atom, 6));
  return enumerated(names);
}

/// From 0 to above the highest value; a law narrower than the axis can show has none.
inline Extent density_axis(double highest) { return {0.0, highest > nothing ? 1.06 * highest : 1.0}; }

constexpr Index map_columns = 240;
constexpr Index map_rows = 200;

}  // namespace condens::plot
