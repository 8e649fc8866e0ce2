// Figures of what matters; see relevance_figures.hpp.

#include "condens/plot/relevance_figures.hpp"

#include "density_image.hpp"
#include "frame.hpp"

namespace condens::plot {

namespace {

constexpr double bar_pitch = 24.0;
constexpr double longest_name = 200.0;
const Style selected_style{.fill = "#0072B2"};
const Style left_out_style{.fill = "#cfd8dc"};
const Style stability_style{.fill = accent, .stroke = "#ffffff", .width = 0.8};

/// Room for bars, with names of this width to their left.
Frame bar_frame(const std::string& title, const std::vector<LegendEntry>& legend, std::size_t bars, double names) {
  Frame frame = make_frame(
      {.title = title, .legend = legend, .height = 110.0 + bar_pitch * std::max(static_cast<double>(bars), 3.0)});
  const double shift = std::max(0.0, names - left_margin + 10.0);
  frame.corner.x += shift;
  frame.inner_width -= shift;
  return frame;
}

/// The i-th bar from the top stands at -i.
Panel bar_panel(Frame& frame, std::size_t bars, double longest, const std::string& label) {
  const double count = static_cast<double>(bars);
  Panel panel = frame.panel({0.0, longest}, {-count + 0.5, 0.5}, label, "", {}, {{-2.0 * count}, {""}});
  panel.draw_grid();
  return panel;
}

void draw_bar(const Panel& panel, std::size_t i, double value, const Style& style) {
  const double at = -static_cast<double>(i);
  const Point corner = panel.at(0.0, at + 0.35);
  const Point end = panel.at(value, at - 0.35);
  panel.canvas().rect(corner, end.x - corner.x, end.y - corner.y, style);
}

void name_bar(const Panel& panel, std::size_t i, const std::string& name, double width) {
  const Point at = panel.at(0.0, -static_cast<double>(i));
  panel.canvas().text({at.x - 8.0, at.y + 4.0}, fit_text(name, 11.0, width), {.anchor = Anchor::end});
}

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
  names = std::min(names, longest_name);
  std::vector<LegendEntry> legend{{"importance", Mark::area, selected_style}};
  if (any_left_out) legend.push_back({"not selected", Mark::area, left_out_style});
  if (any_stability) legend.push_back({"share of half-samples that select it", Mark::point, stability_style});
  Frame frame = bar_frame("Importance of the inputs", legend, bars.size(), names);
  const Panel panel = bar_panel(frame, bars.size(), longest > 0 ? 1.05 * longest : 1.0, "share");
  for (std::size_t i = 0; i < bars.size(); ++i) {
    draw_bar(panel, i, bars[i].importance, bars[i].selected ? selected_style : left_out_style);
    if (bars[i].stability)
      panel.canvas().circle(panel.at(*bars[i].stability, -static_cast<double>(i)), 4.0, stability_style);
    name_bar(panel, i, bars[i].input, names);
  }
  panel.draw_frame();
  return frame.canvas.str();
}

std::string member_bars(const std::vector<MemberBar>& members) {
  require(!members.empty(), "member_bars: there are no members, expected at least one");
  double longest = 0.0;
  double names = 40.0;
  double notes = 0.0;
  for (const MemberBar& member : members) {
    require(member.weight >= 0.0 && member.weight <= 1.0 + 1e-9, "member_bars: ", member.name, " has weight ",
            member.weight, ", expected a share in [0, 1]");
    longest = std::max(longest, member.weight);
    names = std::max(names, text_width(member.name, 11.0) + 8.0);
    notes = std::max(notes, text_width(member.note, 10.5));
  }
  names = std::min(names, longest_name);
  Frame frame = bar_frame("Weights of the members", {}, members.size(), names);
  const double room = 1.0 - std::min(0.6, (notes + 16.0) / frame.inner_width);  // beside the longest bar
  const Panel panel = bar_panel(frame, members.size(), longest > 0 ? longest / room : 1.0, "weight");
  for (std::size_t i = 0; i < members.size(); ++i) {
    draw_bar(panel, i, members[i].weight, selected_style);
    const Point end = panel.at(members[i].weight, -static_cast<double>(i));
    frame.canvas.text({end.x + 8.0, end.y + 4.0}, members[i].note, {.size = 10.5, .fill = "#555555"});
    name_bar(panel, i, members[i].name, names);
  }
  panel.draw_frame();
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
