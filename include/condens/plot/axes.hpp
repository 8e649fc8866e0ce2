#pragma once
// Axes: ranges, ticks at round numbers, the frame of a panel, legends and colour bars.

#include <functional>
#include <string>
#include <vector>

#include "condens/core/types.hpp"
#include "condens/plot/canvas.hpp"
#include "condens/plot/png.hpp"

namespace condens::plot {

/// Part of an axis, low < high.
struct Extent {
  double low;
  double high;
  double size() const { return high - low; }
};

/// From the least to the largest finite value, widened by `margin` times the size on
/// both sides. One value, or none, gives a proper extent around it (around 0).
Extent extent_of(const VectorView& values, double margin = 0.0);

/// The smallest extent that contains both.
Extent hull(const Extent& a, const Extent& b);

/// The multiples in [low, high] of the smallest step of 1, 2 or 5 times a power of ten
/// for which the extent holds at most `count` steps.
std::vector<double> ticks(const Extent& extent, int count = 6);

/// All with the same number of decimals, just enough to tell them apart; in the form
/// 1.2x10^6 (superscript) where that is shorter than eight characters in full.
std::vector<std::string> tick_labels(const std::vector<double>& at);

/// A number in running text, with `digits` significant digits.
std::string number_text(double value, int digits = 3);

/// The same without zeros at the end of decimals: "0.1", not "0.100".
std::string short_number(double value, int digits = 3);

/// Places on an axis and what stands there.
struct Ticks {
  std::vector<double> at;
  std::vector<std::string> labels;
};

/// Candidates of a list at 0, 1, 2, ..., on an axis of `length` pixels: thinned where labels would touch.
Ticks candidate_ticks(const VectorView& values, double length, bool vertical);

/// Names of levels at 0, 1, 2, ... of a horizontal axis.
struct LevelTicks {
  Ticks ticks;
  double turned = 0.0;  ///< > 0: they would touch and stand upright, cut to this height
  Index every = 1;      ///< > 1: even so only each of so many has room
};

/// On an axis of `length` pixels.
LevelTicks level_ticks(const std::vector<std::string>& levels, double length);

/// What a panel shows and where it stands: `corner`, `width` and `height` are the inside of the frame.
struct PanelSpec {
  Point corner;
  double width;
  double height;
  Extent x;
  Extent y;
  std::string x_label;
  std::string y_label;
  Ticks x_ticks = {};  ///< empty: round numbers
  Ticks y_ticks = {};
  double turned = 0.0;  ///< as in LevelTicks, of x
};

class Panel {
 public:
  Panel(Canvas& canvas, PanelSpec spec);

  /// Data to pixels.
  Point at(double x, double y) const;

  /// Grid, frame, ticks and labels: the grid belongs under the contents, the rest above.
  void draw_grid() const;
  void draw_frame() const;

  /// What is drawn between begin and end shows only inside the frame.
  void begin() const { canvas_.begin_clip(spec_.corner, spec_.width, spec_.height); }
  void end() const { canvas_.end_clip(); }

  void line(const VectorView& x, const VectorView& y, const Style& style) const;
  /// Between two curves over x.
  void band(const VectorView& x, const VectorView& low, const VectorView& high, const Style& style) const;
  /// Equal bars from 0 up or down over a part of the x axis.
  void bars(const Extent& x, const VectorView& heights, const Style& style) const;
  void points(const VectorView& x, const VectorView& y, double radius, const Style& style) const;

  const PanelSpec& spec() const { return spec_; }
  Canvas& canvas() const { return canvas_; }

 private:
  Canvas& canvas_;
  PanelSpec spec_;
};

enum class Mark { line, area, point };
struct LegendEntry {
  std::string label;
  Mark mark;
  Style style;
};

/// Writes entries in rows from `corner` to the right, at most `width` wide; returns the height used.
double draw_legend(Canvas& canvas, Point corner, double width, const std::vector<LegendEntry>& entries);

/// Height that draw_legend will use.
double legend_height(double width, const std::vector<LegendEntry>& entries);

/// A vertical bar; share(value) in [0, 1] is the place in the palette, increasing.
void draw_color_bar(Canvas& canvas, Point corner, double height, const Palette& palette, const Extent& values,
                    const std::function<double(double)>& share, const std::string& label);

}  // namespace condens::plot
