#include "vector_math.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "condens/core/cancellation.hpp"
#include "core/work.hpp"

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

/// x = n ln 2 + r with an integer n, and (exp(r) - 1) / r.
struct Reduced {
  double n;
  double r;
  double quotient;
};

inline Reduced reduce_exponent(double x) {
  constexpr double log2e = 1.4426950408889634074;
  constexpr double ln2_high = 6.93147180369123816490e-01;  // 33 bits: n * ln2_high is exact
  constexpr double ln2_low = 1.90821492927058770002e-10;
  const double n = multiply_add(x, log2e, kMagic) - kMagic;
  const double r = multiply_add(-n, ln2_low, multiply_add(-n, ln2_high, x));
  return {n, r,
          polynomial(r, 1.0 / 6227020800.0, 1.0 / 479001600.0, 1.0 / 39916800.0, 1.0 / 3628800.0, 1.0 / 362880.0,
                     1.0 / 40320.0, 1.0 / 5040.0, 1.0 / 720.0, 1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0, 0.5, 1.0)};
}

inline double exp_one(double x) {
  // Outside these bounds the result is 0 or infinity; NaN passes both comparisons.
  x = x < -746.0 ? -746.0 : x;
  x = x > 710.0 ? 710.0 : x;
  const Reduced at = reduce_exponent(x);
  const double p = multiply_add(at.quotient, at.r, 1.0);
  // 2^n in two factors: n = 1024 and the subnormal range need more than one double holds.
  const double half = multiply_add(at.n, 0.5, kMagic);
  const double rest = (at.n - (half - kMagic)) + kMagic;
  return p * power_of_two(half) * power_of_two(rest);
}

inline double tanh_one(double x) {
  double twice = 2.0 * std::abs(x);
  twice = twice > 40.0 ? 40.0 : twice;
  const Reduced at = reduce_exponent(twice);
  const double power = power_of_two(at.n + kMagic);
  const double e = multiply_add(power, at.quotient * at.r, power - 1.0);
  return std::copysign(e / (e + 2.0), x);
}

inline double folded_normal_excess_one(double x) {
  double z = std::abs(x);
  z = z > 9.0 ? 9.0 : z;
  const double u = multiply_add((z - 4.0) / (z + 4.0), 13.0 / 9.0, 4.0 / 9.0);
  const double p =
      polynomial(u, -1.2996245740582424e-10, -4.131716585072092e-10, 1.3292564567997986e-09, 8.804488995109006e-09,
                 -1.385446944342124e-09, -1.260434685848804e-07, -1.7482700826694303e-07, 1.6728597519121347e-06,
                 4.201192363111573e-06, -2.580141856644152e-05, -6.903916008231833e-05, 0.0005437695845846306,
                 0.00035518313137267014, -0.013295578811848417, 0.06337165272881977, -0.1711123930984069,
                 0.29693719608423214, -0.31015432306575086, 0.1453582094340685);
  constexpr double twice_phi_0 = 0.79788456080286535588;  // sqrt(2 / pi)
  return twice_phi_0 * exp_one(-0.5 * z * z) * p;
}

inline double normal_cdf_one(double x) {
  double z = std::abs(x);
  z = z > 38.6 ? 38.6 : z;
  const double inverse = 1.0 / (z + 6.0);
  const double u = multiply_add((z - 6.0) * inverse, 1.1554404145077721, 0.15544041450777202);
  const double p = polynomial(
      u, 1.259489634028223e-10, -4.203627550357225e-10, -1.7622650441923941e-09, 7.496276574002698e-09,
      1.3841078728822983e-08, -1.0015403188634984e-07, -2.0644794370256585e-08, 1.1915340669685094e-06,
      -2.1899681351329354e-06, -9.498887424414526e-06, 5.7279753571226204e-05, -7.336907823947525e-05,
      -0.0005342596155444463, 0.003951914855716908, -0.015696806672457892, 0.04617262049417849, -0.11002730554005313,
      0.22103722677235627, -0.38233705556947417, 0.5761847661619041, -0.7611370133285599, 0.883057881844874);
  // exp(-z^2/2) from z = high + rest, of which high^2 is exact: one rounding of z^2 would cost all digits of z^2.
  const double high = std::bit_cast<double>(std::bit_cast<std::uint64_t>(z) & ~std::uint64_t{0x7ffffff});
  const double rest = 0.5 * (z - high) * (z + high);
  const double correction = 1.0 - rest * (1.0 - rest * (0.5 - rest * (1.0 / 6.0)));
  const double upper = exp_one(-0.5 * high * high) * correction * (p * inverse);
  return x > 0.0 ? 1.0 - upper : upper;
}

/// x[i] <- one(x[i]), whole blocks at a time.
template <double one(double)>
inline void map_in_place(double* x, Index n) {
  const auto map_block = []<Index size>(double* block, std::integral_constant<Index, size>) {
    for (Index k = 0; k < size; ++k) block[k] = one(block[k]);
  };
  Index i = 0;
  for (; i + kBlock <= n; i += kBlock) map_block(x + i, std::integral_constant<Index, kBlock>());
  for (; i + kShortBlock <= n; i += kShortBlock) map_block(x + i, std::integral_constant<Index, kShortBlock>());
  if (i == n) return;
  std::array<double, kShortBlock> rest{};
  std::copy(x + i, x + n, rest.begin());
  map_block(rest.data(), std::integral_constant<Index, kShortBlock>());
  std::copy_n(rest.begin(), n - i, x + i);
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
  constexpr Index between_looks = Index{1} << 18;  // whole blocks: the same bits
  constexpr Index worth_counting = 512;
  if (n >= worth_counting) count_work(work::exponential * static_cast<double>(n));
  for (; n > between_looks; x += between_looks, n -= between_looks) {
    map_in_place<exp_one>(x, between_looks);
    check_cancelled();
  }
  map_in_place<exp_one>(x, n);
}

void exp_in_place(Eigen::Ref<Matrix> x) {
  const Index between_looks = 1 + 20'000 / (1 + x.rows());  // whether to go on
  count_work(work::exponential * static_cast<double>(x.size()));
  for (Index j = 0; j < x.cols(); ++j) {
    if (j % between_looks == between_looks - 1) check_cancelled();
    map_in_place<exp_one>(x.col(j).data(), x.rows());
  }
}

void tanh_in_place(double* x, Index n) { map_in_place<tanh_one>(x, n); }

void tanh_in_place(Eigen::Ref<Matrix> x) {
  for (Index j = 0; j < x.cols(); ++j) tanh_in_place(x.col(j).data(), x.rows());
}

void folded_normal_excess_in_place(double* x, Index n) { map_in_place<folded_normal_excess_one>(x, n); }

void normal_cdf_in_place(double* x, Index n) { map_in_place<normal_cdf_one>(x, n); }

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
