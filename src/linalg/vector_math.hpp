#pragma once
// exp, tanh, normal distribution functions, folded normal means and sums of many numbers at the speed of the vector
// unit, with the same bits for every position, length and alignment.
//
// exp: Cody and Waite (1980), Software Manual for the Elementary Functions, ch. 6:
//   exp(x) = 2^n exp(r),  n = round(x log2 e),  r = x - n ln 2 (ln 2 in two parts),
// exp(r) by its Taylor polynomial of degree 13 on |r| <= ln(2)/2. Relative error at
// most 2 units in the last place. Below -708.39 the result is gradual
// (subnormal, error one unit of the subnormal grid); exp(-inf) = 0, overflow gives
// infinity, NaN stays NaN.
//
// tanh: tanh|x| = e / (e + 2), e = exp(2|x|) - 1 = 2^n (exp(r) - 1) + (2^n - 1), with n, r and the
// polynomial of exp. Relative error at most 5 units in the last place, odd, 1 from |x| = 20 on.
//
// Folded normal mean: E|Z| = |x| + 2 (phi(x) - |x| Q(|x|)) for Z ~ N(x, 1), with the normal density phi and its upper
// tail Q. The second term is 2 phi(x) h(|x|), with h(z) = 1 - z Q(z) / phi(z) a polynomial of degree 18 in
// (z - 4) / (z + 4), interpolated at Chebyshev's points of 0 <= z <= 9 with forty digits; beyond, the term does not
// count beside |x|.
//
// Normal distribution function: Phi(-z) = exp(-z^2/2) g(z) / (z + 6) for z >= 0, with g a polynomial of degree 21 in
// (z - 6) / (z + 6) (Shepherd and Laframboise 1981), interpolated like h on 0 <= z <= 38.6, where the exponential
// ends, its first two coefficients moved by 2e-16 so that Phi(0) = 1/2; Phi(z) = 1 - Phi(-z).

#include <cmath>

#include "condens/core/types.hpp"

namespace condens {

/// a b + c, with one rounding where the machine does that at full speed.
inline double multiply_add(double a, double b, double c) {
#ifdef FP_FAST_FMA
  return std::fma(a, b, c);
#else
  return a * b + c;
#endif
}

/// The polynomial in x of these coefficients, the highest power's first. A loop over a table of them would keep
/// compilers from vector code around it.
template <class... Coefficients>
inline double polynomial(double x, double highest, Coefficients... others) {
  double out = highest;
  ((out = multiply_add(out, x, others)), ...);
  return out;
}

/// x[i] <- exp(x[i]) for i < n; the second form for a vector, a matrix or a block.
void exp_in_place(double* x, Index n);
void exp_in_place(Eigen::Ref<Matrix> x);

/// x[i] <- tanh(x[i]), likewise.
void tanh_in_place(double* x, Index n);
void tanh_in_place(Eigen::Ref<Matrix> x);

/// x[i] <- E|Z| - |x[i]| for Z ~ N(x[i], 1). Error at most 6 units in the last place of E|Z|.
void folded_normal_excess_in_place(double* x, Index n);

/// x[i] <- Phi(x[i]). Error at most 12 units in the last place down to the least normal number, at x = -37.5.
void normal_cdf_in_place(double* x, Index n);

/// Sum, dot product and maximum in one fixed order. The maximum of no numbers is
/// -infinity; NaN may or may not be noticed by it.
double sum(const double* x, Index n);
double dot(const double* x, const double* y, Index n);
double maximum(const double* x, Index n);

}  // namespace condens
