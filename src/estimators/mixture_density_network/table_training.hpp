#pragma once
// Training of networks on a table of which they have seen a sample: L-BFGS on the losses of all of them together, so
// that a step takes one pass over the table (condens/model/row_sums.hpp), whatever their number,
//
//   F(theta_1, ..., theta_M) = sum_m [ (1 / W_m) sum_i c_i l(x_i, y_i; theta_m) + penalty(theta_m) ],
//
// the sum over the rows that network m does not hold out, c their weights and W_m the sum of these.

#include <cstdint>
#include <functional>
#include <vector>

#include "condens/core/document.hpp"
#include "condens/data/dataset.hpp"
#include "condens/model/row_sums.hpp"
#include "input_scores.hpp"
#include "model/table_passes.hpp"
#include "training.hpp"

namespace condens::mdn {

/// Which rows of a table a network holds out: of `count` folds one, the next network the next fold; 0: none.
struct HeldOutFolds {
  Index count = 0;
  std::uint64_t seed = 0;

  /// As many folds as leave about this share of n rows out in each.
  static HeldOutFolds of(double fraction, Index n, std::uint64_t seed);
  std::vector<Index> at(const std::vector<Index>& places) const;  ///< of each row; empty without folds
  std::vector<Index> from(Index first, Index count_of_rows) const;
};

/// Rows that are standardised as networks see them: with scores of their inputs.
Dataset with_scores(const Dataset& standardized, const InputScores& scores);

/// Sums over rows, of every network.
struct NetworkSums {
  Vector weight;           ///< of the rows that train
  Vector loss;             ///< their weighted losses
  Matrix gradient;         ///< of these, n_parameters x networks
  Vector held_out_weight;  ///< of the rows held out
  Vector held_out_loss;

  Document to_state() const;
  /// Throws FormatError for what is no state of such networks.
  static NetworkSums from_state(const Document& state, const Shape& shape, Index networks);
};

/// `rows` with their scores and their folds.
NetworkSums network_sums(const Shape& shape, const Dataset& rows, const std::vector<Index>& fold, Index folds,
                         const Matrix& parameters, int threads);

/// What a pass over a table brings along but for the parameters: its scale and all that `network_sums` takes.
Document network_pass(const table_passes::Scale& scale, const InputScores& scores, const Shape& shape,
                      const HeldOutFolds& folds);

/// What a block adds to such a pass, with "parameters". Throws FormatError for parts that do not fit.
Document network_state(const Document& pass, const Dataset& block, Index first_row, int threads);

struct TableTrained {
  Matrix parameters;       ///< n_parameters x networks, those of least held-out loss on the way
  Vector train_loss;       ///< mean loss of each
  Vector held_out_loss;    ///< the same of rows held out; empty without
  Matrix held_out_losses;  ///< networks x steps, the first one of the start
  Index steps = 0;
};

/// `total` gives the sums of the table at some parameters.
TableTrained train_on_table(const Training& how, const Matrix& start, Index steps,
                            const std::function<NetworkSums(const Matrix&)>& total, const std::function<void()>& poll);

}  // namespace condens::mdn
