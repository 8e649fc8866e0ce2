#include "kernel_tile.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <type_traits>

#include "condens/linalg/vector_math.hpp"

// As in vector_math.cpp: vector code of the full width.
#if defined(__GNUC__) && !defined(__clang__) && defined(__OPTIMIZE__)
#pragma GCC optimize("O3")
#ifdef __AVX512F__
#pragma GCC target("prefer-vector-width=512")
#endif
#endif

namespace condens::kernel_tile {

namespace {

/// exp(x) for x <= 709 by the reduction of vector_math.cpp, with a polynomial of degree 11: relative
/// error below 1e-14. Below -708 it stays at 3e-308: no kernel is that small in units of the target
/// and matters. In return it takes two thirds of the operations.
inline double bounded_exp(double x) {
  constexpr double log2e = 1.4426950408889634074;
  constexpr double ln2_high = 6.93147180369123816490e-01;  // 33 bits: n * ln2_high is exact
  constexpr double ln2_low = 1.90821492927058770002e-10;
  constexpr double magic = 6755399441055744.0;  // 1.5 * 2^52 rounds to an integer, in the low bits
  x = -708.0 > x ? -708.0 : x;
  const double shifted = multiply_add(x, log2e, magic);
  const double n = shifted - magic;
  const double r = multiply_add(-n, ln2_low, multiply_add(-n, ln2_high, x));
  const double p = polynomial(r, 1.0 / 39916800.0, 1.0 / 3628800.0, 1.0 / 362880.0, 1.0 / 40320.0, 1.0 / 5040.0,
                              1.0 / 720.0, 1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0, 0.5, 1.0, 1.0);
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(p) + (std::bit_cast<std::uint64_t>(shifted) << 52));
}

/// Calls body with the constants 0, ..., 4 in place of `count`.
template <class Body>
void with_constant(Index count, const Body& body) {
  switch (count) {
    case 0:
      return body(std::integral_constant<int, 0>());
    case 1:
      return body(std::integral_constant<int, 1>());
    case 2:
      return body(std::integral_constant<int, 2>());
    case 3:
      return body(std::integral_constant<int, 3>());
    default:
      return body(std::integral_constant<int, 4>());
  }
}

/// The exponents less `count` squares; the last such call takes the exponential.
template <int count, bool first, bool last>
void subtract_distances(const Kernel& a, const Kernel& b, const double* x, Index stride, Index k0, const double* base,
                        Index rows, double* __restrict out_a, double* __restrict out_b) {
  constexpr int numbers = std::max(count, 1);
  double scale_a[numbers];
  double scale_b[numbers];
  double shift_a[numbers];
  double shift_b[numbers];
  for (int k = 0; k < count; ++k) {
    scale_a[k] = a.scale[k0 + k];
    scale_b[k] = b.scale[k0 + k];
    shift_a[k] = -a.shift[k0 + k];
    shift_b[k] = -b.shift[k0 + k];
  }
  for (Index i = 0; i < rows; ++i) {
    double value_a = first ? base[i] + a.constant : out_a[i];
    double value_b = first ? base[i] + b.constant : out_b[i];
    for (int k = 0; k < count; ++k) {
      const double z_a = multiply_add(x[k * stride + i], scale_a[k], shift_a[k]);
      const double z_b = multiply_add(x[k * stride + i], scale_b[k], shift_b[k]);
      value_a = multiply_add(-z_a, z_a, value_a);
      value_b = multiply_add(-z_b, z_b, value_b);
    }
    out_a[i] = last ? bounded_exp(value_a) : value_a;
    out_b[i] = last ? bounded_exp(value_b) : value_b;
  }
}

/// Half of the partial sums of each product, as many as registers hold, from and back to `lanes`.
template <int count>
void add_some_products(const Pair& columns, const Columns& q, Index rows, Lanes* first, Lanes* second) {
  constexpr Index width = lane_count / 2;
  double sums[2][count][width];
  for (int j = 0; j < count; ++j) {
    std::copy_n(first[j].data(), width, sums[0][j]);
    std::copy_n(second[j].data(), width, sums[1][j]);
  }
  for (Index i = 0; i < rows; i += width) {
    for (int j = 0; j < count; ++j) {
      for (Index l = 0; l < width; ++l) {
        const double value = q.data[j * q.stride + i + l];
        sums[0][j][l] = multiply_add(columns.first[i + l], value, sums[0][j][l]);
        sums[1][j][l] = multiply_add(columns.second[i + l], value, sums[1][j][l]);
      }
    }
  }
  for (int j = 0; j < count; ++j) {
    std::copy_n(sums[0][j], width, first[j].data());
    std::copy_n(sums[1][j], width, second[j].data());
  }
}

void add_own_products(const double* column, const double* target, Index rows, Lanes* lanes) {
  Lanes own = lanes[0];
  Lanes with_target = lanes[1];
  for (Index i = 0; i < rows; i += lane_count) {
    for (Index l = 0; l < lane_count; ++l) {
      const auto lane = static_cast<std::size_t>(l);
      own[lane] = multiply_add(column[i + l], column[i + l], own[lane]);
      with_target[lane] = multiply_add(column[i + l], target[i + l], with_target[lane]);
    }
  }
  lanes[0] = own;
  lanes[1] = with_target;
}

template <int count>
void subtract(const double* products_a, const double* products_b, const Columns& q, Index rows, double* __restrict w_a,
              double* __restrict w_b) {
  constexpr int numbers = std::max(count, 1);
  double share_a[numbers];
  double share_b[numbers];
  for (int j = 0; j < count; ++j) {
    share_a[j] = -products_a[j];
    share_b[j] = -products_b[j];
  }
  const double* data = q.data;
  const Index stride = q.stride;
  for (Index i = 0; i < rows; ++i) {
    double rest_a = w_a[i];
    double rest_b = w_b[i];
    for (int j = 0; j < count; ++j) {
      rest_a = multiply_add(share_a[j], data[j * stride + i], rest_a);
      rest_b = multiply_add(share_b[j], data[j * stride + i], rest_b);
    }
    w_a[i] = rest_a;
    w_b[i] = rest_b;
  }
}

}  // namespace

double sum(const Lanes& lanes) { return condens::sum(lanes.data(), lane_count); }

void evaluate(const Kernel& first, const Kernel& second, const Columns& x, const double* base, Index rows,
              const Pair& out) {
  const Kernel a = first;
  const Kernel b = second;
  const Index last = (x.count - 1) % 4 + 1;
  const Index others = x.count - last;
  for (Index k = 0; k < others; k += 4) {
    const double* own = x.data + k * x.stride;
    if (k == 0) subtract_distances<4, true, false>(a, b, own, x.stride, k, base, rows, out.first, out.second);
    if (k > 0) subtract_distances<4, false, false>(a, b, own, x.stride, k, base, rows, out.first, out.second);
  }
  with_constant(last, [&](auto count) {
    const double* own = x.data + others * x.stride;
    if (others == 0)
      subtract_distances<count, true, true>(a, b, own, x.stride, others, base, rows, out.first, out.second);
    if (others > 0)
      subtract_distances<count, false, true>(a, b, own, x.stride, others, base, rows, out.first, out.second);
  });
}

void add_products(const Pair& columns, const double* target, const Columns& q, Index rows, Lanes* first,
                  Lanes* second) {
  add_own_products(columns.first, target, rows, first);
  add_own_products(columns.second, target, rows, second);
  for (Index j = 0; j < q.count; j += 4) {
    const Columns some{q.data + j * q.stride, q.stride, q.count - j};
    with_constant(some.count, [&](auto count) {
      if constexpr (count > 0) add_some_products<count>(columns, some, rows, first + 2 + j, second + 2 + j);
    });
  }
}

namespace {

/// x, but no less than least > 0: by the order of integers, for which vector units need one step.
inline double at_least(double x, double least) {
  return std::bit_cast<double>(std::max(std::bit_cast<std::int64_t>(x), std::bit_cast<std::int64_t>(least)));
}

/// Lanes l and l + lane_count / 2 of both candidates share a division.
void add_quotients(const Candidate& a, const Candidate& b, const double* residual, const double* leverage, Index rows,
                   const Pair& w, std::array<Lanes, 2>& lanes) {
  constexpr Index half = lane_count / 2;
  Lanes sum_a = lanes[0];
  Lanes sum_b = lanes[1];
  const double g_a = -a.g;
  const double g_b = -b.g;
  const double inverse_a = -a.inverse_kappa;
  const double inverse_b = -b.inverse_kappa;
  for (Index i = 0; i < rows; i += lane_count) {
    for (Index l = 0; l < half; ++l) {
      const Index k = i + l;
      const Index m = k + half;
      const double a_k = at_least(multiply_add(w.first[k] * inverse_a, w.first[k], leverage[k]), least_leverage);
      const double b_k = at_least(multiply_add(w.second[k] * inverse_b, w.second[k], leverage[k]), least_leverage);
      const double a_m = at_least(multiply_add(w.first[m] * inverse_a, w.first[m], leverage[m]), least_leverage);
      const double b_m = at_least(multiply_add(w.second[m] * inverse_b, w.second[m], leverage[m]), least_leverage);
      const double both_k = a_k * b_k;
      const double both_m = a_m * b_m;
      const double inverse = 1 / (both_k * both_m);
      const double inverse_k = inverse * both_m;
      const double inverse_m = inverse * both_k;
      const double ratio_a_k = multiply_add(g_a, w.first[k], residual[k]) * (inverse_k * b_k);
      const double ratio_b_k = multiply_add(g_b, w.second[k], residual[k]) * (inverse_k * a_k);
      const double ratio_a_m = multiply_add(g_a, w.first[m], residual[m]) * (inverse_m * b_m);
      const double ratio_b_m = multiply_add(g_b, w.second[m], residual[m]) * (inverse_m * a_m);
      const auto lane = static_cast<std::size_t>(l);
      sum_a[lane] = multiply_add(ratio_a_k, ratio_a_k, sum_a[lane]);
      sum_b[lane] = multiply_add(ratio_b_k, ratio_b_k, sum_b[lane]);
      sum_a[lane + half] = multiply_add(ratio_a_m, ratio_a_m, sum_a[lane + half]);
      sum_b[lane + half] = multiply_add(ratio_b_m, ratio_b_m, sum_b[lane + half]);
    }
  }
  lanes = {sum_a, sum_b};
}

}  // namespace

void add_squares(const Candidate& first, const Candidate& second, const Columns& q, const double* residual,
                 const double* leverage, Index rows, const Pair& phi, std::array<Lanes, 2>& lanes) {
  for (Index j = 0; j < q.count; j += 4) {
    const Columns some{q.data + j * q.stride, q.stride, q.count - j};
    with_constant(some.count, [&](auto count) {
      subtract<count>(first.products + j, second.products + j, some, rows, phi.first, phi.second);
    });
  }
  add_quotients(first, second, residual, leverage, rows, phi, lanes);
}

}  // namespace condens::kernel_tile
