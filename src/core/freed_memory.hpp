#pragma once
// For programs: blocks of some hundred kilobytes come and go by the thousand, and glibc hands each
// back to the system, to ask for it again: a third of the time of large predictions. A library
// leaves this choice to the program.

#if __has_include(<malloc.h>)
#include <malloc.h>
#endif

namespace condens {

/// Keeps freed memory for the next block, up to some 256 MiB.
inline void keep_freed_memory() {
#ifdef __GLIBC__
  mallopt(M_TRIM_THRESHOLD, 1 << 28);
  mallopt(M_MMAP_THRESHOLD, 1 << 25);
#endif
}

/// Gives back what is free: after work that is much larger than what comes next.
inline void release_freed_memory() {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}

}  // namespace condens
