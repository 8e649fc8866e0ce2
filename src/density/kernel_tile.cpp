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

/// The exponents less `count` squares; the last such call takes the exponential. Values wait in
/// arrays of the function's own, which no other pointer can mean.
template <int count, bool first, bool last>
void subtract_distances(const Kernel& a, const Kernel& b, const double* x, Index stride, Index k0, const double* base,
                        Index rows, const Pair& out) {
  for (Index i = 0; i < rows; i += lane_count) {
    double values_a[lane_count];
    double values_b[lane_count];
    for (Index l = 0; l < lane_count; ++l) {
      double value_a = first ? base[i + l] + a.constant : out.first[i + l];
      double value_b = first ? base[i + l] + b.constant : out.second[i + l];
      for (int k = 0; k < count; ++k) {
        const double z_a = multiply_add(x[k * stride + i + l], a.scale[k0 + k], -a.shift[k0 + k]);
        const double z_b = multiply_add(x[k * stride + i + l], b.scale[k0 + k], -b.shift[k0 + k]);
        value_a = multiply_add(-z_a, z_a, value_a);
        value_b = multiply_add(-z_b, z_b, value_b);
      }
      values_a[l] = last ? bounded_exp(value_a) : value_a;
      values_b[l] = last ? bounded_exp(value_b) : value_b;
    }
    std::copy_n(values_a, lane_count, out.first + i);
    std::copy_n(values_b, lane_count, out.second + i);
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
void subtract(const Candidate& a, const Candidate& b, const Columns& q, Index rows, const Pair& phi) {
  for (Index i = 0; i < rows; i += lane_count) {
    double values_a[lane_count];
    double values_b[lane_count];
    for (Index l = 0; l < lane_count; ++l) {
      double w_a = phi.first[i + l];
      double w_b = phi.second[i + l];
      for (int j = 0; j < count; ++j) {
        w_a = multiply_add(-a.products[j], q.data[j * q.stride + i + l], w_a);
        w_b = multiply_add(-b.products[j], q.data[j * q.stride + i + l], w_b);
      }
      values_a[l] = w_a;
      values_b[l] = w_b;
    }
    std::copy_n(values_a, lane_count, phi.first + i);
    std::copy_n(values_b, lane_count, phi.second + i);
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
    if (k == 0) subtract_distances<4, true, false>(a, b, own, x.stride, k, base, rows, out);
    if (k > 0) subtract_distances<4, false, false>(a, b, own, x.stride, k, base, rows, out);
  }
  with_constant(last, [&](auto count) {
    const double* own = x.data + others * x.stride;
    if (others == 0) subtract_distances<count, true, true>(a, b, own, x.stride, others, base, rows, out);
    if (others > 0) subtract_distances<count, false, true>(a, b, own, x.stride, others, base, rows, out);
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

/// Lanes l and l + lane_count / 2 of both candidates share a division.
void add_quotients(const Candidate& a, const Candidate& b, const double* residual, const double* leverage, Index rows,
                   const Pair& w, std::array<Lanes, 2>& lanes) {
  constexpr Index half = lane_count / 2;
  Lanes sum_a = lanes[0];
  Lanes sum_b = lanes[1];
  const auto left = [](double value) { return value > least_leverage ? value : least_leverage; };
  for (Index i = 0; i < rows; i += lane_count) {
    for (Index l = 0; l < half; ++l) {
      const Index k = i + l;
      const Index m = k + half;
      const double a_k = left(multiply_add(-w.first[k] * a.inverse_kappa, w.first[k], leverage[k]));
      const double b_k = left(multiply_add(-w.second[k] * b.inverse_kappa, w.second[k], leverage[k]));
      const double a_m = left(multiply_add(-w.first[m] * a.inverse_kappa, w.first[m], leverage[m]));
      const double b_m = left(multiply_add(-w.second[m] * b.inverse_kappa, w.second[m], leverage[m]));
      const double both_k = a_k * b_k;
      const double both_m = a_m * b_m;
      const double inverse = 1 / (both_k * both_m);
      const double inverse_k = inverse * both_m;
      const double inverse_m = inverse * both_k;
      const double ratio_a_k = multiply_add(-a.g, w.first[k], residual[k]) * (inverse_k * b_k);
      const double ratio_b_k = multiply_add(-b.g, w.second[k], residual[k]) * (inverse_k * a_k);
      const double ratio_a_m = multiply_add(-a.g, w.first[m], residual[m]) * (inverse_m * b_m);
      const double ratio_b_m = multiply_add(-b.g, w.second[m], residual[m]) * (inverse_m * a_m);
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
  Candidate a = first;
  Candidate b = second;
  for (Index j = 0; j < q.count; j += 4) {
    const Columns some{q.data + j * q.stride, q.stride, q.count - j};
    with_constant(some.count, [&](auto count) { subtract<count>(a, b, some, rows, phi); });
    a.products += 4;
    b.products += 4;
  }
  add_quotients(first, second, residual, leverage, rows, phi, lanes);
}

}  // namespace condens::kernel_tile
