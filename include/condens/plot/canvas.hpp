#pragma once
// A picture as SVG text. Coordinates are pixels, y grows downwards. Everything
// written is escaped and finite, and no element carries an id, so that several
// pictures can stand in one HTML page.

#include <string>
#include <string_view>
#include <vector>

namespace condens::plot {

struct Point {
  double x;
  double y;
};

/// How a shape is drawn. Colours are CSS colours; "none" draws nothing.
struct Style {
  std::string fill = "none";
  std::string stroke = "none";
  double width = 1.0;     ///< of the stroke
  std::string dash = {};  ///< lengths on and off, "4 3"; empty is solid
  double opacity = 1.0;
};

enum class Anchor { start, middle, end };

struct TextStyle {
  double size = 11.0;
  std::string fill = "#333333";
  Anchor anchor = Anchor::start;
  bool bold = false;
  double rotate = 0.0;    ///< degrees, around the anchor
  std::string halo = {};  ///< colour of an outline that keeps text legible on a picture
};

/// &, <, >, quotes as entities; control characters and bytes that are not UTF-8
/// become U+FFFD, so that any column name gives well-formed XML.
std::string escape_xml(std::string_view text);

/// At most two decimals, never in exponent form. Throws std::invalid_argument unless finite.
std::string pixel(double value);

/// Width of a text in pixels, estimated for the widest of the fonts in use.
double text_width(std::string_view text, double size);

/// The text cut to `width` pixels, with an ellipsis where something was cut.
std::string fit_text(std::string_view text, double size, double width);

class Canvas {
 public:
  /// `label` is what a screen reader says.
  Canvas(double width, double height, std::string label);

  double width() const { return width_; }
  double height() const { return height_; }

  void line(Point a, Point b, const Style& style);
  void polyline(const std::vector<Point>& points, const Style& style);
  void polygon(const std::vector<Point>& points, const Style& style);
  void rect(Point corner, double width, double height, const Style& style);
  void circle(Point centre, double radius, const Style& style);
  void circles(const std::vector<Point>& centres, double radius, const Style& style);
  void text(Point at, std::string_view text, const TextStyle& style = {});
  /// A PNG file's bytes, stretched over the rectangle.
  void image(Point corner, double width, double height, const std::string& png, bool smooth = true);

  /// What is drawn between the two calls shows only inside the rectangle.
  void begin_clip(Point corner, double width, double height);
  void end_clip();

  /// The complete SVG element.
  std::string str() const;

 private:
  double width_;
  double height_;
  std::string label_;
  std::string body_;
};

}  // namespace condens::plot
