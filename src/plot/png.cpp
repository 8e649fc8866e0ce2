#include "condens/plot/png.hpp"

#include <algorithm>

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
  put32(out, crc32(body));
}

/// A zlib stream of stored blocks, each of at most 65535 bytes.
std::string zlib_stored(std::string_view data) {
  std::string out = "\x78\x01";
  for (std::size_t begin = 0; begin < data.size();) {
    const std::size_t length = std::min<std::size_t>(65535, data.size() - begin);
    out += static_cast<char>(begin + length == data.size());  // the last block?
    for (const std::size_t value : {length, ~length}) {
      out += static_cast<char>(value & 0xFFU);
      out += static_cast<char>((value >> 8) & 0xFFU);
    }
    out += data.substr(begin, length);
    begin += length;
  }
  put32(out, adler32(data));
  return out;
}

}  // namespace

std::uint32_t crc32(std::string_view bytes) {
  std::uint32_t crc = 0xFFFFFFFFU;
  for (const char c : bytes) {
    crc ^= static_cast<unsigned char>(c);
    for (int bit = 0; bit < 8; ++bit) crc = (crc & 1U) != 0 ? (crc >> 1) ^ 0xEDB88320U : crc >> 1;
  }
  return ~crc;
}

std::uint32_t adler32(std::string_view bytes) {
  std::uint32_t a = 1;
  std::uint32_t b = 0;
  for (const char c : bytes) {
    a = (a + static_cast<unsigned char>(c)) % 65521U;
    b = (b + a) % 65521U;
  }
  return (b << 16) | a;
}

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
  put_chunk(out, "IDAT", zlib_stored(rows));
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
