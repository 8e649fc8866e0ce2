#pragma once

// Whether the tests are built under a sanitizer, where all takes several times as long.

namespace condens {

#ifndef __has_feature  // of Clang, which gives the sanitizers (CMakePresets.json)
#define __has_feature(x) 0
#endif
inline constexpr bool addresses_are_watched = __has_feature(address_sanitizer);
inline constexpr bool threads_are_watched = __has_feature(thread_sanitizer);
inline constexpr bool sanitized = addresses_are_watched || threads_are_watched;

}  // namespace condens
