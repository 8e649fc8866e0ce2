#include "skinny_products.hpp"

#include <algorithm>
#include <cstring>

#include "lanes.hpp"
#include "vector_math.hpp"

namespace condens {

#ifdef __AVX512F__

namespace {

// A tile of observations times columns whose sums, or factors, stay in registers.
constexpr int tile_rows = 4;
constexpr int tile_columns = 5;

// Shorter observations gain nothing.
constexpr Index least_length = 32;

/// The columns `begin`, ..., of b against R observations.
template <int R, int C>
void dot_tile(const MatrixView& b, const MatrixView& x, Index column, Index row, Eigen::Ref<Matrix> out) {
  const Index length = x.rows();
  const Index whole = length - length % lanes;
  Lanes sums[R][C] = {};
  const double* from_x[R];
  const double* from_b[C];
  for (int r = 0; r < R; ++r) from_x[r] = x.col(row + r).data();
  for (int c = 0; c < C; ++c) from_b[c] = b.col(column + c).data();
  for (Index k = 0; k < whole; k += lanes) {
    Lanes own[R];
    for (int r = 0; r < R; ++r) load(from_x[r] + k, own[r]);
    for (int c = 0; c < C; ++c) {
      Lanes factor;
      load(from_b[c] + k, factor);
      for (int r = 0; r < R; ++r) sums[r][c] += own[r] * factor;
    }
  }
  for (int r = 0; r < R; ++r) {
    for (int c = 0; c < C; ++c) {
      double sum = total(sums[r][c]);
      for (Index k = whole; k < length; ++k) sum = multiply_add(from_x[r][k], from_b[c][k], sum);
      out(column + c, row + r) += sum;
    }
  }
}

/// R observations times their numbers in rows `column`, ... of g.
template <int R, int C>
void outer_tile(const MatrixView& x, const MatrixView& g, Index column, Index row, Eigen::Ref<Matrix> out) {
  const Index length = x.rows();
  const Index whole = length - length % lanes;
  double factors[R][C];
  const double* from_x[R];
  double* to[C];
  for (int r = 0; r < R; ++r) from_x[r] = x.col(row + r).data();
  for (int c = 0; c < C; ++c) to[c] = out.col(column + c).data();
  for (int r = 0; r < R; ++r) {
    for (int c = 0; c < C; ++c) factors[r][c] = g(column + c, row + r);
  }
  for (Index k = 0; k < whole; k += lanes) {
    Lanes own[R];
    for (int r = 0; r < R; ++r) load(from_x[r] + k, own[r]);
    for (int c = 0; c < C; ++c) {
      Lanes sum;
      load(to[c] + k, sum);
      for (int r = 0; r < R; ++r) sum += own[r] * factors[r][c];
      std::memcpy(to[c] + k, &sum, sizeof(sum));
    }
  }
  for (Index k = whole; k < length; ++k) {
    for (int c = 0; c < C; ++c) {
      for (int r = 0; r < R; ++r) to[c][k] = multiply_add(from_x[r][k], factors[r][c], to[c][k]);
    }
  }
}

/// Calls tile.template operator()<R, C>(column, row) for tiles that cover n rows and J columns.
template <class Tile>
void over_tiles(Index n, Index columns, const Tile& tile) {
  const auto across = [&]<int R>(Index row) {
    Index column = 0;
    for (; column + tile_columns <= columns; column += tile_columns) {
      tile.template operator()<R, tile_columns>(column, row);
    }
    for (; column < columns; ++column) tile.template operator()<R, 1>(column, row);
  };
  Index row = 0;
  for (; row + tile_rows <= n; row += tile_rows) across.template operator()<tile_rows>(row);
  for (; row < n; ++row) across.template operator()<1>(row);
}

}  // namespace

void add_transposed_product(const MatrixView& b, const MatrixView& x, Eigen::Ref<Matrix> out) {
  if (x.rows() < least_length) {
    if (x.rows() > 0) out.noalias() += b.transpose() * x;
    return;
  }
  over_tiles(x.cols(), b.cols(),
             [&]<int R, int C>(Index column, Index row) { dot_tile<R, C>(b, x, column, row, out); });
}

void add_product_with_transpose(const MatrixView& x, const MatrixView& g, Eigen::Ref<Matrix> out) {
  if (x.rows() < least_length) {
    if (x.rows() > 0) out.noalias() += x * g.transpose();
    return;
  }
  over_tiles(x.cols(), g.rows(),
             [&]<int R, int C>(Index column, Index row) { outer_tile<R, C>(x, g, column, row, out); });
}

#else

// With fewer registers Eigen's products are the faster.

void add_transposed_product(const MatrixView& b, const MatrixView& x, Eigen::Ref<Matrix> out) {
  if (x.rows() > 0) out.noalias() += b.transpose() * x;
}

void add_product_with_transpose(const MatrixView& x, const MatrixView& g, Eigen::Ref<Matrix> out) {
  if (x.rows() > 0) out.noalias() += x * g.transpose();
}

#endif

}  // namespace condens
