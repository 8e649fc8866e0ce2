#include "ridge_systems.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "cholesky.hpp"
#include "condens/core/cancellation.hpp"
#include "condens/core/errors.hpp"
#include "condens/core/parallel.hpp"
#include "core/work.hpp"
#include "lanes.hpp"

namespace condens {

namespace {

constexpr Index tile = 4;

#ifndef __AVX512F__

// What a register holds of the lanes.
#ifdef __AVX__
using Part = double __attribute__((vector_size(4 * sizeof(double))));
#else
using Part = double __attribute__((vector_size(2 * sizeof(double))));
#endif
constexpr int parts = static_cast<int>(sizeof(Lanes) / sizeof(Part));

inline Part part_of(const Lanes& from, int part) {
  Part out;
  std::memcpy(&out, reinterpret_cast<const char*>(&from) + static_cast<std::size_t>(part) * sizeof(Part), sizeof(Part));
  return out;
}

inline void put(const Part& own, int part, Lanes& out) {
  std::memcpy(reinterpret_cast<char*>(&out) + static_cast<std::size_t>(part) * sizeof(Part), &own, sizeof(Part));
}

#endif

/// Eight lower-triangular matrices of one order, interleaved and stored in tiles
/// of 4 x 4. The order is rounded up to whole tiles by rows of the identity.
class InterleavedCholesky {
 public:
  explicit InterleavedCholesky(Index order)
      : tiles_(block_count(order, tile)),
        entries_(static_cast<std::size_t>(tiles_ * tiles_ * tile * tile)),
        solution_(static_cast<std::size_t>(tiles_ * tile)),
        inverse_diagonal_(solution_.size()) {}

  using Systems = std::array<const RidgeSystem*, lanes>;

  void load(const Systems& systems) {
    Index smallest = tiles_ * tile;
    for (const RidgeSystem* system : systems) smallest = std::min(smallest, system->gram->rows());
    for (Index row = 0; row < tiles_; ++row) {
      for (Index column = 0; column <= row; ++column) {
        if (column < row && (row + 1) * tile <= smallest) {
          load_inner_tile(systems, row, column);
        } else {
          load_edge_tile(systems, row, column);
        }
      }
    }
    for (int lane = 0; lane < lanes; ++lane) {
      const Vector& right = *systems[lane]->right;
      for (std::size_t i = 0; i < solution_.size(); ++i) {
        solution_[i][lane] = static_cast<Index>(i) < right.size() ? right[static_cast<Index>(i)] : 0.0;
      }
    }
  }

  /// Left-looking, one tile at a time held in registers: L L' = H + lambda I.
  void factorize() {
    for (Index column = 0; column < tiles_; ++column) {
      for (Index row = column; row < tiles_; ++row) {
        subtract_products(row, column);
        if (row == column) {
          factorize_diagonal_tile(column);
        } else {
          solve_tile(row, column);
        }
      }
    }
  }

  /// L z = h, then L' a = z, a tile of rows at a time.
  void solve() {
    for (Index row = 0; row < tiles_; ++row) {
      Lanes* z = &solution_[row * tile];
      for (Index column = 0; column < row; ++column) {
        const Lanes* entry = tile_at(row, column);
        for (Index c = 0; c < tile; ++c) {
          for (Index r = 0; r < tile; ++r) z[r] -= entry[r * tile + c] * solution_[column * tile + c];
        }
      }
      const Lanes* diagonal = tile_at(row, row);
      for (Index r = 0; r < tile; ++r) {
        for (Index c = 0; c < r; ++c) z[r] -= diagonal[r * tile + c] * z[c];
        z[r] *= inverse_diagonal_[row * tile + r];
      }
    }
    for (Index row = tiles_ - 1; row >= 0; --row) {
      Lanes* a = &solution_[row * tile];
      const Lanes* diagonal = tile_at(row, row);
      for (Index r = tile - 1; r >= 0; --r) {
        for (Index c = r + 1; c < tile; ++c) a[r] -= diagonal[c * tile + r] * a[c];
        a[r] *= inverse_diagonal_[row * tile + r];
      }
      for (Index column = 0; column < row; ++column) {
        const Lanes* entry = tile_at(row, column);
        for (Index c = 0; c < tile; ++c) {
          for (Index r = 0; r < tile; ++r) solution_[column * tile + c] -= entry[r * tile + c] * a[r];
        }
      }
    }
  }

  double solution(int lane, Index i) const { return solution_[i][lane]; }

 private:
  Lanes* tile_at(Index row, Index column) { return &entries_[(row * tiles_ + column) * tile * tile]; }

  void load_inner_tile(const Systems& systems, Index row, Index column) {
    std::array<const double*, lanes> source{};
    std::array<Index, lanes> stride{};
    for (int lane = 0; lane < lanes; ++lane) {
      const Matrix& gram = *systems[lane]->gram;
      stride[lane] = gram.rows();
      source[lane] = gram.data() + row * tile + column * tile * gram.rows();
    }
    Lanes* entry = tile_at(row, column);
    for (Index j = 0; j < tile; ++j) {
      for (Index i = 0; i < tile; ++i) {
        Lanes value;
        for (int lane = 0; lane < lanes; ++lane) value[lane] = source[lane][i + j * stride[lane]];
        entry[i * tile + j] = value;
      }
    }
  }

  void load_edge_tile(const Systems& systems, Index row, Index column) {
    Lanes* entry = tile_at(row, column);
    for (Index i = row * tile; i < (row + 1) * tile; ++i) {
      for (Index j = column * tile; j < (column + 1) * tile; ++j, ++entry) {
        for (int lane = 0; lane < lanes; ++lane) {
          const Matrix& gram = *systems[lane]->gram;
          const bool inside = std::max(i, j) < gram.rows();
          const double value = inside ? gram(std::max(i, j), std::min(i, j)) : 0.0;
          const double ridge = i != j ? 0.0 : (inside ? systems[lane]->ridge : 1.0);
          (*entry)[lane] = value + ridge;
        }
      }
    }
  }

#ifdef __AVX512F__

  /// The sums of a tile are in 16 of 32 registers.
  void subtract_products(Index row, Index column) {
    Lanes* target = tile_at(row, column);
    std::array<Lanes, tile * tile> sum;
    std::copy_n(target, tile * tile, sum.begin());
    const Lanes* left = tile_at(row, 0);
    const Lanes* right = tile_at(column, 0);
    for (Index k = 0; k < column * tile * tile; k += tile * tile) {
      for (Index inner = 0; inner < tile; ++inner) {
        for (Index r = 0; r < tile; ++r) {
          for (Index c = 0; c < tile; ++c) {
            sum[r * tile + c] -= left[k + r * tile + inner] * right[k + c * tile + inner];
          }
        }
      }
    }
    std::copy_n(sum.begin(), tile * tile, target);
  }

#else

  /// Two rows at a time and part by part of the lanes: 16 registers hold eight sums, four factors and one more.
  void subtract_products(Index row, Index column) {
    const Lanes* right = tile_at(column, 0);
    for (Index first = 0; first < tile; first += 2) {
      const Lanes* left = tile_at(row, 0) + first * tile;
      Lanes* target = tile_at(row, column) + first * tile;
      for (int part = 0; part < parts; ++part) subtract_from_two_rows(left, right, column * tile * tile, part, target);
    }
  }

  /// Eight numbers with names: compilers keep an array of them in memory.
  static void subtract_from_two_rows(const Lanes* left, const Lanes* right, Index count, int part, Lanes* target) {
    Part a0 = part_of(target[0], part);
    Part a1 = part_of(target[1], part);
    Part a2 = part_of(target[2], part);
    Part a3 = part_of(target[3], part);
    Part b0 = part_of(target[tile + 0], part);
    Part b1 = part_of(target[tile + 1], part);
    Part b2 = part_of(target[tile + 2], part);
    Part b3 = part_of(target[tile + 3], part);
    for (Index k = 0; k < count; k += tile * tile) {
      for (Index inner = k; inner < k + tile; ++inner) {
        const Part r0 = part_of(right[inner], part);
        const Part r1 = part_of(right[inner + tile], part);
        const Part r2 = part_of(right[inner + 2 * tile], part);
        const Part r3 = part_of(right[inner + 3 * tile], part);
        const Part a = part_of(left[inner], part);
        a0 -= a * r0;
        a1 -= a * r1;
        a2 -= a * r2;
        a3 -= a * r3;
        const Part b = part_of(left[inner + tile], part);
        b0 -= b * r0;
        b1 -= b * r1;
        b2 -= b * r2;
        b3 -= b * r3;
      }
    }
    put(a0, part, target[0]);
    put(a1, part, target[1]);
    put(a2, part, target[2]);
    put(a3, part, target[3]);
    put(b0, part, target[tile + 0]);
    put(b1, part, target[tile + 1]);
    put(b2, part, target[tile + 2]);
    put(b3, part, target[tile + 3]);
  }

#endif

  void factorize_diagonal_tile(Index column) {
    Lanes* entry = tile_at(column, column);
    for (Index i = 0; i < tile; ++i) {
      for (Index j = 0; j <= i; ++j) {
        Lanes sum = entry[i * tile + j];
        for (Index k = 0; k < j; ++k) sum -= entry[i * tile + k] * entry[j * tile + k];
        if (i == j) {
          for (int lane = 0; lane < lanes; ++lane) sum[lane] = std::sqrt(sum[lane]);
          inverse_diagonal_[column * tile + i] = 1.0 / sum;
        } else {
          sum *= inverse_diagonal_[column * tile + j];
        }
        entry[i * tile + j] = sum;
      }
    }
  }

  void solve_tile(Index row, Index column) {
    Lanes* entry = tile_at(row, column);
    const Lanes* diagonal = tile_at(column, column);
    for (Index i = 0; i < tile; ++i) {
      for (Index j = 0; j < tile; ++j) {
        Lanes sum = entry[i * tile + j];
        for (Index k = 0; k < j; ++k) sum -= entry[i * tile + k] * diagonal[j * tile + k];
        entry[i * tile + j] = sum * inverse_diagonal_[column * tile + j];
      }
    }
  }

  Index tiles_;
  std::vector<Lanes> entries_;
  std::vector<Lanes> solution_;
  std::vector<Lanes> inverse_diagonal_;
};

[[noreturn]] void not_definite(double ridge) {
  throw NumericalError(message("H + ", ridge, " I is not positive definite; give a larger regularization"));
}

void solve_interleaved(const std::vector<RidgeSystem>& systems, Matrix& solutions) {
  InterleavedCholesky cholesky(solutions.rows());
  const std::size_t count = systems.size();
  const double cube = std::pow(static_cast<double>(solutions.rows()), 3);
  count_work(work::product * cube / 6 * static_cast<double>(count));
  for (std::size_t first = 0; first < count; first += lanes) {
    check_cancelled();
    InterleavedCholesky::Systems batch{};
    for (std::size_t lane = 0; lane < lanes; ++lane) batch[lane] = &systems[std::min(first + lane, count - 1)];
    cholesky.load(batch);
    cholesky.factorize();
    cholesky.solve();
    for (std::size_t lane = 0; lane < lanes && first + lane < count; ++lane) {
      for (Index i = 0; i < solutions.rows(); ++i) {
        solutions(i, static_cast<Index>(first + lane)) = cholesky.solution(static_cast<int>(lane), i);
      }
    }
  }
}

void solve_one_by_one(const std::vector<RidgeSystem>& systems, Matrix& solutions) {
  for (std::size_t s = 0; s < systems.size(); ++s) {
    const auto& [gram, right, ridge] = systems[s];
    Matrix shifted = *gram;
    shifted.diagonal().array() += ridge;
    const Cholesky factor(std::move(shifted));
    if (!factor.ok()) not_definite(ridge);
    solutions.col(static_cast<Index>(s)).head(right->size()) = factor.solve(*right);
  }
}

}  // namespace

Matrix solve_ridge_systems(const std::vector<RidgeSystem>& systems) {
  Index order = 0;
  for (const RidgeSystem& system : systems) order = std::max(order, system.gram->rows());
  Matrix solutions = Matrix::Zero(order, static_cast<Index>(systems.size()));
  if (order <= largest_interleaved_order) {
    solve_interleaved(systems, solutions);
  } else {
    solve_one_by_one(systems, solutions);
  }
  for (std::size_t s = 0; s < systems.size(); ++s) {
    if (!solutions.col(static_cast<Index>(s)).allFinite()) not_definite(systems[s].ridge);
  }
  return solutions;
}

}  // namespace condens
