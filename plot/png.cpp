#include "condens/plot/png.hpp"

#include <zlib.h>

#include <new>

#include "condens/core/errors.hpp"

namespace condens::plot {

namespace {

void put32(std::string& out, std::uint32_t value) {
  for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>((value >> shift) & 0xFFU);
}

void put_chunk(std::string& out, std::string_view type, std::string_view data) {
  put32(out, static_cast<std::uint32_t>(data.size()));
  const std::string body = std::string(type) + std::string(data);
  out += body;
  put32(out, static_cast<std::uint32_t>(
                 crc32(0, reinterpret_cast<const Bytef*>(body.data()), static_cast<uInt>(body.size()))));
}

std::string deflated(const std::string& data) {
  uLongf size = compressBound(data.size());
  std::string out(size, '\0');
  const int status = compress2(reinterpret_cast<Bytef*>(out.data()), &size, reinterpret_cast<const Bytef*>(data.data()),
                               data.size(), Z_BEST_COMPRESSION);
  if (status != Z_OK) throw std::bad_alloc();  // there is no other reason
  out.resize(size);
  return out;
}

}  // namespace

std::string encode_png(int width, int height, const std::vector<std::uint8_t>& pixels, const Palette& palette) {
  require(
      width > 0 && height > 0 && pixels.size() == static_cast<std::size_t>(width) * static_cast<std::size_t>(height),
      "encode_png: ", pixels.size(), " pixels for an image of ", width, " x ", height,
      ", expected a positive width times height");
  std::string header;
  put32(header, static_cast<std::uint32_t>(width));
  put32(header, static_cast<std::uint32_t>(height));
  header += std::string("\x08\x03\x00\x00\x00", 5);  // 8 bits, palette, deflate, no filter, no interlace

  std::string colours;
  for (const Rgb& rgb : palette)
    for (const std::uint8_t part : rgb) colours += static_cast<char>(part);

  std::string rows;
  for (std::size_t row = 0; row < static_cast<std::size_t>(height); ++row) {
    rows += '\0';  // each row begins with its filter: none
    const auto begin = pixels.begin() + static_cast<std::ptrdiff_t>(row * static_cast<std::size_t>(width));
    rows.append(begin, begin + width);
  }

  std::string out = "\x89PNG\r\n\x1a\n";
  put_chunk(out, "IHDR", header);
  put_chunk(out, "PLTE", colours);
  put_chunk(out, "IDAT", deflated(rows));
  put_chunk(out, "IEND", {});
  return out;
}

std::string base64(std::string_view bytes) {
  constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k)
      group = (group << 8) | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0U);
    for (std::size_t k = 0; k < 4; ++k) out += i + k <= bytes.size() ? alphabet[(group >> (18 - 6 * k)) & 0x3FU] : '=';
  }
  return out;
}

}  // namespace condens::plot
