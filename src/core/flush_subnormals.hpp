#pragma once
// Treats numbers below 2e-308 as zero for the life of an object, on this thread and
// on threads it starts. A kernel that has faded to such numbers contributes nothing,
// but processors need some hundred cycles for each: narrow candidate widths would
// take ten times as long as wide ones.

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace condens {

class FlushSubnormals {
 public:
#if defined(__SSE2__)
  FlushSubnormals() : before_(_mm_getcsr()) { _mm_setcsr(before_ | flush_results | flush_operands); }
  ~FlushSubnormals() { _mm_setcsr(before_); }
#else
  FlushSubnormals() = default;
  ~FlushSubnormals() = default;
#endif
  FlushSubnormals(const FlushSubnormals&) = delete;
  FlushSubnormals& operator=(const FlushSubnormals&) = delete;

 private:
#if defined(__SSE2__)
  static constexpr unsigned flush_results = 0x8000;
  static constexpr unsigned flush_operands = 0x0040;
  unsigned before_;
#endif
};

}  // namespace condens
