#pragma once
// Points in the colour of a value of theirs, and the bar that tells the colours.

#include <algorithm>
#include <string>

#include "condens/plot/axes.hpp"
#include "condens/plot/colormap.hpp"
#include "frame.hpp"

namespace condens::plot {

/// Values to shares of the palette: the central 96 % of the data, evenly.
struct ValueScale {
  Extent extent;
  explicit ValueScale(const VectorView& y)
      : extent(extent_of(Vector{{sample_quantile(y, 0.02), sample_quantile(y, 0.98)}})) {}
  double share(double value) const { return std::clamp((value - extent.low) / extent.size(), 0.0, 1.0); }
};

/// At most `count` rows, evenly spaced, each in the colour of its y.
inline void draw_colored(const Panel& panel, const VectorView& horizontal, const VectorView& vertical,
                         const VectorView& y, Index count, const ValueScale& scale) {
  const Index n = y.size();
  const Index shown = std::min(n, count);
  for (Index i = 0; i < shown; ++i) {
    const Index row = i * n / shown;
    panel.canvas().circle(
        panel.at(horizontal[row], vertical[row]), shown > 500 ? 2.2 : 3.2,
        {.fill = css(score_palette()[color_index(scale.share(y[row]))]), .stroke = "#ffffff", .width = 0.7});
  }
}

inline void draw_value_bar(const Panel& panel, const ValueScale& scale, const std::string& label) {
  const PanelSpec& spec = panel.spec();
  draw_color_bar(
      panel.canvas(), {spec.corner.x + spec.width + 16.0, spec.corner.y}, spec.height, score_palette(), scale.extent,
      [&](double value) { return scale.share(value); }, label);
}

}  // namespace condens::plot
