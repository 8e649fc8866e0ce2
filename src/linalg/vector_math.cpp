#include "condens/linalg/vector_math.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>

// GCC turns these loops into vector code from -O3 on only, and by itself halves the width.
#if defined(__GNUC__) && !defined(__clang__) && defined(__OPTIMIZE__)
#pragma GCC optimize("O3")
#ifdef __AVX512F__
#pragma GCC target("prefer-vector-width=512")
#endif
#endif

namespace condens {
namespace {

// All loops work on whole blocks, and a shorter rest is padded to one: the compiler sees a
// constant trip count, and every element the same instructions.
constexpr Index kBlock = 32;
constexpr Index kShortBlock = 8;

// Adding 1.5 * 2^52 rounds to an integer and leaves it in the low bits of the mantissa.
constexpr double kMagic = 6755399441055744.0;

/// 2^n for the integer n in the low bits of `shifted` = n + kMagic.
inline double power_of_two(double shifted) {
  return std::bit_cast<double>((std::bit_cast<std::uint64_t>(shifted) << 52) + std::bit_cast<std::uint64_t>(1.0));
}

inline double exp_one(double x) {
  constexpr double log2e = 1.4426950408889634074;
  constexpr double ln2_high = 6.93147180369123816490e-01;  // 33 bits: n * ln2_high is exact
  constexpr double ln2_low = 1.90821492927058770002e-10;
  // Outside these bounds the result is 0 or infinity; NaN passes both comparisons.
  x = x < -746.0 ? -746.0 : x;
  x = x > 710.0 ? 710.0 : x;
  const double n = multiply_add(x, log2e, kMagic) - kMagic;
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
  const double half = multiply_add(n, 0.5, kMagic);
  const double rest = (n - (half - kMagic)) + kMagic;
  return p * power_of_two(half) * power_of_two(rest);
}

template <Index size>
inline void exp_block(double* x) {
  for (Index k = 0; k < size; ++k) x[k] = exp_one(x[k]);
}

/// Folds x into kBlock lanes and the lanes into one number, always in the same order.
template <class Combine>
inline double reduce(const double* x, Index n, double neutral, const Combine& combine) {
  std::array<double, kBlock> lane;
  lane.fill(neutral);
  Index i = 0;
  for (; i + kBlock <= n; i += kBlock) {
    for (Index k = 0; k < kBlock; ++k) lane[k] = combine(lane[k], x[i + k]);
  }
  for (; i + kShortBlock <= n; i += kShortBlock) {
    for (Index k = 0; k < kShortBlock; ++k) lane[k] = combine(lane[k], x[i + k]);
  }
  for (Index k = 0; i + k < n; ++k) lane[k] = combine(lane[k], x[i + k]);
  for (Index k = 0; k < 16; ++k) lane[k] = combine(lane[k], lane[k + 16]);
  for (Index k = 0; k < 8; ++k) lane[k] = combine(lane[k], lane[k + 8]);
  for (Index k = 0; k < 4; ++k) lane[k] = combine(lane[k], lane[k + 4]);
  return combine(combine(lane[0], lane[2]), combine(lane[1], lane[3]));
}

}  // namespace

void exp_in_place(double* x, Index n) {
  Index i = 0;
  for (; i + kBlock <= n; i += kBlock) exp_block<kBlock>(x + i);
  for (; i + kShortBlock <= n; i += kShortBlock) exp_block<kShortBlock>(x + i);
  if (i == n) return;
  std::array<double, kShortBlock> rest{};
  std::copy(x + i, x + n, rest.begin());
  exp_block<kShortBlock>(rest.data());
  std::copy_n(rest.begin(), n - i, x + i);
}

void exp_in_place(Eigen::Ref<Matrix> x) {
  for (Index j = 0; j < x.cols(); ++j) exp_in_place(x.col(j).data(), x.rows());
}

double sum(const double* x, Index n) {
  return reduce(x, n, 0.0, [](double a, double b) { return a + b; });
}

double dot(const double* x, const double* y, Index n) {
  std::array<double, kBlock> lane{};
  Index i = 0;
  for (; i + kBlock <= n; i += kBlock) {
    for (Index k = 0; k < kBlock; ++k) lane[k] = multiply_add(x[i + k], y[i + k], lane[k]);
  }
  for (Index k = 0; i + k < n; ++k) lane[k] = multiply_add(x[i + k], y[i + k], lane[k]);
  return sum(lane.data(), kBlock);
}

double maximum(const double* x, Index n) {
  return reduce(x, n, -std::numeric_limits<double>::infinity(), [](double a, double b) { return b > a ? b : a; });
}

}  // namespace condens
