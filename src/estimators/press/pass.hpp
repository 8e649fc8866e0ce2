#pragma once
// What an evaluation of a PRESS criterion (objective.hpp) keeps on its way: sums of the
// states, weights of the rows, kernels between nodes.

#include <functional>
#include <vector>

#include "condens/core/parallel.hpp"
#include "condens/estimators/press/objective.hpp"
#include "node_kernels.hpp"

namespace condens {

/// Some rows and their part of the sums.
struct PressObjective::Chunk {
  Range rows;
  std::vector<Matrix> hidden = {};
  Vector sizes = {}, squares = {};
  std::vector<Vector> sums = {};
  double value = 0;
  double squared_error = 0;
  std::vector<Index> lost = {};  // rows that are summed anew
  Matrix by_means = {};
  Vector by_sizes = {};
  std::vector<Vector> by_totals = {};
  Vector by_log_width = {};
  Vector gradient = {};
};

/// Some nodes of a state, and the kernels between these and all of its nodes.
struct PressObjective::Tile {
  Index state;
  Range nodes;
  Matrix kernels = {};
};

/// The likelihood of a row, summed over the others in logarithms.
struct PressObjective::Anew {
  Index row;
  double value = 0;          // log of the mixture
  Vector share = {};         // J: the states' shares of the mixture
  Vector log_total = {};     // J: of the kernels
  Vector rounding = {};      // J: what the shares of the rows in that sum, as it is rounded, add up to
  Vector log_left = {};      // J: of the masses
  Vector by_log_width = {};  // J: of value
};

/// What an evaluation knows of all rows.
struct PressObjective::Pass {
  const Vector& theta;
  const Vector& widths;
  int threads;
  const std::function<void()>& poll;
  std::vector<Chunk> chunks;
  std::vector<Tile> tiles;           // likelihood
  bool keeps_kernels;                // of the tiles
  Matrix w;                          // n x J, so that what is done to every row is done to several at once
  Matrix by_w;                       // n x J: d value / d W at fixed sums
  Vector sizes = {}, inverse = {};   // sigma, 1 / sigma
  Vector squares = {};               // sum_i a_i W_ji^2
  std::vector<Vector> sums = {};     // of every state: sum_i a_i W_ji (y_i, or the shares of the nodes)
  Matrix means = {};                 // d_y x J
  double freedom = 0;                // nu
  double by_freedom = 0;             // d value / d nu
  Vector by_sizes = {};              // d value / d sigma
  std::vector<Vector> by_sums = {};  // d value / d sums
  // Likelihood: the sums of kernels at the nodes, T, and by log h.
  std::vector<Vector> totals = {}, slopes = {};
  // Likelihood, where rows are summed anew: log W, and d value / d log W of these rows (n x J).
  std::vector<Anew> anew = {};
  Matrix log_w = {}, by_log_w = {};

  template <class Body>
  void over_chunks(const Body& body) {
    parallel_for(
        std::ssize(chunks), threads, [&](Index k) { body(chunks[static_cast<std::size_t>(k)]); }, poll);
  }

  /// Sums of kernels at the nodes of every state, each node with its factor: a vector for each state.
  std::vector<Vector> kernel_sums(const PressObjective& objective, const std::vector<Vector>& factors,
                                  std::vector<Vector>* by_log_width) {
    std::vector<Vector> out = factors;
    parallel_for(
        std::ssize(tiles), threads,
        [&](Index k) {
          Tile& tile = tiles[static_cast<std::size_t>(k)];
          const auto [begin, end] = tile.nodes;
          const auto j = static_cast<std::size_t>(tile.state);
          Vector slope;
          out[j].segment(begin, end - begin) =
              press::kernel_sums(objective.nodes_of(tile.state), widths[tile.state], tile.nodes, factors[j],
                                 tile.kernels, by_log_width == nullptr ? nullptr : &slope);
          if (by_log_width != nullptr) (*by_log_width)[j].segment(begin, end - begin) = slope;
          if (!keeps_kernels) tile.kernels = Matrix();
        },
        poll);
    return out;
  }
};

}  // namespace condens
