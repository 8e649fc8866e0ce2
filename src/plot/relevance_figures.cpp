// Figures of what matters; see relevance_figures.hpp.

#include "condens/plot/relevance_figures.hpp"

#include "density_image.hpp"
#include "frame.hpp"

namespace condens::plot {

namespace {

constexpr double bar_pitch = 24.0;
const Style selected_style{.fill = "#0072B2"};
const Style left_out_style{.fill = "#cfd8dc"};
const Style stability_style{.fill = accent, .stroke = "#ffffff", .width = 0.8};

}  // namespace

std::string importance_bars(const std::vector<ImportanceBar>& bars) {
  require(!bars.empty(), "importance_bars: there are no bars, expected at least one");
  double longest = 0.0;
  bool any_left_out = false;
  bool any_stability = false;
  double names = 40.0;
  for (const ImportanceBar& bar : bars) {
    require(std::isfinite(bar.importance) && bar.importance >= 0, "importance_bars: ", bar.input, " has importance ",
            bar.importance, ", expected a finite number >= 0");
    longest = std::max({longest, bar.importance, bar.stability.value_or(0.0)});
    any_left_out = any_left_out || !bar.selected;
    any_stability = any_stability || bar.stability.has_value();
    names = std::max(names, text_width(bar.input, 11.0) + 8.0);
  }
  names = std::min(names, 200.0);
  std::vector<LegendEntry> legend{{"importance", Mark::area, selected_style}};
  if (any_left_out) legend.push_back({"not selected", Mark::area, left_out_style});
  if (any_stability) legend.push_back({"share of half-samples that select it", Mark::point, stability_style});
  const double count = static_cast<double>(bars.size());
  Frame frame = make_frame(
      {.title = "Importance of the inputs", .legend = legend, .height = 110.0 + bar_pitch * std::max(count, 3.0)});
  const double shift = std::max(0.0, names - left_margin + 10.0);
  frame.corner.x += shift;
  frame.inner_width -= shift;
  const Panel panel = frame.panel({0.0, longest > 0 ? 1.05 * longest : 1.0}, {-count + 0.5, 0.5}, "share", "", {},
                                  {{-2.0 * count}, {""}});
  panel.draw_grid();
  panel.begin();
  for (std::size_t i = 0; i < bars.size(); ++i) {
    const double at = -static_cast<double>(i);
    const Point corner = panel.at(0.0, at + 0.35);
    const Point end = panel.at(bars[i].importance, at - 0.35);
    panel.canvas().rect(corner, end.x - corner.x, end.y - corner.y, bars[i].selected ? selected_style : left_out_style);
    if (bars[i].stability) panel.canvas().circle(panel.at(*bars[i].stability, at), 4.0, stability_style);
  }
  panel.end();
  panel.draw_frame();
  for (std::size_t i = 0; i < bars.size(); ++i) {
    const Point at = panel.at(0.0, -static_cast<double>(i));
    frame.canvas.text({at.x - 8.0, at.y + 4.0}, fit_text(bars[i].input, 11.0, names), {.anchor = Anchor::end});
  }
  return frame.canvas.str();
}

std::string contribution_maps(const std::vector<Surface>& surfaces, const std::string& target, const Extent& y) {
  require(!surfaces.empty(), "contribution_maps: there are no surfaces, expected at least one");
  Index entries = 0;
  for (const Surface& surface : surfaces) entries += surface.values.size();
  Matrix all(entries, 1);
  entries = 0;
  for (const Surface& surface : surfaces) {
    all.col(0).segment(entries, surface.values.size()) = surface.values.reshaped();
    entries += surface.values.size();
  }
  const DensityScale scale(all);
  const bool single = surfaces.size() == 1;
  const double rows = std::ceil(static_cast<double>(surfaces.size()) / 2.0);
  const double pitch = single ? 320.0 : 245.0;
  Frame frame = make_frame({.title = "Contribution of each input to the density of " + target,
                            .height = 70.0 + pitch * rows,
                            .right = color_bar_margin});
  const double gap = 62.0;
  const double width = single ? frame.inner_width : (frame.inner_width - gap) / 2.0;
  const double height = pitch - 65.0;
  for (std::size_t p = 0; p < surfaces.size(); ++p) {
    const std::size_t row = p / 2;
    const Point corner{frame.corner.x + (p % 2 == 0 ? 0.0 : width + gap),
                       frame.corner.y + 12.0 + pitch * static_cast<double>(row)};
    const Panel panel(frame.canvas, {corner, width, height, surfaces[p].x, y, surfaces[p].input, target});
    panel.begin();
    draw_density(panel, surfaces[p].values, scale);
    panel.end();
    panel.draw_frame();
    if (p == (single ? 0U : 1U)) draw_density_bar(panel, scale, "contribution");
  }
  return frame.canvas.str();
}

}  // namespace condens::plot
