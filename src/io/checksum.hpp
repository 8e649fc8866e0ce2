#pragma once
// The 64-bit FNV-1a hash (Fowler, Noll, Vo) of bytes, in hexadecimal: it tells accidents, not forgeries.

#include <array>
#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>

namespace condens {

inline std::string checksum(std::string_view bytes) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  std::array<char, 16> digits{};
  const std::to_chars_result end = std::to_chars(digits.data(), digits.data() + digits.size(), hash, 16);
  const std::string out(digits.data(), end.ptr);
  return std::string(digits.size() - out.size(), '0') + out;
}

}  // namespace condens
