#pragma once
// The inner loops of a search for kernels, for two candidates together: Gaussian kernels at some
// rows, their products with columns, and sums of squared leave-one-out residuals. Arrays hold one
// coordinate or one column after the other, `stride` apart; numbers of rows are multiples of
// `lane_count`, so that all loops are vector code.

#include <array>

#include "condens/core/types.hpp"

namespace condens::kernel_tile {

/// Sums are kept in as many partial sums, so that the vector unit can work on all of them.
constexpr Index lane_count = 16;
using Lanes = std::array<double, lane_count>;

/// The partial sums added, always in the same order.
double sum(const Lanes& lanes);

/// 2^-(base + constant + sum_k (scale_k x_k - shift_k)^2), relative error of the power below 1e-15; what would be less
/// than 5e-308 stays there. The result must be less than 2^1023.
struct Kernel {
  const double* scale;
  const double* shift;
  double constant;
};

/// Columns, one coordinate or one chosen kernel each.
struct Columns {
  const double* data;
  Index stride;
  Index count;
};

/// Two arrays that do not overlap.
struct Pair {
  double* first;
  double* second;
};

/// out <- the kernels at columns x.
void evaluate(const Kernel& first, const Kernel& second, const Columns& x, const double* base, Index rows,
              const Pair& out);

/// first[0] += |u|^2, first[1] += u'target, first[2 + j] += u'q_j for u = columns.first; likewise the second.
void add_products(const Pair& columns, const double* target, const Columns& q, Index rows, Lanes* first, Lanes* second);

/// What equations 66 to 68 need of a candidate beside phi.
struct Candidate {
  const double* products;  ///< p_j of w = phi - sum_j p_j q_j
  double g;                ///< its weight
  double inverse_kappa;    ///< 1 / (w'w + lambda)
};

/// Least leverage that is told from 0, so that products of four stay numbers.
constexpr double least_leverage = 1e-60;

/// lanes += sum of ((residual - g w) / (leverage - w^2 / kappa))^2; phi becomes w. One division
/// serves four quotients: it takes longer than all the rest.
void add_squares(const Candidate& first, const Candidate& second, const Columns& q, const double* residual,
                 const double* leverage, Index rows, const Pair& phi, std::array<Lanes, 2>& lanes);

}  // namespace condens::kernel_tile
