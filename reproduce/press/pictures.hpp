#pragma once
// The kinds of pictures of the paper, each a complete SVG text.

#include <optional>
#include <string>
#include <vector>

#include "condens/core/types.hpp"
#include "condens/plot/axes.hpp"

namespace condens::reproduce {

struct Curve {
  std::string name;  ///< in the legend; equal names are listed once
  Vector x;
  Vector y;
  std::size_t color;  ///< of line_color()
  bool dashed = false;
};

struct Cloud {
  std::string name;
  Vector x;
  Vector y;
  std::string color;  ///< of CSS
  double radius = 1.8;
};

/// Points and curves in a frame.
struct Panel {
  std::string title;
  std::string x_label;
  std::string y_label;
  std::vector<Cloud> clouds = {};
  std::vector<Curve> curves = {};
  std::optional<plot::Extent> y_range = {};
};

/// Panels in rows of `columns`, with one legend.
std::string draw_panels(const std::vector<Panel>& panels, std::size_t columns);

/// A matrix as an image, the first row on top; darker is larger.
struct MatrixPanel {
  std::string title;
  Matrix values;
  double cap = 1;  ///< quantile of the values from which on all are darkest
};
std::string draw_matrices(const std::vector<MatrixPanel>& panels, double size);

/// Images (rows x columns each) side by side under their titles, in rows of `columns`. Where
/// `signed_values`, from blue (-) over white (0) to red (+); else from white (least) to black; one
/// scale for all.
struct Tile {
  std::string title;
  Matrix values;
};
std::string draw_tiles(const std::string& title, const std::vector<Tile>& tiles, std::size_t columns,
                       bool signed_values);

}  // namespace condens::reproduce
