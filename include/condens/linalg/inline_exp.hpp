#pragma once
// The exp of vector_math.hpp for loops that go on with its result in a register. Such a loop is
// vector code where the compiler makes it so: a constant number of turns, and nothing but
// arithmetic beside it.

#include <bit>
#include <cstdint>

#include "condens/linalg/vector_math.hpp"

namespace condens {

namespace detail {

// Adding 1.5 * 2^52 rounds to an integer and leaves it in the low bits of the mantissa.
inline constexpr double exp_magic = 6755399441055744.0;

/// 2^n for the integer n in the low bits of `shifted` = n + exp_magic.
inline double power_of_two(double shifted) {
  return std::bit_cast<double>((std::bit_cast<std::uint64_t>(shifted) << 52) + std::bit_cast<std::uint64_t>(1.0));
}

}  // namespace detail

/// exp(x), the same bits as exp_in_place.
inline double inline_exp(double x) {
  constexpr double log2e = 1.4426950408889634074;
  constexpr double ln2_high = 6.93147180369123816490e-01;  // 33 bits: n * ln2_high is exact
  constexpr double ln2_low = 1.90821492927058770002e-10;
  // Outside these bounds the result is 0 or infinity; NaN passes both comparisons.
  x = x < -746.0 ? -746.0 : x;
  x = x > 710.0 ? 710.0 : x;
  const double n = multiply_add(x, log2e, detail::exp_magic) - detail::exp_magic;
  const double r = multiply_add(-n, ln2_low, multiply_add(-n, ln2_high, x));
  double p = 1.0 / 6227020800.0;
  p = multiply_add(p, r, 1.0 / 479001600.0);
  p = multiply_add(p, r, 1.0 / 39916800.0);
  p = multiply_add(p, r, 1.0 / 3628800.0);
  p = multiply_add(p, r, 1.0 / 362880.0);
  p = multiply_add(p, r, 1.0 / 40320.0);
  p = multiply_add(p, r, 1.0 / 5040.0);
  p = multiply_add(p, r, 1.0 / 720.0);
  p = multiply_add(p, r, 1.0 / 120.0);
  p = multiply_add(p, r, 1.0 / 24.0);
  p = multiply_add(p, r, 1.0 / 6.0);
  p = multiply_add(p, r, 0.5);
  p = multiply_add(p, r, 1.0);
  p = multiply_add(p, r, 1.0);
  // 2^n in two factors: n = 1024 and the subnormal range need more than one double holds.
  const double half = multiply_add(n, 0.5, detail::exp_magic);
  const double rest = (n - (half - detail::exp_magic)) + detail::exp_magic;
  return p * detail::power_of_two(half) * detail::power_of_two(rest);
}

}  // namespace condens
