#pragma once
// Curves over one axis: scores against sample size, coefficients along a path, times.
// A complete SVG picture as text, like those of figures.hpp.

#include <optional>
#include <string>
#include <vector>

#include "condens/core/types.hpp"
#include "condens/plot/axes.hpp"

namespace condens::plot {

enum class LineKind { solid, dashed, dotted };

/// Points joined in the order in which they stand; a y that is not finite leaves a gap.
struct LineSeries {
  std::string name;  ///< in the legend; empty: not listed
  Vector x;
  Vector y;
  Vector error = {};                      ///< empty, or the half length of a bar for each point (NaN: none)
  std::optional<std::size_t> color = {};  ///< of line_color(); its place among the series otherwise
  LineKind kind = LineKind::solid;
  bool markers = true;
  Vector low = {};  ///< empty, or the ends of a band around every point, on axes that are not logarithmic
  Vector high = {};
};

/// A value of an axis worth a line across the panel.
struct Rule {
  double at;
  std::string label;  ///< in the legend
};

struct LineChart {
  std::string title = {};
  std::string x_label = {};
  std::string y_label = {};
  std::vector<LineSeries> series = {};
  bool log_x = false;
  bool log_y = false;
  Ticks x_ticks = {};                  ///< of an axis that is not logarithmic; empty: round numbers
  std::optional<Extent> y_range = {};  ///< curves outside are cut; all of them otherwise
  std::optional<Rule> x_rule = {};
  std::optional<Rule> y_rule = {};
  std::vector<std::string> standing = {};  ///< "age = 30": where what does not move stands, written below
};

/// Throws std::invalid_argument for lengths that differ, a band on a logarithmic axis, an x that is not finite, no
/// finite point at all, and values <= 0 on a logarithmic axis.
std::string line_chart(const LineChart& chart);

/// Ticks of a logarithmic axis whose `extent` is of decimal logarithms: powers of ten, with 2 and 5
/// times these where the powers alone would be fewer than three, and evenly spaced round numbers
/// where even those would be fewer than two.
Ticks log_ticks(const Extent& extent);

}  // namespace condens::plot
