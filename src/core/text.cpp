#include "text.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

namespace condens {

namespace {

/// Length of the well-formed sequence at the front, 0 if there is none (RFC 3629, section 4).
std::size_t sequence_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned first = byte(0);
  const std::size_t length = first < 0x80   ? 1
                             : first < 0xC2 ? 0
                             : first < 0xE0 ? 2
                             : first < 0xF0 ? 3
                             : first < 0xF5 ? 4
                                            : 0;
  if (length > text.size()) return 0;
  if (length >= 2) {
    const unsigned low = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;   // no overlong forms
    const unsigned high = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;  // no surrogates, none past U+10FFFF
    if (byte(1) < low || byte(1) > high) return 0;
  }
  for (std::size_t i = 2; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  return length;
}

/// C0, DEL and C1 (Unicode, U+0000 to U+001F and U+007F to U+009F).
bool is_control(std::string_view character) {
  const auto first = static_cast<unsigned char>(character[0]);
  if (character.size() == 2) return first == 0xC2 && static_cast<unsigned char>(character[1]) < 0xA0;
  return first < 0x20 || first == 0x7F;
}

void append_escaped(std::string& out, std::string_view bytes) {
  for (const char c : bytes) {
    if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (c == '\r') {
      out += "\\r";
    } else {
      std::array<char, 8> code{};
      std::snprintf(code.data(), code.size(), "\\x%02x", static_cast<unsigned>(static_cast<unsigned char>(c)));
      out += code.data();
    }
  }
}

std::string escaped(std::string_view text, bool keep_lines) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = sequence_length(text);
    const std::string_view character = text.substr(0, std::max<std::size_t>(1, length));
    const bool plain = length > 0 && (!is_control(character) || (keep_lines && character == "\n"));
    if (plain)
      out += character;
    else
      append_escaped(out, character);
    text.remove_prefix(character.size());
  }
  return out;
}

}  // namespace

std::size_t find_invalid_utf8(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    if (static_cast<unsigned char>(text[at]) < 0x80) {
      ++at;
      continue;
    }
    const std::size_t length = sequence_length(text.substr(at));
    if (length == 0) return at;
    at += length;
  }
  return std::string_view::npos;
}

std::string printable(std::string_view text) { return escaped(text, false); }

std::string printable_lines(std::string_view text) { return escaped(text, true); }

std::string shown(std::string_view text, std::size_t most) {
  if (text.size() <= most) return printable(text);
  std::size_t end = most;
  while (end > 0 && most - end < 3 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80)
    --end;  // not within a character
  return printable(text.substr(0, end)) + "... (" + std::to_string(text.size()) + " bytes)";
}

}  // namespace condens
