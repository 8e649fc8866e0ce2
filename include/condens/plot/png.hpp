#pragma once
// PNG files (ISO/IEC 15948) of at most 256 colours.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace condens::plot {

using Rgb = std::array<std::uint8_t, 3>;
using Palette = std::array<Rgb, 256>;

/// Colour numbers row by row from the top left; width * height of them.
/// Throws std::invalid_argument for any other length.
std::string encode_png(int width, int height, const std::vector<std::uint8_t>& pixels, const Palette& palette);

/// RFC 4648, with padding.
std::string base64(std::string_view bytes);

}  // namespace condens::plot
