#pragma once
// Which x86-64 level (System V psABI) this processor has: 2, 3 or 4; 0 for anything else.
// Read at configuration for a build for this machine, and at import by the Python package.
// By cpuid itself: __builtin_cpu_supports asks the runtime of the compiler, and the one of Zig (packaging/wheels) knows
// no processor.

#if defined(__x86_64__)
#include <cpuid.h>
#endif

inline int condens_cpu_level() {
#if defined(__x86_64__)
  const auto all = [](unsigned bits, unsigned wanted) { return (bits & wanted) == wanted; };
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid(1, &a, &b, &c, &d) == 0 || !all(c, bit_SSE4_2 | bit_POPCNT)) return 0;

  // What the operating system saves of the wide registers: XMM and YMM; of AVX-512 the masks and ZMM.
  const unsigned ymm = 0x06, zmm = 0xe6;
  unsigned saved = 0;
  if (!all(c, bit_OSXSAVE | bit_AVX | bit_FMA)) return 2;
  asm("xgetbv" : "=a"(saved), "=d"(d) : "c"(0));
  if (!all(saved, ymm) || __get_cpuid_count(7, 0, &a, &b, &c, &d) == 0 || !all(b, bit_AVX2 | bit_BMI | bit_BMI2))
    return 2;
  if (!all(saved, zmm) || !all(b, bit_AVX512F | bit_AVX512BW | bit_AVX512CD | bit_AVX512DQ | bit_AVX512VL)) return 3;
  return 4;
#else
  return 0;
#endif
}
