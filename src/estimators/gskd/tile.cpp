#include "tile.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <type_traits>

#include "linalg/vector_math.hpp"

namespace condens::kernel_tile {

namespace {

/// x, but no less than least > 0, or no more than most > 0: by the order of integers, for which vector units need one
/// step.
inline double at_least(double x, double least) {
  return std::bit_cast<double>(std::max(std::bit_cast<std::int64_t>(x), std::bit_cast<std::int64_t>(least)));
}
inline double at_most(double x, double most) {
  return std::bit_cast<double>(std::min(std::bit_cast<std::int64_t>(x), std::bit_cast<std::int64_t>(most)));
}

/// 2^-x for x >= -1023, x = n + r with an integer n and |r| <= 1/2: 2^-r by the polynomial of degree 10 through its
/// values at Chebyshev's points, computed with sixty digits; relative error below 1e-15. From 1021 on it stays at
/// 5e-308: no kernel that is so small in units of the target matters. In return it takes half of the operations of
/// exp_in_place.
inline double negative_power_of_two(double x) {
  constexpr double magic = 6755399441055744.0;  // 1.5 * 2^52 rounds to an integer, in the low bits
  x = at_most(x, 1021.0);
  const double shifted = magic - x;
  const double r = x + (shifted - magic);
  const double p = polynomial(r, 7.072585949269223e-09, -1.0208690299958306e-07, 1.321544258792169e-06,
                              -1.5252657260200837e-05, 0.0001540353044173605, -0.0013333558230164974,
                              0.009618129107606888, -0.05550410866444772, 0.24022650695910097, -0.69314718055995, 1.0);
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

/// `count` more squares in the exponents; the last such call takes the power.
template <int count, bool first, bool last>
void add_distances(const Kernel& a, const Kernel& b, const double* x, Index stride, Index k0, const double* base,
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
      value_a = multiply_add(z_a, z_a, value_a);
      value_b = multiply_add(z_b, z_b, value_b);
    }
    out_a[i] = last ? negative_power_of_two(value_a) : value_a;
    out_b[i] = last ? negative_power_of_two(value_b) : value_b;
  }
}

/// As many products as registers hold the partial sums of, from and back to memory.
template <int count>
void add_some_products(const Pair& columns, const Columns& q, Index rows, Lanes* first, Lanes* second) {
  double sums[2][count][lane_count];
  for (int j = 0; j < count; ++j) {
    std::copy_n(first[j].data(), lane_count, sums[0][j]);
    std::copy_n(second[j].data(), lane_count, sums[1][j]);
  }
  for (Index i = 0; i < rows; i += lane_count) {
    for (int j = 0; j < count; ++j) {
      for (Index l = 0; l < lane_count; ++l) {
        const double value = q.data[j * q.stride + i + l];
        sums[0][j][l] = multiply_add(columns.first[i + l], value, sums[0][j][l]);
        sums[1][j][l] = multiply_add(columns.second[i + l], value, sums[1][j][l]);
      }
    }
  }
  for (int j = 0; j < count; ++j) {
    std::copy_n(sums[0][j], lane_count, first[j].data());
    std::copy_n(sums[1][j], lane_count, second[j].data());
  }
}

void add_own_products(const Pair& columns, const double* target, Index rows, Lanes* first, Lanes* second) {
  Lanes own_a = first[0];
  Lanes own_b = second[0];
  Lanes with_target_a = first[1];
  Lanes with_target_b = second[1];
  for (Index i = 0; i < rows; i += lane_count) {
    for (Index l = 0; l < lane_count; ++l) {
      const auto lane = static_cast<std::size_t>(l);
      const double a = columns.first[i + l];
      const double b = columns.second[i + l];
      own_a[lane] = multiply_add(a, a, own_a[lane]);
      own_b[lane] = multiply_add(b, b, own_b[lane]);
      with_target_a[lane] = multiply_add(a, target[i + l], with_target_a[lane]);
      with_target_b[lane] = multiply_add(b, target[i + l], with_target_b[lane]);
    }
  }
  first[0] = own_a;
  second[0] = own_b;
  first[1] = with_target_a;
  second[1] = with_target_b;
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
    if (k == 0) add_distances<4, true, false>(a, b, own, x.stride, k, base, rows, out.first, out.second);
    if (k > 0) add_distances<4, false, false>(a, b, own, x.stride, k, base, rows, out.first, out.second);
  }
  with_constant(last, [&](auto count) {
    const double* own = x.data + others * x.stride;
    if (others == 0) add_distances<count, true, true>(a, b, own, x.stride, others, base, rows, out.first, out.second);
    if (others > 0) add_distances<count, false, true>(a, b, own, x.stride, others, base, rows, out.first, out.second);
  });
}

void add_products(const Pair& columns, const double* target, const Columns& q, Index rows, Lanes* first,
                  Lanes* second) {
  add_own_products(columns, target, rows, first, second);
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
