#include "condens/plot/axes.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <numeric>

#include "condens/core/errors.hpp"
#include "condens/plot/colormap.hpp"

namespace condens::plot {

namespace {

constexpr double label_size = 12.0;
constexpr double tick_size = 10.5;
constexpr double row_height = 18.0;  // of a legend
constexpr const char* minus = "\xE2\x88\x92";

std::string with_minus(std::string text) {
  if (!text.empty() && text.front() == '-') text.replace(0, 1, minus);
  return text;
}

std::string fixed(double value, int decimals) {
  std::array<char, 400> buffer;
  const auto end =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::fixed, decimals);
  return {buffer.data(), end.ptr};
}

std::string superscript(int exponent) {
  constexpr std::array<const char*, 10> digits{"\xE2\x81\xB0", "\xC2\xB9",     "\xC2\xB2",     "\xC2\xB3",
                                               "\xE2\x81\xB4", "\xE2\x81\xB5", "\xE2\x81\xB6", "\xE2\x81\xB7",
                                               "\xE2\x81\xB8", "\xE2\x81\xB9"};
  std::string out = exponent < 0 ? "\xE2\x81\xBB" : "";
  for (const char c : std::to_string(std::abs(exponent))) out += digits[static_cast<std::size_t>(c - '0')];
  return out;
}

/// m x 10^e with the given decimals of m.
std::string scientific(double value, int decimals) {
  if (value == 0.0) return "0";
  std::array<char, 64> buffer;
  const auto end =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::scientific, decimals);
  const std::string text(buffer.data(), end.ptr);
  const std::size_t e = text.find('e');
  return with_minus(text.substr(0, e)) + "\xC3\x97" + "10" + superscript(std::stoi(text.substr(e + 1)));
}

int exponent_of(double value) { return static_cast<int>(std::floor(std::log10(value) + 1e-9)); }

/// Columns of a legend entry: mark, space, text, space.
double entry_width(const LegendEntry& entry) { return 24.0 + 6.0 + text_width(entry.label, 11.0) + 18.0; }

/// Points may be faint in the picture, their mark in a legend is not.
Style opaque(Style style) {
  style.opacity = 1.0;
  return style;
}

/// How far names that stand upright push the label of the axis down.
double label_drop(const PanelSpec& spec) { return std::max(0.0, spec.turned - 10.0); }

/// Where each entry stands, relative to the corner.
std::vector<Point> legend_places(double width, const std::vector<LegendEntry>& entries) {
  std::vector<Point> out;
  Point next{0.0, 0.0};
  for (const LegendEntry& entry : entries) {
    if (next.x > 0.0 && next.x + entry_width(entry) - 18.0 > width) next = {0.0, next.y + row_height};
    out.push_back(next);
    next.x += entry_width(entry);
  }
  return out;
}

}  // namespace

Extent extent_of(const VectorView& values, double margin) {
  double low = 0.0;
  double high = 0.0;
  bool any = false;
  for (const double value : values) {
    if (!std::isfinite(value)) continue;
    low = any ? std::min(low, value) : value;
    high = any ? std::max(high, value) : value;
    any = true;
  }
  // Ranges below rounding, or near the smallest numbers, cannot carry ticks: they count as one value.
  constexpr double smallest = 1e-290;
  if (high - low <= std::max(smallest, 1e-9 * std::max(std::abs(low), std::abs(high)))) {
    const double half = std::abs(low) <= smallest ? 0.5 : 0.05 * std::abs(low);
    return {low - half, high + half};
  }
  const double extra = margin * (high - low);
  return {low - extra, high + extra};
}

Extent hull(const Extent& a, const Extent& b) { return {std::min(a.low, b.low), std::max(a.high, b.high)}; }

std::vector<double> ticks(const Extent& extent, int count) {
  require(std::isfinite(extent.size()) && extent.size() > 0.0 && count >= 1, "ticks: extent from ", extent.low, " to ",
          extent.high, " with ", count, " steps, expected low < high, both finite, and at least one step");
  const int exponent = exponent_of(extent.size() / count);
  double step = 0.0;
  for (const double factor : {1.0, 2.0, 5.0, 10.0}) {
    step = factor * std::pow(10.0, exponent);
    if (extent.size() / step <= count * (1.0 + 1e-9)) break;
  }
  std::vector<double> out;
  // Division by the power of ten where it is below one: 3 / 10 is the double 0.3, 3 * 0.1 is not.
  const double scale = std::round(step * std::pow(10.0, -exponent));
  const double first = std::ceil(extent.low / step - 1e-6);
  const int n = static_cast<int>(std::floor(extent.high / step + 1e-6) - first);
  for (int i = 0; i <= n; ++i) {
    const double k = first + i;
    out.push_back(exponent < 0 ? k * scale / std::pow(10.0, -exponent) : k * step);
  }
  return out;
}

std::vector<std::string> tick_labels(const std::vector<double>& at) {
  double largest = 0.0;
  double step = 0.0;
  for (std::size_t i = 0; i < at.size(); ++i) {
    largest = std::max(largest, std::abs(at[i]));
    if (i > 0) step = i == 1 ? at[1] - at[0] : std::min(step, at[i] - at[i - 1]);
  }
  if (step <= 0.0) step = largest;
  const int decimals = step > 0.0 ? std::max(0, -exponent_of(step)) : 0;
  const bool in_full = largest == 0.0 || fixed(largest, decimals).size() < 8;
  const int mantissa = in_full ? 0 : std::max(0, exponent_of(largest) - exponent_of(step));
  std::vector<std::string> out;
  for (const double value : at)
    out.push_back(in_full ? with_minus(fixed(value + 0.0, decimals)) : scientific(value, mantissa));
  return out;
}

std::string number_text(double value, int digits) {
  if (!std::isfinite(value)) return "n/a";
  if (value == 0.0) return "0";
  const int exponent = exponent_of(std::abs(value));
  if (exponent < -4 || exponent >= 6) return scientific(value, digits - 1);
  return with_minus(fixed(value, std::max(0, digits - 1 - exponent)));
}

std::string short_number(double value, int digits) {
  std::string text = number_text(value, digits);
  const std::size_t point = text.find('.');
  if (point == std::string::npos) return text;
  std::size_t end = text.find_first_not_of("0123456789", point + 1);  // the power of ten, if there is one
  if (end == std::string::npos) end = text.size();
  std::size_t keep = end;
  while (text[keep - 1] == '0') --keep;
  if (keep - 1 == point) keep = point;
  return text.substr(0, keep) + text.substr(end);
}

Ticks candidate_ticks(const VectorView& values, double length, bool vertical) {
  const double step = length / static_cast<double>(values.size());
  double extent = 14.0;  // that a label takes along the axis
  for (const double value : values)
    if (!vertical) extent = std::max(extent, text_width(short_number(value), tick_size) + 8.0);
  const Index every = std::max<Index>(1, static_cast<Index>(std::ceil(extent / step)));
  Ticks out;
  for (Index k = 0; k < values.size(); k += every) {
    out.at.push_back(static_cast<double>(k));
    out.labels.push_back(short_number(values[k]));
  }
  return out;
}

LevelTicks level_ticks(const std::vector<std::string>& levels, double length) {
  constexpr double longest = 84.0;  // of a name that stands upright
  constexpr double pitch = 12.0;    // that it needs
  const double step = length / static_cast<double>(levels.size());
  double widest = 0.0;
  for (const std::string& level : levels) widest = std::max(widest, text_width(level, tick_size));
  LevelTicks out;
  if (widest + 6.0 > step) {
    out.turned = std::min(widest, longest);
    out.every = std::max<Index>(1, static_cast<Index>(std::ceil(pitch / step)));
  }
  for (std::size_t k = 0; k < levels.size(); k += static_cast<std::size_t>(out.every)) {
    out.ticks.at.push_back(static_cast<double>(k));
    out.ticks.labels.push_back(fit_text(levels[k], tick_size, out.turned > 0.0 ? longest : step));
  }
  return out;
}

Panel::Panel(Canvas& canvas, PanelSpec spec) : canvas_(canvas), spec_(std::move(spec)) {
  const auto fill = [](Ticks& axis, const Extent& extent, double steps) {
    if (!axis.at.empty()) return;
    axis.at = ticks(extent, std::max(4, static_cast<int>(steps)));
    axis.labels = tick_labels(axis.at);
  };
  fill(spec_.x_ticks, spec_.x, spec_.width / 60.0);
  fill(spec_.y_ticks, spec_.y, spec_.height / 40.0);
}

Point Panel::at(double x, double y) const {
  // Far outside stays outside, but a coordinate that every viewer can hold.
  const double u = std::clamp((x - spec_.x.low) / spec_.x.size(), -100.0, 101.0);
  const double v = std::clamp((y - spec_.y.low) / spec_.y.size(), -100.0, 101.0);
  return {spec_.corner.x + u * spec_.width, spec_.corner.y + (1.0 - v) * spec_.height};
}

void Panel::draw_grid() const {
  const Style style{.stroke = "#e6e6e6", .width = 0.8};
  for (const double x : spec_.x_ticks.at) canvas_.line(at(x, spec_.y.low), at(x, spec_.y.high), style);
  for (const double y : spec_.y_ticks.at) canvas_.line(at(spec_.x.low, y), at(spec_.x.high, y), style);
}

void Panel::draw_frame() const {
  const Style style{.stroke = "#555555", .width = 0.9};
  canvas_.rect(spec_.corner, spec_.width, spec_.height, style);
  for (std::size_t i = 0; i < spec_.x_ticks.at.size(); ++i) {
    const Point p = at(spec_.x_ticks.at[i], spec_.y.low);
    canvas_.line(p, {p.x, p.y + 4.0}, style);
    if (spec_.turned > 0.0) {
      canvas_.text({p.x + 3.7, p.y + 7.0}, spec_.x_ticks.labels[i],
                   {.size = tick_size, .anchor = Anchor::end, .rotate = -90.0});
    } else {
      canvas_.text({p.x, p.y + 16.0}, spec_.x_ticks.labels[i], {.size = tick_size, .anchor = Anchor::middle});
    }
  }
  double widest = 0.0;
  for (std::size_t i = 0; i < spec_.y_ticks.at.size(); ++i) {
    const Point p = at(spec_.x.low, spec_.y_ticks.at[i]);
    canvas_.line({p.x - 4.0, p.y}, p, style);
    canvas_.text({p.x - 7.0, p.y + 3.7}, spec_.y_ticks.labels[i], {.size = tick_size, .anchor = Anchor::end});
    widest = std::max(widest, text_width(spec_.y_ticks.labels[i], tick_size));
  }
  canvas_.text({spec_.corner.x + spec_.width / 2.0, spec_.corner.y + spec_.height + 36.0 + label_drop(spec_)},
               fit_text(spec_.x_label, label_size, spec_.width), {.size = label_size, .anchor = Anchor::middle});
  canvas_.text({std::max(12.0, spec_.corner.x - 16.0 - widest), spec_.corner.y + spec_.height / 2.0},
               fit_text(spec_.y_label, label_size, spec_.height),
               {.size = label_size, .anchor = Anchor::middle, .rotate = -90.0});
}

void Panel::line(const VectorView& x, const VectorView& y, const Style& style) const {
  std::vector<Point> points;
  for (Index i = 0; i < x.size(); ++i) points.push_back(at(x[i], y[i]));
  canvas_.polyline(points, style);
}

void Panel::band(const VectorView& x, const VectorView& low, const VectorView& high, const Style& style) const {
  std::vector<Point> points;
  for (Index i = 0; i < x.size(); ++i) points.push_back(at(x[i], high[i]));
  for (Index i = x.size() - 1; i >= 0; --i) points.push_back(at(x[i], low[i]));
  canvas_.polygon(points, style);
}

void Panel::bars(const Extent& x, const VectorView& heights, const Style& style) const {
  const double width = x.size() / static_cast<double>(heights.size());
  for (Index i = 0; i < heights.size(); ++i) {
    const Point top = at(x.low + static_cast<double>(i) * width, std::max(heights[i], 0.0));
    const Point foot = at(x.low + static_cast<double>(i + 1) * width, std::min(heights[i], 0.0));
    canvas_.rect(top, foot.x - top.x, foot.y - top.y, style);
  }
}

void Panel::points(const VectorView& x, const VectorView& y, double radius, const Style& style) const {
  std::vector<Point> centres;
  for (Index i = 0; i < x.size(); ++i) centres.push_back(at(x[i], y[i]));
  canvas_.circles(centres, radius, style);
}

double legend_height(double width, const std::vector<LegendEntry>& entries) {
  return entries.empty() ? 0.0 : legend_places(width, entries).back().y + row_height;
}

double draw_legend(Canvas& canvas, Point corner, double width, const std::vector<LegendEntry>& entries) {
  const std::vector<Point> places = legend_places(width, entries);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const Point p{corner.x + places[i].x, corner.y + places[i].y + row_height / 2.0};
    switch (entries[i].mark) {
      case Mark::line:
        canvas.line(p, {p.x + 24.0, p.y}, entries[i].style);
        break;
      case Mark::area:
        canvas.rect({p.x, p.y - 5.0}, 24.0, 10.0, entries[i].style);
        break;
      case Mark::point:
        canvas.circle({p.x + 12.0, p.y}, 3.0, opaque(entries[i].style));
        break;
    }
    canvas.text({p.x + 30.0, p.y + 4.0}, entries[i].label);
  }
  return legend_height(width, entries);
}

void draw_color_bar(Canvas& canvas, Point corner, double height, const Palette& palette, const Extent& values,
                    const std::function<double(double)>& share, const std::string& label) {
  constexpr double width = 12.0;
  std::vector<std::uint8_t> pixels(256);
  std::iota(pixels.rbegin(), pixels.rend(), std::uint8_t{0});  // the largest at the top
  canvas.image(corner, width, height, encode_png(1, 256, pixels, palette));
  const Style style{.stroke = "#555555", .width = 0.9};
  canvas.rect(corner, width, height, style);

  const std::vector<double> at = ticks(values);
  const std::vector<std::string> texts = tick_labels(at);
  double widest = 0.0;
  double last = 2.0 * height;
  for (std::size_t i = 0; i < at.size(); ++i) {
    const double y = corner.y + height * (1.0 - share(at[i]));
    if (last - y < 12.0) continue;  // a label would stand on the one before
    last = y;
    canvas.line({corner.x + width, y}, {corner.x + width + 4.0, y}, style);
    canvas.text({corner.x + width + 7.0, y + 3.7}, texts[i], {.size = tick_size});
    widest = std::max(widest, text_width(texts[i], tick_size));
  }
  canvas.text({corner.x + width + 22.0 + widest, corner.y + height / 2.0}, fit_text(label, label_size, height),
              {.size = label_size, .anchor = Anchor::middle, .rotate = -90.0});
}

}  // namespace condens::plot
