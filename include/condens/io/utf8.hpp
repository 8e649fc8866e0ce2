#pragma once
// Is this text UTF-8 (RFC 3629)? Model files hold nothing else.

#include <cstddef>
#include <string_view>

namespace condens {

/// Position of the first byte that is not part of well-formed UTF-8; npos when all are.
std::size_t find_invalid_utf8(std::string_view text);

}  // namespace condens
