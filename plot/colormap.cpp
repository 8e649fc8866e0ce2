#include "condens/plot/colormap.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace condens::plot {

namespace {

/// Straight lines between equally spaced colours.
template <std::size_t N>
Palette interpolate(const std::array<Rgb, N>& nodes) {
  Palette out;
  for (std::size_t i = 0; i < out.size(); ++i) {
    const double position = static_cast<double>(i) / 255.0 * static_cast<double>(N - 1);
    const std::size_t left = std::min(static_cast<std::size_t>(position), N - 2);
    const double share = position - static_cast<double>(left);
    for (std::size_t k = 0; k < 3; ++k)
      out[i][k] = static_cast<std::uint8_t>(std::lround((1.0 - share) * nodes[left][k] + share * nodes[left + 1][k]));
  }
  return out;
}

}  // namespace

const Palette& density_palette() {
  static const Palette palette = interpolate(std::array<Rgb, 10>{{{0xFF, 0xFF, 0xFF},
                                                                  {0xDE, 0xF5, 0xE5},
                                                                  {0xA0, 0xDF, 0xB9},
                                                                  {0x54, 0xC9, 0xAD},
                                                                  {0x38, 0xAA, 0xAC},
                                                                  {0x34, 0x8A, 0xA6},
                                                                  {0x36, 0x6A, 0x9F},
                                                                  {0x40, 0x49, 0x8E},
                                                                  {0x3B, 0x2F, 0x5E},
                                                                  {0x28, 0x19, 0x2F}}});
  return palette;
}

const Palette& score_palette() {
  static const Palette palette = interpolate(std::array<Rgb, 11>{{{0x44, 0x01, 0x54},
                                                                  {0x48, 0x24, 0x75},
                                                                  {0x41, 0x44, 0x87},
                                                                  {0x35, 0x5F, 0x8D},
                                                                  {0x2A, 0x78, 0x8E},
                                                                  {0x21, 0x91, 0x8C},
                                                                  {0x22, 0xA8, 0x84},
                                                                  {0x44, 0xBF, 0x70},
                                                                  {0x7A, 0xD1, 0x51},
                                                                  {0xBD, 0xDF, 0x26},
                                                                  {0xFD, 0xE7, 0x25}}});
  return palette;
}

std::uint8_t color_index(double share) {
  return static_cast<std::uint8_t>(std::lround(255.0 * std::clamp(share, 0.0, 1.0)));
}

std::string css(const Rgb& rgb) {
  constexpr const char* digits = "0123456789abcdef";
  std::string out = "#";
  for (const std::uint8_t part : rgb) {
    out += digits[part >> 4];
    out += digits[part & 0xF];
  }
  return out;
}

std::string line_color(std::size_t i) {
  constexpr std::array<const char*, line_colors> colors{"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                                        "#56B4E9", "#E69F00", "#4D4D4D"};
  return colors[i % colors.size()];
}

}  // namespace condens::plot
