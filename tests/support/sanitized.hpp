#pragma once

// CONDENS_SANITIZED: built under the sanitizer of addresses or of threads, where all takes several times as long.

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define CONDENS_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define CONDENS_SANITIZED 1
#endif
#endif
