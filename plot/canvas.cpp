#include "condens/plot/canvas.hpp"

#include <array>
#include <charconv>
#include <cmath>

#include "condens/core/errors.hpp"
#include "condens/plot/png.hpp"

namespace condens::plot {

namespace {

constexpr std::string_view replacement = "\xEF\xBF\xBD";  // U+FFFD

/// Bytes of the well-formed UTF-8 character at the front of `text` (RFC 3629), or 0.
std::size_t character_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xC0) != 0x80) return 0;
  const unsigned second = byte(1);
  const bool overlong = (first == 0xE0 && second < 0xA0) || (first == 0xF0 && second < 0x90);
  const bool surrogate = first == 0xED && second >= 0xA0;
  const bool too_large = first == 0xF4 && second >= 0x90;
  const bool not_a_character = first == 0xEF && second == 0xBF && byte(2) >= 0xBE;  // U+FFFE, U+FFFF: not in XML
  return overlong || surrogate || too_large || not_a_character ? 0 : length;
}

std::string attributes(const Style& style) {
  std::string out = " fill=\"" + escape_xml(style.fill) + "\"";
  if (style.stroke != "none") {
    out += " stroke=\"" + escape_xml(style.stroke) + "\" stroke-width=\"" + pixel(style.width) + "\"";
    if (!style.dash.empty()) out += " stroke-dasharray=\"" + escape_xml(style.dash) + "\"";
  }
  if (style.opacity < 1.0) out += " opacity=\"" + pixel(style.opacity) + "\"";
  return out;
}

std::string path(const std::vector<Point>& points) {
  std::string out;
  for (const Point& p : points) {
    out += out.empty() ? 'M' : 'L';
    out += pixel(p.x) + " " + pixel(p.y);
  }
  return out;
}

std::string box(Point corner, double width, double height) {
  return " x=\"" + pixel(corner.x) + "\" y=\"" + pixel(corner.y) + "\" width=\"" + pixel(width) + "\" height=\"" +
         pixel(height) + "\"";
}

}  // namespace

std::string escape_xml(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t length = character_length(text);
    const char c = text.front();
    if (length == 0 || (static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\n' && c != '\r'))
      out += replacement;
    else if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '"')
      out += "&quot;";
    else if (c == '\'')
      out += "&#39;";
    else
      out += text.substr(0, length);
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return out;
}

std::string pixel(double value) {
  require(std::isfinite(value) && std::abs(value) < 1e9, "plot: coordinate ", value, ", expected a number below 1e9");
  const double rounded = std::round(value * 100.0) / 100.0;
  std::array<char, 32> buffer;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), rounded == 0.0 ? 0.0 : rounded,
                                 std::chars_format::fixed, 2);
  std::string out(buffer.data(), end.ptr);
  out.erase(out.find_last_not_of('0') + 1);
  if (out.back() == '.') out.pop_back();
  return out;
}

double text_width(std::string_view text, double size) {
  double em = 0.0;
  for (const char c : text) {
    if ((static_cast<unsigned char>(c) & 0xC0) == 0x80) continue;  // not the first byte of a character
    if (std::string_view("iljtfr.,:;|!'()[] ").find(c) != std::string_view::npos)
      em += 0.36;
    else if (std::string_view("mwMW%@").find(c) != std::string_view::npos)
      em += 0.92;
    else
      em += c >= 'A' && c <= 'Z' ? 0.7 : 0.62;
  }
  return em * size;
}

std::string fit_text(std::string_view text, double size, double width) {
  if (text_width(text, size) <= width) return std::string(text);
  std::string out(text);
  while (!out.empty() && text_width(out, size) + size > width) {
    while (out.size() > 1 && (static_cast<unsigned char>(out.back()) & 0xC0) == 0x80) out.pop_back();
    out.pop_back();
  }
  return out + "\xE2\x80\xA6";
}

Canvas::Canvas(double width, double height, std::string label)
    : width_(width), height_(height), label_(std::move(label)) {}

void Canvas::line(Point a, Point b, const Style& style) { polyline({a, b}, style); }

void Canvas::polyline(const std::vector<Point>& points, const Style& style) {
  if (points.empty()) return;
  body_ += "<path d=\"" + path(points) + "\" stroke-linejoin=\"round\"" + attributes(style) + "/>\n";
}

void Canvas::polygon(const std::vector<Point>& points, const Style& style) {
  if (points.empty()) return;
  body_ += "<path d=\"" + path(points) + "Z\"" + attributes(style) + "/>\n";
}

void Canvas::rect(Point corner, double width, double height, const Style& style) {
  body_ += "<rect" + box(corner, width, height) + attributes(style) + "/>\n";
}

void Canvas::circle(Point centre, double radius, const Style& style) { circles({centre}, radius, style); }

void Canvas::circles(const std::vector<Point>& centres, double radius, const Style& style) {
  Style each = style;
  each.opacity = 1.0;
  body_ += "<g" + attributes(each);  // the opacity is each circle's own, so that overlaps show
  if (style.opacity < 1.0)
    body_ += " fill-opacity=\"" + pixel(style.opacity) + "\" stroke-opacity=\"" + pixel(style.opacity) + "\"";
  body_ += ">\n";
  for (const Point& p : centres)
    body_ += "<circle cx=\"" + pixel(p.x) + "\" cy=\"" + pixel(p.y) + "\" r=\"" + pixel(radius) + "\"/>\n";
  body_ += "</g>\n";
}

void Canvas::text(Point at, std::string_view text, const TextStyle& style) {
  constexpr std::array<const char*, 3> anchors{"start", "middle", "end"};
  std::string start = "<text x=\"" + pixel(at.x) + "\" y=\"" + pixel(at.y) + "\" font-size=\"" + pixel(style.size) +
                      "\" text-anchor=\"" + anchors[static_cast<std::size_t>(style.anchor)] + "\"";
  if (style.bold) start += " font-weight=\"600\"";
  if (style.rotate != 0.0)
    start += " transform=\"rotate(" + pixel(style.rotate) + " " + pixel(at.x) + " " + pixel(at.y) + ")\"";
  const std::string rest = " fill=\"" + escape_xml(style.fill) + "\">" + escape_xml(text) + "</text>\n";
  if (!style.halo.empty())
    body_ += start + " stroke=\"" + escape_xml(style.halo) + "\" stroke-width=\"3\" stroke-linejoin=\"round\"" + rest;
  body_ += start + rest;
}

void Canvas::image(Point corner, double width, double height, const std::string& png, bool smooth) {
  body_ += "<image" + box(corner, width, height) + " preserveAspectRatio=\"none\"" +
           (smooth ? "" : " image-rendering=\"pixelated\"") + " xlink:href=\"data:image/png;base64," + base64(png) +
           "\"/>\n";
}

void Canvas::begin_clip(Point corner, double width, double height) {
  body_ += "<svg" + box(corner, width, height) + " viewBox=\"" + pixel(corner.x) + " " + pixel(corner.y) + " " +
           pixel(width) + " " + pixel(height) + "\" overflow=\"hidden\">\n";
}

void Canvas::end_clip() { body_ += "</svg>\n"; }

std::string Canvas::str() const {
  return "<svg xmlns=\"http://www.w3.org/2000/svg\" xmlns:xlink=\"http://www.w3.org/1999/xlink\" width=\"" +
         pixel(width_) + "\" height=\"" + pixel(height_) + "\" viewBox=\"0 0 " + pixel(width_) + " " + pixel(height_) +
         "\" role=\"img\" aria-label=\"" + escape_xml(label_) +
         "\" font-family=\"Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif\">\n<rect width=\"100%\" "
         "height=\"100%\" fill=\"#ffffff\"/>\n" +
         body_ + "</svg>\n";
}

}  // namespace condens::plot
