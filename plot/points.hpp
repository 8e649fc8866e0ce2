#pragma once
// Points of the data behind curves: fewer and fainter the more rows there are, so that they bury nothing.

#include <cmath>
#include <string>
#include <vector>

#include "condens/core/types.hpp"
#include "condens/plot/axes.hpp"
#include "frame.hpp"

namespace condens::plot {

constexpr double faint_from = 300.0;        // points: above, the ink grows with the root of their number
constexpr double small_from = 500.0;        // points: above, they shrink, and have no white edge
constexpr double strongest_opacity = 0.8;   // of a point among few
constexpr double weakest_closeness = 0.05;  // rows farther from a section than this are left out

/// The rows that are drawn, and how near each is to the section, from 0 to 1.
struct PointRows {
  std::vector<Index> rows = {};
  Vector closeness = {};
  Index of = 0;  ///< rows there were
};

/// At most `most` rows, evenly spaced among those near enough; `closeness` empty: all rows are near.
inline PointRows point_rows(Index n, const Vector& closeness, Index most) {
  std::vector<Index> near;
  for (Index i = 0; i < n; ++i)
    if (closeness.size() == 0 || closeness[i] >= weakest_closeness) near.push_back(i);
  const Index shown = std::min(std::ssize(near), most);
  PointRows out{{}, Vector(shown), n};
  for (Index i = 0; i < shown; ++i) {
    const Index row = near[static_cast<std::size_t>(i * std::ssize(near) / shown)];
    out.rows.push_back(row);
    out.closeness[i] = closeness.size() == 0 ? 1.0 : closeness[row];
  }
  return out;
}

/// 45000 as "45,000".
inline std::string count_text(Index count) {
  std::string out = std::to_string(count);
  for (Index at = std::ssize(out) - 3; at > 0; at -= 3) out.insert(static_cast<std::size_t>(at), ",");
  return out;
}

inline double point_opacity(double n) { return strongest_opacity * std::sqrt(std::min(1.0, faint_from / n)); }
inline double point_radius(double n) { return 2.0 * std::pow(std::min(1.0, small_from / n), 0.25); }

inline LegendEntry point_legend(const PointRows& shown) {
  std::string label = "data";
  if (std::ssize(shown.rows) < shown.of)
    label = count_text(std::ssize(shown.rows)) + " of " + count_text(shown.of) + " rows";
  return {label, Mark::point, {.fill = point_color, .stroke = "#ffffff", .width = 0.5}};
}

/// The nearest on top, in five shades.
inline void draw_points(const Panel& panel, const VectorView& x, const VectorView& y, const PointRows& shown) {
  constexpr int shades = 5;
  const double n = std::max(1.0, shown.closeness.sum());
  const bool edge = n <= small_from;
  for (int shade = 1; shade <= shades; ++shade) {
    std::vector<Point> centres;
    for (std::size_t i = 0; i < shown.rows.size(); ++i) {
      const Index row = shown.rows[i];
      if (static_cast<int>(std::ceil(shades * shown.closeness[static_cast<Index>(i)] - 1e-9)) == shade)
        centres.push_back(panel.at(x[row], y[row]));
    }
    if (centres.empty()) continue;
    panel.canvas().circles(centres, point_radius(n),
                           {.fill = point_color,
                            .stroke = edge ? "#ffffff" : "none",
                            .width = 0.5,
                            .opacity = point_opacity(n) * shade / shades});
  }
}

}  // namespace condens::plot
