#pragma once
// Colour maps whose lightness changes evenly with the value, so that equal steps
// of the value look equal, also in grey print and to colour-blind readers.

#include <string>

#include "condens/plot/png.hpp"

namespace condens::plot {

/// White (nothing) to dark blue (most), for densities on white paper: after
/// seaborn's "mako", reversed.
const Palette& density_palette();

/// Dark violet to yellow, for scores: viridis (van der Walt and Smith 2015).
const Palette& score_palette();

/// Number of the colour for a share in [0, 1]; outside it is clamped.
std::uint8_t color_index(double share);

/// "#rrggbb".
std::string css(const Rgb& rgb);

/// The i-th colour of lines that must be told apart (Okabe and Ito 2008).
std::string line_color(std::size_t i);

/// Colours of lines there are; line_color begins again after them.
constexpr std::size_t line_colors = 7;

}  // namespace condens::plot
