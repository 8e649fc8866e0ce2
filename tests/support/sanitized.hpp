#pragma once

// Whether the tests are built under a sanitizer, where all takes several times as long.

#include <algorithm>

namespace condens {

#ifndef __has_feature  // of Clang, which gives the sanitizers (CMakePresets.json)
#define __has_feature(x) 0
#endif
inline constexpr bool addresses_are_watched = __has_feature(address_sanitizer);
inline constexpr bool threads_are_watched = __has_feature(thread_sanitizer);
inline constexpr bool sanitized = addresses_are_watched || threads_are_watched;

/// Of a simulation: under a sanitizer, which watches the code, a tenth, and the test ends before it asks what the
/// figures say, which the optimised build does.
constexpr int repetitions(int all) { return sanitized ? std::max(2, all / 10) : all; }

}  // namespace condens
