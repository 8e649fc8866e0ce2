#pragma once
// Text that comes from outside (files, arguments): is it UTF-8 (RFC 3629), and how is it shown to people?

#include <cstddef>
#include <string>
#include <string_view>

namespace condens {

/// Position of the first byte that is not part of well-formed UTF-8; npos when all are.
std::size_t find_invalid_utf8(std::string_view text);

/// The text with \t, \n, \x1b for control characters, and \xff for bytes that are no UTF-8, which could move the
/// cursor of a terminal or worse.
std::string printable(std::string_view text);

/// The same line by line: line breaks stay.
std::string printable_lines(std::string_view text);

/// The printable text, cut after `most` bytes: "aaaa... (50000000 bytes)".
std::string shown(std::string_view text, std::size_t most = 100);

}  // namespace condens
