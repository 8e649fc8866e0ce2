#pragma once
// Contour lines of a function on a grid: marching squares (Maple 2003), with
// straight lines between the linear interpolations on the edges of each cell.

#include <vector>

#include "condens/core/types.hpp"
#include "condens/plot/canvas.hpp"

namespace condens::plot {

/// The lines {values = level}, each a chain of points (closed: the first is also the last).
/// A point's x is in columns and its y in rows of `values`, counted from 0. A saddle is split
/// by the mean of its four corners.
std::vector<std::vector<Point>> contour(const MatrixView& values, double level);

/// The level t for which the cells with density above t hold the share `mass` of the
/// sum of all cells: the edge of the smallest region of that probability, on the grid.
double region_level(const MatrixView& density, double mass);

}  // namespace condens::plot
