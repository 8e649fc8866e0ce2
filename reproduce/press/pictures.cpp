#include "pictures.hpp"

#include <algorithm>
#include <cmath>

#include "condens/plot/colormap.hpp"
#include "condens/plot/png.hpp"

namespace condens::reproduce {

namespace {

constexpr double panel_width = 250;
constexpr double panel_height = 180;
constexpr double left = 58;
constexpr double top = 34;
constexpr double gap_x = 72;
constexpr double gap_y = 74;
constexpr double margin = 14;
constexpr double tile_size = 84;

const plot::TextStyle title_style{.size = 12, .fill = "#222222", .anchor = plot::Anchor::middle, .bold = true};

plot::Style style_of(const Curve& curve) {
  return {.stroke = plot::line_color(curve.color), .width = 1.8, .dash = curve.dashed ? "5 3" : ""};
}

plot::Style style_of(const Cloud& cloud) { return {.fill = cloud.color, .opacity = 0.55}; }

std::vector<plot::LegendEntry> legend_of(const std::vector<Panel>& panels) {
  std::vector<plot::LegendEntry> out;
  const auto add = [&](const std::string& name, plot::Mark mark, const plot::Style& style) {
    const bool there = std::any_of(out.begin(), out.end(), [&](const auto& entry) { return entry.label == name; });
    if (!there && !name.empty()) out.push_back({name, mark, style});
  };
  for (const Panel& panel : panels) {
    for (const Cloud& cloud : panel.clouds) add(cloud.name, plot::Mark::point, style_of(cloud));
    for (const Curve& curve : panel.curves) add(curve.name, plot::Mark::line, style_of(curve));
  }
  return out;
}

/// Of the x, or the y, of everything in a panel.
plot::Extent extent_of_panel(const Panel& panel, bool of_y) {
  std::vector<double> ends;
  const auto add = [&](const Vector& values) {
    const plot::Extent extent = plot::extent_of(values, 0.04);
    ends.insert(ends.end(), {extent.low, extent.high});
  };
  for (const Cloud& cloud : panel.clouds) add(of_y ? cloud.y : cloud.x);
  for (const Curve& curve : panel.curves) add(of_y ? curve.y : curve.x);
  return plot::extent_of(Eigen::Map<const Vector>(ends.data(), std::ssize(ends)));
}

std::string png_of(const Matrix& share, const plot::Palette& palette) {
  std::vector<std::uint8_t> pixels;
  pixels.reserve(static_cast<std::size_t>(share.size()));
  for (Index i = 0; i < share.rows(); ++i)
    for (Index k = 0; k < share.cols(); ++k) pixels.push_back(plot::color_index(share(i, k)));
  return plot::encode_png(static_cast<int>(share.cols()), static_cast<int>(share.rows()), pixels, palette);
}

std::uint8_t level(double share) { return static_cast<std::uint8_t>(std::lround(255 * std::clamp(share, 0.0, 1.0))); }

/// White to black, or blue over white to red.
plot::Palette palette_of(bool signed_values) {
  plot::Palette out{};
  for (std::size_t i = 0; i < out.size(); ++i) {
    const double share = static_cast<double>(i) / 255;
    const double sign = 2 * share - 1;
    if (!signed_values)
      out[i] = {level(1 - share), level(1 - share), level(1 - share)};
    else if (sign < 0)
      out[i] = {level(1 + sign), level(1 + 0.7 * sign), level(1 + 0.25 * sign)};
    else
      out[i] = {level(1 - 0.2 * sign), level(1 - 0.75 * sign), level(1 - sign)};
  }
  return out;
}

double quantile(const Matrix& values, double share) {
  std::vector<double> all(values.reshaped().begin(), values.reshaped().end());
  const auto place = static_cast<std::ptrdiff_t>(share * static_cast<double>(all.size() - 1));
  std::nth_element(all.begin(), all.begin() + place, all.end());
  return all[static_cast<std::size_t>(place)];
}

}  // namespace

std::string draw_panels(const std::vector<Panel>& panels, std::size_t columns) {
  columns = std::min(columns, panels.size());
  const std::size_t rows = (panels.size() + columns - 1) / columns;
  const double width = left + static_cast<double>(columns) * (panel_width + gap_x) - gap_x + margin;
  const std::vector<plot::LegendEntry> legend = legend_of(panels);
  const double legend_top = top + static_cast<double>(rows) * (panel_height + gap_y) - 18;
  const double legend_width = width - left - margin;
  plot::Canvas canvas(width, legend_top + plot::legend_height(legend_width, legend) + 8, panels.front().title);
  for (std::size_t k = 0; k < panels.size(); ++k) {
    const Panel& own = panels[k];
    const plot::Point corner{left + static_cast<double>(k % columns) * (panel_width + gap_x),
                             top + static_cast<double>(k / columns) * (panel_height + gap_y)};
    const plot::Panel panel(canvas, {.corner = corner,
                                     .width = panel_width,
                                     .height = panel_height,
                                     .x = extent_of_panel(own, false),
                                     .y = own.y_range.value_or(extent_of_panel(own, true)),
                                     .x_label = own.x_label,
                                     .y_label = own.y_label});
    panel.draw_grid();
    panel.begin();
    for (const Cloud& cloud : own.clouds) panel.points(cloud.x, cloud.y, cloud.radius, style_of(cloud));
    for (const Curve& curve : own.curves) panel.line(curve.x, curve.y, style_of(curve));
    panel.end();
    panel.draw_frame();
    canvas.text({corner.x + panel_width / 2, corner.y - 12}, own.title, title_style);
  }
  plot::draw_legend(canvas, {left, legend_top}, legend_width, legend);
  return canvas.str();
}

std::string draw_matrices(const std::vector<MatrixPanel>& panels, double size) {
  const auto count = static_cast<double>(panels.size());
  plot::Canvas canvas(count * (size + margin) + margin, size + top + margin, panels.front().title);
  double x = margin;
  for (const MatrixPanel& panel : panels) {
    const double most = std::max(quantile(panel.values, panel.cap), 1e-300);
    canvas.image({x, top}, size, size, png_of(panel.values / most, plot::density_palette()), false);
    canvas.rect({x, top}, size, size, {.stroke = "#888888"});
    canvas.text({x + size / 2, top - 12}, panel.title, title_style);
    x += size + margin;
  }
  return canvas.str();
}

std::string draw_tiles(const std::string& title, const std::vector<Tile>& tiles, std::size_t columns,
                       bool signed_values) {
  columns = std::min(columns, tiles.size());
  const std::size_t rows = (tiles.size() + columns - 1) / columns;
  const double step_y = tile_size + 26;
  plot::Canvas canvas(static_cast<double>(columns) * (tile_size + margin) + margin,
                      static_cast<double>(rows) * step_y + top + margin, title);
  canvas.text({canvas.width() / 2, 20}, title, title_style);
  double low = 0;
  double high = 1e-300;
  for (const Tile& tile : tiles) {
    low = std::min(low, tile.values.minCoeff());
    high = std::max(high, tile.values.maxCoeff());
  }
  if (signed_values) low = -(high = std::max(high, -low));
  const plot::Palette palette = palette_of(signed_values);
  for (std::size_t k = 0; k < tiles.size(); ++k) {
    const plot::Point corner{margin + static_cast<double>(k % columns) * (tile_size + margin),
                             top + 16 + static_cast<double>(k / columns) * step_y};
    canvas.image(corner, tile_size, tile_size, png_of((tiles[k].values.array() - low) / (high - low), palette), false);
    canvas.rect(corner, tile_size, tile_size, {.stroke = "#888888", .width = 0.7});
    canvas.text({corner.x + tile_size / 2, corner.y - 4}, tiles[k].title,
                {.size = 10, .fill = "#222222", .anchor = plot::Anchor::middle});
  }
  return canvas.str();
}

}  // namespace condens::reproduce
